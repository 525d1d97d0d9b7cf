"""GitHub-flavoured Markdown, its mathematics in `$…$`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from attncli.arithmetic.expression import (
    Equation,
    Expression,
    Omitted,
    Symbol,
    Vector,
)
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
    TreeRow,
    Working,
)
from attncli.document import Line as WorkingLine
from attncli.notation import name_of, plain, unbreakable
from attncli.notation.latex import WEB, latex
from attncli.notation.plain import MINUS
from attncli.notation.signs import signed
from attncli.notation.words import printed
from attncli.render.grid import Entry, Label, entry_text, grid_of, grid_of_vectors, label_of
from attncli.render.mermaid import mermaid
from attncli.render.numbers import addend_sign, heading_of
from attncli.render.page import Page
from attncli.word import Word

SUFFIXES = (".md", ".markdown")

_RELATIONS = {"=": "=", "≈": r"\approx"}
_NEW_PAGE = '<div style="page-break-before: always"></div>'
"""A new page where the text is printed; nothing to see on a screen."""
_RULE = "\\_" * 24
_BULLET = re.compile("^- ", re.MULTILINE)
_OBEYED = re.compile(r"[\\`*_\[\]<>|~$&#]|:(?=//)|@|(?<=www)\.|^[-+](?=[ -]|$)", re.IGNORECASE)
_NUMBERED = re.compile(r"^(\d{1,9})([.)])(?= |$)")
"""What means something anywhere, what makes a link of an address, and at the start a list."""


def render(document: Document, page: Page) -> str:  # noqa: ARG001
    """The document in Markdown; the page's width plays no part."""
    return "\n\n".join(_parts(document)) + "\n"


def _parts(document: Document) -> list[str]:
    paper = document.paper
    parts: list[str] = []
    if document.facts is not None:
        called = "" if paper is None else f": {paper.called}"
        parts += [f"# {escaped(document.title)}{called}", _facts(document.all_facts)]
    parts += _blocks(document.opening)
    for k, section in enumerate(document.sections):
        parts += [_NEW_PAGE] if k > 0 and paper is not None else []
        parts += [_heading(section), *_blocks(section.blocks)]
    parts += _blocks(document.closing)
    return parts if document.key is None else [*parts, _NEW_PAGE, *_parts(document.key)]


def escaped(word: Word | str) -> str:
    """Somebody's words on one line, with nothing in them that Markdown would obey."""
    return word if isinstance(word, str) else _escaped(word)


@lru_cache(maxsize=4096)
def _escaped(word: Word) -> str:
    return _NUMBERED.sub(r"\1\\\2", _OBEYED.sub(r"\\\g<0>", printed(word)))


def code(text: str) -> str:
    """A code span, fenced with more backticks than the text has in a row."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    padding = " " if "`" in text else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def _math(text: str) -> str:
    return f"${text}$"


def _heading(section: Section) -> str:
    title = f"## {_spans(section.heading_with_points)}"
    return f"{title}\n\n{_formulas(section.formulas)}" if section.formulas else title


@lru_cache(maxsize=256)
def _formulas(formulas: tuple[Equation, ...]) -> str:
    """A section's formulas; forms of an exercise have the same."""
    return ", ".join(map(_expression, formulas))


def _expression(node: Expression | Equation) -> str:
    """Mathematics; as code where it has words that GitHub would obey inside it."""
    try:
        return _math(latex(node, _WITHOUT_MARKUP))
    except _WordsError:
        return code(unbreakable(plain(node)))


def _blocks(blocks: Iterable[Block]) -> list[str]:
    texts = [text for block in blocks if (text := _BLOCKS[type(block)](block))]
    parted: list[str] = []
    for text in texts:
        follows = parted and text.startswith("- ") and parted[-1].startswith("- ")
        parted.append(_BULLET.sub("* ", text) if follows else text)  # another mark, another list
    return parted


def _facts(facts: Facts) -> str:
    return "\n".join(f"- **{label}:** {_spans(spans)}" for label, spans in facts.rows)


def _spans(spans: Spans) -> str:
    return "".join(map(_span, spans))


def _span(span: Span) -> str:
    match span:
        case str():
            return span
        case Word():
            return escaped(span)
        case Term(name):
            return code(name_of(name))
        case _:
            return _expression(span)


def _label(line: WorkingLine | Addition) -> str:
    return _name(line.label)


@lru_cache(maxsize=4096)
def _name(label: Symbol) -> str:
    """The name of what is worked out; forms of an exercise have the same."""
    return code(unbreakable(plain(label)))


def _working(block: Working) -> str:
    return "\n".join(map(_working_line, block.lines))


def _working_line(line: WorkingLine | Omitted) -> str:
    if isinstance(line, Omitted):
        return "- ⋮"
    parts = [_part(part) for part in line.parts]
    if not any(words for words, _, _ in parts):  # as in most
        return f"- {_label(line)} {_math(' '.join([f'{sign} {told}' for _, sign, told in parts]))}"
    text = ""
    for words, group in groupby(parts, lambda part: part[0]):
        if words:  # GitHub would obey some of them inside mathematics
            text += "".join(f" {_math(sign)} {told}" for _, sign, told in group)
        else:
            text += f" {_math(' '.join(f'{sign} {told}' for _, sign, told in group))}"
    return f"- {_label(line)}{text}"


def _part(part: tuple[str, Expression]) -> tuple[bool, str, str]:
    """Whether somebody's words are in a part of a line, its sign, and itself: as mathematics, or
    as code where it has words."""
    relation, expression = part
    sign = _RELATIONS[relation]
    try:
        return False, sign, latex(expression, _WITHOUT_WORDS)
    except _WordsError:
        return True, sign, code(unbreakable(plain(expression)))


class _WordsError(Exception):
    """Somebody's words, where only mathematics is wanted."""


def _refuse(_: Word | str) -> str:
    raise _WordsError


def _only_letters(word: Word | str) -> str:
    plain_word = isinstance(word, str) or printed(word).replace(" ", "").isalnum()
    return WEB.word(word) if plain_word else _refuse(word)


_WITHOUT_WORDS = WEB._replace(word=_refuse)
_WITHOUT_MARKUP = WEB._replace(word=_only_letters)


def _addition(block: Addition) -> str:
    lines = [f"{_label(block)}:", ""]
    for k, addend in enumerate(block.addends):
        sign = f"{addend_sign(addend, k)} ".lstrip().replace(MINUS, "-")
        if isinstance(addend, Omitted):
            lines.append(f"- {_math(sign + latex(addend))}")
        else:
            product, value = addend
            lines.append(f"- {_addend(sign, signed(product)[1], value)}")
    total = f"{_RELATIONS[block.relation]} {latex(block.total)}"
    return "\n".join([*lines, f"- {_math(total)}"])


def _addend(sign: str, product: Expression, value: Expression) -> str:
    try:
        told = latex(product, _WITHOUT_MARKUP)
    except _WordsError:
        return code(f"{sign}{unbreakable(plain(product))} → {unbreakable(plain(value))}")
    return _math(rf"{sign}{told} \rightarrow {latex(value)}")


def _grid(headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[bool]) -> str:
    rule = ("---:" if number else ":---" for number in numbers)
    lines = [headings, list(rule), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _table(block: Table) -> str:
    rows = [[x if isinstance(x, str) else _cell(x) for x in row] for row in block.rows]
    return _grid([*map(escaped, block.headings)], rows, [False for _ in block.headings])


def _cell(cell: Word | Omitted) -> str:
    return "⋮" if isinstance(cell, Omitted) else escaped(cell)


def _matrix(block: MatrixBlock) -> str:
    grid = grid_of(block)
    headings = [code(heading_of(block)), *map(_name_of, grid.headings)]
    rows = [[_name_of(name), *map(entry_text, entries)] for name, entries in grid.rows()]
    return _grid(headings, rows, [False, *(True for _ in grid.columns)])


def _name_of(name: Label) -> str:
    return escaped(label_of(name))


def _side_by_side(block: SideBySide) -> str:
    grid = grid_of_vectors(block)
    rows = [[_name_of(name), *map(_vector, entries)] for name, entries in grid.rows()]
    headings = ["Token", *map(_name_of, grid.headings)]
    table = _grid(headings, rows, [False for _ in headings])
    return f"**{block.caption}**\n\n{table}" if block.caption else table


def _vector(entry: Entry) -> str:
    return _math(latex(entry)) if isinstance(entry, Vector) else entry_text(entry)


def _tree(block: Tree) -> str:
    return "\n".join(
        f"{'  ' * row.depth}- {_number(row)}{_spans(row.title)}{_made(row)}" for row in block.rows
    )


def _number(row: TreeRow) -> str:
    return f"{row.numbers} · " if row.numbers else ""


def _made(row: TreeRow) -> str:
    made = "".join(
        code(unbreakable(plain(s))) if isinstance(s, Symbol) else _span(s) for s in row.made
    )
    return f": {made}" if made else ""


_BLOCKS: dict[type, Callable[[Any], str]] = {
    Tree: _tree,
    Graph: mermaid,
    Facts: _facts,
    Prose: lambda block: _spans(block.text),
    Bullets: lambda block: "\n".join(f"- {_spans(item)}" for item in block.items),
    Note: lambda block: f"> {_spans(block.text)}",
    Subheading: lambda block: f"### {_spans(block.text)}",
    Working: _working,
    Addition: _addition,
    Table: _table,
    MatrixBlock: _matrix,
    SideBySide: _side_by_side,
    TextList: lambda _: "",
    Fields: lambda block: "  ".join(f"{name} {_RULE}" for name in block.names),
    AnswerSpace: lambda block: "<br>" * (2 * block.lines),
}
"""How each block is written; a list of words is data only, its table says it already."""
