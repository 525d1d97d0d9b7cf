"""Batch normalization with the mean and the variance that training found (Ioffe & Szegedy 2015,
arXiv:1502.03167): (x − mean) / √(variance + ε) × γ + β, over each column."""

from __future__ import annotations

from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.expression import Expression, Number, Product, Quotient, Sum, minus
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.norms import root_and_epsilon
from attncli.arithmetic.rounding import Unworkable


class SubtractFromEach(Indexed):
    """Each column less a number of its own. [n, m], [1, m] -> [n, m]"""

    def __init__(self) -> None:
        super().__init__("n m, 1 m -> n m", minus(cell(0, "i", "j"), cell(1, "j")))


class RootOfEach(Indexed):
    """√(v + ε), or √v + ε where ε isn't `inside`, number by number of a row. [1, m] -> [1, m]"""

    def __init__(self, epsilon: Number, inside: bool = True) -> None:
        super().__init__("1 m -> 1 m", root_and_epsilon(cell(0, "j"), epsilon, inside))

    def refuse(self, *operands: Matrix) -> None:
        if (operands[0].values < 0).any():
            raise Unworkable(0, "a variance below 0 has no square root", "a number of 0 or more")

    def check(self, result: Matrix, *_: Matrix) -> None:
        if not result.values.all():
            what = "a number to divide by is 0, or rounds to it"
            raise Unworkable(0, what, "a larger epsilon, or more decimals,")


class NormalizeColumns(Indexed):
    """centered / deviation × γ + β, where there is a `gamma` and a `beta`, each column by itself.
    [n, m], [1, m], [1, m], [1, m] -> [n, m]"""

    def __init__(self, gamma: bool, beta: bool) -> None:
        normed: Expression = Quotient(cell(0, "i", "j"), cell(1, "j"))
        if gamma:
            normed = Product((normed, cell(2, "j")))
        if beta:
            normed = Sum((normed, cell(2 + gamma, "j")))
        super().__init__("n m" + ", 1 m" * (1 + gamma + beta) + " -> n m", normed)

    def refuse(self, *operands: Matrix) -> None:
        if not operands[1].values.all():
            raise Unworkable(0, "a number to divide by is 0", "another number")
