"""Words, mathematics and names as Moodle and its filters leave them, in HTML."""

from __future__ import annotations

import re

from attncli.arithmetic.expression import Equation, Expression
from attncli.notation.latex import latex
from attncli.notation.words import ISOLATE, POP, isolated, visible
from attncli.render.html import escaped, isolating
from attncli.word import Word

_OBEYED = re.compile(r"[{}\\~$@`]")
"""What Moodle or its filters might take for a field, mathematics or the address of a file."""
_SIMPLE = re.compile(rf"[\w ,.'!?·…=≈+−×/√→⋮\[\]{ISOLATE}{POP}-]*")
_NO_MATHEMATICS = "tex2jax_ignore mathjax_ignore"
_LIKE_A_FIELD = re.compile(r"\{(?=[0-9]*:|#)")
_LONGEST_NAME = 255
_ENTITY = re.compile("&(?=#?[A-Za-z0-9]+;)")


def text(told: str) -> str:
    """Text with nothing in it that HTML, Moodle or its filters would obey."""
    return _OBEYED.sub(lambda found: f"&#{ord(found[0])};", escaped(told))


def word(told: str) -> str:
    """A text with somebody's words in it; what could be mathematics or a smiley is kept from the
    filters."""
    words = isolating(text(told))
    if _SIMPLE.fullmatch(told):
        return words
    return f'<span class="nolink"><bdi class="{_NO_MATHEMATICS}">{words}</bdi></span>'


def mathematics(node: Expression | Equation) -> str:
    """An expression for MathJax, to which a space after a brace makes no difference."""
    return rf"\({escaped(_LIKE_A_FIELD.sub('{ ', latex(node)))}\)"


def name_of(title: Word, rest: str) -> str:
    """The name of a question, its title cut where Moodle has no room for it. Moodle takes tags
    out of names, and entities for what they mean."""
    shown, room = visible(title)[:_LONGEST_NAME], _LONGEST_NAME
    while len(name := isolated(_without_tags(f"{shown}{rest}"[:room]))) > _LONGEST_NAME:
        shown, room = (f"{shown[:-2]}…", room) if len(shown) > 1 else ("…", room - 1)
    return name


def _without_tags(text: str) -> str:
    return _ENTITY.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")
