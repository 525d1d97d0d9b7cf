"""Arrays of fractions of whole numbers: Python's, or the machine's modulo 2^64."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attncli.arithmetic.equations.axes import turning
from attncli.arithmetic.whole import Whole, whole

_LARGE = 10**300
"""Whole numbers below this are in the range of floats."""


class Wholes(NamedTuple):
    """Whole numbers with an axis for each of some indices, none larger than `size`; where that is
    too large for the machine, they may be modulo 2^64."""

    indices: str
    array: Whole
    size: float

    def along(self, wanted: str) -> Whole:
        """The array with its axes in this order, those that it hasn't as axes of one."""
        return self.array if wanted == self.indices else turning(self.indices, wanted)(self.array)


class Ratio(NamedTuple):
    """Whole numbers over others, above 0, in units of the last of some decimals."""

    over: Wholes
    under: Wholes
    places: int = 0


ONES: Mapping[type, Wholes] = MappingProxyType(
    {kind: Wholes("", whole(1, kind), 1.0) for kind in (np.int64, object)}
)
"""1, of each kind of whole numbers."""


@lru_cache(maxsize=256)
def number(value: int, kind: type) -> Wholes:
    """A number of a kind, which may hold only its last bits; most come back often."""
    size = float(abs(value)) if abs(value) < _LARGE else math.inf
    return ONES[kind] if value == 1 else Wholes("", whole(value, kind), size)


def times_ten(x: Wholes, power: int) -> Wholes:
    """Numbers times a power of ten; the numbers, where that isn't whole."""
    if power <= 0:
        return x
    return times(x, number(10**power, object if x.array.dtype == object else np.int64))


def multiplied(x: Ratio, y: Ratio) -> Ratio:
    """The product of fractions."""
    return Ratio(times(x.over, y.over), times(x.under, y.under), x.places + y.places)


def added(x: Ratio, y: Ratio) -> Ratio:
    """The sum of fractions."""
    over, other = times(x.over, y.under), times(y.over, x.under)
    over, other = times_ten(over, y.places - x.places), times_ten(other, x.places - y.places)
    total = _combined(np.add, over, other, over.size + other.size)
    return Ratio(total, times(x.under, y.under), max(x.places, y.places))


def times(x: Wholes, y: Wholes) -> Wholes:
    """The products of whole numbers."""
    for one, other in ((x, y), (y, x)):
        if any(one is unit for unit in ONES.values()):
            return other
    return _combined(np.multiply, x, y, x.size * y.size)


def _combined(function: Callable[..., Whole], x: Wholes, y: Wholes, size: float) -> Wholes:
    indices = "".join(sorted({*x.indices, *y.indices}))
    return Wholes(indices, np.asarray(function(x.along(indices), y.along(indices))), size)
