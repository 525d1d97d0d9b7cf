"""Numbers that stay where they are kept, such as in a file, until they are worked with: then some
rows at a time, so that the weights of a whole model are never there twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Array, Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

MANY = 2**16
"""Numbers that are worth being left where they are."""
_PART = 2**20
"""Numbers that are read at a time: few enough to stay in a cache between being read and worked
with, and many enough for the product of matrices to be worth its start."""


@dataclass(frozen=True, eq=False, repr=False)
class Kept:
    """Floats of any width [n, m], as they are kept."""

    array: NDArray[Any]

    @property
    def parts(self) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Some rows at a time, and which they are."""
        rows, columns = self.array.shape
        count = max(1, _PART // columns)
        for start in range(0, rows, count):
            some = slice(start, min(start + count, rows))
            yield some, self.array[some]

    @cached_property
    def range(self) -> Range:
        """Between which numbers they lie; nan where one is nan."""
        lows, highs = zip(*((part.min(), part.max()) for _, part in self.parts), strict=True)
        return Range(float(np.min(lows)), float(np.max(highs)))

    @cached_property
    def values(self) -> Array:
        """All of them as float64, for those who need them at once."""
        values = np.array(self.array, dtype=np.float64, order="C")
        values.flags.writeable = False
        return values


class Stored(Matrix):
    """A matrix of numbers that nobody wrote and that aren't rounded, which stay where they are
    kept; all of them finite."""

    kept: Kept

    def __init__(self, kept: Kept, decimals: int, name: str = "") -> None:
        own = {"places": None, "decimals": decimals, "written": None, "name": name}
        vars(self).update(own, kept=kept, source=None, range=kept.range)
        vars(self).update(shape=kept.array.shape)

    @property
    def values(self) -> Array:
        return self.kept.values

    @property
    def is_stored(self) -> bool:
        return True

    @property
    def parts(self) -> Iterator[tuple[slice, Array]]:
        for some, part in self.kept.parts:
            yield some, np.asarray(part, dtype=np.float64)

    def taken(self, rows: Sequence[int] | slice, columns: slice = slice(None)) -> Array:
        return np.array(self.kept.array[rows, columns], dtype=np.float64)

    def item(self, i: int, j: int) -> float:
        return float(self.kept.array[i, j])

    def named(self, name: str) -> Matrix:
        return Stored(self.kept, self.decimals, name)

    @property
    def without_source(self) -> Matrix:
        return self
