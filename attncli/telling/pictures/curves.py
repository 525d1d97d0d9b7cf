"""Series of curves."""

from __future__ import annotations

from attncli.arithmetic.elision import MOST_PARTS
from attncli.pictures import Series
from attncli.telling.pictures.places import cut
from attncli.trace import Quantity

MOST_POINTS = 64
"""So many rows of a quantity are drawn, the first ones."""


def cut_of(quantity: Quantity, rows: str, columns: str = "dimensions") -> str:
    """What isn't drawn of a quantity, for a title."""
    height, width = quantity.matrix.shape
    return cut(MOST_POINTS, height, rows) + cut(MOST_PARTS, width, columns)


def series_of(quantity: Quantity) -> tuple[Series, ...]:
    """A series for each column of a quantity, the first ones of many; a list is one."""
    rows, columns = min(quantity.matrix.shape[0], MOST_POINTS), quantity.matrix.shape[1]
    names = quantity.columns.words or (quantity.local,)
    return tuple(
        Series(names[j], tuple(quantity.number(i, j) for i in range(rows)))
        for j in range(min(columns, MOST_PARTS))
    )
