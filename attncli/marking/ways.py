"""Other ways of rounding, by which a right working gives other numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.expression import (
    Apply,
    Expression,
    Location,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Total,
    constant,
)
from attncli.arithmetic.operations.activations import DivideBy
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.softmax import Exponential
from attncli.arithmetic.rounding import Array
from attncli.marking.paths import Flags, Paths, taken
from attncli.marking.rounds import rounded
from attncli.marking.verdicts import Cause, Given
from attncli.steps.mistakes import swapped

_TRUNCATED = Cause("truncated", "The digits behind were cut off instead of rounded.")
_HALF_EVEN = Cause("half_even", "A half was rounded to the even digit instead of away from zero.")
_EARLY = Cause("rounded_early", "It was rounded a digit too early on the way.")
_OF_A_TABLE = Cause("three_digits", "e^x was taken from a table of three digits.")
_ROOT = Cause("root_rounded", "The root was rounded to two decimals or fewer, √2 to 1.41.")
_TERMS = Cause("products_rounded", "Each product was rounded before they were added up.")
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
        cause = Cause("other_decimals", f"{_has(fewer, places)}.")
        yield cause, _with_fewer(made, places, given, fewer)


def agreeing(paths: Paths, cause: Cause, values: Mapping[str, Array]) -> int:
    """How many numbers of a paper are what one of these ways gives."""
    held = ((_otherwise(paths, name, cause), numbers) for name, numbers in values.items())
    return sum(int(np.count_nonzero(taken(*one))) for one in held)


def _otherwise(paths: Paths, name: str, cause: Cause) -> Enclosure:
    return Enclosure(*(THROUGHOUT[cause](end, paths.decimals(name)) for end in paths.made(name)))


def coarsely(own: Paths, name: str) -> Iterator[tuple[Cause, Enclosure]]:
    """What an author's own numbers give where something inside a line is rounded that isn't to be:
    powers that a table gives, roots, the terms of a sum."""
    definition, places = own.definition(name), own.decimals(name)
    operation = None if definition is None else definition.operation
    match operation:
        case Exponential():
            yield _OF_A_TABLE, Enclosure(*(_to_digits(end, 3) for end in own.made(name)))
        case DivideBy(tree=Quotient(divisor=Root(Number() as square))):
            root = float(square.full) ** 0.5
            for digits in (2, 1):
                share = root / float(rounded(np.array(root), digits))
                ends = (rounded(end * share, places) for end in own.made(name))
                yield _ROOT, Enclosure(*ends)
        case Indexed() if definition is not None:
            terms = swapped(definition, lambda node: _of_rounded(node, places))
            if terms is not None:
                yield _TERMS, own.from_here(instead={name: terms}, roughly=True).written(name)


def _of_rounded(node: Expression, places: int) -> Expression | None:
    """A sum of products, each of which is rounded."""
    match node:
        case Total(over, Product() | Power() as term):
            return Total(over, Apply("rounded", (term, constant(places))))
    return None


@np.errstate(all="ignore")
def _to_digits(values: Array, digits: int) -> Array:
    """Numbers to so many significant digits, half away from zero."""
    size = np.floor(np.log10(np.where(values > 0, values, 1.0)))
    scale = 10.0 ** (digits - 1 - size)
    return np.asarray(np.floor(values * scale + 0.5 + _NEAR) / scale)


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


def _has(fewer: int, places: int) -> str:
    return f"It has {fewer} decimal{'' if fewer == 1 else 's'} instead of {places}"


def too_few_decimals(paths: Paths, cell: Location, given: Given) -> Iterator[Cause]:
    """Why a number is wrong that is the right one, but for so few decimals that they don't tell it
    from 0, or from others of its table."""
    made, places = paths.made(cell.quantity), paths.decimals(cell.quantity)
    if given.number is None or given.places is None or given.places >= places:
        return
    low, high = (float(rounded(end, given.places)[cell.row, cell.column]) for end in made)
    if low <= float(given.number) <= high:
        says = f"{_has(given.places, places)}, which is too few to tell it from other numbers."
        yield Cause("too_few_decimals", says)


def _with_fewer(
    made: Enclosure, places: int, given: Mapping[Location, Given], fewer: int
) -> Enclosure:
    """Numbers rounded to fewer decimals, where so many are given and these still tell them: from 0,
    and from all others of their table; nan elsewhere."""
    is_so = np.zeros(made.low.shape, dtype=np.bool_)
    for (_, i, j), one in given.items():
        is_so[i, j] = one.places == fewer
    is_so &= _told_by(made.middle, places, fewer)
    return Enclosure(*(np.where(is_so, rounded(end, fewer), np.nan) for end in made))


def _told_by(values: Array, places: int, fewer: int) -> Flags:
    """Which numbers are still told from 0, and from others of their table, by fewer decimals."""
    full, short = rounded(values, places), rounded(values, fewer)
    pairs = np.unique(np.stack([short.ravel(), full.ravel()]), axis=1)
    once = {short for short, count in Counter(pairs[0].tolist()).items() if count == 1}
    return np.asarray(np.isin(short, [*once]) & ((short != 0) | (full == 0)))


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
