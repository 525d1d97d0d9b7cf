"""The numbers of many candidates, worked all at once: each quantity is an array [n, m, b].

Equations, and what only moves numbers, are worked on these arrays; what goes row by row on the rows
of all candidates under each other; what is left one candidate at a time.
Rounding is that of plain floats, so a candidate that gets through is worked again properly.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from attncli.design.quantity import units

if TYPE_CHECKING:
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


def full(
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


def settled(
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
    places = places_of(operation, operands)
    decimals = rounding.of(step)
    if not rounding.carries:
        return CandidateValues(values, places, decimals)
    if places == 0:
        return CandidateValues(values, 0, decimals)
    kept = decimals if places is None else min(places, decimals)
    if places is not None and places > decimals:
        values = np.rint(values * 10.0**places) / 10.0**places
    return CandidateValues(units(values, kept) / 10.0**kept + 0.0, kept, decimals)


def places_of(operation: Operation, operands: Sequence[CandidateValues]) -> int | None:
    """The decimals that hold the results of an operation in full; None where none need do."""
    return operation.places(*(operand.one(0) for operand in operands))
