"""How numbers are rounded on the way, many at once, and how far that may take them."""

from __future__ import annotations

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.rounding import Array

_NOISE = 1e-9
"""What floats may be off by, in units of the last place, with 1e-13 of the number itself: a half
that they hold a hair too small goes away from zero all the same."""
_MORE = 2
"""Decimals beyond the stated ones to which rounding is followed; more changes no more than half a
unit of the last of these."""


def rounded(values: Array, places: int) -> Array:
    """Numbers to so many decimals, half away from zero."""
    with np.errstate(invalid="ignore"):
        units = np.abs(values) * 10.0**places
        whole = np.floor(units + 0.5 + _NOISE + units * 1e-13)
    return np.where(np.isfinite(values), np.copysign(whole, values) / 10.0**places + 0.0, values)


def on_the_way(made: Enclosure, places: int, fewer: int = 0) -> Enclosure:
    """What holds numbers in full, and rounded to so many decimals or to more."""
    steps = range(places, places + _MORE + fewer + 1)
    low = np.minimum.reduce(
        [made.low - _beyond(made.low, steps[-1])] + [rounded(made.low, p) for p in steps]
    )
    high = np.maximum.reduce(
        [made.high + _beyond(made.high, steps[-1])] + [rounded(made.high, p) for p in steps]
    )
    return Enclosure(low, high)


def shifts(made: Enclosure, places: int, fewer: int = 0) -> Enclosure:
    """How far such rounding may move numbers, from below 0 to above."""
    zero = np.zeros_like(made.low)
    moved = Enclosure(zero, zero)
    for place in range(places, places + _MORE + fewer + 1):
        moved = moved.with_(_shift(made, place))
    return moved


def _shift(made: Enclosure, places: int) -> Enclosure:
    """How far rounding to so many decimals moves numbers: by what is known where all of them round
    to the same, by half a unit where they don't."""
    low, high = (rounded(end, places) for end in made)
    half = 0.5 * 10.0**-places
    with np.errstate(invalid="ignore"):
        down, up = low - made.high, low - made.low
    alike = low == high
    down, up = np.where(alike, down, -half), np.where(alike, up, half)
    known = np.isfinite(made.low) & np.isfinite(made.high)
    return Enclosure(np.where(known, down, 0.0), np.where(known, up, 0.0))


def _beyond(values: Array, places: int) -> Array:
    """What rounding to still more decimals may change: nothing of numbers that have no more."""
    with np.errstate(invalid="ignore"):
        apart = np.abs(values - rounded(values, places))
    ends = (apart <= 1e-13 * np.abs(values)) | ~np.isfinite(values)
    return np.where(ends, 0.0, 0.5 * 10.0**-places)
