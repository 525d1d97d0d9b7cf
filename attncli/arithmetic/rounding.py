"""The rounding policies, and rounding whole arrays so that no half is ever decided by luck.

Float64 sums are a hair off the decimal ones: 0.285 may be held as 0.28499…, and a person
would round it to 0.29. Here every rounding is that of the true decimal value. Where the
result is known to have few decimals it is recovered exactly; where it could have any, the
rare cells within the error of a half are settled from their own working.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attncli.arithmetic import decimals as decimal_figures

Array = NDArray[np.float64]
Settle = Callable[[int, int], Decimal]

POLICIES = ("carry", "exact")
MOST_DECIMALS = 12

_WHOLE = 2.0**50
"""Whole numbers below this are exact in float64, and so are their halves."""


class Unworkable(ArithmeticError):  # noqa: N818  (a condition of the numbers, not a fault)
    """A step that these numbers don't let through; `row` is the row it fails in, from 0."""

    def __init__(self, row: int, what: str, instead: str) -> None:
        super().__init__(what)
        self.row, self.what, self.instead = row, what, instead


@dataclass(frozen=True)
class Rounding:
    """How a scenario rounds.

    `carry` rounds every quantity and goes on with the rounded figure; `exact` goes on with
    full precision and rounds on the page only. Half goes away from zero in both.
    """

    policy: Literal["carry", "exact"] = "carry"
    decimals: int = 3
    steps: Mapping[str, int] = field(default_factory=dict)

    @property
    def carries(self) -> bool:
        return self.policy == "carry"

    def of(self, step: str) -> int:
        """The decimals of one step's quantities."""
        return self.steps.get(step, self.decimals)


def carried(
    values: Array, error: Array | float, places: int | None, decimals: int, settle: Settle
) -> Array:
    """`values` [n, m] rounded to `decimals`, half away from zero, as their true values round.

    `error` bounds how far a value may be off; `places` is the number of decimals that hold
    the true values (None: no number does); `settle(i, j)` gives a true value.
    Raises Unworkable for figures too long to carry.
    """
    _refuse_too_long(values, decimals)
    if places is not None and _lie_on_grid(values, error, places):
        return _round_grid(values, places, decimals)
    return _round_settling(values, error, decimals, settle)


def refuse_infinite(values: Array) -> None:
    """Raises Unworkable where a result has left the range of float64."""
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        raise Unworkable(row, "a result is too large to work with", "smaller numbers")


def _refuse_too_long(values: Array, decimals: int) -> None:
    too_long = ~(np.abs(values) < _WHOLE / 10.0**decimals)
    if too_long.any():
        row, column = np.argwhere(too_long)[0]
        digits = decimal_figures.SIGNIFICANT
        raise Unworkable(
            int(row),
            f"{values[row, column]:.3g} with {decimals} decimals has more than {digits} digits",
            "fewer decimals, smaller numbers, or the policy exact",
        )


def _lie_on_grid(values: Array, error: Array | float, places: int) -> bool:
    grid = 10.0**places
    return bool(np.max(np.abs(values), initial=0.0) * grid < _WHOLE and np.max(error) * grid < 0.25)  # noqa: PLR2004


def _round_grid(values: Array, places: int, decimals: int) -> Array:
    counts = np.rint(values * 10.0**places)  # exact: whole numbers of the last place
    if places > decimals:
        kept = np.floor(np.abs(counts) / 10.0 ** (places - decimals) + 0.5)
        counts, places = np.copysign(kept, counts), decimals
    return np.asarray(counts / 10.0**places + 0.0)  # + 0.0: no minus zero


def _round_settling(values: Array, error: Array | float, decimals: int, settle: Settle) -> Array:
    scaled = np.abs(values) * 10.0**decimals
    kept = np.floor(scaled + 0.5)
    doubt = np.abs(scaled - np.floor(scaled) - 0.5) <= error * 10.0**decimals + scaled * 2.0**-52
    rounded = np.copysign(kept, values) / 10.0**decimals + 0.0
    for i, j in np.argwhere(doubt):
        rounded[i, j] = float(decimal_figures.round_to(settle(int(i), int(j)), decimals))
    return np.asarray(rounded)
