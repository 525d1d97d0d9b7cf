"""Sines and cosines of the angles pos / base^(2k/d), which both kinds of positions go by."""

from __future__ import annotations

import math
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
from attncli.arithmetic.operations.base import Working
from attncli.arithmetic.rounding import Array, Error

_SHORT = 10
"""Significant digits up to which a number on the way to an angle is worked out."""

Function = Literal["sin", "cos"]


def even(columns: int) -> int:
    """The number of columns. Raises ValueError where they don't go in pairs."""
    if columns % 2:
        raise ValueError(f"{columns} columns don't go in pairs")
    return columns


def angles(n: int, d: int, base: Number, start: int) -> Array:
    """pos / base^(2k/d). [n, d/2]"""
    positions = np.arange(start, start + n, dtype=np.float64)[:, np.newaxis]
    return np.asarray(positions / float(base.full) ** (np.arange(0, d, 2) / d))


def sizes_of_waves() -> Array:
    """Nothing cancels: each is worked by itself, and 0 only where its angle is."""
    return np.zeros((1, 1))


def error_of_waves(n: int, base: Number, start: int) -> Error:
    # an angle is off by what its exponent is off by, times ln base, and so is its sine at most
    largest_position = max(abs(start), abs(start + n))
    growth = 8 + 2 * abs(math.log(float(base.full)))
    return Error((8 + growth * largest_position) * EPSILON)


def angle_formula(base: Number, width: Expression) -> Expression:
    return Quotient(Symbol("pos"), Power(base, Quotient(Symbol("2k"), width)))


def wave(function: Function, position: int, k: int, d: int, base: Number) -> Working:
    """sin(1 / 10000^(2/4)), then sin(1 / 100) and sin(0.01) where these are short and exact."""
    return tuple(Apply(function, (angle,)) for angle in _angle(position, k, d, base))


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
