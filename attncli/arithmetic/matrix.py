"""A matrix of figures that knows how its figures are written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from attncli.arithmetic import decimals as figures
from attncli.arithmetic.expression import Number, Vector
from attncli.arithmetic.rounding import Array, Error
from attncli.arithmetic.rounding import carry as round_in_place

_WHOLE = 10**figures.SIGNIFICANT

Written = tuple[tuple[Decimal, ...], ...]


@dataclass(frozen=True, eq=False)
class Matrix:
    """Figures [n, m], read-only; −∞ for what is masked.

    `places` is the number of decimals that hold every value exactly (None: none is known to),
    `decimals` the number that a page shows, `written` the figures as an author wrote them.
    """

    values: Array
    places: int | None
    decimals: int
    written: Written | None = None

    def __post_init__(self) -> None:
        self.values.flags.writeable = False

    @classmethod
    def of_written(cls, rows: Sequence[Sequence[Decimal]]) -> Matrix:
        """The figures that an author wrote; rows of one length."""
        written = tuple(tuple(row) for row in rows)
        values = np.array([[float(figure) for figure in row] for row in written])
        most = max((figures.places(figure) for row in written for figure in row), default=0)
        return cls(values, most, most, written)

    @classmethod
    def of_array(cls, array: Array, decimals: int, *, carry: bool) -> Matrix:
        """Figures that nobody wrote, such as random ones; `carry` rounds them as they come in."""
        if not carry:
            return cls(np.array(array, dtype=np.float64), None, decimals)

        def settle(i: int, j: int) -> Decimal:
            return Decimal(repr(float(array[i, j])))

        values = np.array(array, dtype=np.float64)
        round_in_place(values, Error(0.0, 2.0**-53), None, decimals, settle)
        return cls(values, decimals, decimals)

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.values.shape
        return rows, columns

    def number(self, i: int, j: int) -> Number:
        """The figure in row `i` and column `j`, from 0, as it is shown and in full."""
        if self.written is not None:
            return Number.written(self.written[i][j])
        value = float(self.values[i, j])
        if self.places is not None and self.places <= self.decimals and math.isfinite(value):
            count = round(value * 10.0**self.places)
            if abs(count) < _WHOLE:
                return Number.written(figures.counted(count, self.places))
        return Number(Decimal(repr(value)), figures.shown(value, self.decimals))

    def row(self, i: int) -> Vector:
        return Vector(tuple(self.number(i, j) for j in range(self.values.shape[1])))

    def column(self, j: int) -> Vector:
        return Vector(tuple(self.number(i, j) for i in range(self.values.shape[0])))

    def take_rows(self, indices: Sequence[int]) -> Matrix:
        """The rows at `indices`, as they are written."""
        written = None if self.written is None else tuple(self.written[i] for i in indices)
        return Matrix(self.values[list(indices)], self.places, self.decimals, written)
