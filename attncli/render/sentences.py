"""Running text without any markup."""

from __future__ import annotations

from collections.abc import Callable

from attncli.document import Spans, Term
from attncli.notation import name_of, plain, unbreakable
from attncli.notation.words import printed
from attncli.word import Word


def text_of_spans(spans: Spans, word: Callable[[Word], str] = printed) -> str:
    """The text of spans; somebody's words as `word` writes them."""
    return "".join(
        span if isinstance(span, str)
        else word(span) if isinstance(span, Word)
        else name_of(span.name, word) if isinstance(span, Term)
        else unbreakable(plain(span, word))
        for span in spans
    )  # fmt: skip
