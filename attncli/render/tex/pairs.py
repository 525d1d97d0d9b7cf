"""A long list of numbers to be filled in, as a low and wide table."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from attncli.render.tex.cells import TexCell, TexColumn

_MOST_PAIRS = 6
"""Twice `\\tabcolsep`, in ems."""


def in_pairs(names: TexColumn, numbers: TexColumn, room: float) -> list[TexColumn]:
    """A list as several pairs of columns, names and numbers, in as few rows as the room allows."""
    count = len(names.cells)
    for height in range(ceil(count / _MOST_PAIRS), count):
        pairs = [_pair(names, numbers, start, height) for start in range(0, count, height)]
        columns = [column for pair in pairs for column in pair]
        if sum(column.width + _GAP for column in columns) <= room:
            return columns
    return [names, numbers]


def _pair(names: TexColumn, numbers: TexColumn, start: int, height: int) -> Iterator[TexColumn]:
    """So many rows of a list, set off from those at their left."""
    for column in (names, numbers):
        cells = column.cells[start : start + height]
        left = (TexCell("", 0),) * (height - len(cells))
        if start == 0:
            yield column._replace(cells=(*cells, *left))
            continue
        cells = tuple(map(_set_off, cells)) if column is names else cells
        yield TexColumn(TexCell("", 0), (*cells, *left), column.numbers)


def _set_off(cell: TexCell) -> TexCell:
    return TexCell(rf"\quad {cell.text}", cell.width + 1)
