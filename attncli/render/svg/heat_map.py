"""Weights of attention as a heat map: a cell for each query and key, its number in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

from attncli.arithmetic.expression import Number
from attncli.render.colours import LIGHT, shade_of
from attncli.render.grid import Entry, Grid, entry_text, grid_of, label_of
from attncli.render.svg.elements import Picture, element, text_at, text_of, text_width
from attncli.tables import MatrixBlock

_HEIGHT, _PAD, _GAP = 34, 18, 8
_LONGEST_HEADING, _TURN = 80, 45
"""Longer headings are turned, by so many degrees."""
_SLOPE = sqrt(0.5)
"""The sine and the cosine of that angle."""


def heat_map(block: MatrixBlock, title: str) -> Picture:
    """The weights of one head."""
    block = block._replace(turned=False)
    grid = grid_of(block)
    grid = grid._replace(columns=tuple(one for one in grid.columns if one.quantity == block))
    names = [text_of(label_of(name)) for name in grid.names]
    headings = [text_of(label_of(heading)) for heading in grid.headings]
    wide = max(text_width(entry_text(one)) for _, row in grid.rows() for one in row) + _PAD
    left = max(map(text_width, names)) + _GAP
    heads = max(map(text_width, headings))
    turned = heads > _LONGEST_HEADING
    wide = wide if turned else max(wide, heads + _PAD)
    top = heads * _SLOPE + 2 * _GAP if turned else _HEIGHT
    over = max(0.0, heads * _SLOPE - wide / 2) if turned else 0.0
    elements = [
        *_headings(headings, left, wide, top, turned=turned),
        *(text_at(left - _GAP, _middle(top, i), name, "end") for i, name in enumerate(names)),
        *_cells(grid, (left, top), wide),
    ]
    size = (left + wide * len(headings) + over, top + _HEIGHT * len(names))
    return Picture(title, _in_words(grid, names, headings), size, tuple(elements))


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
        else:
            yield text_at(x, top - _HEIGHT / 2, text, "middle")


def _cells(grid: Grid, corner: tuple[float, float], wide: float) -> Iterator[str]:
    """The cells, the largest number of each row in bold."""
    for i, ((_, row), most) in enumerate(zip(grid.rows(), grid.largest, strict=True)):
        for j, entry in enumerate(row):
            is_most = isinstance(entry, Number) and entry.shown == most
            yield from _cell(entry, corner[0] + wide * j, corner[1] + _HEIGHT * i, wide, is_most)


def _cell(entry: Entry, x: float, y: float, wide: float, is_most: bool) -> Iterator[str]:
    """A cell, shaded if it has a number, and what stands in it."""
    kind = "middle most" if is_most else "middle"
    if isinstance(entry, Number):
        shade = shade_of(float(entry.shown), LIGHT.shades)
        kind += f" on{shade}"
        size = {"width": wide - 2, "height": _HEIGHT - 2}
        yield element("rect", "", x=x + 1, y=y + 1, **size, rx=3, class_=f"shade{shade}")
    yield text_at(x + wide / 2, y + _HEIGHT / 2, entry_text(entry), kind)


def _in_words(grid: Grid, names: Sequence[str], headings: Sequence[str]) -> str:
    """Every row's numbers, as a sentence each."""
    told = []
    for name, (_, row) in zip(names, grid.rows(), strict=True):
        pairs = zip(headings, row, strict=True)
        told.append(f"{name}: {', '.join(f'{entry_text(one)} ({key})' for key, one in pairs)}.")
    return " ".join(told)
