"""Texts as YAML has them: double-quoted scalars, in which any character can stand as it is or as an
escape."""

from __future__ import annotations

from attncli.notation.words import is_hidden

_LONGEST_KEY = 1000
"""YAML reads `key: value` on one line only where the key has at most 1024 characters."""


def quoted(text: str) -> str:
    """Any text as a double-quoted scalar on one line."""
    return f'"{"".join(map(_written, text))}"'


def key_of(scalar: str, indent: str = "") -> str:
    """The beginning of a line with a key, or of two lines."""
    if len(scalar) <= _LONGEST_KEY:
        return f"{indent}{scalar}:"
    return f"{indent}? {scalar}\n{indent}:"


def commented(text: str) -> str:
    """Any text as it may stand in a comment."""
    return "".join(one if _may_stand(one) else _escape(one) for one in text)


def _written(character: str) -> str:
    return f"\\{character}" if character in '"\\' else commented(character)


def _may_stand(character: str) -> bool:
    """Whether YAML lets a character stand as it is, and people see that it is there."""
    return not is_hidden(character) and character not in "\ufffe\uffff"


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"  # noqa: PLR2004
