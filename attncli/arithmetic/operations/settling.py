"""Settling how numbers round that floats leave in doubt: by fractions, many at once; by longer
floats, where no fractions are known; and what is left, cell by cell in sixty digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from attncli.arithmetic import decimals as numbers
from attncli.arithmetic import evaluation
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Array, Doubtful, Unworkable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from attncli.arithmetic.operations.base import Operation


class Settling:
    """The true values of an operation's result to so many decimals; those of at most so many cells
    each by itself."""

    def __init__(self, operation: Operation, operands: tuple[Matrix, ...], most: float) -> None:
        self.operation, self.operands, self.most, self.settled = operation, operands, most, 0

    def units(self, doubtful: Doubtful) -> Array:
        cells = doubtful.cells
        known = self.operation.units(doubtful, *self.operands)
        if known is not None:
            return known
        known, sure = self._by_longer_floats(doubtful)
        for k in np.flatnonzero(~sure).tolist():
            known[k] = self._cell(int(cells.rows[k]), int(cells.columns[k]), doubtful.decimals)
        return known

    def _by_longer_floats(self, doubtful: Doubtful) -> tuple[Array, NDArray[np.bool_]]:
        """What the cells round to, and which of them are sure."""
        made = self.operation.extended(doubtful.cells, *self.operands)
        if made is None:
            return doubtful.near, np.zeros(doubtful.near.shape, dtype=np.bool_)
        values, error = made
        grid = np.longdouble(10) ** doubtful.decimals
        size = np.abs(values) * grid
        off = error.absolute * grid + size * (error.relative + np.finfo(np.longdouble).eps)
        units = np.copysign(np.floor(size + 0.5), values)
        return units.astype(np.float64), np.abs(size - np.floor(size) - 0.5) > off

    def _cell(self, i: int, j: int, decimals: int) -> float:
        self.settled += 1
        if self.settled > self.most:
            what = f"more than {self.most:,} numbers are too long for floats to round them"
            raise Unworkable(i, what, "fewer decimals, or --large (in Python large=True),")
        form = self.operation.first_form(i, j, *self.operands)
        return numbers.units(evaluation.rounded(form, decimals), decimals)
