"""Expressions as plain text: `0.5 × 0.885 − 0.1 × 0.997`, `e^(−5)`, `7.389 / 12.825`.

The text may be broken at its ordinary spaces; all other spaces are no-break ones until
`unbreakable` or a layout has done with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attncli.arithmetic import decimals
from attncli.arithmetic import expression as ex
from attncli.notation.signs import (
    ATOM,
    DIVISOR,
    FACTOR,
    binding,
    least_after_minus,
    least_after_sign,
    signed,
)
from attncli.notation.words import printed
from attncli.records import NamedTuple
from attncli.word import Word

GLUE = "\u00a0"
MINUS = "−"
BLANK, CARRIED = "______", "······"
"""What a number is written upon, that is asked for or only to be carried over; of one width, which
tells nothing of the answer's."""
_TIMES = f"{GLUE}×{GLUE}"


class PlainStyle(NamedTuple):
    """How plain text is written where it isn't the same everywhere: somebody's words, and the
    sign of a product."""

    word: Callable[[Word], str] = printed
    times: str = _TIMES


_PAGE = PlainStyle()


def plain(node: ex.Expression | ex.Equation, word: Callable[[Word], str] = printed) -> str:
    """The expression in plain text, its words made harmless. Raises TypeError for a node that has
    no notation."""
    return _write(node, _PAGE if word is printed else PlainStyle(word))


def name_of(term: str | ex.Symbol, word: Callable[[Word], str] = printed) -> str:
    """A name of the program, or the address of a cell, on one line."""
    return term if isinstance(term, str) else unbreakable(plain(term, word))


def unbreakable(text: str) -> str:
    """The text with ordinary spaces only."""
    return text.replace(GLUE, " ")


def _write(node: ex.Expression | ex.Equation, style: PlainStyle) -> str:
    write = _WRITE.get(type(node))
    if write is None:
        raise TypeError(f"{type(node).__name__} has no plain notation")
    return write(node, style)


def _held(node: ex.Expression, least: int, style: PlainStyle) -> str:
    """The expression, in parentheses where it binds less tightly than `least`."""
    text = _write(node, style)
    return text if binding(node) >= least else f"({text})"


def _number(node: ex.Number, _: PlainStyle) -> str:
    text = decimals.text(node.shown)
    return MINUS + text[1:] if text.startswith("-") else text


def _blank(node: ex.Blank, style: PlainStyle) -> str:
    if node.answer is not None:
        return _number(node.answer, style)
    return BLANK if node.id else CARRIED


def _symbol(node: ex.Symbol, style: PlainStyle) -> str:
    if not node.indices:
        return node.name
    inside = f",{GLUE}".join(_index(index, style) for index in node.indices)
    return f"{node.name}[{inside}]"


def _index(index: str | Word, style: PlainStyle) -> str:
    text = style.word(index) if isinstance(index, Word) else index
    return text.replace(" ", GLUE)


def _sum(node: ex.Sum, style: PlainStyle) -> str:
    minus, first = signed(node.terms[0])
    text = (MINUS if minus else "") + _held(first, FACTOR, style)
    for term in node.terms[1:]:
        minus, positive = signed(term)
        text += (
            f" {MINUS if minus else '+'}{GLUE}{_held(positive, least_after_sign(positive), style)}"
        )
    return text


def _product(node: ex.Product, style: PlainStyle) -> str:
    if any(isinstance(factor, ex.Quotient) for factor in node.factors):
        style = style._replace(times=_TIMES)  # `a / b×c` would look like a / (b × c)
    first, *others = node.factors
    minus, positive = signed(first)
    text = (MINUS if minus else "") + _held(positive, FACTOR, style)
    return style.times.join([text, *(_held(factor, DIVISOR + 1, style) for factor in others)])


def _quotient(node: ex.Quotient, style: PlainStyle) -> str:
    dividend = _held(node.dividend, FACTOR, style)
    return f"{dividend} /{GLUE}{_held(node.divisor, DIVISOR + 1, style)}"


def _vector(node: ex.Vector, style: PlainStyle) -> str:
    within = style._replace(times="×")
    return f"[{', '.join(_write(entry, within) for entry in node.entries)}]"


def _apply(node: ex.Apply, style: PlainStyle) -> str:
    arguments = f",{GLUE}".join(_write(argument, style) for argument in node.arguments)
    return f"{node.function}({arguments})"


def _exponent(node: ex.Expression, style: PlainStyle) -> str:
    """An exponent; a quotient without spaces, `10000^(2/4)`, so that it isn't torn apart."""
    if not isinstance(node, ex.Quotient):
        return _held(node, ATOM, style)
    dividend = _held(node.dividend, FACTOR, style)
    return f"({dividend}/{_held(node.divisor, DIVISOR + 1, style)})"


_WRITE: dict[type, Callable[[Any, PlainStyle], str]] = {
    ex.Number: _number,
    ex.Blank: _blank,
    ex.Symbol: _symbol,
    ex.Omitted: lambda _, __: "…",
    ex.Sum: _sum,
    ex.Product: _product,
    ex.MatrixProduct: lambda node, style: GLUE.join(
        _held(factor, ATOM, style) for factor in node.factors
    ),
    ex.Dot: lambda node, style: (
        f"{_held(node.left, ATOM, style)} ·{GLUE}{_held(node.right, ATOM, style)}"
    ),
    ex.Quotient: _quotient,
    ex.Negative: lambda node, style: (
        f"{MINUS}{_held(node.operand, least_after_minus(node.operand), style)}"
    ),
    ex.Power: lambda node, style: (
        f"{_held(node.base, ATOM, style)}^{_exponent(node.exponent, style)}"
    ),
    ex.Root: lambda node, style: f"√{_held(node.operand, ATOM, style)}",
    ex.Transposed: lambda node, style: f"{_held(node.operand, ATOM, style)}ᵀ",
    ex.Apply: _apply,
    ex.Total: lambda node, style: f"Σ_{node.over}{GLUE}{_held(node.operand, FACTOR, style)}",
    ex.Vector: _vector,
    Word: lambda node, style: style.word(node).replace(" ", GLUE),
    ex.Equation: lambda node, style: (
        f"{_write(node.left, style)}{GLUE}={GLUE}{_write(node.right, style)}"
    ),
}
