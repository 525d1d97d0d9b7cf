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


def least_and_greatest(values: NDArray[np.float64]) -> tuple[float, float]:
    """The least and the greatest number; nan where one is nan."""
    if values.size <= _FEW:
        numbers = values.ravel().tolist()
        if not math.isnan(sum(numbers)):  # which one nan makes of all of them
            return min(numbers), max(numbers)
    return float(values.min()), float(values.max())


def smallest(values: NDArray[np.float64], *, but_zeros: bool = False) -> float:
    """The smallest size of a value [n, m]; `but_zeros` of one that isn't 0, where no 0 has a sign,
    and infinite if there is none."""
    least, count = _INFINITE, max(1, CACHED // values.shape[1])
    for start in range(0, len(values), count):
        bits = values[start : start + count].view(np.uint64)
        for size in _sizes_but_zeros(bits) if but_zeros else _sizes(bits):
            least = min(least, size)
    (smallest_size,) = _FLOAT.unpack(_BITS.pack(least))
    return float(smallest_size)


def _sizes(bits: NDArray[np.uint64]) -> tuple[int, int]:
    """The bits of the smallest size of some numbers, and of a size that is no smaller. Floats of
    one sign are ordered as their bits are: read as whole numbers, the least has the least size of
    those below 0, or without a sign above 0."""
    return int(bits.view(np.int64).min()) % _SIGN, int(bits.min()) % _SIGN


def _sizes_but_zeros(bits: NDArray[np.uint64]) -> Iterable[int]:
    """The same of those that aren't 0."""
    sizes = _sizes(bits)
    if not all(sizes):
        above = int((bits - np.uint64(1)).min()) + 1  # 0 − 1 is the largest of all
        sizes = (sizes[0], above % _SIGN)
    return filter(None, sizes)
