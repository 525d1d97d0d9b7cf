"""Products of matrices of whole numbers, exact however long: in runs of bits that floats multiply.

Ozaki et al. 2012 (Error-free transformations of matrix multiplication) cut floats likewise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attncli.arithmetic.rounding import Array

Whole = NDArray[Any]
"""An array of whole numbers of Python's, of any length."""

_HELD = 53
"""Bits of a whole number that a float64 holds."""


def whole_product(x: Array, W: Array) -> Whole:
    """x W for whole numbers below 2^53. [n, k], [k, m] -> [n, m]"""
    bits = (_HELD - (4 * x.shape[1]).bit_length()) // 2  # so that sums of four products are held
    left, right = _runs(x, bits), _runs(W, bits)
    total: Whole = np.zeros((x.shape[0], W.shape[1]), dtype=object)
    for level in range(len(left) + len(right) - 1):
        pairs = [(a, level - a) for a in range(len(left)) if 0 <= level - a < len(right)]
        part = sum(left[a] @ right[b] for a, b in pairs)
        total += np.asarray(part).astype(np.int64).astype(object) << (bits * level)
    return total


def _runs(x: Array, bits: int) -> list[Array]:
    """The numbers in runs of bits, from the lowest on; the last has the sign."""
    whole, runs = x.astype(np.int64), []
    while not (np.abs(whole) < (1 << bits)).all():
        runs.append((whole & ((1 << bits) - 1)).astype(np.float64))
        whole >>= bits
    return [*runs, whole.astype(np.float64)]


def rounded(whole: Whole, places: int) -> Array:
    """Whole numbers without the last of their digits, rounded half away from zero."""
    unit = 10**places
    sizes = (2 * np.abs(whole) + unit) // (2 * unit)
    return np.asarray(np.where(whole < 0, -sizes, sizes).astype(np.float64))
