"""Layer normalization and RMSNorm, one quantity at a time.

Ba et al. 2016 (arXiv:1607.06450): (x − mean) / √(variance + ε) × γ + β, over each row.
Zhang & Sennrich 2019 (arXiv:1910.07467): x / √(mean of squares + ε) × γ.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from attncli.arithmetic import decimals, evaluation
from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.equations.working import LONGEST_PRODUCT, product_of
from attncli.arithmetic.expression import (
    Equation,
    Expression,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Total,
    constant,
    minus,
)
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import (
    Operation,
    Working,
    cells_of_row,
    most_places,
    with_products,
)
from attncli.arithmetic.operations.means import WIDTH, places_of_mean, row_sizes
from attncli.arithmetic.rounding import MOST_DECIMALS, Array, Error, Unworkable, largest


class SubtractRow(Operation):
    """Each row less its own figure: what is left of a row without its mean.
    [n, m], [n, 1] -> [n, m]"""

    def signature(self) -> str:
        return "n m, n 1 -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(at(name, "i", "j"), minus(at(operands[0], "i", "j"), at(operands[1], "i")))

    def values(self, *operands: Matrix) -> Array:
        return np.asarray(operands[0].values - operands[1].values)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (minus(operands[0].number(i, j), operands[1].number(i, 0)),)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (cells_of_row(self, i, operands[0].shape[1], *operands),)

    def places(self, *operands: Matrix) -> int | None:
        return most_places(*operands)

    def error(self, *operands: Matrix) -> Error:
        return Error(4 * EPSILON * sum(largest(operand.values) for operand in operands))

    def sizes(self, *operands: Matrix) -> Array:
        x, mean = (operand.values for operand in operands)
        return np.asarray(row_sizes(x) + np.abs(mean))


@dataclass(frozen=True)
class MeanOfSquares(Operation):
    """(a² + b² + …) / n over each row, or over n − 1 with `less_one`. [n, m] -> [n, 1]"""

    less_one: bool = False

    def signature(self) -> str:
        return "n m -> n 1"

    def formula(self, name: str, *operands: str) -> Equation:
        squares = Total("j", Power(at(operands[0], "i", "j"), constant(2)))
        return define(at(name, "i"), Quotient(squares, self._divisor(WIDTH)))

    def values(self, *operands: Matrix) -> Array:
        x = operands[0].values
        return np.asarray(np.einsum("ij,ij->i", x, x)[:, np.newaxis] / self._count(*operands))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        row = [operands[0].number(i, k) for k in range(operands[0].shape[1])]
        squares = [Power(figure, constant(2)) for figure in row]
        worked = [product_of(x, x) for x in row]
        divisor = self._divisor(constant(len(row)))
        return tuple(Quotient(form, divisor) for form in with_products(squares, worked))

    def places(self, *operands: Matrix) -> int | None:
        known = operands[0].places
        return places_of_mean(None if known is None else 2 * known, self._count(*operands))

    def error(self, *operands: Matrix) -> Error:
        return Error(0.0, (operands[0].shape[1] + 4) * EPSILON)

    def _count(self, *operands: Matrix) -> int:
        count = operands[0].shape[1] - self.less_one
        if not count:
            raise Unworkable(
                0,
                "the rows have one figure each, and n − 1, which is divided by, is 0",
                "dividing by n",
            )
        return count

    def _divisor(self, count: Expression) -> Expression:
        return minus(count, constant(1)) if self.less_one else count


@dataclass(frozen=True)
class RootOf(Operation):
    """√(v + ε), or √v + ε where ε isn't `inside`: what the rows are divided by. [n, 1] -> [n, 1]"""

    epsilon: Number
    inside: bool = True

    def signature(self) -> str:
        return "n 1 -> n 1"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(at(name, "i"), self._root(at(operands[0], "i")))

    def values(self, *operands: Matrix) -> Array:
        v, epsilon = operands[0].values, float(self.epsilon.full)
        _refuse_negative(v + epsilon if self.inside else v)
        return np.asarray(np.sqrt(v + epsilon) if self.inside else np.sqrt(v) + epsilon)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        v = operands[0].number(i, j)
        form = self._root(v)
        total = decimals.total((v.shown, self.epsilon.shown))
        if form == Root(v) or not self.inside or decimals.places(total) > LONGEST_PRODUCT:
            return (form,)
        return form, Root(Number.inner(total))

    def check(self, result: Matrix, *operands: Matrix) -> None:
        zero = result.values[:, 0] == 0
        if zero.any():
            row = int(zero.argmax())
            true = evaluation.full(self.cell(row, 0, *operands)[0])
            raise _nothing_to_divide_by(row, true, result.decimals)

    def error(self, *operands: Matrix) -> Error:  # noqa: ARG002
        return Error(0.0, 8 * EPSILON)

    def _root(self, v: Expression) -> Expression:
        if not self.epsilon.full:
            return Root(v)
        return Root(Sum((v, self.epsilon))) if self.inside else Sum((Root(v), self.epsilon))


def _refuse_negative(v: Array) -> None:
    if (v < 0).any():
        row = int((v < 0).any(axis=1).argmax())
        raise Unworkable(row, "a negative figure has no square root", "a figure of 0 or more")


def _nothing_to_divide_by(row: int, true: Decimal, places: int) -> Unworkable:
    if not true:
        return Unworkable(row, "the figure to divide by would be 0", "an epsilon above 0")
    what = f"the figure to divide by rounds to 0 with {places} decimals"
    enough = -(2 * true).adjusted()  # a half of the last place or more
    if enough > MOST_DECIMALS:
        return Unworkable(row, what, "a larger epsilon, or the policy exact,")
    return Unworkable(row, what, f"a larger epsilon, or {enough} decimals,")


@dataclass(frozen=True)
class Normalize(Operation):
    """centered / deviation × γ + β, where there is a `gamma` and a `beta`.
    [n, m], [n, 1], [1, m], [1, m] -> [n, m]"""

    gamma: bool
    beta: bool

    def signature(self) -> str:
        return "n m, n 1" + ", 1 m" * (self.gamma + self.beta) + " -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        centered, deviation, *rest = operands
        vectors = tuple(at(operand, "j") for operand in rest)
        form = self._normed(at(centered, "i", "j"), at(deviation, "i"), vectors)
        return define(at(name, "i", "j"), form)

    def values(self, *operands: Matrix) -> Array:
        centered, deviation, *rest = (operand.values for operand in operands)
        if not deviation.all():
            row = int((deviation == 0).any(axis=1).argmax())
            raise Unworkable(row, "the figure to divide by is 0", "another figure")
        normed = centered / deviation
        if self.gamma:
            normed *= rest[0]
        if self.beta:
            normed += rest[-1]
        return np.asarray(normed)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        centered, deviation, *rest = operands
        vectors = tuple(operand.number(0, j) for operand in rest)
        return (self._normed(centered.number(i, j), deviation.number(i, 0), vectors),)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (cells_of_row(self, i, operands[0].shape[1], *operands),)

    def error(self, *operands: Matrix) -> Error:
        # the product is at most |v| + |β| in size, and off by a few ε of that
        size = largest(operands[-1].values) if self.beta else 0.0
        return Error(16 * EPSILON * size, 16 * EPSILON)

    def sizes(self, *operands: Matrix) -> Array:
        return np.abs(operands[-1].values) if self.beta else np.zeros((1, 1))

    def _normed(
        self, centered: Expression, deviation: Expression, vectors: tuple[Expression, ...]
    ) -> Expression:
        normed: Expression = Quotient(centered, deviation)
        if self.gamma:
            normed = Product((normed, vectors[0]))
        return Sum((normed, vectors[-1])) if self.beta else normed
