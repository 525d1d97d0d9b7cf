"""What both notations share: how tightly things bind, and where a minus goes."""

from __future__ import annotations

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import (
    Blank,
    Dot,
    Expression,
    MatrixProduct,
    Negative,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Total,
)

_BINDING: dict[type, int] = {
    Sum: 1,
    Total: 1,
    Dot: 2,
    Product: 2,
    MatrixProduct: 2,
    Quotient: 2,
    Negative: 3,
    Root: 4,
    Power: 4,
}
_TIGHTEST = 5

LOOSEST_NUMBER = _BINDING[Negative]
FACTOR, DIVISOR, ATOM = 2, 3, 5
"""How tightly an operand must bind to stand without parentheses."""


def binding(node: Expression) -> int:
    """How tightly an expression holds together: a sum loosest, a number tightest."""
    if type(node) is Number:  # the most of them
        loose = node.shown.is_signed() or decimals.has_exponent(node.shown)
        return LOOSEST_NUMBER if loose else _TIGHTEST  # 3 × 10^−9 holds together no better
    binds = _BINDING.get(type(node))
    if binds is not None:
        return binds
    if isinstance(node, Blank) and node.answer is not None:
        return binding(node.answer)
    return _TIGHTEST


def least_after_sign(term: Expression, *, is_last: bool = False) -> int:
    """How tightly a term must bind after a plus or minus: one with a sign of its own needs
    parentheses, `−1 − (−2)`. The sign of a blank's answer stays its own, too. A sum over an index
    reaches as far as there are factors; where another term follows, that is hard to see."""
    if is_last and isinstance(term, Total):
        return _BINDING[Total]
    if type(term) is Number:  # the most of them
        return ATOM if term.shown.is_signed() else FACTOR
    return ATOM if signed(term)[0] or isinstance(term, Blank) else FACTOR


def least_after_minus(operand: Expression) -> int:
    """How tightly what a minus of its own takes away must bind: `−(2 × 3)`, `−(−2)`."""
    return max(DIVISOR, least_after_sign(operand))


def signed(term: Expression) -> tuple[bool, Expression]:
    """A term of a sum as its sign (True: minus) and what follows the sign."""
    if isinstance(term, Number):  # the most of them
        if not term.shown.is_signed():
            return False, term
        return True, Number(decimals.negated(term.full), decimals.negated(term.shown), term.cell)
    if isinstance(term, Product):
        minus, positive = signed(term.factors[0])
        return minus, Product((positive, *term.factors[1:])) if minus else term
    match term:
        case Negative(operand):
            return True, operand
        case Quotient(dividend, divisor):
            minus, positive = signed(dividend)
            return minus, Quotient(positive, divisor) if minus else term
        case _:
            return False, term
