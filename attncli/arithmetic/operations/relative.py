"""Relative positions in buckets: a learned number for each (Raffel et al. 2019, arXiv:1910.10683,
2.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from attncli.arithmetic.expression import (
    Apply,
    Equation,
    Expression,
    Product,
    Quotient,
    Sum,
    Symbol,
    Total,
    at,
    constant,
    define,
)
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Operation, WholeNumbers, Working
from attncli.arithmetic.rounding import Array, Rounding
from attncli.word import Word

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Buckets(WholeNumbers):
    """The bucket, from 0, of how far each key is from a query, the last query being at the last
    key; the operand gives the shape only. Half of the buckets have one distance each, the others
    more and more, up to `max_distance` and beyond. With `both`, the second half of all buckets is
    for keys after the query, else those are in bucket 0. [n, m] -> [n, m]"""

    count: int
    max_distance: int
    both: bool = True

    shapes = "n m -> n m"
    takes_only_sizes = True
    later: ClassVar[str] = "key j is after query i"

    @property
    def one_way(self) -> int:
        """How many buckets there are for keys on one side."""
        return self.count // 2 if self.both else self.count

    @property
    def exact(self) -> int:
        """How many distances have a bucket of their own."""
        return self.one_way // 2

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The least distance of each bucket on one side."""
        return tuple(self._starts())

    def _starts(self) -> Iterator[int]:
        """Least d with ⌊L · ln(d / exact) / ln(max_distance / exact)⌋ = k, of L such buckets: in
        whole numbers, d^L ≥ max_distance^k · exact^(L − k), which no logarithm can miss."""
        yield from range(self.exact)
        wide, distance = self.one_way - self.exact, self.exact
        for k in range(wide):
            least = self.max_distance**k * self.exact ** (wide - k)
            distance = max(distance, _root(least, wide))
            yield distance

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        b = Apply("b", (Apply("distance", (Symbol("i"), Symbol("j"))),))
        after: Expression = Sum((constant(self.one_way), b)) if self.both else constant(0)
        return define(at(name, "i", "j"), Apply("where", (Word(self.later), after, b)))

    def formulas(self, name: str, *operands: str) -> tuple[Equation, ...]:
        """Which bucket, and of which distance."""
        d, exact, wide = Symbol("d"), constant(self.exact), self.one_way - self.exact
        logarithms = (
            Apply("ln", (Quotient(d, exact),)),
            Apply("ln", (Quotient(constant(self.max_distance), exact),)),
        )
        share = Product((constant(wide), Quotient(*logarithms)))
        shared = Sum((exact, Apply("floor", (share,))))
        last = constant(self.one_way - 1)
        small = Word(f"d is less than {self.exact}")
        cases = Apply("where", (small, d, Apply("min", (last, shared))))
        return self.formula(name, *operands), define(Apply("b", (d,)), cases)

    def values(self, *operands: Matrix) -> Array:
        n, m = operands[0].shape
        ahead = np.arange(m) - np.arange(m - n, m)[:, np.newaxis]  # of the query, by so much
        return self._buckets(ahead).astype(np.float64)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        n, m = operands[0].shape
        return (constant(int(self._buckets(np.array(j - i - m + n)))),)

    def _buckets(self, ahead: NDArray[np.int_]) -> NDArray[np.int_]:
        found = np.searchsorted(self.starts, np.abs(ahead), side="right") - 1
        after = self.one_way + found if self.both else np.zeros_like(found)
        return np.where(ahead > 0, after, found)


class BucketsTurned(Buckets):
    """The buckets of how far each query is from a key, which is the other way round."""

    later = "key j is before query i"

    def _buckets(self, ahead: NDArray[np.int_]) -> NDArray[np.int_]:
        return super()._buckets(-ahead)


def _root(number: int, degree: int) -> int:
    """The least whole number whose power is no less than a number."""
    low, high = 0, 1 << -(-number.bit_length() // degree)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if middle**degree >= number else (middle + 1, high)
    return low


@dataclass(frozen=True)
class TakeByBucket(Operation):
    """For each bucket the number that a table, [buckets, heads], has for a head, as it is written.
    [n, m], [buckets, heads] -> [n, m]"""

    buckets: int
    heads: int
    head: int

    layout = "rows"
    copies = True

    def signature(self) -> str:
        return f"n m, {self.buckets} {self.heads} -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        number = at(operands[1], operands[0], str(self.head + 1))
        return define(at(name, "i", "j"), number)

    def formula_back(self, name: str, operand: int, gradient: str, *operands: str) -> Equation:  # noqa: ARG002
        """The number of a bucket gets what comes of all places that are in it."""
        alike = at(operands[0], "i", "j"), Symbol("b")
        every = Total("ij", at(gradient, "i", "j"), alike)
        return define(at(name, "b", str(self.head + 1)), every)

    def values(self, *operands: Matrix) -> Array:
        taken: Array = operands[1].values[self._rows(operands[0].values), self.head]
        return taken

    def made(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        buckets, table = operands
        written = table.written and tuple(
            tuple(table.written[row][self.head] for row in rows)
            for rows in self._rows(buckets.values).tolist()
        )
        return Matrix(self.values(*operands), table.places, table.decimals, written)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        row = self._rows(operands[0].values[i : i + 1, j : j + 1])
        return (operands[1].number(int(row[0, 0]), self.head),)

    def sources(self, operands: Sequence[Matrix]) -> NDArray[np.int_]:
        """Which of all numbers of the operands, counted from 0, each of the result is."""
        buckets = operands[0].values
        return buckets.size + self._rows(buckets) * self.heads + self.head

    def _rows(self, buckets: Array) -> NDArray[np.int_]:
        """The rows of the table; of a bucket that there isn't, as somebody may have put one in
        its place, the nearest."""
        return np.clip(buckets.astype(np.int64), 0, self.buckets - 1)
