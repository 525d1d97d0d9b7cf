"""Answers that are still to be worked out, as practice takes them: `e^2`, `7.389/12.825`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import (
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)

from attncli.judging.verdicts import Given, read_number
from attncli.maths.numbers import decimals

_LONGEST = 100
"""The most characters of an expression."""
_DIGITS = 60
"""The digits that are worked with: far more than decide how a result rounds."""
_LARGEST = 300
"""The largest exponent of a number that is worked with."""
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
_SIGNS = str.maketrans("×·∙⋅÷:−–", "****//--")
_APART = re.compile(r"[\d.,]\s+[\d.,]")
"""Two numbers with nothing but a space between."""
_TOKEN = re.compile(r"\d+(?:[.,]\d*)?|[.,]\d+|sqrt|exp|[e√()^*/+-]")


def given_by(text: str, places: int) -> Given:
    """Reads an answer: a number, or an expression of digits, which counts as its value at so many
    decimals."""
    given = read_number(text)
    if given.number is not None or given.is_empty:
        return given
    value = _value(text)
    return given if value is None else Given(text, decimals.round_to(value, places), places)


def _value(text: str) -> Decimal | None:
    """Works out an expression; returns None for what is none, or has no value."""
    plain = _SUPERSCRIPT.sub(lambda match: f"^({match[0].translate(_RAISED)})", text.casefold())
    plain = "".join(plain.translate(_SIGNS).replace("**", "^").removeprefix("=").split())
    tokens = _TOKEN.findall(plain)
    if len(text) > _LONGEST or "".join(tokens) != plain or _APART.search(text):
        return None
    traps = [DivisionByZero, InvalidOperation, Overflow]
    context = Context(prec=_DIGITS, Emax=_LARGEST, Emin=-_LARGEST, traps=traps)
    with localcontext(context):
        try:
            return _Reader(tokens).whole()
        except (DecimalException, IndexError, ValueError):
            return None


class _Reader:
    """A reader of an expression, token by token. It raises ValueError or IndexError for what is no
    expression, and DecimalException for what can't be worked out."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens = [*tokens]

    def whole(self) -> Decimal:
        value = self._sum()
        if self.tokens:
            raise ValueError
        return value

    def _next_is(self, *tokens: str) -> bool:
        return self.tokens[:1] != [] and self.tokens[0] in tokens

    def _sum(self) -> Decimal:
        value = self._product()
        while self._next_is("+", "-"):
            sign = self.tokens.pop(0)
            term = self._product()
            value = value + term if sign == "+" else value - term
        return value

    def _product(self) -> Decimal:
        value = self._signed()
        while self._next_is("*", "/"):
            sign = self.tokens.pop(0)
            factor = self._signed()
            value = value * factor if sign == "*" else value / factor
        return value

    def _signed(self) -> Decimal:
        if self._next_is("+", "-"):
            sign = self.tokens.pop(0)
            return self._signed() if sign == "+" else -self._signed()
        base = self._atom()
        if not self._next_is("^"):
            return base
        self.tokens.pop(0)
        return base ** self._signed()

    def _atom(self) -> Decimal:
        token = self.tokens.pop(0)
        match token:
            case "e":
                return Decimal(1).exp()
            case "√" | "sqrt":
                return self._atom().sqrt()
            case "exp":
                return self._atom().exp()
            case "(":
                value = self._sum()
                if self.tokens.pop(0) != ")":
                    raise ValueError
                return value
            case _ if token[-1].isdigit() or token[0].isdigit():
                return Decimal(token.replace(",", "."))
        raise ValueError
