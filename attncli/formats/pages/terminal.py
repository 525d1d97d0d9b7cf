"""Plain text for a terminal or an e-mail, in colours where those are wanted.

What only some pages hold (pictures, graphs) is imported with the first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from attncli.document import blocks as doc
from attncli.document.blocks import text_of_spans
from attncli.document.pictures import PICTURES, Picture
from attncli.document.tables import ProductBlock, SideBySide
from attncli.formats import FormatInfo, PaperAbilities, RenderOptions
from attncli.formats.screen.lines import (
    BRACKETS,
    NEW_PAGE,
    Line,
    StyledText,
    hanging,
    line_width,
    width,
    wrapped,
)
from attncli.formats.screen.products import NARROWEST, product_lines, product_width
from attncli.formats.screen.tables import side_by_side_lines, table_lines, tables_together
from attncli.formats.screen.working import addition_lines, inked, without_marks, working_lines
from attncli.formats.writers import (
    Heading,
    NewPage,
    Tables,
    Title,
    lists_in_columns,
    pieces_of_all,
    with_tables_together,
    written,
)
from attncli.maths.equations.tree import Equation, Number
from attncli.maths.notation import name_of, plain, unbreakable
from attncli.maths.notation.escaping import printed
from attncli.maths.notation.plain import GLUE
from attncli.names import Word

SUFFIXES = (".txt",)
ABILITIES = FormatInfo(PaperAbilities(together=True), products=True)

_NARROWEST = 20
_INDENT = 2
_WIDEST_PROSE = 88
_SHORTEST_RULE = 8
_GAP = "   "


def render(document: doc.Document, page: RenderOptions) -> str:
    """Writes the document as text, no line wider than the page unless a single number is."""
    return render_together([document], page)


def render_together(documents: Sequence[doc.Document], page: RenderOptions) -> str:
    """Writes documents as one text, a form feed between them."""
    cells = max(page.width, _NARROWEST)
    lines: list[Line] = []
    fits, softmaxes = partial(_has_room, cells=cells), cells >= NARROWEST
    laid_out = (document.laid_out(fits, softmaxes=softmaxes) for document in documents)
    for piece in written(
        with_tables_together(lists_in_columns(pieces_of_all(laid_out))), _WRITERS, cells
    ):
        lines += [*([[]] if lines and lines[-1] != NEW_PAGE else []), *piece]
    if page.colour:
        from attncli.formats.screen.painting import painted

        return painted(lines)
    texts = ("".join(piece.text for piece in line).rstrip(" ") + "\n" for line in lines)
    return without_marks("".join(texts))


def _has_room(product: ProductBlock, cells: int) -> bool:
    """Tells whether a product stands as on paper on a page of so many columns."""
    return cells >= NARROWEST and product_width(product) <= cells - _INDENT


def _title(title: Title, cells: int) -> list[Line]:
    text = [StyledText(printed(title.title), "title"), StyledText(title.called, "title")]
    lines = wrapped(text, cells)
    rule = "═" * min(cells, max(map(line_width, lines)))
    return [*lines, [StyledText(rule, "rule")]]


def _facts(facts: doc.DefinitionList, cells: int) -> list[Line]:
    label_width = max(width(label) for label, _ in facts.rows) + 2
    return [
        line
        for label, spans in facts.rows
        for line in _behind([StyledText(label.ljust(label_width), "term")], spans, cells)
    ]


def _behind(start: Line, spans: doc.Spans, cells: int) -> list[Line]:
    """Sets running text behind its start, all its lines below each other."""
    room = min(cells, _WIDEST_PROSE)
    return hanging(start, [_piece(span, room) for span in spans], room)


def _heading(heading: Heading, cells: int) -> list[Line]:
    title = text_of_spans(heading.title)
    formulas = f",{_GAP}".join(inked(formula) for formula in heading.formulas)
    text = [StyledText(title, "step"), StyledText(_GAP), StyledText(formulas, "formula")]
    if width(title) + len(_GAP) + width(formulas) <= cells:
        return [[StyledText(unbreakable(piece.text), piece.style) for piece in text]]
    lines = wrapped([StyledText(title, "step")], cells, _INDENT)
    for formula in heading.formulas:
        room = cells - 2 * _INDENT
        lines += _indented(
            wrapped([StyledText(inked(formula), "formula")], room, _INDENT, BRACKETS)
        )
    return lines


def _indented(lines: Sequence[Line]) -> list[Line]:
    return [[StyledText(" " * _INDENT), *line] if line else [] for line in lines]


def _paragraph(block: doc.Paragraph, cells: int) -> list[Line]:
    """Sets running text; a formula by itself may be wider, and goes on below its right side."""
    match block.text:
        case [Equation() as formula]:
            return wrapped([StyledText(inked(formula), "formula")], cells, _INDENT, BRACKETS)
        case _:
            return _behind([], block.text, cells)


def _points(block: doc.Bullets, cells: int) -> list[Line]:
    bullet = [StyledText("• ", "rule")]
    return [line for item in block.items for line in _behind(bullet, item, cells)]


def _side_by_side(block: SideBySide, cells: int) -> list[Line]:
    caption: list[Line] = [[StyledText(block.caption, "step")], []] if block.caption else []
    return [*caption, *_indented(side_by_side_lines(block, cells - _INDENT))]


def _tree(block: doc.Tree, cells: int) -> list[Line]:
    """Sets a line for each part, below what it belongs to, with guides to it; the numbers stand in
    a column."""
    most = max(width(row.numbers) for row in block.rows)
    deepest = max(1, cells // 2 // _INDENT - most)
    lines: list[Line] = []
    for row, guides, deeper in zip(block.rows, block.guides, block.goes_deeper, strict=True):
        heading = [StyledText(text_of_spans(row.title), "step")]
        title = [_piece(s, cells) for s in row.title] if row.numbers else heading
        made = [_piece(s, cells) if not isinstance(s, str) else _glued(s) for s in row.made]
        pieces = [*title, *([StyledText(": ")] if row.made else []), *made]
        drawn = guides if len(guides) <= deepest else guides[: deepest - 1] + guides[-1]
        past = drawn.replace("├", "│").replace("└", " ") + ("│" if deeper else " ")
        first = _behind_guides(row.numbers.rjust(most + _INDENT), drawn)
        lines += _guided(first, _behind_guides(" " * (most + _INDENT), past), pieces, cells)
    return lines


def _behind_guides(numbers: str, guides: str) -> Line:
    text = "".join(guide.ljust(_INDENT) for guide in guides)
    return [StyledText(f"{numbers}{' ' * _INDENT}{text}", "rule")]


def _guided(first: Line, others: Line, pieces: Sequence[StyledText], cells: int) -> list[Line]:
    """Sets pieces behind the start of the first line, and what goes on behind that of others."""
    room = cells - line_width(others)
    head, *rest = wrapped(pieces, room)
    return [[*first, *head], *([*others, *line] for line in rest)]


def _glued(text: str) -> StyledText:
    """Returns a shape in one piece: ` [3, 2]`, perhaps with a comma behind."""
    shape, bracket, after = text.rpartition("]")
    return StyledText(shape.replace(", ", ",\u00a0") + bracket + after)


def _fields(block: doc.Fields, cells: int) -> list[Line]:
    """Sets names with a rule behind each, all together one line long where there is room for it."""
    gaps = _INDENT * (len(block.names) - 1)
    names = sum(width(name) + 1 for name in block.names)
    rule = "_" * max(_SHORTEST_RULE, (min(cells, _WIDEST_PROSE) - names - gaps) // len(block.names))
    fields = [f"{name}\u00a0{rule}" for name in block.names]
    return wrapped([StyledText(" ".join(fields))], cells)


def _room(block: doc.AnswerSpace, cells: int) -> list[Line]:
    """Draws dotted lines to write on, a line apart."""
    rule = [StyledText("·" * min(cells, _WIDEST_PROSE), "rule")]
    return [line for _ in range(block.lines) for line in ([], rule)][1:]


def _word_blank(block: doc.WordBlank, cells: int) -> list[Line]:
    """Sets a question, its options, and a rule for the answer."""
    options = [
        StyledText(unbreakable(f"{label}) {printed(option)}"))
        for label, option in zip(block.labels, block.options, strict=False)
    ]
    gaps = [piece for option in options for piece in (StyledText(f"{GLUE * 3} "), option)][1:]
    answer = "_" * _SHORTEST_RULE * 2 if block.answer is None else printed(block.answer)
    room = min(cells, _WIDEST_PROSE) - _INDENT
    return [
        *_behind([], block.text, cells),
        *(_indented(wrapped(gaps, room)) if gaps else []),
        *_indented([[StyledText(f"{block.heading} {answer}")]]),
    ]


def _piece(span: doc.Span, cells: int) -> StyledText:
    """Returns a span of running text as a piece; names and formulas that are short for the line
    stay whole."""
    match span:
        case str():
            return StyledText(span)
        case Word():
            return StyledText(_kept_whole(printed(span), cells // 3).replace(" (", f"{GLUE}("))
        case Number():
            return StyledText(plain(span))
        case doc.Term(name):
            return StyledText(name_of(name).replace(" ", GLUE), "term")
        case _:
            return StyledText(_kept_whole(inked(span), cells // 2), "formula")


def _kept_whole(text: str, most: int) -> str:
    return text.replace(" ", GLUE) if width(text) <= most else text


def _picture(block: Picture, cells: int) -> list[Line]:
    """Draws what can be drawn in characters, and sets the numbers that this doesn't say."""
    from attncli.formats.pictures_in_tables import in_tables
    from attncli.formats.screen.pictures import drawn

    title, *tables = in_tables(block)
    lines, says_all = drawn(block, cells - _INDENT)
    numbers = () if says_all else written(with_tables_together(tables), _WRITERS, cells)
    parts = (*written([title], _WRITERS, cells), *([_indented(lines)] if lines else []), *numbers)
    return [line for part in parts for line in ([], *part)][1:]


def _graph(block: doc.Graph, cells: int) -> list[Line]:
    from attncli.formats.screen.pictures import graph_lines

    return graph_lines(block, cells)


_WRITERS: Mapping[type, Callable[[Any, int], list[Line]]] = {
    Title: _title,
    Heading: _heading,
    NewPage: lambda *_: [NEW_PAGE],
    Tables: lambda piece, cells: _indented(tables_together(piece.matrices, cells - _INDENT)),
    doc.DefinitionList: _facts,
    doc.Paragraph: _paragraph,
    doc.Bullets: _points,
    doc.Callout: lambda block, cells: _behind([StyledText("▸ ", "rule")], block.text, cells),
    doc.Subheading: lambda block, cells: wrapped(
        [StyledText(text_of_spans(block.text), "step")], cells
    ),
    doc.Derivation: lambda block, cells: _indented(working_lines(block, cells - _INDENT)),
    ProductBlock: lambda block, cells: _indented(product_lines(block, cells - _INDENT)),
    doc.ColumnSum: lambda block, cells: _indented(addition_lines(block, cells - _INDENT)),
    doc.Table: lambda block, cells: _indented(table_lines(block, cells - _INDENT)),
    SideBySide: _side_by_side,
    doc.Tree: _tree,
    doc.Graph: _graph,
    doc.Fields: _fields,
    doc.WordBlank: _word_blank,
    doc.Figure: lambda block, cells: wrapped([StyledText(printed(Word(block.instead)))], cells),
    doc.AnswerSpace: _room,
    **dict.fromkeys(PICTURES, _picture),
}
"""How each piece is laid out."""
