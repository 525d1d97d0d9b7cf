"""The numbers of a row from the largest on, of which a page says the first."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import partial

import numpy as np

from attncli.arithmetic.expression import Number
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Array

_FIRST = 64
"""Places that are put in order at first, and how many times as many whenever these don't do."""


def ranked(matrix: Matrix, i: int) -> Iterator[tuple[Number, list[int]]]:
    """The numbers of a row from the largest on, and the places that show each: as few as may be
    are put in order or looked at, since there may be as many as a vocabulary has words."""
    values, at, order = matrix.values[i], 0, list[int]()
    while at < values.size:
        order = _from_largest(values, at + 1, order)
        number = matrix.number(i, order[at])
        differs = partial(_differs, matrix, i, number)
        end = bisect_left(order, True, at, key=differs)
        while end == len(order) < values.size:  # more may show the same
            order = _from_largest(values, end + 1, order)
            end = bisect_left(order, True, end, key=differs)
        yield matrix.number(i, min(order[at:end])), sorted(order[at:end])
        at = end


def _from_largest(values: Array, count: int, known: list[int]) -> list[int]:
    """The places of the largest numbers, so many or more, of equal ones the first before
    the others; `known` are those that were asked for before."""
    if count <= len(known):
        return known
    count = min(values.size, max(count, _FIRST, _FIRST * len(known)))
    among = np.flatnonzero(values >= np.partition(values, -count)[-count])
    order: list[int] = among[np.argsort(-values[among], kind="stable")].tolist()
    return order


def _differs(matrix: Matrix, i: int, number: Number, j: int) -> bool:
    return matrix.shown(i, j) != number.shown
