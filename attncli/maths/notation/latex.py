"""Expressions in LaTeX: `0.5 \\times 0.885 - 0.1 \\times 0.997`, `\\dfrac{7.389}{12.825}`.

A web page and a TeX file take somebody's words and blanks in different ways, which is what the
parts of a `LatexNotation` are for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType

from attncli.maths.equations import tree as ex
from attncli.maths.notation.escaping import shown
from attncli.maths.notation.notation import ATOM, FACTOR, GREEK, JOINED, Node, Notation
from attncli.maths.numbers import decimals
from attncli.names import GRADIENTS, Name, Word

RELATIONS = {"=": "=", "≈": r"\approx"}
_GREEK = {text: rf"\{name}" for name, letter in GREEK.items() for text in (name, letter)}
FUNCTIONS = {name: rf"\{name}" for name in ("max", "min", "tanh", "sin", "cos", "ln")}
_SPECIAL = re.compile(r"[_{}$%&#]|\\")
_INDEX = re.compile(r"[0-9][a-z](\+[0-9])?")
"""An index of a formula that is no letter alone, such as `2i+1`."""
_LONG_ROOT = 4
"""Places to break a line at."""


class LatexNotation(Notation):
    """LaTeX, with parts for what isn't the same everywhere.

    `word` writes an index, which may be somebody's word or one of ours; `blank` a number to be
    filled in. Where blanks are `hidden`, whatever stands around one tells nothing of its answer. A
    line may be broken at a `joint`, which is never inside braces; `inline` writes quotients and
    parentheses so that there are more of these. `slim` parentheses are no taller than what stands
    in them.
    """

    relations = MappingProxyType({"<": r"\lt", ">": r"\gt", "≤": r"\le", "≥": r"\ge", "≠": r"\ne"})
    gives = "LaTeX notation"
    times, dot, matrices = r" \times ", r"\cdot", r" \thinspace "
    omitted, transposed_mark = r"\dots", r"^{\top}"
    hidden = inline = False

    def __init__(
        self,
        word: Callable[[Word | str], str],
        blank: Callable[[ex.Blank], str],
        *,
        joint: str = " ",
        slim: bool = False,
    ) -> None:
        self.word, self.of_blank = word, blank
        self.joint, self.comma, self.slim = joint, f",{joint}", slim

    def hides(self, node: ex.Expression) -> bool:
        return self.hidden and isinstance(node, ex.Blank)

    def parentheses(self, text: str) -> str:
        if self.inline or (self.slim and r"\dfrac" not in text):
            return f"({text})"
        return rf"\left({self._whole(text)}\right)"

    def _whole(self, text: str) -> str:
        """Removes the places to break a text at."""
        return text.replace(self.joint, " ")

    def of_number(self, node: ex.Number) -> str:
        text = decimals.text(node.shown)
        if text[-1].isdigit() and "e" not in text:  # the most of them
            return text
        mantissa, e, exponent = text.replace("∞", r"\infty").partition("e")
        return rf"{mantissa} \times 10^{{{exponent}}}" if e else mantissa

    def of_symbol(self, node: ex.Symbol) -> str:
        indices = f"[{', '.join(map(self.word, node.indices))}]" if node.indices else ""
        return _timed(node.name if isinstance(node.name, Name) else Name(node.name)) + indices

    def of_quotient(self, node: ex.Quotient) -> str:
        if self.inline:
            return super().of_quotient(node)
        dividend, divisor = (self._whole(self.write(part)) for part in node.parts)
        return rf"\dfrac{{{dividend}}}{{{divisor}}}"

    def of_apply(self, node: ex.Apply) -> str:
        if node.function == "where":
            return self.cases(*node.arguments)
        if node.function in JOINED:
            return self.joined(node)
        name = FUNCTIONS.get(node.function, self.of_symbol(ex.Symbol(node.function)))
        return name + self.parentheses(self.listed(node.arguments))

    def prose(self, text: str) -> str:
        return rf"\text{{{text}}}" if text else ""

    def exponent(self, node: ex.Expression) -> str:
        """Writes an exponent; a quotient in one line, since a fraction up there is too small to
        read."""
        text = "/".join(self.sides(node)) if isinstance(node, ex.Quotient) else self.write(node)
        return f"{{{self._whole(text)}}}"

    def of_transposed(self, node: ex.Transposed) -> str:
        matrix = self.held(node.operand, ATOM)
        held = f"{{{matrix}}}" if "^" in matrix else matrix  # TeX knows one exponent of a thing
        return f"{held}{self.transposed_mark}"

    def of_root(self, node: ex.Root) -> str:
        """Writes a root; of a sum too long for one line, what stands under it to the power of
        1/2."""
        text = self.write(node.operand)
        if self.inline and text.count(self.joint) > _LONG_ROOT:
            return f"{self.parentheses(text)}^{{1/2}}"
        return rf"\sqrt{{{self._whole(text)}}}"

    def of_total(self, node: ex.Total) -> str:
        return rf"\sum {self._under(node)} {self.held(node.operand, FACTOR)}"

    def of_reduced(self, node: ex.Reduced) -> str:
        if node.function == "prod":
            return rf"\prod {self._under(node)} {self.held(node.operand, FACTOR)}"
        name = FUNCTIONS.get(node.function, rf"\operatorname{{{node.function}}}")
        return f"{name}{self._under(node)}{self.parentheses(self.listed([node.operand]))}"

    def _under(self, node: ex.Total | ex.Reduced) -> str:
        """Writes the index of a sum, and what must hold for a term to count."""
        met = "" if node.met is None else rf":\thinspace {self._whole(self.write(node.met))}"
        return f"_{{{node.over}{met}}}"


def _timed(name: Name) -> str:
    """Writes the name of a quantity with its time above it, and with that of its place above
    that."""
    if name.time is None:
        return _named(name)
    if name.path.time is not None:  # `gates[2].forget`
        return f"{_timed(name.path)}.{_timed(name.alone)}"
    time = str(name.time).replace("−", "-")
    return rf"{_named(name.at(None))}^{{\langle {time} \rangle}}"


def _named(name: Name) -> str:
    """Writes the name of a quantity with its path before it and what follows a `_` below it; ∂
    stands before what a gradient is of."""
    if name.path and name.inside(GRADIENTS):
        return rf"\partial{{}}{_named(name.seen_from(GRADIENTS))}"
    head, _, tail = name.alone.partition("_")
    head = f"{name.path}.{head}" if name.path else head
    if not tail and head[-1:].isdigit() and head[:-1].isalpha():
        head, tail = head[:-1], head[-1]
    # a space before each `_`: Markdown would take two of them for emphasis otherwise
    return _name(head) + (f" _{{{_name(tail)}}}" if tail else "")


def _name(name: str) -> str:
    if name in _GREEK:
        return _GREEK[name]
    if (len(name) == 1 and name.isalnum()) or _INDEX.fullmatch(name):
        return name
    return rf"\mathrm{{{_SPECIAL.sub(_escape, name)}}}"


def _web_word(word: Word | str) -> str:
    """Writes a word in mathematics that a browser draws."""
    text = shown(word)
    if text.isascii() and (text.isdigit() or (len(text) == 1 and text.isalpha())):
        return text
    return rf"\text{{{_SPECIAL.sub(_escape, text)}}}"


def _escape(match: re.Match[str]) -> str:
    return r"\backslash " if match[0] == "\\" else f"\\{match[0]}"


def _web_blank(node: ex.Blank) -> str:
    if node.answer is not None:
        return latex(node.answer)
    return r"\underline{\hspace{3em}}" if node.id else r"\cdots\cdots"


WEB = LatexNotation(_web_word, _web_blank)
"""What KaTeX and MathJax both understand."""


def latex(node: Node, notation: LatexNotation = WEB) -> str:
    """Writes the expression in LaTeX. Raises TypeError for a node that has no notation."""
    return notation.write(node)
