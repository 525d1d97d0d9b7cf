"""Common mistakes that numbers can't reveal: those that give what the right way gives."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from attncli.design.quantity import shown_rows, units
from attncli.steps import Mistake, step_named
from attncli.steps.mistakes import made_wrongly
from attncli.trace import Definition, PlannedStep, Trace


class Attempt(NamedTuple):
    """A mistake that can be made in a part of a trace, and how it makes its quantity."""

    part: PlannedStep
    mistake: Mistake[Any]
    definition: Definition


def attempts(trace: Trace, names: Collection[str] = ()) -> Iterator[Attempt]:
    """The declared mistakes in making the quantities of these full names, all of them without
    any names; those whose operands are there."""
    for part in trace.story:
        for mistake in step_named(part.step).mistakes:
            definition = made_wrongly(trace, part, mistake)
            if definition is None or (names and definition.name not in names):
                continue
            if all(name in trace for name in definition.operands):
                yield Attempt(part, mistake, definition)


def reveals(trace: Trace, attempt: Attempt, wrong: Trace) -> bool:
    """Whether the numbers shown are others when a mistake is made, as in the `wrong` trace."""
    name = attempt.definition.name
    right = trace[name]
    rows = shown_rows(trace)(right)
    decimals = right.matrix.decimals
    apart = units(wrong[name].values, decimals) != units(right.values, decimals)
    return bool(apart.any() if rows is None else apart[list(rows)].any())
