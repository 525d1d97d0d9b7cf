"""Slips of the pen: what a right number becomes when it is written down wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from attncli.marking.verdicts import Accepted, Cause

_SIGN = Cause("sign", "The sign is the other one.")
_POINT = Cause("decimal_point", "The decimal point was moved.")
_DIGITS = Cause("digits_transposed", "Two digits next to each other were exchanged.")
OF_THE_PEN = tuple(one.name for one in (_SIGN, _DIGITS, _POINT))
"""Causes by which a right number was written down wrongly."""
_MOST_SHIFTED = 3


def slips_of_the_pen(right: Accepted, number: Decimal) -> Iterator[Cause]:
    """What was written wrongly, where that makes a right number of another one."""
    if not number.is_finite():
        return
    if number and right.takes(-number):
        yield _SIGN
    if any(right.takes(one) for one in _transposed(number)):
        yield _DIGITS
    if number and any(right.takes(number.scaleb(k)) for k in _SHIFTS):
        yield _POINT


_SHIFTS = tuple(k for k in range(-_MOST_SHIFTED, _MOST_SHIFTED + 1) if k)


def _transposed(number: Decimal) -> Iterator[Decimal]:
    """The numbers with two digits next to each other exchanged."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    padded = (0,) * max(0, 1 - exponent - len(digits)) + digits
    for k in range(len(padded) - 1):
        if padded[k] != padded[k + 1]:
            swapped = (*padded[:k], padded[k + 1], padded[k], *padded[k + 2 :])
            yield Decimal((sign, swapped, exponent))
