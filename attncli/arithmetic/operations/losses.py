"""How far numbers are from what they should be: squared errors, and logs of probabilities.

Cross-entropy of a distribution of targets, and label smoothing: Szegedy et al. 2016,
arXiv:1512.00567, 7; means over all numbers or rows as those of PyTorch's losses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.expression import (
    Apply,
    Equation,
    Expression,
    Length,
    Negative,
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
)
from attncli.arithmetic.formula import define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Operation, WholeNumbers, Working
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.rounding import Array, Unworkable, no_logarithm

_X, _Y = cell(0, "i", "j"), cell(1, "i", "j")
_ONE, _TWO, _ZERO = constant(1), constant(2), constant(0)
_NOT = minus(_ONE, _Y)
_LOG, _LOG_NOT = Apply("ln", (_X,)), Apply("ln", (minus(_ONE, _X),))
_COUNT = Product((Length(0, 0), Length(0, 1)))
_COUNTED = Product((Symbol("n"), Symbol("m")))


class SquaredError(Indexed):
    """The square of each difference. [n, m], [n, m] -> [n, m]"""

    def __init__(self) -> None:
        super().__init__("n m, n m -> n m", Power(minus(_X, _Y), _TWO))


class AbsoluteError(Indexed):
    """The size of each difference, which people take for its square. [n, m], [n, m] -> [n, m]"""

    def __init__(self) -> None:
        super().__init__("n m, n m -> n m", Root(Power(minus(_X, _Y), _TWO)))


class MeanOfAll(Indexed):
    """The mean of all numbers. [n, m] -> [1, 1]"""

    def __init__(self) -> None:
        total = Total("ij", _X)
        super().__init__("n m -> 1 1", Quotient(total, _COUNT), Quotient(total, _COUNTED))


class SumOverRows(Indexed):
    """All numbers added up, divided by the rows alone. [n, m] -> [1, 1]"""

    def __init__(self) -> None:
        total = Total("ij", _X)
        rows = Length(0, 0)
        super().__init__("n m -> 1 1", Quotient(total, rows), Quotient(total, Symbol("n")))


class SumOfSquares(Indexed):
    """The squares of all differences added up, which people take for their mean.
    [n, m], [n, m] -> [1, 1]"""

    def __init__(self) -> None:
        super().__init__("n m, n m -> 1 1", Total("ij", Power(minus(_X, _Y), _TWO)))


class MeanSquaredError(Indexed):
    """The mean of the squares of all differences, as one equation, whose gradient is
    2 (x − y) / nm. [n, m], [n, m] -> [1, 1]"""

    def __init__(self) -> None:
        total = Total("ij", Power(minus(_X, _Y), _TWO))
        super().__init__("n m, n m -> 1 1", Quotient(total, _COUNT), Quotient(total, _COUNTED))


@dataclass(frozen=True)
class OneHot(WholeNumbers):
    """1 in the column of each row's target, else 0; of the probabilities it takes only how many
    there are. [n, v] -> [n, v]"""

    targets: tuple[int, ...]

    shapes = "n v -> n v"
    takes_only_sizes = True

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        return define(name, Symbol("one_hot", ("targets",)))

    def values(self, *operands: Matrix) -> Array:
        table = np.zeros(operands[0].shape)
        if len(self.targets) != len(table):
            raise ValueError(f"{len(self.targets)} targets for {len(table)} rows")
        table[np.arange(len(table)), list(self.targets)] = 1.0
        return table

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        return (constant(int(j == self.targets[i])),)


class Smooth(Indexed):
    """(1 − ε) y + ε / v: a part of each target is spread over all v classes alike.
    [n, v] -> [n, v]"""

    def __init__(self, epsilon: Number) -> None:
        kept = Product((minus(_ONE, epsilon), _X))
        tree, shown = (Sum((kept, Quotient(epsilon, v))) for v in (Length(0, 1), Symbol("v")))
        super().__init__("n v -> n v", tree, shown)


class SmoothOthers(Indexed):
    """(1 − ε) y + (1 − y) ε / (v − 1), with nothing of ε for the target itself, which people take
    for `Smooth`. [n, v] -> [n, v]"""

    def __init__(self, epsilon: Number) -> None:
        kept, other = Product((minus(_ONE, epsilon), _X)), Product((minus(_ONE, _X), epsilon))
        tree, shown = (
            Sum((kept, Quotient(other, minus(v, _ONE)))) for v in (Length(0, 1), Symbol("v"))
        )
        super().__init__("n v -> n v", tree, shown)

    def refuse(self, *operands: Matrix) -> None:
        if operands[0].shape[1] == 1:
            raise Unworkable(0, "there are no other classes", "more than one class")


class CrossEntropies(Indexed):
    """−Σ y ln p: how far the probabilities of each row are from a distribution y; what is
    multiplied by 0 is left out. [n, v], [n, v] -> [n, 1]"""

    def __init__(self) -> None:
        product = Product((_Y, _LOG))
        tree, shown = (Negative(Total("j", one)) for one in (_unless_0(_Y, product), product))
        super().__init__("n v, n v -> n 1", tree, shown)

    def refuse(self, *operands: Matrix) -> None:
        p, y = (operand.values for operand in operands)
        _refuse_zeros((p <= 0) & (y != 0), "the probability of a target")
        rows = [_is_off_one(row) for row in operands[1].written or ()]
        if any(rows):
            what = "the targets of this row don't add up to 1"
            raise Unworkable(rows.index(True), what, "probabilities, or `loss: mse`,")


def _is_off_one(row: Sequence[Decimal]) -> bool:
    """Whether written numbers can't be shares that add up to 1, each rounded to its decimals."""
    rounded = [places for places in map(decimals.places, row) if places]
    halves = (decimals.counted(5, places + 1) for places in rounded)
    off = abs(decimals.difference(decimals.total(row), Decimal(1)))
    return off > decimals.total([Decimal(0), *halves])


class BinaryCrossEntropies(Indexed):
    """−(y ln p + (1 − y) ln(1 − p)), number by number; what is multiplied by 0 is left out.
    [n, m], [n, m] -> [n, m]"""

    def __init__(self) -> None:
        yes, no = Product((_Y, _LOG)), Product((_NOT, _LOG_NOT))
        tree = Sum((_unless_0(_Y, yes), _unless_0(_NOT, no)))
        super().__init__("n m, n m -> n m", Negative(tree), Negative(Sum((yes, no))))

    def refuse(self, *operands: Matrix) -> None:
        p, y = (operand.values for operand in operands)
        _refuse_zeros((p <= 0) & (y != 0), "the probability of what is so")
        _refuse_zeros((p >= 1) & (y != 1), "the probability of what isn't so")


def smooth(loss: BinaryCrossEntropies | CrossEntropies) -> Indexed:
    """The equation with all products, from which its derivative comes."""
    assert loss.shown is not None
    return Indexed(loss.shapes, loss.shown)


def _unless_0(factor: Expression, product: Expression) -> Expression:
    return Apply("where", (factor, product, _ZERO))


def _refuse_zeros(wrong: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], whose: str) -> None:
    if wrong.any():
        raise no_logarithm(int(wrong.any(axis=1).argmax()), whose)


@dataclass(frozen=True)
class BinaryLossOfLogits(Operation):
    """The same of a sigmoid straight from its logits: ln(1 + e^z) − y z, the probabilities being
    an operand, too. [n, m], [n, m], [n, m] -> [n, m]"""

    shapes = "n m, n m, n m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Apply("loss", tuple(Symbol(one) for one in operands)))

    def values(self, *operands: Matrix) -> Array:
        logits, _, y = (operand.values for operand in operands)
        return np.asarray(np.logaddexp(0.0, logits) - y * logits)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return BinaryCrossEntropies().cell(i, j, *operands[1:])

    @property
    def slope(self) -> Indexed:
        """(p − y) G, the gradient of a logit."""
        difference = minus(cell(1, "i", "j"), cell(2, "i", "j"))
        sides = ", ".join(["n m"] * 5)
        return Indexed(f"{sides} -> n m", Product((cell(4, "i", "j"), difference)))
