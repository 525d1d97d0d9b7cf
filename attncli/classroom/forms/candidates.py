"""Candidates: scenarios with numbers drawn, and the quantities made of them, many at once.

Each quantity is an array [n, m, b]. Equations, and what only moves numbers, are worked on these
arrays; what goes row by row on the rows of all candidates under each other; what is left one
candidate at a time. Rounding is that of plain floats, so a candidate that gets through is worked
again properly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.random import RandomState

from attncli.classroom.forms.candidate_quantity import (
    CandidateOperands,
    CandidateQuantity,
    seen_of,
    shown_rows,
    units,
)
from attncli.classroom.forms.plan import Plan, Stage
from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers.rounding import Array, Flags, Rounding, Unworkable
from attncli.maths.operations.equation import Indexed
from attncli.maths.operations.list_of_equations import ListOfEquations
from attncli.maths.operations.operation import Operation
from attncli.maths.operations.positions import Rotate
from attncli.maths.operations.prediction import Nucleus, TopK
from attncli.maths.operations.rearranging import Moved
from attncli.names import Name
from attncli.trace import Definition, Trace

if TYPE_CHECKING:
    from numpy.random import RandomState
    from numpy.typing import NDArray


class CandidateValues(NamedTuple):
    """The numbers of a quantity in many candidates [n, m, b], or those that all of them have, [n,
    m, 1]."""

    values: Array
    places: int | None
    decimals: int
    fixed: bool = False

    @classmethod
    def same(cls, matrix: Matrix) -> CandidateValues:
        """Makes the numbers that all candidates have."""
        return cls(matrix.values[:, :, np.newaxis], matrix.places, matrix.decimals, fixed=True)

    @property
    def digits(self) -> int:
        """Returns the decimals that its numbers are shown with."""
        return self.decimals if self.places is None else min(self.places, self.decimals)

    def taken(self, indices: NDArray[np.intp]) -> CandidateValues:
        """Returns the numbers of some of the candidates."""
        return (
            self
            if self.fixed
            else self._replace(values=np.take(self.values, indices, axis=2, mode="clip"))
        )

    def matrix(self, candidate: int) -> Matrix:
        return Matrix(np.array(self.alone(candidate)), self.places, self.decimals)

    def alone(self, candidate: int) -> Array:
        """Returns the numbers of one candidate, [n, m]."""
        return np.asarray(self.values[:, :, 0 if self.fixed else candidate])


_BY_ROW = (Nucleus, Rotate, TopK)
"""Operations that work on each row by itself, so that the rows of all candidates go through at
once."""


def _in_full(
    operation: Operation, count: int, operands: Sequence[CandidateValues], shape: tuple[int, int]
) -> Array:
    """Computes the result [n, m] of an operation in so many candidates, before it is rounded; nan
    where it can't be worked. [n, m, b]"""
    with np.errstate(all="ignore"):
        if isinstance(operation, Indexed | ListOfEquations):
            # without a memory its weights aren't used, and the result is the same for all
            return _of_each(_at_once(operation, operands), count)
        if isinstance(operation, Moved):
            return np.asarray(operation.arranged(*(_of_each(x.values, count) for x in operands)))
        if isinstance(operation, _BY_ROW):
            return _by_row(operation, count, operands)
        return _one_by_one(operation, count, operands, shape)


def _at_once(operation: Indexed | ListOfEquations, operands: Sequence[CandidateValues]) -> Array:
    """Computes an equation for all candidates at once."""
    values = operation.arrays([operand.values for operand in operands])
    infinite = np.isinf(values)
    # a mask's −∞ is copied
    return values if operation.copies or not infinite.any() else np.where(infinite, np.nan, values)


def _of_each(values: Array, count: int) -> Array:
    """Returns the numbers of each candidate, though all have the same."""
    return np.broadcast_to(values, (*values.shape[:2], count))


def _by_row(operation: Operation, count: int, operands: Sequence[CandidateValues]) -> Array:
    matrices = [Matrix(_rows(operand.values, count), operand.places, 0) for operand in operands]
    result = operation.values(*matrices)
    wide = result.T.reshape(result.shape[1], -1, count)
    return np.ascontiguousarray(wide.swapaxes(0, 1))


def _rows(values: Array, count: int) -> Array:
    """Returns the rows of all candidates under each other; a column of it is one run of memory,
    which is what makes it quick."""
    return _of_each(values, count).swapaxes(0, 1).reshape(values.shape[1], -1).T


def _one_by_one(
    operation: Operation, count: int, operands: Sequence[CandidateValues], shape: tuple[int, int]
) -> Array:
    each = (repeat(x.matrix(0)) if x.fixed else map(x.matrix, range(count)) for x in operands)
    results = [_alone(operation, matrices) for matrices in islice(zip(*each, strict=False), count)]
    return np.stack([np.full(shape, np.nan) if x is None else x for x in results], axis=2)


def _alone(operation: Operation, operands: Sequence[Matrix]) -> Array | None:
    try:
        return operation.values(*operands)
    except Unworkable:
        return None


def _settled(
    operation: Operation,
    values: Array,
    rounding: Rounding,
    step: str,
    operands: Sequence[CandidateValues],
) -> CandidateValues:
    """Returns the numbers as they are gone on with: copied, rounded, or in full."""
    if operation.only_moves:
        first = operation.make(rounding, step, *(operand.matrix(0) for operand in operands))
        return CandidateValues(values, first.places, first.decimals)
    places = _places_of(operation, operands)
    decimals = rounding.of(step)
    if not rounding.carries:
        return CandidateValues(values, places, decimals)
    if places == 0:
        return CandidateValues(values, 0, decimals)
    kept = decimals if places is None else min(places, decimals)
    if places is not None and places > decimals:
        values = np.rint(values * 10.0**places) / 10.0**places
    return CandidateValues(units(values, kept) / 10.0**kept + 0.0, kept, decimals)


def _places_of(operation: Operation, operands: Sequence[CandidateValues]) -> int | None:
    """Returns the decimals that hold the results of an operation in full; None where none need
    do."""
    return operation.places(*(operand.matrix(0) for operand in operands))


class Quantities:
    """The numbers of candidates by the names of quantities.

    Candidates that fall are taken out of a quantity when it is next asked for: most are seldom, and
    candidates fall at every stage.
    """

    def __init__(self, fixed: Mapping[str, CandidateValues]) -> None:
        self._stored = {name: (many, 0) for name, many in fixed.items()}
        self._takes: list[NDArray[np.intp]] = []
        self._back: list[NDArray[np.intp]] = []
        """Where the candidates of now stood before the last take, before the last two, …"""

    def __getitem__(self, name: str) -> CandidateValues:
        many, before = self._stored[name]
        behind = len(self._takes) - before
        if behind and not many.fixed:
            many = many.taken(self._places(behind))
            self[name] = many
        return many

    def __setitem__(self, name: str, many: CandidateValues) -> None:
        self._stored[name] = many, len(self._takes)

    def keys(self) -> Set[str]:
        return self._stored.keys()

    def take(self, indices: NDArray[np.intp]) -> None:
        """Keeps these candidates; some may come more than once."""
        self._takes.append(indices)
        self._back = [indices]

    def _places(self, behind: int) -> NDArray[np.intp]:
        """Returns where the candidates of now stood so many takes ago."""
        while len(self._back) < behind:
            self._back.append(self._takes[-1 - len(self._back)][self._back[-1]])
        return self._back[behind - 1]


@dataclass
class Batch:
    """Some candidates that are worked at once."""

    count: int
    made: Quantities
    """Their numbers, drawn and made."""
    origin: NDArray[np.intp]
    """From which of the first candidates each comes."""

    def take(self, indices: NDArray[np.intp]) -> None:
        """Keeps these candidates; some may come more than once."""
        self.count = len(indices)
        self.origin = self.origin[indices]
        self.made.take(indices)

    def keep(self, good: Flags) -> None:
        """Keeps the candidates that are good."""
        if not good.all():
            self.take(np.flatnonzero(good))

    def refill(self, most: int, each: int = 0) -> None:
        """Copies the candidates that are left, up to so many, and of each origin up to so many if
        that is said."""
        wanted = min(most, len(np.unique(self.origin)) * each) if each else most
        if self.count < wanted:
            self.take(np.arange(wanted) % self.count)

    def firsts(self, liked: Flags) -> NDArray[np.intp]:
        """Returns the place of the first candidate of each origin that is liked, or else of the
        first."""
        order = np.argsort(~liked, kind="stable")
        return np.asarray(order[np.unique(self.origin[order], return_index=True)[1]])

    def draw(self, stage: Stage, random: RandomState) -> None:
        """Draws the numbers that a stage asks for."""
        for drawn, columns in stage.fresh:
            numbers = drawn.draw(random, self.count)
            if columns is not None:
                new, numbers = numbers, self.made[drawn.names[0]].values.copy()
                numbers[:, columns] = new[:, columns]
            many = CandidateValues(numbers, drawn.places, drawn.places)
            for name in drawn.names:
                self.made[name] = many


@dataclass(frozen=True)
class BatchMaker:
    """A maker of the quantities of a plan for a batch, as the trace that the plan is of makes
    them."""

    trace: Trace
    plan: Plan

    def batch(self, count: int) -> Batch:
        """Makes so many candidates of which nothing is drawn yet."""
        return Batch(count, Quantities(self._fixed), np.arange(count))

    @cached_property
    def _fixed(self) -> Mapping[str, CandidateValues]:
        names = (name for name in self.trace.quantities if name in self.plan.fixed)
        return {name: CandidateValues.same(self.trace[name].matrix) for name in names}

    def make(self, batch: Batch, definition: Definition) -> CandidateQuantity:
        """Makes a quantity for all candidates of a batch."""
        full = self.full(batch, definition)
        batch.made[definition.name] = self._settled(batch, definition, full)
        return self.candidates_of(batch, definition, full)

    def numbers(self, batch: Batch, definition: Definition) -> CandidateValues:
        """Returns what a quantity would be if it were made so; the batch stays as it is. Raises
        ValueError where the shapes don't fit."""
        return self._settled(batch, definition, self.full(batch, definition))

    def wrong(self, batch: Batch, definition: Definition) -> Array | None:
        """Returns what a mistake makes of a quantity that was made; None where its shapes don't
        fit."""
        try:
            wrong = self.numbers(batch, definition).values
        except (ValueError, Unworkable):
            return None
        return wrong if wrong.shape[:2] == batch.made[definition.name].values.shape[:2] else None

    def full(self, batch: Batch, definition: Definition) -> Array:
        """Returns the numbers of a quantity before they are rounded."""
        operands = [batch.made[name] for name in definition.operands]
        shape = self.trace[definition.name].matrix.shape
        return _in_full(definition.operation, batch.count, operands, shape)

    def _settled(self, batch: Batch, definition: Definition, full: Array) -> CandidateValues:
        operands = [batch.made[name] for name in definition.operands]
        rounding = self.trace.rounding.of_quantity(definition.step, definition.name)
        return _settled(definition.operation, full, rounding, definition.step, operands)

    def candidates_of(
        self, batch: Batch, definition: Definition, full: Array | None = None
    ) -> CandidateQuantity:
        """Returns a quantity that was made, as the rules see it; `full` are its numbers before they
        were rounded, where that matters."""
        operands = [batch.made[name] for name in definition.operands]
        many = batch.made[definition.name]
        before = next(map(self.definitions.get, definition.operands), None)
        return CandidateQuantity(
            definition.operation,
            many.values,
            many.values if full is None else full,
            _places_of(definition.operation, operands),
            many.decimals,
            many.digits,
            many.digits != many.places,
            CandidateOperands(
                tuple(operand.values for operand in operands),
                tuple(operand.digits for operand in operands),
                None if before is None else before.operation,
            ),
            seen_of(definition.name, self.definitions, lambda name: batch.made[name].values),
            self.trace[definition.name].is_list,
            self.rows[definition.name],
        )

    @cached_property
    def definitions(self) -> Mapping[Name, Definition]:
        """Returns how each quantity is made."""
        return {definition.name: definition for definition in self.trace.plan}

    @cached_property
    def rows(self) -> Mapping[str, tuple[int, ...] | None]:
        """Returns the rows of each quantity that a page shows, None for all."""
        rows = shown_rows(self.trace)
        return {name: rows(quantity) for name, quantity in self.trace.quantities.items()}
