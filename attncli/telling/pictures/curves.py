"""Series of curves."""

from __future__ import annotations

from attncli.arithmetic.elision import MOST_PARTS
from attncli.pictures import Series
from attncli.trace import Quantity


def series_of(quantity: Quantity) -> tuple[Series, ...]:
    """A series for each column of a quantity, the first ones of many; a list is one."""
    rows, columns = quantity.matrix.shape
    names = quantity.columns.words or (quantity.local,)
    return tuple(
        Series(names[j], tuple(quantity.number(i, j) for i in range(rows)))
        for j in range(min(columns, MOST_PARTS))
    )
