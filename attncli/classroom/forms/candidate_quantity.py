"""A quantity as the rules see it, in one scenario or in many candidates at once.

A quantity may not tell a common mistake that gives what the right way gives, and it is told by
other numbers where the two rounding policies show them otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers.rounding import AnyArray, Array, Flags
from attncli.maths.operations.equation import is_a
from attncli.maths.operations.masking import Masked
from attncli.maths.operations.operation import Operation
from attncli.maths.operations.prediction import KeptShare
from attncli.maths.operations.softmax import DivideByRow, Exponential
from attncli.names import Name
from attncli.option_values import POLICIES
from attncli.scenario.file.address import AddressError, Index, parse_address
from attncli.scenario.file.problems import ScenarioError
from attncli.steps import Mistake, step_named
from attncli.steps.mistakes import all_made_wrongly
from attncli.steps.order import step_of
from attncli.steps.written.step import EQUATIONS_STEP
from attncli.trace import Axis, Definition, PlannedStep, Quantity, Trace

_HALF = 0.5 + 1e-9
"""A half, and what floats may have lost of one."""


class CandidateOperands(NamedTuple):
    """What a quantity is made of, in one scenario or in many."""

    values: tuple[Array, ...]
    """The numbers of each operand."""
    digits: tuple[int, ...]
    """The decimals that each is shown with."""
    left: Operation | None
    """The operation that made the first one."""


@dataclass(frozen=True, eq=False)
class CandidateQuantity:
    """A quantity and what it was made of, in one scenario [n, m] or in many [n, m, b]."""

    operation: Operation | None
    """The operation that makes it, None where it is given."""
    values: Array
    """Its numbers as they are gone on with."""
    full: Array
    """Its numbers before they were rounded."""
    places: int | None
    """The decimals that hold them in full."""
    decimals: int
    """The decimals that are shown."""
    own: int
    """The decimals that its numbers have at most, of those shown."""
    hides: bool
    """Whether the numbers have more decimals than are shown."""
    operands: CandidateOperands
    """What it was made of; nothing where it is given."""
    seen: Flags | None
    """Which weights aren't masked, None where the quantity isn't one whose rows add up to 1."""
    is_list: bool
    rows: tuple[int, ...] | None
    """The rows that a page shows, None for all."""

    @cached_property
    def units(self) -> Array:
        """Returns the numbers as they are shown, in units of their last place."""
        return units(self.values, self.decimals)

    @property
    def shown(self) -> Array:
        """Returns the numbers as they are shown, if only to compare them."""
        return self.units if self.hides else self.values


Check = Callable[[CandidateQuantity], "Flags | None"]
"""A rule: finds where it is broken, in cells [n, m] or rows [n, 1]; returns None where it has
nothing to say."""


def units(values: Array, decimals: int) -> Array:
    """Returns numbers in units of the last of so many decimals, rounded half away from zero."""
    grid = np.asarray(values * 10.0**decimals)
    grid += np.copysign(_HALF, grid)
    return np.asarray(np.trunc(grid, out=grid))


def along(function: np.ufunc, values: AnyArray) -> AnyArray:
    """Reduces the numbers of each row to one. [n, m] -> [n, 1]"""
    return np.asarray(function.reduce(values, axis=1, keepdims=True))


NumbersOfName = Callable[[str], Array]
"""A function that returns the numbers of a quantity by its full name, [n, m] or [n, m, b]."""


def is_share(name: Name, definition: Definition | None = None) -> bool:
    """Tells whether each row of a quantity adds up to 1, but for rounding; of given ones, weights'
    do."""
    step = "softmax" if definition is None else definition.step
    if definition is not None and step == EQUATIONS_STEP.name:
        return is_a(definition.operation, DivideByRow)
    return name.local in step_named(step).results.adds_up_to_one


def seen_of(
    name: Name, definitions: Mapping[Name, Definition], numbers: NumbersOfName
) -> Flags | None:
    """Finds which weights aren't masked, [n, m]; returns None for what isn't shares of 1.

    A softmax goes back to its scores, which a mask may have made; a given weight of 0 is masked.
    """
    if not is_share(name, definitions.get(name)):
        return None
    definition = definitions.get(name)
    if definition is None:
        return np.asarray(numbers(name) != 0)
    return _seen(definition, definitions, numbers)


def _seen(
    definition: Definition, definitions: Mapping[Name, Definition], numbers: NumbersOfName
) -> Flags:
    before = next(map(definitions.get, definition.operands), None)
    match definition.operation:
        case Masked():
            return np.asarray(numbers(definition.operands[1]) != 0)
        case operation if is_a(operation, KeptShare):
            return np.asarray(numbers(definition.operands[1]) != 0)
        case operation if before is not None and is_a(operation, DivideByRow, Exponential):
            return _seen(before, definitions, numbers)
    return np.ones(numbers(definition.name).shape, dtype=np.bool_)


def shown_rows(trace: Trace) -> Callable[[Quantity], tuple[int, ...] | None]:
    """Returns a function that tells which rows of a quantity a page shows, where the scenario names
    queries; None for all."""
    axis = next((q.rows for q in trace.quantities.values() if q.rows.role == "Q"), Axis(()))
    found = (_place(axis, query) for query in trace.scenario.page.show.queries)
    places = tuple(place for place in found if place is not None)

    def rows(quantity: Quantity) -> tuple[int, ...] | None:
        ours = quantity.rows.role in ("Q", "token") and quantity.rows.names == axis.names
        return places if places and ours else None

    return rows


def _place(axis: Axis, query: str) -> int | None:
    """Finds the place, from 0, of a query: `2` is a position, `"2"` and `love` are names. Returns
    None where there is none."""
    try:
        (index,) = parse_address(f"token[{query}]").indices
    except (AddressError, ValueError):
        index = Index(query)
    try:
        return axis.find(index, "the sentence")
    except AddressError:
        return None


RowsLookedAt = Callable[[Quantity], tuple[int, ...] | None]
"""A function that returns the rows of a quantity which are looked at; None for all."""


def made_of(trace: Trace, quantity: Quantity, rows: RowsLookedAt) -> CandidateQuantity:
    """Returns a quantity of a trace, with what it was made of and its numbers before rounding."""
    definitions = {
        q.name: q.definition for q in trace.quantities.values() if q.definition is not None
    }
    seen = seen_of(quantity.name, definitions, lambda name: trace[name].values)
    matrix, definition = quantity.matrix, quantity.definition
    operation = None if definition is None else definition.operation
    names = () if definition is None else definition.operands
    matrices = [trace[name].matrix for name in names]
    before = definitions.get(names[0]) if names else None
    worked = operation is not None and not operation.copies
    return CandidateQuantity(
        operation,
        matrix.values,
        operation.values(*matrices) if operation is not None and worked else matrix.values,
        operation.places(*matrices) if operation is not None else matrix.places,
        matrix.decimals,
        _shown_places(matrix),
        _shown_places(matrix) != matrix.places,
        CandidateOperands(
            tuple(matrix.values for matrix in matrices),
            tuple(map(_shown_places, matrices)),
            None if before is None else before.operation,
        ),
        seen,
        quantity.is_list,
        rows(quantity),
    )


def _shown_places(matrix: Matrix) -> int:
    """Returns the decimals that a matrix's numbers are shown with."""
    return matrix.decimals if matrix.places is None else min(matrix.places, matrix.decimals)


class Attempt(NamedTuple):
    """A mistake that can be made in a part of a trace."""

    part: PlannedStep
    mistake: Mistake[Any]
    way: tuple[Definition, ...]
    """All that it makes in other ways, first the quantity that it is a mistake in."""

    @property
    def definition(self) -> Definition:
        return self.way[0]


def attempts(trace: Trace, names: Collection[str] = ()) -> Iterator[Attempt]:
    """Yields the declared mistakes in making the quantities of these full names, or of all without
    any names, whose operands are there; of a mistake that can be made in several of these, in the
    first one."""
    for part in trace.story:
        for mistake in step_of(part).mistakes:
            ways = all_made_wrongly(trace, part, mistake)
            way = next((way for way in ways if not names or way[0].name in names), None)
            if way is not None:
                yield Attempt(part, mistake, way)


def reveals(trace: Trace, attempt: Attempt, wrong: Trace) -> bool:
    """Tells whether the numbers shown are others when a mistake is made, as in the `wrong`
    trace."""
    name = attempt.definition.name
    right = trace[name]
    rows = shown_rows(trace)(right)
    decimals = right.matrix.decimals
    apart = units(wrong[name].values, decimals) != units(right.values, decimals)
    return bool(apart.any() if rows is None else apart[list(rows)].any())


class Both(NamedTuple):
    """A scenario worked under each of the two policies."""

    carry: Trace
    exact: Trace


def under_both(trace: Trace) -> Both | None:
    """Returns the trace's scenario worked under both policies; None where one of them can't work
    it."""
    try:
        carry, exact = (
            trace if trace.rounding.policy == policy else trace.under(policy) for policy in POLICIES
        )
    except ScenarioError:
        return None
    return Both(carry, exact)


def ambiguous(both: Both, name: str) -> Flags:
    """Finds the cells of a quantity, by its full name, that the policies show differently. -> [n,
    m]"""
    carry, exact = (None if name not in side else side[name].matrix for side in both)
    if carry is None or exact is None or carry.shape != exact.shape:
        return np.zeros((0, 0) if carry is None else carry.shape, dtype=np.bool_)
    decimals = max(carry.decimals, exact.decimals)
    with np.errstate(invalid="ignore"):
        apart = np.asarray(units(carry.values, decimals) != units(exact.values, decimals))
        unsure = _is_unsure(carry.values, decimals) | _is_unsure(exact.values, decimals)
    for i, j in np.argwhere(apart & unsure).tolist():
        apart[i, j] = carry.shown(i, j) != exact.shown(i, j)
    return apart


def _is_unsure(values: Array, decimals: int) -> Flags:
    """Tells where floats don't decide by themselves how a number is shown: next to a half, and
    where it has many digits."""
    size = np.abs(values) * 10.0**decimals
    near = np.abs(size - np.floor(size) - 0.5) < _NEAR_A_HALF
    return np.asarray(near | (size > _MANY_UNITS))


_NEAR_A_HALF = 1e-6
_MANY_UNITS = 1e9
