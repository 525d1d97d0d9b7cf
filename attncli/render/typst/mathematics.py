"""Expressions as equations of Typst, in pieces that a line may be broken between."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attncli.arithmetic.expression import Blank, Equation, Expression
from attncli.notation.typst import JOINT, TypstNotation, literal
from attncli.render.inked import Inked
from attncli.render.numbers import at_point
from attncli.render.typst.text import breakable, characters, joined

"""Characters of a name on one line."""


class InkedTypst(Inked, TypstNotation):
    """Typst, with inks."""

    def in_ink(self, text: str, name: str) -> str:
        return f"inked({literal(name)}, {text})"


def _letters(name: str) -> str:
    """Letters in mathematics, in lines below each other where they are many."""
    told = characters(name)
    return literal(told) if len(told) <= _LONG else f"long({literal(breakable(told))})"


def _blank(node: Blank) -> str:
    """A blank: its answer, a line to write it on, or where a number is to be carried over."""
    if node.answer is not None:
        return f"asked({WORKING.number(node.answer)})"
    return "blank()" if node.id else "carried()"


WORKING = InkedTypst(_letters, _blank)
INLINE = WORKING.but(inline=True)


_CALL = re.compile(r"[a-z]+\(|[ ()\\]")
_LONGEST = 50
"""Signs of a piece that surely fits on a line."""


def written(node: Expression, notation: TypstNotation) -> str:
    """An expression, in which roots and fractions that are too long are written in one line, so
    that this may be broken."""
    text = notation.write(node)
    longest = max(len(_CALL.sub("", piece)) for piece in text.split(JOINT))
    return notation.but(inline=True).write(node) if longest > _LONGEST else text


def pieces(text: str) -> list[str]:
    """An equation for each piece of mathematics that no line is broken in."""
    return [f"${piece}$" for piece in text.split(JOINT)]


def in_pieces(text: str) -> str:
    """Mathematics as running text."""
    return joined(_spaced(pieces(text)))


def _spaced(them: Sequence[str]) -> list[str]:
    return [them[0], *(one for piece in them[1:] for one in ('" "', piece))]


def mathematics(node: Expression | Equation, notation: TypstNotation = WORKING) -> str:
    """An expression as running text."""
    return in_pieces(notation.write(node))


def filled(texts: Sequence[str], *, before: bool = False) -> list[str]:
    """Numbers in plain notation as mathematics, with unseen digits that put their points below each
    other: those behind, and those `before` if wanted."""
    return [_filled(one, before=before) for one in at_point(texts)] if texts else []


def _filled(text: str, *, before: bool) -> str:
    bare = text.strip()
    start = len(text) - len(text.lstrip())
    end = len(text) - len(text.rstrip())
    unseen = "" if not end else "0" * end if "." in bare else "." + "0" * (end - 1)
    left = f"unseen({'0' * start})" if before and start else ""
    return f"{left}{_number(bare)}{f'unseen({unseen})' if unseen else ''}"


_EXPONENT = re.compile(r"e(−?\d+)")


def _number(plain: str) -> str:
    """A number in plain notation as mathematics."""
    return _EXPONENT.sub(r"×attach(10, t: \1)", plain)
