"""What a file gets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

Contents = str | bytes
"""A text, or a package."""
Pieces = Iterable[str]
"""A text that may be too large to be a whole."""
_AT_ONCE = 2**16
"""Characters that are written together."""


def encoded(contents: Contents) -> bytes:
    """What is written to files, a text in UTF-8, and what no character is as an escape."""
    if isinstance(contents, bytes):
        return contents
    return contents.encode("utf-8", errors="backslashreplace")


def gathered(pieces: Pieces) -> Iterator[str]:
    """Pieces of a text put together to larger ones, as streams like them."""
    kept: list[str] = []
    size = 0
    for piece in pieces:
        kept.append(piece)
        size += len(piece)
        if size >= _AT_ONCE:
            yield "".join(kept)
            kept, size = [], 0
    yield "".join(kept)
