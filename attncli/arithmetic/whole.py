"""Arrays of whole numbers and of fractions of them, exact however long.

Matrices are multiplied in runs of bits that floats multiply; Ozaki et al. 2012 (Error-free
transformations of matrix multiplication) cut floats likewise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attncli.arithmetic.rounding import Array
from attncli.records import NamedTuple

Whole = NDArray[Any]
"""An array of whole numbers of Python's, of any length."""

_HELD = 53
"""Bits of a whole number that a float64 holds."""
_MACHINE = 2**61
"""Whole numbers below this can be doubled and added in the machine's 64 bits."""


def whole_product(x: Whole, W: Whole) -> Whole:
    """x W for whole numbers below 2^53. [n, k], [k, m] -> [n, m]"""
    bits = (_HELD - (4 * x.shape[1]).bit_length()) // 2  # so that sums of four products are held
    left, right = _runs(x, bits), _runs(W, bits)
    total: Whole = np.zeros((x.shape[0], W.shape[1]), dtype=object)
    for level in range(len(left) + len(right) - 1):
        pairs = [(a, level - a) for a in range(len(left)) if 0 <= level - a < len(right)]
        part = sum(left[a] @ right[b] for a, b in pairs)
        total += np.asarray(part).astype(np.int64).astype(object) << (bits * level)
    return total


def _runs(x: Whole, bits: int) -> list[Array]:
    """The numbers in runs of bits, from the lowest on; the last has the sign."""
    whole, runs = x, []
    while not (np.abs(whole) < (1 << bits)).all():
        runs.append((whole & ((1 << bits) - 1)).astype(np.float64))
        whole = whole >> bits
    return [*runs, whole.astype(np.float64)]


class Fractions(NamedTuple):
    """Whole numbers over others, above 0, [n, m] or what stretches to it."""

    over: Whole
    under: Whole

    def rounded(self, decimals: int) -> Array:
        """To so many decimals, half away from zero."""
        over, under = fitting(2 * 10**decimals, self.over, self.under)
        sizes = (np.abs(over) * (2 * 10**decimals) + under) // (2 * under)
        signed = np.where(self.over < 0, -sizes, sizes).astype(np.float64)
        return np.asarray(signed / 10.0**decimals + 0.0)  # no minus zero


def fitting(factor: int, *arrays: Whole) -> tuple[Whole, ...]:
    """Arrays that can be multiplied by a factor, and added to each other then: of whole numbers
    of the machine's where these hold the results, else of Python's."""
    fits = max(map(largest_size, arrays)) * factor < _MACHINE
    return tuple(array.astype(np.int64 if fits else object) for array in arrays)


def largest_size(array: Whole) -> int:
    """A whole number of Python's: floats can't hold all that are worked with."""
    return int(np.asarray(np.abs(array)).max(initial=0))
