"""A quantity as the rules see it, in one scenario or in many candidates at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from attncli.arithmetic.operations.base import Operation
from attncli.arithmetic.rounding import Array

if TYPE_CHECKING:
    from numpy.typing import NDArray

Flags: TypeAlias = "NDArray[np.bool_]"

_HALF = 0.5 + 1e-9
"""A half, and what floats may have lost of one."""


@dataclass(frozen=True, eq=False)
class CandidateQuantity:
    """A quantity and what it was made of, in one scenario [n, m] or in many [n, m, b].

    `values` are its numbers as they are gone on with, `full` before they were rounded; `places`
    hold those in full, `decimals` are shown, of which the numbers have no more than `own`.
    `hides` says whether they have more than are shown. `operands` are the numbers that it was
    made of, `digits` the decimals that each of these is shown with, `left` the operation that
    made the first of them. `seen` tells which weights aren't masked, None where the quantity
    isn't one that adds up to 1; `rows` are those that a page shows.
    """

    operation: Operation | None
    values: Array
    full: Array
    places: int | None
    decimals: int
    own: int
    hides: bool
    operands: tuple[Array, ...] = ()
    digits: tuple[int, ...] = ()
    left: Operation | None = None
    seen: Flags | None = None
    is_list: bool = False
    rows: tuple[int, ...] | None = None

    @cached_property
    def units(self) -> Array:
        """The numbers as they are shown, in units of their last place."""
        return units(self.values, self.decimals)

    @property
    def shown(self) -> Array:
        """The numbers as they are shown, if only to compare them."""
        return self.units if self.hides else self.values


Check = Callable[[CandidateQuantity], "Flags | None"]
"""Where a rule is broken: cells [n, m], rows [n, 1]; None where it has nothing to say."""


def units(values: Array, decimals: int) -> Array:
    """Numbers in units of the last of so many decimals, half away from zero."""
    grid = np.asarray(values * 10.0**decimals)
    grid += np.copysign(_HALF, grid)
    return np.asarray(np.trunc(grid, out=grid))


def along(function: np.ufunc, values: NDArray[Any]) -> NDArray[Any]:
    """What the numbers of each row come to together. [n, m] -> [n, 1]"""
    return np.asarray(function.reduce(values, axis=1, keepdims=True))
