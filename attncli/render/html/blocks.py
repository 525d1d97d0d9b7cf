"""Every block as HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attncli.arithmetic.expression import Symbol
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
    Span,
    Subheading,
    Table,
    TextList,
    Tree,
    TreeRow,
    Working,
)
from attncli.render.html.spans import code_html, spans_html
from attncli.render.html.style import HtmlStyle
from attncli.render.html.tables import (
    facts_html,
    graph_html,
    matrix_html,
    side_by_side_html,
    words_html,
)
from attncli.render.html.working import addition_html, working_html


def blocks_html(blocks: Iterable[Block], style: HtmlStyle) -> str:
    """The blocks one below the other. Raises TypeError for one that has no HTML."""
    texts = (block_html(block, style) for block in blocks)
    return "\n".join(text for text in texts if text)


def block_html(block: Block, style: HtmlStyle) -> str:
    write = _BLOCKS.get(type(block))
    if write is None:
        raise TypeError(f"{type(block).__name__} has no HTML")
    return write(block, style)


def _points(block: Bullets, style: HtmlStyle) -> str:
    items = "\n".join(f"<li>{spans_html(item, style)}</li>" for item in block.items)
    return f"<ul>\n{items}\n</ul>"


def _subheading(block: Subheading, style: HtmlStyle) -> str:
    return f"<h{style.level}>{spans_html(block.text, style)}</h{style.level}>"


def _tree(block: Tree, style: HtmlStyle) -> str:
    """A list in which what is deeper is a list of its own."""
    text, depth = "", -1
    for row in block.rows:
        opened = "<li>".join(["<ul>"] * (row.depth - depth))
        text += opened or "</li>" + "</ul></li>" * (depth - row.depth)
        text += f"\n<li>{_tree_row(row, style)}"
        depth = row.depth
    return text + "</li></ul>" * (depth + 1)


def _tree_row(row: TreeRow, style: HtmlStyle) -> str:
    number = f"{style.text(row.numbers)} · " if row.numbers else ""
    made = "".join(_made(span, style) for span in row.made)
    return number + spans_html(row.title, style) + (f": {made}" if made else "")


def _made(span: Span, style: HtmlStyle) -> str:
    return code_html(span, style) if isinstance(span, Symbol) else spans_html((span,), style)


def _fields(block: Fields, style: HtmlStyle) -> str:
    names = (f'{style.word(name)} <span class="rule"></span>' for name in block.names)
    return f'<p class="fields">{" ".join(names)}</p>'


_BLOCKS: dict[type, Callable[[Any, HtmlStyle], str]] = {
    Facts: facts_html,
    Prose: lambda block, style: f"<p>{spans_html(block.text, style)}</p>",
    Bullets: _points,
    Subheading: lambda block, style: (
        f"<h{style.level}>{spans_html(block.text, style)}</h{style.level}>"
    ),
    Note: lambda block, style: f"<aside><p>{spans_html(block.text, style)}</p></aside>",
    Working: working_html,
    Addition: addition_html,
    Table: words_html,
    MatrixBlock: matrix_html,
    SideBySide: side_by_side_html,
    TextList: lambda _, __: "",
    Tree: _tree,
    Graph: graph_html,
    Fields: _fields,
    AnswerSpace: lambda block, _: f'<div class="room">{"<br>" * block.lines}</div>',
}
"""How each block is written; a list of words is data only, its table says it already."""
