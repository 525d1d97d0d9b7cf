"""Means of rows and of columns, exact where their figures have few decimals."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.equations.exact import reciprocal_places
from attncli.arithmetic.equations.working import sum_of
from attncli.arithmetic.expression import Equation, Quotient, Symbol, Total, constant
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Operation, Working
from attncli.arithmetic.rounding import Array, Error, cleanse, largest

WIDTH = Symbol("d_model")
"""How many figures there are in a row, in formulas."""


class RowMean(Operation):
    """The mean of each row. [n, m] -> [n, 1]"""

    def signature(self) -> str:
        return "n m -> n 1"

    def formula(self, name: str, *operands: str) -> Equation:
        total = Total("j", at(operands[0], "i", "j"))
        return define(at(name, "i"), Quotient(total, WIDTH))

    def values(self, *operands: Matrix) -> Array:
        return means(operands[0], axis=1)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        row = operands[0].row(i).entries
        return (Quotient(sum_of(row), constant(len(row))),)

    def places(self, *operands: Matrix) -> int | None:
        return places_of_mean(operands[0].places, operands[0].shape[1])

    def error(self, *operands: Matrix) -> Error:
        return error_of_mean(operands[0], axis=1)

    def sizes(self, *operands: Matrix) -> Array:
        return row_sizes(operands[0].values)


class ColumnMean(Operation):
    """The mean of a column. [n, 1] -> [1, 1]"""

    def signature(self) -> str:
        return "n 1 -> 1 1"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Quotient(Total("i", at(operands[0], "i")), Symbol("n")))

    def values(self, *operands: Matrix) -> Array:
        return means(operands[0], axis=0)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        column = operands[0].column(j).entries
        return (Quotient(sum_of(column), constant(len(column))),)

    def places(self, *operands: Matrix) -> int | None:
        return places_of_mean(operands[0].places, operands[0].shape[0])

    def error(self, *operands: Matrix) -> Error:
        return error_of_mean(operands[0], axis=0)


def means(figures: Matrix, axis: int) -> Array:
    """The means of rows (axis 1) or columns (axis 0), which stay as an axis of one.

    Where the sums are known to have few decimals they are exact, so that a row of equal
    figures has just that figure for its mean.
    """
    x, count = figures.values, figures.values.shape[axis]
    sums = x.sum(axis=axis, keepdims=True)
    error = Error(count * error_of_mean(figures, axis).absolute)
    if figures.places is None or not cleanse(sums, error, figures.places):
        return np.asarray(sums / count)
    unit = 10.0**figures.places
    return np.asarray(np.rint(sums * unit) / (unit * count))


def places_of_mean(places: int | None, count: int) -> int | None:
    """The decimals of a mean, where dividing by `count` comes to an end."""
    more = reciprocal_places(Decimal(count))
    return None if places is None or more is None else places + more


def error_of_mean(figures: Matrix, axis: int) -> Error:
    return Error((figures.shape[axis] + 2) * EPSILON * largest(figures.values), 4 * EPSILON)


def row_sizes(x: Array) -> Array:
    """The largest size of a figure in each row. [n, m] -> [n, 1]"""
    return np.asarray(np.abs(x).max(axis=1, keepdims=True))
