"""Mathematics in which the numbers and names of queries, keys and values have their inks.

Where an ink begins and ends is marked in the text by characters that take no room, so that lines
are laid out as if they weren't there. Nobody's words have them, since what is hidden is an escape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attncli.arithmetic import expression as ex
from attncli.notation.notation import Node
from attncli.notation.plain import PlainNotation
from attncli.render.colours import ink_of_number
from attncli.render.inked import Inked
from attncli.render.numbers import filled_vectors
from attncli.render.screen.lines import StyledText

_BEGIN = {"Q": "\u2061", "K": "\u2062", "V": "\u2063"}
_END = "\u2064"
"""Invisible operators, of category Cf."""
_INK = {mark: ink for ink, mark in _BEGIN.items()}
_NO_MARKS = str.maketrans(dict.fromkeys([*_INK, _END]))
_MARKED = f"([{''.join(_INK)}])([^{_END}]*){_END}"


class _InkedNotation(Inked, PlainNotation):
    """Plain text with marks."""

    def in_ink(self, text: str, name: str) -> str:
        return _marked(text, name)

    def vector(self, node: ex.Vector) -> str:
        ink = _ink_of_vector(node)
        return _marked(_PLAIN.vector(node), ink) if ink else super().vector(node)


_PLAIN, _INKED = PlainNotation(), _InkedNotation()


def inked(node: Node) -> str:
    """The expression in plain text, with marks."""
    return _INKED.write(node)


def inked_vectors(vectors: Sequence[ex.Vector]) -> list[str]:
    """Vectors as texts, their entries' decimal points below each other, with marks."""
    texts = zip(filled_vectors(vectors), vectors, strict=True)
    return [_marked(text, _ink_of_vector(vector)) for text, vector in texts]


def without_marks(text: str) -> str:
    """The text alone."""
    return text.translate(_NO_MARKS)


def in_inks(piece: StyledText) -> Iterator[StyledText]:
    """A piece in parts, each in its ink."""
    end = 0
    for found in re.finditer(_MARKED, piece.text):
        yield StyledText(piece.text[end : found.start()], piece.style)
        yield StyledText(found[2], f"{piece.style} {_INK[found[1]]}")
        end = found.end()
    yield StyledText(piece.text[end:], piece.style)


def _marked(text: str, ink: str) -> str:
    """The text with marks around each of its words, between which a line may be broken."""
    if not ink:
        return text
    return " ".join(f"{_BEGIN[ink]}{word}{_END}" if word else "" for word in text.split(" "))


def _ink_of_vector(node: ex.Vector) -> str:
    """The ink that all entries have, but for those left out."""
    entries = [one for one in node.entries if not isinstance(one, ex.Omitted)]
    inks = {ink_of_number(one) for one in entries}
    return inks.pop() if len(inks) == 1 else ""
