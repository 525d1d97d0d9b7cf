"""The sums and quotients of a softmax, and what people take for them."""

from __future__ import annotations

import numpy as np

from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.equations.working import filled
from attncli.arithmetic.expression import Expression
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.source import Worked
from attncli.arithmetic.operations.texts import equation
from attncli.arithmetic.rounding import (
    Range,
    Unworkable,
)


class _OfPower(Indexed):
    """An equation that is told as its formula is."""

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        assert self.shown is not None
        return filled(self.shown, self.sides)({"i": i, "j": j, "": 0}, operands)


class _Shares(Indexed):
    """Each row divided by its own number."""

    def foreseen(self, *operands: Matrix) -> Range | None:
        reach, (dividend, divisor) = super().foreseen(*operands), operands
        match divisor.source:
            case Worked(Indexed(equation=equation), (added,)) if (
                equation == RowSum and added is dividend and reach and reach.low >= 0
            ):
                return Range(reach.low, min(reach.high, 1.0))
        return reach


class _OverSum(Indexed):
    """Each number divided by the sum of its row or its column."""

    axis = 1

    def refuse(self, *operands: Matrix) -> None:
        """Where a sum is 0, or all that is left of it is the noise of floats."""
        x = operands[0].values
        sums, sizes = (one.sum(axis=self.axis, keepdims=True) for one in (x, np.abs(x)))
        if (np.abs(sums) <= x.shape[self.axis] * EPSILON * sizes).any():
            raise Unworkable(0, "a sum to divide by is 0", "other numbers")


class _OverColumnSum(_OverSum):
    axis = 0


RowSum = equation("sum(exp[i, j] for j in m)", exp="n m")
DivideByRow = equation("exp[i, j] / exp_sum[i]", _Shares, exp="n m", exp_sum="n 1")
Softmax = equation("exp(x[i, j]) / sum(exp(x[i, k]) for k in m)", x="n m")
"""All of it in one, for the way back."""
SoftmaxDown = equation("exp(x[i]) / sum(exp(x[k]) for k in n)", x="n 1")
ExponentialOf = equation("exp(x[i, j])", whole=True, x="n m")
"""e^x as it is, such as the perplexity of a cross-entropy."""
AddedUp = equation("sum(exp[i] for i in n)", exp="n 1")
ShareItself = equation("exp[i] / exp_sum", exp="n 1", exp_sum="1 1")
"""The share that each number of a column has in all."""

# what people take for them

RaisedTo = equation("exp(x[i, j] * ln(base))", _OfPower, shown="base ** x[i, j]", x="n m")
SumOfAll = equation("sum(exp[i, j] for i in n for j in m)", exp="n m", result="n 1")
DivideByColumnSum = equation("x[i, j] / sum(x[i, j] for i in n)", _OverColumnSum, x="n m")
DivideByRowSum = equation("x[i, j] / sum(x[i, j] for j in m)", _OverSum, x="n m")
"""Without any exponential."""
MaskedShare = equation(
    "exp(x[i, j]) / sum(exp(x[i, j]) for j in m) * seen[i, j]", x="n m", seen="n m"
)
"""Times a mask of ones and zeros: what is masked too late."""
