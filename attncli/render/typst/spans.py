"""Running text as code of Typst."""

from __future__ import annotations

from attncli.arithmetic.expression import Symbol
from attncli.document import Span, Spans, Term
from attncli.notation import name_of
from attncli.render.sentences import with_symbols
from attncli.render.typst.mathematics import INLINE, WORKING, mathematics
from attncli.render.typst.text import code, joined, text, word
from attncli.word import Word


def spans(texts: Spans) -> str:
    """Running text, as a block of code."""
    return joined(map(_span, with_symbols(texts)))


def _span(span: Span) -> str:
    match span:
        case str():
            return text(span)
        case Word():
            return word(span)
        case Term(called):
            return code(name_of(called))
        case Symbol():
            return mathematics(span, WORKING)
        case _:
            return mathematics(span, INLINE)
