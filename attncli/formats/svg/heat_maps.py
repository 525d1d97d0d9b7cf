"""Heat maps: each cell the darker the larger it is, its number in it; several side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import NamedTuple

from attncli.document.grid import Grid, GridCell, grid_of, grid_of_places
from attncli.document.pictures import HeatMaps
from attncli.document.tables import MatrixBlock
from attncli.formats.colours import LIGHT, shade_of
from attncli.formats.svg.elements import (
    NOBODY,
    Askable,
    Picture,
    Told,
    element,
    in_rows,
    joined,
    number_at,
    sentence,
    shifted,
    showing,
    text_at,
    text_width,
    widest,
    with_keys,
    within_limits,
)
from attncli.maths.equations.elision import elided
from attncli.maths.equations.tree import Blank, Number
from attncli.maths.notation.escaping import printed

_HEIGHT, _PAD, _GAP = 34, 18, 8
_LONGEST_HEADING, _TURN = 80, 45
"""Longer headings are turned, by so many degrees."""
_SLOPE = sqrt(0.5)
"""The sine and the cosine of that angle."""


class Shading(NamedTuple):
    """A scale of shades, from 0 on; numbers below 0 have a hue of their own."""

    most: float = 1.0
    """The number of the last shade."""
    fixed: bool = True
    """Whether that is what shares are parts of, or else the largest number that there is."""

    def of(self, number: Number) -> str:
        """Returns the name of a number's shade; an infinite one has none."""
        if not number.shown.is_finite():
            return ""
        shade = shade_of(abs(float(number.shown)) / self.most, LIGHT.shades)
        return f"-below{shade}" if number.shown < 0 else str(shade)

    @property
    def scale(self) -> Sequence[float]:
        """Returns what a page's script shades by: how many shades there are, and what shares are
        parts of."""
        return (len(LIGHT.shades), *[self.most] * self.fixed)


def heat_map(block: MatrixBlock, place: str) -> Picture:
    """Draws the weights of one head, or of a variant, called as above their table."""
    grid = grid_of(block.alone)
    called = grid.columns[0].heading.text
    return shaded(grid, f"{place} · {called}" if place else called, Shading(), NOBODY)


def shaded(grid: Grid, title: str, shading: Shading, asked: Askable) -> Picture:
    """Draws a table whose numbers are shaded."""
    names, *columns = grid.columns
    headings, called = [c.heading.text for c in columns], [entry.text for entry in names.cells]
    wide = widest(cell.text for column in columns for cell in column.cells) + _PAD
    left = widest(called) + _GAP if any(called) else 0.0
    heads = widest(headings)
    turned = heads > _LONGEST_HEADING
    wide = wide if turned else max(wide, heads + _PAD)
    top = (heads * _SLOPE + 2 * _GAP if turned else _HEIGHT) if heads else 0.0
    over = max(0.0, heads * _SLOPE - wide / 2 + _GAP) if turned else 0.0
    elements = [
        *_headings(headings, left, wide, top, turned=turned),
        *(text_at(left - _GAP, _middle(top, i), text, "end") for i, text in enumerate(called)),
        *_cells(grid, (left, top), wide, shading, asked),
    ]
    size = (left + wide * len(headings) + over, top + _HEIGHT * len(called))
    return Picture(title, _in_words(grid), size, tuple(elements))


def _middle(top: float, i: int) -> float:
    """Returns how high the middle of a row is."""
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
    grid: Grid, corner: tuple[float, float], wide: float, shading: Shading, asked: Askable
) -> Iterator[str]:
    """Draws the cells, the largest number of each row in bold."""
    for i, (_, *row) in enumerate(grid.rows()):
        for j, cell in enumerate(row):
            x, y = corner[0] + wide * j, corner[1] + _HEIGHT * i
            middle = (x + wide / 2, y + _HEIGHT / 2)
            if not isinstance(cell.content, Number):
                yield text_at(*middle, cell.text, "middle")
                continue
            kind = "middle most" if cell.look.most else "middle"
            shade = shading.of(cell.content)
            shows = showing(cell.content, asked, "shade", (wide - 2,), *shading.scale)
            if shade or shows:
                ground = f"shade{shade}" if shade else "page"
                yield _cell(x + 1, y + 1, wide - 2, class_=ground, **shows)
            yield number_at(*middle, cell.content, f"{kind} on{shade}" if shade else kind, asked)


def _cell(x: float, y: float, wide: float, **more: str) -> str:
    return element("rect", x=x, y=y, width=wide, height=_HEIGHT - 2, rx=3, **more)


def _in_words(grid: Grid) -> Told:
    """Tells every row's numbers, as a sentence each."""
    keys = [column.heading.text for column in grid.columns[1:]]
    return within_limits(
        [
            sentence(name.text, with_keys([*map(_number_or_sign, row)], keys))
            for name, *row in grid.rows()
        ]
    )


def _number_or_sign(cell: GridCell) -> Number | str:
    return cell.content if isinstance(cell.content, Number) else cell.text


_WIDEST, _BETWEEN, _NAME = 900, 36, 28
_MOST, _FIRST = 16, 13
"""So many rows and columns are drawn; the middle of more is left out."""


def heat_maps(block: HeatMaps, asked: Askable = NOBODY) -> Picture:
    """Draws the maps, all shaded by one scale, as many beside each other as fit."""
    shading = _shading(block)
    tables = [(printed(name), _drawn(entry)) for name, entry in block.maps]
    maps = [_under(name, shaded(grid, name, shading, asked)) for name, grid in tables]
    told = [(f"{p.title}: " if p.title else "", *p.description) for p in maps]
    whole = in_rows(maps, _WIDEST, _BETWEEN, _BETWEEN)
    parts = tuple(maps) if len(maps) > 1 else ()
    return whole._replace(title=printed(block.title), description=joined(told, " "), parts=parts)


def entries_of(block: HeatMaps) -> Iterator[Number | Blank]:
    """Yields what stands in the tables, row by row."""
    for _, table in block.maps:
        for i in table.rows:
            yield from (table.entry(i, j) for j in range(table.matrix.shape[1]))


def has_all(block: HeatMaps) -> bool:
    """Tells whether each number of the tables is drawn."""
    sizes = (size for _, table in block.maps for size in (len(table.rows), table.matrix.shape[1]))
    return max(sizes, default=0) <= _MOST


def _under(name: str, picture: Picture) -> Picture:
    """Draws a map below its name."""
    if not name:
        return picture
    wide, high = picture.size
    elements = (text_at(0, _NAME / 2 - 4, name, "aside"), shifted(picture, 0, _NAME))
    return Picture(name, picture.description, (max(wide, text_width(name)), high + _NAME), elements)


def _shading(block: HeatMaps) -> Shading:
    """Returns how numbers are shaded: by parts of 1 where they are that; else by the largest there
    is, below 0 in a hue of their own where there are such."""
    if all(entry.display.shares for _, entry in block.maps):
        return Shading()
    numbers = [entry for entry in entries_of(block) if isinstance(entry, Number)]
    most = float(max((abs(n.shown) for n in numbers if n.shown.is_finite()), default=1)) or 1
    return Shading(most, fixed=False)


def _drawn(block: MatrixBlock) -> Grid:
    """Returns what is drawn of a quantity."""
    places = (elided(count, _MOST, _FIRST) for count in (len(block.rows), block.matrix.shape[1]))
    return grid_of_places(block.alone, *places)


_SMALL, _SIDE = 6, 14
"""So many rows and columns of a small map have their numbers; of larger ones a cell is a square."""


def in_small(block: HeatMaps) -> Picture:
    """Draws maps for a place that has little room: large ones without numbers and names."""
    (_, table), *_ = block.maps
    if max(len(table.rows), table.matrix.shape[1]) <= _SMALL:
        return heat_maps(block)
    grid, shading = _drawn(table), _shading(block)
    square = {"width": _SIDE - 1, "height": _SIDE - 1}
    elements = [
        element("rect", "", x=_SIDE * j, y=_SIDE * i, class_=kind, **square)
        for i, (_, *row) in enumerate(grid.rows())
        for j, cell in enumerate(row)
        if isinstance(cell.content, Number) and (kind := f"shade{shading.of(cell.content)}")
    ]
    size = (_SIDE * (len(grid.columns) - 1), _SIDE * sum(1 for _ in grid.rows()))
    return Picture(printed(block.title), _in_words(grid), size, tuple(elements))


def boxes(texts: Sequence[str]) -> Picture:
    """Draws texts in boxes, in rows as they fit: the pieces of a text."""
    pieces = []
    for text in texts:
        wide = text_width(text) + _PAD
        middle = (wide / 2, (_HEIGHT - 2) / 2)
        inside = (_cell(0, 0, wide, class_="shade1"), text_at(*middle, text, "middle on1"))
        pieces.append(Picture("", (), (wide, _HEIGHT - 2), inside))
    whole = in_rows(pieces, _ROW_OF_BOXES, 4, 4)
    return whole._replace(title="pieces", description=(", ".join(texts),))


_ROW_OF_BOXES = 260
