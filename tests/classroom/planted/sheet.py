"""What an author writes down and goes on with, number by number, and slips of the pen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
PLACES = 3
UNIT = 10.0**-PLACES


def rounded(values: Array, places: int = PLACES) -> Array:
    """Half away from zero."""
    scaled = np.abs(values) * 10.0**places
    with np.errstate(invalid="ignore"):
        whole = np.copysign(np.floor(scaled + 0.5 + 1e-9), values) / 10.0**places
    return np.where(np.isfinite(values), whole + 0.0, values)


def truncated(values: Array) -> Array:
    with np.errstate(invalid="ignore"):
        cut = np.copysign(np.floor(np.abs(values) / UNIT + 1e-9), values) * UNIT
    return np.where(np.isfinite(values), cut + 0.0, values)


def evened(values: Array) -> Array:
    """Halves to the even digit."""
    with np.errstate(invalid="ignore"):
        made = np.rint(np.round(values / UNIT, 6)) * UNIT
    return np.where(np.isfinite(values), made + 0.0, values)


def coarse(values: Array) -> Array:
    """To two decimals."""
    return rounded(values, PLACES - 1)


WAYS: Mapping[str, Callable[[Array], Array]] = {"truncated": truncated, "half_even": evened}
"""Wrong ways to round all that is written down and gone on with."""
_ROUNDED: Mapping[str, Callable[[Array], Array]] = {**WAYS, "coarse": coarse}


class Slip(NamedTuple):
    """A number that is written down wrongly, or worked with a term that is wrong."""

    kind: str
    name: str
    row: int
    column: int
    of: Callable[[Array, Array], float] | None = None
    """What the cell of a product becomes, of the row and the column that it is made of."""
    change: Callable[[Array, Array], Array] | None = None
    """What a whole table becomes as it is written down, of its numbers in full and as rounded."""


class Sheet:
    """One author's quantities: in full as the author has them, and as they are written down.

    With a generator each number, each time that it is used, is taken in full, rounded, or rounded
    to a decimal or two more; without one all is kept in full.
    """

    def __init__(
        self,
        rng: np.random.Generator | None = None,
        slip: Slip | None = None,
        way: str = "",
    ) -> None:
        self.rng, self.slip, self.way = rng, slip, way
        self.full: dict[str, Array] = {}
        self.written: dict[str, Array] = {}
        self.products: dict[str, tuple[Array, Array]] = {}

    def write(self, name: str, values: Any) -> None:
        full = np.array(values, dtype=np.float64)
        written = self.rounded(full)
        slip = self.slip
        if slip is not None and slip.name == name and slip.change is not None:
            changed = slip.change(full, written)
            full = np.where(changed != written, changed, full)
            written = changed
        self.full[name], self.written[name] = full, written

    def rounded(self, values: Array) -> Array:
        return _ROUNDED.get(self.way, rounded)(values)

    def read(self, name: str) -> Array:
        values = self.full[name]
        if self.way:
            return self.written[name]
        if self.rng is None:
            return values
        ways = [values, *(rounded(values, PLACES + more) for more in range(3))]
        return np.choose(self.rng.integers(0, len(ways), values.shape), ways)

    def copy(self, name: str, values: Array) -> None:
        """Puts numbers elsewhere, as they are."""
        self.full[name] = values
        self.written[name] = self.rounded(values)

    def product(self, name: str, a: Array, b: Array, bias: Array | float = 0.0) -> None:
        """a b + bias"""
        made = a @ b + bias
        self.products[name] = a, b
        slip = self.slip
        if slip is not None and slip.name == name and slip.of is not None:
            i, j = slip.row, slip.column
            made[i, j] += slip.of(a[i], b[:, j]) - a[i] @ b[:, j]
        self.write(name, made)
