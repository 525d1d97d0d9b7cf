"""The least and the greatest of some numbers, and the smallest size of one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from struct import Struct
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEW = 64
"""Numbers that plain Python has gone through before NumPy begins."""
CACHED = 2**16
"""Numbers that a processor's cache holds, several times over."""
_SIGN = 2**63
"""The bit that is the sign of a float64."""
_INFINITE = 0x7FF << 52
"""The bits of ∞."""
_BITS, _FLOAT = Struct("=Q"), Struct("=d")

_minimum, _maximum = np.minimum.reduce, np.maximum.reduce
"""What the methods of arrays call in the end."""


def least_and_greatest(values: NDArray[np.float64]) -> tuple[float, float]:
    """The least and the greatest number; nan where one is nan."""
    if values.size <= _FEW:
        numbers = values.ravel().tolist()
        if not math.isnan(sum(numbers)):  # which one nan makes of all of them
            return min(numbers), max(numbers)
    return float(_minimum(values, None)), float(_maximum(values, None))


def extremes(values: NDArray[np.float64]) -> tuple[float, float, float]:
    """The least and the greatest number [n, m], and the smallest size of one; nan where one is
    nan. One look at some rows after the other costs less than three at all of them."""
    lows, highs, sizes = zip(*map(extremes_of_few, _blocks(values)), strict=True)
    return float(np.min(lows)), float(np.max(highs)), min(sizes)


def extremes_of_few(values: NDArray[np.float64]) -> tuple[float, float, float]:
    """The same of numbers that a cache holds."""
    low, high = least_and_greatest(values)
    return low, high, _smallest(values) if low <= 0 <= high else min(abs(low), abs(high))


def smallest(values: NDArray[np.float64]) -> float:
    """The smallest size of a value [n, m]."""
    return min(map(_smallest, _blocks(values)))


def _smallest(values: NDArray[np.float64]) -> float:
    return _float_of(min(_sizes(values.view(np.uint64))))


def smallest_but_zeros(values: NDArray[np.float64]) -> float:
    """The smallest size of a value [n, m] that isn't 0, where no 0 has a sign; infinite if there is
    none."""
    sizes = (size for some in _blocks(values) for size in _sizes_but_zeros(some))
    return _float_of(min(sizes, default=_INFINITE))


def _blocks(values: NDArray[np.float64]) -> Iterable[NDArray[np.float64]]:
    """Some rows at a time, as many as a cache holds."""
    if values.size <= CACHED:  # as for most
        return (values,)
    count = max(1, CACHED // values.shape[1])
    return (values[start : start + count] for start in range(0, len(values), count))


def _float_of(bits: int) -> float:
    return float(*_FLOAT.unpack(_BITS.pack(bits)))


def _sizes(bits: NDArray[np.uint64]) -> tuple[int, int]:
    """The bits of the smallest size of some numbers, and of a size that is no smaller. Floats of
    one sign are ordered as their bits are: read as whole numbers, the least has the least size of
    those below 0, or without a sign above 0."""
    signed = bits.view(np.int64)
    return int(_minimum(signed, None)) % _SIGN, int(_minimum(bits, None)) % _SIGN


def _sizes_but_zeros(values: NDArray[np.float64]) -> Iterable[int]:
    """The same of those that aren't 0."""
    bits = values.view(np.uint64)
    sizes = _sizes(bits)
    if not all(sizes):
        above = int((bits - np.uint64(1)).min()) + 1  # 0 − 1 is the largest of all
        sizes = (sizes[0], above % _SIGN)
    return filter(None, sizes)
