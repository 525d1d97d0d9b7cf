"""Relative positions: how far each key is from a query, in buckets, and what is looked up by these.

T5's buckets: Raffel et al. 2019, arXiv:1910.10683, 2.1. DeBERTa's: He et al. 2020,
arXiv:2006.03654, 3.1; those that far distances share are from the code of its second version.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import (
    Apply,
    Equation,
    Expression,
    Product,
    Quotient,
    Relation,
    Sum,
    Symbol,
    Total,
    at,
    constant,
    define,
    minus,
)
from attncli.maths.numbers.rounding import Array, IndexArray, Rounding
from attncli.maths.operations.operation import Operation, WholeNumbers, Working
from attncli.names import Word


@dataclass(frozen=True)
class Buckets(WholeNumbers):
    """The bucket, from 0, of the distance of each key from a query, the last query being at the
    last key; the operand gives the shape only. [n, m] -> [n, m]

    Half of the buckets have one distance each, the others more and more, up to `max_distance` and
    beyond. With `both`, the second half of all buckets is for keys after the query; without it,
    those are in bucket 0.
    """

    count: int
    max_distance: int
    both: bool = True
    turned: bool = False
    """Whether it is how far the query is from the key, which is a mistake."""

    shapes = "n m -> n m"
    takes_only_sizes = True

    @property
    def later(self) -> Word:
        """Says in words when a key has one of the buckets for keys after the query."""
        return Word("key j is before query i" if self.turned else "key j is after query i")

    @property
    def one_way(self) -> int:
        """Counts the buckets for keys on one side."""
        return self.count // 2 if self.both else self.count

    @property
    def exact(self) -> int:
        """Counts the distances that have a bucket of their own."""
        return self.one_way // 2

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Lists the least distance of each bucket on one side."""
        return tuple(self._starts())

    def _starts(self) -> Iterator[int]:
        """Yields the least d with ⌊L · ln(d / exact) / ln(max_distance / exact)⌋ = k, for k of L
        such buckets.

        In whole numbers that is d^L ≥ max_distance^k · exact^(L − k), which no rounded logarithm
        can miss.
        """
        yield from range(self.exact)
        wide, distance = self.one_way - self.exact, self.exact
        for k in range(wide):
            least = self.max_distance**k * self.exact ** (wide - k)
            distance = max(distance, _root(least, wide))
            yield distance

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        b = Apply("b", (Apply("distance", (Symbol("i"), Symbol("j"))),))
        after: Expression = Sum((constant(self.one_way), b)) if self.both else constant(0)
        return define(at(name, "i", "j"), Apply("where", (self.later, after, b)))

    def formulas(self, name: str, *operands: str) -> tuple[Equation, ...]:
        """Writes which bucket a query and a key have, and which a distance has."""
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
        return self._buckets(-ahead if self.turned else ahead).astype(np.float64)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        n, m = operands[0].shape
        ahead = np.array(j - i - m + n)
        return (constant(int(self._buckets(-ahead if self.turned else ahead))),)

    def _buckets(self, ahead: IndexArray) -> IndexArray:
        found = np.searchsorted(self.starts, np.abs(ahead), side="right") - 1
        after = self.one_way + found if self.both else np.zeros_like(found)
        return np.where(ahead > 0, after, found)


class SignedBuckets(Buckets):
    """The row, from 0, that DeBERTa has for the distance i − j of a query i from a key j. [n, m] ->
    [n, m]

    Row `count` / 2 is for the same place, the rows before it for keys after the query. Distances
    beyond the ends are at the ends; with a `max_distance` above 0 far ones share a row, in
    logarithmic steps.
    """

    @property
    def exact(self) -> int:
        return self.one_way // 2 if self.max_distance else self.one_way

    def _starts(self) -> Iterator[int]:
        """Yields the least d with ⌈(exact − 1) · ln(d / exact) / ln((max_distance − 1) / exact)⌉ =
        k + 1, worked in whole numbers."""
        yield from range(self.exact + 1)
        near, most = self.exact, self.max_distance - 1
        for k in range(self.one_way - near):
            yield _root(most**k * near ** (near - 1) // near**k + 1, near - 1)

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        b = Apply("b", (Apply("distance", (Symbol("i"), Symbol("j"))),))
        half, last = constant(self.one_way), constant(self.count - 1)
        before = Apply("min", (last, Sum((half, b))))
        places = Apply("where", (self.later, minus(half, b), before))
        return define(at(name, "i", "j"), places)

    def formulas(self, name: str, *operands: str) -> tuple[Equation, ...]:
        d, half, near = Symbol("d"), constant(self.one_way), constant(self.exact)
        shared: Expression = half
        if self.max_distance:
            above = Apply("ln", (Quotient(d, near),))
            below = Apply("ln", (Quotient(constant(self.max_distance - 1), near),))
            steps = Product((constant(self.exact - 1), Quotient(above, below)))
            shared = Apply("min", (half, Sum((near, Apply("ceil", (steps,))))))
        small = Word(f"d is at most {self.exact}")
        b = define(Apply("b", (d,)), Apply("where", (small, d, shared)))
        return self.formula(name, *operands), b

    def _buckets(self, ahead: IndexArray) -> IndexArray:
        found = np.searchsorted(self.starts, np.abs(ahead), side="right") - 1
        return np.clip(self.one_way - np.sign(ahead) * found, 0, self.count - 1)


def _root(number: int, degree: int) -> int:
    """Finds the least whole number whose power to `degree` is at least `number`."""
    low, high = 0, 1 << -(-number.bit_length() // degree)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if middle**degree >= number else (middle + 1, high)
    return low


@dataclass(frozen=True)
class TakeByBucket(Operation):
    """The number that a table [buckets, heads] has for each bucket and one head, as it is written.
    [n, m], [buckets, heads] -> [n, m]"""

    buckets: int
    heads: int = 0
    head: int = 0

    layout = "rows"
    copies = True

    def signature(self) -> str:
        return f"n m, {self.buckets} {self.heads} -> n m"

    @property
    def over(self) -> str:
        """Names the indices that a number's gradient is summed over: all places with its bucket."""
        return "ij"

    def _called(self, bucket: str) -> tuple[str, ...]:
        """Names the place in the table of what is taken for query i and key j, in a formula."""
        return bucket, str(self.head + 1)

    def _place(
        self,
        i: IndexArray,  # noqa: ARG002
        j: IndexArray,  # noqa: ARG002
        bucket: IndexArray,
    ) -> tuple[IndexArray, IndexArray]:
        """Returns the row and the column, from 0, of what is taken for query i and key j."""
        return bucket, np.full_like(bucket, self.head)

    def formula(self, name: str, *operands: str) -> Equation:
        return define(at(name, "i", "j"), at(operands[1], *self._called(operands[0])))

    def formula_back(self, name: str, operand: int, gradient: str, *operands: str) -> Equation:  # noqa: ARG002
        """Writes the formula of the table's gradient: a bucket's number gets the sum over all
        places that are in it."""
        met = Relation("=", at(operands[0], "i", "j"), Symbol("b"))
        every = Total(self.over, at(gradient, "i", "j"), met)
        return define(at(name, *self._called("b")), every)

    def values(self, *operands: Matrix) -> Array:
        taken: Array = operands[1].values[self._places(operands[0].values)]
        return taken

    def round_result(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        table = operands[1]
        rows, columns = (places.tolist() for places in self._places(operands[0].values))
        written = table.written and tuple(
            tuple(table.written[i][j] for i, j in zip(*places, strict=True))
            for places in zip(rows, columns, strict=True)
        )
        return Matrix(self.values(*operands), table.places, table.decimals, written)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        bucket = self._known(operands[0].values[i, j])
        row, column = self._place(np.array(i), np.array(j), bucket)
        return (operands[1].number(int(row), int(column)),)

    def sources(self, operands: Sequence[Matrix]) -> IndexArray:
        """Returns, for each number of the result, which of all numbers of the operands it is,
        counted from 0. -> [n, m]"""
        rows, columns = self._places(operands[0].values)
        return operands[0].size + rows * operands[1].shape[1] + columns

    def _places(self, buckets: Array) -> tuple[IndexArray, IndexArray]:
        """Returns the rows and columns of the table, for each query and key."""
        at_each = np.indices(buckets.shape)
        return self._place(at_each[0], at_each[1], self._known(buckets))

    def _known(self, buckets: Array) -> IndexArray:
        """Replaces a bucket that doesn't exist, as somebody may have written one, by the
        nearest."""
        return np.clip(np.asarray(buckets, dtype=np.int64), 0, self.buckets - 1)


@dataclass(frozen=True)
class TakeInRow(TakeByBucket):
    """The number that the row of each query i, or of each key j, has for their bucket. [n, m], [n,
    b] -> [n, m], or of keys [n, m], [m, b] -> [n, m]"""

    of: Literal["i", "j"] = "i"

    def signature(self) -> str:
        return f"n m, {'n' if self.of == 'i' else 'm'} {self.buckets} -> n m"

    @property
    def over(self) -> str:
        return "j" if self.of == "i" else "i"

    def _called(self, bucket: str) -> tuple[str, ...]:
        return self.of, bucket

    def _place(
        self, i: IndexArray, j: IndexArray, bucket: IndexArray
    ) -> tuple[IndexArray, IndexArray]:
        return (i if self.of == "i" else j), bucket
