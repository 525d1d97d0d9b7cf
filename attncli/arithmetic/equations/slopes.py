"""The slopes of a node of an equation in its parts, by rules for each type of node.

What has no slope at a kink gets one all the same: max(a, b) that of b where b is above a, else that
of a; min(a, b) that of a where b is above a, else that of b. So relu has the slope 0 at 0,
leaky_relu 0.01, and elu 1, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from attncli.arithmetic import expression as ex
from attncli.arithmetic.equations.terms import (
    MINUS_ONE,
    FactoredTerm,
    added,
    expression,
    term,
    times,
)
from attncli.arithmetic.expression import Apply, Expression, constant, e_to, minus
from attncli.arithmetic.signature import operands_in

Slopes = Iterable[tuple[Expression, Expression]]
"""Each part of a node, and the derivative of the node with respect to it."""


def slopes(node: Expression, place: int) -> Slopes:
    """The slopes of a node in those of its parts that have the operand."""
    if all(operand.place != place for operand in operands_in(node)):
        return ()
    rule = _SLOPES.get(type(node))
    if rule is None:
        raise TypeError(f"{type(node).__name__} has no derivative")
    return rule(node)


def _of_product(node: ex.Product) -> Slopes:
    for k, factor in enumerate(node.factors):
        yield factor, ex.Product((ex.ONE, *node.factors[:k], *node.factors[k + 1 :]))


def _of_quotient(node: ex.Quotient) -> Slopes:
    """d(a/b) = da/b − a db/b²; of a σ(z), σ being 1 / (1 + e^−z), da σ + a σ (1 − σ) dz."""
    yield node.dividend, ex.Quotient(ex.ONE, node.divisor)
    match node.divisor:
        case ex.Sum((ex.ONE, ex.Power(ex.E, ex.Negative(z)))):
            yield z, ex.Product((node, minus(ex.ONE, _logistic(z))))
        case divisor:
            yield divisor, ex.Negative(ex.Quotient(node, divisor))


def _logistic(z: Expression) -> Expression:
    return ex.Quotient(ex.ONE, ex.Sum((ex.ONE, e_to(ex.Negative(z)))))


def _of_power(node: ex.Power) -> Slopes:
    """d(x^n) = n x^(n − 1) dx, d(e^x) = e^x dx"""
    if node.base == ex.E:
        return [(node.exponent, node)]
    if not isinstance(node.exponent, ex.Number):
        raise TypeError("a power whose exponent isn't a number has no derivative")
    less = constant(int(node.exponent.full) - 1)
    return [(node.base, ex.Product((node.exponent, ex.Power(node.base, less))))]


def _of_root(node: ex.Root) -> Slopes:
    yield node.operand, ex.Quotient(ex.ONE, ex.Product((ex.TWO, node)))


def _of_function(node: Apply) -> Slopes:
    """d f(x) = f′(x) dx; d ln(1 + e^z) = σ(z) dz, in which no exponential is too large."""
    match node:
        case Apply("ln", (ex.Sum((ex.ONE, ex.Power(ex.E, z))),)):
            return [(z, _logistic(z))]
    count = len(node.arguments)
    rule = _FUNCTIONS.get((node.function, count))
    if rule is None:
        raise TypeError(f"{node.function} of {count} has no derivative")
    return zip(node.arguments, rule(*node.arguments), strict=True)


_SLOPES: Mapping[type, Callable[[Any], Slopes]] = MappingProxyType(
    {
        ex.Sum: lambda node: ((part, ex.ONE) for part in node.terms),
        ex.Total: lambda node: [(node.operand, ex.ONE)],
        ex.Negative: lambda node: [(node.operand, constant(-1))],
        ex.Product: _of_product,
        ex.Quotient: _of_quotient,
        ex.Power: _of_power,
        ex.Root: _of_root,
        Apply: _of_function,
    }
)


# -- functions -----------------------------------------------------------------------------------


def _of_max(a: Expression, b: Expression) -> Sequence[Expression]:
    return minus(ex.ONE, _step(a, b)), _step(a, b)


def _of_min(a: Expression, b: Expression) -> Sequence[Expression]:
    return _step(a, b), minus(ex.ONE, _step(a, b))


def _step(a: Expression, b: Expression) -> Expression:
    """1 where b is above a, else 0."""
    above = added([*_terms(b), *(times(MINUS_ONE, one) for one in _terms(a))])
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
    """2/√π × e^(−x²)"""
    bell = e_to(expression(term(ex.Negative(ex.Power(x, ex.TWO)))))
    return [ex.Quotient(ex.Product((ex.TWO, bell)), ex.Root(ex.PI))]


def _of_where(condition: Expression, _: Expression, __: Expression) -> Sequence[Expression]:
    """A condition is 0 or 1, and nothing that could change a little."""
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
