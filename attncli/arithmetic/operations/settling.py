"""Settling what floats leave in doubt: how a number rounds under `carry`, and under `exact` what is
little beside the terms that it is left of.

Sums and products of decimals are settled many at once in whole numbers, all else cell by cell from
its operands, as `evaluation` decides it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from attncli.arithmetic import decimals as numbers
from attncli.arithmetic import evaluation
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.source import Worked
from attncli.arithmetic.rounding import Array, Doubtful, Error, Unworkable

if TYPE_CHECKING:
    from attncli.arithmetic.operations.base import Operation

_LITTLE = 2.0**28
"""Times what it may be off by: a number that is no larger may have lost half of its 52 bits."""


class Settling:
    """The true values of an operation's result to so many decimals; cell by cell those that take no
    more than so many numbers all together."""

    def __init__(self, operation: Operation, operands: tuple[Matrix, ...], most: float) -> None:
        self.operation, self.operands, self.most = operation, operands, most

    def units(self, doubtful: Doubtful) -> Array:
        known = self.operation.units(doubtful, *self.operands)
        if known is not None:
            return known
        cells, work = doubtful.cells, self.operation.leaves(*self.operands)
        if cells.size * work > self.most:
            what = f"{cells.size:,} numbers are too long for floats to round them"
            instead = "fewer decimals, or --large (in Python large=True),"
            raise Unworkable(int(cells.rows[0]), what, instead)
        return np.array([self._cell(i, j, doubtful.decimals) for i, j in zip(*cells, strict=True)])

    def _cell(self, i: int, j: int, decimals: int) -> float:
        form = self.operation.first_form(int(i), int(j), *self.operands)
        return numbers.units(evaluation.rounded(form, decimals), decimals)


def settle_cancelled(values: Array, error: Error, source: Worked) -> None:
    """Puts right, in place, what is little beside the terms that it is left of; of numbers that
    are too much work in full, sets what is no more than noise to 0."""
    if not isinstance(error.absolute, np.ndarray) and not error.absolute:
        return
    sizes = np.abs(values)
    if not source.is_workable:
        values[sizes <= error.absolute] = 0.0
        return
    little = sizes <= error.absolute * _LITTLE
    numbers = source.numbers if little.any() else None
    if numbers is not None:
        for i, j in np.argwhere(little).tolist():
            values[i, j] = float(numbers[i][j])
