"""What a file gets."""

from __future__ import annotations

from collections.abc import Iterable

Contents = str | bytes
"""A text, or a package."""
Pieces = Iterable[str]
"""A text that may be too large to be a whole."""


def encoded(contents: Contents) -> bytes:
    """What is written to files, a text in UTF-8, and what no character is as an escape."""
    if isinstance(contents, bytes):
        return contents
    return contents.encode("utf-8", errors="backslashreplace")
