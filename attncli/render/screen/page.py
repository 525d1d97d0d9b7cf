"""A document laid out for a screen: lines of styled pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from attncli.document import (
    Addition,
    AnswerSpace,
    Block,
    Bullets,
    Document,
    Facts,
    Fields,
    Graph,
    MatrixBlock,
    Note,
    Prose,
    Section,
    SideBySide,
    Span,
    Spans,
    Subheading,
    Table,
    Term,
    TextList,
    Tree,
    Working,
)
from attncli.notation import name_of, plain, unbreakable
from attncli.notation.plain import GLUE
from attncli.notation.words import printed
from attncli.render.screen.lines import Line, StyledText, left, line_width, width, wrapped
from attncli.render.screen.tables import (
    beside_each_other,
    matrix_lines,
    side_by_side_lines,
    table_lines,
)
from attncli.render.screen.working import addition_lines, working_lines
from attncli.render.sentences import text_of_spans
from attncli.word import Word

_INDENT = 2
_WIDEST_PROSE = 88
_SHORTEST_RULE = 8
_GAP = "   "
NEW_PAGE: Line = [StyledText("\f", "page")]
"""What makes a printer begin a page."""


def lay_out(document: Document, cells: int) -> list[Line]:
    """The lines of a document at a width in terminal cells."""
    lines: list[Line] = []
    if document.facts is not None:
        lines += [*_title(document, cells), *_facts(document.all_facts, cells)]
    for part in _blocks(document.opening, cells):
        lines += [*([[]] if lines else []), *part]
    for k, section in enumerate(document.sections):
        own_page = k > 0 and document.paper is not None
        lines += [*([[]] if lines else []), *([NEW_PAGE] if own_page else [])]
        lines += _section(section, cells)
    for part in _blocks(document.closing, cells):
        lines += [*([[]] if lines else []), *part]
    return lines if document.key is None else [*lines, [], NEW_PAGE, *lay_out(document.key, cells)]


def _title(document: Document, cells: int) -> list[Line]:
    called = "" if document.paper is None else f": {document.paper.called}"
    lines = wrapped(
        [StyledText(printed(document.title), "title"), StyledText(called, "title")], cells
    )
    rule = "═" * min(cells, max(map(line_width, lines)))
    return [*lines, [StyledText(rule, "rule")], []]


def _facts(facts: Facts, cells: int) -> list[Line]:
    label_width = max(width(label) for label, _ in facts.rows) + 2
    lines: list[Line] = []
    for label, spans in facts.rows:
        room = min(cells, _WIDEST_PROSE) - label_width
        first, *others = wrapped(_pieces(spans), room)
        lines.append([StyledText(label.ljust(label_width), "label"), *first])
        lines += [[StyledText(" " * label_width), *line] for line in others]
    return lines


def _section(section: Section, cells: int) -> list[Line]:
    lines = _heading(section, cells)
    for part in _blocks(section.blocks, cells):
        lines += [[], *part]
    return lines


def _heading(section: Section, cells: int) -> list[Line]:
    title = text_of_spans(section.heading_with_points)
    formulas = f",{_GAP}".join(plain(formula) for formula in section.formulas)
    text = [StyledText(title, "step"), StyledText(_GAP), StyledText(formulas, "formula")]
    if width(title) + len(_GAP) + width(formulas) <= cells:
        return wrapped_whole(text)
    lines = wrapped([StyledText(title, "step")], cells, _INDENT)
    for formula in section.formulas:
        room = cells - 2 * _INDENT
        lines += _indented(wrapped([StyledText(plain(formula), "formula")], room, _INDENT), 2)
    return lines


def wrapped_whole(pieces: Sequence[StyledText]) -> list[Line]:
    """The pieces on one line, whatever its width."""
    return [[StyledText(unbreakable(piece.text), piece.style) for piece in pieces]]


def _blocks(blocks: Sequence[Block], cells: int) -> Iterator[list[Line]]:
    """The lines of each block; small matrices that follow each other go side by side."""
    for is_matrix, group in groupby(blocks, lambda block: isinstance(block, MatrixBlock)):
        if is_matrix:
            room = cells - _INDENT
            tables = [
                matrix_lines(block, room) for block in group if isinstance(block, MatrixBlock)
            ]
            yield _indented(beside_each_other(tables, room))
            continue
        for block in group:
            lines = _BLOCKS[type(block)](block, cells)
            if lines:
                yield lines


def _indented(lines: Sequence[Line], by: int = _INDENT) -> list[Line]:
    return [[StyledText(" " * by), *line] if line else [] for line in lines]


def _prose(block: Prose, cells: int) -> list[Line]:
    return wrapped(_pieces(block.text), min(cells, _WIDEST_PROSE))


def _points(block: Bullets, cells: int) -> list[Line]:
    lines: list[Line] = []
    for item in block.items:
        room = min(cells, _WIDEST_PROSE) - _INDENT
        first, *others = wrapped(_pieces(item), room)
        lines += [[StyledText("• ", "rule"), *first], *_indented(others)]
    return lines


def _note(block: Note, cells: int) -> list[Line]:
    room = min(cells, _WIDEST_PROSE) - _INDENT
    first, *others = wrapped(_pieces(block.text), room)
    return [[StyledText("▸ ", "rule"), *first], *_indented(others)]


def _side_by_side(block: SideBySide, cells: int) -> list[Line]:
    caption: list[Line] = [[StyledText(block.caption, "step")], []] if block.caption else []
    return [*caption, *_indented(side_by_side_lines(block, cells - _INDENT))]


def _tree(block: Tree, cells: int) -> list[Line]:
    """A line for each part, below what it belongs to; the numbers stand in a column."""
    most = max(width(row.numbers) for row in block.rows)
    lines: list[Line] = []
    for row in block.rows:
        start = [
            StyledText(row.numbers.rjust(most + _INDENT), "rule"),
            StyledText("  " * (row.depth + 1)),
        ]
        made = [_piece(s) if not isinstance(s, str) else _glued(s) for s in row.made]
        style = "" if row.numbers else "step"
        title = [StyledText(text_of_spans(row.title), style)]
        pieces = [*title, *([StyledText(": ")] if row.made else []), *made]
        room = cells - line_width(start)
        first, *others = wrapped(pieces, room, 2)
        lines.append([*start, *first])
        lines += [[StyledText(" " * line_width(start)), *line] for line in others]
    return lines


def _glued(text: str) -> StyledText:
    """A shape in one piece: ` [3, 2]`, perhaps with a comma behind."""
    shape, bracket, after = text.rpartition("]")
    return StyledText(shape.replace(", ", ",\u00a0") + bracket + after)


def _fields(block: Fields, cells: int) -> list[Line]:
    """Names with a rule behind each, all together one line long where there is room for it."""
    gaps = _INDENT * (len(block.names) - 1)
    names = sum(width(name) + 1 for name in block.names)
    rule = "_" * max(_SHORTEST_RULE, (min(cells, _WIDEST_PROSE) - names - gaps) // len(block.names))
    fields = [f"{name}\u00a0{rule}" for name in block.names]
    return wrapped([StyledText(" ".join(fields))], cells)


def _room(block: AnswerSpace, cells: int) -> list[Line]:
    """Dotted lines to write on, a line apart."""
    rule = [StyledText("·" * min(cells, _WIDEST_PROSE), "rule")]
    return [line for _ in range(block.lines) for line in ([], rule)][1:]


def _graph(block: Graph, cells: int) -> list[Line]:
    """An arrow for each edge, the heavier the longer."""
    source = max(width(printed(edge.source)) for edge in block.edges)
    target = max(width(printed(edge.target)) for edge in block.edges)
    weights = [plain(edge.weight) for edge in block.edges]
    room = max(4, min(30, cells - _INDENT - source - target - max(map(len, weights)) - 6))
    most = max(float(edge.weight.full) for edge in block.edges)
    lines: list[Line] = []
    before = ""
    for edge, weight in zip(block.edges, weights, strict=True):
        name = printed(edge.source)
        if before and name != before:
            lines.append([])
        shown = name if name != before else ""
        before = name
        shaft = "─" * max(1, round(float(edge.weight.full) / most * room))
        lines.append(
            [
                StyledText(" " * _INDENT), StyledText(left(shown, source), "heading"),
                StyledText(" "),
                StyledText(f"{shaft}▶ ", "rule"), StyledText(printed(edge.target), "heading"),
                StyledText("  "), StyledText(weight, "result"),
            ]
        )  # fmt: skip
    return lines


def _pieces(spans: Spans) -> list[StyledText]:
    return [_piece(span) for span in spans]


def _piece(span: Span) -> StyledText:
    match span:
        case str():
            return StyledText(span)
        case Word():
            return StyledText(printed(span), "word")
        case Term(name):
            return StyledText(name_of(name).replace(" ", GLUE), "label")
        case _:
            return StyledText(plain(span), "formula")


_BLOCKS: dict[type, Callable[[Any, int], list[Line]]] = {
    Facts: _facts,
    Prose: _prose,
    Bullets: _points,
    Note: _note,
    Subheading: lambda block, cells: wrapped(
        [StyledText(text_of_spans(block.text), "step")], cells
    ),
    Working: lambda block, cells: _indented(working_lines(block, cells - _INDENT)),
    Addition: lambda block, cells: _indented(addition_lines(block, cells - _INDENT)),
    Table: lambda block, cells: _indented(table_lines(block, cells - _INDENT)),
    SideBySide: _side_by_side,
    Tree: _tree,
    Graph: _graph,
    TextList: lambda _, __: [],
    Fields: _fields,
    AnswerSpace: _room,
}
"""How each block is laid out; a list of words is data only, its table says it already."""
