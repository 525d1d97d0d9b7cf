"""What an optimizer does to a parameter with its gradient, an equation each.

SGD with momentum: Polyak 1964, as PyTorch has it (no dampening). Adam: Kingma & Ba 2015,
arXiv:1412.6980, algorithm 1. AdamW: Loshchilov & Hutter 2019, arXiv:1711.05101, algorithm 2.
Clipping by the global norm: Pascanu et al. 2013, arXiv:1211.5063.
"""

from __future__ import annotations

import numpy as np

from attncli.arithmetic.equations.formulas import cell, whole
from attncli.arithmetic.expression import (
    ONE,
    TWO,
    Apply,
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
    numbers_in,
)
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.rounding import MOST_DECIMALS, Unworkable

_X, _Y = cell(0, "i", "j"), cell(1, "i", "j")
_NUMBER = cell(0)
"""The only number of a matrix [1, 1]."""
_OF_A_SHARE = 3
"""The first average has 0.001 of a square where β₂ is 0.999: three decimals more."""


class StepDown(Indexed):
    """x − η g: against the gradient; `up` is along it. [n, m], [n, m] -> [n, m]"""

    def __init__(self, rate: Number, up: bool = False) -> None:
        step = Product((rate, _Y))
        down = Sum((_X, step)) if up else minus(_X, step)
        super().__init__("n m, n m -> n m", down, whole(down))

    @property
    def rate(self) -> Number:
        """η"""
        (rate,) = numbers_in(self.tree)
        return rate


class PlusTimes(Indexed):
    """x + λ y: a gradient with that of a weight decay, λ/2 x². [n, m], [n, m] -> [n, m]"""

    def __init__(self, factor: Number) -> None:
        total = Sum((_X, Product((factor, _Y))))
        super().__init__("n m, n m -> n m", total, whole(total))


class TimesPlus(Indexed):
    """μ v + g: the velocity of before, and the gradient. [n, m], [n, m] -> [n, m]"""

    def __init__(self, factor: Number) -> None:
        total = Sum((Product((factor, _X)), _Y))
        super().__init__("n m, n m -> n m", total, whole(total))


class Shrink(Indexed):
    """(1 − η λ) x: a weight decay that is no part of the gradient. [n, m] -> [n, m]"""

    def __init__(self, rate: Number, decay: Number) -> None:
        shrunk = Product((minus(ONE, Product((rate, decay))), _X))
        super().__init__("n m -> n m", shrunk, whole(shrunk))

    @property
    def decay(self) -> Number:
        """λ"""
        _, _, decay = numbers_in(self.tree)
        return decay


class MovingAverage(Indexed):
    """β m + (1 − β) g, `squared` with g². [n, m], [n, m] -> [n, m]"""

    def __init__(self, beta: Number, squared: bool = False) -> None:
        average = Sum((Product((beta, _X)), _share(beta, _Y, squared)))
        super().__init__("n m, n m -> n m", average, whole(average))


class FirstAverage(Indexed):
    """(1 − β) g, `squared` with g²: the first moving average, since the one before it is 0.
    [n, m] -> [n, m]"""

    def __init__(self, beta: Number, squared: bool = False) -> None:
        average = _share(beta, _X, squared)
        super().__init__("n m -> n m", average, whole(average))


def _share(beta: Number, gradient: Expression, squared: bool) -> Expression:
    return Product((minus(ONE, beta), Power(gradient, TWO) if squared else gradient))


class WithoutBias(Indexed):
    """m / (1 − βᵗ): a moving average that began at 0 is too small by that. [n, m] -> [n, m]"""

    def __init__(self, beta: Number, count: int) -> None:
        power = Power(beta, constant(count)) if count > 1 else beta
        corrected = Quotient(_X, minus(ONE, power))
        super().__init__("n m -> n m", corrected, whole(corrected))


class OverRoot(Indexed):
    """m̂ / (√v̂ + ε), or √(v̂ + ε) with ε `inside`. [n, m], [n, m] -> [n, m]"""

    def __init__(self, epsilon: Number, inside: bool = False) -> None:
        divisor = Root(Sum((_Y, epsilon))) if inside else Sum((Root(_Y), epsilon))
        quotient = Quotient(_X, divisor)
        super().__init__("n m, n m -> n m", quotient, whole(quotient))

    @property
    def inside(self) -> OverRoot:
        """The same with ε inside the root."""
        (epsilon,) = numbers_in(self.tree)
        return OverRoot(epsilon, inside=True)

    def refuse(self, *operands: Matrix) -> None:
        """Where a mean of squares was rounded to 0, what is left to divide by is ε."""
        average, squares = operands
        lost = (squares.values == 0) & (average.values != 0)
        if lost.any():
            row, places = int(lost.any(axis=1).argmax()), squares.decimals
            small = float(np.abs(average.values[lost]).min())
            enough = 2 * (1 - int(np.floor(np.log10(small)))) + _OF_A_SHARE
            instead = "the policy exact"
            if places < enough <= MOST_DECIMALS:
                instead = f"{enough} decimals, or {instead},"
            what = f"the mean of the squares rounds to 0 with {places} decimals"
            raise Unworkable(row, what, instead)


class NormOfNorms(Indexed):
    """√(a² + b² + …): how large several matrices are together, of the norm of each.
    [1, 1], [1, 1], … -> [1, 1]"""

    def __init__(self, count: int) -> None:
        squares = tuple(Power(cell(k), TWO) for k in range(count))
        norm = Root(Sum(squares) if count > 1 else squares[0])
        super().__init__(", ".join(["1 1"] * count) + " -> 1 1", norm)


class ClipFactor(Indexed):
    """min(1, c / (norm + 10⁻⁶)): what gradients are multiplied by so that their norm is no more
    than c, as PyTorch's `clip_grad_norm_` has it; `always` makes it c. [1, 1] -> [1, 1]"""

    def __init__(self, most: Number, always: bool = False) -> None:
        factor = Quotient(most, Sum((_NUMBER, constant("0.000001"))))
        super().__init__("1 1 -> 1 1", factor if always else Apply("min", (ONE, factor)))


class TimesNumber(Indexed):
    """Every number of a matrix times one number. [1, 1], [n, m] -> [n, m]"""

    def __init__(self) -> None:
        product = Product((_NUMBER, _Y))
        super().__init__("1 1, n m -> n m", product, whole(product))


class DifferenceOf(Indexed):
    """x − y. [n, m], [n, m] -> [n, m]"""

    def __init__(self) -> None:
        difference = minus(_X, _Y)
        super().__init__("n m, n m -> n m", difference, whole(difference))


class SquaresTimes(Indexed):
    """−η Σ g²: what a gradient says of a step against it; with a `root` −η √Σ g².
    [n, m] -> [1, 1]"""

    def __init__(self, rate: Number, root: bool = False) -> None:
        squares = Total("ij", Power(_X, TWO))
        size = Root(squares) if root else squares
        down = Number.written(-rate.full)
        super().__init__("n m -> 1 1", Product((down, size)))


class SlopeTimesStep(Indexed):
    """Σ g (x' − x): by how much a gradient says that a step changes the loss.
    [n, m], [n, m], [n, m] -> [1, 1]"""

    def __init__(self) -> None:
        step = Product((_X, minus(_Y, cell(2, "i", "j"))))
        super().__init__("n m, n m, n m -> 1 1", Total("ij", step))
