"""Every block as HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from attncli import document as doc
from attncli.arithmetic.expression import Blank, Symbol
from attncli.pictures import PICTURES, Picture
from attncli.render.html.tables import (
    facts_html,
    working_html,
    addition_html,
    words_html,
    matrix_html,
    side_by_side_html,
    graph_html,
)
from attncli.render.html.spans import code_html, spans_html
from attncli.render.html.style import HtmlStyle
from attncli.render.pictures_in_tables import in_tables
from attncli.render.writers import written
from attncli.tables import MatrixBlock, SideBySide


def blocks_html(blocks: Iterable[doc.Block], style: HtmlStyle) -> str:
    """The blocks one below the other. Raises TypeError for one that has no HTML."""
    return "\n".join(written(blocks, _WRITERS, style))


def _points(block: doc.Bullets, style: HtmlStyle) -> str:
    items = "\n".join(f"<li>{spans_html(item, style)}</li>" for item in block.items)
    return f"<ul>\n{items}\n</ul>"


def _tree(block: doc.Tree, style: HtmlStyle) -> str:
    """A list in which what is deeper is a list of its own."""
    text, depth = "", -1
    for row in block.rows:
        opened = "<li>".join(["<ul>"] * (row.depth - depth))
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
    """A question, its options, and room for the answer."""
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
    """A drawing, or the numbers where a format has none."""
    if style.picture is None:
        return blocks_html(in_tables(block), style)
    return style.picture(block)


def _graph(block: doc.Graph, style: HtmlStyle) -> str:
    """A drawing, which tells its numbers in words, or their table where a format has none."""
    return graph_html(block, style) if style.picture is None else style.picture(block)


_WRITERS: Mapping[type, Callable[[Any, HtmlStyle], str]] = {
    doc.Facts: facts_html,
    doc.Prose: lambda block, style: f"<p>{spans_html(block.text, style)}</p>",
    doc.Bullets: _points,
    doc.Subheading: lambda block, style: (
        f"<h{style.level}>{spans_html(block.text, style)}</h{style.level}>"
    ),
    doc.Note: lambda block, style: f"<aside><p>{spans_html(block.text, style)}</p></aside>",
    doc.Working: working_html,
    doc.Addition: addition_html,
    doc.Table: words_html,
    MatrixBlock: matrix_html,
    SideBySide: side_by_side_html,
    doc.Tree: _tree,
    doc.Graph: _graph,
    doc.Fields: _fields,
    doc.WordBlank: _word_blank,
    doc.AnswerSpace: lambda block, _: f'<div class="room">{"<br>" * block.lines}</div>',
    **dict.fromkeys(PICTURES, _picture),
}
"""How each block is written."""
