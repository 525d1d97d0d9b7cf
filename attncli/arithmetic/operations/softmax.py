"""The sums and quotients of a softmax, and what people take for them."""

from __future__ import annotations

import numpy as np

from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.equations.working import filled
from attncli.arithmetic.expression import (
    Apply,
    Expression,
    Power,
    Product,
    Quotient,
    Total,
    constant,
    e_to,
)
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.source import Worked
from attncli.arithmetic.rounding import (
    Array,
    Range,
    Unworkable,
)


class RaisedTo(Indexed):
    """b^x for another base than e, which people take for it. [n, m] -> [n, m]"""

    def __init__(self, base: int) -> None:
        x, number = cell(0, "i", "j"), constant(base)
        tree = e_to(Product((x, Apply("ln", (number,)))))
        super().__init__("n m -> n m", tree, Power(number, x))

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        assert self.shown is not None
        return filled(self.shown, self.sides)({"i": i, "j": j, "": 0}, operands)


class SumOfAll(Indexed):
    """The sum of all numbers, beside each row. [n, m] -> [n, 1]"""

    def __init__(self) -> None:
        every = Total("kl", cell(0, "k", "l"))
        super().__init__("n m -> n 1", every, Total("ij", cell(0, "i", "j")))


class RowSum(Indexed):
    """The sum of each row. [n, m] -> [n, 1]"""

    def __init__(self) -> None:
        super().__init__("n m -> n 1", Total("j", cell(0, "i", "j")))


class DivideByRow(Indexed):
    """Each row divided by its own number. [n, m], [n, 1] -> [n, m]"""

    def __init__(self) -> None:
        super().__init__("n m, n 1 -> n m", Quotient(cell(0, "i", "j"), cell(1, "i")))

    def foreseen(self, *operands: Matrix) -> Range | None:
        reach, (dividend, divisor) = super().foreseen(*operands), operands
        match divisor.source:
            case Worked(RowSum(), (added,)) if added is dividend and reach and reach.low >= 0:
                return Range(reach.low, min(reach.high, 1.0))
        return reach


class DivideByColumnSum(Indexed):
    """Each number divided by the sum of its column: softmax down the wrong way."""

    def __init__(self) -> None:
        x = cell(0, "i", "j")
        column = Total("k", cell(0, "k", "j"))
        super().__init__("n m -> n m", Quotient(x, column), Quotient(x, Total("i", x)))

    def refuse(self, *operands: Matrix) -> None:
        _refuse_no_sum(operands[0].values, axis=0)


class DivideByRowSum(Indexed):
    """Each number divided by the sum of its row, without any exponential."""

    def __init__(self) -> None:
        x = cell(0, "i", "j")
        row = Total("k", cell(0, "i", "k"))
        super().__init__("n m -> n m", Quotient(x, row), Quotient(x, Total("j", x)))

    def refuse(self, *operands: Matrix) -> None:
        _refuse_no_sum(operands[0].values, axis=1)


class MaskedShare(Indexed):
    """The softmax of a row of scores, times a mask of ones and zeros: what is masked too late.
    [n, m], [n, m] -> [n, m]"""

    def __init__(self) -> None:
        power = e_to(cell(0, "i", "j"))
        total = Total("k", e_to(cell(0, "i", "k")))
        share, seen = Quotient(power, total), cell(1, "i", "j")
        shown = Quotient(power, Total("j", power))
        super().__init__("n m, n m -> n m", Product((share, seen)), Product((shown, seen)))


def _refuse_no_sum(values: Array, axis: int) -> None:
    """Raises Unworkable where a sum is 0, or all that is left of it is the noise of floats."""
    sums, sizes = values.sum(axis=axis, keepdims=True), np.abs(values).sum(axis=axis, keepdims=True)
    if (np.abs(sums) <= values.shape[axis] * EPSILON * sizes).any():
        raise Unworkable(0, "a sum to divide by is 0", "other numbers")
