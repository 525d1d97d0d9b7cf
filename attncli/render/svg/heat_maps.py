"""Heat maps beside each other, each under its name: all heads, positional encoding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from attncli.arithmetic.elision import elided
from attncli.arithmetic.expression import Number
from attncli.notation.columns import bands
from attncli.pictures import HeatMaps, Label
from attncli.render.colours import LIGHT, shade_of
from attncli.render.grid import Entry, Omission, entry_text
from attncli.render.svg.elements import (
    Asked,
    Picture,
    placed,
    silent,
    text_at,
    text_of,
    text_width,
)
from attncli.render.svg.heat_map import ShadedTable, Shading, shaded, share_of_1
from attncli.tables import MatrixBlock
from attncli.word import Word

_WIDEST, _BETWEEN, _NAME = 900, 36, 28
_MOST, _FIRST = 16, 13
"""So many rows and columns are drawn; the middle of more is left out."""


def heat_maps(block: HeatMaps, asked: Asked = silent) -> Picture:
    """The maps, all shaded by one scale, as many beside each other as fit."""
    shading = _shading(block)
    tables = [(text_of(name), _table(one)) for name, one in block.maps]
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
    return Picture(text_of(block.title), told, (wide, y - _BETWEEN), tuple(elements))


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
    told = text_of(name)
    return text_of(Word(f"{role}: {name.raw}")) if role and isinstance(name, Word) else told


def _largest(block: MatrixBlock, i: int | None) -> Decimal | None:
    """The largest share of a row, None where some are asked for."""
    if i is None or not block.shares:
        return None
    entries = [block.entry(i, j) for j in range(block.matrix.shape[1])]
    numbers = [one.shown for one in entries if isinstance(one, Number)]
    return max(numbers) if len(numbers) == len(entries) else None
