"""Right numbers that were written down in the wrong cells of their table."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.rounding import Array
from attncli.marking.tolerance import taken
from attncli.marking.verdicts import Cause

_TURNED = Cause("row_and_column", "Rows and columns were exchanged.")
_ROW = Cause("another_row", "These are the numbers of another row.")
_COLUMN = Cause("another_column", "These are the numbers of another column.")
_MOST = 12
"""Rows or columns up to which others are looked for."""


def moved_tables(right: Enclosure, numbers: Array) -> Iterator[tuple[Cause, Enclosure]]:
    """What is right if a table was turned over, or a row or a column is another one's."""
    n, m = numbers.shape
    if n == m:
        yield _TURNED, _turned(right)
    if m > 1:
        yield from ((_ROW, held) for held in _another_row(right, numbers))
    if n > 1:
        found = _another_row(_turned(right), numbers.T)
        yield from ((_COLUMN, _turned(held)) for held in found)


def _turned(one: Enclosure) -> Enclosure:
    return Enclosure(one.low.T, one.high.T)


def _another_row(right: Enclosure, numbers: Array) -> Iterator[Enclosure]:
    """The table with another row in the place of one, where all of its numbers agree."""
    given = ~np.isnan(numbers)
    for i, k in permutations(range(len(numbers)), 2) if len(numbers) <= _MOST else ():
        row = Enclosure(*(end[k] for end in right))
        if given[i].sum() > 1 and (taken(row, numbers[i]) | ~given[i]).all():
            low, high = (end.copy() for end in right)
            low[i], high[i] = row
            yield Enclosure(low, high)
