"""What numbers don't tell: common mistakes that give what the right way gives. And what they tell
differently: numbers that the two rounding policies show as others."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import numpy as np

from attncli.arithmetic.expression import Number
from attncli.choices import POLICIES
from attncli.file.problems import ScenarioError
from attncli.nice_numbers.quantity import shown_rows, units
from attncli.steps import Mistake, step_named
from attncli.steps.mistakes import made_wrongly
from attncli.trace import Definition, PlannedStep, Quantity, Trace


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


class Ambiguous(NamedTuple):
    """A cell, from 0, and what `carry` and `exact` show in it."""

    quantity: Quantity
    row: int
    column: int
    carry: Number
    exact: Number


class Both(NamedTuple):
    """A scenario worked under each of the two policies."""

    carry: Trace
    exact: Trace


def under_both(trace: Trace) -> Both | None:
    """The trace's scenario under both policies; None where one of them can't work it."""
    try:
        carry, exact = (
            trace if trace.rounding.policy == policy else trace.under(policy) for policy in POLICIES
        )
    except ScenarioError:
        return None
    return Both(carry, exact)


def ambiguous(both: Both, name: str) -> Iterator[Ambiguous]:
    """The cells of a quantity, by its full name, that the policies show differently."""
    if name not in both.carry or name not in both.exact:
        return
    quantity, other = both.carry[name], both.exact[name]
    decimals = max(quantity.matrix.decimals, other.matrix.decimals)
    if quantity.matrix.shape != other.matrix.shape:
        return
    with np.errstate(invalid="ignore"):
        apart = units(quantity.values, decimals) != units(other.values, decimals)
    for i, j in np.argwhere(apart).tolist():
        carry, exact = quantity.matrix.number(i, j), other.matrix.number(i, j)
        if carry.shown != exact.shown:
            yield Ambiguous(quantity, i, j, carry, exact)
