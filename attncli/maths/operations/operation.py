"""Operations on matrices, and how the digits that floats leave in doubt are decided.

That is how a number rounds under `carry`, and under `exact` what is little beside the terms that it
is left of. Sums and products of decimals are decided many at once in whole numbers, all else cell
by cell from its operands (`equations.deciding`). A float has 52 bits, and where terms cancel each
other few of them may be left: 1 − tanh²(20) is 1.7e-17, and comes to 0. Such a number is worked
again in sixty digits, from what is given on, as far as that is not too much work.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from attncli.maths.equations import deciding
from attncli.maths.equations.bounds import EPSILON
from attncli.maths.equations.elision import shown_entries
from attncli.maths.equations.matrix import Matrix, Written
from attncli.maths.equations.signatures import Signature, parse
from attncli.maths.equations.tree import Equation, Expression, Vector, constant, define, leaves
from attncli.maths.equations.working import simplification_steps
from attncli.maths.numbers import decimals as numbers
from attncli.maths.numbers.rounding import (
    Array,
    Doubtful,
    Error,
    Rounding,
    Unworkable,
    carry,
    check_finite,
    cleanse,
)

if TYPE_CHECKING:
    from attncli.maths.equations.enclosures import Enclosure, Roundoffs


_MOST_TERMS = 100_000
"""So many numbers are worked with in less than a second."""
_NOTHING = 1e-25
"""What is this much smaller than what floats may be off by is left of last digits of its terms."""
_KEPT = Context(prec=deciding.ENOUGH, Emax=MAX_EMAX, Emin=MIN_EMIN)


class Provenance:
    """The operation and the operands that a matrix [n, m] was made of."""

    def __init__(
        self, operation: Operation, operands: tuple[Matrix, ...], shape: tuple[int, int]
    ) -> None:
        self.operation, self.operands, self.shape = operation, operands, shape

    @property
    def numbers(self) -> Written | None:
        """Works the numbers out to fifty digits or so; returns None where that is too much work."""
        if not self.is_workable:
            return None
        self._first("_numbers")
        return self._numbers

    @property
    def is_workable(self) -> bool:
        """Tells whether the numbers can be worked out in full without too much work."""
        if self._least > _MOST_TERMS or any(s._least > _MOST_TERMS for s in self._sources):
            return False  # whatever else it was worked from
        if "_depth" not in vars(self):
            self._first("_depth")
        return self._depth <= _MOST_TERMS

    @cached_property
    def _depth(self) -> int:
        """Counts the numbers that it takes, on the longest way from what is given."""
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
        number = deciding.full(self.operation.first_form(i, j, *operands))
        return Decimal(0) if abs(number) < noise else _KEPT.plus(number)

    @property
    def _terms(self) -> int:
        """Counts the numbers that it takes to work this from its operands."""
        if self._least > _MOST_TERMS:
            return self._least
        rows, columns = self.shape
        return rows * columns * self.operation.leaves(*self.operands)

    @property
    def _least(self) -> int:
        """Counts the same numbers, or fewer that are quicker to count."""
        rows, columns = self.shape
        return rows * columns * self.operation.terms(*self.operands)

    @cached_property
    def _sources(self) -> Sequence[Provenance]:
        """Lists what the operands were worked from; nothing, where this alone takes too many
        numbers."""
        if self._least > _MOST_TERMS:
            return ()
        return [o.source for o in self.operands if isinstance(o.source, Provenance)]

    def _first(self, attribute: str) -> None:
        """Computes an attribute of everything that this was worked from, in turn: a chain of a
        thousand operations would otherwise nest as deep."""
        waiting = [self]
        while waiting:
            missing = [s for s in waiting[-1]._sources if attribute not in vars(s)]
            if missing:
                waiting += missing
            else:
                getattr(waiting.pop(), attribute)


_AT_A_TIME = 2**16
"""Numbers that a processor's cache holds, several times over."""
_LITTLE = 2.0**28
"""Times what it may be off by: a number that is no larger may have lost half of its 52 bits."""


class TrueDigits:
    """The true values of an operation's result, worked from its operands where floats can't decide
    a digit.

    Cell by cell it works with at most `most` numbers.
    """

    def __init__(self, operation: Operation, operands: tuple[Matrix, ...], most: float) -> None:
        self.operation, self.operands, self.most = operation, operands, most

    def units(self, doubtful: Doubtful) -> Array:
        """Returns the true values of doubtful cells in whole units of the last place. -> [cells]

        Raises Unworkable where that takes more than `most` numbers.
        """
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
        return numbers.units(deciding.rounded(form, decimals), decimals)


def settle_cancelled(values: Array, source: Provenance) -> None:
    """Corrects, in place, values that are small beside the terms that cancelled to give them.

    Where working in full is too much, sets what is no larger than the noise of floats to 0.
    """
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
    """Finds the smallest absolute value, some rows at a time, which stay in a processor's cache."""
    count = max(1, _AT_A_TIME // values.shape[1])
    rows = range(0, len(values), count)
    return min(float(np.abs(values[k : k + count]).min()) for k in rows)


def _known(off: Array | float, shape: tuple[int, int]) -> Array:
    """Returns how far each value may be off, 0 where that isn't known. -> `shape`"""
    return np.broadcast_to(np.where(np.isfinite(off), off, 0.0), shape)


Layout = Literal["cells", "rows", "sums", "addition"]
"""A cell a line; a row a line; a row a line with its sums inside, where they are short; or
vectors added up in columns."""

Working = tuple[Expression, ...]
"""The forms that a piece of working goes through, all of one value: `1×1 + 1×0`, `1 + 0`."""


@dataclass(frozen=True)
class Operation(ABC):
    """A way to make one matrix of others.

    `values` does it at NumPy's speed, `cell` gives the working of one number of the result. The two
    agree for every cell, which the tests check.
    """

    layout: ClassVar[Layout] = "cells"
    """How its full working is laid out on a page."""

    copies: ClassVar[bool] = False
    """Whether it only puts numbers elsewhere, so that there is nothing to work out."""

    stands_in_a_table: ClassVar[bool] = False
    """Whether what it makes is a part of a table that stands on the page."""

    is_condition: ClassVar[bool] = False
    """Whether it tells which numbers meet a condition, only to hide the others."""

    untold: ClassVar[bool] = False
    """Whether no page tells what it makes, since everybody knows it: the places along a side."""

    takes_only_sizes: ClassVar[bool] = False
    """Whether of its operands it uses no numbers, but how large they are."""

    first_for_size: ClassVar[bool] = False
    """Whether of the first of them it uses no more than that."""

    is_enclosed: ClassVar[bool] = False
    """Whether it says itself where its result lies, of many candidates too."""

    shapes: ClassVar[str]
    """What `signature` is, where that is fixed."""

    @property
    def repeats(self) -> bool:
        """Tells whether its numbers are its last operand's, or these put back to where they came
        from."""
        return False

    def signature(self) -> str:
        """Returns the shapes that it takes and gives: `n k, k m -> n m`.

        A letter, or a letter and digits such as `a2`, is one extent wherever it stands; `3*b` and
        `a+b` are extents made of others, `2` is one that is fixed. An axis of the result that
        stands alone in an operand has that operand's names.
        """
        return self.shapes

    @cached_property
    def sides(self) -> Signature:
        """Parses the signature."""
        return parse(self.signature())

    @abstractmethod
    def formula(self, name: str, *operands: str) -> Equation:
        """Writes what it makes of its operands, by their names: `Q = X W_Q`."""

    def formulas(self, name: str, *operands: str) -> tuple[Equation, ...]:
        """Writes its formula as a page shows it: in several equations where one is too much for a
        line."""
        return (self.formula(name, *operands),)

    @abstractmethod
    def values(self, *operands: Matrix) -> Array:
        """Computes the result in full, as a new array. Raises ValueError where the shapes don't
        fit."""

    @abstractmethod
    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        """Returns the forms of the working of the result's cell (i, j), the last one before its
        value."""

    def brief(self, i: int, j: int, *operands: Matrix) -> Working:
        """Returns the same forms as a page shows them, which need not have all terms of a long
        sum."""
        return self.cell(i, j, *operands)

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        """Returns the result's cell (i, j) in numbers of which none is worked out yet."""
        return self.cell(i, j, *operands)[0]

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        """Returns the first form for numbers that may change: with its conditions, met or not."""
        return self.first_form(i, j, *operands)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        """Returns the forms of the working of a whole row, as vectors; `names` are the operands'.
        Empty where it is told cell by cell."""
        return ()

    def terms(self, *operands: Matrix) -> int:  # noqa: ARG002
        """Counts the numbers, or more than these, that one number of the result is computed
        from."""
        return 1

    def factors_summed(self, *operands: Matrix) -> Mapping[int, int]:  # noqa: ARG002
        """Finds the operands, by their places, that are factors of products that are summed, as in
        a product of matrices, and how many products each sum has."""
        return {}

    def leaves(self, *operands: Matrix) -> int:
        """Counts the numbers in the first form of a cell."""
        plain = (operand.without_source for operand in operands)
        return sum(1 for _ in leaves(self.first_form(0, 0, *plain)))

    def places(self, *operands: Matrix) -> int | None:  # noqa: ARG002
        """Counts the decimals that hold every true value of the result; None where no number of
        them does."""
        return None

    def error(self, *operands: Matrix) -> Error:  # noqa: ARG002
        """Bounds how far `values` is from the true values of written operands."""
        return Error(0.0, 4 * EPSILON)

    def largest_error(self, *operands: Matrix) -> float:
        """Bounds the absolute part of that error for all numbers at once, which may be quicker."""
        return float(np.max(self.error(*operands).absolute))

    def enclosed(
        self,
        operands: Sequence[Enclosure],  # noqa: ARG002
        rounded: Roundoffs,  # noqa: ARG002
    ) -> Enclosure | None:
        """Encloses the result, whose operands lie in these enclosures, where what is made on the
        way is `rounded`; returns None where that is done cell by cell."""
        return None

    def units(self, doubtful: Doubtful, *operands: Matrix) -> Array | None:  # noqa: ARG002
        """Rounds doubtful cells to whole units of the last place, many at once; returns None where
        that can't be done."""
        return None

    def check(self, result: Matrix, *operands: Matrix) -> None:  # noqa: B027
        """Raises Unworkable where the result, as rounded, can't be used next."""

    def remark(self, *operands: Matrix) -> str | None:  # noqa: ARG002
        """Returns what has to be said of how it was done on these numbers, if anything."""
        return None

    @property
    def only_moves(self) -> bool:
        """Tells whether each number that it makes is one of its operands', whether or not it says
        which."""
        return self.copies

    def make(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:
        """Computes the result, rounded as `rounding` says for `step`.

        Raises Unworkable for numbers that can't be worked with, ValueError for shapes that don't
        fit.
        """
        result = self.round_result(rounding, step, *operands)
        if result.places is None and result.written is None and result.source is None:
            result = result.worked_from(Provenance(self, operands, result.shape))
        self.check(result, *operands)
        return result

    @np.errstate(all="ignore")  # what isn't finite is refused
    def round_result(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:
        """Computes the result of `make`, which doesn't know yet what it was worked from."""
        values = self.values(*operands)
        check_finite(values)
        decimals, places = rounding.of(step), self.places(*operands)
        if rounding.carries:
            true_digits = TrueDigits(self, operands, rounding.most_settled)
            carry(values, self.error(*operands), places, decimals, true_digits)
            return Matrix(values, decimals if places is None else min(places, decimals), decimals)
        if places is not None and cleanse(values, self.error(*operands), places, places):
            return Matrix(values, places, decimals)
        source = Provenance(self, operands, values.shape)
        settle_cancelled(values, source)
        values += 0.0  # no minus zero
        return Matrix(values, None, decimals, source=source)


class ByFirstForm(Operation):
    """An operation whose working follows from the first form of each cell."""

    @abstractmethod
    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        """Returns the cell's equation with numbers for its operands."""

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return simplification_steps(self.first_form(i, j, *operands))


class WholeNumbers(Operation):
    """A table of whole numbers, whatever the rounding, with nothing to work out."""

    layout = "rows"
    copies = True

    def round_result(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        return Matrix(self.values(*operands), 0, 0)


class ZeroOne(WholeNumbers):
    """A table of ones and zeros: which numbers are seen, or kept."""


class One(ZeroOne):
    """The number 1, with which a backward pass begins: the derivative of a loss with respect to
    itself. [1, 1] -> [1, 1]"""

    takes_only_sizes = True
    shapes = "1 1 -> 1 1"

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        return define(name, constant(1))

    def values(self, *operands: Matrix) -> Array:
        return np.ones(operands[0].shape)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        return (constant(1),)


def cells_of_row(operation: Operation, i: int, width: int, *operands: Matrix) -> Vector:
    """Returns the working of a row as a vector of that of its cells, as many as a page shows: `[1 −
    2, 3 − 2]`."""
    return shown_entries(width, lambda j: operation.first_form(i, j, *operands))


def added_places(*operands: Matrix) -> int | None:
    """Counts the decimals of a product: those of its factors together; None where some aren't
    known."""
    known = [operand.places for operand in operands if operand.places is not None]
    return sum(known) if len(known) == len(operands) else None


def most_places(*operands: Matrix) -> int | None:
    """Counts the decimals of a sum: the most that a term has; None where some aren't known."""
    return most_of([operand.places for operand in operands])


def most_of(places: Sequence[int | None]) -> int | None:
    """Returns the most decimals of some terms; None where those of one aren't known."""
    known = [index for index in places if index is not None]
    return max(known) if len(known) == len(places) else None
