"""Numbers that are all by one factor too large: of a table, of a row, or that dropout has left."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from attncli.judging.honest_paths import taken
from attncli.judging.verdicts import Cause
from attncli.maths.equations.enclosures import Enclosure
from attncli.maths.numbers.rounding import Array, Flags

_BY_CHANCE = 0.003
"""How likely it may be that numbers share a factor by chance: the product of the shares that each
leaves open, all but the narrowest."""
_MOST_DIGITS = 6


class Scaled(NamedTuple):
    """A reason why numbers are too large or too small by a factor, and the range that is right
    then."""

    cause: Cause
    factor: float
    held: Enclosure


def scaled_tables(
    made: Enclosure, numbers: Array, open_: Flags, half: float, *, is_divided: bool
) -> Iterator[Scaled]:
    """Yields what is right if all numbers of a table, or of a row, are off by one factor, or if
    dropout was left on. At least two numbers must be `open_`; `half` is half a unit of the last
    place."""
    if (factor := factor_of(made, numbers, open_, half)) is not None:
        says = f"Each number is {times_in_words(factor)} what it should be."
        yield Scaled(Cause("other_factor", says), factor, _times(made, factor, half))
    dropped = (numbers == 0) & ((made.low > half) | (made.high < -half))
    if dropped.any():
        kept = np.where(dropped, np.nan, numbers)
        factor = factor_of(made, kept, open_, half)
        if factor is not None and factor > 1:
            held = _times(made, factor, half).where(~dropped, Enclosure.of(np.zeros_like(numbers)))
            says = _DROPPED.format(times_in_words(factor))
            yield Scaled(Cause("dropout_on", says), factor, held)
    for i in range(len(numbers)) if len(numbers) > 1 else ():
        row = slice(i, i + 1)
        own = Enclosure(*(end[row] for end in made))
        factor = factor_of(own, numbers[row], open_[row], half)
        if factor is not None:
            only = (np.arange(len(numbers)) == i)[:, np.newaxis]
            held = _times(made, factor, half).where(only, _times(made, 1.0, half))
            says = _OF_ROW.format(times_in_words(factor)) + (_DIVIDED if is_divided else ".")
            yield Scaled(Cause("other_factor_of_row", says), factor, held)


def times_in_words(factor: float) -> str:
    return f"{factor:.{_MOST_DIGITS}g} times".replace("-", "\N{MINUS SIGN}")


_DROPPED = "Some numbers are 0, and the others {} what they should be: dropout was left on."
_OF_ROW = "Each number of this row is {} what it should be"
_DIVIDED = ": it was divided by another number."


@np.errstate(all="ignore")
def factor_of(made: Enclosure, numbers: Array, open_: Flags, half: float) -> float | None:
    """Finds the simplest factor between what is made and the numbers. Returns None where there is
    none, where it may be 1, or where so few open numbers might share one by chance."""
    known = np.isfinite(numbers) & np.isfinite(made.low) & np.isfinite(made.high)
    tells = known & ((made.low > half) | (made.high < -half)) & (numbers != 0)
    x, low, high = numbers[tells], made.low[tells], made.high[tells]
    each = np.array([(x + off) / end for off in (-half, half) for end in (low, high)])
    if np.count_nonzero(tells & open_) < 2:  # noqa: PLR2004
        return None
    least, most = each.min(axis=0), each.max(axis=0)
    shares = np.sort((most - least) / np.abs(most + least) * 2)
    low, high = float(least.max()), float(most.min())
    if low > high or low <= 1 <= high or shares[1:].prod() > _BY_CHANCE:
        return None
    factor = _simplest(low, high)
    return factor if taken(_times(made, factor, half), numbers)[known].all() else None


def _simplest(low: float, high: float) -> float:
    """Returns the simplest number between two others: the fraction with the smallest denominator,
    or else the number with the fewest digits."""
    for below in range(1, _MOST_BELOW + 1):
        for above in (math.ceil(low * below), math.floor(high * below)):
            if above and low <= above / below <= high:
                return above / below
    middle = (low + high) / 2
    shorter = (float(f"{middle:.{digits}g}") for digits in range(1, _MOST_DIGITS + 1))
    return next((number for number in shorter if low <= number <= high), middle)


_MOST_BELOW = 12


def _times(made: Enclosure, factor: float, half: float) -> Enclosure:
    """Returns the range of numbers times a factor, half a unit wide on each side."""
    ends = made.low * factor, made.high * factor
    return Enclosure(np.minimum(*ends) - half, np.maximum(*ends) + half)
