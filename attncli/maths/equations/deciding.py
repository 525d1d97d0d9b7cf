"""The value of an expression, and what it rounds to: the one place where a digit is decided.

Sums and products of decimals come out in full. Of what a division, a root, a power of e or another
function leaves digits out, both ends are kept between which it lies, so that a digit is known or
known to be open. While it is open all is worked again with twice as many digits, up to 480. What
still holds a half then *counts as a half*, and what still holds 0 as 0: 1.4 / 7.2 × 1.8 is 0.35,
and √2 / √8 is 0.5, which no number of digits shows. Fractions of short numbers that aren't a half
are farther from it than 10^−480.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_CEILING,
    ROUND_FLOOR,
    Context,
    Decimal,
    DivisionByZero,
    Inexact,
    InvalidOperation,
    localcontext,
)
from functools import cache, lru_cache, partial, reduce
from operator import attrgetter
from typing import NamedTuple

from attncli.maths.equations import tree as ex
from attncli.maths.numbers import decimals

FEW, ENOUGH, MOST = 30, 60, 480
"""Digits that nearly always decide how a number rounds; those that give 50 certain ones; and those
past which nothing is looked for."""
_CERTAIN = Decimal("1e-50")
"""The share of itself by which a value in full may be off."""
_EXACT_DIGITS = 4000
_ONE, _TWO = Decimal(1), Decimal(2)
_LN_10 = 2.302585093
_LARGEST_POWER = 1000
"""The largest whole exponent for which a power is worked as a product."""


class Between(NamedTuple):
    """The ends between which a number lies."""

    low: Decimal
    high: Decimal


Value = Decimal | Between
"""A number that is known in full, or lies between two."""
_EMPTY_SUM: Value = Decimal(0)
_EMPTY_PRODUCT: Value = Decimal(1)
ValueOf = Callable[[ex.Number], Value]
_FULL: ValueOf = attrgetter("full")
_SHOWN: ValueOf = attrgetter("shown")


def full(expression: ex.Expression) -> Decimal:
    """Computes the value from the numbers in full, to fifty digits or more.

    Raises TypeError for what has no single value.
    """
    return _number(expression, _FULL)


def shown(expression: ex.Expression) -> Decimal:
    """Computes the value from the digits shown."""
    return _number(expression, _SHOWN)


def rounded(expression: ex.Expression, places: int) -> Decimal:
    """Computes the value from the numbers in full, rounded to `places` decimals, half away from
    zero.

    Raises TypeError for what has no single value.
    """
    return _rounded(expression, _FULL, decimals.unit(places))


def exactly(expression: ex.Expression) -> Decimal | None:
    """Computes the value from the digits shown; returns None where it doesn't come out in full."""
    try:
        value = _evaluator(FEW, _SHOWN).of(expression)
    except ArithmeticError:
        return None
    return decimals.unsigned_zero(value) if isinstance(value, Decimal) else None


def rounded_as_shown(expression: ex.Expression, places: int) -> Decimal:
    """Computes the value from the digits shown, rounded to `places` decimals."""
    return _rounded(expression, _SHOWN, decimals.unit(places))


def relation(left: ex.Expression, right: ex.Expression) -> str:
    """Returns `=` where `left`, computed from the digits shown, rounds to `right`, and `≈`
    otherwise."""
    target = right.shown if isinstance(right, ex.Number) else shown(right)
    try:
        return "=" if _rounded(left, _SHOWN, target) == target else "≈"
    except (DivisionByZero, InvalidOperation):  # a divisor that is shown as 0
        return "≈"


class _UndecidedError(ArithmeticError):
    """Too few digits to tell whether a number is 0, or above it."""


def _values(expression: ex.Expression, value_of: ValueOf, digits: int) -> Iterable[Value]:
    """Yields the value with more and more digits, until it is known in full; with the most digits,
    what still holds 0 counts as 0."""
    while digits <= MOST:
        try:
            value = _evaluator(digits, value_of).of(expression)
        except _UndecidedError:
            digits *= 2
            continue
        yield value
        if isinstance(value, Decimal):
            return
        digits *= 2


def _number(expression: ex.Expression, value_of: ValueOf) -> Decimal:
    for value in _values(expression, value_of, ENOUGH):
        low, high = _ends(value)
        if low == high:
            return decimals.unsigned_zero(low)
        middle = _evaluator(ENOUGH, value_of).near.divide(decimals.added(low, high), _TWO)
        if decimals.difference(high, low) <= middle.copy_abs() * _CERTAIN:
            return middle
    return Decimal(0) if low <= 0 <= high else middle


def _rounded(expression: ex.Expression, value_of: ValueOf, like: Decimal) -> Decimal:
    """Rounds the value to as many decimals as `like` has, half away from zero."""
    for value in _values(expression, value_of, FEW):
        if isinstance(value, Decimal):  # as most are
            return decimals.round_like(value, like)
        low, high = (decimals.round_like(end, like) for end in value)
        if low == high:
            return low
    return max(low, high, key=Decimal.copy_abs)


def _ends(value: Value) -> tuple[Decimal, Decimal]:
    return (value, value) if isinstance(value, Decimal) else value


def _negated(value: Value) -> Value:
    if isinstance(value, Decimal):
        return value.copy_negate()
    return Between(value.high.copy_negate(), value.low.copy_negate())


def _picked(pick: Callable[[Iterable[Decimal]], Decimal], values: Iterable[Value]) -> Value:
    """Picks the largest or the smallest of some values."""
    low, high = map(pick, zip(*map(_ends, values), strict=True))
    return low if low == high else Between(low, high)


@cache
def _evaluator(digits: int, value_of: ValueOf = _FULL) -> _Evaluator:
    return _Evaluator(digits, value_of)


class _Evaluator(ex.Fold[Value]):
    """An evaluator of expressions to so many digits, where they can't be held in full."""

    gives = "value of its own"

    def __init__(self, digits: int, value_of: ValueOf) -> None:
        self.digits, self.of_number = digits, value_of
        self.is_last = digits * 2 > MOST
        # no trap for overflow: 1 / (1 + e^huge) is 0
        traps = [InvalidOperation, DivisionByZero]
        context = partial(Context, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=traps)
        self.exact, self.near = context(_EXACT_DIGITS), context(digits)
        self.down, self.up = context(digits, ROUND_FLOOR), context(digits, ROUND_CEILING)

    def of_symbol(self, node: ex.Symbol) -> Value:
        if node == ex.E:
            return self.power_of_e(_ONE)
        if node == ex.PI:
            return self.around(pi(self.digits))
        raise TypeError(f"{node.name} is a name, not a number")

    def of_sum(self, node: ex.Sum) -> Value:
        return reduce(self.add, map(self.of, node.terms), _EMPTY_SUM)

    def of_product(self, node: ex.Product) -> Value:
        return reduce(self.times, map(self.of, node.factors), _EMPTY_PRODUCT)

    def of_quotient(self, node: ex.Quotient) -> Value:
        return self.divide(self.of(node.dividend), self.of(node.divisor))

    def of_negative(self, node: ex.Negative) -> Value:
        return _negated(self.of(node.operand))

    def of_omitted(self, node: ex.Omitted) -> Value:
        if node.total is None:
            raise TypeError("terms that are left out have no value of their own")
        return self.of(node.total)

    def of_dot(self, node: ex.Dot) -> Value:
        if not isinstance(node.left, ex.Vector) or not isinstance(node.right, ex.Vector):
            raise TypeError("a dot product takes two vectors of numbers")
        pairs = zip(node.left.entries, node.right.entries, strict=True)
        terms = [self.times(self.of(a), self.of(b)) for a, b in pairs]
        return reduce(self.add, terms, _EMPTY_SUM)

    def of_power(self, node: ex.Power) -> Value:
        exponent = self.of(node.exponent)
        if node.base == ex.E:
            return self.rising(self.power_of_e, exponent)
        base = self.of(node.base)
        if (
            isinstance(exponent, Decimal)
            and abs(exponent) <= _LARGEST_POWER
            and exponent == int(exponent)
        ):
            power = reduce(self.times, [base] * abs(int(exponent)), _EMPTY_PRODUCT)
            return power if exponent >= 0 else self.divide(_ONE, power)
        return self.rising(self.power_of_e, self.times(exponent, self.rising(self.ln, base)))

    def of_root(self, node: ex.Root) -> Value:
        square = self.of(node.operand)
        if isinstance(square, Between) and square.low < 0 <= square.high:
            square = Between(Decimal(0), square.high)
        return self.rising(lambda x: self.noted(self.near.sqrt, x), square)

    def of_apply(self, node: ex.Apply) -> Value:
        function = _FUNCTIONS.get(node.function)
        if function is None:
            raise TypeError(f"{node.function} is not a function that can be evaluated")
        return function(self, *[self.of(argument) for argument in node.arguments])

    def noted(self, function: Callable[..., Decimal], *numbers: Decimal) -> Value:
        """Applies a function that rounds by `near`: returns its result if that is exact, and
        otherwise the ends around it."""
        self.near.clear_flags()
        result = function(*numbers)
        return self.around(result) if self.near.flags[Inexact] else result

    def around(self, number: Decimal) -> Between:
        """Encloses a number that may be off by a unit of its last digit."""
        return Between(number.next_minus(self.near), number.next_plus(self.near))

    def add(self, a: Value, b: Value) -> Value:
        if isinstance(a, Decimal) and isinstance(b, Decimal):
            return self.exact.add(a, b)
        return self.between(Context.add, a, b)

    def times(self, a: Value, b: Value) -> Value:
        if isinstance(a, Decimal) and isinstance(b, Decimal):
            return self.exact.multiply(a, b)
        return self.between(Context.multiply, a, b)

    def divide(self, a: Value, b: Value) -> Value:
        if isinstance(a, Decimal) and isinstance(b, Decimal):
            return self.noted(self.near.divide, a, b)
        low, high = _ends(b)
        if low <= 0 <= high:
            self.refuse_open()
            raise DivisionByZero
        return self.between(Context.divide, a, b)

    def between(self, function: Callable[..., Decimal], a: Value, b: Value) -> Between:
        """Encloses the results of a function of two values, by those of their ends."""
        pairs = [(x, y) for x in _ends(a) for y in _ends(b)]
        low = min([function(self.down, *pair) for pair in pairs])
        return Between(low, max([function(self.up, *pair) for pair in pairs]))

    def refuse_open(self) -> None:
        """Raises _UndecidedError where more digits may tell a number from 0."""
        if not self.is_last:
            raise _UndecidedError

    def rising(self, function: Callable[[Decimal], Value], x: Value) -> Value:
        """Applies a function that never falls, to a number or to both ends."""
        if isinstance(x, Decimal):
            return function(x)
        low, _ = _ends(function(x.low))
        _, high = _ends(function(x.high))
        return Between(low, high)

    def power_of_e(self, x: Decimal) -> Value:
        return _power_of_e(self.digits, x)

    def ln(self, x: Decimal) -> Value:
        if x <= 0:
            self.refuse_open()
        return self.noted(self.near.ln, x)

    def step(self, x: Value) -> Value:
        low, high = _ends(x)
        if low <= 0 < high:
            self.refuse_open()
        return Decimal(int(low > 0))

    def tanh(self, x: Decimal) -> Value:
        """Computes (1 − e^−2x) / (1 + e^−2x)."""
        if not x:
            return Decimal(0)
        power = self.power_of_e(self.exact.multiply(-_TWO, x.copy_abs()))
        size = self.divide(self.add(_ONE, _negated(power)), self.add(_ONE, power))
        return size if x > 0 else _negated(size)

    def erf(self, x: Decimal) -> Value:
        """Computes the Maclaurin series 2/√π Σ (−1)^n x^(2n+1) / (n! (2n+1)).

        The terms grow to e^(x²) before they fall, so that many more digits are carried. For large
        x, 1 − |erf x| is below e^(−x²), less than a unit of the last digit.
        """
        if not x:
            return Decimal(0)
        if float(x) ** 2 > _LN_10 * (self.digits + 1):
            ends = Between(_ONE.next_minus(self.near), _ONE)
            return ends if x > 0 else _negated(ends)
        with localcontext(self.near) as context:
            context.prec = 2 * self.digits + int(x * x)
            term = total = +x
            square, least, n = -x * x, Decimal(1).scaleb(x.adjusted() - context.prec), 0
            while abs(term) > least:
                n += 1
                term *= square / n
                total += term / (2 * n + 1)
            total = 2 * total / pi(context.prec).sqrt()
        return self.around(self.near.plus(total))

    def wave(self, first: Callable[[Decimal], tuple[int, Decimal]], x: Value) -> Value:
        """Computes the series x − x³/3! + x⁵/5! − … or 1 − x²/2! + x⁴/4! − …, of what is left of x
        without its whole turns.

        `first` gives the power and the value of the first term. The slope is at most 1, so that the
        result is off by no more than x.
        """
        low, high = _ends(x)
        with localcontext(self.near) as context:
            context.prec = 2 * self.digits + max(0, low.adjusted())  # no digit goes with the turns
            angle = low.remainder_near(2 * pi(context.prec))
            n, term = first(angle)
            total = Decimal(0)
            while abs(term) > Decimal(1).scaleb(min(0, angle.adjusted()) - context.prec):
                total += term
                term *= -angle * angle / ((n + 1) * (n + 2))
                n += 2
        if low == high == 0:
            return total
        made, off = self.around(self.near.plus(total)), self.up.subtract(high, low)
        return Between(self.down.subtract(made.low, off), self.up.add(made.high, off))


@lru_cache(maxsize=1024)
def _power_of_e(digits: int, x: Decimal) -> Value:
    """Computes e^x, cached: the forms of one exercise raise e to the same few numbers."""
    evaluator = _evaluator(digits)
    return evaluator.noted(evaluator.near.exp, x)


@cache
def pi(digits: int) -> Decimal:
    """Computes π to `digits` digits by Machin's formula, 16 arctan 1/5 − 4 arctan 1/239."""

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


_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "max": lambda _, *numbers: _picked(max, numbers),
    "min": lambda _, *numbers: _picked(min, numbers),
    "abs": lambda _, x: _picked(max, (x, _negated(x))),
    "tanh": lambda evaluator, x: evaluator.rising(evaluator.tanh, x),
    "erf": lambda evaluator, x: evaluator.rising(evaluator.erf, x),
    "ln": lambda evaluator, x: evaluator.rising(evaluator.ln, x),
    "sin": lambda evaluator, x: evaluator.wave(lambda angle: (1, angle), x),
    "cos": lambda evaluator, x: evaluator.wave(lambda _: (0, _ONE), x),
    "step": _Evaluator.step,
    "finite": lambda _, x: Decimal(int(_ends(x)[0].is_finite())),
}
