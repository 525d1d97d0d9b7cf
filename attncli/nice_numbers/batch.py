"""Batches of candidates on their way through a plan: drawing numbers, and making of them.

Each quantity is an array [n, m, b]. Equations, and what only moves numbers, are worked on these
arrays; what goes row by row on the rows of all candidates under each other; what is left one
candidate at a time. Rounding is that of plain floats, so a candidate that gets through is worked
again properly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Operation
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.lists import ListOfEquations
from attncli.arithmetic.operations.moved import Moved
from attncli.arithmetic.operations.positions import Rotate
from attncli.arithmetic.operations.sampling import Nucleus, TopK
from attncli.arithmetic.rounding import Array, Rounding, Unworkable
from attncli.name import Name
from attncli.nice_numbers.plan import Plan, Stage
from attncli.nice_numbers.quantity import CandidateQuantity, Flags, seen_of, shown_rows, units
from attncli.trace import Definition, Trace

if TYPE_CHECKING:
    from numpy.random import RandomState
    from numpy.typing import NDArray


class CandidateValues(NamedTuple):
    """A quantity's numbers in many candidates [n, m, b], or what all of them have, [n, m, 1]."""

    values: Array
    places: int | None
    decimals: int
    fixed: bool = False

    @classmethod
    def same(cls, matrix: Matrix) -> CandidateValues:
        """The numbers that all candidates have."""
        return cls(matrix.values[:, :, np.newaxis], matrix.places, matrix.decimals, fixed=True)

    @property
    def digits(self) -> int:
        """The decimals that its numbers are shown with."""
        return self.decimals if self.places is None else min(self.places, self.decimals)

    def taken(self, indices: NDArray[np.intp]) -> CandidateValues:
        """The numbers of some of the candidates."""
        return (
            self
            if self.fixed
            else self._replace(values=np.take(self.values, indices, axis=2, mode="clip"))
        )

    def one(self, candidate: int) -> Matrix:
        """The matrix of one candidate."""
        return Matrix(np.array(self.alone(candidate)), self.places, self.decimals)

    def alone(self, candidate: int) -> Array:
        """The numbers of one candidate, [n, m]."""
        return np.asarray(self.values[:, :, 0 if self.fixed else candidate])


_BY_ROW = (Nucleus, Rotate, TopK)
"""What works on each row by itself, so that the rows of all candidates go through at once."""


def _in_full(
    operation: Operation, count: int, operands: Sequence[CandidateValues], shape: tuple[int, int]
) -> Array:
    """The result [n, m] of an operation in so many candidates, before it is rounded; nan where it
    can't be worked. [n, m, b]"""
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
    """An equation, for all candidates at once."""
    values = operation.arrays([operand.values for operand in operands])
    infinite = np.isinf(values)
    # a mask's −∞ is copied
    return values if operation.copies or not infinite.any() else np.where(infinite, np.nan, values)


def _of_each(values: Array, count: int) -> Array:
    """The numbers of each candidate, though all have the same."""
    return np.broadcast_to(values, (*values.shape[:2], count))


def _by_row(operation: Operation, count: int, operands: Sequence[CandidateValues]) -> Array:
    matrices = [Matrix(_rows(operand.values, count), operand.places, 0) for operand in operands]
    result = operation.values(*matrices)
    wide = result.T.reshape(result.shape[1], -1, count)
    return np.ascontiguousarray(wide.swapaxes(0, 1))


def _rows(values: Array, count: int) -> Array:
    """The rows of all candidates under each other; a column of it is one run of memory, which is
    what makes it quick."""
    return _of_each(values, count).swapaxes(0, 1).reshape(values.shape[1], -1).T


def _one_by_one(
    operation: Operation, count: int, operands: Sequence[CandidateValues], shape: tuple[int, int]
) -> Array:
    results = [_alone(operation, [each.one(b) for each in operands]) for b in range(count)]
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
    """The numbers as they are gone on with: copied, rounded, or in full."""
    if operation.only_moves:
        first = operation.make(rounding, step, *(operand.one(0) for operand in operands))
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
    """The decimals that hold the results of an operation in full; None where none need do."""
    return operation.places(*(operand.one(0) for operand in operands))


class Quantities:
    """The numbers of candidates by the names of quantities. Candidates that fall are taken out of
    a quantity when it is next asked for: most are seldom, and candidates fall at every stage."""

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
        """Where the candidates of now stood so many takes ago."""
        while len(self._back) < behind:
            self._back.append(self._takes[-1 - len(self._back)][self._back[-1]])
        return self._back[behind - 1]


@dataclass
class Batch:
    """So many candidates: their numbers, drawn and made, and from which of the first ones each
    comes."""

    count: int
    made: Quantities
    origin: NDArray[np.intp]

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

    def thin(self) -> None:
        """Keeps the first candidate of each origin."""
        self.take(np.unique(self.origin, return_index=True)[1])

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
    """Makes the quantities of a plan for a batch, as the trace that the plan is of makes them."""

    trace: Trace
    plan: Plan

    def batch(self, count: int) -> Batch:
        """So many candidates of which nothing is drawn yet."""
        return Batch(count, Quantities(self._fixed), np.arange(count))

    @cached_property
    def _fixed(self) -> Mapping[str, CandidateValues]:
        names = (name for name in self.trace if name in self.plan.fixed)
        return {name: CandidateValues.same(self.trace[name].matrix) for name in names}

    def make(self, batch: Batch, definition: Definition) -> CandidateQuantity:
        """Makes a quantity for all candidates of a batch."""
        full = self.full(batch, definition)
        batch.made[definition.name] = self._settled(batch, definition, full)
        return self.told(batch, definition, full)

    def numbers(self, batch: Batch, definition: Definition) -> CandidateValues:
        """What a quantity would be if it were made so; the batch stays as it is. Raises
        ValueError where the shapes don't fit."""
        return self._settled(batch, definition, self.full(batch, definition))

    def full(self, batch: Batch, definition: Definition) -> Array:
        """The numbers of a quantity before they are rounded."""
        operands = [batch.made[name] for name in definition.operands]
        shape = self.trace[definition.name].matrix.shape
        return _in_full(definition.operation, batch.count, operands, shape)

    def _settled(self, batch: Batch, definition: Definition, full: Array) -> CandidateValues:
        operands = [batch.made[name] for name in definition.operands]
        rounding = self.trace.rounding.of_quantity(definition.step, definition.name)
        return _settled(definition.operation, full, rounding, definition.step, operands)

    def told(
        self, batch: Batch, definition: Definition, full: Array | None = None
    ) -> CandidateQuantity:
        """A quantity that was made, as the rules see it; `full` are its numbers before they were
        rounded, where that matters."""
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
            tuple(operand.values for operand in operands),
            tuple(operand.digits for operand in operands),
            None if before is None else before.operation,
            seen_of(definition.name, self.definitions, lambda name: batch.made[name].values),
            self.trace[definition.name].is_list,
            self.rows[definition.name],
        )

    @cached_property
    def definitions(self) -> Mapping[Name, Definition]:
        """How each quantity is made."""
        return {definition.name: definition for definition in self.trace.plan}

    @cached_property
    def rows(self) -> Mapping[str, tuple[int, ...] | None]:
        """The rows of each quantity that a page shows, None for all."""
        rows = shown_rows(self.trace)
        return {name: rows(quantity) for name, quantity in self.trace.quantities.items()}
