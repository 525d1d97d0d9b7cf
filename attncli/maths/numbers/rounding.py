"""The rounding policies, and rounding whole arrays so that no half is ever decided by luck.

Float64 sums are a hair off the decimal ones: 0.285 may be held as 0.28499…, and a person
would round it to 0.29. Here every rounding is that of the true decimal value. Where the
result is known to have few decimals it is recovered exactly; where it could have any, the
rare cells within the error of a half are settled from their own working.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from attncli.maths.numbers import decimals as decimal_numbers
from attncli.names import Name
from attncli.option_values import Policy

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = "NDArray[np.float64]"
AnyArray: TypeAlias = "NDArray[Any]"
Flags: TypeAlias = "NDArray[np.bool_]"
IndexArray: TypeAlias = "NDArray[np.int_]"

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


class Settle(Protocol):
    """A source of true values, rounded half away from zero, where floats can't decide."""

    def units(self, doubtful: Doubtful) -> Array:
        """Returns the true values of the doubtful cells in whole units of the last place. ->
        [cells]"""


class Cells(NamedTuple):
    """Cells of a matrix [n, m], row after row."""

    rows: NDArray[np.intp]
    """The row of each cell, from 0. [cells]"""
    columns: NDArray[np.intp]
    """The column of each cell, from 0. [cells]"""

    @property
    def size(self) -> int:
        """Counts the cells."""
        return self.rows.size

    def some(self, chosen: slice) -> Cells:
        """Picks some of the cells, by their places in the list."""
        return Cells(self.rows[chosen], self.columns[chosen])


class Doubtful(NamedTuple):
    """Cells whose rounding floats can't decide."""

    cells: Cells
    near: Array
    """Whole units of the last place, near the true values. [cells]"""
    off: float
    """How far the true values may be from `near`, in these units."""
    decimals: int
    """The decimals that are rounded to."""


class Unworkable(ArithmeticError):  # noqa: N818  (a condition of the numbers, not a fault)
    """A step that can't be worked with these numbers; `row` is the row in which it fails, from 0,
    `column` the column where that is known."""

    def __init__(self, row: int, what: str, instead: str, column: int | None = None) -> None:
        super().__init__(what)
        self.row, self.what, self.instead, self.column = row, what, instead, column


class TooSmall(Unworkable):
    """A number that rounding turned into 0, which more decimals may mend; `instead` says what helps
    if they don't."""


def no_logarithm(row: int, whose: str) -> TooSmall:
    """Makes the error for a row in which the logarithm of a number that was rounded to 0 is
    wanted."""
    what = f"{whose} is worked as 0, which has no logarithm"
    return TooSmall(row, what, "a target with a larger probability")


class TooLarge(Unworkable):
    """A result that is too large to work with."""


class TooLong(TooLarge):
    """A result that is too large for the decimals that it should have."""


@dataclass(frozen=True)
class Rounding:
    """The way in which a scenario rounds: half goes away from zero."""

    policy: Policy = "carry"
    """`carry` rounds every quantity and goes on with the rounded number; `exact` goes on with full
    precision and rounds on the page only."""
    decimals: int = 3
    """The decimals of every step that has none of its own."""
    steps: Mapping[str, int] = field(default_factory=dict)
    """The decimals of steps that have their own, by their names."""
    quantities: Mapping[str, int] = field(default_factory=dict)
    """The decimals of quantities that have their own, by their names."""
    makers: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """The steps of a scenario's own that make quantities, by the full names of these, where such a
    step has decimals of its own."""
    most_settled: float = field(default=math.inf, repr=False, compare=False)
    """The most numbers that a quantity's doubtful cells may be worked from, cell by cell, in
    full."""

    @property
    def carries(self) -> bool:
        """Tells whether each rounded number is the one used next."""
        return self.policy == "carry"

    def under(self, policy: Policy) -> Rounding:
        """Returns the same rounding under another policy."""
        return replace(self, policy=policy)

    def of_quantity(self, step: str, name: Name) -> Rounding:
        """Returns the rounding of one quantity of a step, with the decimals that `decimals_of`
        finds."""
        decimals = self.decimals_of(step, name)
        return Rounding(self.policy, decimals, most_settled=self.most_settled)

    def decimals_of(self, step: str, name: Name) -> int:
        """Finds the decimals of one quantity of a step.

        Looks up its full name, then its last part with its time (`a[2]`), then without (`a`), and
        otherwise takes the decimals of the step.
        """
        step = self.makers.get(name, step) if self.makers else step
        if not self.quantities:
            return self.of(step)
        entries = (self.quantities.get(text) for text in (name, name.alone, name.local))
        return next((places for places in entries if places is not None), self.of(step))

    def is_own(self, step: str, name: Name) -> bool:
        """Tells whether a quantity of a step has decimals of its own, or its step has."""
        other = replace(self, decimals=self.decimals + 1)
        return other.decimals_of(step, name) == self.decimals_of(step, name)

    def of(self, step: str) -> int:
        """Returns the decimals of a step's quantities."""
        return self.steps.get(step, self.decimals)


class Error(NamedTuple):
    """A bound on the distance of computed values from the true ones: absolute + relative · |v|."""

    absolute: Array | float
    """The absolute part, for all cells alike or for each."""
    relative: float = 0.0
    """The relative part, for all cells alike."""

    def off(self, sizes: Array) -> Array:
        """Computes the bound for values of these sizes. -> as `sizes`"""
        return np.asarray(self.absolute + self.relative * sizes)


class Range(NamedTuple):
    """The least and the greatest value that something may have."""

    low: float
    high: float

    @property
    def size(self) -> float:
        """Returns the largest absolute value in the range."""
        return max(self.high, -self.low)


def range_of(values: Array) -> Range:
    """Finds the least and the greatest of the values; −∞, which is masked, doesn't count. Both are
    nan where a value is nan."""
    low, high = float(values.min()), float(values.max())
    if low == -math.inf:
        low = float(values.min(where=np.isfinite(values), initial=0.0))
        high = max(high, low)
    return Range(low, high)


def largest(values: Array) -> float:
    """Finds the largest absolute value; −∞ doesn't count."""
    return range_of(values).size


def check_finite(values: Array) -> None:
    """Raises TooLarge for a result that has left the range of float64."""
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argwhere(~finite)[0][0])
        raise TooLarge(row, "a result is too large to work with", "smaller numbers")


def carry(values: Array, error: Error, places: int | None, decimals: int, settle: Settle) -> None:
    """Rounds `values` [n, m] in place to `decimals`, half away from zero, as their true values
    round.

    `error` bounds how far one may be off; `places` is the number of decimals that hold the true
    values (None: no number does); `settle` gives those that floats can't. −∞ stays.
    Raises Unworkable for numbers too long to carry.
    """
    size, grid = largest(values), 10.0**decimals
    if not size < _WHOLE / grid:
        _refuse_too_long(values, decimals)
    if not cleanse(values, error, places, decimals):
        values *= grid
        sizes = _sizes(values)
        off = np.broadcast_to(
            Error(error.absolute * grid, error.relative + _SCALING).off(sizes), values.shape
        )
        near = np.rint(values)
        with np.errstate(invalid="ignore"):  # −∞ has no half to be near to
            is_sure = np.abs(values - near) < 0.5 - off  # which no bound that is nan makes so
        rows, columns = np.nonzero(~is_sure & np.isfinite(values))
        if rows.size:
            cells = Cells(rows, columns)
            doubtful = Doubtful(cells, near[cells], float(off[cells].max()) + 0.5, decimals)
            near[cells] = settle.units(doubtful)
        np.divide(near + 0.0, grid, out=values)  # no minus zero
    if size * grid >= _LONGEST - 1 and largest(values) * grid > _LONGEST - 0.5:
        _refuse_too_long(values, decimals)  # only so near to it can rounding add a digit


def cleanse(values: Array, error: Error, places: int | None, decimals: int) -> bool:
    """Rounds `values` in place to `decimals` decimals where the true values are known to have
    `places`, and each is near just one such number: 0.1 + 0.2 − 0.3 is 0.

    Returns True then; and False, with the values unchanged, where floats are not exact enough for
    it.
    """
    if places is None or places > FINEST:
        return False
    sizes, grid = _sizes(values), 10.0**places
    if not (sizes.max() * grid < _WHOLE and error.off(sizes).max() * grid < _SURE):
        return False
    values *= grid
    np.rint(values, out=values)
    if places > decimals:
        values /= 10.0 ** (places - decimals)
        values += np.copysign(0.5, values)
        np.trunc(values, out=values)
    values /= 10.0 ** min(places, decimals)
    values += 0.0  # no minus zero
    return True


def _sizes(values: Array) -> Array:
    """Returns the absolute values, 0 for what is masked."""
    sizes = np.abs(values)
    sizes[np.isinf(sizes)] = 0.0
    return sizes


def _refuse_too_long(values: Array, decimals: int) -> None:
    row, column = np.unravel_index(_sizes(values).argmax(), values.shape)
    digits = decimal_numbers.SIGNIFICANT
    raise TooLong(
        int(row),
        f"{values[row, column]:.3g} with {decimals} decimals has more than {digits} digits",
        "fewer decimals, smaller numbers, or the policy exact",
    )
