"""Equations written so that floats lose no digits: for arrays and their bounds, not pages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from attncli.arithmetic import expression as ex
from attncli.arithmetic.expression import Apply, Expression, e_to, rewritten


@lru_cache(maxsize=256)
def careful(tree: Expression) -> Expression:
    """The same value, where a sum would lose digits by a function that doesn't:

    1 + erf z is erfc(−z), 1 + tanh z is 2 sigmoid(2z), e^z − 1 is expm1 z, 1 − sigmoid z is
    sigmoid(−z); and ln(1 + e^z) and 1 / (1 + e^−z), the softplus and sigmoid of z, and e^z that
    only counts below 0, don't leave the range of floats.
    """
    return rewritten(tree, _rewritten)


def _rewritten(node: Expression) -> Expression | None:
    match node:
        case ex.Quotient(dividend, ex.Sum((ex.ONE, ex.Power(ex.E, ex.Negative(z))))):
            sigmoid = Apply("sigmoid", (careful(z),))
            return sigmoid if dividend == ex.ONE else ex.Product((careful(dividend), sigmoid))
        case Apply("ln", (ex.Sum((ex.ONE, ex.Power(ex.E, z))),)):
            return Apply("softplus", (careful(z),))
        case ex.Sum((ex.ONE, other)):
            return _one_and(other)
        case ex.Sum((ex.Power(ex.E, z), ex.Negative(ex.ONE))):
            return Apply("expm1", (careful(z),))
        case ex.Product(factors):
            return _below_steps(factors)
        case _:
            return None


def _one_and(other: Expression) -> Expression | None:
    """1 + erf z, 1 + tanh z, 1 − sigmoid z"""
    match other:
        case Apply("erf", (z,)):
            return Apply("erfc", (ex.Negative(careful(z)),))
        case Apply("tanh", (z,)):
            return ex.Product((ex.TWO, Apply("sigmoid", (ex.Product((ex.TWO, careful(z))),))))
        case ex.Negative(ex.Quotient() as logistic):
            match careful(logistic):
                case Apply("sigmoid", (z,)):
                    return Apply("sigmoid", (ex.Negative(z),))
    return None


def _below_steps(factors: Sequence[Expression]) -> Expression | None:
    """e^z × (1 − step z), in which e^z counts where z isn't above 0."""
    for factor in factors:
        match factor:
            case ex.Sum((ex.ONE, ex.Negative(Apply("step", (z,))))) if e_to(z) in factors:
                low = e_to(Apply("min", (ex.ZERO, careful(z))))
                return ex.Product(tuple(low if x == e_to(z) else careful(x) for x in factors))
    return None
