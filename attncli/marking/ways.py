"""Other ways of rounding, by which a right working gives other numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.expression import Location
from attncli.arithmetic.rounding import Array
from attncli.marking.paths import Paths
from attncli.marking.rounds import rounded
from attncli.marking.tolerance import taken
from attncli.marking.verdicts import Cause, Given

_TRUNCATED = Cause("truncated", "The digits behind were cut off instead of rounded.")
_HALF_EVEN = Cause("half_even", "A half was rounded to the even digit instead of away from zero.")
_EARLY = Cause("rounded_early", "It was rounded a digit too early on the way.")
_NEAR = 1e-9
"""Units of the last place by which floats may miss a whole number, or a half."""
_FAR = 30
"""Times what honest paths differ by: a number further off wasn't just rounded too early."""


def rounding_ways(
    paths: Paths, name: str, given: Mapping[Location, Given]
) -> Iterator[tuple[Cause, Enclosure]]:
    """What the right working of a quantity gives in other ways of rounding its numbers."""
    made, places = paths.made(name), paths.decimals(name)
    yield from ((cause, _otherwise(paths, name, cause)) for cause in THROUGHOUT)
    for fewer in sorted(_fewer(given, places)):
        says = f"It has {fewer} decimal{'' if fewer == 1 else 's'} instead of {places}."
        ends = Enclosure(*(rounded(end, fewer) for end in made))
        yield Cause("other_decimals", says), _of_those(ends, given, fewer)


def agreeing(paths: Paths, cause: Cause, values: Mapping[str, Array]) -> int:
    """How many numbers of a paper are what one of these ways gives."""
    held = ((_otherwise(paths, name, cause), numbers) for name, numbers in values.items())
    return sum(int(np.count_nonzero(taken(*one))) for one in held)


def _otherwise(paths: Paths, name: str, cause: Cause) -> Enclosure:
    return Enclosure(*(THROUGHOUT[cause](end, paths.decimals(name)) for end in paths.made(name)))


def rounded_early(paths: Paths, name: str) -> tuple[Cause, Enclosure]:
    """What the right working of a quantity gives where one rounds to a decimal fewer on the way."""
    return _EARLY, paths.from_here(fewer=1, roughly=True).written(name)


def are_near(right: Enclosure, numbers: Array) -> bool:
    """Whether one of some numbers is so near to the right ones that rounding may explain it."""
    with np.errstate(invalid="ignore"):
        far = _FAR * (right.high - right.low)
        return bool(((right.low - far <= numbers) & (numbers <= right.high + far)).any())


def _fewer(given: Mapping[Location, Given], places: int) -> set[int]:
    """How many decimals are given where these are fewer than stated."""
    each = {one.places for one in given.values() if one.number is not None}
    return {one for one in each if one is not None and one < places}


def _of_those(ends: Enclosure, given: Mapping[Location, Given], places: int) -> Enclosure:
    """Numbers where so many decimals are given, nan elsewhere."""
    others = np.ones(ends.low.shape, dtype=np.bool_)
    for (_, i, j), one in given.items():
        others[i, j] = one.places != places
    return Enclosure(*(np.where(others, np.nan, end) for end in ends))


@np.errstate(invalid="ignore")
def _cut(values: Array, places: int) -> Array:
    units = np.abs(values) * 10.0**places
    return np.asarray(np.copysign(np.floor(units + _NEAR), values) / 10.0**places)


@np.errstate(invalid="ignore")
def _even(values: Array, places: int) -> Array:
    units = np.abs(values) * 10.0**places
    low = np.floor(units)
    is_half = np.abs(units - low - 0.5) <= _NEAR * np.maximum(1.0, units)
    whole = np.where(is_half, low + low % 2, np.round(units))
    return np.asarray(np.copysign(whole, values) / 10.0**places)


THROUGHOUT: Mapping[Cause, Callable[[Array, int], Array]] = MappingProxyType(
    {_HALF_EVEN: _even, _TRUNCATED: _cut}
)
"""Ways that whoever has one rounds all numbers in. The first says more: only halves differ."""
