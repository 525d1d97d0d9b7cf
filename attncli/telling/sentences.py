"""What sentences are put together from."""

from __future__ import annotations

from collections.abc import Iterable

from attncli.document import Span, Spans


def counted(count: int, noun: str) -> str:
    """`1 token`, `3 tokens`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def joined(parts: Iterable[Spans], by: str = ", ") -> Spans:
    """Some running texts as one, with a comma between them or whatever else."""
    spans: list[Span] = []
    for part in parts:
        spans += [by, *part] if spans else part
    return tuple(spans)
