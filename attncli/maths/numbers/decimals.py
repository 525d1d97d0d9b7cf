"""Numbers as people write them: reading, rounding half away from zero, and writing out.

This is the one home of rounding a single number; `rounding` does the same to whole arrays.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_UP, Context, Decimal
from functools import cache

LARGEST = Decimal("1e300")
"""Numbers beyond this, or nearer to zero than one over it, don't fit the arithmetic."""

SIGNIFICANT = 15
"""Decimal digits that a float64 always keeps; no more than these are ever shown of a result."""

_TINIEST = -7
"""The power of ten of the smallest numbers that are written out."""

_HALF = 0.5
NEAR = 1e-4
"""Units of the last place; what is nearer to a half is looked at closely."""
NOISE = 2.0**-32
"""How far a float may be off in its own size: it has 52 bits, of which 20 may be lost where terms
cancel each other (`operation.settle_cancelled`)."""

MINUS = "-\u2212\u2010\u2011\u2012\u2013\u2014\ufe63\uff0d"
"""Whatever people, and what they type with, take for a minus; the first is what Python reads."""
_SIGN = f"[+{MINUS[1:]}-]"
NUMBER = rf"{_SIGN}?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]{_SIGN}?([0-9]+))?"
"""What writes a number; in a group the digits of its exponent."""
_SIGNS = str.maketrans(dict.fromkeys(MINUS[1:], MINUS[0]))
_NOT_FINITE = ("nan", "inf", "infinity")
_LONGEST_EXPONENT = 6
_FEW = 5
_LONGEST = 100
_MOST_PLACES = 310
_PLACES_OF_ZERO = 12
_WIDE = Context(prec=4000, rounding=ROUND_HALF_UP, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""Wide enough for every sum and product of numbers to come out in full, whatever context the
caller's thread is in."""
_CERTAIN = Context(prec=50, Emax=MAX_EMAX, Emin=MIN_EMIN)


class UnreadableError(ValueError):
    """A text that can't be read: what is wrong with it, and what would be right."""

    def __init__(self, wrong: str, right: str) -> None:
        self.wrong, self.right = wrong, right
        super().__init__(f"{wrong}; {right}")


def parse(text: str) -> Decimal:
    """Reads a number, with exactly the decimals that `text` writes.

    Raises UnreadableError for anything else, and for numbers outside 1e-300 to 1e300.
    """
    text = with_plain_signs(text)
    if is_not_finite(text):
        raise UnreadableError("is not a finite number", "give a number such as 0.5 or -2")
    shape = re.fullmatch(NUMBER, text)
    if shape is None:
        raise UnreadableError("is not a number", "give a number such as 0.5 or -2")
    if len((shape.group(1) or "").lstrip("0")) > _LONGEST_EXPONENT:
        raise UnreadableError(_OUTSIDE, _INSIDE)
    if len(text) > _LONGEST:
        wrong = f"is {len(text):,} characters long"
        raise UnreadableError(wrong, f"give a number of at most {_LONGEST} characters")
    number = Decimal(text)
    if places(number) > _MOST_PLACES or (number and not 1 / LARGEST <= abs(number) <= LARGEST):
        raise UnreadableError(_OUTSIDE, _INSIDE)
    return unsigned_zero(number)


_OUTSIDE = "is outside the numbers that can be worked with (1e-300 to 1e300)"
_INSIDE = "give 0, or a number whose size is from 1e-300 to 1e300"


def with_plain_signs(text: str) -> str:
    """Replaces every minus sign that people type with the one that Python reads."""
    return text if text.isascii() else text.translate(_SIGNS)


def is_not_finite(text: str) -> bool:
    """Tells whether a text writes NaN or an infinity, as YAML or Python spells them."""
    return text.lstrip(f"+{MINUS}").removeprefix(".").casefold() in _NOT_FINITE


def places(number: Decimal) -> int:
    """Counts the decimals that `number` is written with: 2 for 1.50, 0 for 12, for 1e3 and for
    −∞."""
    for count, entry in enumerate(_UNITS):  # the most of them, and the quickest way
        if number.same_quantum(entry):
            return count
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def fits(number: Decimal, count: int) -> bool:
    """Tells whether a number is written with at most `count` decimals."""
    return number.same_quantum(unit(count)) or places(number) <= count


@cache
def unit(places: int) -> Decimal:
    """Returns one unit of the last of so many decimals: 0.001 for 3."""
    return Decimal((0, (1,), -places))


_UNITS = tuple(map(unit, range(_FEW)))


def round_to(number: Decimal, decimals: int) -> Decimal:
    """Rounds `number` to `decimals` decimals, half away from zero; zero never keeps a sign. Leaves
    −∞ as it is."""
    if number.is_infinite():
        return number
    return unsigned_zero(number.quantize(unit(decimals), ROUND_HALF_UP, _WIDE))


def units(number: Decimal, decimals: int) -> float:
    """Rounds `number` to so many decimals, and counts the whole units of the last of them: 1235 for
    1.2346 to three."""
    return float(_WIDE.scaleb(round_to(number, decimals), decimals))


def round_like(number: Decimal, other: Decimal) -> Decimal:
    """Rounds `number` to as many decimals as `other` has, half away from zero."""
    if number.is_infinite() or other.is_infinite():
        return number
    return unsigned_zero(number.quantize(other, ROUND_HALF_UP, _WIDE))


def certain(number: Decimal) -> Decimal:
    """Rounds a value to 50 digits: the last of its 60 stand for what was left out on the way."""
    return _CERTAIN.plus(number)


def counted(count: int, places: int) -> Decimal:
    """Returns `count` units of the last of `places` decimals: 1.235 for 1235 and 3."""
    return _WIDE.scaleb(Decimal(count), -places)


def product(a: Decimal, b: Decimal) -> Decimal:
    """Multiplies a by b, in full."""
    return unsigned_zero(_WIDE.multiply(a, b))


def total(terms: Iterable[Decimal]) -> Decimal:
    """Adds the terms up, in full."""
    result = Decimal(0)
    for term in terms:
        result = _WIDE.add(result, term)
    return unsigned_zero(result)


def added(a: Decimal, b: Decimal) -> Decimal:
    """Adds b to a, in full."""
    return unsigned_zero(_WIDE.add(a, b))


def difference(a: Decimal, b: Decimal) -> Decimal:
    """Subtracts b from a, in full."""
    return unsigned_zero(_WIDE.subtract(a, b))


def negated(number: Decimal) -> Decimal:
    """Returns −number; 0 stays without a sign."""
    return unsigned_zero(number.copy_negate())


def unsigned_zero(number: Decimal) -> Decimal:
    """Returns the number itself; a zero without its sign, and with at most 12 decimals."""
    if number:
        return number
    return Decimal((0, (0,), -min(places(number), _PLACES_OF_ZERO)))


def shown(value: float | Decimal, decimals: int) -> Decimal:
    """Rounds a result as a page shows it: `decimals` decimals, of at most 15 significant digits.

    A value that isn't zero is never shown as zero: it gets the decimals that its first digit needs.
    """
    number = value if isinstance(value, Decimal) else of_float(value)
    if not number:
        return round_to(number, decimals)
    if number.is_infinite():
        return number
    kept = min(decimals, SIGNIFICANT - 1 - number.adjusted())
    if kept < 0:
        return of_float(float(number))
    rounded = round_to(number, kept)
    if rounded:
        return rounded
    first = round_to(number, -number.adjusted())
    return round_to(first, -first.adjusted())  # 9.6e-5 is 1e-4


def is_doubtful(value: float, decimals: int) -> bool:
    """Tells whether the noise of a float may decide how it is shown: whether it lies next to a half
    of the last decimal, or next to zero."""
    if value == 0 or not math.isfinite(value):
        return False
    units = abs(value) * 10.0**decimals
    if units >= 10.0**SIGNIFICANT:
        return False
    off = abs(units - math.floor(units) - 0.5)
    return units < _HALF or off <= max(NEAR, units * NOISE)


def of_float(value: float) -> Decimal:
    """Converts a float to a decimal number of 15 digits, which a float always keeps."""
    return Decimal(f"{value:.{SIGNIFICANT}g}")


def has_exponent(number: Decimal) -> bool:
    """Tells whether a number is too small or too large to be written without an exponent: 3e-30."""
    if _TINIEST <= number.adjusted() < SIGNIFICANT:  # as of most numbers, and of infinite ones
        return False
    return bool(number) and number.is_finite()


def text(number: Decimal) -> str:
    """Writes `number` in digits, with an ASCII minus: 0.001, 12, -0.50, and 3e-30 for the tiniest.
    A masked score is `-∞`."""
    plain = str(number)
    if len(plain) < SIGNIFICANT and "E" not in plain and "I" not in plain:
        return plain
    if number.is_infinite():
        return "-∞" if number < 0 else "∞"
    if has_exponent(number):
        return format(number, "e").replace("e+", "e")
    return format(number, "f")
