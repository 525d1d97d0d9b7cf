"""The derivative of an equation by an operand, an equation simplified as a person would do it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, reduce
from itertools import product
from math import gcd
from types import MappingProxyType
from typing import NamedTuple

from attncli.maths.equations import tree as ex
from attncli.maths.equations.tree import (
    Apply,
    Expression,
    Number,
    Operand,
    Signature,
    axis_of,
    children,
    constant,
    e_to,
    indices_of,
    minus,
    operands_in,
    rewritten,
    with_each,
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


# -- sums ----------------------------------------------------------------------------------------


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


# -- as an expression again ----------------------------------------------------------------------


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


# --------------------------------------------------------------------------------------------------
# The indices of an equation's parts: which are free, what they go along, other names for them.

_NEXT = "klmnopqrstuvwxyz"


def free(node: Expression) -> set[str]:
    """Returns the indices of a part that none of its own sums runs over."""
    match node:
        case Operand(_, indices):
            return set(indices)
        case ex.Total(over, operand):
            return free(operand) - set(over)
        case _:
            return {index for part in children(node) for index in free(part)}


def sides_of(tree: Expression, shapes: Signature) -> dict[str, str]:
    """Finds the extent that each index runs along, as the shapes name it."""
    sides: dict[str, str] = dict(zip("ij", shapes.result, strict=True))
    for operand in operands_in(tree):
        kept = (side for side in shapes.operands[operand.place] if side != "1")
        sides |= dict(zip(operand.indices, kept, strict=True))
    return sides


def renamed(
    tree: Expression, names: Mapping[str, str], own: Callable[[str], str] | None = None
) -> Expression:
    """Renames the indices of a part; with `own`, those that its sums run over get the names that it
    returns."""

    def change(node: Expression) -> Expression | None:
        match node:
            case Operand(place, indices):
                return Operand(place, tuple(names.get(index, index) for index in indices))
            case ex.Total(over, operand):
                inner = {**names, **{index: own(index) for index in over}} if own else names
                text = "".join(inner.get(index, index) for index in over)
                return ex.Total(text, renamed(operand, inner, own))
            case _:
                return None

    return rewritten(tree, change)


def unnamed(tree: Expression, names: Mapping[str, str]) -> Expression:
    """Renames the free indices of a part, and puts those that its sums run over in capitals."""
    return renamed(tree, names, str.upper)


def are_caught(node: Expression, names: Mapping[str, str]) -> bool:
    """Tells whether a sum would take one of the new names of free indices for the index that it
    runs over."""
    match node:
        case ex.Total(over, operand):
            new = {names[index] for index in free(node) if index in names}
            return bool(new & set(over)) or are_caught(operand, names)
        case _:
            return any(are_caught(part, names) for part in children(node))


@dataclass(frozen=True)
class IndexNames:
    """The names of the indices that sums run over.

    An index is in capitals until it gets a name: the one that it had, or else k, l, …; none of
    those of the result, and each for one extent only.
    """

    sides: Mapping[str, str]
    """The extent that each index goes along, by the name that it had."""
    of_result: str
    _given: dict[str, str] = field(default_factory=dict)

    def given(self, tree: Expression, around: str = "") -> Expression:
        """Names the indices of all sums in a part; `around` are the indices of the sums that it is
        in."""
        return with_each(tree, ex.Total, lambda total: self._of_sum(total, around))

    def _of_sum(self, node: ex.Total, around: str) -> Expression:
        names: dict[str, str] = {}
        for index in node.over:
            taken = {*self.of_result, *around, *names.values()}
            names[index] = self._name(index.lower(), taken)
        over = "".join(names.values())
        return ex.Total(over, self.given(renamed(node.operand, names), around + over))

    def _name(self, before: str, taken: set[str]) -> str:
        side = self.sides[before]
        for name in before + _NEXT:
            if name not in taken and self._given.setdefault(name, side) == side:
                return name
        raise ValueError("an equation has too many indices")


# --------------------------------------------------------------------------------------------------
# The slopes of a node of an equation in its parts, by rules for each type of node. What has no
# slope at a kink gets one all the same: max(a, b) that of b where b is above a, else that of a;
# min(a, b) that of a where b is above a, else that of b. So relu has the slope 0 at 0, leaky_relu
# 0.01, and elu 1, as in PyTorch.

Slopes = Iterable[tuple[Expression, Expression]]
"""Each part of a node, and the derivative of the node with respect to it."""


def slopes(node: Expression, place: int) -> Slopes:
    """Returns the derivatives of a node with respect to those of its parts that contain the
    operand.

    Raises TypeError for a node without a derivative.
    """
    if all(operand.place != place for operand in operands_in(node)):
        return ()
    return _SLOPES.of(node)


class _Slopes(ex.Fold[Slopes]):
    """The derivatives of a node with respect to its parts."""

    gives = "derivative"

    def of_sum(self, node: ex.Sum) -> Slopes:
        return ((part, ex.ONE) for part in node.terms)

    def of_total(self, node: ex.Total) -> Slopes:
        return [(node.operand, ex.ONE)]

    def of_negative(self, node: ex.Negative) -> Slopes:
        return [(node.operand, constant(-1))]

    def of_product(self, node: ex.Product) -> Slopes:
        for k, factor in enumerate(node.factors):
            yield factor, ex.Product((ex.ONE, *node.factors[:k], *node.factors[k + 1 :]))

    def of_quotient(self, node: ex.Quotient) -> Slopes:
        """Yields the slopes of a quotient: d(a/b) = da/b − a db/b²; for a σ(z), with σ = 1 / (1 +
        e^−z), da σ + a σ (1 − σ) dz."""
        yield node.dividend, ex.Quotient(ex.ONE, node.divisor)
        match node.divisor:
            case ex.Sum((ex.ONE, ex.Power(ex.E, ex.Negative(z)))):
                yield z, ex.Product((node, minus(ex.ONE, _logistic(z))))
            case divisor:
                yield divisor, ex.Negative(ex.Quotient(node, divisor))

    def of_power(self, node: ex.Power) -> Slopes:
        """Returns the slope of a power: d(x^n) = n x^(n − 1) dx, d(e^x) = e^x dx."""
        if node.base == ex.E:
            return [(node.exponent, node)]
        if not isinstance(node.exponent, ex.Number):
            raise TypeError("a power whose exponent isn't a number has no derivative")
        less = constant(int(node.exponent.full) - 1)
        return [(node.base, ex.Product((node.exponent, ex.Power(node.base, less))))]

    def of_root(self, node: ex.Root) -> Slopes:
        return [(node.operand, ex.Quotient(ex.ONE, ex.Product((ex.TWO, node))))]

    def of_apply(self, node: Apply) -> Slopes:
        """Returns the slopes of a function: d f(x) = f′(x) dx; d ln(1 + e^z) = σ(z) dz, in which no
        exponential is too large."""
        match node:
            case Apply("ln", (ex.Sum((ex.ONE, ex.Power(ex.E, z))),)):
                return [(z, _logistic(z))]
        count = len(node.arguments)
        rule = _FUNCTIONS.get((node.function, count))
        if rule is None:
            raise TypeError(f"{node.function} of {count} has no derivative")
        return zip(node.arguments, rule(*node.arguments), strict=True)


_SLOPES = _Slopes()


def _logistic(z: Expression) -> Expression:
    return ex.Quotient(ex.ONE, ex.Sum((ex.ONE, e_to(ex.Negative(z)))))


# -- functions -----------------------------------------------------------------------------------


def _of_max(a: Expression, b: Expression) -> Sequence[Expression]:
    return minus(ex.ONE, _step(a, b)), _step(a, b)


def _of_min(a: Expression, b: Expression) -> Sequence[Expression]:
    return _step(a, b), minus(ex.ONE, _step(a, b))


def _step(a: Expression, b: Expression) -> Expression:
    """Returns 1 where b is above a, and 0 elsewhere, as an expression."""
    above = added([*_terms(b), *(times(MINUS_ONE, term) for term in _terms(a))])
    if above.above > 0:
        above = FactoredTerm(factors=above.factors)  # 2x is above 0 where x is
    match expression(above):
        case ex.Sum((ex.Power(ex.E, z), ex.Negative(ex.ONE))):
            return Apply("step", (z,))  # and e^z above 1 where z is above 0
        case known:
            return Apply("step", (known,))


def _terms(node: Expression) -> Sequence[FactoredTerm]:
    return [*map(term, node.terms)] if isinstance(node, ex.Sum) else [term(node)]


def _of_erf(x: Expression) -> Sequence[Expression]:
    """Returns the derivative of erf: 2/√π × e^(−x²)."""
    bell = e_to(expression(term(ex.Negative(ex.Power(x, ex.TWO)))))
    return [ex.Quotient(ex.Product((ex.TWO, bell)), ex.Root(ex.PI))]


def _of_where(condition: Expression, _: Expression, __: Expression) -> Sequence[Expression]:
    """Returns the derivatives of a choice; that of the condition is 0, since it is 0 or 1 and can't
    change a little."""
    return [ex.ZERO, condition, minus(ex.ONE, condition)]


def _of_tanh(x: Expression) -> Sequence[Expression]:
    return [minus(ex.ONE, ex.Power(Apply("tanh", (x,)), ex.TWO))]


_FUNCTIONS: Mapping[tuple[str, int], Callable[..., Sequence[Expression]]] = MappingProxyType(
    {
        ("max", 2): _of_max,
        ("min", 2): _of_min,
        ("where", 3): _of_where,
        ("step", 1): lambda _: [ex.ZERO],
        ("tanh", 1): _of_tanh,
        ("erf", 1): _of_erf,
        ("ln", 1): lambda x: [ex.Quotient(ex.ONE, x)],
        ("sin", 1): lambda x: [Apply("cos", (x,))],
        ("cos", 1): lambda x: [ex.Negative(Apply("sin", (x,)))],
    }
)


# --------------------------------------------------------------------------------------------------
# The derivative of an equation with respect to an operand, which is an equation again. With R[i,
# j] = f(X, …) and G the gradient of a loss L with respect to R, G[i, j] = ∂L/∂R[i, j], the chain
# rule says ∂L/∂X[a, b] = Σ_ij G[i, j] × ∂R[i, j]/∂X[a, b], a sum over the indices that X hasn't
# (Parr & Howard 2018, arXiv:1802.01528; Baydin et al. 2018, arXiv:1502.05767). Where X occurs as
# several cells, `X[i, j] / Σ_k X[i, k]`, each adds its part. `slopes` has the rules.

Partials = dict[tuple[Operand, str], list[FactoredTerm]]
"""For a cell, and the indices that are to be added up over, the terms of a derivative."""


def derivative(tree: Expression, shapes: Signature, place: int) -> tuple[str, Expression]:
    """Derives the equation of ∂L/∂X, with X the operand at `place`; returns its shapes and its
    tree.

    Its operands are those of the equation, then the result, then the gradient of the loss with
    respect to the result. Raises TypeError where there is no such equation.
    """
    result, wanted = " ".join(shapes.result), " ".join(shapes.operands[place])
    sides = [*map(" ".join, shapes.operands), result, result]
    return f"{', '.join(sides)} -> {wanted}", _Derivative(tree, shapes, place).tree


@dataclass(frozen=True)
class _Derivative:
    """The derivative of an equation with respect to the operand of a place."""

    of: Expression
    shapes: Signature
    place: int

    @property
    def tree(self) -> Expression:
        parts = _partials(self.of, self.place).items()
        return expression(
            added(self._part(cell, over, term) for (cell, over), terms in parts for term in terms)
        )

    def _part(self, cell: Operand, over: str, partial: FactoredTerm) -> FactoredTerm:
        """Writes what one of its cells adds to the derivative, with indices i and j for the cell's
        own."""
        if len({*cell.indices}) < len(cell.indices):
            raise TypeError("a diagonal has no derivative that an equation says")
        gradient = term(Operand(len(self.shapes.operands) + 1, tuple(self.shapes.indices)))
        along = self.shapes.indices + over
        slope = self._with_result(times(gradient, partial), along)
        added_up = self._total(slope, "".join(x for x in along if x not in cell.indices))
        wanted = dict(zip(cell.indices, self._indices, strict=True))
        named = (
            (self._names.given(unnamed(base, wanted)), exponent)
            for base, exponent in added_up.factors
        )
        return added_up._replace(factors=tuple(named))

    @property
    def _indices(self) -> str:
        """Returns the indices of the derivative, as those of a result."""
        return "".join(indices_of(self.shapes.operands[self.place]))

    @cached_property
    def _sides(self) -> Mapping[str, str]:
        return sides_of(self.of, self.shapes)

    @cached_property
    def _names(self) -> IndexNames:
        return IndexNames(self._sides, self._indices)

    def _total(self, term: FactoredTerm, over: str) -> FactoredTerm:
        """Sums a term over indices: each factor goes into the sum over its own indices; an index
        that no factor has is counted by its length."""
        kept = tuple(factor for factor in term.factors if not free(factor[0]) & set(over))
        sums = (self._sum(term.factors, group) for group in _groups(term.factors, over))
        return times(term._replace(factors=kept), *sums)

    def _sum(self, factors: Factors, over: str) -> FactoredTerm:
        inside = tuple(factor for factor in factors if free(factor[0]) & set(over))
        if not inside:
            return term(self._length(over))
        return term(ex.Total(over, expression(FactoredTerm(factors=inside))))

    def _length(self, index: str) -> ex.Length:
        return ex.Length(*axis_of(index, self.of, self.shapes))

    # -- with the result for what it is ----------------------------------------------------------

    def _with_result(self, term: FactoredTerm, along: str) -> FactoredTerm:
        """Puts R, or R at other indices, in the place of what R is: `weights[i, k]` for `exp[i, k]
        / exp_sum[i]`."""
        if isinstance(self.of, Operand):
            return term
        for indices in self._places(along):
            names = dict(zip(self.shapes.indices, indices, strict=True))
            if not are_caught(self.of, names):
                result = Operand(len(self.shapes.operands), indices)
                term = _replaced(term, renamed(self.of, names), result)
        return term

    def _places(self, along: str) -> Iterator[tuple[str, ...]]:
        """Yields the result's own indices, then others that run along the same sides."""
        wanted = [self._sides[index] for index in self.shapes.indices]
        yield from (
            indices
            for indices in product(along, repeat=len(wanted))
            if [self._sides[index] for index in indices] == wanted
        )


def _groups(factors: Factors, over: str) -> Iterator[str]:
    """Splits indices into as many groups as can be, so that no factor has indices of two groups."""
    left = over
    while left:
        group, before = left[0], ""
        while group != before:
            before, known = group, [free(base) for base, _ in factors]
            tied = {x for indices in known if indices & set(group) for x in indices} | set(group)
            group = "".join(x for x in left if x in tied)
        yield group
        left = "".join(x for x in left if x not in group)


def _replaced(factored: FactoredTerm, what: Expression, by: Operand) -> FactoredTerm:
    """Replaces a part of a term, or some of its factors, by a cell."""

    def change(node: Expression) -> Expression | None:
        return by if node == what else None

    factors = tuple((ex.rewritten(base, change), exponent) for base, exponent in factored.factors)
    factored, known = factored._replace(factors=factors), term(what)
    while known.factors and _has(factored, known):
        factored = times(factored, known.inverse, term(by))
    return factored


def _has(term: FactoredTerm, other: FactoredTerm) -> bool:
    """Tells whether a term has all factors of another one."""
    exponents = dict(term.factors)
    return all(
        exponents.get(base, 0) * exponent > 0 and abs(exponents[base]) >= abs(exponent)
        for base, exponent in other.factors
    )


# -- the chain rule ------------------------------------------------------------------------------


def _partials(node: Expression, place: int) -> Partials:
    """Derives a part with respect to each cell of an operand in it."""
    if isinstance(node, Operand):
        return {(node, ""): [ONE]} if node.place == place else {}
    over = node.over if isinstance(node, ex.Total) else ""
    found: Partials = {}
    for part, slope in slopes(node, place):
        for (cell, within), inner in _partials(part, place).items():
            found.setdefault((cell, over + within), []).extend(_times_sum(term(slope), inner))
    return found


def _times_sum(term: FactoredTerm, terms: list[FactoredTerm]) -> list[FactoredTerm]:
    """Multiplies a sum of terms by a term; only a number is multiplied into each: (a + 2b) / 2 is a
    / 2 + b."""
    return [times(term, each) for each in (terms if not term.factors else [added(terms)])]
