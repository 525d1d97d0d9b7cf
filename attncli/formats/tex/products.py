"""Products of matrices as on paper: one table, which no page ends within."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from attncli.document.grid import grid_of, grid_of_product
from attncli.document.tables import MatrixBlock, ProductBlock
from attncli.formats.tex.setting import Boxes, Setting
from attncli.formats.tex.tables import (
    CLOSE_GAP,
    GAP,
    SMALL,
    SMALL_GAP,
    TexCell,
    TexColumn,
    close,
    columns_of,
    small,
    tex_row,
    together,
)
from attncli.formats.writers import Products

_APART, _APART_WITH_BOXES = 1.6, 1.0
"""Ems between the tables of a product."""
_PLACES = (Boxes(18, 18), Boxes(15, 12))
"""How wide boxes and what is carried over are: as it fits."""
_NOTHING = TexCell("", 0)
_BELOW = "[1ex]"
"""What is between what stands above and the result."""


class _Crossing(NamedTuple):
    """The columns of a result, below those of what stands above it."""

    above: Sequence[TexColumn]
    result: Sequence[TexColumn]

    @property
    def columns(self) -> list[TexColumn]:
        """Returns them as one."""
        pairs = zip(self.above, self.result, strict=True)
        return [a._replace(cells=(*a.cells, r.heading, *r.cells)) for a, r in pairs]


class _Tables(NamedTuple):
    """The columns of tables that are set in one."""

    left: Sequence[TexColumn]
    crossings: Sequence[_Crossing]
    after: Sequence[TexColumn]
    boxes: bool
    """Whether there are boxes to write into, which stand closer."""

    @property
    def gap(self) -> float:
        """Returns the ems between columns."""
        return CLOSE_GAP if self.boxes else GAP

    @property
    def apart(self) -> float:
        """Returns the ems between tables."""
        return _APART_WITH_BOXES if self.boxes else _APART

    @property
    def groups(self) -> list[Sequence[TexColumn]]:
        """Returns the columns that stand apart from each other."""
        middle = (crossing.columns for crossing in self.crossings)
        return [self.left, *middle, *([self.after] if self.after else [])]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Returns the first and the last column of each group, from 1."""
        widths = [len(group) for group in self.groups]
        pairs = zip(accumulate(widths), widths, strict=True)
        return [(end - width + 1, end) for end, width in pairs]

    def width(self, gap: float) -> float:
        columns = sum(column.width for group in self.groups for column in group)
        inside = sum(len(group) - 1 for group in self.groups)
        return columns + gap * inside + self.apart * (len(self.groups) - 1)


def has_room(block: ProductBlock, setting: Setting) -> bool:
    """Tells whether a product stands as on paper between the margins, smaller if need be."""
    return _has_room((as_fits(block, setting),), setting)


def stand_together(products: Products, setting: Setting) -> bool:
    """Tells whether products have room beside each other in the page's own size."""
    tables = _tables(products.blocks, setting)
    return tables.width(tables.gap) <= setting.room


def as_fits(block: ProductBlock, setting: Setting) -> ProductBlock:
    """Returns a product without what is made of its rows where there is no room for that, and it
    is told elsewhere."""
    told = {table.quantity for table in block.told if isinstance(table, MatrixBlock)}
    elsewhere = block.after is not None and block.after.quantity not in told
    narrower = block._replace(after=None)
    return narrower if elsewhere and not _has_room((block,), setting) else block


def _has_room(blocks: Sequence[ProductBlock], setting: Setting) -> bool:
    return _tables(blocks, setting).width(SMALL_GAP) * SMALL <= setting.room


def laid_out(products: Products, setting: Setting) -> str:
    """Sets the tables of products in one, smaller if it has to be."""
    tables = _tables([as_fits(block, setting) for block in products.blocks], setting)
    text = _tabular(tables)
    if tables.width(tables.gap) > setting.room:
        text = small(text)
    elif tables.boxes:
        text = close(text)
    return together([text])


def with_places(blocks: Sequence[ProductBlock], setting: Setting) -> Setting:
    """Returns the setting with places to write into that are as wide as there is room for."""
    if not any(block.result.blanks for block in blocks):
        return setting
    for most in _PLACES:
        closer = setting._replace(boxes=most)
        tables = _as_set(blocks, closer)
        if tables.width(tables.gap) <= setting.room:
            break
    return closer


def _tables(blocks: Sequence[ProductBlock], setting: Setting) -> _Tables:
    return _as_set(blocks, with_places(blocks, setting))


def _as_set(blocks: Sequence[ProductBlock], setting: Setting) -> _Tables:
    """Lays out products of one left operand, of which the last may have something made of it."""
    crossings = [_crossing(block, setting) for block in blocks]
    highest = max(len(crossing.above[0].cells) for crossing in crossings)
    return _Tables(
        _columns(blocks[0].left, setting),
        [c._replace(above=[_filled_up(column, highest) for column in c.above]) for c in crossings],
        _after(blocks[-1].after, setting),
        any(block.result.blanks for block in blocks),
    )


def _crossing(block: ProductBlock, setting: Setting) -> _Crossing:
    above = _columns(block.above, setting)
    if block.added is not None:
        pairs = zip(above, _added(block.added, setting), strict=True)
        above = [column._replace(cells=(*column.cells, cell)) for column, cell in pairs]
    wide = setting._replace(blank_width=block.result.blank_width)
    name, *result = columns_of(grid_of_product(block), wide)
    return _Crossing(above, [_without_names(name), *result])


def _after(block: MatrixBlock | None, setting: Setting) -> list[TexColumn]:
    if block is None:
        return []
    names, *columns = _columns(block, setting)
    return [_without_names(names), *columns]


def _columns(block: MatrixBlock, setting: Setting) -> list[TexColumn]:
    return columns_of(grid_of(block), setting._replace(blank_width=block.blank_width))


def _added(block: MatrixBlock, setting: Setting) -> list[TexCell]:
    """Returns the row of what is added to each of the result's, behind a plus."""
    name, *numbers = _columns(block, setting)
    text = name.heading.text.replace("$", r"$+\thinspace ", 1)
    return [TexCell(text, name.heading.width + 1.2), *(column.cells[0] for column in numbers)]


def _without_names(column: TexColumn) -> TexColumn:
    """Returns a column of names with nothing but its heading."""
    return column._replace(cells=tuple(_NOTHING for _ in column.cells))


def _filled_up(column: TexColumn, count: int) -> TexColumn:
    """Returns a column with so many cells, its heading above them where it has fewer."""
    missing = count - len(column.cells)
    if not missing:
        return column
    cells = (*[_NOTHING] * (missing - 1), column.heading, *column.cells)
    return column._replace(heading=_NOTHING, cells=cells)


def _tabular(tables: _Tables) -> str:
    """Sets the tables in one: what is above in the columns of its result, what is at the left in
    the rows of all."""
    kinds = ("".join("r" if column.numbers else "l" for column in group) for group in tables.groups)
    between = rf"@{{\hspace{{{tables.apart}em}}}}"
    spans, last = tables.spans, tables.spans[-1][1]
    heading, *upper = _side_by_side(
        [
            _blank_rows(tables.left, tables.crossings[0].above),
            *(_rows(crossing.above) for crossing in tables.crossings),
            _blank_rows(tables.after, tables.crossings[0].above),
        ]
    )
    results = (crossing.result for crossing in tables.crossings)
    lower, *rows = _side_by_side([_rows(g) for g in (tables.left, *results, tables.after) if g])
    upper[-1] += _BELOW
    middle = spans[1 : 1 + len(tables.crossings)]
    lines = [
        heading,
        _rules(middle, last, tables.apart),
        *upper,
        lower,
        _rules(spans, last, tables.apart),
        *rows,
    ]
    start = rf"\begin{{tabular}}[t]{{@{{}}{between.join(kinds)}@{{}}}}"
    return "\n".join([start, *lines, r"\end{tabular}"])


_Rows = list[tuple[TexCell, ...]]


def _rows(columns: Sequence[TexColumn]) -> _Rows:
    """Returns the rows of some columns, that of their headings first."""
    return [*zip(*((column.heading, *column.cells) for column in columns), strict=True)]


def _blank_rows(columns: Sequence[TexColumn], beside: Sequence[TexColumn]) -> _Rows:
    """Returns rows of nothing in some columns, as many as stand beside."""
    return [(_NOTHING,) * len(columns) for _ in _rows(beside)]


def _side_by_side(tables: Sequence[_Rows]) -> Iterator[str]:
    return (tex_row(chain.from_iterable(row)) for row in zip(*tables, strict=True))


def _rules(spans: Sequence[tuple[int, int]], last: int, apart: float) -> str:
    """Draws a rule below the headings of each table, which ends before what is between it and the
    next."""
    trims = ("" if end == last else f"(r{{{apart}em}})" for _, end in spans)
    pairs = zip(spans, trims, strict=True)
    return "".join(rf"\cmidrule{trim}{{{start}-{end}}}" for (start, end), trim in pairs)
