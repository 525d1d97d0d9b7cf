"""Other ways of rounding, by which a right working gives another number."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Location
from attncli.marking.paths import Paths
from attncli.marking.verdicts import Cause, Given

_TRUNCATED = Cause("truncated", "The digits behind were cut off instead of rounded.")
_HALF_EVEN = Cause("half_even", "A half was rounded to the even digit instead of away from zero.")
_EARLY = Cause("rounded_early", "It was rounded a digit too early on the way.")


def rounding_ways(paths: Paths, cell: Location, given: Given) -> Iterator[Cause]:
    """The ways of rounding that give a number from the right working."""
    name, i, j = cell
    low, high = (float(end[i, j]) for end in paths.made(name))
    number = given.number
    if number is None or not number.is_finite() or not math.isfinite(low + high):
        return
    places = paths.decimals(name)
    ends = [Decimal(repr(low)), Decimal(repr(high))]
    if _between(number, [_cut(end, places) for end in ends]):
        yield _TRUNCATED
    if _between(number, [_even(end, places) for end in ends]):
        yield _HALF_EVEN
    yield from _other_decimals(given, ends, places)
    early = paths.from_here(fewer=1)
    if _between(number, [Decimal(repr(float(end[i, j]))) for end in early.written(name)]):
        yield _EARLY


def _other_decimals(given: Given, ends: list[Decimal], places: int) -> Iterator[Cause]:
    if given.number is None or given.places is None or given.places >= places:
        return
    if _between(given.number, [decimals.round_to(end, given.places) for end in ends]):
        says = f"It has {given.places} decimals instead of {places}."
        yield Cause("other_decimals", says)


def _between(number: Decimal, ends: list[Decimal]) -> bool:
    return min(ends) <= number <= max(ends)


def _cut(number: Decimal, places: int) -> Decimal:
    return number.quantize(decimals.unit(places), rounding=ROUND_DOWN)


def _even(number: Decimal, places: int) -> Decimal:
    return number.quantize(decimals.unit(places), rounding=ROUND_HALF_EVEN)
