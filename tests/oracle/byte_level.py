"""Texts as GPT-2 cuts them, their bytes as printable characters (Radford et al. 2019, the
expression and the table of bytes of its encoder)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import takewhile

MARK = "Ġ"
_CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")
_SEPARATORS = "\x1c\x1d\x1e\x1f"
"""Python takes them for white space, Unicode doesn't."""


def alphabet() -> list[str]:
    """The characters of the 256 bytes, by code point."""
    return sorted(map(_printable, range(256)))


def words(text: str) -> list[str]:
    """The words of a text, each with the space before it, byte by byte."""
    return [
        "".join(map(_printable, word.encode("utf-8", "surrogatepass"))) for word in _parts(text)
    ]


def _parts(text: str) -> Iterator[str]:
    while text:
        size = _size_of_first(text)
        yield text[:size]
        text = text[size:]


def _size_of_first(text: str) -> int:
    """`'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+`"""
    for entry in _CONTRACTIONS:
        if text.startswith(entry):
            return len(entry)
    after = 1 if text[0] == " " and len(text) > 1 and _kind(text[1]) != "space" else 0
    kind = _kind(text[after])
    run = after + sum(1 for _ in takewhile(lambda c: _kind(c) == kind, text[after:]))
    return run - 1 if kind == "space" and 1 < run < len(text) else run


def _kind(text: str) -> str:
    if text.isspace() and text not in _SEPARATORS:
        return "space"
    category = unicodedata.category(text)[0]
    return category if category in "LN" else "other"


def _printable(byte: int) -> str:
    """A byte that is printable is itself; the others are counted on from U+0100."""
    own = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), 256)}
    return chr(byte if byte in own else 256 + sum(1 for index in range(byte) if index not in own))
