"""What is accepted: the numbers that some paths lead to, and what is let pass around them."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.expression import Location
from attncli.arithmetic.rounding import Array
from attncli.marking.paths import Paths
from attncli.marking.verdicts import NOISE, Accepted

if TYPE_CHECKING:
    from numpy.typing import NDArray

Flags: TypeAlias = "NDArray[np.bool_]"


class Tolerance(NamedTuple):
    """What is let pass beside what follows by itself: so many units of the last place, an absolute
    and a relative difference, and numbers that are given with so many significant digits."""

    units: Decimal = Decimal(0)
    absolute: Decimal = Decimal(0)
    relative: Decimal = Decimal(0)
    digits: int | None = None

    @np.errstate(invalid="ignore")
    def around(self, written: Enclosure, places: int) -> Enclosure:
        """What is accepted for numbers that round to these: half a unit of the last place around
        them, and what is let pass besides; −∞ is only itself."""
        more = (0.5 + float(self.units)) * 10.0**-places + float(self.absolute)
        share, (low, high) = float(self.relative), written
        finite = np.isfinite(low) & np.isfinite(high)
        less, much = (np.maximum(more, self._rounded_off(np.abs(end))) for end in written)
        return Enclosure(
            np.where(finite, low - less - share * np.abs(low), low),
            np.where(finite, high + much + share * np.abs(high), high),
        )

    def _rounded_off(self, sizes: Array) -> Array:
        """The most that numbers of some sizes change when only so many digits of them are given."""
        if self.digits is None:
            return np.zeros_like(sizes)
        known = np.where(np.isfinite(sizes) & (sizes > 0), sizes, 1.0)
        last = np.floor(np.log10(known)) - (self.digits - 1)
        return np.asarray(np.where(sizes > 0, 0.5 * 10.0**last, 0.0))


def ranges(paths: Paths, name: str, tolerance: Tolerance) -> Enclosure:
    """What is right for each cell of a quantity on some paths."""
    return tolerance.around(paths.written(name), paths.decimals(name))


def accepted(paths: Paths, cell: Location, tolerance: Tolerance) -> Accepted:
    """What is right for a cell on some paths."""
    return at_cell(ranges(paths, cell.quantity, tolerance), cell)


def at_cell(held: Enclosure, cell: Location) -> Accepted:
    """What is right for one of the cells."""
    return Accepted(*(float(end[cell.row, cell.column]) for end in held))


@np.errstate(invalid="ignore")
def taken(held: Enclosure, numbers: Array) -> Flags:
    """Which numbers are among those that are right; nan is not."""
    noise = np.where(np.isfinite(numbers), NOISE * np.maximum(1.0, np.abs(numbers)), 0.0)
    return np.asarray((held.low - noise <= numbers) & (numbers <= held.high + noise))
