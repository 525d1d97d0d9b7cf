"""Running text and expressions as HTML."""

from __future__ import annotations

from attncli.arithmetic.expression import (
    Blank,
    Equation,
    Expression,
    Symbol,
    blanks_in,
    leaves,
    with_each,
)
from attncli.document import Span, Spans, Term
from attncli.notation import name_of, plain, unbreakable
from attncli.render.html.style import HtmlStyle
from attncli.render.sentences import with_symbols
from attncli.word import Word

_MARKS = range(0xE000, 0xF900)
"""Characters for private use, one of which stands for blanks while an expression is written."""


def spans_html(spans: Spans, style: HtmlStyle) -> str:
    """Running text."""
    return "".join(_span(span, style) for span in with_symbols(spans))


def _span(span: Span, style: HtmlStyle) -> str:
    match span:
        case str():
            return style.text(span)
        case Word():
            return style.word(span)
        case Term(name):
            return f"<code>{style.worded(name_of(name))}</code>"
        case _:
            return expression_html(span, style)


def expression_html(node: Expression | Equation, style: HtmlStyle) -> str:
    """An expression: in mathematics, where it holds neither blanks nor somebody's words."""
    if any(blanks_in(node)):
        return plain_html(node, style)
    return code_html(node, style) if _has_words(node) else style.mathematics(node)


def code_html(node: Expression | Equation, style: HtmlStyle) -> str:
    """A name as the program writes it, `weights[love, AI]`."""
    return f"<code>{style.worded(unbreakable(plain(node)))}</code>"


def plain_html(node: Expression | Equation, style: HtmlStyle) -> str:
    """An expression in plain notation around its blanks."""
    if style.inline is not None:
        return style.inline(node)
    write = style.worded if _has_words(node) else style.text
    if isinstance(node, Equation):
        return write(unbreakable(plain(node)))
    blanks, mark = list(blanks_in(node)), _unused(node)
    places = iter(range(len(blanks)))
    marked = with_each(node, Blank, lambda _: Symbol(f"{mark}{next(places)}{mark}"))
    pieces = unbreakable(plain(marked)).split(mark)
    return "".join(
        style.blank(blanks[int(piece)]) if k % 2 else write(piece) if piece else ""
        for k, piece in enumerate(pieces)
    )


def _unused(node: Expression) -> str:
    """A character that an expression doesn't have, so that it can't be mistaken for its words."""
    text = plain(with_each(node, Blank, lambda _: Symbol("x")))
    return next(mark for mark in map(chr, _MARKS) if mark not in text)


def _has_words(node: Expression | Equation) -> bool:
    """Whether it is, or some name in it has, somebody's words: indices other than 2, i, j."""
    parts = [*leaves(node)]
    indices = (index for part in parts if isinstance(part, Symbol) for index in part.indices)
    return any(isinstance(part, Word) for part in parts) or not all(map(_is_own, indices))


def _is_own(index: Word | str) -> bool:
    text = index.raw if isinstance(index, Word) else index
    return text.isascii() and (text.isdigit() or (len(text) == 1 and text.isalpha()))
