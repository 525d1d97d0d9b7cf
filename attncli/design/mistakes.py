"""Common mistakes that figures can't reveal: those that give what the right way gives."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from attncli.design.rules import units
from attncli.design.shares import shown_rows
from attncli.steps import Mistake, step_named
from attncli.trace import Making, Part, Trace, make


class Slip(NamedTuple):
    """A mistake that can be made in a part of a trace, and how it makes its quantity."""

    part: Part
    mistake: Mistake
    making: Making


def slips_of(trace: Trace, names: Collection[str] = ()) -> Iterator[Slip]:
    """The declared mistakes in making the quantities of these full names, all of them without
    any names; those whose operands are there."""
    for part in trace.story:
        for mistake in step_named(part.step).mistakes:
            making = mistake.making(part.scope)
            if making is None or (names and making.name not in names):
                continue
            made = making.name in trace and not trace[making.name].given
            if made and all(name in trace for name in making.operands):
                yield Slip(part, mistake, making)


def reveals(trace: Trace, slip: Slip) -> bool | None:
    """Whether the figures shown are others when a mistake is made; None where it can't be."""
    right = trace[slip.making.name]
    try:
        wrong = make(trace.scenario, trace.quantities, slip.making)
    except (KeyError, ValueError):  # ScenarioError is one, too
        return None
    if wrong.matrix.shape != right.matrix.shape:
        return None
    rows = shown_rows(trace)(right)
    decimals = right.matrix.decimals
    apart = units(wrong.values, decimals) != units(right.values, decimals)
    return bool(apart.any() if rows is None else apart[list(rows)].any())
