"""How each block of a document is written in LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from attncli.arithmetic.expression import Equation
from attncli.document import (
    Addition,
    AnswerSpace,
    Block,
    Bullets,
    Facts,
    Fields,
    Graph,
    MatrixBlock,
    Note,
    Prose,
    SideBySide,
    Spans,
    Subheading,
    Table,
    TextList,
    Tree,
    TreeRow,
    Working,
)
from attncli.notation.latex import latex
from attncli.render.tex import tables
from attncli.render.tex.addition import addition
from attncli.render.tex.measure import math_width
from attncli.render.tex.setting import Setting
from attncli.render.tex.text import JOINT, escaped, spans
from attncli.render.tex.working import INDENT, pieces, working

_BETWEEN = 2.5


def blocks(them: Iterable[Block], setting: Setting) -> list[str]:
    """The text of each block; small matrices that follow each other go side by side."""
    return [text for text in _texts(them, setting) if text]


def _texts(them: Iterable[Block], setting: Setting) -> Iterator[str]:
    for is_matrix, group in groupby(them, lambda block: isinstance(block, MatrixBlock)):
        if is_matrix:
            matrices = (block for block in group if isinstance(block, MatrixBlock))
            yield tables.together([tables.matrix(block, setting) for block in matrices])
        else:
            for block in group:
                yield _BLOCKS[type(block)](block, setting)


def formulas(them: Sequence[Equation], setting: Setting) -> str:
    """Formulas on one line if there is room for them, else one a line."""
    texts = [latex(formula, setting.formula) for formula in them]
    if not texts:
        return ""
    if sum(math_width(text) + _BETWEEN for text in texts) <= setting.room:
        return "\\[\n  " + r", \qquad ".join(texts).replace(JOINT, " ") + "\n\\]"
    lines = " \\\\\n  ".join(_formula(text, setting) for text in texts)
    return f"\\begin{{gather*}}\n  {lines}\n\\end{{gather*}}"


def _formula(text: str, setting: Setting) -> str:
    """A formula, broken between its terms if need be."""
    rows = pieces(text, setting.room - INDENT)
    if len(rows) == 1:
        return rows[0]
    lines = (r" \\" + "\n    " + r"&\qquad ").join(rows)
    return f"\\begin{{aligned}}[t]\n    &{lines}\n  \\end{{aligned}}"


def facts(block: Facts, _: Setting) -> str:
    items = "\n".join(rf"\item[{escaped(label)}] {spans(text)}" for label, text in block.rows)
    return f"\\begin{{description}}\\raggedright\n{items}\n\\end{{description}}"


def _points(block: Bullets, _: Setting) -> str:
    items = "\n".join(rf"\item {spans(item)}" for item in block.items)
    return f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"


def _note(block: Note, _: Setting) -> str:
    return f"\\begin{{quote}}\\raggedright\n{spans(block.text)}\n\\end{{quote}}"


def _tree(block: Tree, _: Setting) -> str:
    """A line for each part, below what it belongs to; the numbers stand in a column."""
    lines = "\n".join(map(_tree_line, block.rows))
    return f"{{\\parskip 0pt\\parindent 0pt\\raggedright\n{lines}\n}}"


def _tree_line(row: TreeRow) -> str:
    indent = 3 + 1.5 * row.depth
    number = rf"\makebox[2.5em][r]{{{escaped(row.numbers)}}}" if row.numbers else ""
    start = rf"\hangindent {indent + 1}em\noindent\makebox[{indent}em][l]{{{number}}}"
    title = spans(row.title) if row.numbers else rf"\textbf{{{spans(row.title)}}}"
    return rf"{start}{title}{_made(row.made)}\par"


def _made(made: Spans) -> str:
    return f": {spans(made)}" if made else ""


def _fields(block: Fields, _: Setting) -> str:
    fields = r"\quad ".join(rf"{escaped(name)} \hrulefill" for name in block.names)
    return (
        "\\noindent\\fbox{\\parbox{\\dimexpr\\linewidth-2\\fboxsep-2\\fboxrule}{%\n"
        f"\\vspace{{3ex}}\\noindent {fields}\\vspace{{1ex}}}}}}\\par"
    )


def _room(block: AnswerSpace, setting: Setting) -> str:
    return setting.lines_to_write.format(block.lines)


_BLOCKS: dict[type, Callable[[Any, Setting], str]] = {
    Facts: facts,
    Prose: lambda block, _: spans(block.text),
    Bullets: _points,
    Subheading: lambda block, setting: setting.subheading.format(spans(block.text)),
    Note: _note,
    Working: working,
    Addition: addition,
    Table: tables.table,
    SideBySide: tables.side_by_side,
    TextList: lambda _, __: "",
    Tree: _tree,
    Graph: lambda block, _: tables.graph(block),
    Fields: _fields,
    AnswerSpace: _room,
}
"""How each block is written; a list of words is data only, its table says it already."""
