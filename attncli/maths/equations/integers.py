"""Rounded sums and products of decimals, in the machine's whole numbers modulo 2^64.

Floats tell such a value up to a few units of the last place, so that of what it is in units of its
own last place the last 64 bits are enough, however long it is. The digits of products of matrices
would be decided without this too; but 512 × 512 at 9 decimals leave thousands of cells in doubt,
each of which takes a millisecond by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, partial, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from attncli.maths.equations import deciding
from attncli.maths.equations import tree as ex
from attncli.maths.equations.arrays import Arrays, IndexedArray, together
from attncli.maths.equations.exact import PlacesOfParts, reciprocal
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.signatures import Signature
from attncli.maths.equations.tree import Expression
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array, Cells, Doubtful

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HELD = 2.0**61
"""Whole numbers up to this can be doubled and added in the machine's 64 bits."""
_AT_A_TIME = 2**17
"""Numbers that are multiplied at a time, so that they stay in a processor's cache."""
_CELL = "c"
"""The index of a list of cells, which no equation has."""


class _UnknownError(ArithmeticError):
    """A part of an equation that is no sum or product of decimals."""


def units(
    tree: Expression, shapes: Signature, operands: Sequence[Matrix], doubtful: Doubtful
) -> Array | None:
    """Rounds the doubtful cells of an equation's result to whole units of the last place, half away
    from zero.

    Returns None where whole numbers of 64 bits can't decide them. -> [cells]
    """
    places = PlacesOfParts(operands).of(tree)
    if places is None or places > doubtful.decimals + decimals.SIGNIFICANT:
        return None
    more = places - doubtful.decimals
    if not doubtful.off * 10.0**more < _HELD:
        return None
    count = max(1, _AT_A_TIME // max(operand.shape[1] for operand in operands))
    some = (doubtful.cells.some(slice(k, k + count)) for k in range(0, doubtful.cells.size, count))
    try:
        with np.errstate(over="ignore"):
            leaves = _LeavesOfCells(shapes, operands)
            value = np.concatenate([_of_cells(tree, leaves, cells) for cells in some])
    except _UnknownError:
        return None
    return _rounded(value, doubtful.near, more)


def _of_cells(tree: Expression, leaves: _LeavesOfCells, cells: Cells) -> NDArray[np.int64]:
    made = _Units(partial(leaves.at, cells), PlacesOfParts(leaves.operands)).of(tree)
    return np.broadcast_to(made.along(_CELL)(()), cells.rows.shape)


def _rounded(value: NDArray[np.int64], near: Array, more: int) -> Array:
    """Rounds value / 10^more = c + (value − c 10^more) / 10^more, for the whole number c that is
    near."""
    scale, c = 10 ** max(more, 0), near.astype(np.int64)
    beside = 2 * (value * 10 ** max(-more, 0) - c * scale) + scale
    up = beside // (2 * scale)
    is_half = up * 2 * scale == beside
    c += up
    c -= is_half & (c <= 0)  # half below zero goes down
    return c.astype(np.float64)


@dataclass(frozen=True)
class _LeavesOfCells:
    """The leaves of an equation at a list of cells of its result."""

    shapes: Signature
    operands: Sequence[Matrix]

    def at(self, cells: Cells, node: Expression) -> IndexedArray | None:
        match node:
            case ex.Operand():
                return self._operand(cells, node)
            case ex.Length(place, axis):
                return _number(self.operands[place].shape[axis])
            case ex.Number(full):
                return _number(int(decimals.product(full, Decimal(10) ** decimals.places(full))))
        return None

    def _operand(self, cells: Cells, node: ex.Operand) -> IndexedArray:
        sides, indices = self.shapes.along(node), self.shapes.indices
        counts = self._counts[node.place]
        if sides[1] in indices and sides[0] not in indices:  # columns: they lie in memory as rows
            counts, sides = self._turned[node.place], sides[::-1]
        chosen: dict[str, int | NDArray[np.int_]] = {"": 0, "i": cells.rows, "j": cells.columns}
        at = [chosen[x] if x in indices else slice(None) for x in sides]
        array: Any = counts[tuple(at)]
        own = [_CELL if side in indices else side for side in sides if side]
        return IndexedArray("".join(dict.fromkeys(own)), lambda _: array, is_new=False)

    @cached_property
    def _counts(self) -> Sequence[NDArray[np.int64]]:
        known = [operand.counts for operand in self.operands]
        if any(counts is None for counts in known):
            raise _UnknownError
        return [counts for counts in known if counts is not None]

    @cached_property
    def _turned(self) -> Sequence[NDArray[np.int64]]:
        return [np.ascontiguousarray(counts.T) for counts in self._counts]


def _number(value: int) -> IndexedArray:
    known = np.array((value + 2**63) % 2**64 - 2**63)
    return IndexedArray("", lambda _: known, is_new=False)


class _Units(Arrays):
    """The parts of an equation, each in units of the last of its decimals."""

    def __init__(
        self, leaf: Callable[[Expression], IndexedArray | None], places: PlacesOfParts
    ) -> None:
        super().__init__(leaf)
        self.places = places

    def of_sum(self, node: ex.Sum) -> IndexedArray:
        most = self.places.of(node)
        terms = []
        for term in node.terms:
            more, part = (most or 0) - (self.places.of(term) or 0), self.of(term)
            terms.append(together(np.multiply, part, _number(10**more)) if more else part)
        return reduce(lambda total, term: together(np.add, total, term), terms)

    def of_quotient(self, node: ex.Quotient) -> IndexedArray:
        over = reciprocal(deciding.full(self.places.counted(node.divisor)))
        if over is None:
            raise _UnknownError
        return together(np.multiply, self.of(node.dividend), self.of(ex.Number.written(over)))

    def of_apply(self, node: ex.Expression) -> IndexedArray:  # noqa: ARG002
        raise _UnknownError

    of_root = of_reduced = of_apply
