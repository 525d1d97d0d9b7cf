"""What every operation on matrices offers: its values, and the working of each cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from typing import ClassVar, Literal

import numpy as np

from attncli.arithmetic import decimals, evaluation
from attncli.arithmetic.expression import Equation, Expression, Number, Sum, Vector, constant
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Array, Error, Rounding, carry, cleanse, refuse_infinite

EPSILON = float(np.finfo(np.float64).eps)

_OFF = 4
"""Operands that were worked in floats are a little off themselves: so many times the bound."""

_FEW = 1024
"""Matrices with no more cells than this are worth working out cell by cell."""

Layout = Literal["cells", "rows", "sums", "addition"]
"""A cell a line; a row a line; a row a line with its sums inside, where they are short; or
vectors added up in columns."""

Working = tuple[Expression, ...]
"""The forms that a piece of working goes through, all of one value: `1×1 + 1×0`, `1 + 0`."""


@dataclass(frozen=True)
class Operation(ABC):
    """A way to make one matrix of others.

    `values` does it at NumPy's speed; `cell` gives the working of one figure of the result.
    The two agree for every cell, which the tests check.
    """

    layout: ClassVar[Layout] = "cells"
    """How its full working is laid out on a page."""

    copies: ClassVar[bool] = False
    """Whether it only puts figures elsewhere, so that there is nothing to work out."""

    @abstractmethod
    def signature(self) -> str:
        """The shapes that it takes and gives: `n k, k m -> n m`.

        A letter, or a letter and digits such as `a2`, is one extent wherever it stands; `3*b` and
        `a+b` are extents made of others, `2` is one that is fixed.
        An axis of the result that stands alone in an operand has that operand's names.
        """

    @abstractmethod
    def formula(self, name: str, *operands: str) -> Equation:
        """What it makes of its operands, by their names: `Q = X W_Q`."""

    @abstractmethod
    def values(self, *operands: Matrix) -> Array:
        """The result in full, a new array. Raises ValueError where the shapes don't fit."""

    @abstractmethod
    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        """The forms of the working of the result's cell (i, j), the last one before its value."""

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        """The forms of the working of a whole row, as vectors; `names` are the operands'."""
        return ()

    def places(self, *operands: Matrix) -> int | None:  # noqa: ARG002
        """The decimals that hold every true value of the result; None where none need do."""
        return None

    def error(self, *operands: Matrix) -> Error:  # noqa: ARG002
        """A bound on how far `values` is from the true values of written operands."""
        return Error(0.0, 4 * EPSILON)

    def _cleansed(self, values: Array, places: int | None, *operands: Matrix) -> int | None:
        """Takes the noise of floats off `values`, in place; the places that then hold them."""
        if places is None:
            self.clear_noise(values, *operands)
        elif cleanse(values, self.error(*operands), places):
            return places
        elif values.size <= _FEW:  # long figures: each from its own working
            for i, j in np.ndindex(*values.shape):
                values[i, j] = float(evaluation.full(self.cell(i, j, *operands)[0]))
        return None

    def _bound(self, *operands: Matrix) -> decimals.Noise:
        """How far a value may be off, itself worked from values that are off; seldom asked for."""

        def noise(value: float) -> float:
            return _OFF * self.error(*operands).at(abs(value))

        return noise

    def clear_noise(self, values: Array, *operands: Matrix) -> None:  # noqa: B027
        """Sets to 0, in place, what is only left of terms that cancel each other."""

    def check(self, result: Matrix, *operands: Matrix) -> None:  # noqa: B027
        """Raises Unworkable where the result, as rounded, can't be gone on with."""

    def remark(self, *operands: Matrix) -> str | None:  # noqa: ARG002
        """What has to be said of how it was done on these figures, if anything."""
        return None

    def make(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:
        """The result, rounded as `rounding` says for `step`.

        Raises Unworkable for figures that can't be worked with, ValueError for shapes.
        """
        with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
            values = self.values(*operands)
        refuse_infinite(values)
        result = self._rounded(values, rounding, rounding.of(step), *operands)
        self.check(result, *operands)
        return result

    def _rounded(
        self, values: Array, rounding: Rounding, decimals: int, *operands: Matrix
    ) -> Matrix:
        places = self.places(*operands)
        if not rounding.carries:
            values += 0.0  # no minus zero
            known = self._cleansed(values, places, *operands)
            return Matrix(values, known, decimals, noise=self._bound(*operands))

        def settle(i: int, j: int) -> Decimal:
            return evaluation.full(self.cell(i, j, *operands)[0])

        carry(values, self.error(*operands), places, decimals, settle)
        return Matrix(values, decimals if places is None else min(places, decimals), decimals)


class ZeroOne(Operation):
    """A table of ones and zeros, whatever the rounding: which figures are seen, or kept."""

    layout = "rows"
    copies = True

    def make(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        result = Matrix(self.values(*operands), 0, 0)
        self.check(result, *operands)
        return result


def cells_of_row(operation: Operation, i: int, width: int, *operands: Matrix) -> Vector:
    """The working of a row as a vector of that of its cells: `[1 − 2, 3 − 2]`."""
    return Vector(tuple(operation.cell(i, j, *operands)[0] for j in range(width)))


def sum_of(terms: Sequence[Expression]) -> Expression:
    """Terms added up; a single one is itself, and none at all are 0."""
    if len(terms) > 1:
        return Sum(tuple(terms))
    return terms[0] if terms else constant(0)


LONGEST_PRODUCT = 10
"""Decimals past which the products of a sum are left out of its working."""


def are_long(numbers: Iterable[Number]) -> bool:
    """Whether figures that a line comes to on its way are too long to be told."""
    return any(decimals.places(number.shown) > LONGEST_PRODUCT for number in numbers)


def product_of(a: Number, b: Number) -> Number:
    """What two figures come to on the way of a line, in full."""
    return Number.inner(decimals.product(a.shown, b.shown))


def with_products(
    products: Sequence[Expression], worked: Sequence[Number]
) -> tuple[Expression, ...]:
    """A sum of products, then of what these come to; the second is left out where its figures
    would be long."""
    if are_long(worked):
        return (sum_of(products),)
    return sum_of(products), sum_of(worked)


def reciprocal_places(number: Decimal) -> int | None:
    """The decimals of 1 / number, where that comes to an end."""
    context = Context(prec=decimals.SIGNIFICANT, traps=[Inexact])
    try:
        return decimals.places(context.divide(Decimal(1), number))
    except Inexact:
        return None


def added_places(*operands: Matrix) -> int | None:
    """The decimals of a product: those of its factors together."""
    known = [operand.places for operand in operands if operand.places is not None]
    return sum(known) if len(known) == len(operands) else None


def most_places(*operands: Matrix) -> int | None:
    """The decimals of a sum: the most that a term has."""
    return most_of([operand.places for operand in operands])


def most_of(places: Sequence[int | None]) -> int | None:
    """The most decimals of some terms; None where those of one aren't known."""
    known = [one for one in places if one is not None]
    return max(known) if len(known) == len(places) else None
