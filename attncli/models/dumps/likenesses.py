"""Likenesses of a tensor and what should follow in its place, where no known bug gives it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from attncli.judging.verdicts import NOISE, Cause
from attncli.maths.equations.enclosures import Enclosure
from attncli.maths.numbers.rounding import Array, Flags
from attncli.models.dumps.floats import tells_apart

BETTER = 2.0
"""How many times nearer than what is right a bug must come to a tensor to be given as its cause."""
_NARROW = 0.25
"""The share of what tells numbers apart that bounds may have where numbers are found again."""
_LARGE = 1e4
"""What no number is that overflows by mistake."""
_NUMBERS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def likenesses(theirs: Array, right: Array, follows: Enclosure, off: Flags) -> Iterator[Cause]:
    """Yields what can be said of a tensor beside what should follow. Each explains all of its
    numbers as nearly as its floats allow, where these tell its numbers apart."""
    if np.isnan(theirs).any():
        count = int(np.isnan(theirs).sum())
        yield Cause("nan", f"{count} of its numbers are nan.")
        return
    if _overflows(theirs, right):
        says = "Its largest numbers are infinite: its floats have none as large (float16: 65504)."
        yield Cause("overflow", says)
    if not (np.isfinite(theirs) & np.isfinite(right)).all():
        return
    slack = follows.high - follows.low + NOISE * np.abs(right)
    if not (slack <= _NARROW * tells_apart(right)).all():
        return
    if _is_dropout(theirs, right, slack):
        yield Cause("dropout_on", "Some numbers are 0 and the others larger: dropout was left on.")
    times = _ratio(theirs, right, slack) if np.count_nonzero(off) > 1 else None
    if times is not None:
        yield Cause("other_factor", f"Each number is {_factor(times)} times what it should be.")
    for says in _other_places(theirs, right, float(slack.max())):
        yield Cause("other_places", says)


def _other_places(theirs: Array, right: Array, most: float) -> Iterator[str]:
    """Yields sentences on where right numbers stand instead. Yields none where numbers are nearly
    right where they are."""
    if (np.abs(theirs - right) <= BETTER * most).all():
        return
    if _are_the_same(np.sort(theirs, axis=None), np.sort(right, axis=None), most):
        elsewhere = "the numbers stand in other places" if _are_apart(right, most) else ""
        how = next(_ways_moved(theirs, right, most), elsewhere)
        yield from [f"The numbers are right, but {how}."] if how else []
    else:
        yield from _rows_shifted(theirs, right, most)


def _are_apart(right: Array, most: float) -> bool:
    """Tells whether most numbers differ from their neighbours in size by more than twice `most`, so
    that wrong ones don't look the same once sorted."""
    return bool(np.median(np.diff(np.sort(right, axis=None))) > 2 * most)


def _overflows(theirs: Array, right: Array) -> bool:
    """Tells whether numbers are infinite that should be finite, and larger than all others."""
    size, infinite = np.abs(right), np.isinf(theirs) & np.isfinite(right)
    finite = size[np.isfinite(theirs)]
    return bool(infinite.any() and size[infinite].min() > max(_LARGE, finite.max(initial=0)))


def _are_the_same(theirs: Array, right: Array, most: float) -> bool:
    """Tells whether two arrays have the same numbers, up to `most`. Looks at the first row before
    all others."""
    if theirs.size <= 1:
        return False
    first = np.abs(theirs[0] - right[0]) <= most
    return bool(np.all(first) and (np.abs(theirs - right) <= most).all())


def _ways_moved(theirs: Array, right: Array, most: float) -> Iterator[str]:
    """Yields how numbers were moved, the simplest ways first."""
    for axis, what in ((0, "rows"), (1, "columns")):
        if _are_the_same(theirs, np.flip(right, axis), most):
            yield f"the {what} stand in the opposite order"
        for by in sorted(range(1 - right.shape[axis], right.shape[axis]), key=abs):
            first = np.abs(theirs.take(0, axis) - right.take(-by, axis)) <= most
            if by and first.all() and _are_the_same(theirs, np.roll(right, by, axis), most):
                yield f"the {what} are shifted by {in_words(by)}, those past the end put first"
        if _rows_are_the_same(np.moveaxis(theirs, axis, 0), np.moveaxis(right, axis, 0), most):
            yield f"the {what} stand in another order"
    if right.shape[0] == right.shape[1] and _are_the_same(theirs, right.T, most):
        yield "rows and columns are exchanged"
    if _are_the_same(theirs, right.reshape(right.shape[::-1]).T, most):
        yield "they were reshaped where they should be transposed"


def _rows_are_the_same(theirs: Array, right: Array, most: float) -> bool:
    """Tells whether rows are the same in another order."""
    array, other = (x[np.lexsort(x.T[::-1])] for x in (theirs, right))
    return _are_the_same(array, other, most)


def _rows_shifted(theirs: Array, right: Array, most: float) -> Iterator[str]:
    """Yields how rows or columns were shifted, where other numbers take the places that are left
    free."""
    for axis, what in ((0, "rows"), (1, "columns")):
        array, other = (np.moveaxis(x, axis, 0) for x in (theirs, right))
        for by in range(1, len(other) - 1):
            if _are_the_same(array[by:], other[:-by], most):
                yield f"The {what} are shifted by {in_words(by)}: the first are other numbers."
            if _are_the_same(array[:-by], other[by:], most):
                yield f"The {what} are shifted by {in_words(-by)}: the last are other numbers."


def in_words(by: int) -> str:
    """Writes a shift in words: `one`, `two back`."""
    number = _NUMBERS[abs(by)] if abs(by) < len(_NUMBERS) else str(abs(by))
    return number if by > 0 else f"{number} back"


def _ratio(theirs: Array, right: Array, slack: Array) -> float | None:
    """Returns the factor by which all numbers are multiplied, as the largest tells it, and None
    where there is none."""
    largest = np.unravel_index(int(np.abs(right).argmax()), right.shape)
    if not right[largest]:
        return None
    times = float(theirs[largest] / right[largest])
    left = np.abs(theirs - times * right)
    fits = left <= 2 * abs(times) * slack
    is_better = BETTER * left.max() < np.abs(theirs - right).max()
    return times if times and fits.all() and is_better else None


def _factor(times: float) -> str:
    """Writes a factor with six digits, or with as many as tell it from 1."""
    apart = abs(times - 1)
    digits = 6 if not 0 < apart < _NEAR_ONE else 2 - math.floor(math.log10(apart))
    return f"{times:.{digits}g}"


_NEAR_ONE = 1e-4
"""From 1, where six digits say too little."""


def _is_dropout(theirs: Array, right: Array, slack: Array) -> bool:
    """Tells whether some numbers are 0, and the others all larger by one factor, such as 1 / (1 −
    p)."""
    dropped, kept = (theirs == 0) & (right != 0), theirs != 0
    if not dropped.any() or not kept.any():
        return False
    times = _ratio(theirs[kept][None], right[kept][None], slack[kept][None])
    return times is not None and times > 1
