"""What makes given matrices weak: whether they are singular, and whether their numbers vary.

Each takes a matrix [n, m] or the same one in many candidates [n, m, b], and gives [1, 1] or
[1, 1, b].
"""

from __future__ import annotations

import numpy as np

from attncli.arithmetic.rounding import Array
from attncli.design.quantity import Flags

_NOISE = 1e-9


def singular(matrix: Array) -> Flags:
    """Whether one of the rows (of the columns, where these are fewer) follows from the others, by
    Gaussian elimination."""
    rows = np.array(matrix if matrix.shape[0] <= matrix.shape[1] else matrix.swapaxes(0, 1))
    broken = np.zeros((1, 1, *matrix.shape[2:]), dtype=np.bool_)
    if len(rows) < 2:  # noqa: PLR2004
        return broken
    least = _NOISE * np.abs(rows).max(axis=(0, 1))
    for k, row in enumerate(rows):
        column = np.abs(row).argmax(axis=0)[np.newaxis]
        pivot = np.take_along_axis(row, column, axis=0)
        lost = np.abs(pivot) <= least
        broken |= lost
        shares = np.take_along_axis(rows[k + 1 :], column[np.newaxis], axis=1)
        rows[k + 1 :] -= shares / np.where(lost, 1.0, pivot) * row
    return broken


def unvaried(matrix: Array) -> Flags:
    """Whether more than half of the numbers are the same one."""
    numbers = np.sort(matrix.reshape(-1, *matrix.shape[2:]), axis=0)
    half = len(numbers) // 2
    if not half:
        return np.zeros((1, 1, *matrix.shape[2:]), dtype=np.bool_)
    return np.asarray((numbers[half:] == numbers[:-half]).any(axis=0)[np.newaxis, np.newaxis])
