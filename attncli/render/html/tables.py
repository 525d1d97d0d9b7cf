"""Quantities, and whatever else has rows and columns, as HTML tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attncli.arithmetic.expression import Blank, Omitted, Vector
from attncli.document import Facts, Graph, MatrixBlock, SideBySide, Table
from attncli.render.grid import Entry, Label, entry_text, grid_of, grid_of_vectors, label_of
from attncli.render.html.spans import expression_html, spans_html
from attncli.render.html.style import HtmlStyle
from attncli.render.numbers import heading_of, text_of
from attncli.word import Word


def table_of(rows: Iterable[str], head: str = "") -> str:
    """Rows, each a whole `<tr>`, below a head."""
    top = f"<thead>\n{head}\n</thead>\n" if head else ""
    body = "\n".join(rows)
    return f"<table>\n{top}<tbody>\n{body}\n</tbody>\n</table>"


def row_of(name: str, cells: Iterable[str], *, numbers: bool = False) -> str:
    """A row: its name and its cells."""
    kind = ' class="figure"' if numbers else ""
    inside = "".join(f"<td{kind}>{cell}</td>" for cell in cells)
    return f'<tr><th scope="row">{name}</th>{inside}</tr>'


def head_of(headings: Iterable[str], *, numbers: bool = False) -> str:
    """The headings of columns; the first stands above the names of the rows."""
    kinds = ("", ' class="figure"' if numbers else "")
    cells = (f'<th scope="col"{kinds[k > 0]}>{heading}</th>' for k, heading in enumerate(headings))
    return f"<tr>{''.join(cells)}</tr>"


def facts_html(facts: Facts, style: HtmlStyle) -> str:
    rows = [row_of(style.word(name), [spans_html(told, style)]) for name, told in facts.rows]
    return table_of(rows)


def words_html(block: Table, style: HtmlStyle) -> str:
    """A table of words."""
    rows = []
    for row in block.rows:
        first, *others = (_cell(cell, style) for cell in row)
        rows.append(row_of(first, others))
    return table_of(rows, head_of(_cell(heading, style) for heading in block.headings))


def _cell(cell: Word | str | Omitted, style: HtmlStyle) -> str:
    if isinstance(cell, Word):
        return style.word(cell)
    return style.text(cell) if isinstance(cell, str) else "⋮"


def matrix_html(block: MatrixBlock, style: HtmlStyle) -> str:
    """A quantity with the names of its rows and columns; a blank where one is asked for."""
    grid = grid_of(block)
    rows = [
        row_of(_named(name, style), (_entry(one, style) for one in entries), numbers=True)
        for name, entries in grid.rows()
    ]
    name = f"<code>{style.word(heading_of(block))}</code>"
    headings = [name, *(_named(heading, style) for heading in grid.headings)]
    return table_of(rows, head_of(headings, numbers=True))


def _named(name: Label, style: HtmlStyle) -> str:
    return style.word(label_of(name))


def _entry(entry: Entry, style: HtmlStyle) -> str:
    if isinstance(entry, Vector):
        return expression_html(entry, style)
    return style.blank(entry) if isinstance(entry, Blank) else entry_text(entry)


def side_by_side_html(block: SideBySide, style: HtmlStyle) -> str:
    """Rows of several quantities as vectors."""
    grid = grid_of_vectors(block)
    rows = [
        row_of(_named(name, style), (_entry(one, style) for one in entries))
        for name, entries in grid.rows()
    ]
    headings = ["Token", *(_named(heading, style) for heading in grid.headings)]
    caption = f"<p><strong>{style.word(block.caption)}</strong></p>\n" if block.caption else ""
    return caption + table_of(rows, head_of(headings))


def graph_html(block: Graph, style: HtmlStyle) -> str:
    """Who attends to whom, a row for each edge."""
    rows = [
        row_of(style.word(edge.source), _target(edge.target, text_of(edge.weight), style))
        for edge in block.edges
    ]
    return table_of(rows, head_of(["from", "to", f"<code>{style.word(block.name)}</code>"]))


def _target(target: Word, weight: str, style: HtmlStyle) -> Sequence[str]:
    return (style.word(target), weight)
