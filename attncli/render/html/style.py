"""How a format writes what differs between formats made of HTML."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from attncli.arithmetic.expression import Blank, Equation, Expression, Number
from attncli.document import Graph, WordBlank
from attncli.notation import plain, unbreakable
from attncli.notation.words import ISOLATE, POP, printed
from attncli.pictures import Picture
from attncli.render.grid import Grid, GridColumn
from attncli.render.numbers import text_of
from attncli.word import Word


def escaped(text: str) -> str:
    """The text with nothing in it that HTML would obey, in or outside quotes."""
    return escape(text, quote=True)


def isolating(html: str) -> str:
    """HTML in which what runs to the left is kept to itself by elements."""
    return html.replace(ISOLATE, "<bdi>").replace(POP, "</bdi>")


def embedded(data: object) -> str:
    """Data for a page's script, as JSON that nothing in a page can end early."""
    told = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return told.replace("<", "\\u003c").replace("&", "\\u0026").replace(">", "\\u003e")


def set_apart(text: str) -> str:
    """A text with somebody's words in it, as it is printed, its direction its own: isolates that it
    has are enough for that, and what is ASCII has no other."""
    told = isolating(escaped(text))
    return told if ISOLATE in text or text.isascii() else f"<bdi>{told}</bdi>"


def as_text(node: Expression | Equation) -> str:
    """An expression in plain notation."""
    return f"<span>{isolating(escaped(unbreakable(plain(node))))}</span>"


def empty(_: Blank) -> str:
    """A blank to write in."""
    return '<span class="blank" role="img" aria-label="blank"></span>'


def as_it_is(html: str, _: str) -> str:
    """A table without anything around it."""
    return html


def plain_looks(_: Grid, column: GridColumn) -> Sequence[str]:
    """Entries that look like any other."""
    return [""] * len(column.entries)


class HtmlStyle(NamedTuple):
    """How texts of the program, printed texts with somebody's words in them, mathematics, blanks
    and the numbers of tables are written; `level` is that of a heading inside a section.
    `framed` is what stands around a table of a kind, `looks` the classes of a column's entries.
    `inline` writes working in plain notation, and `answered` the options of a question and the
    place for its answer, where a format has a way of its own for that;
    `picture` draws, where one can."""

    text: Callable[[str], str] = escaped
    worded: Callable[[str], str] = set_apart
    mathematics: Callable[[Expression | Equation], str] = as_text
    blank: Callable[[Blank], str] = empty
    level: int = 3
    number: Callable[[Number], str] = text_of
    framed: Callable[[str, str], str] = as_it_is
    looks: Callable[[Grid, GridColumn], Sequence[str]] = plain_looks
    inline: Callable[[Expression | Equation], str] | None = None
    answered: Callable[[WordBlank], str] | None = None
    picture: Callable[[Picture | Graph], str] | None = None

    def word(self, word: Word | str) -> str:
        """Somebody's word, or a text of ours in its place."""
        return self.worded(printed(word) if isinstance(word, Word) else word)
