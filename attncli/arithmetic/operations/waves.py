"""Sines and cosines of the angles pos / base^(2k/d), which both kinds of positions go by."""

from __future__ import annotations

import math
from abc import abstractmethod
from decimal import Context, Decimal, Inexact
from typing import Literal

import numpy as np

from attncli.arithmetic import evaluation
from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.expression import (
    Apply,
    Expression,
    Number,
    Power,
    Quotient,
    Symbol,
    constant,
)
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Operation, Working, cells_of_row
from attncli.arithmetic.rounding import Array, Error

_SHORT = 10
"""Significant digits up to which a number on the way to an angle is worked out."""

Function = Literal["sin", "cos"]


def even(columns: int) -> int:
    """The number of columns. Raises ValueError where they don't go in pairs."""
    if columns % 2:
        raise ValueError(f"{columns} columns don't go in pairs")
    return columns


class Waves(Operation):
    """A table of sines and cosines of the angles pos / base^(2k/d) of pairs k of d columns, the
    first row at the position `start`."""

    base: Number
    start: int

    @abstractmethod
    def of_angles(self, angles: Array) -> Array:
        """The table, of the angles [n, d/2]."""

    @abstractmethod
    def wave(self, j: int) -> tuple[Function, int]:
        """What is in a column: the function, and the pair whose angle it is of."""

    @abstractmethod
    def extents(self, *operands: Matrix) -> tuple[int, int]:
        """How many positions there are, and d. Raises ValueError where d columns don't go in
        pairs."""

    def values(self, *operands: Matrix) -> Array:
        n, d = self.extents(*operands)
        positions = np.arange(self.start, self.start + n, dtype=np.float64)[:, np.newaxis]
        return self.of_angles(positions / float(self.base.full) ** (np.arange(0, d, 2) / d))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        """sin(1 / 10000^(2/4)), then sin(1 / 100) and sin(0.01) where these are short and exact."""
        return self.of_wave(i, *self.wave(j), *operands)

    def of_wave(self, i: int, function: Function, k: int, *operands: Matrix) -> Working:
        """The working of a function of the angle of pair k in row i."""
        forms = _angle(self.start + i, k, self.extents(*operands)[1], self.base)
        return tuple(Apply(function, (angle,)) for angle in forms)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        columns = self.of_angles(np.zeros((1, self.extents(*operands)[1] // 2))).shape[1]
        return (cells_of_row(self, i, columns, *operands),)

    def sizes(self, *operands: Matrix) -> Array:  # noqa: ARG002
        """Nothing cancels: each is worked by itself, and 0 only where its angle is."""
        return np.zeros((1, 1))

    def error(self, *operands: Matrix) -> Error:
        # an angle is off by what its exponent is off by, times ln base, and so is its sine at most
        largest_position = max(abs(self.start), abs(self.start + self.extents(*operands)[0]))
        growth = 8 + 2 * abs(math.log(float(self.base.full)))
        return Error((8 + growth * largest_position) * EPSILON)


def angle_formula(base: Number, pair: str, width: Expression) -> Expression:
    return Quotient(Symbol("pos"), Power(base, Quotient(Symbol(f"2{pair}"), width)))


def _angle(position: int, k: int, d: int, base: Number) -> tuple[Expression, ...]:
    if position == 0:
        return (constant(0),)
    whole = Number.written(position)
    angle = Quotient(whole, Power(base, Quotient(constant(2 * k), constant(d))))
    power = _exact_power(base.full, 2 * k, d)
    if power is None:
        return (angle,)
    forms: list[Expression] = [angle]
    if power != 1:
        forms.append(Quotient(whole, Number.inner(power)))
    try:
        exact = Context(prec=_SHORT, traps=[Inexact]).divide(Decimal(position), power)
    except Inexact:
        return tuple(forms)
    return (*forms, Number.inner(exact))


def _exact_power(base: Decimal, numerator: int, denominator: int) -> Decimal | None:
    """base^(numerator/denominator), where that has few digits."""
    common = math.gcd(numerator, denominator)
    p, q = numerator // common, denominator // common
    exponent = Quotient(constant(p), constant(q))
    power = evaluation.full(Power(Number.written(base), exponent))
    short = Context(prec=_SHORT).normalize(power)
    if Context(prec=2 * _SHORT).plus(power) != short:
        return None
    (above, below), (a, b) = short.as_integer_ratio(), base.as_integer_ratio()
    return short if above**q * b**p == a**p * below**q else None
