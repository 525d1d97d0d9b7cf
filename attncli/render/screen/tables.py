"""Tables on a screen: decimals lined up at the point, wide ones split into bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attncli.arithmetic.expression import MOST_PARTS, elided
from attncli.document import MatrixBlock, SideBySide, Table
from attncli.notation.words import printed
from attncli.render.figures import (
    at_point,
    column_heading,
    heading_of,
    row_heading,
    shown_rows,
    sum_heading,
    sum_text,
    text_of,
    vector_texts,
)
from attncli.render.screen.lines import Line, Piece, left, line_width, right, width
from attncli.word import Word

_GAP = "  "
_BAR = " │ "
_CROSS = "─┼─"
_GAP_BETWEEN_TABLES = 4


class Column(NamedTuple):
    """A column of a table: its heading and its cells, all filled up to one width."""

    heading: str
    cells: tuple[str, ...]

    @classmethod
    def of(cls, heading: str, cells: Sequence[str], *, numbers: bool = True) -> Column:
        fill = right if numbers else left
        aligned = at_point(cells) if numbers else list(cells)
        most = max(map(width, [heading, *aligned]))
        return cls(fill(heading, most), tuple(fill(cell, most) for cell in aligned))

    @property
    def width(self) -> int:
        return width(self.heading)


def matrix_lines(block: MatrixBlock, cells: int) -> list[Line]:
    """A quantity as a table."""
    names, rows = _row_names(block)
    return _banded(names, _matrix_columns(block, rows), cells)


def _row_names(block: MatrixBlock) -> tuple[Column, list[int | None]]:
    rows = shown_rows(block)
    names = [_cell_text(row_heading(block, row)) for row in rows]
    return Column.of(heading_of(block), names, numbers=False), rows


def _matrix_columns(block: MatrixBlock, rows: Sequence[int | None]) -> list[Column]:
    columns = []
    for j in elided(block.matrix.shape[1], MOST_PARTS):
        if j is None:
            columns.append(Column.of("…", ["…" for _ in rows]))
            continue
        texts = ["⋮" if i is None else text_of(block.entry(i, j)) for i in rows]
        columns.append(Column.of(_cell_text(column_heading(block, j)), texts))
    if block.with_sums:
        sums = [sum_text(block, i) for i in rows]
        columns.append(Column.of(sum_heading(block), sums))
    return columns


def table_lines(block: Table, cells: int) -> list[Line]:
    """A table of words and figures; its first column names the rows."""
    columns = []
    for j, heading in enumerate(block.headings):
        texts = [_cell_text(row[j]) for row in block.rows]
        numbers = all(text.isdigit() or text == "⋮" for text in texts)
        columns.append(Column.of(_cell_text(heading), texts, numbers=numbers))
    return _banded(columns[0], columns[1:], cells)


def _cell_text(cell: object) -> str:
    if isinstance(cell, Word):
        return printed(cell)
    return cell if isinstance(cell, str) else "⋮"


def side_by_side_lines(block: SideBySide, cells: int) -> list[Line]:
    """Rows of quantities as vectors; as a table each where a vector is wider than the page."""
    first = block.columns[0][1]
    names, rows = _row_names(first)
    names = Column.of("Token", names.cells, numbers=False)
    columns = [
        Column.of(heading, vector_texts(matrix, rows), numbers=False)
        for heading, matrix in block.columns
    ]
    if max(column.width for column in columns) + names.width + len(_BAR) <= cells:
        return _banded(names, columns, cells)
    lines: list[Line] = []
    for _, matrix in block.columns:
        lines += [*([[]] if lines else []), *matrix_lines(matrix, cells)]
    return lines


def _banded(names: Column, columns: Sequence[Column], cells: int) -> list[Line]:
    """The columns in as many bands as they need, the row names before each."""
    lines: list[Line] = []
    for band in _bands(columns, cells - names.width - len(_BAR)):
        lines += [[]] if lines else []
        lines += _band_lines(names, band)
    return lines


def _bands(columns: Sequence[Column], room: int) -> list[list[Column]]:
    bands: list[list[Column]] = [[]]
    for column in columns:
        used = sum(placed.width + len(_GAP) for placed in bands[-1])
        if bands[-1] and used + column.width > room:
            bands.append([])
        bands[-1].append(column)
    return bands


def _band_lines(names: Column, columns: Sequence[Column]) -> list[Line]:
    headings = _GAP.join(column.heading for column in columns)
    rule = "─" * (names.width + 1)
    lines: list[Line] = [
        [Piece(names.heading, "name"), Piece(_BAR, "rule"), Piece(headings, "heading")],
        [Piece(rule + _CROSS[1:] + "─" * width(headings), "rule")],
    ]
    for i, name in enumerate(names.cells):
        row = _GAP.join(column.cells[i] for column in columns)
        lines.append([Piece(name, "heading"), Piece(_BAR, "rule"), Piece(row, "figure")])
    return lines


def beside_each_other(tables: Sequence[list[Line]], cells: int) -> list[Line]:
    """Tables set beside each other as long as they fit, then below."""
    lines: list[Line] = []
    row: list[list[Line]] = []
    for table in tables:
        if row and sum(map(_width_of, [*row, table])) + _GAP_BETWEEN_TABLES * len(row) > cells:
            lines += [*_joined(row), []]
            row = []
        row.append(table)
    return [*lines, *_joined(row)]


def _width_of(table: list[Line]) -> int:
    return max(map(line_width, table))


def _joined(tables: Sequence[list[Line]]) -> list[Line]:
    lines: list[Line] = []
    for k in range(max(map(len, tables))):
        line: Line = []
        for table in tables:
            if line:
                line.append(Piece(" " * _GAP_BETWEEN_TABLES))
            row = table[k] if k < len(table) else []
            line += [*row, Piece(" " * (_width_of(table) - line_width(row)))]
        lines.append(line)
    return lines
