"""Tables on a screen: wide ones split into bands, small ones beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attncli.document.blocks import Table
from attncli.document.grid import (
    BAR,
    BETWEEN_TABLES,
    GAP,
    Grid,
    GridCell,
    GridColumn,
    Omission,
    grid_of,
    ink_of,
)
from attncli.document.tables import MatrixBlock, SideBySide, in_groups
from attncli.formats.colours import SHADES, names_of
from attncli.formats.screen.lines import Line, StyledText, left, line_width, right, width
from attncli.maths.equations.tree import Number
from attncli.maths.notation.columns import bands

ROOM_FOR_BARS = 76
"""A table has bars where it has as much room as on a page of 80 columns."""
_ENDLESS = 10_000
_BARS = " ▁▂▃▄▅▆▇█"


def bars_of(block: MatrixBlock, grid: Grid) -> list[str] | None:
    """Draws a bar for each share of each row, in the order of the columns, the largest of the table
    as high as can be. Returns None where there are no shares, where only one can be, or where some
    are asked for: bars would tell them."""
    if not block.display.shares or block.matrix.shape[1] == 1 or None in _largest(grid):
        return None
    most = max((float(number) for number in grid.largest if number is not None), default=0.0)
    columns = [c for c in grid.columns[1:] if block.display.turned or not _is_sums(c)]
    rows = [*zip(*(column.cells for column in columns), strict=True)]
    if most <= 0 or any((cell.look.share or 0) < 0 for row in rows for cell in row):
        return None
    return ["".join(_bar(cell, most) for cell in row).rstrip() for row in rows]


def _largest(grid: Grid) -> Sequence[object]:
    """Lists the largest number of each row that isn't left out."""
    named = zip(grid.columns[0].cells, grid.largest, strict=True)
    return [most for name, most in named if not isinstance(name.content, Omission)]


def _is_sums(column: GridColumn) -> bool:
    cells = (cell for cell in column.cells if isinstance(cell.content, Number))
    return any(cell.look.share is None for cell in cells)


def _bar(cell: GridCell, most: float) -> str:
    """Draws a bar in eighths of the largest; what is there at all has one, and what is left out
    `…`."""
    if isinstance(cell.content, Omission):
        return "⋮" if cell.content is Omission.ROWS else "…"
    if not isinstance(cell.content, Number) or cell.look.share is None:
        return ""
    return _BARS[max(1, round(8 * cell.look.share / most)) if cell.content.full else 0]


_RULE, _CROSS = " │ ", "─┼─"

_Sized = tuple[list[Line], int]
"""The lines of a table, and its width."""


class ScreenColumn(NamedTuple):
    """A column of a table: its heading and its cells, all filled up to one width."""

    heading: StyledText
    cells: tuple[StyledText, ...]

    @classmethod
    def of(cls, column: GridColumn, style: str = "") -> ScreenColumn:
        """Makes a column, with a style that its heading has besides its own."""
        fill, texts = right if column.at_point else left, column.texts
        most = max(map(width, (column.heading.text, *texts)))
        looks = (names_of(cell.look, (None, *SHADES)) for cell in column.cells)
        heading = fill(column.heading.text, most)
        filled = (fill(text, most) for text in texts)
        named = f"{style} {names_of(column.heading.look, SHADES)}"
        return cls(StyledText(heading, named), tuple(map(StyledText, filled, looks)))

    @property
    def width(self) -> int:
        return width(self.heading.text)


def _columns(grid: Grid, corner: str = "name", others: str = "") -> list[ScreenColumn]:
    """Lists the columns, with the styles of the first heading and of the others."""
    styles = (corner, *(others for _ in grid.columns[1:]))
    return [*map(ScreenColumn.of, grid.columns, styles)]


def matrix_lines(block: MatrixBlock, cells: int) -> list[Line]:
    """Sets a quantity as a table, where it has shares with a column of bars if there is room for
    it."""
    columns = columns_of(block)
    bars = bar_column(block) if cells >= ROOM_FOR_BARS else None
    if bars is not None:
        taken = _width_together([*columns, bars]) + BAR - GAP
        columns += [bars] if taken <= cells else []
    lines = _banded(columns, cells)
    if block.after is None:
        return lines
    together = beside_each_other([lines, after_lines(block.after)], _ENDLESS)
    return together if max(map(line_width, together)) <= cells else lines


def after_lines(block: MatrixBlock) -> list[Line]:
    """Sets what is made of each row of another table, at the left of which these are named; shares
    with bars."""
    names, *columns = columns_of(block)
    bars = bar_column(block)
    return band_lines(without_names(names), [*columns, *([] if bars is None else [bars])])


def without_names(names: ScreenColumn) -> ScreenColumn:
    """Returns a column of names with nothing but its heading."""
    heading = names.heading._replace(text=names.heading.text.rstrip())
    empty = StyledText(" " * width(heading.text))
    return ScreenColumn(heading, tuple(empty for _ in names.cells))


def columns_of(block: MatrixBlock) -> list[ScreenColumn]:
    """Lists the columns of a quantity's table, first the names of its rows."""
    return _columns(grid_of(block), f"name {ink_of(block.quantity)}")


def bar_column(block: MatrixBlock) -> ScreenColumn | None:
    """Returns the column of bars of a quantity that has shares; None where there are none to
    draw."""
    bars = bars_of(block, grid_of(block))
    if bars is None:
        return None
    most = max(map(width, bars))
    drawn = (StyledText(left(bar, most), "rule") for bar in bars)
    return ScreenColumn(StyledText(" " * most), tuple(drawn))


def table_lines(block: Table, cells: int) -> list[Line]:
    """Sets a table of words and numbers; its first column names the rows. The halves of one that
    was folded stand beside each other; where they don't fit, it is unfolded."""
    halves = [_table_lines(half, cells) for half in _halves(block)]
    room = sum(map(line_width, (half[0] for half in halves))) + BETWEEN_TABLES
    if len(halves) == 1 or room <= cells:
        return beside_each_other(halves, cells)
    left, right = _halves(block)
    return _table_lines(left._replace(rows=(*left.rows, *right.rows)), cells)


def _halves(block: Table) -> list[Table]:
    """Returns the two halves of a folded table, or a table that isn't."""
    half = len(block.headings) // 2
    if not block.folded:
        return [block]
    left, right = (tuple(row[at] for row in block.rows) for at in (slice(half), slice(half, None)))
    headings = block.headings[:half]
    return [Table(headings, left), Table(headings, tuple(row for row in right if any(row)))]


def _table_lines(block: Table, cells: int) -> list[Line]:
    return _banded(_columns(grid_of(block), others="name"), cells)


def side_by_side_lines(block: SideBySide, cells: int) -> list[Line]:
    """Sets rows of quantities as vectors; as a table each where a vector is wider than the page."""
    names, *columns = _columns(grid_of(block))
    if max(column.width for column in columns) + names.width + BAR <= cells:
        return _banded([names, *columns], cells)
    lines: list[Line] = []
    for _, matrix in block.columns:
        lines += [*([[]] if lines else []), *matrix_lines(matrix, cells)]
    return lines


def _banded(them: Sequence[ScreenColumn], cells: int) -> list[Line]:
    """Sets the columns in as many bands as they need, the row names before each."""
    names, *columns = them
    lines: list[Line] = []
    room = cells - names.width - BAR
    for band in bands(_with_marks(columns, room), _width_together, room, GAP):
        lines += [[]] if lines else []
        lines += band_lines(names, [column for together in band for column in together])
    return lines


def _with_marks(columns: Sequence[ScreenColumn], room: int) -> list[list[ScreenColumn]]:
    """Groups the columns, each with a column of marks behind it, which has no heading: on the next
    band it would say nothing."""
    found: list[list[ScreenColumn]] = []
    for column in columns:
        together = [*found[-1], column] if found and not column.heading.text.strip() else []
        if together and _width_together(together) <= room:
            found[-1] = together
        else:
            found.append([column])
    return found


def _width_together(columns: Sequence[ScreenColumn]) -> int:
    return sum(column.width + GAP for column in columns) - GAP


def band_lines(names: ScreenColumn, columns: Sequence[ScreenColumn]) -> list[Line]:
    """Sets columns as a table, behind the names of its rows."""
    rule = "─" * (names.width + 1)
    long = sum(column.width for column in columns) + GAP * (len(columns) - 1)
    rows = zip(*(column.cells for column in columns), strict=True)
    return [
        _table_line(names.heading, [column.heading for column in columns]),
        [StyledText(rule + _CROSS[1:] + "─" * max(0, long), "rule")],
        *(_table_line(name, row) for name, row in zip(names.cells, rows, strict=True)),
    ]


def _table_line(name: StyledText, cells: Sequence[StyledText]) -> Line:
    line = [name, StyledText(_RULE, "rule")]
    for k, cell in enumerate(cells):
        line += [StyledText(" " * GAP), cell] if k else [cell]
    return line


def tables_together(blocks: Sequence[MatrixBlock], cells: int) -> list[Line]:
    """Sets quantities as tables beside each other, pairs closer, as long as they fit, then
    below."""
    groups = ([matrix_lines(block, cells) for block in group] for group in in_groups(blocks))
    return _flowing([_pair(group, cells) for group in groups], cells)


def _pair(tables: Sequence[list[Line]], cells: int) -> _Sized:
    """Sets tables that belong beside each other; where they don't fit, below each other on their
    own."""
    sized = [*map(_sized, tables)]
    if len(tables) == 1:
        return sized[0]
    together = _joined(sized, GAP)
    if (width := max(map(line_width, together))) <= cells:
        return together, width
    return [line for table in tables for line in ([], *table)][1:], cells


def _sized(table: list[Line]) -> _Sized:
    return table, max(map(line_width, table))


def beside_each_other(tables: Sequence[list[Line]], cells: int) -> list[Line]:
    """Sets tables beside each other as long as they fit, then below."""
    return _flowing([*map(_sized, tables)], cells)


def _flowing(sized: Sequence[_Sized], cells: int) -> list[Line]:
    lines: list[Line] = []
    for row in bands(sized, lambda e: e[1], cells, BETWEEN_TABLES):
        lines += [*([[]] if lines else []), *_joined(row, BETWEEN_TABLES)]
    return lines


def _joined(tables: Sequence[_Sized], between: int) -> list[Line]:
    """Joins tables of these widths, line by line."""
    lines: list[Line] = []
    for k in range(max(len(table) for table, _ in tables)):
        line: Line = []
        for table, size in tables:
            gap = [StyledText(" " * between)] if line else []
            row = table[k] if k < len(table) else []
            line += [*gap, *row, StyledText(" " * (size - line_width(row)))]
        lines.append(line)
    return lines
