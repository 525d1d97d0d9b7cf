"""Layer normalization and RMSNorm, one quantity at a time.

Ba et al. 2016 (arXiv:1607.06450): (x − mean) / √(variance + ε) × γ + β, over each row.
Zhang & Sennrich 2019 (arXiv:1910.07467): x / √(mean of squares + ε) × γ.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from attncli.arithmetic import evaluation
from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.expression import (
    ONE,
    Expression,
    Length,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Symbol,
    Total,
    constant,
    minus,
    numbers_in,
)
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.means import WIDTH, row_sizes
from attncli.arithmetic.rounding import MOST_DECIMALS, Array, Unworkable


class SubtractRow(Indexed):
    """Each row less its own number: what is left of a row without its mean.
    [n, m], [n, 1] -> [n, m]"""

    def __init__(self) -> None:
        super().__init__("n m, n 1 -> n m", minus(cell(0, "i", "j"), cell(1, "i")))

    def sizes(self, *operands: Matrix) -> Array:
        x, mean = (operand.values for operand in operands)
        return np.asarray(row_sizes(x) + np.abs(mean))  # a mean has the noise of its whole row


class MeanOfSquares(Indexed):
    """(a² + b² + …) / n over each row, or over n − 1 with `less_one`; `width` is what formulas call
    n. [n, m] -> [n, 1]"""

    def __init__(self, less_one: bool = False, width: Symbol = WIDTH) -> None:
        def over(count: Expression) -> Quotient:
            divisor = minus(count, constant(1)) if less_one else count
            return Quotient(Total("j", Power(cell(0, "i", "j"), constant(2))), divisor)

        super().__init__("n m -> n 1", over(Length(0, 1)), over(width))

    def refuse(self, *operands: Matrix) -> None:
        if isinstance(self.tree, Quotient) and self.tree.divisor != Length(0, 1):
            _refuse_single(operands[0])


def _refuse_single(numbers: Matrix) -> None:
    if numbers.shape[1] == 1:
        what = "the rows have one number each, and n − 1, which is divided by, is 0"
        raise Unworkable(0, what, "dividing by n")


class RootOf(Indexed):
    """√(v + ε), or √v + ε where ε isn't `inside`: what the rows are divided by. [n, 1] -> [n, 1]"""

    def __init__(self, epsilon: Number, inside: bool = True) -> None:
        super().__init__("n 1 -> n 1", root_and_epsilon(cell(0, "i"), epsilon, inside))

    def refuse(self, *operands: Matrix) -> None:
        if operands[0].range.low < 0:
            epsilon = [float(x.full) for x in numbers_in(self.tree) if isinstance(self.tree, Root)]
            _refuse_negative(operands[0].values + sum(epsilon))

    def check(self, result: Matrix, *operands: Matrix) -> None:
        if result.spread and result.spread.least:
            return
        zero = result.values[:, 0] == 0
        if zero.any():
            row = int(zero.argmax())
            true = evaluation.full(self.cell(row, 0, *operands)[0])
            raise _nothing_to_divide_by(row, true, result.decimals)


def root_and_epsilon(v: Expression, epsilon: Number, inside: bool) -> Expression:
    """√(v + ε), or √v + ε; √v where ε is 0."""
    if not epsilon.full:
        return Root(v)
    return Root(Sum((v, epsilon))) if inside else Sum((Root(v), epsilon))


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
    """centered / deviation × γ + β, where there is a `gamma` and a `beta`, or × (1 + γ).
    [n, m], [n, 1], [1, m], [1, m] -> [n, m]"""

    def __init__(self, gamma: bool, beta: bool, plus_one: bool = False) -> None:
        normed: Expression = Quotient(cell(0, "i", "j"), cell(1, "i"))
        if gamma:
            factor = Sum((ONE, cell(2, "j"))) if plus_one else cell(2, "j")
            normed = Product((normed, factor))
        if beta:
            normed = Sum((normed, cell(2 + gamma, "j")))
        super().__init__("n m, n 1" + ", 1 m" * (gamma + beta) + " -> n m", normed)

    def refuse(self, *operands: Matrix) -> None:
        deviation = operands[1].values
        if not deviation.all():
            row = int((deviation == 0).any(axis=1).argmax())
            raise Unworkable(row, "the number to divide by is 0", "another number")
