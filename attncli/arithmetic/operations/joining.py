"""Operations that only put numbers elsewhere: copies, runs of columns, rows above rows.

The numbers stay as they are, with just the decimals that they are written with.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from attncli.arithmetic.expression import (
    MOST_PARTS,
    Apply,
    Equation,
    Omitted,
    Symbol,
    Vector,
    elided,
)
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix, Written
from attncli.arithmetic.operations.base import Operation, Working, most_places
from attncli.arithmetic.rounding import Array, Rounding
from attncli.records import dataclass


class Moved(Operation):
    """Numbers that are moved, and neither worked on nor rounded."""

    layout = "rows"
    copies = True

    def made(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        return self.moved(*operands)

    @abstractmethod
    def moved(self, *operands: Matrix) -> Matrix:
        """The numbers in their new places. Raises ValueError where the shapes don't fit."""

    def values(self, *operands: Matrix) -> Array:
        return self.moved(*operands).values

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (self.moved(*operands).number(i, j),)


class Same(Moved):
    """A copy under another name: without projections, Q is X. [n, m] -> [n, m]"""

    def signature(self) -> str:
        return "n m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Symbol(operands[0]))

    def moved(self, *operands: Matrix) -> Matrix:
        return operands[0]


@dataclass(frozen=True)
class TakeColumns(Moved):
    """One of several equal runs of columns, such as a head's share of Q: the `part`-th, from 0,
    of `of`. No number is copied. [n, of·b] -> [n, b]"""

    part: int
    of: int
    what: str = "heads"
    """What the runs are of."""

    def signature(self) -> str:
        return f"n {self.of}*b -> n b"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, at(operands[0], f"columns: part {self.part + 1} of {self.of}"))

    def moved(self, *operands: Matrix) -> Matrix:
        whole = operands[0]
        run = self._run(whole.shape[1])
        written = whole.written and tuple(row[run] for row in whole.written)
        return Matrix(whole.values[:, run], whole.places, whole.decimals, written)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (operands[0].number(i, self._run(operands[0].shape[1]).start + j),)

    def _run(self, columns: int) -> slice:
        width, left_over = divmod(columns, self.of)
        if left_over:
            raise ValueError(f"{columns} columns can't be split into {self.of} equal parts")
        return slice(self.part * width, (self.part + 1) * width)


@dataclass(frozen=True)
class TakeRun(Moved):
    """One of several equal runs of rows, such as a gate's share of stacked weights: the
    `part`-th, from 0, of `of`. No number is copied. [of·b, d] -> [b, d]"""

    part: int
    of: int

    def signature(self) -> str:
        return f"{self.of}*b d -> b d"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, at(operands[0], f"rows: part {self.part + 1} of {self.of}"))

    def moved(self, *operands: Matrix) -> Matrix:
        whole = operands[0]
        height, left_over = divmod(whole.shape[0], self.of)
        if left_over:
            raise ValueError(f"{whole.shape[0]} rows can't be split into {self.of} equal parts")
        run = slice(self.part * height, (self.part + 1) * height)
        written = whole.written and whole.written[run]
        return Matrix(whole.values[run], whole.places, whole.decimals, written)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        height = operands[0].shape[0] // self.of
        return (operands[0].number(self.part * height + i, j),)


@dataclass(frozen=True)
class JoinColumns(Moved):
    """Matrices side by side, such as the outputs of heads.
    [n, a1], [n, a2], … -> [n, a1 + a2 + …]"""

    count: int

    def signature(self) -> str:
        widths = [f"a{k}" for k in range(1, self.count + 1)]
        return ", ".join(f"n {width}" for width in widths) + f" -> n {'+'.join(widths)}"

    def formula(self, name: str, *operands: str) -> Equation:
        places = elided(len(operands), MOST_PARTS)
        parts = (Omitted() if place is None else Symbol(operands[place]) for place in places)
        return define(name, Vector(tuple(parts)))

    def moved(self, *operands: Matrix) -> Matrix:
        values = np.concatenate([operand.values for operand in operands], axis=1)
        parts = all_written(operands)
        rows = zip(*parts, strict=True) if parts else ()
        return joined(values, operands, tuple(sum(row, start=()) for row in rows))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        for operand in operands:
            if j < operand.shape[1]:
                return (operand.number(i, j),)
            j -= operand.shape[1]
        raise IndexError("there are not so many columns")


@dataclass(frozen=True)
class JoinRows(Moved):
    """Rows above rows: a cache's, and the new ones. [a1, d], [a2, d], … -> [a1 + a2 + …, d]"""

    count: int = 2

    def signature(self) -> str:
        heights = [f"a{k}" for k in range(1, self.count + 1)]
        return ", ".join(f"{height} d" for height in heights) + f" -> {'+'.join(heights)} d"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Apply("stack", tuple(map(Symbol, operands))))

    def moved(self, *operands: Matrix) -> Matrix:
        values = np.concatenate([operand.values for operand in operands])
        return joined(values, operands, sum(all_written(operands), start=()))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        for operand in operands:
            if i < operand.shape[0]:
                return (operand.number(i, j),)
            i -= operand.shape[0]
        raise IndexError("there are not so many rows")


class Listed(JoinRows):
    """Lists in one, which are then not shown by themselves."""


def all_written(operands: Sequence[Matrix]) -> list[Written]:
    """The numbers as authors wrote them, if all of them are."""
    written = [operand.written for operand in operands if operand.written is not None]
    return written if len(written) == len(operands) else []


def joined(values: Array, operands: Sequence[Matrix], written: Written) -> Matrix:
    decimals = max(operand.decimals for operand in operands)
    return Matrix(values, most_places(*operands), decimals, written or None)
