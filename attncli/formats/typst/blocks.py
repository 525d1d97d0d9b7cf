"""Whole files of Typst: each piece of a document a call of what `page.typ` defines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.resources import files
from itertools import groupby
from typing import Any, NamedTuple, TypeVar, cast

from attncli.document import blocks as doc
from attncli.document.blocks import (
    ONLY_DATA,
    ColumnSum,
    Derivation,
    Document,
    Edge,
    Graph,
    Line,
    Table,
)
from attncli.document.grid import Grid, GridCell, GridColumn, Look, Omission, grid_of, ink_of
from attncli.document.languages import words_of
from attncli.document.pictures import PICTURES, Picture
from attncli.document.tables import Branch, MatrixBlock, SideBySide, in_groups
from attncli.formats.colours import INKS, LIGHT, shade_of
from attncli.formats.numbers import filled_addends
from attncli.formats.pictures_in_tables import in_tables
from attncli.formats.svg.drawing import alone, drawn, fit
from attncli.formats.svg.elements import as_text
from attncli.formats.tex.documents import ARTICLE_ROOM
from attncli.formats.tex.products import as_fits, has_room, stand_together, with_places
from attncli.formats.tex.setting import Boxes, exam
from attncli.formats.typst.text import (
    WORKING,
    InkedTypst,
    characters,
    expression,
    filled,
    in_pieces,
    joined,
    listed,
    mathematics,
    spans,
    text,
    word,
)
from attncli.formats.writers import (
    Heading,
    NewPage,
    Piece,
    Products,
    Tables,
    Title,
    lists_in_columns,
    pieces_of,
    with_products_together,
    with_tables_together,
    written,
)
from attncli.maths.equations.tree import (
    Blank,
    Expression,
    Node,
    Number,
    Omitted,
    Symbol,
    Transposed,
    Vector,
)
from attncli.maths.notation import plain
from attncli.maths.notation.columns import filled_vectors
from attncli.maths.notation.escaping import is_hidden, visible
from attncli.maths.notation.typst import literal
from attncli.names import Name, Word, raw
from attncli.option_values import LANGUAGES, PAPER_SIZES

_ROOM, _ROOM_ON_SLIDES = (470, 640), (730, 330)
"""Points between the margins of a page, and from top to bottom, less what stands below."""


class TypstSetting(NamedTuple):
    """A page's setting."""

    coloured: bool = True
    """Whether there are colours: none on what is to be filled in."""
    blank_width: int = 18
    """How wide a blank in a table is, in millimetres."""
    boxes: Boxes | None = None
    """How wide boxes are that are written into; None where there are none."""
    room: tuple[float, float] = _ROOM
    """The room for a picture."""

    @property
    def notation(self) -> InkedTypst:
        return WORKING if self.coloured else WORKING.but(coloured=False)

    def entry(self, blank: Blank) -> str:
        """Writes a blank in a table: its answer, or a place to write it."""
        if blank.answer is not None:
            return f"${WORKING.of_blank(blank)}$"
        if self.boxes is None:
            return f"{'place' if blank.id else 'dots'}-to-write({self.blank_width}mm)"
        width = self.boxes.width(blank, self.blank_width)
        return f"{'box' if blank.id else 'dots'}-to-write({width}mm)"


T = TypeVar("T")


def picture(block: Picture | Graph, room: tuple[float, float] = _ROOM) -> str | None:
    """Writes a call that draws a picture; None for what couldn't be read on a page."""
    drawing = drawn(_in_fonts(block))
    fitted = fit(drawing.size, room)
    if fitted is None:
        return None
    called = "none" if isinstance(block, Graph) else text(drawing.title)
    line = literal(f"{drawing.title}: {as_text(drawing.description)}")
    wide, turned = f"{fitted.scale * drawing.size[0]:.1f}pt", str(fitted.turned).lower()
    svg = literal(alone(drawing))
    return f"picture({called}, {line}, {wide}, {fitted.least:.3f}, {turned}, {svg})"


def _in_fonts(value: T) -> T:
    """Returns a value in characters that the fonts have, so that room is made for these."""
    data: object = value
    if isinstance(value, Word):
        letters = unicodedata.normalize("NFC", raw(value))
        data = Word(
            "".join(letter if is_hidden(letter) else characters(letter) for letter in letters)
        )
    elif isinstance(value, tuple) and not isinstance(value, Node | Name):
        parts = map(_in_fonts, value)
        data = type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return cast(T, data)


def working(block: Derivation, setting: TypstSetting) -> str:
    """Writes the lines, each with its label and the parts with their relations."""
    results = iter(_results(block, setting.notation))
    lines = [
        "none" if isinstance(line, Omitted) else _line(line, next(results), setting)
        for line in block.lines
    ]
    return f"working{listed(lines)}"


def _line(line: Line, result: str, setting: TypstSetting) -> str:
    texts = [expression(part, setting.notation) for _, part in line.parts[:-1]]
    relations = (relation for relation, _ in line.parts)
    parts = zip(relations, [*texts, result], strict=True)
    content = listed(f"(${relation}$, {in_pieces(text)})" for relation, text in parts)
    return f"({in_pieces(setting.notation.write(line.label))}, {content})"


def _results(block: Derivation, notation: InkedTypst) -> list[str]:
    """Writes the last part of each line; numbers with their points below each other, if all are."""
    lines = [line for line in block.lines if isinstance(line, Line)]
    results = [(line.parts[-1][1], ink_of(line.quantity)) for line in lines]
    if all(isinstance(result, Number) for result, _ in results):
        texts = _filled([result for result, _ in results])
        inks = (ink for _, ink in results)
        return [notation.inked(text, ink) for text, ink in zip(texts, inks, strict=True)]
    return [notation.but(result=ink).write(result) for result, ink in results]


def addition(block: ColumnSum, setting: TypstSetting) -> str:
    """Adds up vectors in columns: the addends, a rule, the total."""
    notation = setting.notation
    column = partial(notation.column, filled=_filled)
    addends, total = filled_addends(
        block,
        column,
        lambda vectors: [
            _BEFORE_SIGN.sub(r"\2\1", vector)
            for vector in filled_vectors(vectors, column, r"\[{}\]", notation.comma)
        ],
        notation.times,
        notation.omitted,
    )
    rows = listed(
        f"(${a.sign.strip()}$, {in_pieces(a.product)}, {in_pieces(a.value) if a.value else 'none'})"
        for a in addends
    )
    label = in_pieces(notation.write(block.label))
    return f"addition({label}, {rows}, ${block.relation}$, {in_pieces(total)})"


_BEFORE_SIGN = re.compile(r"(unseen\([0.]+\))(\)?\\[],])")
"""Unseen digits stand behind the comma or bracket that follows them."""


def _filled(numbers: Sequence[Expression]) -> list[str]:
    """Fills up numbers, so that their points stand below each other."""
    return filled([plain(number) for number in numbers], before=True)


OMITTED = {
    Omission.ROWS: "$⋮$",
    Omission.COLUMNS: "$…$",
    Omission.BOTH: "$…$",
    Omission.UNTOLD: "none",
}


class Column(NamedTuple):
    """A column of a table, whose words may be broken."""

    heading: str
    """Its heading."""
    cells: tuple[str, ...]
    """The cells below it, each a piece of code."""
    numbers: bool = True
    """Whether they are numbers, which stand at the right."""

    def __str__(self) -> str:
        kind = "right" if self.numbers else "left"
        return f"(heading: {self.heading}, cells: {listed(self.cells)}, side: {kind})"


def in_ink(cell: str, ink: str) -> str:
    return f"inked({literal(ink)}, {cell})" if ink else cell


def columns_of(grid: Grid, setting: TypstSetting) -> str:
    """Writes the columns of a table, each number filled up behind its point to the length of the
    longest in its own."""
    return listed(str(_column(c, setting)) for c in grid.columns)


def _column(column: GridColumn, setting: TypstSetting) -> Column:
    numbers = iter(filled([*map(plain, column.numbers)]))
    write = partial(_cell, numbers=numbers, setting=setting)
    return Column(write(column.heading), tuple(map(write, column.cells)), column.at_point)


def _cell(cell: GridCell, numbers: Iterator[str], setting: TypstSetting) -> str:
    match cell.content:
        case Omission():
            line = OMITTED[cell.content]
        case Number():
            line = f"${cell.before}{next(numbers)}$"
        case Blank():
            line = setting.entry(cell.content)
        case Vector():  # a column is in one ink
            line = mathematics(cell.content, WORKING.but(coloured=False))
        case Symbol() | Transposed():
            line = mathematics(cell.content, setting.notation)
            line = joined([line, text(cell.behind)]) if cell.behind else line
        case Branch(text=name, guides=guides):
            line = f"branch({literal(guides)}, {text(name)})"
        case _:
            line = word(cell.label)
    return _looking(line, cell.look) if setting.coloured else line


def _looking(cell: str, look: Look) -> str:
    """Writes how a cell looks: shares are shaded by their size, the largest of a row is bold; the
    result is, too; given numbers, queries, keys and values have their inks."""
    bold = f"most({cell})" if look.most or look.result else in_ink(cell, look.ink)
    if look.share is None:
        return bold
    return f"shaded({shade_of(look.share, LIGHT.shades)}, {bold})"


_NO_NAME = "none"


def together(blocks: Sequence[MatrixBlock], setting: TypstSetting) -> str:
    """Sets quantities beside each other as far as they fit; each pair in a row of its own."""
    return "\n".join(f"beside{row}" for row in _rows_of_tables(blocks, setting))


def _rows_of_tables(blocks: Sequence[MatrixBlock], setting: TypstSetting) -> Iterator[str]:
    rows = groupby(in_groups(blocks), lambda group: group[0].quantity if len(group) > 1 else None)
    for _, row in rows:
        yield listed(matrix(block, setting) for group in row for block in group)


def matrix(block: MatrixBlock, setting: TypstSetting) -> str:
    """Writes a quantity with the names of its rows and columns."""
    return columns_of(grid_of(block), setting._replace(blank_width=block.blank_width))


def side_by_side(block: SideBySide, setting: TypstSetting) -> str:
    """Writes rows of quantities as vectors; as a table each where they don't fit beside each
    other."""
    whole = columns_of(grid_of(block), setting)
    apart = listed(matrix(table, setting) for _, table in block.columns)
    caption = text(block.caption) if block.caption else "none"
    return f"vectors({caption}, {whole}, {apart})"


def products(piece: Products, setting: TypstSetting) -> str:
    """Writes products as on paper, and their lines below them."""
    places = with_places(piece.blocks, _ROOM_FOR_PRODUCTS).boxes
    setting = setting._replace(boxes=places)
    fitting = [as_fits(block, _ROOM_FOR_PRODUCTS) for block in piece.blocks]
    crossings = listed(
        f"(above: {matrix(block.above, setting)}, result: {matrix(block.result, setting)},"
        f" added: {_or_none(block.added, setting)})"
        for block in fitting
    )
    after = _or_none(fitting[-1].after, setting)
    lines = (line for block in piece.blocks for line in block.working)
    texts = written(lines, WRITERS, setting._replace(boxes=None))
    return "\n".join([f"products({matrix(piece.left, setting)}, {crossings}, {after})", *texts])


def _or_none(block: MatrixBlock | None, setting: TypstSetting) -> str:
    return "none" if block is None else matrix(block, setting)


_ROOM_FOR_PRODUCTS = exam(ARTICLE_ROOM, with_key=False)
"""Between the margins, as TeX has it."""


def table(block: Table, setting: TypstSetting) -> str:
    """Writes a table of words and numbers; its first column names the rows."""
    return f"listing({columns_of(grid_of(block), setting)})"


def graph(block: Graph, _: TypstSetting) -> str:
    """Draws an arrow for each edge, the heavier the longer."""
    most = float(max(edge.weight.full for edge in block.edges))
    arrows = (f"arrow({float(edge.weight.full) / most:.3f})" for edge in block.edges)
    weights = filled([plain(edge.weight) for edge in block.edges])
    columns = [
        Column(_NO_NAME, tuple(arrows), numbers=False),
        Column(text("to"), tuple(word(edge.target) for edge in block.edges), numbers=False),
        Column(text("weight"), tuple(f"${w}$" for w in weights)),
    ]
    sources = Column(text("from"), tuple(_sources(block.edges)), numbers=False)
    return f"beside({listed(map(str, (sources, *columns)))})"


def _sources(edges: Iterable[Edge]) -> Iterator[str]:
    """Yields who attends, told once for all of its edges."""
    before: Word | None = None
    for edge in edges:
        yield _NO_NAME if edge.source == before else word(edge.source)
        before = edge.source


def _title(piece: Title, _: TypstSetting) -> str:
    called = text(piece.called.removeprefix(" · ")) if piece.called else "none"
    return f"title({word(piece.title)}, {called})"


def _heading(piece: Heading, setting: TypstSetting) -> str:
    head = f"heading(level: 2, {spans(piece.title)})"
    text = listed(mathematics(f, setting.notation) for f in piece.formulas)
    return f"{head}\nformulas{text}" if piece.formulas else head


def _facts(block: doc.DefinitionList, _: TypstSetting) -> str:
    return f"facts{listed(f'({text(name)}, {spans(value)})' for name, value in block.rows)}"


def _prose(block: doc.Paragraph, setting: TypstSetting) -> str:
    """Writes a paragraph; on a sheet it is the task of what stands below."""
    return f"{'prose' if setting.coloured else 'task'}({spans(block.text)})"


def _tree(block: doc.Tree) -> str:
    return f"tree{listed(map(_tree_row, block.rows, block.guides, block.has_parts))}"


def _tree_row(row: doc.TreeRow, guides: str, has_parts: bool) -> str:
    made = [text(": "), spans(row.made)] if row.made else []
    line = joined([spans(row.title), *made])
    told = f"strong({line})" if has_parts else line
    return f"({literal(guides)}, {text(row.numbers)}, {told})"


def _word_blank(block: doc.WordBlank, _: TypstSetting) -> str:
    """Writes a question, its options, and a place for the answer."""
    options = listed(
        joined([text(f"{label}) "), word(option)])
        for label, option in zip(block.labels, block.options, strict=False)
    )
    answer = _answer(block.answer)
    return f"question({spans(block.text)}, {options}, {text(block.heading)}, {answer})"


def _answer(answer: Word | None) -> str:
    return "none" if answer is None else word(answer)


def _picture(block: Picture, setting: TypstSetting) -> str:
    """Writes a drawing, or the numbers of what is too large for one."""
    return picture(block, setting.room) or "\n".join(
        written(with_tables_together(in_tables(block)), WRITERS, setting)
    )


WRITERS: Mapping[type, Callable[[Any, TypstSetting], str]] = {
    Title: _title,
    Heading: _heading,
    NewPage: lambda _, __: "pagebreak(weak: true)",
    Tables: lambda piece, setting: together(piece.matrices, setting),
    doc.DefinitionList: _facts,
    doc.Paragraph: _prose,
    doc.Bullets: lambda block, _: f"list{listed(map(spans, block.items))}",
    doc.Subheading: lambda block, _: f"heading(level: 3, {spans(block.text)})",
    doc.Callout: lambda block, _: f"note({spans(block.text)})",
    doc.Derivation: working,
    doc.ColumnSum: addition,
    doc.Table: table,
    Products: products,
    SideBySide: side_by_side,
    doc.Tree: lambda block, _: (
        f"tree{listed(map(_tree_row, block.rows, block.guides, block.has_parts))}"
    ),
    doc.Graph: lambda block, setting: picture(block, setting.room) or graph(block, setting),
    doc.Fields: lambda block, _: f"fields{listed(map(text, block.names))}",
    doc.WordBlank: _word_blank,
    doc.Figure: lambda block, _: f"image(bytes(({', '.join(map(str, block.data))},)), width: 60%)",
    doc.AnswerSpace: lambda block, _: f"answer-space({block.lines}, {_boolean(block.to_end)})",
    **dict.fromkeys(PICTURES, _picture),
}
"""How each piece is written."""


_SHEETS = ("exercise", "sheet")
_SIZES = {"a4": "a4", "letter": "us-letter"}


def file(document: Document, *, slides: bool = False) -> str:
    """Writes a document, perhaps as slides, and its key behind it."""
    layout = (files("attncli.formats.typst") / "page.typ").read_text(encoding="utf-8")
    leaves = (_leaf(leaf, layout, slides=slides) for leaf in _leaves(document))
    return "\n".join([_titled(document), _colours(), *leaves]) + "\n"


def printed(names: Sequence[str], pages: Sequence[int], first: Document) -> str:
    """Writes files that are laid out already, of so many pages each, one after the other, each from
    a right-hand page on for those who print on both sides."""
    size = literal(_size(first))
    papers = (
        "".join(
            f'#image({literal(name)}, format: "pdf", page: {k + 1}, width: 100%, height: 100%)\n'
            for k in range(count)
        )
        for name, count in zip(names, pages, strict=True)
    )
    body = '#pagebreak(weak: true, to: "odd")\n'.join(papers)
    return f"{_titled(first)}\n#set page(paper: {size}, margin: 0pt)\n{body}"


def _titled(document: Document) -> str:
    title = literal(characters(visible(document.title)))
    return f"#set document(title: {title}, date: none)"


def _size(document: Document) -> str:
    return _SIZES[PAPER_SIZES[0] if document.paper is None else document.paper.size]


def _leaves(document: Document) -> Iterator[Document]:
    """Yields the document, and its key behind it."""
    yield document._replace(answers=document.answers._replace(key=None))
    if document.answers.key is not None:
        yield from _leaves(document.answers.key)


def _leaf(document: Document, page: str, *, slides: bool) -> str:
    """Writes the pages of a document, with what stands at the foot of each (of a sheet what it was
    made from, which its lines to the end leave no room for), behind the functions of a page that
    looks so: as a state of Typst's, looks would have each page laid out once more."""
    paper = document.paper
    is_sheet = paper is not None and paper.kind in _SHEETS
    layout = "reading" if paper is None or paper.kind != "grid" else paper.kind
    layout = paper.layout if paper is not None and is_sheet else layout
    layout = "slides" if slides else layout
    setting = TypstSetting(not is_sheet, room=_ROOM_ON_SLIDES if slides else _ROOM)
    laid_out = document.laid_out(partial(has_room, setting=_ROOM_FOR_PRODUCTS))
    fit = partial(stand_together, setting=_ROOM_FOR_PRODUCTS)
    left_out = document.small_print if is_sheet else ()
    told = [
        piece
        for piece in pieces_of(laid_out, slides=slides)
        if not isinstance(piece, doc.DefinitionList) or piece not in left_out
    ]
    beside = with_products_together(told, fit)
    pieces = with_tables_together(lists_in_columns(beside))
    in_pages = layout in ("lines", "compact")
    body = _sheet(pieces, setting) if in_pages else "\n".join(written(pieces, WRITERS, setting))
    language = LANGUAGES[0] if paper is None else paper.language
    paging = literal(words_of(language).paper.page_of)
    text = f"{word(document.title)}, {_made_from(document)}, {paging}, {literal(language)}"
    leaf = f"#leaf({text}, {literal(_size(document))}, {{\n{body}\n}})"
    return f"#[\n#let looks = {literal(layout)}\n{page}\n{leaf}\n]"


def _sheet(pieces: Iterable[Piece], setting: TypstSetting) -> str:
    """Writes what is laid out page by page: each piece with how it may stand on a page."""
    lines = (
        f"{_on_sheet(piece, setting)}," for piece in pieces if not isinstance(piece, ONLY_DATA)
    )
    return "sheet(\n" + "\n".join(lines) + "\n)"


def _on_sheet(piece: Piece, setting: TypstSetting) -> str:
    """Writes a piece as what it is on a sheet."""
    body = "\n".join(written((piece,), WRITERS, setting))
    match piece:
        case NewPage():
            return "new-page()"
        case doc.AnswerSpace(lines, to_end, exact):
            return f"room({lines}, {_boolean(to_end)}, {_boolean(exact)})"
        case Heading(asks=asks):
            return f"head({_boolean(asks)}, {{\n{body}\n}})"
        case Tables(matrices):
            leads = _boolean(not any(matrix.blanks for matrix in matrices))
            rows = _rows_of_tables(matrices, setting)
            return ",\n".join(f"tables({leads}, ..{row})" for row in rows)
        case Products():
            return f"part(breakable: false, {{\n{body}\n}})"
    kind = "lead" if isinstance(piece, _LEADING) else "part"
    return f"{kind}({{\n{body}\n}})"


_LEADING = (Title, doc.Paragraph, doc.Subheading, doc.Callout, doc.DefinitionList)
"""What leads to something that stands below it."""


def _boolean(value: bool) -> str:
    return str(value).lower()


def _made_from(document: Document) -> str:
    """Says which form a paper is, and what it was made from."""
    return "none" if document.paper is None else text(document.paper.made_from)


def _colours() -> str:
    inks = "".join(
        f"{literal(name)}: rgb({literal(ink)}), " for name, ink in {**INKS, **LIGHT.said}.items()
    )
    shades = listed(
        f"(rgb({literal(shade.background)}), rgb({literal(shade.text)}))" for shade in LIGHT.shades
    )
    return f"#let inks = ({inks})\n#let shades = {shades}\n#let aside = rgb({literal(LIGHT.aside)})"
