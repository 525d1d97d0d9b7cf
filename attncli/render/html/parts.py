"""An expression in plain notation, cut where it has numbers, blanks and somebody's words."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.arithmetic.expression import Blank, Equation, Expression, Number
from attncli.notation.plain import PlainNotation, unbreakable
from attncli.word import Word

_MARK = "\ue000"
"""A character for private use, which no text of the program has; words are taken out before."""

Part = str | Number | Blank | Word


class _Cutting(PlainNotation):
    """Plain notation that keeps numbers, blanks and words, and leaves their places."""

    def __init__(self) -> None:
        super().__init__(self.taken_out)
        self.found: list[Number | Blank | Word] = []

    def taken_out(self, part: Number | Blank | Word) -> str:
        self.found.append(part)
        return f"{_MARK}{len(self.found) - 1}{_MARK}"

    number = blank = taken_out  # type: ignore[assignment]

    def named(self, node: Word) -> str:
        return self.taken_out(node)


def parts_of(node: Expression | Equation) -> Iterator[Part]:
    """The expression from left to right. Raises TypeError for a node that has no notation."""
    cutting = _Cutting()
    for k, piece in enumerate(unbreakable(cutting.write(node)).split(_MARK)):
        if k % 2:
            yield cutting.found[int(piece)]
        elif piece:
            yield piece
