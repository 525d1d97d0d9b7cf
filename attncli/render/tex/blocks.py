"""How each block of a document is written in LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from attncli import document as doc
from attncli.arithmetic.expression import Equation
from attncli.notation.latex import latex
from attncli.pictures import PICTURES, Picture
from attncli.render.pictures_in_tables import in_tables
from attncli.render.tex import tables
from attncli.render.tex.pictures import picture
from attncli.render.tex.setting import Setting, escaped, math_width, on_one_line, spans
from attncli.render.tex.working import INDENT, addition, pieces, working
from attncli.render.writers import Tables, with_tables_together, written
from attncli.tables import SideBySide

_BETWEEN = 2.5
_DEEPEST = 10
"""How deep a tree's lines are set in; what is deeper stands below each other."""


def blocks(them: Iterable[doc.Block], setting: Setting) -> list[str]:
    """The text of each block; small matrices that follow each other go side by side."""
    return list(written(with_tables_together(them), _WRITERS, setting))


def formulas(them: Sequence[Equation], setting: Setting) -> str:
    """Formulas on one line if there is room for them, else one a line."""
    texts = [latex(formula, setting.formula) for formula in them]
    if not texts:
        return ""
    if sum(math_width(text) + _BETWEEN for text in texts) <= setting.room:
        return "\\[\n  " + on_one_line(r", \qquad ".join(texts)) + "\n\\]"
    lines = " \\\\\n  ".join(_formula(text, setting) for text in texts)
    return f"\\begin{{gather*}}\n  {lines}\n\\end{{gather*}}"


def _formula(text: str, setting: Setting) -> str:
    """A formula, broken between its terms if need be, and before the = if that isn't enough."""
    room = setting.room - INDENT
    rows = pieces(text, room)
    if _widest(rows) > room:
        left, _, right = text.partition(" = ")
        rows = min(rows, [left, *pieces(f"= {right}", room)], key=_widest)
    if len(rows) == 1:
        return rows[0]
    lines = (r" \\" + "\n    " + r"&\qquad ").join(rows)
    return f"\\begin{{aligned}}[t]\n    &{lines}\n  \\end{{aligned}}"


def _widest(rows: Sequence[str]) -> float:
    """How wide rows are, of which all but the first are set in."""
    return max(math_width(row) + INDENT * bool(k) for k, row in enumerate(rows))


def facts(block: doc.Facts, _: Setting) -> str:
    items = "\n".join(rf"\item[{escaped(label)}] {spans(text)}" for label, text in block.rows)
    return f"\\begin{{description}}\\raggedright\n{items}\n\\end{{description}}"


def _points(block: doc.Bullets, _: Setting) -> str:
    items = "\n".join(rf"\item {spans(item)}" for item in block.items)
    return f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}"


def _tree(block: doc.Tree, _: Setting) -> str:
    """A line for each part, below what it belongs to; the numbers stand in a column."""
    lines = "\n".join(map(_tree_line, block.rows, block.has_parts))
    return f"{{\\parskip 0pt\\parindent 0pt\\raggedright\n{lines}\n}}"


def _tree_line(row: doc.TreeRow, has_parts: bool) -> str:
    indent = 3 + 1.5 * min(row.depth, _DEEPEST)
    number = rf"\makebox[2.5em][r]{{{escaped(row.numbers)}}}" if row.numbers else ""
    start = rf"\hangindent {indent + 1}em\noindent\makebox[{indent}em][l]{{{number}}}"
    title = rf"\textbf{{{spans(row.title)}}}" if has_parts else spans(row.title)
    made = f": {spans(row.made)}" if row.made else ""
    return rf"{start}{title}{made}\par"


def _fields(block: doc.Fields, _: Setting) -> str:
    fields = r"\quad ".join(rf"{escaped(name)} \hrulefill" for name in block.names)
    return (
        "\\noindent\\fbox{\\parbox{\\dimexpr\\linewidth-2\\fboxsep-2\\fboxrule}{%\n"
        f"\\vspace{{3ex}}\\noindent {fields}\\vspace{{1ex}}}}}}\\par"
    )


def _word_blank(block: doc.WordBlank, setting: Setting) -> str:
    """A question, its options, and a place for the answer."""
    options = [
        rf"\mbox{{{label}) {spans((option,))}}}"
        for label, option in zip(block.labels, block.options, strict=False)
    ]
    place = setting.place("" if block.answer is None else spans((block.answer,)))
    listed = "".join(rf"{option}\quad " for option in options)
    return (
        f"{{\\raggedright {spans(block.text)}\\\\*[1ex]\n"
        f"{listed}\\hspace*{{\\fill}}\\mbox{{{escaped(block.heading)} {place}}}\\par}}\\medskip"
    )


def _picture(block: Picture, setting: Setting) -> str:
    """A drawing below what it is called, or the numbers of what is too large for one."""
    drawing = picture(block, setting.room)
    if drawing is None:
        return "\n\n".join(blocks(in_tables(block), setting))
    return f"{setting.subheading.format(spans((block.title,)))}\n\n{drawing}"


def _graph(block: doc.Graph, setting: Setting) -> str:
    """Drawn on a page with pictures."""
    drawing = picture(block, setting.room) if setting.pictured else None
    return drawing or tables.graph(block)


def _answer_space(block: doc.AnswerSpace, setting: Setting) -> str:
    more = setting.lines_to_end if block.to_end else ""
    return setting.lines_to_write.format(block.lines) + more


_WRITERS: Mapping[type, Callable[[Any, Setting], str]] = {
    Tables: lambda block, setting: tables.matrices(block.matrices, setting),
    doc.Facts: facts,
    doc.Prose: lambda block, _: spans(block.text),
    doc.Bullets: _points,
    doc.Subheading: lambda block, setting: setting.subheading.format(spans(block.text)),
    doc.Note: lambda block, _: (
        f"\\begin{{quote}}\\raggedright\n{spans(block.text)}\n\\end{{quote}}"
    ),
    doc.Working: working,
    doc.Addition: addition,
    doc.Table: tables.table,
    SideBySide: tables.side_by_side,
    doc.Tree: _tree,
    doc.Graph: _graph,
    doc.Fields: _fields,
    doc.WordBlank: _word_blank,
    doc.AnswerSpace: _answer_space,
    **dict.fromkeys(PICTURES, _picture),
}
"""How each block is written."""
