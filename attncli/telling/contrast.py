"""Numbers that a sentence sets against each other, with the decimals that tell them apart."""

from __future__ import annotations

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Number


def contrasted(one: Number, other: Number) -> tuple[Number, Number] | None:
    """Two numbers as they are shown, or where these are alike with as many more decimals as it
    takes; None where no digit tells them apart."""
    if one.shown != other.shown:
        return one, other
    first = decimals.places(one.shown) + 1
    for places in range(first, first + decimals.SIGNIFICANT):
        a, b = (decimals.shown(float(number.full), places) for number in (one, other))
        if a != b:
            return Number.written(a), Number.written(b)
    return None
