"""Equations written so that floats lose no digits: for arrays and their bounds, not pages."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.arithmetic.expression import (
    Apply,
    E,
    Expression,
    Negative,
    Power,
    Product,
    Quotient,
    Sum,
    Total,
    constant,
    e_to,
    rewritten,
)

_ONE, _TWO = constant(1), constant(2)


def careful(tree: Expression) -> Expression:
    """The same value, where a sum would lose digits by a function that doesn't:

    1 + erf z is erfc(−z), 1 + tanh z is 2 sigmoid(2z), e^z − 1 is expm1 z, 1 − sigmoid z is
    sigmoid(−z); and ln(1 + e^z) and 1 / (1 + e^−z), the softplus and sigmoid of z, and e^z that
    only counts below 0, don't leave the range of floats.
    """
    return rewritten(tree, _rewritten)


def _rewritten(node: Expression) -> Expression | None:
    match node:
        case Quotient(dividend, Sum((one, Power(base, Negative(z))))) if one == _ONE and base == E:
            sigmoid = Apply("sigmoid", (careful(z),))
            return sigmoid if dividend == _ONE else Product((careful(dividend), sigmoid))
        case Apply("ln", (Sum((one, Power(base, z))),)) if one == _ONE and base == E:
            return Apply("softplus", (careful(z),))
        case Sum((one, other)) if one == _ONE:
            return _one_and(other)
        case Sum((Power(base, z), Negative(one))) if one == _ONE and base == E:
            return Apply("expm1", (careful(z),))
        case Product(factors):
            return _below_steps(factors)
        case _:
            return None


def _one_and(other: Expression) -> Expression | None:
    """1 + erf z, 1 + tanh z, 1 − sigmoid z"""
    match other:
        case Apply("erf", (z,)):
            return Apply("erfc", (Negative(careful(z)),))
        case Apply("tanh", (z,)):
            return Product((_TWO, Apply("sigmoid", (Product((_TWO, careful(z))),))))
        case Negative(Quotient() as logistic):
            match careful(logistic):
                case Apply("sigmoid", (z,)):
                    return Apply("sigmoid", (Negative(z),))
    return None


def _below_steps(factors: Sequence[Expression]) -> Expression | None:
    """e^z × (1 − step z), in which e^z counts where z isn't above 0."""
    for factor in factors:
        match factor:
            case Sum((one, Negative(Apply("step", (z,))))) if one == _ONE and e_to(z) in factors:
                low = e_to(Apply("min", (constant(0), careful(z))))
                return Product(tuple(low if x == e_to(z) else careful(x) for x in factors))
    return None


def magnitude(tree: Expression) -> Expression:
    """What the terms of an equation come to in size, however they cancel each other."""
    match tree:
        case Sum(terms):
            return Sum(tuple(map(magnitude, terms)))
        case Product(factors):
            return Product(tuple(map(magnitude, factors)))
        case Quotient(dividend, divisor):
            return Quotient(magnitude(dividend), Apply("abs", (divisor,)))
        case Negative(operand):
            return magnitude(operand)
        case Total(over, operand):
            return Total(over, magnitude(operand))
        case _:
            return Apply("abs", (tree,))


def may_cancel(tree: Expression) -> bool:
    """Whether an equation adds terms up, which may leave little of each other."""
    match tree:
        case Sum() | Total():
            return True
        case Product(factors):
            return any(map(may_cancel, factors))
        case Quotient(operand, _) | Negative(operand):
            return may_cancel(operand)
        case _:
            return False
