"""The value of an expression, in decimal arithmetic of 60 digits, and what it rounds to.

Read from the digits shown, as a pocket calculator would, or from the numbers in full. The
value of e^x, a root or a function is right to far more digits than a page ever shows. What a
value rounds to is settled by fractions wherever decimals don't hold it.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    getcontext,
    localcontext,
    setcontext,
)
from functools import cache, lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from attncli.arithmetic import decimals
from attncli.arithmetic import expression as ex

if TYPE_CHECKING:
    from fractions import Fraction

DIGITS = 60
_ERF_IS_ONE = 40
_TANH_IS_ONE = 400
"""Beyond these, 1 − erf(x) and 1 − tanh(x) are less than the smallest float64."""
_ERF_IS_FAR = 6
"""Beyond this, 1 − erf(x) takes fewer terms than erf(x)."""

ValueOf = Callable[[ex.Number], Decimal]
_FULL: ValueOf = attrgetter("full")
_SHOWN: ValueOf = attrgetter("shown")

_LONGEST = 4000
# no trap for overflow: 1 / (1 + e^huge) is 0
_EXACT = Context(
    prec=_LONGEST, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[InvalidOperation, DivisionByZero]
)
"""In which sums and products of numbers come out in full."""
_FINE = Context(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[InvalidOperation, DivisionByZero])
"""For whatever leaves digits out."""


def full(expression: ex.Expression) -> Decimal:
    """The value from the numbers in full. Raises TypeError for what has no single value."""
    return _value(expression, _FULL)


def shown(expression: ex.Expression) -> Decimal:
    """The value computed from the digits shown."""
    return _value(expression, _SHOWN)


def fraction(expression: ex.Expression) -> Fraction | None:
    """The value from the numbers in full, where a fraction holds it."""
    return _fraction(expression, _FULL)


def _fraction(expression: ex.Expression, value_of: ValueOf) -> Fraction | None:
    from attncli.arithmetic import rational  # which most pages do without

    try:
        return rational.value(expression, value_of)
    except rational.Irrational:
        return None


def rounded(expression: ex.Expression, places: int) -> Decimal:
    """The value from the numbers in full to so many decimals, half away from zero. Raises
    TypeError for what has no single value."""
    return _rounded(expression, _FULL, decimals.unit(places))


def relation(left: ex.Expression, right: ex.Expression) -> str:
    """`=` where `left`, computed from the digits shown, rounds to `right`; else `≈`."""
    target = right.shown if isinstance(right, ex.Number) else shown(right)
    try:
        return "=" if _rounded(left, _SHOWN, target) == target else "≈"
    except (DivisionByZero, InvalidOperation):  # a divisor that is shown as 0
        return "≈"


def _rounded(expression: ex.Expression, value_of: ValueOf, like: Decimal) -> Decimal:
    """The value to as many decimals as `like` has. No half is decided by what a division leaves
    out: it is looked at as a fraction, or where it is none by the digits that are certain."""
    value = _value(expression, value_of)
    near = decimals.round_like(value, like)
    if _in_full(expression) or not value.is_finite() or not like.is_finite():
        return near
    sure = decimals.round_like(decimals.certain(value), like)
    if near == sure and type(expression) is not ex.Sum:  # whose terms may leave next to nothing
        return near
    exact = _fraction(expression, value_of)
    return sure if exact is None else decimals.round_fraction(exact, like)


def _in_full(node: ex.Expression) -> bool:
    """Whether the value is held whole: that of a number, and sums and products of such."""
    if type(node) in (ex.Number, ex.Omitted):  # the most of them
        return True
    if isinstance(node, (ex.Sum, ex.Product)):
        return all(map(_in_full, node.parts[0]))
    return isinstance(node, ex.Negative) and _in_full(node.operand)


def _value(expression: ex.Expression, value_of: ValueOf) -> Decimal:
    before = getcontext()
    setcontext(_EXACT)  # localcontext would copy it, for each of a page's lines
    try:
        return _evaluate(expression, value_of)
    finally:
        setcontext(before)


def _evaluate(expression: ex.Expression, value_of: ValueOf) -> Decimal:
    if type(expression) is ex.Number:  # the most of them
        return value_of(expression)
    evaluate = _EVALUATE.get(type(expression))
    if evaluate is None:
        raise TypeError(f"{type(expression).__name__} has no value of its own")
    return evaluate(expression, value_of)


def _symbol(node: ex.Symbol, _: ValueOf) -> Decimal:
    if node == ex.E:
        return _FINE.exp(Decimal(1))
    if node == ex.PI:
        return pi(DIGITS)
    raise TypeError(f"{node.name} is a name, not a number")


def _sum(node: ex.Sum, value_of: ValueOf) -> Decimal:
    value = Decimal(0)
    for term in node.terms:
        value += _evaluate(term, value_of)
    return value


def _product(node: ex.Product, value_of: ValueOf) -> Decimal:
    value = Decimal(1)
    for factor in node.factors:
        value *= _evaluate(factor, value_of)
    return value


def _dot(node: ex.Dot, value_of: ValueOf) -> Decimal:
    pairs = zip(_entries(node.left), _entries(node.right), strict=True)
    return sum(
        (_evaluate(a, value_of) * _evaluate(b, value_of) for a, b in pairs), start=Decimal(0)
    )


def _entries(vector: ex.Expression) -> tuple[ex.Expression, ...]:
    if not isinstance(vector, ex.Vector):
        raise TypeError("a dot product takes two vectors of numbers")
    return vector.entries


def _power(node: ex.Power, value_of: ValueOf) -> Decimal:
    exponent = _evaluate(node.exponent, value_of)
    if node.base == ex.E:
        return _e_to(exponent)
    return _FINE.power(_evaluate(node.base, value_of), exponent)


@lru_cache(maxsize=1024)
def _e_to(exponent: Decimal) -> Decimal:
    """e^exponent; forms of one exercise raise e to the same few numbers."""
    return _FINE.exp(exponent)


def _apply(node: ex.Apply, value_of: ValueOf) -> Decimal:
    function = FUNCTIONS.get(node.function)
    if function is None:
        raise TypeError(f"{node.function} is not a function that can be evaluated")
    return function(*(_evaluate(argument, value_of) for argument in node.arguments))


def tanh(x: Decimal) -> Decimal:
    """(e^2x − 1) / (e^2x + 1), from the side on which e^2x is small."""
    size = abs(x)
    if size > _TANH_IS_ONE or not size:  # a zero's exponent may be any
        return Decimal(1).copy_sign(x) if size else Decimal(0)
    with localcontext() as context:
        # so that 1 − tanh x keeps its digits, and tanh x where it is as small as x
        context.prec = DIGITS + max(int(size), -size.adjusted())
        double = (-2 * size).exp()
        return ((1 - double) / (1 + double)).copy_sign(x)


@lru_cache(maxsize=256)
def erf(x: Decimal) -> Decimal:
    """2/√π · Σ (−1)^n x^(2n+1) / (n! (2n+1)), the Maclaurin series of the error function.

    The terms grow to e^(x²) before they fall, so that many digits are carried besides; far from 0
    it is what `_erfc` leaves of 1.
    """
    size = abs(x)
    if size > _ERF_IS_ONE:
        return Decimal(1).copy_sign(x)
    with localcontext() as context:
        context.prec = 2 * DIGITS + int(x * x)
        if size > _ERF_IS_FAR:
            return (1 - _erfc(size)).copy_sign(x)
        term = total = x
        square, least = -x * x, Decimal(1).scaleb(-context.prec)
        n = 0
        while abs(term) > least:
            n += 1
            term *= square / n
            total += term / (2 * n + 1)
        return 2 * total / pi(context.prec).sqrt()


def _erfc(x: Decimal) -> Decimal:
    """1 − erf x, by e^(−x²)/√π · 1/(x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …)))) (Abramowitz and
    Stegun, 7.1.14). So many terms leave out less than 10^−100 of it, as seen beside mpmath."""
    with localcontext() as context:
        context.prec = 2 * DIGITS
        rest = x
        for n in range(DIGITS + 4 * DIGITS**2 // int(x * x), 0, -1):
            rest = x + n / (2 * rest)
        return (-x * x).exp() / (pi(context.prec).sqrt() * rest)


def sin(x: Decimal) -> Decimal:
    """x − x³/3! + x⁵/5! − …, of what is left of x when whole turns are taken off."""
    return _alternating(x, odd=True)


def cos(x: Decimal) -> Decimal:
    """1 − x²/2! + x⁴/4! − …, of what is left of x when whole turns are taken off."""
    return _alternating(x, odd=False)


def _alternating(x: Decimal, *, odd: bool) -> Decimal:
    """The odd or the even terms of the series of e^x, with signs in turn."""
    with localcontext() as context:
        context.prec = 2 * DIGITS + max(0, x.adjusted())  # so that no digit goes with the turns
        angle = x.remainder_near(2 * pi(context.prec))
        term, total, n = angle if odd else Decimal(1), Decimal(0), int(odd)
        while abs(term) > Decimal(1).scaleb(-context.prec):
            total += term
            term *= -angle * angle / ((n + 1) * (n + 2))
            n += 2
        return total


@cache
def pi(digits: int) -> Decimal:
    """π to `digits` digits by Machin's formula, 16 arctan 1/5 − 4 arctan 1/239."""

    def arctan_inverse(n: int) -> Decimal:
        term = total = Decimal(1) / n
        k = 1
        while abs(term) > Decimal(1).scaleb(-digits - 5):
            term /= -n * n
            k += 2
            total += term / k
        return total

    with localcontext(Context(prec=digits + 10)):
        return 16 * arctan_inverse(5) - 4 * arctan_inverse(239)


FUNCTIONS: dict[str, Callable[..., Decimal]] = {
    "max": max,
    "min": min,
    "tanh": tanh,
    "erf": erf,
    "sin": sin,
    "cos": cos,
    "ln": _FINE.ln,
    "step": lambda x: Decimal(int(x > 0)),
    "finite": lambda x: Decimal(int(x.is_finite())),
}

_EVALUATE: dict[type, Callable[[Any, ValueOf], Decimal]] = {
    ex.Symbol: _symbol,
    ex.Sum: _sum,
    ex.Omitted: lambda node, value_of: _evaluate(node.total, value_of),
    ex.Product: _product,
    ex.Dot: _dot,
    ex.Quotient: lambda node, value_of: _FINE.divide(
        _evaluate(node.dividend, value_of), _evaluate(node.divisor, value_of)
    ),
    ex.Negative: lambda node, value_of: -_evaluate(node.operand, value_of),
    ex.Power: _power,
    ex.Root: lambda node, value_of: _FINE.sqrt(_evaluate(node.operand, value_of)),
    ex.Apply: _apply,
}
