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
_AT_A_TIME = 2**13
"""Numbers that are multiplied at a time, so that they stay in a processor's nearest cache."""


def whole(number: int, kind: type) -> Whole:
    """A number as an array of a kind, which may hold only its last bits."""
    if kind is not object:
        number = (number + 2 ** (_BITS - 1)) % 2**_BITS - 2 ** (_BITS - 1)
    return np.array(number, dtype=kind)


def whole_product(x: Whole, W: Whole, kind: type, sizes: tuple[float, float]) -> Whole:
    """x W for whole numbers of the machine's below 2^53, as a kind of whole numbers; none is larger
    than `sizes`. [n, k], [k, m] -> [n, m]"""
    # the sums of a level's products, of up to four runs each, are held: 4 k 2^(2 bits - 2) ≤ 2^53
    bits = (_HELD + 2 - (4 * x.shape[1]).bit_length()) // 2
    left, right = _runs(x, sizes[0], bits), _runs(W, sizes[1], bits)
    levels = len(left) + len(right) - 1
    if kind is not object:
        levels = min(levels, -(-_BITS // bits))
    parts = (_level(left, right, level) for level in reversed(range(levels)))
    total: Whole = next(parts).astype(kind, copy=False)
    for part in parts:
        total <<= bits
        total += part
    return total


def _level(left: list[Array], right: list[Array], level: int) -> Whole:
    """The sum of the products of runs that make up one run of the product."""
    pairs = [(a, level - a) for a in range(len(left)) if 0 <= level - a < len(right)]
    return reduce(np.add, [left[a] @ right[b] for a, b in pairs]).astype(np.int64)


def _runs(x: Whole, size: float, bits: int) -> list[Array]:
    """The numbers in runs of bits with signs, from the lowest on; none is above 2^bits / 2."""
    rest, runs, run = x.astype(np.float64), [], 2.0**bits
    while size > run / 2:
        higher = rest / run
        np.rint(higher, out=higher)
        size = size / run + 0.5
        runs.append(rest - higher * run)
        rest = higher
    return [*runs, rest]


def products_at(x: Whole, W: Whole, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Whole:
    """Some cells of x Wᵀ, of the machine's whole numbers modulo 2^64. [n, k], [m, k] -> [c]"""
    x, W = np.ascontiguousarray(x), np.ascontiguousarray(W)
    made = np.empty(rows.size, dtype=np.int64)
    count = max(1, _AT_A_TIME // x.shape[1])
    for start in range(0, rows.size, count):
        some = slice(start, start + count)
        taken = x.take(rows[some], axis=0), W.take(columns[some], axis=0)
        np.einsum("ck,ck->c", *taken, out=made[some])
    return made
