"""Somebody's own words, made harmless: what can't be seen is written as an escape."""

from __future__ import annotations

import unicodedata

_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"
"""Parts of written words and of emoji, so left as they are."""

_BLANK = "␣"


def visible(text: str) -> str:
    """`text` with control, direction and other invisible characters as `\\x1b`, `\\u202e`.

    A text of nothing but spaces is shown as `␣`.
    """
    if text.isascii() and text.isprintable() and text.strip():
        return text
    if text and not text.strip(" "):
        return _BLANK * len(text)
    return "".join(_escape(character) for character in text)


def is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN and character not in _JOINERS


def _escape(character: str) -> str:
    if not is_hidden(character):
        return character
    return character.encode("unicode_escape").decode("ascii")
