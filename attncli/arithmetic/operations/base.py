"""What every operation on matrices offers: its values, and the working of each cell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from attncli.arithmetic.elision import told_entries
from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.equations.working import forms
from attncli.arithmetic.expression import Equation, Expression, Vector, constant, define, leaves
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.settling import Settling, Worked, settle_cancelled
from attncli.arithmetic.rounding import (
    Array,
    Doubtful,
    Error,
    Rounding,
    carry,
    check_finite,
    cleanse,
)
from attncli.arithmetic.signature import Signature, parse

if TYPE_CHECKING:
    from attncli.arithmetic.equations.enclosures import Enclosure, Roundoffs

Layout = Literal["cells", "rows", "sums", "addition"]
"""A cell a line; a row a line; a row a line with its sums inside, where they are short; or
vectors added up in columns."""

Working = tuple[Expression, ...]
"""The forms that a piece of working goes through, all of one value: `1×1 + 1×0`, `1 + 0`."""


@dataclass(frozen=True)
class Operation(ABC):
    """A way to make one matrix of others: `values` does it at NumPy's speed, `cell` gives the
    working of one number of the result. The two agree for every cell, which the tests check."""

    layout: ClassVar[Layout] = "cells"
    """How its full working is laid out on a page."""

    copies: ClassVar[bool] = False
    """Whether it only puts numbers elsewhere, so that there is nothing to work out."""

    stands_in_a_table: ClassVar[bool] = False
    """Whether what it makes is a part of a table that stands on the page."""

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
        """Whether its numbers are its last operand's, or these put back to where they came from."""
        return False

    def signature(self) -> str:
        """The shapes that it takes and gives: `n k, k m -> n m`.

        A letter, or a letter and digits such as `a2`, is one extent wherever it stands; `3*b` and
        `a+b` are extents made of others, `2` is one that is fixed.
        An axis of the result that stands alone in an operand has that operand's names.
        """
        return self.shapes

    @cached_property
    def sides(self) -> Signature:
        """What its signature says."""
        return parse(self.signature())

    @abstractmethod
    def formula(self, name: str, *operands: str) -> Equation:
        """What it makes of its operands, by their names: `Q = X W_Q`."""

    def formulas(self, name: str, *operands: str) -> tuple[Equation, ...]:
        """Its formula as a page tells it: in several where one is too much for a line."""
        return (self.formula(name, *operands),)

    @abstractmethod
    def values(self, *operands: Matrix) -> Array:
        """The result in full, a new array. Raises ValueError where the shapes don't fit."""

    @abstractmethod
    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        """The forms of the working of the result's cell (i, j), the last one before its value."""

    def brief(self, i: int, j: int, *operands: Matrix) -> Working:
        """The same as a page tells them, which need not have all terms of a long sum."""
        return self.cell(i, j, *operands)

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        """The result's cell (i, j) in numbers of which none is worked out yet."""
        return self.cell(i, j, *operands)[0]

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        """The first form for numbers that may change: with its conditions, met or not."""
        return self.first_form(i, j, *operands)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        """The forms of the working of a whole row, as vectors; `names` are the operands'."""
        return ()

    def terms(self, *operands: Matrix) -> int:  # noqa: ARG002
        """How many numbers, or more, one of the result is made of."""
        return 1

    def leaves(self, *operands: Matrix) -> int:
        """How many numbers the first form of a cell has."""
        plain = (operand.without_source for operand in operands)
        return sum(1 for _ in leaves(self.first_form(0, 0, *plain)))

    def places(self, *operands: Matrix) -> int | None:  # noqa: ARG002
        """The decimals that hold every true value of the result; None where none need do."""
        return None

    def error(self, *operands: Matrix) -> Error:  # noqa: ARG002
        """A bound on how far `values` is from the true values of written operands."""
        return Error(0.0, 4 * EPSILON)

    def largest_error(self, *operands: Matrix) -> float:
        """No less than the absolute part of that bound for any number, which may be quicker."""
        return float(np.max(self.error(*operands).absolute))

    def enclosed(
        self,
        operands: Sequence[Enclosure],  # noqa: ARG002
        rounded: Roundoffs,  # noqa: ARG002
    ) -> Enclosure | None:
        """Between which numbers the result lies, those of its operands being known, where what is
        made on the way is `rounded`; None where that is told cell by cell."""
        return None

    def units(self, doubtful: Doubtful, *operands: Matrix) -> Array | None:  # noqa: ARG002
        """What some cells of the result round to, many at once; None where that isn't known so."""
        return None

    def check(self, result: Matrix, *operands: Matrix) -> None:  # noqa: B027
        """Raises Unworkable where the result, as rounded, can't be gone on with."""

    def remark(self, *operands: Matrix) -> str | None:  # noqa: ARG002
        """What has to be said of how it was done on these numbers, if anything."""
        return None

    @property
    def only_moves(self) -> bool:
        """Whether each number that it makes is one of its operands', said of which or not."""
        return self.copies

    def make(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:
        """The result, rounded as `rounding` says for `step`.

        Raises Unworkable for numbers that can't be worked with, ValueError for shapes.
        """
        result = self.made(rounding, step, *operands)
        if result.places is None and result.written is None and result.source is None:
            result = result.worked_from(Worked(self, operands, result.shape))
        self.check(result, *operands)
        return result

    @np.errstate(all="ignore")  # what isn't finite is refused
    def made(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:
        """The result of `make`, which doesn't know yet what it was worked from."""
        values = self.values(*operands)
        check_finite(values)
        decimals, places = rounding.of(step), self.places(*operands)
        if rounding.carries:
            settling = Settling(self, operands, rounding.most_settled)
            carry(values, self.error(*operands), places, decimals, settling)
            return Matrix(values, decimals if places is None else min(places, decimals), decimals)
        if places is not None and cleanse(values, self.error(*operands), places, places):
            return Matrix(values, places, decimals)
        source = Worked(self, operands, values.shape)
        settle_cancelled(values, source)
        values += 0.0  # no minus zero
        return Matrix(values, None, decimals, source=source)


class ByFirstForm(Operation):
    """An operation that says the first form of a cell, from which the others follow."""

    @abstractmethod
    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        """The cell's equation with numbers for its operands."""

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return forms(self.first_form(i, j, *operands))


class WholeNumbers(Operation):
    """A table of whole numbers, whatever the rounding, with nothing to work out."""

    layout = "rows"
    copies = True

    def made(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        return Matrix(self.values(*operands), 0, 0)


class ZeroOne(WholeNumbers):
    """A table of ones and zeros: which numbers are seen, or kept."""


class One(ZeroOne):
    """1, with which the way back begins: how a loss changes with itself. [1, 1] -> [1, 1]"""

    takes_only_sizes = True
    shapes = "1 1 -> 1 1"

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        return define(name, constant(1))

    def values(self, *operands: Matrix) -> Array:
        return np.ones(operands[0].shape)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        return (constant(1),)


def cells_of_row(operation: Operation, i: int, width: int, *operands: Matrix) -> Vector:
    """The working of a row as a vector of that of its cells, as many as a page tells: `[1 − 2, 3 −
    2]`."""
    return told_entries(width, lambda j: operation.first_form(i, j, *operands))


def added_places(*operands: Matrix) -> int | None:
    """The decimals of a product: those of its factors together."""
    known = [operand.places for operand in operands if operand.places is not None]
    return sum(known) if len(known) == len(operands) else None


def most_places(*operands: Matrix) -> int | None:
    """The decimals of a sum: the most that a term has."""
    return most_of([operand.places for operand in operands])


def most_of(places: Sequence[int | None]) -> int | None:
    """The most decimals of some terms; None where those of one aren't known."""
    known = [one for one in places if one is not None]
    return max(known) if len(known) == len(places) else None
