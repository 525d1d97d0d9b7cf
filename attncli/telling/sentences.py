"""What sentences are put together from."""

from __future__ import annotations

from collections.abc import Iterable
from string import Formatter

from attncli.document import Span, Spans


def counted(count: int, noun: str) -> str:
    """`1 token`, `3 tokens`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def put_in(template: str, **parts: Spans | str) -> Spans:
    """A sentence with what is put in for each `{name}` of it."""
    spans: list[Span] = []
    for text, name, _, _ in Formatter().parse(template):
        part = parts[name] if name else ()
        for span in (text, *((part,) if isinstance(part, str) else part)):
            if spans and isinstance(span, str) and isinstance(spans[-1], str):
                spans[-1] += span
            elif span != "":
                spans.append(span)
    return tuple(spans)


def joined(parts: Iterable[Spans], by: str = ", ") -> Spans:
    """Some running texts as one, with a comma between them or whatever else."""
    spans: list[Span] = []
    for part in parts:
        spans += [by, *part] if spans else part
    return tuple(spans)
