"""Products of matrices as on paper: one table, which no page ends within."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from attncli.document.grid import grid_of
from attncli.document.tables import MatrixBlock, ProductBlock
from attncli.formats.tex.setting import Setting
from attncli.formats.tex.tables import (
    GAP,
    SMALL,
    SMALL_GAP,
    TexCell,
    TexColumn,
    columns_of,
    small,
    tex_row,
    together,
)

APART = 2.0
"""Ems between the tables of a product."""
_NOTHING = TexCell("", 0)
_BELOW = "[1ex]"
"""What is between what stands above and the result."""


class _Tables(NamedTuple):
    """The columns of a product's tables, those of the result below those of what is above it."""

    left: Sequence[TexColumn]
    above: Sequence[TexColumn]
    result: Sequence[TexColumn]
    after: Sequence[TexColumn]

    @property
    def upper(self) -> Sequence[Sequence[TexCell]]:
        """Returns the rows of what is above, with its heading."""
        return _rows(self.above)

    @property
    def middle(self) -> list[TexColumn]:
        """Returns the columns of what is above and of the result as one."""
        pairs = zip(self.above, self.result, strict=True)
        return [a._replace(cells=(*a.cells, r.heading, *r.cells)) for a, r in pairs]

    @property
    def groups(self) -> list[Sequence[TexColumn]]:
        """Returns the columns that stand apart from each other."""
        return [group for group in (self.left, self.middle, self.after) if group]


def has_room(block: ProductBlock, setting: Setting) -> bool:
    """Tells whether a product stands as on paper between the margins, smaller if need be."""
    return _has_room(as_fits(block, setting), setting)


def as_fits(block: ProductBlock, setting: Setting) -> ProductBlock:
    """Returns a product without what is made of its rows where there is no room for that, and it
    is told elsewhere."""
    told = {table.quantity for table in block.told if isinstance(table, MatrixBlock)}
    elsewhere = block.after is not None and block.after.quantity not in told
    narrower = block._replace(after=None)
    return narrower if elsewhere and not _has_room(block, setting) else block


def _has_room(block: ProductBlock, setting: Setting) -> bool:
    return _width(_tables(block, setting).groups, SMALL_GAP) * SMALL <= setting.room


def laid_out(block: ProductBlock, setting: Setting) -> str:
    """Sets the tables of a product in one, smaller if it has to be."""
    tables = _tables(as_fits(block, setting), setting)
    text = _tabular(tables)
    return together([text if _width(tables.groups, GAP) <= setting.room else small(text)])


def _width(groups: Sequence[Sequence[TexColumn]], gap: float) -> float:
    columns = sum(column.width for group in groups for column in group)
    inside = sum(len(group) - 1 for group in groups)
    return columns + gap * inside + APART * (len(groups) - 1)


def _tables(block: ProductBlock, setting: Setting) -> _Tables:
    above = _columns(block.above, setting)
    if block.added is not None:
        above = [
            _with(column, cell)
            for column, cell in zip(above, _added(block.added, setting), strict=True)
        ]
    _, *result = _columns(block.result, setting)
    name = _without_names(_columns(block.result, setting)[0])
    result = [name, *(column._replace(heading=_NOTHING) for column in result)]
    after = [] if block.after is None else _columns(block.after, setting)
    after = [_without_names(after[0]), *after[1:]] if after else []
    return _Tables(_columns(block.left, setting), above, result, after)


def _columns(block: MatrixBlock, setting: Setting) -> list[TexColumn]:
    return columns_of(grid_of(block), setting._replace(blank_width=block.blank_width))


def _with(column: TexColumn, cell: TexCell) -> TexColumn:
    return column._replace(cells=(*column.cells, cell))


def _added(block: MatrixBlock, setting: Setting) -> list[TexCell]:
    """Returns the row of what is added to each of the result's, behind a plus."""
    name, *numbers = _columns(block, setting)
    text = name.heading.text.replace("$", r"$+\thinspace ", 1)
    plus = TexCell(text, name.heading.width + 1.2)
    return [plus, *(column.cells[0] for column in numbers)]


def _without_names(column: TexColumn) -> TexColumn:
    """Returns a column of names with nothing but its heading."""
    return column._replace(cells=tuple(_NOTHING for _ in column.cells))


def _tabular(tables: _Tables) -> str:
    """Sets the tables in one: what is above in the columns of the result, what is at the left in
    its rows."""
    widths = [len(group) for group in tables.groups]
    kinds = ("".join("r" if column.numbers else "l" for column in group) for group in tables.groups)
    between = rf"@{{\hspace{{{APART}em}}}}"
    before = [_NOTHING] * len(tables.left)
    behind = [_NOTHING] * len(tables.after)
    heading, *upper = (tex_row([*before, *row, *behind]) for row in _rows(tables.above))
    own = [_rows(group) for group in (tables.left, tables.result, tables.after) if group]
    lower, *rows = (
        tex_row(cell for part in row for cell in part) for row in zip(*own, strict=True)
    )
    ends = [*accumulate(widths)]
    spans = [
        *zip((end - width + 1 for end, width in zip(ends, widths, strict=True)), ends, strict=True)
    ]
    upper[-1] += _BELOW
    last = ends[-1]
    lines = [heading, _rules(spans[1:2], last), *upper, lower, _rules(spans, last), *rows]
    start = rf"\begin{{tabular}}[t]{{@{{}}{between.join(kinds)}@{{}}}}"
    return "\n".join([start, *lines, r"\end{tabular}"])


def _rows(columns: Sequence[TexColumn]) -> list[tuple[TexCell, ...]]:
    """Returns the rows of some columns, that of their headings first."""
    return [*zip(*((column.heading, *column.cells) for column in columns), strict=True)]


def _rules(spans: Sequence[tuple[int, int]], last: int) -> str:
    """Draws a rule below the headings of each table, which ends before what is between it and the
    next."""
    trims = ("" if end == last else f"(r{{{APART}em}})" for _, end in spans)
    pairs = zip(spans, trims, strict=True)
    return "".join(rf"\cmidrule{trim}{{{start}-{end}}}" for (start, end), trim in pairs)
