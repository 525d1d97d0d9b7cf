"""How numbers are rounded on the way, many at once, and how far that may take them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.rounding import Array

_NOISE = 1e-9
"""What floats may be off by, in units of the last place, with 1e-13 of the number itself: a half
that they hold a hair too small goes away from zero all the same."""
_MORE = 2
"""Decimals beyond the stated ones to which rounding is followed; more changes no more than half a
unit of the last of these."""


@np.errstate(invalid="ignore")
def rounded(values: Array, places: int) -> Array:
    """Numbers to so many decimals, half away from zero."""
    return _rounded(values, np.array(10.0**places))


def _rounded(values: Array, scale: Array) -> Array:
    """Numbers to so many parts of 1, half away from zero; infinite ones stay."""
    units = np.abs(values) * scale
    whole = np.floor(units + 0.5 + _NOISE + units * 1e-13)
    made = np.copysign(whole, values) / scale + 0.0
    finite = np.isfinite(values)
    return made if finite.all() else np.where(finite, made, values)


@lru_cache(maxsize=64)
def _scales(places: int, fewer: int) -> Array:
    """The parts of 1 that are rounded to on the way, from the stated ones on. -> [p, 1, 1, 1]"""
    followed = range(places, places + _MORE + fewer + 1)
    return np.array([10.0**place for place in followed]).reshape(-1, 1, 1, 1)


@np.errstate(invalid="ignore")
def on_the_way(made: Enclosure, places: int, fewer: int = 0) -> Enclosure:
    """What holds numbers in full, and rounded to so many decimals or to more."""
    ends, scales = np.array(made), _scales(places, fewer)
    each = _rounded(ends, scales)
    beyond = _beyond(ends, each[-1], 0.5 / scales[-1, 0, 0, 0])
    low = np.minimum(ends[0] - beyond[0], each[:, 0].min(axis=0))
    high = np.maximum(ends[1] + beyond[1], each[:, 1].max(axis=0))
    return Enclosure(low, high)


def _beyond(values: Array, rounded_: Array, half: float) -> Array:
    """What rounding to still more decimals may change: nothing of numbers that have no more."""
    ends = np.abs(values - rounded_) <= 1e-13 * np.abs(values)
    return np.where(ends | ~np.isfinite(values), 0.0, half)


@np.errstate(invalid="ignore")
def shifts(made: Enclosure, places: int, fewer: int = 0) -> Enclosure:
    """How far such rounding may move numbers, from below 0 to above: by what is known where all of
    them round to the same, by half a unit where they don't."""
    scales = _scales(places, fewer)
    low, high = _rounded(np.array(made), scales).swapaxes(0, 1)
    half, alike = 0.5 / scales[:, 0], low == high
    down = np.where(alike, low - made.high, -half).min(axis=0)
    up = np.where(alike, low - made.low, half).max(axis=0)
    known = np.isfinite(made.low) & np.isfinite(made.high)
    return Enclosure(
        np.where(known, np.minimum(down, 0.0), 0.0), np.where(known, np.maximum(up, 0.0), 0.0)
    )
