"""Heat maps: each cell the darker the larger it is, its number in it; several beside each other,
each under its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from math import sqrt
from typing import NamedTuple

from attncli.arithmetic.elision import elided
from attncli.arithmetic.expression import Number
from attncli.notation.columns import bands
from attncli.notation.words import printed
from attncli.pictures import HeatMaps, Label
from attncli.render.colours import LIGHT, shade_of
from attncli.render.grid import Entry, Omission, entry_text, grid_of, label_of
from attncli.render.svg.elements import (
    Asked,
    Picture,
    element,
    number_at,
    placed,
    silent,
    text_at,
    text_width,
    widest,
    within_limits,
)
from attncli.tables import MatrixBlock
from attncli.word import Word

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


def heat_map(block: MatrixBlock, title: str) -> Picture:
    """The weights of one head."""
    block = block._replace(turned=False)
    grid = grid_of(block)
    grid = grid._replace(columns=tuple(one for one in grid.columns if one.quantity == block))
    table = ShadedTable(
        [printed(label_of(name)) for name in grid.names],
        [printed(label_of(heading)) for heading in grid.headings],
        [row for _, row in grid.rows()],
        grid.largest,
    )
    return shaded(table, title, share_of_1, silent)


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


_WIDEST, _BETWEEN, _NAME = 900, 36, 28
_MOST, _FIRST = 16, 13
"""So many rows and columns are drawn; the middle of more is left out."""


def heat_maps(block: HeatMaps, asked: Asked = silent) -> Picture:
    """The maps, all shaded by one scale, as many beside each other as fit."""
    shading = _shading(block)
    tables = [(printed(name), _table(one)) for name, one in block.maps]
    maps = [_under(name, shaded(one, name, shading, asked)) for name, one in tables]
    elements: list[str] = []
    y = wide = 0.0
    for row in bands(maps, lambda one: one.size[0], _WIDEST, _BETWEEN):
        x = 0.0
        for one in row:
            elements.append(placed(one, x, y))
            x += one.size[0] + _BETWEEN
        wide = max(wide, x - _BETWEEN)
        y += max(one.size[1] for one in row) + _BETWEEN
    told = " ".join(f"{one.title}: {one.told}" if one.title else one.told for one in maps)
    return Picture(printed(block.title), told, (wide, y - _BETWEEN), tuple(elements))


def _under(name: str, picture: Picture) -> Picture:
    """A map below its name."""
    if not name:
        return picture
    wide, high = picture.size
    elements = (text_at(0, _NAME / 2 - 4, name, "aside"), placed(picture, 0, _NAME))
    return Picture(name, picture.told, (max(wide, text_width(name)), high + _NAME), elements)


def _shading(block: HeatMaps) -> Shading:
    """By parts of 1 where the numbers are that; else by the largest there is, below 0 in a hue of
    their own where there are such."""
    if all(one.shares for _, one in block.maps):
        return share_of_1
    numbers = [one for _, table in block.maps for one in _numbers(table)]
    most = float(max((abs(one.shown) for one in numbers if one.shown.is_finite()), default=1)) or 1
    return lambda number: _by_size(number, most)


def _by_size(number: Number, most: float) -> str:
    """The number's shade; an infinite one has none."""
    if not number.shown.is_finite():
        return ""
    shade = shade_of(abs(float(number.shown)) / most, LIGHT.shades)
    return f"-below{shade}" if number.shown < 0 else str(shade)


def _numbers(block: MatrixBlock) -> Iterator[Number]:
    for i in block.rows:
        for j in range(block.matrix.shape[1]):
            entry = block.entry(i, j)
            if isinstance(entry, Number):
                yield entry


def _table(block: MatrixBlock) -> ShadedTable:
    """What is drawn of a quantity."""
    places = elided(len(block.rows), _MOST, _FIRST)
    rows = [None if place is None else block.rows[place] for place in places]
    columns = elided(block.matrix.shape[1], _MOST, _FIRST)
    names = ["⋮" if i is None else _in_role(block.roles[0], block.row_names[i]) for i in rows]
    headings = [_heading(block, j) for j in columns]
    largest = [_largest(block, i) for i in rows]
    return ShadedTable(names, headings, [_row(block, i, columns) for i in rows], largest)


def _row(block: MatrixBlock, i: int | None, columns: Sequence[int | None]) -> list[Entry]:
    if i is None:
        return [Omission.ROWS] * len(columns)
    return [Omission.COLUMNS if j is None else block.entry(i, j) for j in columns]


def _heading(block: MatrixBlock, j: int | None) -> str:
    if j is None:
        return entry_text(Omission.COLUMNS)
    return _in_role(block.roles[1], block.column_names[j]) if block.column_names else ""


def _in_role(role: str, name: Label) -> str:
    told = printed(name)
    return printed(Word(f"{role}: {name.raw}")) if role and isinstance(name, Word) else told


def _largest(block: MatrixBlock, i: int | None) -> Decimal | None:
    """The largest share of a row, None where some are asked for."""
    if i is None or not block.shares:
        return None
    entries = [block.entry(i, j) for j in range(block.matrix.shape[1])]
    numbers = [one.shown for one in entries if isinstance(one, Number)]
    return max(numbers) if len(numbers) == len(entries) else None
