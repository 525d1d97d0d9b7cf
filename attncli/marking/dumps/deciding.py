"""Whether a bound is narrow enough to tell a right number from a wrong one."""

from __future__ import annotations

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.rounding import Array
from attncli.marking.tolerance import Flags

_DEVIATION = 1.4826
"""Times the median distance from the median is the standard deviation of numbers that are normally
distributed, which a few large ones among them don't change (Hampel 1974)."""
_SHARE = 0.1
MOST_OPEN = 0.1
"""The share of a tensor's numbers that may be open where a verdict is given on the tensor."""


@np.errstate(invalid="ignore")
def tells_apart(right: Array) -> Array:
    """How far a number must be from each that is right to be told from it as another one: as far
    as that is from the median of its tensor, or as the tensor's numbers are spread, or a tenth of
    its size, whichever is most. Zeros and what isn't finite are no part of median and spread."""
    known = right[np.isfinite(right) & (right != 0)]
    middle = np.median(known) if known.size else 0.0
    spread = _DEVIATION * np.median(np.abs(known - middle)) if known.size else 0.0
    return np.fmax(np.fmax(np.abs(right - middle), spread), _SHARE * np.abs(right))


@np.errstate(invalid="ignore")
def open_numbers(right: Array, follows: Enclosure) -> Flags:
    """Which numbers are open: the bound around what is right takes in what is told apart from it,
    so that nothing can be said of them."""
    reach = np.maximum(follows.high - right, right - follows.low)
    exact = (follows.low == right) & (right == follows.high)
    return np.asarray(~exact & ~(reach <= tells_apart(right)))


def is_decided(right: Array, follows: Enclosure) -> bool:
    """Whether a verdict can be given on a tensor: no more than a tenth of its numbers is open."""
    return bool(open_numbers(right, follows).mean() <= MOST_OPEN)
