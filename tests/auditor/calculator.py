"""Expressions in the plain notation, and what they come to from the digits shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from functools import lru_cache
from typing import Any

import mpmath

Value = Any  # a Decimal, a list of them, or a list of such lists
Lookup = Callable[[str], Value]

NAME = r"(?:[A-Za-z_]\w*(?:\[\d+\])?\.)*[A-Za-z_π][A-Za-z0-9_]*(?:\[\d+\](?=\[))?"
"""What may have a time before the indices of a cell: `a[2]` of `a[2][1]`."""
INDEX = r"\[(?:\"(?:[^\"\\]|\\.)*\"|[^\[\]\"])*\]"
NUMBER = r"−?(?:∞|\d+(?:\.\d+)?(?:e[-−]?\d+)?)"

_TOKEN = re.compile(
    r"\s*(?:(?P<number>∞|\d+(?:\.\d+)?(?:e[-−]?\d+)?)"
    rf"|(?P<name>{NAME}(?:{INDEX})?)"
    r"|(?P<mark>[-+−×·/^√()\[\],ᵀ]))"
)
_DIGITS = 60
_SURE = 45
"""So many of the digits are right, whatever a quotient on the way left out."""

_SAME = Decimal("1e-40")


class NamedError(Exception):
    """A name was met where only numbers were looked for."""


class UndisclosedError(Exception):
    """A name stands for numbers that are nowhere shown: a long random matrix."""


def value(text: str, lookup: Lookup) -> Value:
    """What an expression comes to. Raises ValueError for what is not one."""
    try:
        return _of_numbers(text)
    except NamedError:
        return _evaluated(text, lookup)


@lru_cache(maxsize=1 << 14)
def _of_numbers(text: str) -> Value:
    def no_names(name: str) -> Value:
        raise NamedError(name)

    return _evaluated(text, no_names)


def _evaluated(text: str, lookup: Lookup) -> Value:
    with localcontext(Context(prec=_DIGITS)):
        parser = _Parser([*_tokens(text)], lookup)
        result = parser.sum()
        if parser.rest:
            raise ValueError(f"left over: {parser.rest}")
        return result


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    text = text.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise ValueError(f"unreadable: {text[position:]!r}")
        token = match[match.lastgroup]
        yield match.lastgroup, "−" if token == "-" else token
        position = match.end()


class _Parser:
    """Sums of products of powers, over numbers and vectors."""

    def __init__(self, tokens: list[tuple[str, str]], lookup: Lookup) -> None:
        self.rest, self.lookup = tokens[::-1], lookup

    def next_is(self, *marks: str) -> bool:
        return bool(self.rest) and self.rest[-1][0] == "mark" and self.rest[-1][1] in marks

    def take(self, mark: str | None = None) -> str:
        if not self.rest:
            raise ValueError("it ends too early")
        kind, text = self.rest.pop()
        if mark is not None and text != mark:
            raise ValueError(f"{mark} wanted, {text} found ({kind})")
        return text

    def sum(self) -> Value:
        result = self.signed()
        while self.next_is("+", "−"):
            sign = -1 if self.take() == "−" else 1
            result = _add(result, _times(Decimal(sign), self.product()))
        return result

    def signed(self) -> Value:
        if self.next_is("−"):
            self.take()
            return _times(Decimal(-1), self.product())
        return self.product()

    def product(self) -> Value:
        result = self.power()
        while self.next_is("×", "·", "/"):
            mark = self.take()
            other = self.power()
            if mark == "·":
                result = sum((a * b for a, b in zip(result, other, strict=True)), start=Decimal(0))
            else:
                result = (_times if mark == "×" else _divided)(result, other)
        return result

    def power(self) -> Value:
        base = self.atom()
        if self.next_is("ᵀ"):
            self.take()
            base = [list(column) for column in zip(*base, strict=True)]
        if self.next_is("^"):
            self.take()
            exponent = self.atom()
            if base == "e":
                return exponent.exp()
            return base**exponent if base or exponent else Decimal(1)  # the empty product
        return Decimal(1).exp() if base == "e" else base

    def atom(self) -> Value:
        if self.next_is("("):
            return self.listed("(", ")")[0]
        if self.next_is("["):
            return self.listed("[", "]")
        if self.next_is("√"):
            self.take()
            return self.atom().sqrt()
        if not self.rest or self.rest[-1][0] == "mark":
            raise ValueError(f"a number is wanted before {self.rest[::-1]}")
        kind, text = self.rest.pop()
        if kind == "number":
            return number(text)
        return self.named(text)

    def listed(self, opening: str, closing: str) -> list[Value]:
        self.take(opening)
        entries = [self.sum()]
        while opening == "[" and self.next_is(","):
            self.take()
            entries.append(self.sum())
        self.take(closing)
        return entries

    def named(self, name: str) -> Value:
        if name == "e":
            return "e"
        if name == "π":
            with mpmath.workdps(_DIGITS + 20):
                return Decimal(mpmath.nstr(mpmath.pi, _DIGITS))
        if not self.next_is("("):
            return self.lookup(name)
        if name not in FUNCTIONS:
            raise ValueError(f"{name} is no function")
        self.take("(")
        arguments = [self.sum()]
        while self.next_is(","):
            self.take()
            arguments.append(self.sum())
        self.take(")")
        return FUNCTIONS[name](*arguments)


def number(text: str) -> Decimal:
    """A printed number, of whatever minus."""
    return Decimal(text.strip().replace("−", "-").replace("∞", "Infinity"))


def is_numbers(text: str) -> bool:
    """Whether a text is one number, or a vector of nothing but numbers."""
    return re.fullmatch(rf"\s*(?:{NUMBER}|\[\s*{NUMBER}(?:,\s*{NUMBER})*\])\s*", text) is not None


def numbers(text: str) -> list[str]:
    """The texts of a number, or of a vector's entries."""
    return [entry.strip() for entry in text.strip(" []").split(",")]


def rounds_to(left: Value, right: str) -> bool:
    """Whether what stands left, rounded half away from zero to the digits on the right, is it."""
    lefts, rights = (left if isinstance(left, list) else [left]), numbers(right)
    is_vector = right.strip().startswith("[")
    return (isinstance(left, list) == is_vector and len(lefts) == len(rights)) and all(
        _rounded(a, text) == number(text) for a, text in zip(lefts, rights, strict=True)
    )


def _rounded(exact: Decimal, text: str) -> Decimal:
    exponent = number(text).as_tuple().exponent
    if not exact.is_finite() or not isinstance(exponent, int):
        return exact
    unit = Decimal(1).scaleb(exponent)
    exact = Context(prec=_SURE).plus(exact)  # 1 / 3 × 1.0005 ends in a 5, too
    return exact.quantize(unit, rounding=ROUND_HALF_UP, context=Context(prec=400))


def same(left: Value, right: Value) -> bool:
    """Whether two expressions come to the same."""
    if isinstance(left, list) != isinstance(right, list):
        return False
    lefts, rights = (v if isinstance(v, list) else [v] for v in (left, right))
    return len(lefts) == len(rights) and all(
        a == b or abs(a - b) <= abs(b) * _SAME for a, b in zip(lefts, rights, strict=True)
    )


_MANY = 40
_FEWEST_DECIMALS = 3


def comes_near(left: Value, right: Value) -> bool:
    """Whether what has no end, such as tanh(1) or ln(3) / 0.5, rounds to what was worked of it with
    some digits, 2 × 0.761594, at the decimals that this has by itself; of vectors, each entry."""
    if isinstance(left, list) and isinstance(right, list):
        pairs = [*zip(left, right, strict=False)]
        return len(left) == len(right) and all(same(*pair) or comes_near(*pair) for pair in pairs)
    if not (isinstance(left, Decimal) and isinstance(right, Decimal)):
        return False
    exponent = right.as_tuple().exponent
    has_end = len(left.as_tuple().digits) < _MANY
    if has_end or not isinstance(exponent, int) or exponent > -_FEWEST_DECIMALS:
        return False
    return len(right.as_tuple().digits) < _MANY and rounds_to(left, f"{right:f}")


def _mp(function: Callable[[Any], Any]) -> Callable[[Decimal], Decimal]:
    def of(x: Decimal) -> Decimal:
        with mpmath.workdps(_DIGITS + 20):
            return Decimal(mpmath.nstr(function(mpmath.mpf(_told(x))), _DIGITS))

    return of


def _told(x: Decimal) -> str:
    """A number as mpmath reads it."""
    return str(x) if x.is_finite() else str(float(x))


FUNCTIONS: dict[str, Callable[..., Decimal]] = {
    "abs": abs,
    "max": max,
    "min": min,
    "ln": Decimal.ln,
    "step": lambda x: Decimal(x > 0),
    **{name: _mp(getattr(mpmath, name)) for name in ("tanh", "erf", "sin", "cos")},
}


def _add(a: Value, b: Value) -> Value:
    if not isinstance(a, list):
        return a + b
    row = b[0] if isinstance(b[0], list) and len(b) == 1 else b  # a bias is a matrix of one row
    return [x + y for x, y in zip(a, row, strict=True)]


def _times(a: Value, b: Value) -> Value:
    """A number times a number or vector; a vector times a matrix, or a vector entry by entry."""
    if isinstance(a, list) and isinstance(b, list):
        if not isinstance(b[0], list):
            return [x * y for x, y in zip(a, b, strict=True)]
        columns = zip(*b, strict=True)
        return [sum(map(_of_pair, zip(a, c, strict=True)), start=Decimal(0)) for c in columns]
    if isinstance(a, list):
        a, b = b, a
    return [_times(a, x) for x in b] if isinstance(b, list) else a * b


def _divided(a: Value, b: Decimal) -> Value:
    """A number or a vector divided by a number: at once, so that 0.27 / 0.288 is 0.9375."""
    return [x / b for x in a] if isinstance(a, list) else a / b


def _of_pair(pair: tuple[Decimal, Decimal]) -> Decimal:
    return pair[0] * pair[1]
