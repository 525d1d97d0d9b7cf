"""What a file gets."""

from __future__ import annotations

Contents = str | bytes
"""A text, or a package."""


def encoded(contents: Contents) -> bytes:
    """What is written to files, a text in UTF-8, and what no character is as an escape."""
    if isinstance(contents, bytes):
        return contents
    return contents.encode("utf-8", errors="backslashreplace")
