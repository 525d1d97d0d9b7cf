"""Expressions in LaTeX: `0.5 \\times 0.885 - 0.1 \\times 0.997`, `\\dfrac{7.389}{12.825}`.

Names and indices are the program's own; somebody's words don't belong into mathematics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attncli.arithmetic import decimals
from attncli.arithmetic import expression as ex
from attncli.notation.signs import ATOM, DIVISOR, FACTOR, binding, least_after_sign, signed

_GREEK = {"π": r"\pi", "gamma": r"\gamma", "beta": r"\beta"}
FUNCTIONS = {name: rf"\{name}" for name in ("max", "tanh", "sin", "cos", "ln")}


def latex(node: ex.Expression | ex.Equation) -> str:
    """The expression in LaTeX. Raises TypeError for a node that has no notation."""
    write = _WRITE.get(type(node))
    if write is None:
        raise TypeError(f"{type(node).__name__} has no LaTeX notation")
    return write(node)


def _held(node: ex.Expression, least: int) -> str:
    text = latex(node)
    return text if binding(node) >= least else rf"\left({text}\right)"


def _number(node: ex.Number) -> str:
    mantissa, e, exponent = decimals.text(node.shown).replace("∞", r"\infty").partition("e")
    return rf"{mantissa} \times 10^{{{exponent}}}" if e else mantissa


def _symbol(node: ex.Symbol) -> str:
    path, dot, local = node.name.rpartition(".")
    head, _, tail = local.partition("_")
    head = path + dot + head
    if not tail and head[-1:].isdigit() and head[:-1].isalpha():
        head, tail = head[:-1], head[-1]
    # a space before each `_`: Markdown would take two of them for emphasis otherwise
    name = _name(head) + (f" _{{{_name(tail)}}}" if tail else "")
    if not node.indices:
        return name
    return f"{name}[{', '.join(map(_word, node.indices))}]"


def _name(name: str) -> str:
    if name in _GREEK:
        return _GREEK[name]
    if len(name) == 1 and name.isalnum():
        return name
    return rf"\mathrm{{{_without_subscripts(name)}}}"


def _word(text: str) -> str:
    simple = text.isdigit() or (len(text) == 1 and text.isalpha())
    return text if simple else rf"\text{{{_without_subscripts(text)}}}"


def _without_subscripts(text: str) -> str:
    return text.replace("_", r"\_")


def _sum(node: ex.Sum) -> str:
    minus, first = signed(node.terms[0])
    text = ("-" if minus else "") + _held(first, FACTOR)
    for term in node.terms[1:]:
        minus, positive = signed(term)
        text += f" {'-' if minus else '+'} {_held(positive, least_after_sign(positive))}"
    return text


def _product(node: ex.Product) -> str:
    first, *others = node.factors
    minus, positive = signed(first)
    text = ("-" if minus else "") + _held(positive, FACTOR)
    return r" \times ".join([text, *(_held(factor, DIVISOR + 1) for factor in others)])


def _apply(node: ex.Apply) -> str:
    name = FUNCTIONS.get(node.function, _symbol(ex.Symbol(node.function)))
    return rf"{name}\left({', '.join(map(latex, node.arguments))}\right)"


def _exponent(node: ex.Expression) -> str:
    """An exponent; a quotient in one line, since a fraction up there is too small to read."""
    if not isinstance(node, ex.Quotient):
        return latex(node)
    return f"{_held(node.dividend, FACTOR)}/{_held(node.divisor, DIVISOR + 1)}"


_WRITE: dict[type, Callable[[Any], str]] = {
    ex.Number: _number,
    ex.Symbol: _symbol,
    ex.Omitted: lambda _: r"\dots",
    ex.Sum: _sum,
    ex.Product: _product,
    ex.MatrixProduct: lambda node: r" \thinspace ".join(
        _held(factor, ATOM) for factor in node.factors
    ),
    ex.Dot: lambda node: rf"{_held(node.left, ATOM)} \cdot {_held(node.right, ATOM)}",
    ex.Quotient: lambda node: rf"\dfrac{{{latex(node.dividend)}}}{{{latex(node.divisor)}}}",
    ex.Negative: lambda node: f"-{_held(node.operand, DIVISOR)}",
    ex.Power: lambda node: f"{_held(node.base, ATOM)}^{{{_exponent(node.exponent)}}}",
    ex.Root: lambda node: rf"\sqrt{{{latex(node.operand)}}}",
    ex.Transposed: lambda node: f"{_held(node.operand, ATOM)}^{{\\top}}",
    ex.Apply: _apply,
    ex.Total: lambda node: rf"\sum _{{{node.over}}} {_held(node.operand, FACTOR)}",
    ex.Vector: lambda node: f"[{', '.join(map(latex, node.entries))}]",
    ex.Equation: lambda node: f"{latex(node.left)} = {latex(node.right)}",
}
