"""How a format writes what differs between formats made of HTML."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import NamedTuple

from attncli.arithmetic.expression import Blank, Equation, Expression
from attncli.notation import plain, unbreakable
from attncli.notation.words import visible


def escaped(text: str) -> str:
    """The text with nothing in it that HTML would obey, in or outside quotes."""
    return escape(text, quote=True)


def set_apart(text: str) -> str:
    """Somebody's words: nothing in them hidden or obeyed, their direction their own."""
    return f"<bdi>{escaped(visible(text))}</bdi>"


def as_text(node: Expression | Equation) -> str:
    """An expression in plain notation."""
    return f"<span>{escaped(unbreakable(plain(node)))}</span>"


def empty(_: Blank) -> str:
    """A blank to write in."""
    return '<span class="blank" role="img" aria-label="blank"></span>'


class Style(NamedTuple):
    """How texts of the program, somebody's words, mathematics and blanks are written; `level` is
    that of a heading inside a section."""

    text: Callable[[str], str] = escaped
    word: Callable[[str], str] = set_apart
    mathematics: Callable[[Expression | Equation], str] = as_text
    blank: Callable[[Blank], str] = empty
    level: int = 3
