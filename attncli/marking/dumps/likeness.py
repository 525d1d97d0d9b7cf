"""What a tensor is like that no known bug gives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.rounding import Array
from attncli.marking.tolerance import Flags
from attncli.marking.verdicts import Cause

_FEW = 1e-3


def likenesses(theirs: Array, follows: Enclosure, off: Flags) -> Iterator[Cause]:
    """What can be said of a tensor beside what should follow."""
    right = follows.middle
    if np.isnan(theirs).any():
        count = int(np.isnan(theirs).sum())
        yield Cause("nan", f"{count} of its numbers are nan.")
        return
    if _is_dropout(theirs, right):
        yield Cause("dropout_on", "Some numbers are 0 and the others larger: dropout was left on.")
    times = _ratio(theirs, right, off)
    if times is not None:
        yield Cause("other_factor", f"Each number is {times:.6g} times what it should be.")
    if theirs.size > 1 and _close(np.sort(theirs, axis=None), np.sort(right, axis=None)):
        yield Cause("other_places", "The numbers are right, but stand in other places.")


def _close(one: Array, other: Array) -> bool:
    return bool(np.allclose(one, other, rtol=_FEW, atol=_FEW * float(np.abs(other).max())))


def _ratio(theirs: Array, right: Array, among: Flags) -> float | None:
    """By what all numbers are multiplied, if by one."""
    known = among & (right != 0) & np.isfinite(theirs) & np.isfinite(right)
    if np.count_nonzero(known) < 2:  # noqa: PLR2004
        return None
    ratios = theirs[known] / right[known]
    middle = float(np.median(ratios))
    return middle if np.allclose(ratios, middle, rtol=_FEW) else None


def _is_dropout(theirs: Array, right: Array) -> bool:
    """Whether some numbers are 0, and the others all larger by one factor, as 1 / (1 − p) is."""
    dropped, known = (theirs == 0) & (right != 0), (theirs != 0) & (right != 0)
    if not dropped.any() or not known.any():
        return False
    ratios = theirs[known] / right[known]
    return bool(ratios.min() > 1 and np.allclose(ratios, ratios[0], rtol=_FEW))
