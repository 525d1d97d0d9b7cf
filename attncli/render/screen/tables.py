"""Tables on a screen: decimals lined up at the point, wide ones split into bands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from attncli.arithmetic.expression import Number, Vector
from attncli.document import Table, TableCell
from attncli.marked import MarkedNumber
from attncli.notation.columns import bands
from attncli.notation.words import printed
from attncli.render.colours import SHADES, VERDICTS, ink_of, shade_of
from attncli.render.grid import (
    Entry,
    Grid,
    GridColumn,
    Omission,
    SumEntry,
    entry_text,
    grid_of,
    grid_of_vectors,
    label_of,
)
from attncli.render.numbers import at_point, filled_vectors, heading_of
from attncli.render.screen.lines import Line, StyledText, left, line_width, right, width
from attncli.tables import MatrixBlock, SideBySide, in_groups

ROOM_FOR_BARS = 76
"""A table has bars where it has as much room as on a page of 80 columns."""
_BARS = " ▁▂▃▄▅▆▇█"


def bars_of(block: MatrixBlock, grid: Grid) -> list[str] | None:
    """A bar for each share of each row, in the order of the columns, the largest of the table as
    high as can be. None where there are no shares, where only one can be, or where some are asked
    for: bars would tell them."""
    columns = [column for column in grid.columns if block.turned or not _is_sums(column)]
    if not block.shares or block.matrix.shape[1] == 1 or None in _largest(grid):
        return None
    most = max((float(number) for number in grid.largest if number is not None), default=0.0)
    rows = [[column.entries[k] for column in columns] for k in range(len(grid.names))]
    numbers = [entry for row in rows for entry in row if isinstance(entry, Number)]
    if most <= 0 or any(number.shown < 0 for number in numbers):
        return None
    return ["".join(_bar(entry, most) for entry in row).rstrip() for row in rows]


def _largest(grid: Grid) -> Sequence[object]:
    """The largest number of each row that isn't left out."""
    named = zip(grid.names, grid.largest, strict=True)
    return [most for name, most in named if not isinstance(name, Omission)]


def _is_sums(column: GridColumn) -> bool:
    return any(isinstance(entry, SumEntry) for entry in column.entries)


def _bar(entry: Entry, most: float) -> str:
    """A bar in eighths of the largest; what is there at all has one, and what is left out `…`."""
    if not isinstance(entry, Number):
        return "⋮" if entry is Omission.ROWS else "…" if isinstance(entry, Omission) else ""
    eighths = round(8 * float(entry.shown) / most)
    return _BARS[max(1, eighths) if entry.full else 0]


def entry_styles(grid: Grid, column: GridColumn) -> list[str]:
    """The style of each entry of a column."""
    block = column.quantity
    if block is None:
        return [""] * len(column.entries)
    if not block.shares:
        return [style_of(block)] * len(column.entries)
    return [_style_of_share(*one) for one in zip(column.entries, grid.largest, strict=True)]


def style_of(block: MatrixBlock) -> str:
    """The style of a quantity's numbers: the result, given ones, queries, keys and values."""
    if block.is_result:
        return "result"
    return "given" if block.given else ink_of(block.quantity)


def _style_of_share(share: Entry, largest: Decimal | None) -> str:
    """Shaded by its size; the largest of a row bold."""
    if not isinstance(share, Number):
        return ""
    shade = shade_of(float(share.shown), (None, *SHADES))
    styles = [f"shade{shade}"] if shade else []
    return " ".join([*styles, *(["most"] if share.shown == largest else [])])


_GAP = "  "
_NUMBER = r"[−]?\d+(?:\.\d+)?|⋮|"
_BAR = " │ "
_CROSS = "─┼─"
_GAP_BETWEEN_TABLES, _GAP_IN_PAIR = 4, 2

_Sized = tuple[list[Line], int]
"""The lines of a table, and its width."""


class ScreenColumn(NamedTuple):
    """A column of a table: its heading and its cells, all filled up to one width."""

    heading: StyledText
    cells: tuple[StyledText, ...]

    @classmethod
    def of(
        cls, heading: StyledText, cells: Sequence[StyledText], *, numbers: bool = True
    ) -> ScreenColumn:
        fill = right if numbers else left
        texts = [cell.text for cell in cells]
        aligned = at_point(texts) if numbers else texts
        most = max(map(width, [heading.text, *aligned]))
        filled = zip((fill(text, most) for text in aligned), cells, strict=True)
        return cls(
            StyledText(fill(heading.text, most), heading.style),
            tuple(StyledText(text, cell.style) for text, cell in filled),
        )

    @property
    def width(self) -> int:
        return width(self.heading.text)


def matrix_lines(block: MatrixBlock, cells: int) -> list[Line]:
    """A quantity as a table."""
    grid = grid_of(block)
    columns = [
        ScreenColumn.of(
            StyledText(printed(label_of(column.heading)), column.role),
            [*map(StyledText, map(_entry_text, column.entries), entry_styles(grid, column))],
            numbers=not column.has_words,
        )
        for column in grid.columns
    ]
    names = _row_names(block, heading_of(block), grid)
    return _banded(names, [*columns, *_bars(block, grid, names, columns, cells)], cells)


def _bars(
    block: MatrixBlock,
    grid: Grid,
    names: ScreenColumn,
    columns: Sequence[ScreenColumn],
    cells: int,
) -> list[ScreenColumn]:
    """A column of bars, where a table has shares and room beside all of them."""
    bars = bars_of(block, grid) if cells >= ROOM_FOR_BARS else None
    if bars is None:
        return []
    added = ScreenColumn.of(
        StyledText(""), [StyledText(bar, "rule") for bar in bars], numbers=False
    )
    taken = names.width + len(_BAR) + sum(column.width + len(_GAP) for column in columns)
    return [added] if taken + added.width <= cells else []


def _row_names(block: MatrixBlock, heading: str, grid: Grid) -> ScreenColumn:
    names = [StyledText(printed(label_of(name)), block.role_of_names) for name in grid.names]
    style = f"name {ink_of(block.quantity)}"
    return ScreenColumn.of(StyledText(heading, style), names, numbers=False)


def _entry_text(entry: Entry) -> str:
    return "…" if entry is Omission.BOTH else entry_text(entry)


def table_lines(block: Table, cells: int) -> list[Line]:
    """A table of words and numbers; its first column names the rows. The halves of one that was
    folded stand beside each other; where they don't fit, it is unfolded."""
    halves = [_table_lines(half, cells) for half in _halves(block)]
    room = sum(map(line_width, (half[0] for half in halves))) + _GAP_BETWEEN_TABLES
    if len(halves) == 1 or room <= cells:
        return beside_each_other(halves, cells)
    left, right = _halves(block)
    return _table_lines(left._replace(rows=(*left.rows, *right.rows)), cells)


def _halves(block: Table) -> list[Table]:
    """The two halves of a folded table, or a table that isn't."""
    half = len(block.headings) // 2
    if not block.folded:
        return [block]
    left, right = (tuple(row[at] for row in block.rows) for at in (slice(half), slice(half, None)))
    headings = block.headings[:half]
    return [Table(headings, left), Table(headings, tuple(row for row in right if any(row)))]


def _table_lines(block: Table, cells: int) -> list[Line]:
    columns = []
    for j, heading in enumerate(block.headings):
        texts = [StyledText(printed(label_of(row[j])), _style_of(row[j])) for row in block.rows]
        numbers = all(re.fullmatch(_NUMBER, one.text) for one in texts)
        named = StyledText(printed(label_of(heading)), "name")
        columns.append(ScreenColumn.of(named, texts, numbers=numbers))
    return _banded(columns[0], columns[1:], cells)


def _style_of(cell: TableCell) -> str:
    return VERDICTS[cell.judgement] if isinstance(cell, MarkedNumber) else ""


def side_by_side_lines(block: SideBySide, cells: int) -> list[Line]:
    """Rows of quantities as vectors; as a table each where a vector is wider than the page."""
    grid = grid_of_vectors(block)
    named = _row_names(block.columns[0][1], "", grid)
    names = ScreenColumn.of(StyledText("Token", "name"), named.cells, numbers=False)
    columns = [_column_of_vectors(grid, column) for column in grid.columns]
    if max(column.width for column in columns) + names.width + len(_BAR) <= cells:
        return _banded(names, columns, cells)
    lines: list[Line] = []
    for _, matrix in block.columns:
        lines += [*([[]] if lines else []), *matrix_lines(matrix, cells)]
    return lines


def _column_of_vectors(grid: Grid, column: GridColumn) -> ScreenColumn:
    ink = ink_of(column.quantity.quantity) if column.quantity else ""
    styles = entry_styles(grid, column)
    texts = [*map(StyledText, _vector_texts(column.entries), styles)]
    return ScreenColumn.of(StyledText(printed(label_of(column.heading)), ink), texts, numbers=False)


def _vector_texts(entries: Sequence[Entry]) -> list[str]:
    """Vectors as texts, each entry filled up to the width of its column."""
    texts = iter(filled_vectors([entry for entry in entries if isinstance(entry, Vector)]))
    return [next(texts) if isinstance(entry, Vector) else _entry_text(entry) for entry in entries]


def _banded(names: ScreenColumn, columns: Sequence[ScreenColumn], cells: int) -> list[Line]:
    """The columns in as many bands as they need, the row names before each."""
    lines: list[Line] = []
    room = cells - names.width - len(_BAR)
    for band in bands(_with_marks(columns, room), _width_together, room, len(_GAP)):
        lines += [[]] if lines else []
        lines += _band_lines(names, [column for together in band for column in together])
    return lines


def _with_marks(columns: Sequence[ScreenColumn], room: int) -> list[list[ScreenColumn]]:
    """The columns, each with a column of marks behind it, which has no heading: on the next band it
    would say nothing."""
    found: list[list[ScreenColumn]] = []
    for column in columns:
        together = [*found[-1], column] if found and not column.heading.text.strip() else []
        if together and _width_together(together) <= room:
            found[-1] = together
        else:
            found.append([column])
    return found


def _width_together(columns: Sequence[ScreenColumn]) -> int:
    return sum(column.width + len(_GAP) for column in columns) - len(_GAP)


def _band_lines(names: ScreenColumn, columns: Sequence[ScreenColumn]) -> list[Line]:
    rule = "─" * (names.width + 1)
    long = sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)
    rows = zip(*(column.cells for column in columns), strict=True)
    return [
        _row(names.heading, [column.heading for column in columns]),
        [StyledText(rule + _CROSS[1:] + "─" * max(0, long), "rule")],
        *(_row(name, row) for name, row in zip(names.cells, rows, strict=True)),
    ]


def _row(name: StyledText, cells: Sequence[StyledText]) -> Line:
    line = [name, StyledText(_BAR, "rule")]
    for k, cell in enumerate(cells):
        line += [StyledText(_GAP), cell] if k else [cell]
    return line


def tables_together(blocks: Sequence[MatrixBlock], cells: int) -> list[Line]:
    """Quantities as tables beside each other, pairs closer, as long as they fit, then below."""
    groups = ([matrix_lines(one, cells) for one in group] for group in in_groups(blocks))
    return _flowing([_pair(group, cells) for group in groups], cells)


def _pair(tables: Sequence[list[Line]], cells: int) -> _Sized:
    """Tables that belong beside each other; where they don't fit, below each other on their own."""
    sized = [*map(_sized, tables)]
    if len(tables) == 1:
        return sized[0]
    together = _joined(sized, _GAP_IN_PAIR)
    if (width := max(map(line_width, together))) <= cells:
        return together, width
    return [line for table in tables for line in ([], *table)][1:], cells


def _sized(table: list[Line]) -> _Sized:
    return table, max(map(line_width, table))


def beside_each_other(tables: Sequence[list[Line]], cells: int) -> list[Line]:
    """Tables set beside each other as long as they fit, then below."""
    return _flowing([*map(_sized, tables)], cells)


def _flowing(sized: Sequence[_Sized], cells: int) -> list[Line]:
    lines: list[Line] = []
    for row in bands(sized, lambda one: one[1], cells, _GAP_BETWEEN_TABLES):
        lines += [*([[]] if lines else []), *_joined(row, _GAP_BETWEEN_TABLES)]
    return lines


def _joined(tables: Sequence[_Sized], between: int) -> list[Line]:
    """Tables of these widths, line by line."""
    lines: list[Line] = []
    for k in range(max(len(table) for table, _ in tables)):
        line: Line = []
        for table, size in tables:
            gap = [StyledText(" " * between)] if line else []
            row = table[k] if k < len(table) else []
            line += [*gap, *row, StyledText(" " * (size - line_width(row)))]
        lines.append(line)
    return lines
