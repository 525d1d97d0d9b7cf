"""GitHub-flavoured Markdown, its mathematics in `$…$`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from attncli.arithmetic.expression import (
    MOST_PARTS,
    Equation,
    Expression,
    Omitted,
    Symbol,
    elided,
)
from attncli.document import (
    Addition,
    Block,
    Document,
    Facts,
    Fields,
    Graph,
    MatrixBlock,
    Note,
    Points,
    Prose,
    Room,
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
    Word,
    Working,
)
from attncli.document import Line as WorkingLine
from attncli.notation import latex, plain, unbreakable
from attncli.notation.latex import WEB
from attncli.notation.plain import MINUS
from attncli.notation.signs import signed
from attncli.notation.words import visible
from attncli.render.figures import (
    addend_sign,
    column_heading,
    heading_of,
    row_heading,
    shown_rows,
    sum_heading,
    sum_text,
    text_of,
    vector,
)
from attncli.render.mermaid import mermaid
from attncli.render.page import Page

SUFFIXES = (".md", ".markdown")

_RELATIONS = {"=": "=", "≈": r"\approx"}
_NEW_PAGE = '<div style="page-break-before: always"></div>'
"""A new page where the text is printed; nothing to see on a screen."""
_RULE = "\\_" * 24
_BULLET = re.compile("^- ", re.MULTILINE)
_SPECIAL = str.maketrans({character: f"\\{character}" for character in r"\`*_[]<>|~$&#"})


def render(document: Document, page: Page) -> str:  # noqa: ARG001
    """The document in Markdown; the page's width plays no part."""
    return "\n\n".join(_parts(document)) + "\n"


def _parts(document: Document) -> list[str]:
    paper = document.paper
    parts: list[str] = []
    if document.facts is not None:
        called = "" if paper is None else f": {paper.called}"
        parts += [f"# {escaped(document.title.text)}{called}", _facts(document.all_facts)]
    parts += _blocks(document.opening)
    for k, section in enumerate(document.sections):
        parts += [_NEW_PAGE] if k > 0 and paper is not None else []
        parts += [_heading(section), *_blocks(section.blocks)]
    parts += _blocks(document.closing)
    return parts if document.key is None else [*parts, _NEW_PAGE, *_parts(document.key)]


@lru_cache(maxsize=4096)
def escaped(text: str) -> str:
    """Somebody's words on one line, with nothing in them that Markdown would obey."""
    return visible(text).translate(_SPECIAL)


def code(text: str) -> str:
    """A code span, fenced with more backticks than the text has in a row."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    padding = " " if "`" in text else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def _math(text: str) -> str:
    return f"${text}$"


def _heading(section: Section) -> str:
    title = f"## {section.heading_with_points}"
    return f"{title}\n\n{_formulas(section.formulas)}" if section.formulas else title


@lru_cache(maxsize=256)
def _formulas(formulas: tuple[Equation, ...]) -> str:
    """A section's formulas; forms of an exercise have the same."""
    return ", ".join(_math(latex(formula)) for formula in formulas)


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
        case Word(text):
            return escaped(text)
        case Term(text):
            return code(text)
        case _:
            return _math(latex(span))


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
    text = ""
    for words, group in groupby(map(_part, line.parts), lambda part: part[0]):
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


def _refuse(_: str) -> str:
    raise _WordsError


_WITHOUT_WORDS = WEB._replace(word=_refuse)


def _addition(block: Addition) -> str:
    lines = [f"{_label(block)}:", ""]
    for k, addend in enumerate(block.addends):
        sign = f"{addend_sign(addend, k)} ".lstrip().replace(MINUS, "-")
        if isinstance(addend, Omitted):
            lines.append(f"- {_math(sign + latex(addend))}")
        else:
            product, value = addend
            arrow = r"\rightarrow"
            lines.append(f"- {_math(f'{sign}{latex(signed(product)[1])} {arrow} {latex(value)}')}")
    total = f"{_RELATIONS[block.relation]} {latex(block.total)}"
    return "\n".join([*lines, f"- {_math(total)}"])


def _grid(headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[bool]) -> str:
    rule = ("---:" if number else ":---" for number in numbers)
    lines = [headings, list(rule), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _table(block: Table) -> str:
    rows = [[_cell(cell) for cell in row] for row in block.rows]
    return _grid(block.headings, rows, [False for _ in block.headings])


def _cell(cell: Word | str | Omitted) -> str:
    if isinstance(cell, str):
        return cell
    return escaped(cell.text) if isinstance(cell, Word) else "⋮"


def _matrix(block: MatrixBlock) -> str:
    columns = elided(block.matrix.shape[1], MOST_PARTS)
    headings = [code(heading_of(block)), *(escaped(column_heading(block, j)) for j in columns)]
    headings += [sum_heading(block)] if block.with_sums else []
    rows = []
    for i in shown_rows(block):
        texts = [_figure(block, i, j) for j in columns]
        texts += [sum_text(block, i)] if block.with_sums else []
        rows.append([escaped(row_heading(block, i)), *texts])
    return _grid(headings, rows, [False, *(True for _ in headings[1:])])


def _figure(block: MatrixBlock, i: int | None, j: int | None) -> str:
    if i is None:
        return "⋮"
    return "…" if j is None else text_of(block.entry(i, j))


def _side_by_side(block: SideBySide) -> str:
    first = block.columns[0][1]
    rows = []
    for i in shown_rows(first):
        vectors = ("⋮" if i is None else _math(latex(vector(m, i))) for _, m in block.columns)
        rows.append([escaped(row_heading(first, i)), *vectors])
    headings = ["Token", *(heading for heading, _ in block.columns)]
    table = _grid(headings, rows, [False for _ in headings])
    return f"**{block.caption}**\n\n{table}" if block.caption else table


def _tree(block: Tree) -> str:
    return "\n".join(
        f"{'  ' * row.depth}- {_number(row)}{row.title}{_made(row)}" for row in block.rows
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
    Points: lambda block: "\n".join(f"- {_spans(item)}" for item in block.items),
    Note: lambda block: f"> {_spans(block.text)}",
    Subheading: lambda block: f"### {block.text}",
    Working: _working,
    Addition: _addition,
    Table: _table,
    MatrixBlock: _matrix,
    SideBySide: _side_by_side,
    TextList: lambda _: "",
    Fields: lambda block: "  ".join(f"{name} {_RULE}" for name in block.names),
    Room: lambda block: "<br>" * (2 * block.lines),
}
"""How each block is written; a list of words is data only, its table says it already."""
