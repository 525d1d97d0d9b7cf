"""Arrays of whole numbers, exact: of Python's, however long, or of the machine's modulo 2^64.

Matrices are multiplied in runs of bits that floats multiply; Ozaki et al. 2012 (Error-free
transformations of matrix multiplication) cut floats likewise.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from attncli.arithmetic.rounding import Array

if TYPE_CHECKING:
    from numpy.typing import NDArray

Whole: TypeAlias = "NDArray[Any]"
"""An array of whole numbers: Python's (object) or the machine's (int64)."""

_HELD = 53
"""Bits of a whole number that a float64 holds."""
_BITS = 64
"""Bits of a whole number of the machine's."""


def whole(number: int, kind: type) -> Whole:
    """A number as an array of a kind, which may hold only its last bits."""
    if kind is not object:
        number = (number + 2 ** (_BITS - 1)) % 2**_BITS - 2 ** (_BITS - 1)
    return np.array(number, dtype=kind)


def whole_product(x: Whole, W: Whole, kind: type) -> Whole:
    """x W for whole numbers below 2^53, as a kind of whole numbers. [n, k], [k, m] -> [n, m]"""
    bits = (_HELD - (4 * x.shape[1]).bit_length()) // 2  # so that sums of four products are held
    left, right = _runs(x, bits), _runs(W, bits)
    total: Whole = np.zeros((x.shape[0], W.shape[1]), dtype=kind)
    for level in range(len(left) + len(right) - 1):
        if kind is not object and bits * level >= _BITS:
            break
        pairs = [(a, level - a) for a in range(len(left)) if 0 <= level - a < len(right)]
        part = reduce(np.add, (left[a] @ right[b] for a, b in pairs))
        total += part.astype(np.int64).astype(kind, copy=False) << (bits * level)
    return total


def _runs(x: Whole, bits: int) -> list[Array]:
    """The numbers in runs of bits, from the lowest on; the last has the sign."""
    rest, runs = x, []
    length = int(np.abs(x).max(initial=0)).bit_length()
    for _ in range(bits, length, bits):
        runs.append((rest & ((1 << bits) - 1)).astype(np.float64))
        rest = rest >> bits
    return [*runs, rest.astype(np.float64)]
