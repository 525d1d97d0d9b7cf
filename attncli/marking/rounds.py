"""How numbers are rounded on the way, many at once, and how far that may take them."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

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
def _scales(places: int, fewer: int, axes: int) -> Array:
    """The parts of 1 that are rounded to on the way, from the stated ones on, for two ends of so
    many axes. -> [p, 1, 1, 1]"""
    followed = range(places, places + _MORE + fewer + 1)
    return np.array([10.0**place for place in followed]).reshape(-1, *[1] * (axes + 1))


@np.errstate(invalid="ignore")
def on_the_way(made: Enclosure, places: int, fewer: int = 0) -> Enclosure:
    """What holds numbers in full, and rounded to so many decimals or to more."""
    ends, scales = np.array(made), _scales(places, fewer, made.low.ndim)
    each = _rounded(ends, scales)
    beyond = _beyond(ends, each[-1], 0.5 / scales[-1].item())
    low = np.minimum(ends[0] - beyond[0], each[:, 0].min(axis=0))
    high = np.maximum(ends[1] + beyond[1], each[:, 1].max(axis=0))
    return Enclosure(low, high)


def _beyond(values: Array, rounded_: Array, half: float) -> Array:
    """What rounding to still more decimals may change: nothing of numbers that have no more."""
    ends = np.abs(values - rounded_) <= 1e-13 * np.abs(values)
    return np.where(ends | ~np.isfinite(values), 0.0, half)


class Halfway(NamedTuple):
    """What lies halfway between numbers in full and rounded: `share` of the number itself, with
    what is `shared` by all of its uses; and how far `apart` from there each use may be."""

    share: Array
    shared: Enclosure
    apart: Enclosure


@np.errstate(invalid="ignore")
def halfway(made: Enclosure, places: int, fewer: int = 0) -> Halfway:
    """Halfway between numbers and what they are rounded to, which is known, or one of two, of those
    that are held so narrowly.

    Rounding to more decimals leads to between the two, or a twentieth of a unit beyond the number
    itself, where that is nearly half a unit from what it is rounded to at most.
    """
    scale = _scales(places, fewer, made.low.ndim)[0]
    low, high = each = _rounded(np.array(made), scale)
    half = 0.5 / scale[0]
    known = np.isfinite(made.low) & np.isfinite(made.high)
    is_near = (high - low < 3 * half) & known
    far = np.where(low == high, np.abs(np.array(made) - each).max(axis=0), half)
    off = np.minimum(far / 2 + 0.1 * half, 0.55 * half)
    down, up = _shifts(made, places, fewer)
    sure = (low == high) & known
    less = np.where(sure, np.maximum(-off, down - (low - made.low) / 2), -off)
    more = np.where(sure, np.minimum(off, up - (low - made.high) / 2), off)
    shared = (
        np.where(is_near, end / 2, side)
        for end, side in zip(each, (-half / 2, half / 2), strict=True)
    )
    return Halfway(
        np.where(is_near, 0.5, 1.0),
        Enclosure(*(np.where(known, one, 0.0) for one in shared)),
        Enclosure(*(np.where(known, one, 0.0) for one in (less, more))),
    )


@np.errstate(invalid="ignore")
def _shifts(made: Enclosure, places: int, fewer: int = 0) -> Enclosure:
    """How far such rounding may move numbers, from below 0 to above: by what is known where all of
    them round to the same, by half a unit where they don't."""
    scales = _scales(places, fewer, made.low.ndim)
    low, high = _rounded(np.array(made), scales).swapaxes(0, 1)
    half, alike = 0.5 / scales[:, 0], low == high
    down = np.where(alike, low - made.high, -half).min(axis=0)
    up = np.where(alike, low - made.low, half).max(axis=0)
    return Enclosure(np.minimum(down, 0.0), np.maximum(up, 0.0))
