"""Settling what floats leave in doubt: how a number rounds under `carry`, and under `exact` what is
little beside the terms that it is left of.

Sums and products of decimals are settled many at once in whole numbers, all else cell by cell from
its operands, as `evaluation` decides it. A float has 52 bits, and where terms cancel each other few
of them may be left: 1 − tanh²(20) is 1.7e-17, and comes to 0. Such a number is worked again in
sixty digits, from what is given on, as far as that is not too much work.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from attncli.arithmetic import decimals as numbers
from attncli.arithmetic import evaluation
from attncli.arithmetic.matrix import Matrix, Written
from attncli.arithmetic.rounding import Array, Doubtful, Unworkable

if TYPE_CHECKING:
    from attncli.arithmetic.operations.base import Operation

_MOST_TERMS = 100_000
"""So many numbers are worked with in less than a second."""
_NOTHING = 1e-25
"""What is this much smaller than what floats may be off by is left of last digits of its terms."""
_KEPT = Context(prec=evaluation.ENOUGH, Emax=MAX_EMAX, Emin=MIN_EMIN)


class Worked:
    """The operation that a matrix [n, m] was made by, and the matrices that it was made of."""

    def __init__(
        self, operation: Operation, operands: tuple[Matrix, ...], shape: tuple[int, int]
    ) -> None:
        self.operation, self.operands, self.shape = operation, operands, shape

    @property
    def numbers(self) -> Written | None:
        """The numbers to fifty digits or so; None where that is too much work."""
        if not self.is_workable:
            return None
        self._first("_numbers")
        return self._numbers

    @property
    def is_workable(self) -> bool:
        """Whether it is not too much work."""
        if self._least > _MOST_TERMS or any(one._least > _MOST_TERMS for one in self._sources):
            return False  # whatever else it was worked from
        if "_depth" not in vars(self):
            self._first("_depth")
        return self._depth <= _MOST_TERMS

    @cached_property
    def _depth(self) -> int:
        """How many numbers it takes, on the longest way from what is given."""
        before = max((source._depth for source in self._sources), default=0)
        return before if before > _MOST_TERMS else before + self._terms

    @cached_property
    def _numbers(self) -> Written | None:
        operands = [operand.in_full for operand in self.operands]
        known = [operand for operand in operands if operand is not None]
        if len(known) < len(operands):
            return None
        noise = _NOTHING * _known(self.operation.error(*self.operands).absolute, self.shape)
        rows, columns = self.shape
        return tuple(
            tuple(self._number(i, j, known, float(noise[i, j])) for j in range(columns))
            for i in range(rows)
        )

    def _number(self, i: int, j: int, operands: list[Matrix], noise: float) -> Decimal:
        number = evaluation.full(self.operation.first_form(i, j, *operands))
        return Decimal(0) if abs(number) < noise else _KEPT.plus(number)

    @property
    def _terms(self) -> int:
        """How many numbers it takes to work this from its operands."""
        if self._least > _MOST_TERMS:
            return self._least
        rows, columns = self.shape
        return rows * columns * self.operation.leaves(*self.operands)

    @property
    def _least(self) -> int:
        """The same, or fewer that are quicker to count."""
        rows, columns = self.shape
        return rows * columns * self.operation.terms(*self.operands)

    @cached_property
    def _sources(self) -> Sequence[Worked]:
        """What the operands were worked from; nothing that matters where it takes too many numbers
        whatever that is."""
        if self._least > _MOST_TERMS:
            return ()
        return [one.source for one in self.operands if isinstance(one.source, Worked)]

    def _first(self, attribute: str) -> None:
        """Works out an attribute of all that this was worked from, in turn: what goes on for a
        thousand times would otherwise nest as deep."""
        waiting = [self]
        while waiting:
            missing = [one for one in waiting[-1]._sources if attribute not in vars(one)]
            if missing:
                waiting += missing
            else:
                getattr(waiting.pop(), attribute)


_AT_A_TIME = 2**16
"""Numbers that a processor's cache holds, several times over."""
_LITTLE = 2.0**28
"""Times what it may be off by: a number that is no larger may have lost half of its 52 bits."""


class Settling:
    """The true values of an operation's result to so many decimals; cell by cell those that take no
    more than so many numbers all together."""

    def __init__(self, operation: Operation, operands: tuple[Matrix, ...], most: float) -> None:
        self.operation, self.operands, self.most = operation, operands, most

    def units(self, doubtful: Doubtful) -> Array:
        known = self.operation.units(doubtful, *self.operands)
        if known is not None:
            return known
        cells, work = doubtful.cells, self.operation.leaves(*self.operands)
        if cells.size * work > self.most:
            what = f"{cells.size:,} numbers are too long for floats to round them"
            instead = "fewer decimals, or --large (in Python large=True),"
            raise Unworkable(int(cells.rows[0]), what, instead)
        return np.array([self._cell(i, j, doubtful.decimals) for i, j in zip(*cells, strict=True)])

    def _cell(self, i: int, j: int, decimals: int) -> float:
        form = self.operation.first_form(int(i), int(j), *self.operands)
        return numbers.units(evaluation.rounded(form, decimals), decimals)


def settle_cancelled(values: Array, source: Worked) -> None:
    """Puts right, in place, what is little beside the terms that it is left of; of numbers that
    are too much work in full, sets what is no more than noise to 0."""
    operation, operands = source.operation, source.operands
    if not source.is_workable:
        # a trace of 512 × 512 takes 1.4 times as long as NumPy's, by the bound of each cell 1.6
        largest = operation.largest_error(*operands)
        if not largest or _least(values) > largest:
            return
        noise = _known(operation.error(*operands).absolute, values.shape)
        values[np.abs(values) <= noise] = 0.0
        return
    off = operation.error(*operands).absolute
    if not isinstance(off, np.ndarray) and not off:
        return
    little = np.abs(values) <= off * _LITTLE
    numbers = source.numbers if little.any() else None
    if numbers is not None:
        for i, j in np.argwhere(little).tolist():
            values[i, j] = float(numbers[i][j])


def _least(values: Array) -> float:
    """The smallest size, some rows at a time, which stay in a processor's cache."""
    count = max(1, _AT_A_TIME // values.shape[1])
    rows = range(0, len(values), count)
    return min(float(np.abs(values[k : k + count]).min()) for k in rows)


def _known(off: Array | float, shape: tuple[int, int]) -> Array:
    """How far each value may be off, 0 where that isn't known."""
    return np.broadcast_to(np.where(np.isfinite(off), off, 0.0), shape)
