"""Means and norms, one quantity at a time.

Layer norm (Ba et al. 2016, arXiv:1607.06450): (x − mean) / √(variance + ε) × γ + β, over each row.
RMS norm (Zhang & Sennrich 2019, arXiv:1910.07467): x / √(mean of squares + ε) × γ.
Batch norm (Ioffe & Szegedy 2015, arXiv:1502.03167): the first over each column, with its own mean
and variance, or those that training found.
"""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar

import numpy as np

from attncli.maths.equations import deciding
from attncli.maths.equations.bounds import EPSILON
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Length, Number, Quotient, Root, numbers_in
from attncli.maths.numbers.rounding import MOST_DECIMALS, Array, Error, Unworkable, cleanse, largest
from attncli.maths.operations.equation import Indexed, equation, read_equation

_WIDTH = "d_model"
"""How many numbers there are in a row, in formulas."""


class RowMean(Indexed):
    """The mean of each row; `width` is what formulas call m. [n, m] -> [n, 1]"""

    def __init__(self, width: str = _WIDTH) -> None:
        total = "sum(x[i, j] for j in m)"
        super().__init__(*read_equation(f"{total} / m", {"x": "n m"}, shown=f"{total} / {width}"))

    def values(self, *operands: Matrix) -> Array:
        return means(operands[0], axis=1)


class _ColumnMeans(Indexed):
    def values(self, *operands: Matrix) -> Array:
        return means(operands[0], axis=0)


ColumnMean = equation("sum(x[i] for i in n) / n", _ColumnMeans, x="n 1")
"""The mean of a column."""
MeanOfEach = equation("sum(x[i, j] for i in n) / n", _ColumnMeans, x="n m")
"""The mean of each column."""
SquaresOfEach = equation("sum(x[i, j] ** 2 for i in n) / n", x="n m")


def means(numbers: Matrix, axis: int) -> Array:
    """Computes the means of rows (axis 1 -> [n, 1]) or of columns (axis 0 -> [1, m]).

    Where the sums are known to have few decimals they are exact, so that a row of equal numbers has
    just that number for its mean.
    """
    x, count = numbers.values, numbers.values.shape[axis]
    sums = x.sum(axis=axis, keepdims=True)
    if numbers.places is None:
        return np.asarray(sums / count)
    error = Error(count * (count + 2) * EPSILON * largest(x))
    if not cleanse(sums, error, numbers.places, numbers.places):
        return np.asarray(sums / count)
    unit = 10.0**numbers.places
    return np.asarray(np.rint(sums * unit) / (unit * count))


SubtractRow = equation("x[i, j] - mean[i]", x="n m", mean="n 1")
"""What is left of each row without its mean."""
SubtractFromEach = equation("x[i, j] - mean[j]", x="n m", mean="1 m")


class MeanOfSquares(Indexed):
    """The mean of the squares of each row, (a² + b² + …) / n, or over n − 1 with `less_one`;
    `width` is what formulas call n. [n, m] -> [n, 1]"""

    def __init__(self, less_one: bool = False, width: str = _WIDTH) -> None:
        mean = "sum(x[i, j] ** 2 for j in m) / " + ("({} - 1)" if less_one else "{}")
        super().__init__(*read_equation(mean.format("m"), {"x": "n m"}, shown=mean.format(width)))

    @property
    def less_one(self) -> bool:
        """Tells whether it divides by n − 1."""
        return isinstance(self.tree, Quotient) and self.tree.divisor != Length(0, 1)

    def refuse(self, *operands: Matrix) -> None:
        if self.less_one and operands[0].shape[1] == 1:
            what = "the rows have one number each, and n − 1, which is divided by, is 0"
            raise Unworkable(0, what, "dividing by n")


_RUNNING = "(1 - momentum) * running[j] + momentum * "
RunningMean = equation(f"{_RUNNING}mean[j]", running="1 m", mean="1 m")


class _OfSeveral(Indexed):
    def refuse(self, *operands: Matrix) -> None:
        if operands[1].shape[0] == 1:
            what = "the columns have one number each, and n − 1, which is divided by, is 0"
            raise Unworkable(0, what, "a batch of two rows or more")


_UNBIASED = "sum(x[i, j] ** 2 for i in n) / (n - 1)"
RunningVariance = equation(f"{_RUNNING}{_UNBIASED}", _OfSeveral, running="1 m", x="n m")
"""Of a variance without bias, as PyTorch has it, of columns without their means."""


class RootOf(Indexed):
    """The divisor of each row: √(v + ε), or √v + ε where ε isn't `inside`. [n, 1] -> [n, 1]"""

    def __init__(self, epsilon: Number, inside: bool = True) -> None:
        text = _root("v[i]", epsilon, inside)
        super().__init__(*read_equation(text, {"v": "n 1"}, numbers={"epsilon": epsilon}))

    @property
    def inside(self) -> bool:
        """Tells whether nothing is added after the root."""
        return isinstance(self.tree, Root)

    def refuse(self, *operands: Matrix) -> None:
        if operands[0].range.low < 0:
            epsilon = [float(x.full) for x in numbers_in(self.tree) if self.inside]
            _refuse_negative(operands[0].values + sum(epsilon))

    def check(self, result: Matrix, *operands: Matrix) -> None:
        zero = result.values[:, 0] == 0
        if zero.any():
            row = int(zero.argmax())
            true = deciding.full(self.cell(row, 0, *operands)[0])
            raise _nothing_to_divide_by(row, true, result.decimals)


def _root(v: str, epsilon: Number, inside: bool) -> str:
    """Writes √(v + ε), or √v + ε; √v where ε is 0."""
    if not epsilon.full:
        return f"sqrt({v})"
    return f"sqrt({v} + epsilon)" if inside else f"sqrt({v}) + epsilon"


def _refuse_negative(v: Array) -> None:
    if (v < 0).any():
        row = int((v < 0).any(axis=1).argmax())
        raise Unworkable(row, "a negative number has no square root", "a number of 0 or more")


def _nothing_to_divide_by(row: int, true: Decimal, places: int) -> Unworkable:
    if not true:
        return Unworkable(row, "the number to divide by would be 0", "an epsilon above 0")
    what = f"the number to divide by rounds to 0 with {places} decimals"
    enough = -(2 * true).adjusted()  # a half of the last place or more
    if enough > MOST_DECIMALS:
        return Unworkable(row, what, "a larger epsilon, or the policy exact,")
    return Unworkable(row, what, f"a larger epsilon, or {enough} decimals,")


class Normalize(Indexed):
    """The normalized rows: centered / deviation × γ + β, where there is a `gamma` and a `beta`, or
    × (1 + γ). [n, m], [n, 1], [1, m], [1, m] -> [n, m]"""

    deviation: ClassVar = ("deviation[i]", "n 1")

    def __init__(self, gamma: bool, beta: bool, plus_one: bool = False) -> None:
        deviation, sides = self.deviation
        factor = " * (1 + gamma[j])" if plus_one else " * gamma[j]"
        text = f"x[i, j] / {deviation}" + factor * gamma + " + beta[j]" * beta
        operands = {"x": "n m", "deviation": sides, "gamma": "1 m", "beta": "1 m"}
        super().__init__(*read_equation(text, operands))

    def refuse(self, *operands: Matrix) -> None:
        deviation = operands[1].values
        if not deviation.all():
            row = int((deviation == 0).any(axis=1).argmax())
            raise Unworkable(row, "the number to divide by is 0", "another number")


class NormalizeColumns(Normalize):
    """The same of each column by itself. [n, m], [1, m], [1, m], [1, m] -> [n, m]"""

    deviation = ("deviation[j]", "1 m")


class RootOfEach(Indexed):
    """The divisors of the columns: √(v + ε), or √v + ε where ε isn't `inside`. [1, m] -> [1, m]"""

    def __init__(self, epsilon: Number, inside: bool = True) -> None:
        text = _root("v[j]", epsilon, inside)
        super().__init__(*read_equation(text, {"v": "1 m"}, numbers={"epsilon": epsilon}))

    def refuse(self, *operands: Matrix) -> None:
        if (operands[0].values < 0).any():
            raise Unworkable(0, "a variance below 0 has no square root", "a number of 0 or more")

    def check(self, result: Matrix, *_: Matrix) -> None:
        if not result.values.all():
            what = "a number to divide by is 0, or rounds to it"
            raise Unworkable(0, what, "a larger epsilon, or more decimals,")
