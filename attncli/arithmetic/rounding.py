"""The rounding policies, and rounding whole arrays so that no half is ever decided by luck.

Float64 sums are a hair off the decimal ones: 0.285 may be held as 0.28499…, and a person
would round it to 0.29. Here every rounding is that of the true decimal value. Where the
result is known to have few decimals it is recovered exactly; where it could have any, the
rare cells within the error of a half are settled from their own working.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Protocol, TypeAlias

import numpy as np

from attncli.arithmetic import decimals as decimal_numbers
from attncli.arithmetic.extremes import CACHED, extremes, extremes_of_few, least_and_greatest
from attncli.choices import Policy
from attncli.name import Name

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"
Long: TypeAlias = "NDArray[np.longdouble]"
"""The longest floats that the machine has."""

MOST_DECIMALS = 12

_WHOLE = 2.0**50
"""Whole numbers below this are exact in float64, and so are their halves."""
_LONGEST = 10.0**decimal_numbers.SIGNIFICANT
"""Units of the last place that have more digits than are carried; _WHOLE is a little larger."""
_SURE = 0.25
"""An error below this, in units of the last place, can't hide which whole number is meant."""
FINEST = 22
"""10 to the power of more than this is not exact in float64."""
_SCALING = 2.0**-51
"""More than a number is relatively off by, once it is multiplied by a power of ten."""
_BLOCK = 2**14
"""Numbers that are rounded at a time, so that what is needed meanwhile stays small."""


class Settle(Protocol):
    """Gives true values, rounded half away from zero, where floats can't decide."""

    def units(self, doubtful: Doubtful) -> Array:
        """Those of some cells in whole units of the last place."""


class Cells(NamedTuple):
    """Cells of a matrix [n, m]: the row and the column of each, from 0, row after row."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]

    @property
    def size(self) -> int:
        return self.rows.size

    def some(self, chosen: NDArray[Any]) -> Cells:
        """Some of them, by their places in the list or by whether each is one."""
        return Cells(self.rows[chosen], self.columns[chosen])


class Doubtful(NamedTuple):
    """Cells that floats can't round to so many decimals: `near` are whole numbers of units of the
    last place, from which the true values are off by `off` at most."""

    cells: Cells
    near: Array
    off: float
    decimals: int


class Unworkable(ArithmeticError):  # noqa: N818  (a condition of the numbers, not a fault)
    """A step that these numbers don't let through; `row` is the row it fails in, from 0."""

    def __init__(self, row: int, what: str, instead: str) -> None:
        super().__init__(what)
        self.row, self.what, self.instead = row, what, instead


class TooSmall(Unworkable):
    """A number that is worked as 0, which less rounding may mend; `instead` is what would do if
    that doesn't."""


def no_logarithm(row: int, whose: str) -> TooSmall:
    """What is to be said of a row where a number that is to have a logarithm is worked as 0."""
    what = f"{whose} is worked as 0, which has no logarithm"
    return TooSmall(row, what, "a target with a larger probability")


class TooLarge(Unworkable):
    """A result that is too large to work with, because of something that it was made of."""


class TooLong(TooLarge):
    """A result that is too large for the decimals that it is to have."""


@dataclass(frozen=True)
class Rounding:
    """How a scenario rounds.

    `carry` rounds every quantity and goes on with the rounded number; `exact` goes on with
    full precision and rounds on the page only. Half goes away from zero in both.
    """

    policy: Policy = "carry"
    decimals: int = 3
    steps: Mapping[str, int] = field(default_factory=dict)
    quantities: Mapping[str, int] = field(default_factory=dict)
    most_settled: float = field(default=math.inf, repr=False, compare=False)
    """Numbers of one quantity that are worked each by itself, where floats can't round them."""

    @property
    def carries(self) -> bool:
        return self.policy == "carry"

    def under(self, policy: Policy) -> Rounding:
        """The same under a policy."""
        return replace(self, policy=policy)

    def of_quantity(self, step: str, name: Name) -> Rounding:
        """The rounding of one quantity of a step: what is said of its full name, of the last
        part of it, with its time or without (`a[2]`, `a`), or else of the step."""
        decimals = self.decimals_of(step, name)
        return Rounding(self.policy, decimals, most_settled=self.most_settled)

    def decimals_of(self, step: str, name: Name) -> int:
        """The decimals of one quantity of a step."""
        if not self.quantities:
            return self.of(step)
        said = (self.quantities.get(one) for one in (name, name.alone, name.local))
        return next((places for places in said if places is not None), self.of(step))

    def of(self, step: str) -> int:
        """The decimals of one step's quantities."""
        return self.steps.get(step, self.decimals)


class Error(NamedTuple):
    """A bound on how far computed values are from the true ones: absolute + relative · |v|."""

    absolute: float
    relative: float = 0.0

    def at(self, size: float) -> float:
        """The bound for a value of a size."""
        return self.absolute + self.relative * size


class Range(NamedTuple):
    """The least and the greatest number that something may be."""

    low: float
    high: float

    @property
    def size(self) -> float:
        """The largest size."""
        return max(self.high, -self.low)

    @property
    def least(self) -> float:
        """The smallest size."""
        return 0.0 if self.low <= 0 <= self.high else min(abs(self.low), abs(self.high))


class Spread(NamedTuple):
    """Between which numbers values lie, and a size that none of them is below; 0 where none is
    known, and there may be a 0."""

    range: Range
    least: float


def range_of(values: Array) -> Range:
    """The range of numbers, but for −∞, which is masked; nan where one is nan."""
    low, high = least_and_greatest(values)
    if low == -math.inf:
        low = float(values.min(where=np.isfinite(values), initial=0.0))
        high = max(high, low)
    return Range(low, high)


def largest(values: Array) -> float:
    """The largest size of a value."""
    return range_of(values).size


def finite_range(values: Array) -> Range:
    """The range of a result. Raises Unworkable where it has left that of float64."""
    low, high = least_and_greatest(values)
    if not (math.isfinite(low) and math.isfinite(high)):
        _refuse_not_finite(values)
    return Range(low, high)


def _refuse_not_finite(values: Array) -> NoReturn:
    row = int(np.argwhere(~np.isfinite(values))[0][0])
    raise TooLarge(row, "a result is too large to work with", "smaller numbers")


def spread_of(values: Array) -> Spread:
    """The spread of a result. Raises Unworkable where it has left the range of float64."""
    if values.size <= CACHED:  # as most have
        low, high, least = extremes_of_few(values)
    else:
        low, high, least = extremes(values)
    if not (math.isfinite(low) and math.isfinite(high)):
        _refuse_not_finite(values)
    return Spread(Range(low, high), least)


def carry(
    values: Array, size: float, error: Error, places: int | None, decimals: int, settle: Settle
) -> None:
    """Rounds `values` [n, m] in place to `decimals`, half away from zero, as their true values
    round.

    `size` is the largest of a value; `error` bounds how far one may be off; `places` is the number
    of decimals that hold the true values (None: no number does); `settle` gives those that floats
    can't. −∞ stays.
    Raises Unworkable for numbers too long to carry.
    """
    if not size < _WHOLE / 10.0**decimals:
        _refuse_too_long(values, decimals)
    on_grid = lie_on_grid(size, error, places)
    relative = error.relative and error.relative + _SCALING
    off = Error(error.absolute + (0.0 if relative else size * _SCALING), relative)
    for start, block in _blocks(values):
        if on_grid and places is not None:
            _round_grid(block, places, decimals)
        else:
            _round_settling(block, off, decimals, settle, start)
    if size * 10.0**decimals >= _LONGEST - 1 and largest(values) * 10.0**decimals > _LONGEST - 0.5:
        _refuse_too_long(values, decimals)  # only so near to it can rounding add a digit


def cleanse(values: Array, error: Error, places: int) -> bool:
    """Takes the noise of binary floats off `values` in place, where the true values are known
    to have `places` decimals: 0.1 + 0.2 − 0.3 is 0. Whether it could."""
    on_grid = lie_on_grid(largest(values), error, places)
    for _, block in _blocks(values) if on_grid else ():
        _round_grid(block, places, places)
    return on_grid


def _blocks(values: Array) -> Iterator[tuple[int, Array]]:
    """Some rows at a time, and the first of them."""
    count = max(1, _BLOCK // max(1, values.shape[1]))
    for start in range(0, len(values), count):
        yield start, values[start : start + count]


def lie_on_grid(size: float, error: Error, places: int | None) -> bool:
    """Whether values up to `size` tell which whole number of the last place each one is."""
    if places is None or places > FINEST:
        return False
    grid = 10.0**places
    return size * grid < _WHOLE and error.at(size) * grid < _SURE


def _refuse_too_long(values: Array, decimals: int) -> None:
    sizes = np.where(np.isneginf(values), 0.0, np.abs(values))
    row, column = np.unravel_index(sizes.argmax(), values.shape)
    digits = decimal_numbers.SIGNIFICANT
    raise TooLong(
        int(row),
        f"{values[row, column]:.3g} with {decimals} decimals has more than {digits} digits",
        "fewer decimals, smaller numbers, or the policy exact",
    )


def _round_grid(block: Array, places: int, decimals: int) -> None:
    """Rounds values that are whole numbers of the last of `places` decimals."""
    block *= 10.0**places
    np.rint(block, out=block)
    if places > decimals:
        block /= 10.0 ** (places - decimals)
        block += np.copysign(0.5, block)
        np.trunc(block, out=block)
    block /= 10.0 ** min(places, decimals)
    block += 0.0  # no minus zero


def _round_settling(block: Array, error: Error, decimals: int, settle: Settle, start: int) -> None:
    """Rounds values of any decimals, rows from `start` on; `settle` decides what is near a half."""
    grid = 10.0**decimals
    block *= grid
    off = np.abs(block) * error.relative if error.relative else np.float64(0.0)
    off += error.absolute * grid
    near = np.rint(block)
    with np.errstate(invalid="ignore"):  # −∞ has no half to be near to
        block -= near
    at = (np.abs(block, out=block) >= 0.5 - off).ravel().nonzero()[0]
    if at.size:
        rows, columns = np.divmod(at, block.shape[1])
        doubtful = Cells(rows + start, columns), near.take(at), float(off.max()) + 0.5, decimals
        near.put(at, settle.units(Doubtful(*doubtful)))
    np.divide(near + 0.0, grid, out=block)  # no minus zero
