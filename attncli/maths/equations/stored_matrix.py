"""A matrix of numbers that stay where they are kept, such as in a file, until they are worked with.

Then some rows at a time are there, so that the weights of a whole model are never there twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers import decimals as numbers
from attncli.maths.numbers.rounding import AnyArray, Array, Range

MANY = 2**16
"""Numbers that are worth being left where they are."""
_PART = 2**19
"""Numbers that are read at a time: few enough to stay in a cache between being read and worked
with, and many enough for the product of matrices to be worth its start."""


BFLOAT16 = np.dtype([("bfloat16", "<u2")])
"""The upper halves of float32, which NumPy has no floats for."""


def as_floats(array: AnyArray) -> AnyArray:
    """Converts bfloat16 to float32; returns other floats as they are."""
    if array.dtype != BFLOAT16:
        return array
    return (array["bfloat16"].astype(np.uint32) << 16).view(np.float32)


@dataclass(frozen=True, eq=False, repr=False)
class Kept:
    """Floats of any width [n, m], as they are kept in a file."""

    array: AnyArray
    refuse: Callable[[], None] = lambda: None
    """Raises an error for numbers that can't be worked with, which are only looked for when they
    are needed."""

    @property
    def parts(self) -> Iterator[tuple[slice, AnyArray]]:
        """Yields some rows at a time, with the slice that they are."""
        rows, columns = self.array.shape
        count = max(1, _PART // columns)
        for start in range(0, rows, count):
            some = slice(start, min(start + count, rows))
            yield some, as_floats(self.array[some])

    @cached_property
    def range(self) -> Range:
        """Finds the least and the greatest number, both nan where one is nan; calls `refuse` for
        what can't be worked with."""
        lows, highs = zip(*((part.min(), part.max()) for _, part in self.parts), strict=True)
        found = Range(float(np.min(lows)), float(np.max(highs)))
        if not found.size <= float(numbers.LARGEST):  # which NaN isn't
            self.refuse()
        return found

    @property
    def values(self) -> Array:
        """Reads all of them as float64, for those who need them at once. -> [n, m]"""
        values = np.array(as_floats(self.array), dtype=np.float64, order="C")
        values.flags.writeable = False
        return values


class Stored(Matrix):
    """A matrix of finite numbers that nobody wrote, which are not rounded and stay where they are
    kept."""

    kept: Kept

    def __init__(self, kept: Kept, decimals: int, name: str = "", *, given: bool = False) -> None:
        own = {"places": None, "decimals": decimals, "written": None, "name": name, "given": given}
        vars(self).update(own, kept=kept, source=None, shape=kept.array.shape)

    @property
    def range(self) -> Range:
        """Finds the least and the greatest number, once that is needed."""
        return self.kept.range

    @property
    def values(self) -> Array:
        return self.kept.values

    @property
    def is_stored(self) -> bool:
        return True

    @property
    def parts(self) -> Iterator[tuple[slice, Array]]:
        assert self.range  # which looks at all of them
        for some, part in self.kept.parts:
            yield some, np.asarray(part, dtype=np.float64)

    def taken(self, rows: Sequence[int] | slice, columns: slice = slice(None)) -> Array:
        return np.array(as_floats(self.kept.array[rows, columns]), dtype=np.float64)

    def item(self, i: int, j: int) -> float:
        return float(as_floats(self.kept.array[i : i + 1, j])[0])

    def named(self, name: str, *, given: bool = False) -> Matrix:
        return Stored(self.kept, self.decimals, name, given=given)

    @property
    def without_source(self) -> Matrix:
        return self
