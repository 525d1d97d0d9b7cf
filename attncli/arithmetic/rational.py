"""The value of an expression as a fraction, where it is one: what settles a rounding for good.

1.4 / 7.2 × 1.8 is 0.35, which no number of decimals of 1.4 / 7.2 shows.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from math import isqrt
from operator import mul
from typing import Any

from attncli.arithmetic import expression as ex

ValueOf = Callable[[ex.Number], Decimal]

_LONGEST_POWER = 64
"""Exponents that people write; a fraction to the power of more would be too long to look at."""


class Irrational(ArithmeticError):  # noqa: N818  (a property of the number, not a fault)
    """An expression whose value no fraction is, or is not known to be."""


def value(expression: ex.Expression, value_of: ValueOf) -> Fraction:
    """The value, `value_of` telling that of each number. Raises Irrational for what isn't one, and
    ZeroDivisionError."""
    if type(expression) is ex.Number:
        number = value_of(expression)
        if not number.is_finite():
            raise Irrational
        return Fraction(number)
    evaluate = _EVALUATE.get(type(expression))
    if evaluate is None:
        raise Irrational
    return evaluate(expression, value_of)


def _all(nodes: tuple[ex.Expression, ...], value_of: ValueOf) -> list[Fraction]:
    return [value(node, value_of) for node in nodes]


def _dot(node: ex.Dot, value_of: ValueOf) -> Fraction:
    if not isinstance(node.left, ex.Vector) or not isinstance(node.right, ex.Vector):
        raise Irrational
    pairs = zip(_all(node.left.entries, value_of), _all(node.right.entries, value_of), strict=True)
    return sum((a * b for a, b in pairs), start=Fraction(0))


def _power(node: ex.Power, value_of: ValueOf) -> Fraction:
    exponent = value(node.exponent, value_of)
    if not exponent:
        return Fraction(1)
    if exponent.denominator != 1 or abs(exponent) > _LONGEST_POWER:
        raise Irrational
    return value(node.base, value_of) ** int(exponent)


def _root(node: ex.Root, value_of: ValueOf) -> Fraction:
    square = value(node.operand, value_of)
    if square < 0:
        raise Irrational
    top, bottom = isqrt(square.numerator), isqrt(square.denominator)
    if top**2 != square.numerator or bottom**2 != square.denominator:
        raise Irrational
    return Fraction(top, bottom)


def _apply(node: ex.Apply, value_of: ValueOf) -> Fraction:
    arguments = _all(node.arguments, value_of)
    if node.function in _CHOICES:
        return _CHOICES[node.function](arguments)
    known = _KNOWN.get((node.function, *arguments))
    if known is None:
        raise Irrational
    return Fraction(known)


_CHOICES: dict[str, Callable[[list[Fraction]], Fraction]] = {"max": max, "min": min}

_KNOWN: dict[tuple[object, ...], int] = {
    ("tanh", 0): 0,
    ("erf", 0): 0,
    ("sin", 0): 0,
    ("cos", 0): 1,
    ("ln", 1): 0,
}
"""Of any other fraction these functions give none (Lindemann and Weierstrass; Siegel for erf)."""

_EVALUATE: dict[type, Callable[[Any, ValueOf], Fraction]] = {
    ex.Sum: lambda node, value_of: sum(_all(node.terms, value_of), start=Fraction(0)),
    ex.Omitted: lambda node, value_of: value(node.total, value_of),
    ex.Product: lambda node, value_of: reduce(mul, _all(node.factors, value_of)),
    ex.Dot: _dot,
    ex.Quotient: lambda node, value_of: (
        value(node.dividend, value_of) / value(node.divisor, value_of)
    ),
    ex.Negative: lambda node, value_of: -value(node.operand, value_of),
    ex.Power: _power,
    ex.Root: _root,
    ex.Apply: _apply,
}
