"""Mathematics in a teacher's own words, as in TeX: `$W_K$`, `$Q K^T / \\sqrt{d_k}$`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from attncli.document.blocks import Span, Spans, text_of_spans
from attncli.maths.equations.tree import (
    Expression,
    MatrixProduct,
    Negative,
    Number,
    Power,
    Product,
    Quotient,
    Relation,
    Root,
    Sum,
    Symbol,
    Transposed,
)
from attncli.maths.numbers import decimals
from attncli.names import Word, raw

_FORMULA = re.compile(r"(?<!\\)\$([^$]+?)(?<!\\)\$")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|\\(?P<command>[A-Za-z]+)|(?P<sign>[-+/=<>(){}^_·×≤≥≠√−])"
    r"|(?P<name>[^\W\d_][^\W_]*(?:_(?:\w+|\{[^{}]*\}))?))"
)
_GREEK = dict(zip(
    ("alpha", "beta", "gamma", "delta", "epsilon", "eta", "theta", "lambda", "mu", "nu", "pi",
     "rho", "sigma", "tau", "phi", "psi", "omega", "Delta", "Sigma", "Omega", "infty"),
    "αβγδεηθλμνπρστφψωΔΣΩ∞",
    strict=True,
))  # fmt: skip
_SIGNS = dict(zip(
    ("cdot", "times", "le", "leq", "ge", "geq", "ne", "neq"), "·×≤≤≥≥≠≠", strict=True
))  # fmt: skip
_RELATIONS = ("=", "<", ">", "≤", "≥", "≠")
_TRANSPOSED = ("T", "⊤", "top")


class UnreadableFormulaError(ValueError):
    """The error of mathematics that can't be read."""


def in_words_and_formulas(text: str) -> Spans:
    """Returns a text with what stands between `$` as mathematics; `\\$` is a dollar. Raises
    UnreadableFormulaError."""
    return tuple(_spans(text))


def as_read(text: str) -> Spans:
    """Returns a text with its mathematics; as it is where what stands between `$` is none."""
    try:
        return in_words_and_formulas(text)
    except UnreadableFormulaError:
        return (Word(text),)


def in_a_line(text: str) -> Word:
    """Returns a text whose mathematics is written in a line, `Q Kᵀ / √d_k`, for what holds words
    alone."""
    return Word(text_of_spans(as_read(text), raw))


def beginning(text: str, most: int) -> str:
    """Returns the first words of a text, of so many characters at most, with no mathematics cut."""
    if len(text) <= most:
        return text
    kept, _, _ = text[:most].rpartition(" ")
    if kept.count("$") % 2:
        kept, _, _ = kept.rpartition("$")
    return f"{kept.rstrip(' ,;:')} …"


def _spans(text: str) -> Iterator[Span]:
    place = 0
    for found in _FORMULA.finditer(text):
        yield from _words(text[place : found.start()])
        yield formula(found[1])
        place = found.end()
    yield from _words(text[place:])


def _words(text: str) -> Iterator[Span]:
    """Yields a text beside mathematics, the spaces at its ends apart from its words."""
    inside = text.strip(" ")
    before, after = (len(text) - len(cut) for cut in (text.lstrip(" "), text.rstrip(" ")))
    yield from (" ",) * (before > 0 and bool(inside))
    if inside:
        yield Word(inside.replace(r"\$", "$"))
    yield from (" ",) * (after > 0)


def formula(text: str) -> Expression:
    """Reads a formula. Raises UnreadableFormulaError."""
    reader = _FormulaReader(text)
    found = reader.relation()
    if reader.waiting:
        raise UnreadableFormulaError(text)
    return found


class _FormulaReader:
    """A reader of a formula, from its beginning on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.waiting = [*reversed([*self._tokens(text.strip())])]

    def _tokens(self, text: str) -> Iterator[tuple[str, str]]:
        place = 0
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise UnreadableFormulaError(self.text)
            kind = str(match.lastgroup)
            value = match[kind]
            if kind == "command" and value in _GREEK:
                kind, value = "name", _GREEK[value]
            if kind == "command" and value in _SIGNS:
                kind, value = "sign", _SIGNS[value]
            yield kind, value
            place = match.end()

    def _next(self, *signs: str) -> str:
        """Takes the next sign, if it is one of some; else returns nothing."""
        if self.waiting and self.waiting[-1][0] == "sign" and self.waiting[-1][1] in signs:
            return self.waiting.pop()[1]
        return ""

    def _take(self, sign: str) -> None:
        if not self._next(sign):
            raise UnreadableFormulaError(self.text)

    def relation(self) -> Expression:
        found = self.sum()
        while sign := self._next(*_RELATIONS):
            found = Relation(sign, found, self.sum())
        return found

    def sum(self) -> Expression:
        terms = [Negative(self.quotient()) if self._next("-", "−") else self.quotient()]
        while sign := self._next("+", "-", "−"):
            terms.append(self.quotient() if sign == "+" else Negative(self.quotient()))
        return terms[0] if len(terms) == 1 else Sum(tuple(terms))

    def quotient(self) -> Expression:
        found = self.product()
        while self._next("/"):
            found = Quotient(found, self.product())
        return found

    def product(self) -> Expression:
        factors = [self.power()]
        numbers = False
        while self.waiting:
            if self._next("·", "×"):
                numbers = True
            elif not self._begins():
                break
            factors.append(self.power())
        if len(factors) == 1:
            return factors[0]
        return Product(tuple(factors)) if numbers else MatrixProduct(tuple(factors))

    def _begins(self) -> bool:
        """Tells whether a factor begins here."""
        kind, value = self.waiting[-1]
        return kind in ("name", "number", "command") or value in ("(", "{", "√")

    def power(self) -> Expression:
        found = self.atom()
        while self._next("^"):
            if self.waiting and self.waiting[-1][1] in _TRANSPOSED:
                self.waiting.pop()
                found = Transposed(found)
            else:
                found = Power(found, self.atom())
        return found

    def atom(self) -> Expression:
        if not self.waiting:
            raise UnreadableFormulaError(self.text)
        kind, value = self.waiting.pop()
        match kind, value:
            case "sign", "√":
                return Root(self.atom())
            case "sign", "(" | "{":
                found = self.relation()
                self._take({"(": ")", "{": "}"}[value])
                return found
            case "number", _:
                return Number.written(decimals.parse(value))
            case "name", _:
                return _called(value)
            case "command", "sqrt":
                return Root(self.atom())
            case "command", "frac":
                return Quotient(self.atom(), self.atom())
            case _:
                raise UnreadableFormulaError(self.text)


def _called(name: str) -> Expression:
    """Returns what a name stands for: infinity, or a symbol."""
    if name == "∞":
        return Number.written(Decimal("Infinity"))
    return Symbol(name.replace("{", "").replace("}", ""))
