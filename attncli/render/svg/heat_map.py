"""Numbers as a heat map: each cell the darker the larger it is, its number in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from math import sqrt
from typing import NamedTuple

from attncli.arithmetic.expression import Number
from attncli.render.colours import LIGHT, shade_of
from attncli.render.grid import Entry, entry_text, grid_of, label_of
from attncli.render.svg.elements import (
    Asked,
    Picture,
    element,
    number_at,
    silent,
    text_at,
    text_of,
    widest,
)
from attncli.render.svg.in_words import within_limits
from attncli.tables import MatrixBlock

_HEIGHT, _PAD, _GAP = 34, 18, 8
_LONGEST_HEADING, _TURN = 80, 45
"""Longer headings are turned, by so many degrees."""
_SLOPE = sqrt(0.5)
"""The sine and the cosine of that angle."""

Shading = Callable[[Number], str]
"""The name of a number's shade, "" for none."""


class ShadedTable(NamedTuple):
    """The names of rows and columns, what stands in the rows, and the largest number of each row
    where that is of interest."""

    names: Sequence[str]
    headings: Sequence[str]
    rows: Sequence[Sequence[Entry]]
    largest: Sequence[Decimal | None]


def heat_map(block: MatrixBlock, title: str, asked: Asked = silent) -> Picture:
    """The weights of one head."""
    block = block._replace(turned=False)
    grid = grid_of(block)
    grid = grid._replace(columns=tuple(one for one in grid.columns if one.quantity == block))
    table = ShadedTable(
        [text_of(label_of(name)) for name in grid.names],
        [text_of(label_of(heading)) for heading in grid.headings],
        [row for _, row in grid.rows()],
        grid.largest,
    )
    return shaded(table, title, share_of_1, asked)


def share_of_1(number: Number) -> str:
    return str(shade_of(float(number.shown), LIGHT.shades))


def shaded(table: ShadedTable, title: str, shading: Shading, asked: Asked) -> Picture:
    """A table whose numbers are shaded."""
    wide = widest(entry_text(one) for row in table.rows for one in row) + _PAD
    left = widest(table.names) + _GAP if any(table.names) else 0.0
    heads = widest(table.headings)
    turned = heads > _LONGEST_HEADING
    wide = wide if turned else max(wide, heads + _PAD)
    top = (heads * _SLOPE + 2 * _GAP if turned else _HEIGHT) if heads else 0.0
    over = max(0.0, heads * _SLOPE - wide / 2 + _GAP) if turned else 0.0
    elements = [
        *_headings(table.headings, left, wide, top, turned=turned),
        *(text_at(left - _GAP, _middle(top, i), one, "end") for i, one in enumerate(table.names)),
        *_cells(table, (left, top), wide, shading, asked),
    ]
    size = (left + wide * len(table.headings) + over, top + _HEIGHT * len(table.names))
    return Picture(title, _in_words(table), size, tuple(elements))


def _middle(top: float, i: int) -> float:
    """How high the middle of a row is."""
    return top + _HEIGHT * (i + 0.5)


def _headings(
    texts: Sequence[str], left: float, wide: float, top: float, *, turned: bool
) -> Iterator[str]:
    for j, text in enumerate(texts):
        x = left + wide * (j + 0.5)
        if turned:
            place = f"translate({x:.1f} {top - _GAP:.1f}) rotate(-{_TURN})"
            yield text_at(0, 0, text, transform=place)
        elif text:
            yield text_at(x, top - _HEIGHT / 2, text, "middle")


def _cells(
    table: ShadedTable, corner: tuple[float, float], wide: float, shading: Shading, asked: Asked
) -> Iterator[str]:
    """The cells, the largest number of each row in bold."""
    for i, row in enumerate(table.rows):
        most = table.largest[i] if table.largest else None
        for j, entry in enumerate(row):
            x, y = corner[0] + wide * j, corner[1] + _HEIGHT * i
            middle = (x + wide / 2, y + _HEIGHT / 2)
            if not isinstance(entry, Number):
                yield text_at(*middle, entry_text(entry), "middle")
                continue
            kind = "middle most" if entry.shown == most else "middle"
            shade = shading(entry)
            if shade:
                kind += f" on{shade}"
                yield _cell(x + 1, y + 1, wide - 2, f"shade{shade}")
            yield number_at(*middle, entry, kind, asked)


def _cell(x: float, y: float, wide: float, kind: str) -> str:
    return element("rect", x=x, y=y, width=wide, height=_HEIGHT - 2, rx=3, class_=kind)


def _in_words(table: ShadedTable) -> str:
    """Every row's numbers, as a sentence each."""
    told = []
    for name, row in zip(table.names, table.rows, strict=True):
        pairs = zip(table.headings, row, strict=True)
        numbers = ", ".join(
            f"{entry_text(one)} ({key})" if key else entry_text(one) for key, one in pairs
        )
        told.append(f"{name}: {numbers}." if name else f"{numbers}.")
    return " ".join(within_limits(told, [len(row) for row in table.rows]))
