"""Quantities, and whatever else has rows and columns, as HTML tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attncli.arithmetic.expression import MOST_PARTS, Blank, Omitted, Vector, elided
from attncli.document import Facts, Graph, MatrixBlock, SideBySide, Table
from attncli.render.figures import (
    column_heading,
    heading_of,
    row_heading,
    shown_rows,
    sum_heading,
    sum_text,
    text_of,
)
from attncli.render.html.spans import expression_html, spans_html
from attncli.render.html.style import Style
from attncli.word import Word


def table_of(rows: Iterable[str], head: str = "") -> str:
    """Rows, each a whole `<tr>`, below a head."""
    top = f"<thead>\n{head}\n</thead>\n" if head else ""
    body = "\n".join(rows)
    return f"<table>\n{top}<tbody>\n{body}\n</tbody>\n</table>"


def row_of(name: str, cells: Iterable[str], *, figures: bool = False) -> str:
    """A row: its name and its cells."""
    kind = ' class="figure"' if figures else ""
    inside = "".join(f"<td{kind}>{cell}</td>" for cell in cells)
    return f'<tr><th scope="row">{name}</th>{inside}</tr>'


def head_of(headings: Iterable[str], *, figures: bool = False) -> str:
    """The headings of columns; the first stands above the names of the rows."""
    kinds = ("", ' class="figure"' if figures else "")
    cells = (f'<th scope="col"{kinds[k > 0]}>{heading}</th>' for k, heading in enumerate(headings))
    return f"<tr>{''.join(cells)}</tr>"


def facts_html(facts: Facts, style: Style) -> str:
    rows = [row_of(style.word(name), [spans_html(told, style)]) for name, told in facts.rows]
    return table_of(rows)


def words_html(block: Table, style: Style) -> str:
    """A table of words."""
    rows = []
    for row in block.rows:
        first, *others = (_cell(cell, style) for cell in row)
        rows.append(row_of(first, others))
    return table_of(rows, head_of(_cell(heading, style) for heading in block.headings))


def _cell(cell: Word | str | Omitted, style: Style) -> str:
    if isinstance(cell, Word):
        return style.word(cell)
    return style.text(cell) if isinstance(cell, str) else "⋮"


def matrix_html(block: MatrixBlock, style: Style) -> str:
    """A quantity with the names of its rows and columns; a blank where one is asked for."""
    columns = elided(block.matrix.shape[1], MOST_PARTS)
    headings = [_name(block, style), *(style.word(column_heading(block, j)) for j in columns)]
    headings += [style.text(sum_heading(block))] if block.with_sums else []
    rows = []
    for i in shown_rows(block):
        cells = [_entry(block, i, j, style) for j in columns]
        cells += [sum_text(block, i)] if block.with_sums else []
        rows.append(row_of(style.word(row_heading(block, i)), cells, figures=True))
    return table_of(rows, head_of(headings, figures=True))


def _name(block: MatrixBlock, style: Style) -> str:
    return f"<code>{style.word(heading_of(block))}</code>"


def _entry(block: MatrixBlock, i: int | None, j: int | None, style: Style) -> str:
    if i is None:
        return "⋮"
    if j is None:
        return "…"
    entry = block.entry(i, j)
    return style.blank(entry) if isinstance(entry, Blank) else text_of(entry)


def side_by_side_html(block: SideBySide, style: Style) -> str:
    """Rows of several quantities as vectors."""
    first = block.columns[0][1]
    rows = []
    for i in shown_rows(first):
        cells = ("⋮" if i is None else _vector(matrix, i, style) for _, matrix in block.columns)
        rows.append(row_of(style.word(row_heading(first, i)), cells))
    headings = ["Token", *(style.word(heading) for heading, _ in block.columns)]
    caption = f"<p><strong>{style.word(block.caption)}</strong></p>\n" if block.caption else ""
    return caption + table_of(rows, head_of(headings))


def _vector(block: MatrixBlock, i: int, style: Style) -> str:
    places = elided(block.matrix.shape[1], MOST_PARTS)
    entries = (Omitted() if j is None else block.entry(i, j) for j in places)
    return expression_html(Vector(tuple(entries)), style)


def graph_html(block: Graph, style: Style) -> str:
    """Who attends to whom, a row for each edge."""
    rows = [
        row_of(style.word(edge.source), _target(edge.target, text_of(edge.weight), style))
        for edge in block.edges
    ]
    return table_of(rows, head_of(["from", "to", f"<code>{style.word(block.name)}</code>"]))


def _target(target: Word, weight: str, style: Style) -> Sequence[str]:
    return (style.word(target), weight)
