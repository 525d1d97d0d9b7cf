"""Terms as products of factors, put together as a person would: like factors, sums, expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from math import gcd
from types import MappingProxyType
from typing import NamedTuple

from attncli.maths.equations import tree as ex
from attncli.maths.equations.tree import (
    Expression,
    Number,
    operands_in,
)
from attncli.maths.numbers import decimals

_NULL, _UNIT = Decimal(0), Decimal(1)


Factors = tuple[tuple[Expression, int], ...]
"""Bases, each with its whole exponent."""


class FactoredTerm(NamedTuple):
    """A term as a fraction times factors: above / below × factors."""

    above: Decimal = _UNIT
    below: Decimal = _UNIT
    """The denominator, above 0."""
    factors: Factors = ()

    @property
    def inverse(self) -> FactoredTerm:
        """Returns 1 / the term."""
        turned = tuple((base, -exponent) for base, exponent in self.factors)
        return FactoredTerm(self.below.copy_sign(self.above), abs(self.above), turned)

    def to_the(self, exponent: int) -> FactoredTerm:
        """Raises the term to the power of a whole number."""
        term = self if exponent > 0 else self.inverse
        return times(*[term] * abs(exponent))


NOTHING, ONE, MINUS_ONE = FactoredTerm(_NULL), FactoredTerm(), FactoredTerm(-_UNIT)


def term(node: Expression) -> FactoredTerm:
    """Takes the products and quotients of an expression apart, with all else as one factor."""
    match node:
        case Number():
            return FactoredTerm(node.full)
        case ex.Negative(operand):
            return times(MINUS_ONE, term(operand))
        case ex.Product(factors):
            return times(*map(term, factors))
        case ex.Quotient(dividend, divisor):
            return times(term(dividend), term(divisor).inverse)
        case ex.Power(base, Number(exponent)) if base != ex.E and exponent == int(exponent):
            return term(base).to_the(int(exponent))
        case _:
            return _factor(node)


def _factor(base: Expression, exponent: int = 1) -> FactoredTerm:
    return FactoredTerm(factors=((base, exponent),)) if exponent else ONE


def times(*terms: FactoredTerm) -> FactoredTerm:
    """Multiplies terms: x × x is x², x / x is 1, √x × √x is x."""
    exponents: dict[Expression, int] = {}
    above, below = _UNIT, _UNIT
    for term in terms:
        above, below = decimals.product(above, term.above), decimals.product(below, term.below)
        for base, exponent in term.factors:
            exponents[base] = exponents.get(base, 0) + exponent
    if not above:
        return NOTHING
    left = tuple((base, exponent) for base, exponent in exponents.items() if exponent)
    return _without_squares_of_roots(FactoredTerm(*_reduced(above, below), left))


def _reduced(above: Decimal, below: Decimal) -> tuple[Decimal, Decimal]:
    """Reduces a fraction by the greatest common divisor, where both numbers are whole."""
    if not (above.is_finite() and below.is_finite()):  # −∞, which a maximum may begin with
        return above, below
    if above != int(above) or below != int(below):
        return (_UNIT.copy_sign(above), _UNIT) if abs(above) == below else (above, below)
    common = gcd(int(above), int(below))
    return Decimal(int(above) // common), Decimal(int(below) // common)


def _without_squares_of_roots(factored: FactoredTerm) -> FactoredTerm:
    """Replaces √2² by 2; squares of roots of other things stay, since a factor may be taken out of
    them."""
    squares = [
        (base, abs(exponent) // 2 * (1 if exponent > 0 else -1))
        for base, exponent in factored.factors
        if isinstance(base, ex.Root) and _is_fixed_root(base) and abs(exponent) > 1
    ]
    if not squares:
        return factored
    roots = [_factor(root, -2 * count) for root, count in squares]
    inner = [term(root.operand).to_the(count) for root, count in squares]
    return times(factored, *roots, *inner)


def added(terms: Iterable[FactoredTerm]) -> FactoredTerm:
    """Adds terms up to one: what they have in common times the sum of the rest."""
    kept = _likes_together(terms)
    if len(kept) <= 1:
        return kept[0] if kept else NOTHING
    common = _common(kept)
    rest = _likes_together(times(term, common.inverse) for term in kept)
    ordered = sorted(rest, key=lambda term: term.above < 0)  # a sum begins without a minus
    return times(common, _factor(ex.Sum(tuple(part for term in ordered for part in _parts(term)))))


def _parts(term: FactoredTerm) -> Sequence[Expression]:
    """Lists what a term adds to a sum; a term that is a sum adds its own terms."""
    match expression(term):
        case ex.Sum(terms):
            return terms
        case _ if term.above < 0:
            return [ex.Negative(expression(times(MINUS_ONE, term)))]
        case node:
            return [node]


def _likes_together(terms: Iterable[FactoredTerm]) -> list[FactoredTerm]:
    """Adds up terms with the same factors: 2x − x is x."""
    known: dict[tuple[Decimal, frozenset[tuple[Expression, int]]], FactoredTerm] = {}
    for term in terms:
        like = (term.below, frozenset(term.factors))
        above = decimals.added(known[like].above, term.above) if like in known else term.above
        known[like] = term._replace(above=above)
    return [times(term) for term in known.values() if term.above]


def _common(terms: Sequence[FactoredTerm]) -> FactoredTerm:
    """Finds the factors that all terms have."""
    sizes, belows = {abs(term.above) for term in terms}, {term.below for term in terms}
    above = min(sizes) if len(sizes) == 1 else _UNIT
    sign = 1 if any(term.above > 0 for term in terms) else -1
    shared = reduce(_shared, (dict(term.factors) for term in terms))
    return FactoredTerm(
        sign * above, min(belows) if len(belows) == 1 else _UNIT, tuple(shared.items())
    )


def _shared(a: dict[Expression, int], b: dict[Expression, int]) -> dict[Expression, int]:
    both = {base: (a[base], b[base]) for base in a if base in b}
    return {
        base: min(exponents, key=abs)
        for base, exponents in both.items()
        if (exponents[0] > 0) == (exponents[1] > 0)
    }


def expression(term: FactoredTerm) -> Expression:
    """Writes a term as an expression, `−2 × x / m`: numbers first, then lengths; sums last."""
    factors = sorted(term.factors, key=lambda factor: _ORDER.get(type(factor[0]), 0))
    above = _multiplied(abs(term.above), [(b, n) for b, n in factors if n > 0])
    below = _multiplied(term.below, [(b, -n) for b, n in factors if n < 0])
    first, *others = (_minus(above[0]), *above[1:]) if term.above < 0 else above
    top = ex.Product((first, *others)) if others else first
    if below == [ex.ONE]:
        return top
    return ex.Quotient(top, ex.Product(tuple(below)) if len(below) > 1 else below[0])


_ORDER: Mapping[type, int] = MappingProxyType({ex.Length: -1, ex.Sum: 1})


def _minus(node: Expression) -> Expression:
    if isinstance(node, Number):
        return Number.written(decimals.negated(node.full))
    return ex.Negative(node)


def _multiplied(number: Decimal, factors: Sequence[tuple[Expression, int]]) -> list[Expression]:
    """Lists the factors of a product, a number first; roots of numbers are put under one root, and
    1 stands alone."""
    roots = [base for base, exponent in factors if _is_fixed_root(base) and exponent == 1]
    joined = _root_of_product(roots) if len(roots) > 1 else None
    nodes = [_power(base, n) for base, n in factors if joined is None or base not in roots]
    many = [*nodes, *([joined] if joined else [])]
    return [Number.written(number), *many] if number != 1 or not many else many


def _is_fixed_root(base: Expression) -> bool:
    return isinstance(base, ex.Root) and not any(operands_in(base))


def _root_of_product(roots: Sequence[Expression]) -> Expression:
    """Puts roots under one: √a × √b = √(a × b)."""
    return ex.Root(expression(times(*(term(x.operand) for x in roots if isinstance(x, ex.Root)))))


def _power(base: Expression, exponent: int) -> Expression:
    if isinstance(base, ex.Root) and exponent % 2 == 0:
        return _power(base.operand, exponent // 2)
    return base if exponent == 1 else ex.Power(base, ex.constant(exponent))
