"""What a tensor is like that no known bug gives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.rounding import Array
from attncli.marking.tolerance import Flags
from attncli.marking.verdicts import NOISE, Cause


def likenesses(theirs: Array, follows: Enclosure, off: Flags) -> Iterator[Cause]:
    """What can be said of a tensor beside what should follow, where that explains all of its
    numbers as nearly as its floats allow."""
    if np.isnan(theirs).any():
        count = int(np.isnan(theirs).sum())
        yield Cause("nan", f"{count} of its numbers are nan.")
        return
    right = follows.middle
    if not (np.isfinite(theirs) & np.isfinite(right)).all():
        return
    slack = follows.high - follows.low + NOISE * np.abs(right)
    if _is_dropout(theirs, right, slack):
        yield Cause("dropout_on", "Some numbers are 0 and the others larger: dropout was left on.")
    times = _ratio(theirs, right, slack) if np.count_nonzero(off) > 1 else None
    if times is not None:
        yield Cause("other_factor", f"Each number is {times:.6g} times what it should be.")
    if _are_moved(theirs, right, slack):
        yield Cause("other_places", "The numbers are right, but stand in other places.")


def _are_moved(theirs: Array, right: Array, slack: Array) -> bool:
    """Whether the same numbers stand in other places."""
    one, other = (np.sort(x, axis=None) for x in (theirs, right))
    return theirs.size > 1 and bool((np.abs(one - other) <= slack.max()).all())


def _ratio(theirs: Array, right: Array, slack: Array) -> float | None:
    """By what all numbers are multiplied, if by one; told by the largest."""
    largest = np.unravel_index(int(np.abs(right).argmax()), right.shape)
    if not right[largest]:
        return None
    times = float(theirs[largest] / right[largest])
    fits = np.abs(theirs - times * right) <= (1 + abs(times)) * slack
    return times if fits.all() else None


def _is_dropout(theirs: Array, right: Array, slack: Array) -> bool:
    """Whether some numbers are 0, and the others all larger by one factor, as 1 / (1 − p) is."""
    dropped, kept = (theirs == 0) & (right != 0), theirs != 0
    if not dropped.any() or not kept.any():
        return False
    times = _ratio(theirs[kept][None], right[kept][None], slack[kept][None])
    return times is not None and times > 1
