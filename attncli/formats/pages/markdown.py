"""GitHub-flavoured Markdown, its mathematics in `$…$`, its graphs as Mermaid diagrams."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from attncli.document import blocks as doc
from attncli.document.blocks import Graph
from attncli.document.grid import GridCell, grid_of
from attncli.document.pictures import PICTURES, Box, Diagram, Link, Picture
from attncli.document.pictures import Label as PictureLabel
from attncli.document.tables import Branch, MatrixBlock, SideBySide
from attncli.formats import FormatInfo, PaperAbilities, RenderOptions
from attncli.formats.numbers import filled_addends, text_of
from attncli.formats.pictures_in_tables import in_tables
from attncli.formats.writers import Heading, NewPage, Title, pieces_of_all, spans_as, written
from attncli.maths.equations.tree import Apply, Equation, Expression, Omitted, Symbol, Vector
from attncli.maths.notation import name_of, plain, unbreakable
from attncli.maths.notation.columns import filled, filled_vectors
from attncli.maths.notation.escaping import printed
from attncli.maths.notation.latex import RELATIONS, WEB, latex
from attncli.names import Word

SUFFIXES = (".md", ".markdown")
ABILITIES = FormatInfo(PaperAbilities(together=True))


def mermaid(block: Graph) -> str:
    """Draws a graph as a Mermaid diagram, which GitHub draws; names only as quoted labels."""
    names = list(dict.fromkeys(name for edge in block.edges for name in (edge.source, edge.target)))
    lines = ["```mermaid", "graph LR"]
    lines += [f'  n{k}["{_label_text(name)}"]' for k, name in enumerate(names, start=1)]
    for edge in block.edges:
        source, target = names.index(edge.source) + 1, names.index(edge.target) + 1
        lines.append(f'  n{source} -->|"{text_of(edge.weight)}"| n{target}')
    return "\n".join([*lines, "```"])


def mermaid_of_diagram(block: Diagram) -> str:
    """Draws boxes and arrows as a Mermaid diagram; chosen ones are thick."""
    names = {box.id: f"n{k}" for k, box in enumerate(block.boxes, start=1)}
    lines = ["```mermaid", f"graph {'LR' if block.across else 'TD'}"]
    lines += [f'  {names[box.id]}["{_box_text(box)}"]' for box in block.boxes]
    lines += [f"  {names[link.source]} {_arrow(link)} {names[link.target]}" for link in block.links]
    lines += [f"  style {names[box.id]} stroke-width:4px" for box in block.boxes if box.chosen]
    return "\n".join([*lines, "```"])


def _box_text(box: Box) -> str:
    return "<br/>".join(_label_text(text) for text in (box.label, box.below) if text != "")


def _arrow(link: Link) -> str:
    shaft = "==>" if link.chosen else "-->"
    return f'{shaft}|"{_label_text(link.label)}"|' if link.label != "" else shaft


def _label_text(name: PictureLabel) -> str:
    """Writes a name inside quotes of a Mermaid label: entities for what it would obey."""
    return "".join(c if c.isalnum() or c == " " else f"#{ord(c)};" for c in printed(name))


_NEW_PAGE = '<div style="page-break-before: always"></div>'
"""A new page where the text is printed; nothing to see on a screen."""
_RULE = "\\_" * 24
_BULLET = re.compile("^- ", re.MULTILINE)
_OBEYED = re.compile(r"[\\`*_\[\]<>|~$&#]|:(?=//)|@|(?<=www)\.|^[-+](?=[ -]|$)", re.IGNORECASE)
_NUMBERED = re.compile(r"^(\d{1,9})([.)])(?= |$)")
"""What means something anywhere, what makes a link of an address, and at the start a list."""


def render(document: doc.Document, page: RenderOptions) -> str:
    """Writes the document in Markdown; the page's width plays no part."""
    return render_together([document], page)


def render_together(documents: Sequence[doc.Document], page: RenderOptions) -> str:  # noqa: ARG001
    """Writes documents as one, a page break between them."""
    return "\n\n".join(_lists_apart(written(pieces_of_all(documents), _WRITERS))) + "\n"


def _lists_apart(texts: Iterable[str]) -> Iterator[str]:
    """Yields the texts; a list that follows another has other marks, or both would be one list."""
    before = ""
    for text in texts:
        follows = text.startswith("- ") and before.startswith("- ")
        before = _BULLET.sub("* ", text) if follows else text
        yield before


def escaped(word: Word | str) -> str:
    """Writes somebody's words on one line, with nothing in them that Markdown would obey."""
    return word if isinstance(word, str) else _escaped(word)


@lru_cache(maxsize=4096)
def _escaped(word: Word) -> str:
    return _NUMBERED.sub(r"\1\\\2", _OBEYED.sub(r"\\\g<0>", printed(word)))


def code(text: str) -> str:
    """Writes a code span, fenced with more backticks than the text has in a row."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    padding = " " if "`" in text else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def _math(text: str) -> str:
    return f"${text}$"


def _heading(heading: Heading) -> str:
    title = f"## {_spans(heading.title)}"
    return f"{title}\n\n{_formulas(heading.formulas)}" if heading.formulas else title


@lru_cache(maxsize=256)
def _formulas(formulas: tuple[Equation, ...]) -> str:
    """Writes a section's formulas; each that tells a function has a line of its own. Forms of an
    exercise have the same."""
    *before, last = formulas
    gaps = (_BREAK if isinstance(e.left, Apply) else " " for e in before)
    texts = (f"{_expression(e)},{gap}" for e, gap in zip(before, gaps, strict=True))
    return "".join((*texts, _expression(last)))


_BREAK = "  \n"
"""Where a line ends when the page is drawn, too."""


def _expression(node: Expression | Equation) -> str:
    """Writes mathematics; as code where it has words that GitHub would obey inside it."""
    try:
        return _math(latex(node, _WITHOUT_MARKUP))
    except _WordsError:
        return code(unbreakable(plain(node)))


def _facts(facts: doc.DefinitionList) -> str:
    return "\n".join(f"- **{label}:** {_spans(spans)}" for label, spans in facts.rows)


def _spans(spans: doc.Spans) -> str:
    return "".join(spans_as(spans, str, escaped, lambda name: code(name_of(name)), _expression))


@lru_cache(maxsize=4096)
def _name(label: Symbol) -> str:
    """Writes the name of what is worked out; forms of an exercise have the same."""
    return code(unbreakable(plain(label)))


def _working_line(line: doc.Line | Omitted) -> str:
    if isinstance(line, Omitted):
        return "- ⋮"
    parts = [_part(part) for part in line.parts]
    if not any(words for words, _, _ in parts):  # as in most
        content = " ".join([f"{sign} {c}" for _, sign, c in parts])
        return f"- {_name(line.label)} {_math(content)}"
    text = ""
    for words, group in groupby(parts, lambda part: part[0]):
        if words:  # GitHub would obey some of them inside mathematics
            text += "".join(f" {_math(sign)} {c}" for _, sign, c in group)
        else:
            text += f" {_math(' '.join(f'{sign} {c}' for _, sign, c in group))}"
    return f"- {_name(line.label)}{text}"


def _part(part: tuple[str, Expression]) -> tuple[bool, str, str]:
    """Tells whether somebody's words are in a part of a line, and returns its sign, and itself: as
    mathematics, or as code where it has words."""
    relation, expression = part
    sign = RELATIONS[relation]
    try:
        return False, sign, latex(expression, _WITHOUT_WORDS)
    except _WordsError:
        return True, sign, code(unbreakable(plain(expression)))


class _WordsError(Exception):
    """A fault: there are somebody's words, where only mathematics is wanted."""


def _refuse(_: Word | str) -> str:
    raise _WordsError


def _only_letters(word: Word | str) -> str:
    plain_word = isinstance(word, str) or printed(word).replace(" ", "").isalnum()
    return WEB.word(word) if plain_word else _refuse(word)


_WITHOUT_WORDS = WEB.but(word=_refuse)
_WITHOUT_MARKUP = WEB.but(word=_only_letters)


def _addition(block: doc.ColumnSum) -> str:
    """Sets the column addition as it is on paper, which only a fenced block keeps in columns."""
    addends, _ = filled_addends(block, filled, filled_vectors, " × ", "…")
    widest = max(len(addend.product) for addend in addends)
    lines = [
        f"{sign} {product:{widest}} → {value}" if value else f"{sign} {product}"
        for sign, product, value in addends
    ]
    below = f"{block.relation} {'':{widest}}   {plain(block.total)}"
    rule = "─" * max(map(len, (below, *lines)))
    return "\n".join([f"{_name(block.label)}:", "", "```", *lines, rule, below, "```"])


def _grid(block: MatrixBlock | SideBySide | doc.Table) -> str:
    """Writes a table; of a quantity the numbers stand at the right."""
    grid = grid_of(block)
    right = (isinstance(block, MatrixBlock) and column.at_point for column in grid.columns)
    rule = ["---:" if number else ":---" for number in right]
    headings = [_cell(column.heading) for column in grid.columns]
    lines = [headings, rule, *(map(_cell, row) for row in grid.rows())]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: GridCell) -> str:
    match cell.content:
        case Symbol(name, ()):
            return code(f"{name}{cell.behind}")
        case Branch():
            return code(cell.content.drawn("\u00a0"))
        case Vector():
            return _math(latex(cell.content))
        case _:
            return escaped(cell.label)


def _side_by_side(block: SideBySide) -> str:
    table = _grid(block)
    return f"**{block.caption}**\n\n{table}" if block.caption else table


def _tree(block: doc.Tree) -> str:
    return "\n".join(
        f"{'  ' * row.depth}- {_number(row)}{_spans(row.title)}{_made(row)}" for row in block.rows
    )


def _number(row: doc.TreeRow) -> str:
    return f"{row.numbers} · " if row.numbers else ""


def _made(row: doc.TreeRow) -> str:
    made = "".join(
        code(unbreakable(plain(s))) if isinstance(s, Symbol) else _spans((s,)) for s in row.made
    )
    return f": {made}" if made else ""


def _word_blank(block: doc.WordBlank) -> str:
    """Writes a question, its options as a list, and room for the answer."""
    options = zip(block.labels, block.options, strict=False)
    listed = "\n".join(f"- {label}) {escaped(option)}" for label, option in options)
    answer = f"{block.heading}: {_RULE if block.answer is None else escaped(block.answer)}"
    return "\n\n".join(filter(None, (_spans(block.text), listed, answer)))


def _picture(block: Picture) -> str:
    """Draws a diagram as one that GitHub draws, writes others as tables."""
    title, *tables = in_tables(block)
    drawn = [mermaid_of_diagram(block)] if isinstance(block, Diagram) else []
    parts = (*written([title], _WRITERS), *(drawn or written(tables, _WRITERS)))
    return "\n\n".join(parts)


_WRITERS: Mapping[type, Callable[[Any], str]] = {
    Title: lambda piece: f"# {escaped(piece.title)}{piece.called}",
    Heading: _heading,
    NewPage: lambda _: _NEW_PAGE,
    doc.Tree: _tree,
    doc.Graph: mermaid,
    doc.DefinitionList: _facts,
    doc.Paragraph: lambda block: _spans(block.text),
    doc.Bullets: lambda block: "\n".join(f"- {_spans(item)}" for item in block.items),
    doc.Callout: lambda block: f"> {_spans(block.text)}",
    doc.Subheading: lambda block: f"### {_spans(block.text)}",
    doc.Derivation: lambda block: "\n".join(map(_working_line, block.lines)),
    doc.ColumnSum: _addition,
    **dict.fromkeys((doc.Table, MatrixBlock), _grid),
    SideBySide: _side_by_side,
    doc.Fields: lambda block: "  ".join(f"{name} {_RULE}" for name in block.names),
    doc.WordBlank: _word_blank,
    doc.Figure: lambda block: f"![{_spans((block.name,))}]({block.as_url})",
    doc.AnswerSpace: lambda block: "<br>" * (2 * block.lines),
    **dict.fromkeys(PICTURES, _picture),
}
"""How each piece is written."""
