"""Expressions as plain text: `0.5 × 0.885 − 0.1 × 0.997`, `e^(−5)`, `7.389 / 12.825`.

The text may be broken at its ordinary spaces; all other spaces are no-break ones until
`unbreakable` or a layout has done with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attncli.arithmetic import decimals
from attncli.arithmetic import expression as ex
from attncli.notation.signs import ATOM, DIVISOR, FACTOR, binding, least_after_sign, signed
from attncli.notation.words import visible

GLUE = "\u00a0"
MINUS = "−"
BLANK, CARRIED = "______", "······"
"""What a figure is written upon, that is asked for or only to be carried over; of one width, which
tells nothing of the answer's."""
_TIMES = f"{GLUE}×{GLUE}"


def plain(node: ex.Expression | ex.Equation) -> str:
    """The expression in plain text. Raises TypeError for a node that has no notation."""
    return _write(node, _TIMES)


def unbreakable(text: str) -> str:
    """The text with ordinary spaces only."""
    return text.replace(GLUE, " ")


def _write(node: ex.Expression | ex.Equation, times: str) -> str:
    write = _WRITE.get(type(node))
    if write is None:
        raise TypeError(f"{type(node).__name__} has no plain notation")
    return write(node, times)


def _held(node: ex.Expression, least: int, times: str) -> str:
    """The expression, in parentheses where it binds less tightly than `least`."""
    text = _write(node, times)
    return text if binding(node) >= least else f"({text})"


def _number(node: ex.Number, _: str) -> str:
    text = decimals.text(node.shown)
    return MINUS + text[1:] if text.startswith("-") else text


def _blank(node: ex.Blank, times: str) -> str:
    if node.answer is not None:
        return _number(node.answer, times)
    return BLANK if node.id else CARRIED


def _symbol(node: ex.Symbol, _: str) -> str:
    name = visible(node.name)
    if not node.indices:
        return name
    inside = f",{GLUE}".join(visible(index).replace(" ", GLUE) for index in node.indices)
    return f"{name}[{inside}]"


def _sum(node: ex.Sum, times: str) -> str:
    minus, first = signed(node.terms[0])
    text = (MINUS if minus else "") + _held(first, FACTOR, times)
    for term in node.terms[1:]:
        minus, positive = signed(term)
        text += (
            f" {MINUS if minus else '+'}{GLUE}{_held(positive, least_after_sign(positive), times)}"
        )
    return text


def _product(node: ex.Product, times: str) -> str:
    if any(isinstance(factor, ex.Quotient) for factor in node.factors):
        times = _TIMES  # `a / b×c` would look like a / (b × c)
    first, *others = node.factors
    minus, positive = signed(first)
    text = (MINUS if minus else "") + _held(positive, FACTOR, times)
    return times.join([text, *(_held(factor, DIVISOR + 1, times) for factor in others)])


def _quotient(node: ex.Quotient, times: str) -> str:
    dividend = _held(node.dividend, FACTOR, times)
    return f"{dividend} /{GLUE}{_held(node.divisor, DIVISOR + 1, times)}"


def _vector(node: ex.Vector, _: str) -> str:
    return f"[{', '.join(_write(entry, '×') for entry in node.entries)}]"


def _apply(node: ex.Apply, times: str) -> str:
    arguments = f",{GLUE}".join(_write(argument, times) for argument in node.arguments)
    return f"{node.function}({arguments})"


def _exponent(node: ex.Expression, times: str) -> str:
    """An exponent; a quotient without spaces, `10000^(2/4)`, so that it isn't torn apart."""
    if not isinstance(node, ex.Quotient):
        return _held(node, ATOM, times)
    dividend = _held(node.dividend, FACTOR, times)
    return f"({dividend}/{_held(node.divisor, DIVISOR + 1, times)})"


_WRITE: dict[type, Callable[[Any, str], str]] = {
    ex.Number: _number,
    ex.Blank: _blank,
    ex.Symbol: _symbol,
    ex.Omitted: lambda _, __: "…",
    ex.Sum: _sum,
    ex.Product: _product,
    ex.MatrixProduct: lambda node, times: GLUE.join(
        _held(factor, ATOM, times) for factor in node.factors
    ),
    ex.Dot: lambda node, times: (
        f"{_held(node.left, ATOM, times)} ·{GLUE}{_held(node.right, ATOM, times)}"
    ),
    ex.Quotient: _quotient,
    ex.Negative: lambda node, times: f"{MINUS}{_held(node.operand, DIVISOR, times)}",
    ex.Power: lambda node, times: (
        f"{_held(node.base, ATOM, times)}^{_exponent(node.exponent, times)}"
    ),
    ex.Root: lambda node, times: f"√{_held(node.operand, ATOM, times)}",
    ex.Transposed: lambda node, times: f"{_held(node.operand, ATOM, times)}ᵀ",
    ex.Apply: _apply,
    ex.Total: lambda node, times: f"Σ_{node.over}{GLUE}{_held(node.operand, FACTOR, times)}",
    ex.Vector: _vector,
    ex.Equation: lambda node, times: (
        f"{_write(node.left, times)}{GLUE}={GLUE}{_write(node.right, times)}"
    ),
}
