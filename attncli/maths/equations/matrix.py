"""A matrix of numbers that knows how its numbers are written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from attncli.maths.equations.tree import GivenLocation, Location, Number, Vector
from attncli.maths.numbers import decimals as numbers
from attncli.maths.numbers.rounding import FINEST, Array, Doubtful, Error, Range, range_of
from attncli.maths.numbers.rounding import carry as round_in_place

if TYPE_CHECKING:
    from numpy.typing import NDArray


_WHOLE = 10**numbers.SIGNIFICANT
_NONE = Decimal("NaN")

Written = tuple[tuple[Decimal, ...], ...]


class Source(Protocol):
    """What numbers were worked from in floats, so that they can be worked again in full."""

    @property
    def numbers(self) -> Written | None:
        """Works the numbers out to fifty digits or so; returns None where that is too much work."""


_AT_ONCE = 32_768
"""Numbers that are rounded at a time, so that they stay in the processor's cache: 23 million random
ones are drawn and rounded in 2 seconds then instead of 3.3."""


class _AsWritten(NamedTuple):
    """Floats that nobody worked out: they are the numbers that Python writes for them."""

    array: Array

    def units(self, doubtful: Doubtful) -> Array:
        written = [Decimal(repr(x)) for x in self.array[doubtful.cells].tolist()]
        return np.array([numbers.units(x, doubtful.decimals) for x in written])


@dataclass(frozen=True, eq=False)
class Matrix:
    """Numbers [n, m], read-only; −∞ for what is masked, nan for a number that was taken out."""

    values: Array
    """The numbers as floats. [n, m]"""
    places: int | None
    """The number of decimals that hold every value exactly; None where none is known to."""
    decimals: int
    """The number of decimals that a page shows."""
    written: Written | None = None
    """The numbers as an author wrote them; None where nobody did."""
    name: str = ""
    """Whose numbers they are, where a line of working needs to know."""
    source: Source | None = None
    """What the numbers were worked from in floats, by which is settled what floats can't decide."""
    given: bool = field(default=False, repr=False)
    """Whether they are given, where they have a name; hashes of papers are made of the rest."""

    def __post_init__(self) -> None:
        self.values.flags.writeable = False
        vars(self)["shape"] = self.values.shape  # which is asked for again and again

    @cached_property
    def _numbers(self) -> dict[tuple[int, int], Number]:
        """Caches the numbers that were asked for, since a page asks for each several times."""
        return {}

    @cached_property
    def _lines(self) -> dict[tuple[int, int], Vector]:
        """Caches the rows (0) and columns (1) that were asked for."""
        return {}

    @classmethod
    def of_written(cls, rows: Sequence[Sequence[Decimal]]) -> Matrix:
        """Makes a matrix of the numbers that an author wrote, in rows of one length."""
        written = tuple(tuple(row) for row in rows)
        values = np.array([[float(number) for number in row] for row in written])
        most = max((numbers.places(number) for row in written for number in row), default=0)
        return cls(values, most, most, written)

    @classmethod
    def of_array(cls, array: Array, decimals: int, *, carry: bool) -> Matrix:
        """Makes a matrix of numbers that nobody wrote, such as random ones; `carry` rounds them as
        they come in.

        An array that nobody can write to isn't copied.
        """
        if not carry:
            fixed = array.dtype == np.float64 and array.flags.owndata and not array.flags.writeable
            return cls(array if fixed else np.array(array, dtype=np.float64), None, decimals)
        values = np.array(array, dtype=np.float64)
        count = max(1, _AT_ONCE // values.shape[1])
        for start in range(0, len(values), count):
            part = values[start : start + count]
            settle = _AsWritten(part.copy())
            round_in_place(part, Error(0.0, 2.0**-53), None, decimals, settle)
        return cls(values, decimals, decimals)

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Returns how many rows and columns there are."""
        return self.values.shape

    @property
    def size(self) -> int:
        """Counts the numbers."""
        return math.prod(self.shape)

    @property
    def is_stored(self) -> bool:
        """Tells whether the numbers still are where they are kept, so that `parts` take less memory
        than `values`."""
        return False

    @property
    def parts(self) -> Iterator[tuple[slice, Array]]:
        """Yields some rows at a time, with the slice that they are; all at once, where they are in
        memory."""
        yield slice(0, len(self.values)), self.values

    def taken(self, rows: Sequence[int] | slice, columns: slice = slice(None)) -> Array:
        """Returns some rows, or some columns of these."""
        return self.values[rows, columns]

    def item(self, i: int, j: int) -> float:
        """Returns the float in row `i` and column `j`, from 0."""
        return self.values.item(i, j)

    def number(self, i: int, j: int) -> Number:
        """Returns the number in row `i` and column `j`, from 0, as it is shown and in full."""
        found = self._numbers.get((i, j))
        if found is None:
            found = self._numbers[i, j] = self._number(i, j)
        return found

    def shown(self, i: int, j: int) -> Decimal:
        """Returns the number as it is shown, without caching it: for those who ask for each number
        once."""
        return self._number(i, j).shown

    def _number(self, i: int, j: int) -> Number:
        place = GivenLocation if self.given else Location
        cell = place(self.name, i, j) if self.name else None
        if self.written is not None:
            number = self.written[i][j]
            return Number(number, number, cell)
        value = self.item(i, j)
        if self.places is not None and math.isfinite(value):
            count = round(value * 10.0**self.places)
            if abs(count) < _WHOLE:
                number = numbers.counted(count, self.places)
                return Number(number, self._shown(number), cell)
        in_full = self._in_full_where_doubtful(value)
        if in_full is not None:
            number = numbers.certain(in_full.number(i, j).full)
            return Number(number, self._shown(number), cell)
        return Number(Decimal(repr(value)), numbers.shown(value, self.decimals), cell)

    def _in_full_where_doubtful(self, value: float) -> Matrix | None:
        if self.source is None or not numbers.is_doubtful(value, self.decimals):
            return None
        return self.in_full

    def _shown(self, number: Decimal) -> Decimal:
        few = self.places is not None and self.places <= self.decimals
        return number if few else numbers.shown(number, self.decimals)

    @cached_property
    def range(self) -> Range:
        """Finds the least and the greatest of the numbers; −∞ doesn't count."""
        return range_of(self.values)

    def squares(self, axis: int) -> Array:
        """Sums the squares down each column (axis 0, -> [1, m]) or along each row (axis 1, -> [n,
        1])."""
        known = self._squares.get(axis)
        if known is None:
            sums = [np.einsum("ij,ij->" + "ji"[axis], x, x) for _, x in self.parts]
            made = (
                np.sum(sums, axis=0)[np.newaxis]
                if axis == 0
                else np.concatenate(sums)[:, np.newaxis]
            )
            known = self._squares[axis] = made
        return known

    @cached_property
    def _squares(self) -> dict[int, Array]:
        """Caches the sums of squares that were asked for, as X is for Q, K and V."""
        return {}

    @cached_property
    def is_shown_in_full(self) -> bool:
        """Tells whether a page shows all digits of the numbers."""
        if self.written is not None:
            return True
        few = self.places is not None and self.places <= self.decimals
        return few and self.range.size * 10.0 ** (self.places or 0) < _WHOLE

    @cached_property
    def tops(self) -> tuple[float, ...]:
        """Returns the largest number of each row. [n]"""
        return tuple(self.values.max(axis=1).tolist())

    @cached_property
    def counts(self) -> NDArray[np.int64] | None:
        """Counts the numbers in whole units of the last of `places` decimals. -> [n, m]

        Returns None where `places` isn't known, or the counts are too large for floats.
        """
        if self.places is None or self.places > FINEST:
            return None
        counts = self.values * 10.0**self.places
        np.rint(counts, out=counts)
        if not (self.range.size * 10.0**self.places < _WHOLE and counts.min() > -math.inf):
            return None
        return counts.astype(np.int64)

    @cached_property
    def in_full(self) -> Matrix | None:
        """Returns the same numbers to fifty digits or so; None where that is too much work."""
        if self.source is None:
            return self
        known = self.source.numbers
        return None if known is None else Matrix(self.values, None, self.decimals, known)

    def named(self, name: str, *, given: bool = False) -> Matrix:
        """Returns the same numbers with a name: whose they are, and whether that is given."""
        own = self.values, self.places, self.decimals, self.written
        return Matrix(*own, name, self.source, given)

    @property
    def without_source(self) -> Matrix:
        """Returns the same numbers, known only as far as floats tell them."""
        own = self.values, self.places, self.decimals, self.written, self.name
        return Matrix(*own, given=self.given)

    def worked_from(self, source: Source) -> Matrix:
        """Returns the same numbers with what they were worked from."""
        own = self.values, self.places, self.decimals, self.written, self.name
        return Matrix(*own, source, self.given)

    def as_shown(self) -> Matrix:
        """Returns the numbers as a page shows them, without further digits."""
        if self.written is not None or (self.places is not None and self.places <= self.decimals):
            return self
        rows, columns = self.shape
        cells = tuple(
            tuple(self.number(i, j).shown if self.has(i, j) else _NONE for j in range(columns))
            for i in range(rows)
        )
        values = np.array([[float(cell) for cell in row] for row in cells])
        return Matrix(values, self.places, self.decimals, cells, self.name, given=self.given)

    def marked(self, cells: Iterable[tuple[int, int]]) -> NDArray[np.bool_]:
        """Marks some cells. -> [n, m]"""
        flags = np.zeros(self.shape, dtype=np.bool_)
        for cell in cells:
            flags[cell] = True
        return flags

    def without(self, taken: NDArray[np.bool_]) -> Matrix:
        """Returns the numbers without those of the marked cells, which are kept nowhere."""
        values, written = np.where(taken, math.nan, self.values), self.written
        if written is not None:
            kept = ~np.isnan(values)
            rows = (zip(row, here, strict=True) for row, here in zip(written, kept, strict=True))
            written = tuple(tuple(x if here else _NONE for x, here in row) for row in rows)
        left = Matrix(values, self.places, self.decimals, written, self.name, given=self.given)
        left._numbers.update(self._settled(~taken))
        return left

    def _settled(self, kept: NDArray[np.bool_]) -> dict[tuple[int, int], Number]:
        """Works out those of the marked numbers that can only be shown with the help of their
        source."""
        if self.source is None:
            return {}
        places = map(tuple, np.argwhere(kept).tolist())
        doubtful = (at for at in places if numbers.is_doubtful(self.item(*at), self.decimals))
        return {(i, j): self.number(i, j) for i, j in doubtful}

    def has(self, i: int, j: int) -> bool:
        """Tells whether the number of a cell is there, and wasn't taken out."""
        return not math.isnan(self.item(i, j))

    def row(self, i: int) -> Vector:
        return self._line(0, i)

    def column(self, j: int) -> Vector:
        return self._line(1, j)

    def _line(self, axis: int, k: int) -> Vector:
        vector = self._lines.get((axis, k))
        if vector is None:
            others = range(self.shape[1 - axis])
            numbers = [self.number(*((k, x) if axis == 0 else (x, k))) for x in others]
            vector = self._lines[axis, k] = Vector(tuple(numbers))
        return vector
