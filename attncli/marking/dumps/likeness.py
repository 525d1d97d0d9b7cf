"""What a tensor is like that no known bug gives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.rounding import Array
from attncli.marking.dumps.deciding import tells_apart
from attncli.marking.tolerance import Flags
from attncli.marking.verdicts import NOISE, Cause

_NARROW = 0.25
"""The share of what tells numbers apart that bounds may have where numbers are found again."""
_NUMBERS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def likenesses(theirs: Array, right: Array, follows: Enclosure, off: Flags) -> Iterator[Cause]:
    """What can be said of a tensor beside what should follow, where that explains all of its
    numbers as nearly as its floats allow, and these tell its numbers apart."""
    if np.isnan(theirs).any():
        count = int(np.isnan(theirs).sum())
        yield Cause("nan", f"{count} of its numbers are nan.")
        return
    if not (np.isfinite(theirs) & np.isfinite(right)).all():
        return
    slack = follows.high - follows.low + NOISE * np.abs(right)
    if not (slack <= _NARROW * tells_apart(right)).all():
        return
    if _is_dropout(theirs, right, slack):
        yield Cause("dropout_on", "Some numbers are 0 and the others larger: dropout was left on.")
    times = _ratio(theirs, right, slack) if np.count_nonzero(off) > 1 else None
    if times is not None:
        yield Cause("other_factor", f"Each number is {times:.6g} times what it should be.")
    if _are_the_same(np.sort(theirs, axis=None), np.sort(right, axis=None), slack):
        how = next(_ways_moved(theirs, right, slack), "the numbers stand in other places")
        yield Cause("other_places", f"The numbers are right, but {how}.")
    else:
        yield from (Cause("other_places", says) for says in _shifted(theirs, right, slack))


def _are_the_same(theirs: Array, right: Array, slack: Array) -> bool:
    """Whether numbers are the same beside others."""
    return theirs.size > 1 and bool((np.abs(theirs - right) <= slack.max()).all())


def _ways_moved(theirs: Array, right: Array, slack: Array) -> Iterator[str]:
    """How numbers were moved, the simplest ways first."""
    for axis, what in ((0, "rows"), (1, "columns")):
        if _are_the_same(theirs, np.flip(right, axis), slack):
            yield f"the {what} stand in the opposite order"
        for by in sorted(range(1 - right.shape[axis], right.shape[axis]), key=abs):
            if by and _are_the_same(theirs, np.roll(right, by, axis), slack):
                yield f"the {what} are shifted by {_in_words(by)}, those past the end put first"
        if _rows_are_the_same(np.moveaxis(theirs, axis, 0), np.moveaxis(right, axis, 0), slack):
            yield f"the {what} stand in another order"
    if right.shape[0] == right.shape[1] and _are_the_same(theirs, right.T, slack):
        yield "rows and columns are exchanged"
    if _are_the_same(theirs, right.reshape(right.shape[::-1]).T, slack):
        yield "they were reshaped where they should be transposed"


def _rows_are_the_same(theirs: Array, right: Array, slack: Array) -> bool:
    """Whether rows are the same in another order."""
    one, other = (x[np.lexsort(x.T[::-1])] for x in (theirs, right))
    return _are_the_same(one, other, slack)


def _shifted(theirs: Array, right: Array, slack: Array) -> Iterator[str]:
    """How rows or columns were shifted, others taking the places that are left free."""
    for axis, what in ((0, "rows"), (1, "columns")):
        one, other = (np.moveaxis(x, axis, 0) for x in (theirs, right))
        for by in range(1, len(other) - 1):
            if _are_the_same(one[by:], other[:-by], slack):
                yield f"The {what} are shifted by {_in_words(by)}: the first are other numbers."
            if _are_the_same(one[:-by], other[by:], slack):
                yield f"The {what} are shifted by {_in_words(-by)}: the last are other numbers."


def _in_words(by: int) -> str:
    """`one`, `two back`"""
    number = _NUMBERS[abs(by)] if abs(by) < len(_NUMBERS) else str(abs(by))
    return number if by > 0 else f"{number} back"


def _ratio(theirs: Array, right: Array, slack: Array) -> float | None:
    """By what all numbers are multiplied, if by one; told by the largest."""
    largest = np.unravel_index(int(np.abs(right).argmax()), right.shape)
    if not right[largest]:
        return None
    times = float(theirs[largest] / right[largest])
    fits = np.abs(theirs - times * right) <= 2 * abs(times) * slack
    return times if times and fits.all() else None


def _is_dropout(theirs: Array, right: Array, slack: Array) -> bool:
    """Whether some numbers are 0, and the others all larger by one factor, as 1 / (1 − p) is."""
    dropped, kept = (theirs == 0) & (right != 0), theirs != 0
    if not dropped.any() or not kept.any():
        return False
    times = _ratio(theirs[kept][None], right[kept][None], slack[kept][None])
    return times is not None and times > 1
