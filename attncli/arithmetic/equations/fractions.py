"""What the values of an equation round to, where they are fractions of whole numbers: exact.

A value is N / D, and floats tell it up to a few units of the last place. So the whole number of
units near it is known but for a few, and N less so many D is small: it is right when it is worked
modulo 2^64, however long N is. Where D itself is too long for that, all is worked in full.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from types import MappingProxyType
from typing import Any

import numpy as np

from attncli.arithmetic import evaluation
from attncli.arithmetic import expression as ex
from attncli.arithmetic.equations.at_cells import Portion
from attncli.arithmetic.equations.ratios import (
    ONES,
    Ratio,
    Wholes,
    added,
    multiplied,
    number,
    times,
    times_ten,
)
from attncli.arithmetic.expression import Expression, Node, each
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Array, Cells, Doubtful
from attncli.arithmetic.signature import Signature
from attncli.arithmetic.whole import Whole, products_at, whole_product

_MACHINE = 2.0**61
"""Whole numbers up to this can be doubled and added in the machine's 64 bits."""
_DENSE, _DENSE_SUMS, _DENSE_LONG_SUMS = 16, 6, 128
"""One cell in so many, or more, are quicker worked with all the others in their rows; of sums of
products, which are products of matrices then, and of those of Python's whole numbers."""


class _Unknown(ArithmeticError):  # noqa: N818  (a property of the numbers, not a fault)
    """What no fractions are known for."""


class _TooLong(ArithmeticError):  # noqa: N818  (a property of the numbers, not a fault)
    """Numbers that are too long for the machine's."""


@dataclass(frozen=True)
class Fractions:
    """The values of an equation, as far as these are fractions of its numbers."""

    tree: Expression
    shapes: Signature

    def units(self, operands: Sequence[Matrix], doubtful: Doubtful) -> Array | None:
        """Some cells of the result in whole units, half away from zero; None where no fractions are
        known."""
        if not self._is_rational:
            return None
        for kind in (np.int64, object):
            part = self._part(doubtful.cells, operands, kind)
            try:
                return _rounded(_Ratios(part, operands, kind).of(self.tree), part, doubtful)
            except _TooLong:
                continue
            except _Unknown:
                break
        return None

    @cached_property
    def _is_rational(self) -> bool:
        return all(map(_is_rational, each(self.tree, Node)))

    @cached_property
    def _has_sums(self) -> bool:
        return any(True for _ in each(self.tree, ex.Total))

    def _part(self, cells: Cells, operands: Sequence[Matrix], kind: type) -> Portion:
        """The cells, or all rows that they are in where they are many."""
        first, last = int(cells.rows[0]), int(cells.rows[-1])
        extents = self.shapes.extents([operand.shape for operand in operands])
        width, dense = extents[self.shapes.result[1]], _DENSE
        if self._has_sums:
            dense = _DENSE_SUMS if kind is np.int64 else _DENSE_LONG_SUMS
        if cells.size * dense < (last + 1 - first) * width:
            return Portion(self.shapes, cells)
        return Portion(self.shapes, slice(first, last + 1))


def _is_rational(node: Expression) -> bool:
    """Whether a part of an equation makes a fraction of fractions."""
    match node:
        case ex.Power(base, exponent):
            return base != ex.E and exponent == ex.TWO
        case ex.Root() | ex.Symbol() | ex.Number():
            return _known(node) is not None
        case _:
            return type(node) in _RATIOS


@lru_cache(maxsize=256)
def _known(node: Expression) -> tuple[int, int, int] | None:
    """A constant as a whole number over another one, in units of the last of some decimals."""
    known = evaluation.fraction(node)
    if known is None:
        return None
    places = _places(known)
    known *= 10**places
    return known.numerator, known.denominator, places


def _places(number: Fraction) -> int:
    """The decimals that take the twos and fives out of its denominator."""
    places, rest = 0, number.denominator
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        places = max(places, count)
    return places


def _rounded(ratio: Ratio, part: Portion, doubtful: Doubtful) -> Array:
    """N / D in whole units: N / D = c + (N − c D) / D for the units c that are near it."""
    cells, near, off, decimals = doubtful
    more = decimals - ratio.places
    over, under = times_ten(ratio.over, more), times_ten(ratio.under, -more)
    N, D = (_at(one, part, cells) for one in (over, under))
    if N.dtype != object and not under.size * (off + 2) < _MACHINE:
        raise _TooLong
    c = near.astype(np.int64).astype(N.dtype, copy=False)
    beside, twice = 2 * (N - c * D) + D, 2 * D
    up = beside // twice
    is_half = up * twice == beside
    c += up
    c -= is_half & (c <= 0)  # half below zero goes down
    return c.astype(np.float64)


def _at(one: Wholes, part: Portion, cells: Cells) -> Whole:
    """The numbers of the cells that were asked for."""
    if not one.indices:
        return one.array
    indices = part.indices
    array = one.along(indices)
    if isinstance(part.chosen, Cells):
        return array
    places = {"i": cells.rows - part.chosen.start, "j": cells.columns}
    at = (places[x] if n > 1 else 0 for x, n in zip(indices, array.shape, strict=True))
    return np.asarray(array[tuple(at)])


@dataclass(frozen=True)
class _Ratios:
    """The parts of an equation as fractions, of Python's whole numbers or of the machine's."""

    part: Portion
    operands: Sequence[Matrix]
    kind: type

    def of(self, node: Expression) -> Ratio:
        return _RATIOS[type(node)](self, node)

    def operand(self, node: ex.Operand) -> Ratio:
        counts, size, places = self._counts(node)
        indices = self.part.along(node)
        if len({*indices}) < len(indices):
            raise _Unknown
        array: Whole = self.part.of(counts, node).astype(self.kind, copy=False)
        return Ratio(Wholes(indices, array, size), ONES[self.kind], places)

    def extent(self, node: ex.Length) -> Ratio:
        count = self.operands[node.place].shape[node.axis]
        return Ratio(number(count, self.kind), ONES[self.kind])

    def constant(self, node: Expression) -> Ratio:
        known = _known(node)
        if known is None:
            raise _Unknown
        over, under, places = known
        return Ratio(number(over, self.kind), number(under, self.kind), places)

    def added(self, node: ex.Sum) -> Ratio:
        return reduce(added, map(self.of, node.terms))

    def negative(self, node: ex.Negative) -> Ratio:
        over, under, places = self.of(node.operand)
        return Ratio(Wholes(over.indices, np.negative(over.array), over.size), under, places)

    def product(self, node: ex.Product) -> Ratio:
        return reduce(multiplied, map(self.of, node.factors))

    def power(self, node: ex.Power) -> Ratio:
        base = self.of(node.base)
        return multiplied(base, base)

    def quotient(self, node: ex.Quotient) -> Ratio:
        above, below = self.of(node.dividend), self.of(node.divisor)
        self._check_held(below.over)
        if not (below.over.array > 0).all():
            raise _Unknown
        over, under = times(above.over, below.under), times(above.under, below.over)
        return Ratio(over, under, above.places - below.places)

    def _check_held(self, wholes: Wholes) -> None:
        """Raises _TooLong for numbers that may be there modulo 2^64 only."""
        if self.kind is not object and not wholes.size < _MACHINE:
            raise _TooLong

    def total(self, node: ex.Total) -> Ratio:
        match node.operand:
            case ex.Product((ex.Operand() as x, ex.Operand() as w)) if self._multiplies(
                x, w, node.over
            ):
                return self._products(x, w, node.over)
        over, under, places = self.of(node.operand)
        if under.indices or not {*node.over} <= {*over.indices}:
            raise _Unknown
        axes = tuple(map(over.indices.index, node.over))
        left = "".join(index for index in over.indices if index not in node.over)
        size = over.size * math.prod(over.array.shape[axis] for axis in axes)
        return Ratio(Wholes(left, np.asarray(over.array.sum(axis=axes)), size), under, places)

    def _multiplies(self, x: ex.Operand, w: ex.Operand, over: str) -> bool:
        """Whether two operands are multiplied as matrices, in a way that is known to be quick."""
        if self.kind is object and isinstance(self.part.chosen, Cells):
            return False
        own = sorted(index for index in x.indices + w.indices if index != over)
        return own == ["i", "j"] and over in x.indices and over in w.indices

    def _products(self, x: ex.Operand, w: ex.Operand, over: str) -> Ratio:
        """The sums of the products of two matrices over an index of both."""
        (X, x_size, x_places), (W, w_size, w_places) = self._counts(x), self._counts(w)
        i, j = (one.indices[one.indices[0] == over] for one in (x, w))
        chosen, indices = self.part.chosen, i + j
        X = X if x.indices == (i, over) else X.T
        W = W if w.indices == (over, j) else W.T
        if isinstance(chosen, Cells):
            at = {"i": chosen.rows, "j": chosen.columns}
            product, indices = products_at(X, W.T, at[i], at[j]), self.part.indices
        else:
            X, W = X[chosen] if i == "i" else X, W[:, chosen] if j == "i" else W
            product = whole_product(X, W, self.kind, (x_size, w_size))
        size = x_size * w_size * X.shape[1]
        return Ratio(Wholes(indices, product, size), ONES[self.kind], x_places + w_places)

    def _counts(self, node: ex.Operand) -> tuple[Whole, float, int]:
        """An operand in the machine's whole units of its last place, none larger than a size, and
        what place that is."""
        operand = self.operands[node.place]
        counts, places = operand.counts, operand.places
        if counts is None or places is None:
            raise _Unknown
        return counts, operand.range.size * 10.0**places + 1, places


_RATIOS: Mapping[type, Callable[[_Ratios, Any], Ratio]] = MappingProxyType(
    {
        ex.Operand: _Ratios.operand,
        ex.Length: _Ratios.extent,
        ex.Number: _Ratios.constant,
        ex.Symbol: _Ratios.constant,
        ex.Root: _Ratios.constant,
        ex.Sum: _Ratios.added,
        ex.Negative: _Ratios.negative,
        ex.Product: _Ratios.product,
        ex.Power: _Ratios.power,
        ex.Quotient: _Ratios.quotient,
        ex.Total: _Ratios.total,
    }
)
