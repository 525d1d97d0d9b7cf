"""Running text: without any markup, and what is mathematics in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TypeVar

from attncli.arithmetic.expression import Equation, Expression, Root, Symbol, Transposed
from attncli.document import Span, Spans, Term
from attncli.notation import name_of, plain, unbreakable
from attncli.notation.words import printed
from attncli.word import Word

T = TypeVar("T")
_NAME = re.compile(r"(√?)\b([A-Za-z]_[A-Za-z0-9]+)(ᵀ?)(?![\w\[=])")
"""A letter with something below it, in a text: `d_k`, `√d_model`, `W_Qᵀ`."""


def spans_as(
    spans: Spans,
    text: Callable[[str], T],
    word: Callable[[Word], T],
    term: Callable[[str | Symbol], T],
    mathematics: Callable[[Expression | Equation], T],
) -> Iterator[T]:
    """The spans as a format that has mathematics writes each kind of them; names like `d_k` in a
    text are symbols."""
    for span in spans:
        for part in _parts(span) if isinstance(span, str) and "_" in span else (span,):
            match part:
                case str():
                    yield text(part)
                case Word():
                    yield word(part)
                case Term(name):
                    yield term(name)
                case _:
                    yield mathematics(part)


@lru_cache(maxsize=4096)
def _parts(text: str) -> Spans:
    parts: list[Span] = []
    end = 0
    for name in _NAME.finditer(text):
        symbol: Expression = Symbol(name[2])
        symbol = Transposed(symbol) if name[3] else symbol
        parts += [text[end : name.start()], Root(symbol) if name[1] else symbol]
        end = name.end()
    return tuple(part for part in (*parts, text[end:]) if part != "")


def text_of_spans(spans: Spans, word: Callable[[Word], str] = printed) -> str:
    """The text of spans; somebody's words as `word` writes them."""
    return "".join(
        span if isinstance(span, str)
        else word(span) if isinstance(span, Word)
        else name_of(span.name, word) if isinstance(span, Term)
        else unbreakable(plain(span, word))
        for span in spans
    )  # fmt: skip
