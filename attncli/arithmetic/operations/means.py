"""Means of rows and of columns, exact where their numbers have few decimals."""

from __future__ import annotations

import numpy as np

from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.expression import Length, Quotient, Symbol, Total
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.rounding import Array, Error, cleanse, largest

WIDTH = Symbol("d_model")
"""How many numbers there are in a row, in formulas."""


class RowMean(Indexed):
    """The mean of each row; `width` is what formulas call m. [n, m] -> [n, 1]"""

    def __init__(self, width: Symbol = WIDTH) -> None:
        total = Total("j", cell(0, "i", "j"))
        super().__init__("n m -> n 1", Quotient(total, Length(0, 1)), Quotient(total, width))

    def values(self, *operands: Matrix) -> Array:
        return means(operands[0], axis=1)

    def sizes(self, *operands: Matrix) -> Array:
        return row_sizes(operands[0].values)


class ColumnMean(Indexed):
    """The mean of a column. [n, 1] -> [1, 1]"""

    def __init__(self) -> None:
        total = Total("i", cell(0, "i"))
        super().__init__("n 1 -> 1 1", Quotient(total, Length(0, 0)), Quotient(total, Symbol("n")))

    def values(self, *operands: Matrix) -> Array:
        return means(operands[0], axis=0)


def means(numbers: Matrix, axis: int) -> Array:
    """The means of rows (axis 1) or columns (axis 0), which stay as an axis of one.

    Where the sums are known to have few decimals they are exact, so that a row of equal
    numbers has just that number for its mean.
    """
    x, count = numbers.values, numbers.values.shape[axis]
    sums = x.sum(axis=axis, keepdims=True)
    if numbers.places is None:
        return np.asarray(sums / count)
    error = Error(count * (count + 2) * EPSILON * largest(x))
    if not cleanse(sums, error, numbers.places):
        return np.asarray(sums / count)
    unit = 10.0**numbers.places
    return np.asarray(np.rint(sums * unit) / (unit * count))


def row_sizes(x: Array) -> Array:
    """The largest size of a number in each row. [n, m] -> [n, 1]"""
    return np.asarray(np.abs(x).max(axis=1, keepdims=True))
