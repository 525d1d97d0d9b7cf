"""Running text without any markup."""

from __future__ import annotations

from attncli.document import Spans, Term, Word
from attncli.notation import plain, unbreakable
from attncli.notation.words import visible


def text_of_spans(spans: Spans) -> str:
    """The text of spans; somebody's words made visible."""
    return "".join(
        span if isinstance(span, str)
        else visible(span.text) if isinstance(span, Word | Term)
        else unbreakable(plain(span))
        for span in spans
    )  # fmt: skip
