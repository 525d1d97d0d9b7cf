"""The parts of a softmax: powers of e, their sums and quotients; and what people take for them.

softmax(x)_j = e^(x_j − m) / Σ_k e^(x_k − m) is the same for every m. m = 0 is what one does by
hand; the row's maximum is subtracted only where an exponential would be too long, or all of them
too small, to work with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from attncli.maths.equations.bounds import EPSILON
from attncli.maths.equations.elision import shown_entries
from attncli.maths.equations.formulas import cell
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import (
    INNER,
    Apply,
    Equation,
    Expression,
    Number,
    Vector,
    at,
    define,
    e_to,
    minus,
)
from attncli.maths.equations.working import filled
from attncli.maths.numbers import decimals
from attncli.maths.numbers.decimals import SIGNIFICANT
from attncli.maths.numbers.rounding import MOST_DECIMALS, Array, Error, Rounding, Unworkable
from attncli.maths.operations.equation import Indexed, equation, read_equation
from attncli.maths.operations.operation import Operation, Working, most_places

if TYPE_CHECKING:
    from numpy.typing import NDArray


_UNDERFLOW = -700.0
"""e^x of anything less is nearly out of float64's range."""


@dataclass(frozen=True)
class Exponential(Indexed):
    """The exponentials e^x, or e^(x − the row's maximum) where that is needed; e^(−∞) is 0. [n, m]
    -> [n, m]"""

    shapes: str = "n m -> n m"  # type: ignore[misc]
    tree: Expression = e_to(cell(0, "i", "j"))
    shown: Expression | None = None
    decimals: int = 0
    """The decimals that the results are shown with."""
    carry: bool = False
    """Whether the results are rounded to these."""
    always: bool = False
    """Whether the maximum is subtracted where it needn't be, as software does."""

    @classmethod
    def under(cls, rounding: Rounding, step: str) -> Exponential:
        """Makes the exponential of a step, with the step's decimals."""
        return cls(decimals=rounding.of(step), carry=rounding.carries)

    @classmethod
    def down(cls, rounding: Rounding) -> Exponential:
        """Makes the exponential down a column. [n, 1] -> [n, 1]"""
        tree = e_to(cell(0, "i"))
        return cls("n 1 -> n 1", tree, decimals=rounding.decimals, carry=rounding.carries)

    def shifted(self, scores: Array) -> NDArray[np.bool_]:
        """Finds the rows whose maximum is subtracted. -> [n, 1]

        In these an e^x, or the sum of them, would have more than 15 digits, or, in full precision,
        all would be too small for float64.
        """
        tops = scores.max(axis=self.axis, keepdims=True)
        if self.always:
            return np.asarray(tops > -math.inf)
        limit, near = self._longest, self._longest - math.log(scores.shape[self.axis])
        need = (tops > limit) | ((tops < _UNDERFLOW) & (tops > -math.inf) & (not self.carry))
        if ((tops > near) & ~need).any():  # no e^x is too long, but their sum may be
            with np.errstate(invalid="ignore"):  # of a row that is masked out
                sums = np.exp(scores - tops).sum(axis=self.axis, keepdims=True)
                need |= tops + np.log(sums) > limit
        return np.asarray(need)

    @property
    def axis(self) -> int:
        """Returns the axis of the numbers that are divided by one sum."""
        return len(self.sides.indices) - 1

    @property
    def _longest(self) -> float:
        """Returns the exponent past which a power of e has more than 15 digits."""
        return (SIGNIFICANT - self.decimals) * math.log(10)

    def values(self, *operands: Matrix) -> Array:
        scores = operands[0]
        return np.exp(scores.values) if self._is_plain(scores) else super().values(scores)

    def _is_plain(self, scores: Matrix) -> bool:
        """Tells whether the smallest and the largest score show that no maximum is subtracted."""
        if self.always:
            return False
        near = self._longest - math.log(scores.shape[self.axis])
        return scores.range.low >= _UNDERFLOW and scores.range.high <= near

    def arrays(self, operands: Sequence[Array]) -> Array:
        scores = operands[0]
        shifted = self.shifted(scores)
        if not shifted.any():
            return np.asarray(np.exp(scores))
        tops = scores.max(axis=self.axis, keepdims=True)
        differences = scores - np.where(shifted, tops, 0.0)
        return np.asarray(np.exp(differences, out=differences))

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        return self.cell(i, j, *operands)[0]

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        scores = operands[0]
        x, top = scores.number(i, j), self._subtracted(i, scores)
        if top is None:
            return (e_to(x),)
        return e_to(minus(x, top)), e_to(_difference(x, top))

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        """Writes e^(x − max(…)) with all numbers of the row, where a maximum is subtracted."""
        scores = operands[0]
        if self._subtracted(i, scores) is None:
            return e_to(scores.number(i, j))
        line = scores.row(i) if self.axis else scores.column(j)
        return e_to(minus(scores.number(i, j), Apply("max", line.entries)))

    def _subtracted(self, i: int, scores: Matrix) -> Number | None:
        """Returns the maximum of a number's row, where that is subtracted."""
        if not self.axis:
            top = scores.number(int(scores.values.argmax()), 0)
            return top if self.shifted(scores.values).any() else None
        near = self._longest - math.log(scores.shape[1])
        if not self.always and _UNDERFLOW <= scores.tops[i] <= near:
            return None  # as most are
        row = scores.values[i : i + 1]
        return scores.number(i, int(row.argmax())) if self.shifted(row).any() else None

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        if not self.axis:
            return ()
        forms = range(1 if self._subtracted(i, operands[0]) is None else 2)
        width = operands[0].shape[1]

        def vector_of(form: int) -> Vector:
            return shown_entries(width, lambda j: self.cell(i, j, *operands)[form])

        return tuple(map(vector_of, forms))

    def remark(self, *operands: Matrix) -> str | None:
        shifted = self.shifted(operands[0].values)
        if not shifted.any():
            return None
        rows = "each row" if shifted.all() else "such a row"
        return (
            "Raised to these scores as they are, e would give numbers too long or too small to"
            f" work with. So the largest score of {rows} is subtracted from all of the row"
            " first, which leaves the weights as they would be."
        )

    def error(self, *operands: Matrix) -> Error:
        # e^(x + δ) ≈ e^x (1 + δ), and a score and its maximum are each off by ε |x|
        return Error(0.0, (8 + 4 * operands[0].range.size) * EPSILON)

    def check(self, result: Matrix, *operands: Matrix) -> None:
        vanished = ~result.values.any(axis=self.axis)
        if vanished.any():
            row = int(vanished.argmax())
            top = float(operands[0].values.max(axis=self.axis)[row])
            raise _vanished(row, top, self.decimals)


def _difference(x: Number, top: Number) -> Number:
    full = decimals.difference(x.full, top.full)
    return Number(full, decimals.difference(x.shown, top.shown), INNER, minus(x, top))


def all_masked(row: int) -> Unworkable:
    """Makes the error for a row in which a query sees no key."""
    what = "every key is masked out, so that there is nothing to attend to"
    return Unworkable(row, what, "a mask that leaves each query a key")


def _vanished(row: int, top: float, decimals: int) -> Unworkable:
    if top == -math.inf:
        return all_masked(row)
    what = (
        f"every e^x of the row rounds to 0 with {decimals} decimals (its largest score is"
        f" {top:g}), so that there is nothing to divide by"
    )
    # e^x rounds to at least one unit of the last place d when e^x ≥ 10^−d / 2
    enough = math.ceil(-(top / math.log(10)) - math.log10(2))
    if enough > MOST_DECIMALS:
        return Unworkable(row, what, "the policy exact, which keeps full precision")
    return Unworkable(row, what, f"{enough} decimals")


class _OfPower(Indexed):
    """An equation whose working follows its formula."""

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        assert self.shown is not None
        return filled(self.shown, self.sides)({"i": i, "j": j, "": 0}, operands)


class _OverSum(Indexed):
    """A number divided by the sum of its row or its column."""

    axis = 1

    def refuse(self, *operands: Matrix) -> None:
        """Raises Unworkable where a sum is 0, or no more than the noise of floats."""
        x = operands[0].values
        sums, sizes = (entry.sum(axis=self.axis, keepdims=True) for entry in (x, np.abs(x)))
        if (np.abs(sums) <= x.shape[self.axis] * EPSILON * sizes).any():
            raise Unworkable(0, "a sum to divide by is 0", "other numbers")


class _OverColumnSum(_OverSum):
    axis = 0


class RowMax(Operation):
    """The largest number of each row; with a second operand, the largest of that and it.
    [n, m], [n, 1] -> [n, 1]"""

    def __init__(self, running: bool = False) -> None:
        self.running = running

    def signature(self) -> str:
        return f"n m{', n 1' if self.running else ''} -> n 1"

    def formula(self, name: str, *operands: str) -> Equation:
        x, *before = operands
        parts = (*(at(o, "i") for o in before), at(x, "i"))
        return define(at(name, "i"), Apply("max", parts))

    def values(self, *operands: Matrix) -> Array:
        tops = [operand.values.max(axis=1, keepdims=True) for operand in operands]
        return np.asarray(reduce(np.maximum, tops)).copy()

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        x, *before = operands
        numbers = (*(o.number(i, 0) for o in before), *x.row(i).entries)
        return (numbers[0] if len(numbers) == 1 else Apply("max", numbers),)

    def places(self, *operands: Matrix) -> int | None:
        return most_places(*operands)

    def round_result(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:
        """Rounds the maxima; it is −∞ where all numbers of a row are hidden."""
        values = self.values(*operands)
        if np.isfinite(values).all():
            return super().round_result(rounding, step, *operands)
        return Matrix(values, self.places(*operands), max(o.decimals for o in operands))


RowSum = equation("sum(exp[i, j] for j in m)", exp="n m")
DivideByRow = equation("exp[i, j] / exp_sum[i]", exp="n m", exp_sum="n 1")
Softmax = equation("exp(x[i, j]) / sum(exp(x[i, k]) for k in m)", x="n m")
"""All of it in one, for the way back."""
SoftmaxDown = equation("exp(x[i]) / sum(exp(x[k]) for k in n)", x="n 1")
ExponentialOf = equation("exp(x[i, j])", whole=True, x="n m")
"""e^x as it is, such as the perplexity of a cross-entropy."""
AddedUp = equation("sum(exp[i] for i in n)", exp="n 1")
ShareItself = equation("exp[i] / exp_sum", exp="n 1", exp_sum="1 1")
"""The share that each number of a column has in all."""

# the same block by block: a running maximum, a running sum and a running output, each scaled anew
# where a later block has a larger maximum (Milakov & Gimelshein 2018, arXiv:1805.02867)

BlockExponential = equation("exp(x[i, j] - m[i]) if finite(x[i, j]) else 0", x="n b", m="n 1")
RescaleFactor = equation("exp(old[i] - m[i]) if finite(old[i]) else 0", old="n 1", m="n 1")
RunningSum = equation(
    "factor[i] * old[i] + sum(exp[i, j] for j in b)", factor="n 1", old="n 1", exp="n b"
)
RunningOutput = equation(
    "factor[i] * old[i, j] + sum(exp[i, k] * V[k, j] for k in b)",
    factor="n 1",
    old="n d",
    exp="n b",
    V="b d",
)

# what people take for them

RaisedTo = equation("exp(x[i, j] * ln(base))", _OfPower, shown="base ** x[i, j]", x="n m")
ScaledPower = equation("exp(x[i, j] / sqrt(d_k))", x="n m")


class RowSumOfSeveral(Indexed):
    """The sums of the rows of so many tables together. [n, m], … -> [n, 1]"""

    def __init__(self, tables: int) -> None:
        sides = {f"exp{k}": "n m" for k in range(1, tables + 1)}
        sums = " + ".join(f"sum({name}[i, k] for k in m)" for name in sides)
        super().__init__(*read_equation(sums, sides))


SumOfAll = equation("sum(exp[i, j] for i in n for j in m)", exp="n m", result="n 1")
DivideByColumnSum = equation("x[i, j] / sum(x[i, j] for i in n)", _OverColumnSum, x="n m")
DivideByRowSum = equation("x[i, j] / sum(x[i, j] for j in m)", _OverSum, x="n m")
"""Without any exponential."""
MaskedShare = equation(
    "exp(x[i, j]) / sum(exp(x[i, j]) for j in m) * seen[i, j]", x="n m", seen="n m"
)
"""Times a mask of ones and zeros: what is masked too late."""
