"""Every block as HTML, and how a format writes what differs between formats made of HTML."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from html import escape
from itertools import repeat
from typing import Any, NamedTuple

from attncli.document import blocks as doc
from attncli.document.blocks import (
    ColumnSum,
    DefinitionList,
    Derivation,
    Graph,
    Line,
    Span,
    Spans,
    Table,
    WordBlank,
    parts_of,
)
from attncli.document.grid import (
    Grid,
    GridCell,
    Look,
    Omission,
    grid_of,
    grid_of_product,
    ink_of,
)
from attncli.document.pictures import PICTURES, Picture
from attncli.document.retold import Mark
from attncli.document.tables import Branch, MatrixBlock, ProductBlock, SideBySide
from attncli.formats.numbers import addends_of, text_of
from attncli.formats.pictures_in_tables import in_tables
from attncli.formats.screen.lines import width
from attncli.formats.writers import spans_as, written
from attncli.maths.equations.tree import (
    Blank,
    Equation,
    Expression,
    Number,
    Omitted,
    Symbol,
    Transposed,
    Vector,
    blanks_in,
    leaves,
    with_each,
)
from attncli.maths.notation import name_of, plain, unbreakable
from attncli.maths.notation.escaping import ISOLATE, POP, is_hidden, json_text, printed
from attncli.names import Word


def escaped(text: str) -> str:
    """Escapes a text, so that it has nothing that HTML would obey, in or outside quotes."""
    return escape(text, quote=True)


def attribute(data: str) -> str:
    """Writes data for a page's script in an attribute, where what is hidden stands as a
    reference."""
    return re.sub(
        r"[^ -~]", lambda c: f"&#{ord(c[0])};" if is_hidden(c[0]) else c[0], escaped(data)
    )


def isolating(html: str) -> str:
    """Puts elements for isolates, by which what runs to the left is kept to itself."""
    return html.replace(ISOLATE, "<bdi>").replace(POP, "</bdi>")


def embedded(data: object) -> str:
    """Writes data for a page's script, as JSON that nothing in a page can end early."""
    text = json_text(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("&", "\\u0026").replace(">", "\\u003e")


def packed(data: object) -> str:
    """Writes data for a page's script, which `unpacked` reads there, in little room."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return b64encode(packer.compress(text.encode()) + packer.flush()).decode()


def set_apart(text: str) -> str:
    """Writes a text with somebody's words in it, as it is printed, its direction its own: isolates
    that it has are enough for that, and what is ASCII has no other."""
    line = isolating(escaped(text))
    return line if ISOLATE in text or text.isascii() else f"<bdi>{line}</bdi>"


def as_text(node: Expression | Equation) -> str:
    """Writes an expression in plain notation."""
    return f"<span>{isolating(escaped(unbreakable(plain(node))))}</span>"


def empty(_: Blank) -> str:
    """Writes a blank to write in."""
    return '<span class="blank" role="img" aria-label="blank"></span>'


def as_it_is(html: str, _: str) -> str:
    """Returns a table without anything around it."""
    return html


class TableStyle(NamedTuple):
    """A way of writing tables."""

    number: Callable[[Number], str] = text_of
    """Writes their numbers."""
    framed: Callable[[str, str], str] = as_it_is
    """Puts something around a table of a kind."""
    looks: Callable[[Look], str] = lambda _: ""
    """Returns the classes of a cell."""
    field_width: int = 0
    """The characters that a place to write a number in is wide."""


class WorkingStyle(NamedTuple):
    """A way of writing lines of working, where a format has one of its own."""

    inline: Callable[[Expression | Equation], str] | None = None
    """Writes working in plain notation."""
    relation: Callable[[str, Expression], str] | None = None
    """Writes the sign before a result, where that, and which of its parts a line has, may
    change."""


class HtmlStyle(NamedTuple):
    """A way of writing HTML: what of it differs from format to format."""

    text: Callable[[str], str] = escaped
    """Writes texts of the program."""
    worded: Callable[[str], str] = set_apart
    """Writes printed texts with somebody's words in them."""
    mathematics: Callable[[Expression | Equation], str] = as_text
    """Writes mathematics."""
    blank: Callable[[Blank], str] = empty
    """Writes blanks."""
    level: int = 3
    """The level of a heading inside a section."""
    tables: TableStyle = TableStyle()
    """Writes tables."""
    working: WorkingStyle = WorkingStyle()
    """Writes lines of working."""
    answered: Callable[[WordBlank], str] | None = None
    """Writes the options of a question and the place for its answer, where a format has a way of
    its own for that."""
    picture: Callable[[Picture | Graph], str] | None = None
    """Draws, where a format can."""
    products: bool = False
    """Whether products stand as on paper, and not in lines alone."""
    mark: Callable[[Mark], str] | None = None
    """Writes what stands around what may be told otherwise."""
    told: HtmlStyle | None = None
    """How to write what is told of numbers as they are, where a script writes the others."""

    @property
    def of_told(self) -> HtmlStyle:
        """Returns the style of what is told of numbers as they are."""
        return self if self.told is None else self.told._replace(level=self.level)

    def word(self, word: Word | str) -> str:
        """Writes somebody's word, or a text of ours in its place."""
        return self.worded(printed(word) if isinstance(word, Word) else word)


_MARKS = range(0xE000, 0xF900)
"""Characters for private use, one of which stands for blanks while an expression is written."""


def spans_html(spans: Spans, style: HtmlStyle) -> str:
    """Writes running text."""
    return "".join(_span(span, style) for span in spans)


def _span(span: Span, style: HtmlStyle) -> str:
    if isinstance(span, Mark):
        return "" if style.mark is None else style.mark(span)
    texts = spans_as(
        (span,),
        style.text,
        style.word,
        lambda name: _term(name_of(name), style),
        lambda node: expression_html(node, style),
    )
    return "".join(texts)


def _term(name: str, style: HtmlStyle) -> str:
    """Writes a name of the program, or a whole command, which a page lets its reader copy; options
    in one piece, which browsers would break behind a hyphen, and so what has an index."""
    text = _WHOLE.sub(r'<span class="option">\g<0></span>', style.worded(name))
    return f"<code{_class('command' * name.startswith('attn '))}>{text}</code>"


_WHOLE = re.compile(r"--[a-z][a-z-]*|(?<!\w)\w*\[[^\[\]<>&,]*+,[^\[\]<>&]*\]")


def expression_html(node: Expression | Equation, style: HtmlStyle) -> str:
    """Writes an expression: in mathematics, where it holds neither blanks nor somebody's words."""
    if any(blanks_in(node)):
        return plain_html(node, style)
    return code_html(node, style) if _has_words(node) else style.mathematics(node)


def code_html(node: Expression | Equation, style: HtmlStyle) -> str:
    """Writes a name as the program does, `weights[love, AI]`."""
    return _term(unbreakable(plain(node)), style)


def plain_html(node: Expression | Equation, style: HtmlStyle) -> str:
    """Writes an expression in plain notation around its blanks."""
    if style.working.inline is not None:
        return style.working.inline(node)
    write = style.worded if _has_words(node) else style.text
    if isinstance(node, Equation):
        return write(unbreakable(plain(node)))
    blanks, mark = list(blanks_in(node)), _unused(node)
    places = iter(range(len(blanks)))
    marked = with_each(node, Blank, lambda _: Symbol(f"{mark}{next(places)}{mark}"))
    pieces = unbreakable(plain(marked)).split(mark)
    return "".join(
        style.blank(blanks[int(piece)]) if k % 2 else write(piece) if piece else ""
        for k, piece in enumerate(pieces)
    )


def _unused(node: Expression) -> str:
    """Finds a character that an expression doesn't have, so that it can't be mistaken for its
    words."""
    text = plain(with_each(node, Blank, lambda _: Symbol("x")))
    return next(mark for mark in map(chr, _MARKS) if mark not in text)


def _has_words(node: Expression | Equation) -> bool:
    """Tells whether an expression is, or some name in it has, somebody's words: indices other than
    2, i, j."""
    parts = [*leaves(node)]
    indices = (index for part in parts if isinstance(part, Symbol) for index in part.indices)
    return any(isinstance(part, Word) for part in parts) or not all(map(_is_own, indices))


def _is_own(index: Word | str) -> bool:
    text = index.raw if isinstance(index, Word) else index
    return text.isascii() and (text.isdigit() or (len(text) == 1 and text.isalpha()))


def table_of(rows: Iterable[str], head: str = "") -> str:
    """Writes a table of rows, each a whole `<tr>`, below a head."""
    top = f"<thead>\n{head}\n</thead>\n" if head else ""
    body = "\n".join(rows)
    return f"<table>\n{top}<tbody>\n{body}\n</tbody>\n</table>"


def _framed(style: HtmlStyle, kind: str, rows: Iterable[str], head: str = "") -> str:
    """Writes a table in what a format puts around one of its kind."""
    return style.tables.framed(table_of(rows, head), kind)


def row_of(name: str, cells: Iterable[str], *, numbers: bool = False, kind: str = "") -> str:
    """Writes a row: its name, of a `kind` that looks otherwise, and its cells."""
    figure = "figure" * numbers
    inside = "".join(f"<td{_class(figure)}>{cell}</td>" for cell in cells)
    return f"<tr>{_heading(name, 'row', kind)}{inside}</tr>"


def _class(*kinds: str) -> str:
    """Writes the attribute for those classes that there are."""
    names = " ".join(filter(None, kinds))
    return f' class="{names}"' if names else ""


def _heading(name: str, scope: str, *kinds: str) -> str:
    """Writes what names a row or a column; where it has no name, an empty cell, which is no
    heading."""
    kind = _class(*kinds)
    return f'<th scope="{scope}"{kind}>{name}</th>' if name else f"<td{kind}></td>"


def head_of(headings: Iterable[str], ink: str = "") -> str:
    """Writes the headings of columns, in an ink; the first stands above the names of the rows."""
    return f"<tr{_class(ink)}>{''.join(headings)}</tr>"


def facts_html(facts: DefinitionList, style: HtmlStyle) -> str:
    rows = [row_of(style.word(name), [spans_html(spans, style)]) for name, spans in facts.rows]
    return _framed(style, "facts", rows)


def table_html(block: MatrixBlock | SideBySide | Table, style: HtmlStyle) -> str:
    """Writes a quantity, rows of several as vectors, or words; a blank where one is asked for."""
    grid, kind = grid_of(block), _KINDS[type(block)]
    style = style.of_told if isinstance(block, Table) else style
    if isinstance(block, MatrixBlock) and block.variant:
        kind += " variant"
    if isinstance(block, Table) and block.passes:
        kind += " passes"
    figures = ["", *("figure" * column.at_point for column in grid.columns[1:])]
    ink = style.tables.looks(Look(ink_of(block.quantity))) if isinstance(block, MatrixBlock) else ""
    named = _cell if isinstance(block, Table) else _name
    rows = []
    for name, *cells in grid.rows():
        kinds = ("branch" * isinstance(name.content, Branch), style.tables.looks(name.look))
        entries = "".join(map(_entry, cells, figures[1:], repeat(style)))
        rows.append(f"<tr>{_heading(named(name, style), 'row', *kinds)}{entries}</tr>")
    headings = (
        _heading(named(heading, style), "col", figure, style.tables.looks(heading.look))
        for (heading, *_), figure in zip(grid.columns, figures, strict=True)
    )
    return _framed(style, kind, rows, head_of(headings, ink))


def matrix_html(block: MatrixBlock, style: HtmlStyle) -> str:
    """Writes a quantity, the softmax of its rows beside it."""
    if block.after is None or not style.products:
        return table_html(block, style)
    alone = block.alone._replace(display=block.display._replace(turned=False))
    own, after = (_operand_table(grid_of(table), table, style) for table in (alone, block.after))
    return f'<div class="beside"><div>{own}</div><div class="after">{after}</div></div>'


def product_html(block: ProductBlock, style: HtmlStyle) -> str:
    """Writes a product as on paper, its lines folded below it; the lines alone where a format has
    no way to lay it out."""
    if not style.products:
        return blocks_html(block.told, style)
    grids = {name: grid_of(table) for name, table in _places(block).items()}
    grids |= {"result": grid_of_product(block)}
    divs = "".join(
        f'<div class="{name}">'
        f"{_operand_table(grid, getattr(block, name), style, is_added=name == 'added')}</div>"
        for name, grid in grids.items()
    )
    text = f'<div class="product"{_widths(block, grids, style)}>{divs}</div>'
    return f"{text}\n{_folded_lines(block, style)}" if block.working else text


def _widths(block: ProductBlock, grids: Mapping[str, Grid], style: HtmlStyle) -> str:
    """Writes how wide the names of rows are, and the columns, of what stands above each other."""
    tables = [grids[name].columns for name in ("above", "added", "result") if name in grids]
    names = [names.heading for names, *_ in tables] + [*grids["above"].columns[0].cells]
    numbers = [cell for _, *columns in tables for c in columns for cell in c.cells]
    headings = [column.heading for _, *columns in tables for column in columns]
    side = max(width(cell.text) for cell in names) + 2 * (block.added is not None)
    wide = max(width(cell.text) for cell in (*numbers, *headings))
    wide = max(wide, style.tables.field_width) if block.result.blanks else wide
    return f' style="--n:{side}ch;--w:{wide}ch"'


def _places(block: ProductBlock) -> Mapping[str, MatrixBlock]:
    """Returns the tables of a product by the places where they stand."""
    fields = ("left", "above", "added", "result", "after")
    tables = ((name, getattr(block, name)) for name in fields)
    return {name: table for name, table in tables if table is not None}


def _operand_table(
    grid: Grid, block: MatrixBlock, style: HtmlStyle, *, is_added: bool = False
) -> str:
    """Writes a table of a product, an ink for all of it, a share with the length of its bar. What
    is added is a row below what is above, under its headings."""
    ink = "given" if block.given else ink_of(block.quantity)
    looks = style.tables.looks
    kind = _class("quantity", looks(Look(ink)))
    if is_added:
        row = "".join(
            _operand_cell(cell, ink, style) for _, *cells in grid.rows() for cell in cells
        )
        name = _heading(f"+ {_name(grid.columns[0].heading, style)}", "row")
        return f"<table{kind}><tbody><tr>{name}{row}</tr></tbody></table>"
    rows = "\n".join(
        f"<tr>{_heading(_name(name, style), 'row', looks(name.look))}"
        f"{''.join(_operand_cell(cell, ink, style) for cell in cells)}</tr>"
        for name, *cells in grid.rows()
    )
    headings = (
        _heading(_name(heading, style), "col", looks(heading.look)) for heading, *_ in grid.columns
    )
    # names of given matrices that make queries, keys, values have the ink of these
    head = head_of(headings, looks(Look(ink_of(block.quantity))) if block.given else "")
    return f"<table{kind}><thead>{head}</thead>\n<tbody>{rows}</tbody></table>"


def _operand_cell(cell: GridCell, ink: str, style: HtmlStyle) -> str:
    look = "" if cell.look == Look(ink) else style.tables.looks(cell.look)
    share = cell.look.share
    bar = "" if share is None else f' style="--s:{share:g}"'
    return f"<td{_class(look)}{bar}>{_cell(cell, style)}</td>"


def _folded_lines(block: ProductBlock, style: HtmlStyle) -> str:
    """Writes the lines of a product, folded unless something is to be filled in that only they
    have."""
    tables = [block.result, *([] if block.after is None else [block.after])]
    known = {id_ for table in tables for id_ in table.blanks.values()}
    asked = (blank for lines in block.working for blank in parts_of(lines, Blank))
    is_open = " open" * any(blank.id and blank.id not in known for blank in asked)
    name = f"<code>{style.word(block.result.name)}</code> line by line"
    lines = blocks_html(block.working, style)
    return f'<details class="lines"{is_open}><summary>{name}</summary>\n{lines}\n</details>'


_KINDS = {MatrixBlock: "quantity", SideBySide: "vectors", Table: "words"}


def side_by_side_html(block: SideBySide, style: HtmlStyle) -> str:
    """Writes rows of several quantities as vectors, under what they are called."""
    caption = f"<p><strong>{style.word(block.caption)}</strong></p>\n" if block.caption else ""
    return caption + table_html(block, style)


def _entry(cell: GridCell, figure: str, style: HtmlStyle) -> str:
    look = "" if cell.behind else style.tables.looks(cell.look)
    return f"<td{_class(figure, look)}>{_cell(cell, style)}</td>"


def _name(cell: GridCell, style: HtmlStyle) -> str:
    """Writes what names a row or a column of a quantity."""
    name = style.word(cell.label) if isinstance(cell.content, Omission) else _cell(cell, style)
    return name.replace(": ", ":\u00a0", 1)


def _cell(cell: GridCell, style: HtmlStyle) -> str:
    match cell.content:
        case Number():
            text = f"{cell.before} {style.tables.number(cell.content)}".lstrip()
        case Blank():
            text = style.blank(cell.content)
        case Vector():
            text = expression_html(cell.content, style)
        case Symbol() | Transposed():
            text = f"<code>{style.word(cell.label)}</code>"
        case Branch(text=name, guides=guides):
            text = f"{''.join(map(_GUIDES.__getitem__, guides))}{style.text(name)}"
        case Word():
            text = style.word(cell.label)
            text = f'<span class="{cell.look.ink}">{text}</span>' if cell.behind else text
        case _:
            text = style.text(cell.text)
    return text


_GUIDES = {
    "│": '<i class="past"></i>', "├": '<i class="fork"></i>', "└": '<i class="last"></i>',
    " ": "<i></i>",
}  # fmt: skip


def graph_html(block: Graph, style: HtmlStyle) -> str:
    """Writes who attends to whom, a row for each edge."""
    rows = [
        row_of(style.word(edge.source), (style.word(edge.target), style.tables.number(edge.weight)))
        for edge in block.edges
    ]
    headings = ("from", "to", f"<code>{style.word(block.name)}</code>")
    head = head_of(_heading(heading, "col") for heading in headings)
    return _framed(style, "graph", rows, head)


def working_html(block: Derivation, style: HtmlStyle) -> str:
    """Writes a row for each line: its name, its working, its result. Where one of the lines has a
    blank, all of them are in plain notation."""
    lines = [line for line in block.lines if isinstance(line, Line)]
    plainly = _in_plain_notation(style, (part for line in lines for _, part in line.parts))
    worked = any(len(line.parts) > 1 for line in lines)
    rows = (
        row_of("⋮", [""] * (1 + worked))
        if isinstance(line, Omitted)
        else _row_of_line(line, style, plainly, worked)
        for line in block.lines
    )
    return _framed(style, "working", rows)


def _in_plain_notation(style: HtmlStyle, parts: Iterable[Expression]) -> bool:
    return style.working.inline is not None or any(any(blanks_in(part)) for part in parts)


_UNBROKEN = 4
"""Numbers of a result on one line, however wide the page."""


def _row_of_line(line: Line, style: HtmlStyle, plainly: bool, worked: bool) -> str:
    write = plain_html if plainly else expression_html
    *parts, (relation, last) = line.parts
    before = [f"{sign} {write(part, style)}" for sign, part in parts]
    before = [f"<span>{part}</span>" for part in before]  # which stays on a line on wide screens
    if style.working.relation is not None and parts:
        relation = style.working.relation(relation, last)
    result = f"{relation} {write(last, style)}"
    if isinstance(last, Vector) and len(last.entries) > _UNBROKEN:
        result = f'<span class="long">{result}</span>'
    cells = [" ".join(before), result] if worked else [result]
    return row_of(code_html(line.label, style), cells)


def addition_html(block: ColumnSum, style: HtmlStyle) -> str:
    """Adds up vectors in columns: each product with its value, and the total."""
    addends = addends_of(block, may_change=style.working.relation is not None)
    entries = [block.total, *(part for a in addends for part in a[1:] if part is not None)]
    write = plain_html if _in_plain_notation(style, entries) else expression_html
    rows = []
    for sign, product, value in addends:
        cells = ["…", ""] if value is None else [write(product, style), f"→ {write(value, style)}"]
        rows.append(row_of(sign.strip(), cells))
    relation = block.relation
    relation = style.working.relation(relation, block.total) if style.working.relation else relation
    rows.append(row_of(relation, ["", write(block.total, style)]))
    label = f'<tr><th scope="colgroup" colspan="3">{code_html(block.label, style)}</th></tr>'
    return _framed(style, "addition", rows, label)


def blocks_html(blocks: Iterable[doc.Block], style: HtmlStyle) -> str:
    """Writes the blocks one below the other. Raises TypeError for one that has no HTML."""
    return "\n".join(written(blocks, _WRITERS, style))


def _points(block: doc.Bullets, style: HtmlStyle) -> str:
    items = "\n".join(f"<li>{spans_html(item, style)}</li>" for item in block.items)
    return f"<ul>\n{items}\n</ul>"


def _tree(block: doc.Tree, style: HtmlStyle) -> str:
    """Writes a list in which what is deeper is a list of its own."""
    text, depth = "", -1
    for row in block.rows:
        opened = "<li>".join(["<ul>"] * (row.depth - depth))
        opened = opened.replace("<ul>", '<ul class="tree">', 1) if depth < 0 else opened
        text += opened or "</li>" + "</ul></li>" * (depth - row.depth)
        text += f"\n<li>{_tree_row(row, style)}"
        depth = row.depth
    return text + "</li></ul>" * (depth + 1)


def _tree_row(row: doc.TreeRow, style: HtmlStyle) -> str:
    number = f"{style.text(row.numbers)} · " if row.numbers else ""
    made = "".join(
        code_html(span, style) if isinstance(span, Symbol) else spans_html((span,), style)
        for span in row.made
    )
    return number + spans_html(row.title, style) + (f": {made}" if made else "")


def _fields(block: doc.Fields, style: HtmlStyle) -> str:
    names = (f'<span>{style.word(name)} <span class="rule"></span></span>' for name in block.names)
    return f'<p class="fields">{" ".join(names)}</p>'


def _word_blank(block: doc.WordBlank, style: HtmlStyle) -> str:
    """Writes a question, its options, and room for the answer."""
    asked = f"<p>{spans_html(block.text, style)}</p>"
    return asked + (style.answered or partial(_room, style=style))(block)


def _room(block: doc.WordBlank, style: HtmlStyle) -> str:
    options = "".join(
        f"<li>{style.text(label)}) {style.word(option)}</li>"
        for label, option in zip(block.labels, block.options, strict=False)
    )
    listed = f"<ul>{options}</ul>" if options else ""
    return f"{listed}<p>{style.blank(Blank(block.id))}</p>"


def _picture(block: Picture, style: HtmlStyle) -> str:
    """Writes a drawing, or the numbers where a format has none."""
    if style.picture is None:
        return blocks_html(in_tables(block), style)
    return style.picture(block)


def _graph(block: doc.Graph, style: HtmlStyle) -> str:
    """Writes a drawing, which tells its numbers in words, or their table where a format has
    none."""
    return graph_html(block, style) if style.picture is None else style.picture(block)


_WRITERS: Mapping[type, Callable[[Any, HtmlStyle], str]] = {
    doc.DefinitionList: facts_html,
    doc.Paragraph: lambda block, style: f"<p>{spans_html(block.text, style)}</p>",
    doc.Bullets: _points,
    doc.Subheading: lambda block, style: (
        f"<h{style.level}>{spans_html(block.text, style)}</h{style.level}>"
    ),
    doc.Callout: lambda block, style: (
        f"<aside><p>{spans_html(block.text, style.of_told)}</p></aside>"
    ),
    doc.Derivation: working_html,
    doc.ColumnSum: addition_html,
    doc.Table: table_html,
    MatrixBlock: matrix_html,
    ProductBlock: product_html,
    SideBySide: side_by_side_html,
    doc.Tree: _tree,
    doc.Graph: _graph,
    doc.Fields: _fields,
    doc.WordBlank: _word_blank,
    doc.Figure: lambda block, _: (
        f'<figure><img src="{block.as_url}" alt="{escaped(printed(block.name))}"></figure>'
    ),
    doc.AnswerSpace: lambda block, _: f'<div class="room">{"<i></i>" * block.lines}</div>',
    **dict.fromkeys(PICTURES, _picture),
}
"""How each block is written."""
