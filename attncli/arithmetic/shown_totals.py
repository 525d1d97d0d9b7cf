"""What many numbers, or products of them, come to as a page shows them, without making each of
them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Array

if TYPE_CHECKING:
    from numpy.typing import NDArray

Which: TypeAlias = "NDArray[np.bool_]"

_FEW = 256
"""So few are made one by one."""
_HALF = 0.5
_LARGE = 1e12
"""A number of so many units is made, since a page shows 15 digits of it."""
_LARGEST_INTEGER = 2.0**62
_EDGE = 1e-6
"""What is as near as this to a digit that is rounded otherwise is made, too."""


def total_shown(matrix: Matrix, rows: range, columns: range) -> Decimal:
    """The sum of some rows and columns, in full, with the decimals that the longest of them has."""
    if len(rows) * len(columns) <= _FEW or matrix.written is not None:
        return decimals.total(matrix.shown(i, j) for i in rows for j in columns)
    values = _values(matrix, rows, columns)
    is_plain, is_tiny = _sorted_out(matrix, values)
    others = np.argwhere(~(is_plain | is_tiny)).tolist()
    each = (matrix.shown(rows[i], columns[j]) for i, j in others)
    places = _places(matrix)
    return decimals.total([*_plain(values[is_plain], places), *_tiny(values[is_tiny]), *each])


class LineOfCells(NamedTuple):
    """Cells of a row of a matrix, or of a column."""

    matrix: Matrix
    rows: range
    columns: range

    @property
    def values(self) -> Array:
        return _values(*self).ravel()

    def shown(self, k: int) -> Decimal:
        return self.matrix.shown(self.rows[k % len(self.rows)], self.columns[k % len(self.columns)])


def products_shown(left: LineOfCells, right: LineOfCells) -> tuple[Decimal, int]:
    """What the products of so many pairs of numbers come to, in full, and the most decimals that
    one of these has."""
    pair = (left, left.values), (right, right.values)
    is_plain = np.logical_and(*(_is_plain(cells.matrix, values) for cells, values in pair))
    a, b = (_units(values[is_plain], _places(cells.matrix)) for cells, values in pair)
    places = _places(left.matrix) + _places(right.matrix)
    others = np.flatnonzero(~is_plain).tolist()
    products = [decimals.product(left.shown(k), right.shown(k)) for k in others]
    products += [decimals.counted(_dot(a, b), places)] if len(a) else []
    return decimals.total(products), max(map(decimals.places, products))


def _dot(a: Array, b: Array) -> int:
    """The dot product of whole numbers, in full."""
    if float(np.abs(a).max()) * float(np.abs(b).max()) * len(a) < _LARGEST_INTEGER:
        return int(a.astype(np.int64) @ b.astype(np.int64))
    return sum(int(x) * int(y) for x, y in zip(a.tolist(), b.tolist(), strict=True))


def _values(matrix: Matrix, rows: range, columns: range) -> Array:
    return matrix.taken(slice(rows.start, rows.stop), slice(columns.start, columns.stop))


def _places(matrix: Matrix) -> int:
    """The decimals of the numbers that are plain."""
    return matrix.decimals if matrix.places is None else matrix.places


def _is_plain(matrix: Matrix, values: Array) -> Which:
    """Which numbers are rounded to units of the last decimal."""
    if matrix.written is not None:
        return np.zeros(values.shape, dtype=bool)
    return _sorted_out(matrix, values)[0]


def _sorted_out(matrix: Matrix, values: Array) -> tuple[Which, Which]:
    """Which numbers are rounded to units of the last decimal, and which to their first digit, since
    they are less than half of one; of neither are those that have to be looked at."""
    sizes = np.abs(values)
    if matrix.places is not None:  # each is so many units
        is_plain = sizes * 10.0**matrix.places < _LARGE
        return is_plain & (matrix.places <= matrix.decimals), np.zeros_like(is_plain)
    units = sizes * 10.0**matrix.decimals
    with np.errstate(invalid="ignore"):  # an infinite one is by no half
        off = np.abs(units - np.floor(units) - _HALF)
    is_sure = off > np.maximum(decimals.NEAR, units * decimals.NOISE)
    is_plain = (is_sure & (units >= _HALF) & (units < _LARGE)) | (sizes == 0)
    is_tiny = is_sure & (units < _HALF) & (sizes > 0)
    if not is_tiny.any() or not _are_floats(matrix):
        return is_plain, np.zeros_like(is_tiny)
    return is_plain, is_tiny & ~_at_an_edge(np.where(is_tiny, sizes, 1.5))


def _are_floats(matrix: Matrix) -> bool:
    """Whether the smallest numbers, too, are told as floats have them."""
    return matrix.source is None or matrix.in_full is None


def _at_an_edge(sizes: Array) -> Which:
    """Whether the first digits of numbers hang on what floats leave in doubt."""
    leading = _leading(sizes)[1]
    off = np.abs(leading - np.floor(leading) - 0.5)
    near: Which = (off < _EDGE) | (leading < 1 + _EDGE) | (leading > 10 - _EDGE)
    return near


def _leading(sizes: Array) -> tuple[Array, Array]:
    """The exponents of numbers, and what they have before these, from 1 to 10."""
    exponents = np.floor(np.log10(sizes))
    return exponents, sizes / 10.0**exponents


def _plain(values: Array, places: int) -> Iterator[Decimal]:
    """Numbers that are rounded to so many decimals, added up, and 0 where one of them is."""
    units = _units(values, places)
    if values.any():
        yield decimals.counted(int(units.astype(np.int64).sum()), places)
    if not values.all():
        yield decimals.unsigned_zero(decimals.counted(0, places))


def _units(values: Array, places: int) -> Array:
    """How many whole units of the last of so many decimals numbers are rounded to."""
    rounded: Array = np.floor(np.abs(values) * 10.0**places + 0.5) * np.sign(values)
    return rounded


def _tiny(values: Array) -> Iterator[Decimal]:
    """Numbers that are rounded to their first digits, added up by their exponents."""
    exponents, leading = _leading(np.abs(values))
    digits = np.floor(leading + 0.5)
    tens = digits == 10  # noqa: PLR2004
    exponents, digits = exponents + tens, np.where(tens, 1.0, digits) * np.sign(values)
    for exponent in np.unique(exponents).tolist():
        yield decimals.counted(int(digits[exponents == exponent].sum()), -int(exponent))
