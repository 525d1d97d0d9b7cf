"""Equations written so that floats lose no digits: for arrays and their bounds, not pages."""

from __future__ import annotations

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
    rewritten,
)

_ONE, _TWO = constant(1), constant(2)


def careful(tree: Expression) -> Expression:
    """The same value, where a sum would lose digits by a function that doesn't:

    1 + erf z is erfc(−z), 1 + tanh z is 2 sigmoid(2z), e^z − 1 is expm1 z; and ln(1 + e^z) and
    1 / (1 + e^−z), the softplus and sigmoid of z, don't leave the range of floats.
    """
    return rewritten(tree, _rewritten)


def _rewritten(node: Expression) -> Expression | None:
    match node:
        case Quotient(dividend, Sum((one, Power(base, Negative(z))))) if one == _ONE and base == E:
            sigmoid = Apply("sigmoid", (careful(z),))
            return sigmoid if dividend == _ONE else Product((careful(dividend), sigmoid))
        case Apply("ln", (Sum((one, Power(base, z))),)) if one == _ONE and base == E:
            return Apply("softplus", (careful(z),))
        case Sum((one, Apply("erf", (z,)))) if one == _ONE:
            return Apply("erfc", (Negative(careful(z)),))
        case Sum((one, Apply("tanh", (z,)))) if one == _ONE:
            return Product((_TWO, Apply("sigmoid", (Product((_TWO, careful(z))),))))
        case Sum((Power(base, z), Negative(one))) if one == _ONE and base == E:
            return Apply("expm1", (careful(z),))
        case _:
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
