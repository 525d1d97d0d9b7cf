"""erf and erfc of whole arrays, which NumPy doesn't have: erf within 1 unit of the
last place, erfc within 3; of longer floats `long_error_function` gives them.

The rational approximations, and where each holds, are those of fdlibm's s_erf.c (Sun Microsystems
1993), which C libraries have for one number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import erf as erf_of_one
from math import erfc as erfc_of_one
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from attncli.arithmetic.rounding import Array

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[Any]"
"""Floats of 64 bits, or longer ones, as those of the result are then."""

_FEW = 2**11
"""Numbers that are quicker one at a time."""
_BLOCK = 2**15
"""Numbers that are worked at a time, so that what is needed meanwhile stays in the cache."""

_SMALL, _MIDDLE, _LARGE = 0.84375, 1.25, 1 / 0.35
"""The sizes at which one approximation ends and another begins."""
_VANISHED = 28.0
"""erfc of this and beyond is less than the smallest float64."""

_P_SMALL = (
    1.28379167095512558561e-01,
    -3.25042107247001499370e-01,
    -2.84817495755985104766e-02,
    -5.77027029648944159157e-03,
    -2.37630166566501626084e-05,
)
_Q_SMALL = (
    1.0,
    3.97917223959155352819e-01,
    6.50222499887672944485e-02,
    5.08130628187576562776e-03,
    1.32494738004321644526e-04,
    -3.96022827877536812320e-06,
)
_AT_ONE = 8.45062911510467529297e-01
"""About erf 1, with few bits."""
_P_MIDDLE = (
    -2.36211856075265944077e-03,
    4.14856118683748331666e-01,
    -3.72207876035701323847e-01,
    3.18346619901161753674e-01,
    -1.10894694282396677476e-01,
    3.54783043256182359371e-02,
    -2.16637559486879084300e-03,
)
_Q_MIDDLE = (
    1.0,
    1.06420880400844228286e-01,
    5.40397917702171048937e-01,
    7.18286544141962662868e-02,
    1.26171219808761642112e-01,
    1.36370839120290507362e-02,
    1.19844998467991074170e-02,
)
_P_LARGE = (
    -9.86494403484714822705e-03,
    -6.93858572707181764372e-01,
    -1.05586262253232909814e01,
    -6.23753324503260060396e01,
    -1.62396669462573470355e02,
    -1.84605092906711035994e02,
    -8.12874355063065934246e01,
    -9.81432934416914548592e00,
)
_Q_LARGE = (
    1.0,
    1.96512716674392571292e01,
    1.37657754143519042600e02,
    4.34565877475229228821e02,
    6.45387271733267880336e02,
    4.29008140027567833386e02,
    1.08635005541779435134e02,
    6.57024977031928170135e00,
    -6.04244152148580987438e-02,
)
_P_LARGEST = (
    -9.86494292470009928597e-03,
    -7.99283237680523006574e-01,
    -1.77579549177547519889e01,
    -1.60636384855821916062e02,
    -6.37566443368389627722e02,
    -1.02509513161107724954e03,
    -4.83519191608651397019e02,
)
_Q_LARGEST = (
    1.0,
    3.03380607434824582924e01,
    3.25792512996573918826e02,
    1.53672958608443695994e03,
    3.19985821950859553908e03,
    2.55305040643316442583e03,
    4.74528541206955367215e02,
    -2.24409524465858183362e01,
)
_SHIFT = 0.5625
"""Goes with the last two: x e^(x² + _SHIFT) erfc x is e^(P / Q)."""


def erf(x: Floats, out: Floats | None = None) -> Floats:
    """2/√π ∫₀ˣ e^(−t²) dt of each number; `out` is an offer, which may be x itself."""
    if x.dtype == np.longdouble:
        from attncli.arithmetic import long_error_function  # which few traces need

        return long_error_function.erf(x)
    return _in_blocks(x, out, erf_of_one, _erf)


def erfc(x: Floats, out: Floats | None = None) -> Floats:
    """1 − erf x of each number, which loses no digits where erf x is nearly 1."""
    if x.dtype == np.longdouble:
        from attncli.arithmetic import long_error_function  # which few traces need

        return long_error_function.erfc(x)
    return _in_blocks(x, out, erfc_of_one, _erfc)


def _in_blocks(
    x: Array,
    out: Array | None,
    of_one: Callable[[float], float],
    of_many: Callable[[Array], Array],
) -> Array:
    numbers = np.ravel(x)
    if numbers.size <= _FEW:
        result = np.array([*map(of_one, numbers.tolist())], dtype=np.float64)
        return result.reshape(np.shape(x))
    in_place = out is x and x.flags.c_contiguous  # in which a block is read before it is written
    result = numbers if in_place else np.empty(numbers.shape)
    for start in range(0, numbers.size, _BLOCK):
        result[start : start + _BLOCK] = of_many(numbers[start : start + _BLOCK])
    return result.reshape(np.shape(x))


def _erf(x: Array) -> Array:
    """[n] -> [n]"""
    size = np.abs(x)
    result, some = np.empty_like(x), x[at := np.flatnonzero(size < _SMALL)]
    result[at] = some + some * _near_zero(some)
    at = np.flatnonzero((size >= _SMALL) & (size < _MIDDLE))
    result[at] = np.copysign(_AT_ONE + _near_one(size[at]), x[at])
    at = np.flatnonzero(~(size < _MIDDLE))
    result[at] = np.copysign(1 - _tail(size[at]), x[at])
    return result


def _erfc(x: Array) -> Array:
    """[n] -> [n]"""
    size = np.abs(x)
    result, some = np.empty_like(x), x[at := np.flatnonzero(size < _SMALL)]
    result[at] = 0.5 - (some * _near_zero(some) + (some - 0.5))  # x − 0.5 loses no digits of x > ¼
    at = np.flatnonzero((size >= _SMALL) & (size < _MIDDLE))
    sign = np.copysign(1.0, x[at])
    result[at] = (1 - sign * _AT_ONE) - sign * _near_one(size[at])
    at = np.flatnonzero(~(size < _MIDDLE))
    tail = _tail(size[at])
    result[at] = np.where(x[at] < 0, 2 - tail, tail)
    return result


def _near_zero(x: Array) -> Array:
    """erf x / x − 1"""
    return _rational(x * x, _P_SMALL, _Q_SMALL)


def _near_one(size: Array) -> Array:
    """erf x − _AT_ONE"""
    return _rational(size - 1, _P_MIDDLE, _Q_MIDDLE)


def _tail(size: Array) -> Array:
    """erfc x of x ≥ 1.25, nan of nan."""
    size = np.minimum(size, _VANISHED)
    inverse = 1 / (size * size)
    exponent = np.where(
        size < _LARGE,
        _rational(inverse, _P_LARGE, _Q_LARGE),
        _rational(inverse, _P_LARGEST, _Q_LARGEST),
    )
    short = size.astype(np.float32).astype(np.float64)  # whose square float64 holds
    exponent += (short - size) * (short + size)
    return np.asarray(np.exp(-short * short - _SHIFT) * np.exp(exponent) / size)


def _rational(x: Array, above: Sequence[float], below: Sequence[float]) -> Array:
    """The quotient of two polynomials, by their coefficients from the constant on."""
    quotient = _polynomial(x, above)
    quotient /= _polynomial(x, below)
    return quotient


def _polynomial(x: Array, coefficients: Sequence[float]) -> Array:
    """By Horner's rule."""
    *rest, last = coefficients
    total = x * last
    for coefficient in rest[:0:-1]:
        total += coefficient
        total *= x
    total += rest[0]
    return total
