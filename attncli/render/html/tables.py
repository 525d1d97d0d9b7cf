"""Quantities, lines of working, and whatever else has rows and columns, as HTML tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attncli.arithmetic.expression import (
    Blank,
    Expression,
    Number,
    Omitted,
    Symbol,
    Vector,
    blanks_in,
)
from attncli.document import Addition, Facts, Graph, Line, Table, TableCell, Working
from attncli.marked import MarkedNumber
from attncli.render.colours import VERDICTS
from attncli.render.grid import Entry, Grid, Label, entry_text, grid_of, grid_of_vectors, label_of
from attncli.render.html.spans import code_html, expression_html, plain_html, spans_html
from attncli.render.html.style import HtmlStyle
from attncli.render.numbers import addends_of, heading_of
from attncli.tables import Branch, MatrixBlock, SideBySide
from attncli.word import Word


def table_of(rows: Iterable[str], head: str = "") -> str:
    """Rows, each a whole `<tr>`, below a head."""
    top = f"<thead>\n{head}\n</thead>\n" if head else ""
    body = "\n".join(rows)
    return f"<table>\n{top}<tbody>\n{body}\n</tbody>\n</table>"


def _framed(style: HtmlStyle, kind: str, rows: Iterable[str], head: str = "") -> str:
    """A table in what a format puts around one of its kind."""
    return style.framed(table_of(rows, head), kind)


def row_of(name: str, cells: Iterable[str], *, numbers: bool = False, kind: str = "") -> str:
    """A row: its name, of a `kind` that looks otherwise, and its cells."""
    figure = ' class="figure"' if numbers else ""
    inside = "".join(f"<td{figure}>{cell}</td>" for cell in cells)
    named = _heading(name, "row", f' class="{kind}"' if kind else "")
    return f"<tr>{named}{inside}</tr>"


def _heading(name: str, scope: str, kind: str = "") -> str:
    """What names a row or a column; where it has no name, an empty cell, which is no heading."""
    return f'<th scope="{scope}"{kind}>{name}</th>' if name else f"<td{kind}></td>"


def head_of(headings: Iterable[str], *, numbers: bool = False) -> str:
    """The headings of columns; the first stands above the names of the rows."""
    kinds = ("", ' class="figure"' if numbers else "")
    cells = (_heading(heading, "col", kinds[k > 0]) for k, heading in enumerate(headings))
    return f"<tr>{''.join(cells)}</tr>"


def facts_html(facts: Facts, style: HtmlStyle) -> str:
    rows = [row_of(style.word(name), [spans_html(told, style)]) for name, told in facts.rows]
    return _framed(style, "facts", rows)


def words_html(block: Table, style: HtmlStyle) -> str:
    """A table of words."""
    rows = []
    for row in block.rows:
        first, *others = (_cell(cell, style) for cell in row)
        rows.append(row_of(first, others, kind="branch" * isinstance(row[0], Branch)))
    head = head_of(_cell(heading, style) for heading in block.headings)
    return _framed(style, "words", rows, head)


def _cell(cell: TableCell, style: HtmlStyle) -> str:
    if isinstance(cell, MarkedNumber):
        return f'<span class="{VERDICTS[cell.judgement]}">{style.word(label_of(cell))}</span>'
    if isinstance(cell, Branch):
        return f"{''.join(map(_GUIDES.__getitem__, cell.guides))}{style.text(cell.told)}"
    told = label_of(cell)
    return style.word(told) if isinstance(told, Word) else style.text(told)


_GUIDES = {
    "│": '<i class="past"></i>', "├": '<i class="fork"></i>', "└": '<i class="last"></i>',
    " ": "<i></i>",
}  # fmt: skip


def matrix_html(block: MatrixBlock, style: HtmlStyle) -> str:
    """A quantity with the names of its rows and columns; a blank where one is asked for."""
    heading = heading_of(block)
    name = f"<code>{style.word(heading)}</code>" if heading else ""
    return _quantity(name, grid_of(block), style, numbers=True)


def side_by_side_html(block: SideBySide, style: HtmlStyle) -> str:
    """Rows of several quantities as vectors."""
    caption = f"<p><strong>{style.word(block.caption)}</strong></p>\n" if block.caption else ""
    return caption + _quantity("Token", grid_of_vectors(block), style, numbers=False)


def _quantity(corner: str, grid: Grid, style: HtmlStyle, *, numbers: bool) -> str:
    looks = [style.looks(grid, column) for column in grid.columns]
    rows = [
        _row_of_entries(_named(name, style), entries, [look[i] for look in looks], style, numbers)
        for i, (name, entries) in enumerate(grid.rows())
    ]
    headings = [corner, *(_named(heading, style) for heading in grid.headings)]
    kind = "quantity" if numbers else "vectors"
    return _framed(style, kind, rows, head_of(headings, numbers=numbers))


def _row_of_entries(
    name: str, entries: Sequence[Entry], looks: Sequence[str], style: HtmlStyle, numbers: bool
) -> str:
    kinds = (" ".join(filter(None, ("figure" * numbers, look))) for look in looks)
    cells = (
        f'<td class="{kind}">{_entry(one, style)}</td>'
        if kind
        else f"<td>{_entry(one, style)}</td>"
        for one, kind in zip(entries, kinds, strict=True)
    )
    return f"<tr>{_heading(name, 'row')}{''.join(cells)}</tr>"


def _named(name: Label, style: HtmlStyle) -> str:
    label = label_of(name)
    if label in ("", Word("")):
        return ""
    told = style.word(label)
    return f"<code>{told}</code>" if isinstance(name, Symbol) else told


def _entry(entry: Entry, style: HtmlStyle) -> str:
    if isinstance(entry, Vector):
        return expression_html(entry, style)
    if isinstance(entry, Number):
        return style.number(entry)
    if isinstance(entry, Word):
        return style.word(entry)
    return style.blank(entry) if isinstance(entry, Blank) else entry_text(entry)


def graph_html(block: Graph, style: HtmlStyle) -> str:
    """Who attends to whom, a row for each edge."""
    rows = [
        row_of(style.word(edge.source), (style.word(edge.target), style.number(edge.weight)))
        for edge in block.edges
    ]
    head = head_of(["from", "to", f"<code>{style.word(block.name)}</code>"])
    return _framed(style, "graph", rows, head)


def working_html(block: Working, style: HtmlStyle) -> str:
    """A row for each line: its name, its working, its result. Where one of the lines has a
    blank, all of them are in plain notation."""
    lines = [line for line in block.lines if isinstance(line, Line)]
    plainly = _in_plain_notation(style, (part for line in lines for _, part in line.parts))
    worked = any(len(line.parts) > 1 for line in lines)
    rows = (
        row_of("⋮", [""] * (1 + worked))
        if isinstance(line, Omitted)
        else _row(line, style, plainly, worked)
        for line in block.lines
    )
    return _framed(style, "working", rows)


def _in_plain_notation(style: HtmlStyle, parts: Iterable[Expression]) -> bool:
    return style.inline is not None or any(any(blanks_in(part)) for part in parts)


def _row(line: Line, style: HtmlStyle, plainly: bool, worked: bool) -> str:
    write = plain_html if plainly else expression_html
    *before, result = (f"{relation} {write(part, style)}" for relation, part in line.parts)
    if not isinstance(line.parts[-1][1], Vector):
        result = f'<span class="result">{result}</span>'  # a vector may have to be broken
    cells = [" ".join(before), result] if worked else [result]
    return row_of(code_html(line.label, style), cells)


def addition_html(block: Addition, style: HtmlStyle) -> str:
    """Vectors added up in columns: each product with its value, and the total."""
    addends = addends_of(block)
    told = [block.total, *(part for one in addends for part in one[1:] if part is not None)]
    write = plain_html if _in_plain_notation(style, told) else expression_html
    rows = []
    for sign, product, value in addends:
        cells = ["…", ""] if value is None else [write(product, style), f"→ {write(value, style)}"]
        rows.append(row_of(sign.strip(), cells))
    rows.append(row_of(block.relation, ["", write(block.total, style)]))
    label = f'<tr><th scope="colgroup" colspan="3">{code_html(block.label, style)}</th></tr>'
    return _framed(style, "addition", rows, label)
