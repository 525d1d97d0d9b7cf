"""Numbers as floats or as decimals, their functions, and rounding half away from zero."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from tests.oracle.memory import taken

if TYPE_CHECKING:
    import mpmath

Number = float | Decimal
Numbers = NDArray[Any]
"""An array of float64, or of decimals as objects."""

DIGITS = 60
"""What functions are worked to: far more than any half needs to be told from its neighbours."""
LONGEST = 300
"""Digits enough for every sum and product of numbers that people write to come out in full."""

_KEPT = 50
_WIDE = Context(prec=LONGEST, rounding=ROUND_HALF_UP)
_ENDLESS = Context(prec=10 * LONGEST)
_FINE = Context(prec=DIGITS)
_SETTLED = Context(prec=_KEPT)
_SURE = Context(prec=LONGEST - 20)
"""Without the last digits of a quotient, which would decide a half: 1.4 / 7.2 × 1.8 is 0.35."""

_FUNCTIONS: dict[str, tuple[Callable[[float], float], Callable[[Decimal], Decimal]]] = {
    "exp": (math.exp, _FINE.exp),
    "log": (math.log, _FINE.ln),
    "sqrt": (math.sqrt, _FINE.sqrt),
}


class UnknownError(NotImplementedError):
    """Something of a scenario that isn't known here; its text says what."""


def each(function: Callable[[Any], Number], values: Numbers) -> Numbers:
    """A function of each number of an array."""
    made = [function(x) for x in values.flat]
    return np.array(made, dtype=values.dtype).reshape(values.shape)


def where(seen: NDArray[np.bool_], values: Numbers, instead: Number) -> Numbers:
    """The numbers that are seen, and one number in the place of the others."""
    return np.where(seen, values, np.array(instead, dtype=values.dtype))


def zeros(like: Numbers, shape: tuple[int, ...]) -> Numbers:
    """Zeros of the same kind of number."""
    return np.full(shape, Decimal(0) if like.dtype == object else 0.0)


def taken_at_once(values: Numbers) -> Numbers:
    """Numbers as one use has them, that is no other for the same number."""
    return each(taken, values) if values.dtype == object else values


def apply(kind: str, values: Numbers) -> Numbers:
    """exp, log, sqrt or an activation of each number."""
    values = taken_at_once(values)
    if kind in _FUNCTIONS:
        return each(_FUNCTIONS[kind][values.dtype == object], values)
    return each(lambda x: activation(kind, x), values)


@overload
def activation(kind: str, x: Decimal) -> Decimal: ...
@overload
def activation(kind: str, x: float) -> float: ...
def activation(kind: str, x: Number) -> Number:
    """An activation of one number, to fifty digits.

    GELU: Hendrycks and Gimpel, 2016, arXiv:1606.08415; SiLU: Elfwing et al., 2017,
    arXiv:1702.03118.
    """
    if kind == "relu":
        return max(x, x * 0)
    if kind == "leaky_relu":
        return x if x > 0 else x / 100
    import mpmath

    with mpmath.workdps(DIGITS):
        return of_mpmath(_smooth(kind, mpmath.mpf(str(x))), decimal=isinstance(x, Decimal))


def _smooth(kind: str, z: mpmath.mpf) -> mpmath.mpf:
    import mpmath

    made = {
        "gelu": lambda: z * mpmath.ncdf(z),
        "gelu_tanh": lambda: z / 2 * (1 + mpmath.tanh(_wide(z))),
        "tanh": lambda: mpmath.tanh(z),
        "mish": lambda: z * mpmath.tanh(mpmath.log1p(mpmath.exp(z))),
        "elu": lambda: z if z > 0 else mpmath.expm1(z),
        "relu2": lambda: max(z, mpmath.mpf(0)) ** 2,
        "quick_gelu": lambda: z / (1 + mpmath.exp(-mpmath.mpf("1.702") * z)),
        "silu": lambda: z / (1 + mpmath.exp(-z)),
        "sigmoid": lambda: 1 / (1 + mpmath.exp(-z)),
    }
    if kind not in made:
        raise UnknownError(f"the activation {kind}")
    return made[kind]()


def _wide(z: mpmath.mpf) -> mpmath.mpf:
    """√(2/π) (z + 0.044715 z³), as GELU's approximation has it."""
    import mpmath

    return mpmath.sqrt(2 / mpmath.pi) * (z + mpmath.mpf("0.044715") * z**3)


def of_mpmath(value: mpmath.mpf, *, decimal: bool) -> Number:
    """A number of mpmath's as a decimal or a float."""
    import mpmath

    return Decimal(mpmath.nstr(value, _KEPT)) if decimal else float(value)


def round_half_away(value: Decimal, places: int) -> Decimal:
    """Half goes away from zero; what is infinite stays so, and zero has no sign."""
    return rounded(value, places, ROUND_HALF_UP)


def rounded(value: Decimal, places: int, way: str) -> Decimal:
    """The same in one of the ways of `decimal`."""
    if not value.is_finite():
        return value
    value = _SURE.plus(value)
    return _WIDE.plus(value.quantize(Decimal((0, (1,), -places)), way, _WIDE))


def padded(value: Decimal, places: int) -> Decimal:
    """The same number, written with at least so many decimals."""
    if not value.is_finite() or places_written(value) >= places:
        return value
    return value.quantize(Decimal((0, (1,), -places)), context=_ENDLESS)


def settled(value: Decimal) -> Decimal:
    """A number without its last, uncertain digits, which would decide a half that functions come
    to together: the mean of a normalised row, say, is none at all."""
    return _SETTLED.plus(value)


def places_written(value: Decimal) -> int:
    """How many decimals a number is written with."""
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
