"""Rows of many numbers in plain text, at the speed of Python's formatting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Number
from attncli.maths.notation.plain import MINUS, plain
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 2**16
"""Numbers that are looked at together: enough for NumPy, few enough for the memory."""
_NEAR, _NOISE = 1e-3, 2.0**-31
"""Units of the last place, and of a number's own size: what is nearer to a half is written by
itself. Both are more than what `decimals.is_doubtful` looks at closely."""
_LEAST, _MOST = 2e-7, 10.0 ** (decimals.SIGNIFICANT - 1)
"""Smaller numbers may have an exponent; those of more units have fewer decimals."""
_ALONE = -1
_HALF, _ROUNDED_UP = 0.5, 9.5

DecimalCounts: TypeAlias = "NDArray[np.int64]"
"""The decimals of each number of an array."""


def plain_rows(matrix: Matrix, rows: Sequence[int], between: str) -> Iterator[str]:
    """Yields the text of each of these rows, whose numbers are all there, with `between` between
    them."""
    if matrix.written is not None:
        columns = range(matrix.shape[1])
        yield from (between.join(_alone(matrix, i, j) for j in columns) for i in rows)
        return
    step = max(1, _AT_ONCE // max(1, matrix.shape[1]))
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        values = matrix.values[list(some)] + 0.0  # no minus zero
        entries = zip(some, values.tolist(), _places(matrix, values), strict=True)
        yield from (_row_text(matrix, i, row, places, between) for i, row, places in entries)


def _alone(matrix: Matrix, i: int, j: int) -> str:
    return plain(Number.written(matrix.shown(i, j)))


def _row_text(
    matrix: Matrix, i: int, values: Sequence[float], places: DecimalCounts, between: str
) -> str:
    if not values:
        return ""
    text = between.join(_forms(places)) % tuple(values)
    text = text.replace("-", MINUS).replace("inf", "∞")
    alone = np.flatnonzero(places == _ALONE).tolist()
    if not alone:
        return text
    texts = text.split(between)
    for j in alone:
        texts[j] = _alone(matrix, i, j)
    return between.join(texts)


def _forms(places: DecimalCounts) -> Sequence[str]:
    """Returns Python's format of each number; for those that are written one by one, any."""
    usual = max(0, int(places[0]))
    if ((places == usual) | (places == _ALONE)).all():
        return [_formed(usual)] * len(places)
    return [*map(_formed, places.tolist())]


@cache
def _formed(places: int) -> str:
    return f"%.{max(0, places)}f"


def _places(matrix: Matrix, values: Array) -> DecimalCounts:
    """Returns the decimals that the numbers are shown with; `_ALONE` for those that are written one
    by one."""
    shown = matrix.decimals if matrix.places is None else min(matrix.places, matrix.decimals)
    sizes = np.abs(values)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        units = sizes * 10.0**shown
        clear = (units < _MOST) & (sizes >= _LEAST)
        if shown != matrix.places:
            clear &= (units > _HALF) & _is_off_half(units)
        places = np.where(clear | (sizes == 0) | np.isinf(sizes), shown, _ALONE)
        small = (units < _HALF - _NEAR) & (sizes >= _LEAST) & (shown != matrix.places)
        if small.any() and _is_as_it_is(matrix):
            places[small] = _places_of_small(sizes[small])
    return places


def _is_off_half(units: Array) -> NDArray[np.bool_]:
    off: Array = np.abs(units - np.floor(units) - _HALF)
    return off > np.maximum(_NEAR, units * _NOISE)


def _is_as_it_is(matrix: Matrix) -> bool:
    """Tells whether no more is known of the numbers than their floats."""
    return matrix.places is not None or matrix.source is None or matrix.in_full is None


def _places_of_small(sizes: Array) -> DecimalCounts:
    """Returns the decimals of numbers that would be shown as zero: those that their first digit
    needs."""
    powers = np.floor(np.log10(sizes))
    first = sizes * 10.0**-powers
    places = (-powers - (first >= _ROUNDED_UP)).astype(np.int64)  # 9.6e-5 is 1e-4
    is_clear = _is_off_half(first) & (first > 1 + _NEAR) & (first < 10 - _NEAR)
    return np.where(is_clear, places, _ALONE)
