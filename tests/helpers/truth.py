"""What an expression truly comes to, by mpmath, and what that rounds to: no code of the package."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from attncli.maths.equations import tree as ex
from attncli.maths.numbers.rounding import Error

_DIGITS = 200
_SURE = 150

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "max": max,
    "min": min,
    "ln": mpmath.log,
    "step": lambda x: mpmath.mpf(int(x > 0)),
    **{name: getattr(mpmath, name) for name in ("tanh", "erf", "sin", "cos")},
}


def rounded(expression: ex.Expression, places: int, digits: str = "full") -> Fraction:
    """The value to so many decimals, half away from zero, from the numbers in `full` or as
    `shown`."""
    return half_away(truth(expression, digits), places)


def truth(expression: ex.Expression, digits: str = "full") -> Fraction:
    """The value, to far more digits than two different ones share."""
    with mpmath.workdps(_DIGITS):
        return Fraction(mpmath.nstr(_value(expression, digits), _SURE))


def half_away(value: Fraction, places: int) -> Fraction:
    count = int(abs(value) * 10**places + Fraction(1, 2))
    return Fraction(count if value >= 0 else -count, 10**places)


def _value(node: ex.Expression, digits: str) -> Any:
    if isinstance(node, ex.Number):
        return mpmath.mpf(str(getattr(node, digits)).replace("Infinity", "inf"))
    return _VALUES[type(node)](node, lambda part: _value(part, digits))


_VALUES: dict[type, Callable[[Any, Callable[[ex.Expression], Any]], Any]] = {
    ex.Symbol: lambda node, _: {"e": mpmath.e, "π": mpmath.pi}[node.name],
    ex.Sum: lambda node, of: mpmath.fsum(map(of, node.terms)),
    ex.Product: lambda node, of: reduce(mul, map(of, node.factors)),
    ex.Dot: lambda node, of: mpmath.fdot(map(of, node.left[0]), map(of, node.right[0])),
    ex.Quotient: lambda node, of: of(node.dividend) / of(node.divisor),
    ex.Negative: lambda node, of: -of(node.operand),
    ex.Power: lambda node, of: mpmath.power(of(node.base), of(node.exponent)),
    ex.Root: lambda node, of: mpmath.sqrt(of(node.operand)),
    ex.Apply: lambda node, of: _FUNCTIONS[node.function](*map(of, node.arguments)),
}


def off(bound: Error, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far each of some values may be off."""
    return np.broadcast_to(bound.off(np.abs(values)), values.shape)
