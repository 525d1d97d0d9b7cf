"""Expressions in LaTeX: `0.5 \\times 0.885 - 0.1 \\times 0.997`, `\\dfrac{7.389}{12.825}`.

A web page and a TeX file take somebody's words and blanks in different ways, which is what a
`LatexStyle` is for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from attncli.arithmetic import decimals
from attncli.arithmetic import expression as ex
from attncli.name import Name
from attncli.notation.signs import (
    ATOM,
    DIVISOR,
    FACTOR,
    binding,
    least_after_minus,
    least_after_sign,
    signed,
)
from attncli.notation.words import shown
from attncli.records import NamedTuple
from attncli.word import Word

_GREEK = {"π": r"\pi", "gamma": r"\gamma", "beta": r"\beta"}
FUNCTIONS = {name: rf"\{name}" for name in ("max", "min", "tanh", "sin", "cos", "ln")}
_SPECIAL = re.compile(r"[_{}$%&#]|\\")


class LatexStyle(NamedTuple):
    """How mathematics is written where it isn't the same everywhere.

    `word` writes an index, which may be somebody's word or one of ours; `blank` a number to be
    filled in. Where blanks are `hidden`, whatever stands around one tells nothing of its answer. A
    line may be broken at a `joint`, which is never inside braces; `inline` writes quotients and
    parentheses so that there are more of these. `slim` parentheses are no taller than what stands
    in them.
    """

    word: Callable[[Word | str], str]
    blank: Callable[[ex.Blank], str]
    hidden: bool = False
    joint: str = " "
    inline: bool = False
    slim: bool = False


def web_word(word: Word | str) -> str:
    """A word in mathematics that a browser draws."""
    text = shown(word)
    if text.isascii() and (text.isdigit() or (len(text) == 1 and text.isalpha())):
        return text
    return rf"\text{{{_SPECIAL.sub(_escape, text)}}}"


def _escape(match: re.Match[str]) -> str:
    return r"\backslash " if match[0] == "\\" else f"\\{match[0]}"


def web_blank(node: ex.Blank) -> str:
    if node.answer is not None:
        return latex(node.answer)
    return r"\underline{\hspace{3em}}" if node.id else r"\cdots\cdots"


WEB = LatexStyle(web_word, web_blank)
"""What KaTeX and MathJax both understand."""


def latex(node: ex.Expression | ex.Equation, style: LatexStyle = WEB) -> str:
    """The expression in LaTeX. Raises TypeError for a node that has no notation."""
    write = _WRITE.get(type(node))
    if write is None:
        raise TypeError(f"{type(node).__name__} has no LaTeX notation")
    return write(node, style)


def _held(node: ex.Expression, least: int, style: LatexStyle) -> str:
    """The expression, in parentheses where it binds less tightly than `least`."""
    text = latex(node, style)
    if binding(node) >= least or (style.hidden and isinstance(node, ex.Blank)):
        return text
    return _parentheses(text, style)


def _parentheses(text: str, style: LatexStyle) -> str:
    if style.inline or (style.slim and r"\dfrac" not in text):
        return f"({text})"
    return rf"\left({_whole(text, style)}\right)"


def _whole(text: str, style: LatexStyle) -> str:
    """The text without a place to break it at."""
    return text.replace(style.joint, " ")


def _number(node: ex.Number, _: LatexStyle) -> str:
    text = decimals.text(node.shown)
    if text[-1].isdigit() and "e" not in text:  # the most of them
        return text
    mantissa, e, exponent = text.replace("∞", r"\infty").partition("e")
    return rf"{mantissa} \times 10^{{{exponent}}}" if e else mantissa


def _symbol(node: ex.Symbol, style: LatexStyle) -> str:
    indices = f"[{', '.join(map(style.word, node.indices))}]" if node.indices else ""
    name = node.name if isinstance(node.name, Name) else Name(node.name)
    if name.time is None:
        return _named(name) + indices
    is_within = name.path.time is not None  # `gates[2].forget`
    timed, within = (name.path, f".{_named(name.alone)}") if is_within else (name, "")
    time = str(name.time).replace("−", "-")
    return rf"{_named(timed.at(None))}^{{\langle {time} \rangle}}{within}{indices}"


def _named(name: Name) -> str:
    """The name of a quantity, its path before it, what follows a `_` below it."""
    head, _, tail = name.alone.partition("_")
    head = f"{name.path}.{head}" if name.path else head
    if not tail and head[-1:].isdigit() and head[:-1].isalpha():
        head, tail = head[:-1], head[-1]
    # a space before each `_`: Markdown would take two of them for emphasis otherwise
    return _name(head) + (f" _{{{_name(tail)}}}" if tail else "")


def _name(name: str) -> str:
    if name in _GREEK:
        return _GREEK[name]
    if len(name) == 1 and name.isalnum():
        return name
    return rf"\mathrm{{{_SPECIAL.sub(_escape, name)}}}"


def _sum(node: ex.Sum, style: LatexStyle) -> str:
    minus, first = signed(node.terms[0])
    text = ("-" if minus else "") + _held(first, FACTOR, style)
    for term in node.terms[1:]:
        minus, positive = signed(term)
        held = _held(positive, least_after_sign(positive), style)
        text += f"{style.joint}{'-' if minus else '+'} {held}"
    return text


def _product(node: ex.Product, style: LatexStyle) -> str:
    first, *others = node.factors
    minus, positive = signed(first)
    text = ("-" if minus else "") + _held(positive, FACTOR, style)
    held = [_held(factor, DIVISOR + 1, style) for factor in others]
    return r" \times ".join([text, *held])


def _quotient(node: ex.Quotient, style: LatexStyle) -> str:
    if style.inline:
        dividend = _held(node.dividend, FACTOR, style)
        return f"{dividend}{style.joint}/ {_held(node.divisor, DIVISOR + 1, style)}"
    dividend, divisor = (_whole(latex(part, style), style) for part in node[:2])
    return rf"\dfrac{{{dividend}}}{{{divisor}}}"


def _vector(node: ex.Vector, style: LatexStyle) -> str:
    separator = f",{style.joint}"
    return f"[{separator.join([latex(entry, style) for entry in node.entries])}]"


def _apply(node: ex.Apply, style: LatexStyle) -> str:
    name = FUNCTIONS.get(node.function, _symbol(ex.Symbol(node.function), style))
    arguments = f",{style.joint}".join(latex(argument, style) for argument in node.arguments)
    return name + _parentheses(arguments, style)


def _exponent(node: ex.Expression, style: LatexStyle) -> str:
    """An exponent; a quotient in one line, since a fraction up there is too small to read."""
    if not isinstance(node, ex.Quotient):
        return _whole(latex(node, style), style)
    dividend, divisor = _held(node.dividend, FACTOR, style), _held(node.divisor, DIVISOR + 1, style)
    return _whole(f"{dividend}/{divisor}", style)


def _root(node: ex.Root, style: LatexStyle) -> str:
    """A root; of a sum too long for one line, what stands under it to the power of 1/2."""
    text = latex(node.operand, style)
    if style.inline and text.count(style.joint) > _LONG_ROOT:
        return f"{_parentheses(text, style)}^{{1/2}}"
    return rf"\sqrt{{{_whole(text, style)}}}"


_LONG_ROOT = 4
"""Places to break a line at."""

_WRITE: dict[type, Callable[[Any, LatexStyle], str]] = {
    ex.Number: _number,
    ex.Blank: lambda node, style: style.blank(node),
    ex.Symbol: _symbol,
    ex.Omitted: lambda _, __: r"\dots",
    ex.Sum: _sum,
    ex.Product: _product,
    ex.MatrixProduct: lambda node, style: r" \thinspace ".join(
        _held(factor, ATOM, style) for factor in node.factors
    ),
    ex.Dot: lambda node, style: (
        f"{_held(node.left, ATOM, style)}{style.joint}\\cdot {_held(node.right, ATOM, style)}"
    ),
    ex.Quotient: _quotient,
    ex.Negative: lambda node, style: (
        f"-{_held(node.operand, least_after_minus(node.operand), style)}"
    ),
    ex.Power: lambda node, style: (
        f"{_held(node.base, ATOM, style)}^{{{_exponent(node.exponent, style)}}}"
    ),
    ex.Root: _root,
    ex.Transposed: lambda node, style: f"{_held(node.operand, ATOM, style)}^{{\\top}}",
    ex.Apply: _apply,
    ex.Total: lambda node, style: rf"\sum _{{{node.over}}} {_held(node.operand, FACTOR, style)}",
    ex.Vector: _vector,
    Word: lambda node, style: style.word(node),
    ex.Equation: lambda node, style: f"{latex(node.left, style)} = {latex(node.right, style)}",
}
