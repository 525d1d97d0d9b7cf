"""The slopes of a node of an equation in its parts, by rules for each type of node.

No rule divides by what the slope isn't really divided by: that of a product is the product of the
others, and that of b^x in b is 0 where x is 0, so that each holds where a factor or b is 0.

What has no slope at a kink gets one all the same: max(a, b) that of b where b is above a, else that
of a; min(a, b) that of a where b is above a, else that of b. So relu has the slope 0 at 0,
leaky_relu 0.01, and elu 1, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from types import MappingProxyType

from attncli.maths.equations import tree as ex
from attncli.maths.equations.choices import RELATIONS
from attncli.maths.equations.factored_terms import (
    MINUS_ONE,
    FactoredTerm,
    added,
    expression,
    term,
    times,
)
from attncli.maths.equations.indices import renamed
from attncli.maths.equations.tree import (
    Apply,
    Expression,
    Number,
    constant,
    e_to,
    minus,
    operands_in,
)
from attncli.maths.numbers import decimals

Slopes = Iterable[tuple[Expression, Expression]]
"""Each part of a node, and the derivative of the node with respect to it."""


def slopes(
    node: Expression, place: int, counts: Mapping[str, int] = MappingProxyType({})
) -> Slopes:
    """Returns the derivatives of a node with respect to those of its parts that contain the
    operand; `counts` are the places of operands that count along an index.

    Raises TypeError for a node without a derivative.
    """
    if all(operand.place != place for operand in operands_in(node)):
        return ()
    return _Slopes(counts).of(node)


class _Slopes(ex.Fold[Slopes]):
    """The derivatives of a node with respect to its parts."""

    gives = "derivative"

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = counts

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
        """Returns the slopes of a power: d(x^n) = n x^(n − 1) dx + x^n ln x dn, d(e^x) = e^x dx.

        x^0 is 1 for every x, and has the slope 0 at 0, too; 0^n is 0 for every n above 0.
        """
        if node.base == ex.E:
            return [(node.exponent, node)]
        base, exponent = node.parts
        by_exponent: Expression = ex.Product((node, Apply("ln", (base,))))
        if isinstance(exponent, ex.Number):
            less = Number.written(decimals.difference(exponent.full, Decimal(1)))
            return [(base, ex.Product((exponent, ex.Power(base, less)))), (exponent, by_exponent)]
        terms = exponent.terms if isinstance(exponent, ex.Sum) else (exponent,)
        one_less = ex.Sum((*terms, ex.Negative(ex.ONE)))
        by_base: Expression = ex.Product((exponent, ex.Power(base, one_less)))
        if not self._is_a_count(exponent):
            by_base = Apply("where", (_is_not_0(exponent), by_base, ex.ZERO))
        if not isinstance(base, ex.Number):
            stays = RELATIONS["=="](base, ex.ZERO), RELATIONS[">"](exponent, ex.ZERO)
            by_exponent = Apply("where", (ex.Product(stays), ex.ZERO, by_exponent))
        return [(base, by_base), (exponent, by_exponent)]

    def _is_a_count(self, node: Expression) -> bool:
        """Tells whether a part is a place along an index, from 1."""
        return isinstance(node, ex.Operand) and node.place in self.counts.values()

    def of_reduced(self, node: ex.Reduced) -> Slopes:
        """Returns the slope of the largest or the smallest of several numbers, 1 / n for each of n
        that are equally large; and of a product the product without that factor."""
        if node.function == "prod":
            return [(node.operand, self._others(node))]
        # worked anew, since no number is as large as the rounded result
        most = ex.Reduced(node.function, node.over, ex.Sum((node.operand,)))
        above = (most, node.operand) if node.function == "max" else (node.operand, most)
        is_less = Apply("step", (minus(*above),))
        share = ex.Quotient(ex.ONE, ex.Total(node.over, Apply("where", (is_less, ex.ZERO, ex.ONE))))
        return [(node.operand, Apply("where", (is_less, ex.ZERO, share)))]

    def _others(self, product: ex.Reduced) -> Expression:
        """Returns the product of all factors but one, those at other places along its indices,
        which are in capitals."""
        if not {*product.over} <= self.counts.keys():
            raise TypeError("a product has a derivative where its factors are counted")
        operand = renamed(product.operand, {index: index.upper() for index in product.over})
        elsewhere = tuple(
            RELATIONS["!="](*(ex.Operand(self.counts[index], (x,)) for x in (index.upper(), index)))
            for index in product.over
        )
        condition = reduce(lambda a, b: Apply("max", (a, b)), elsewhere)
        match operand:
            case Apply("where", (met, part, ex.ONE)):
                condition, operand = ex.Product((met, condition)), part
        others = Apply("where", (condition, operand, ex.ONE))
        return ex.Reduced("prod", product.over.upper(), others)

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


def _is_not_0(node: Expression) -> Expression:
    """Returns the condition that a part isn't 0; of a − b, that a isn't b."""
    match node:
        case ex.Sum((a, ex.Negative(b))):
            return RELATIONS["!="](a, b)
        case _:
            return RELATIONS["!="](node, ex.ZERO)


def _logistic(z: Expression) -> Expression:
    return ex.Quotient(ex.ONE, ex.Sum((ex.ONE, e_to(ex.Negative(z)))))


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
        ("abs", 1): lambda x: [minus(Apply("step", (x,)), Apply("step", (ex.Negative(x),)))],
        ("sin", 1): lambda x: [Apply("cos", (x,))],
        ("cos", 1): lambda x: [ex.Negative(Apply("sin", (x,)))],
    }
)
