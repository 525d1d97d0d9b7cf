"""Columns: vectors as the literature on recurrent cells writes them, [h, 1]."""

from __future__ import annotations

import numpy as np

from attncli.arithmetic.expression import (
    Equation,
    Expression,
    Number,
    Symbol,
    Total,
    rewritten,
)
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Operation, Working
from attncli.arithmetic.operations.joining import Moved, all_written, joined
from attncli.arithmetic.rounding import Array, Error
from attncli.name import Name
from attncli.records import dataclass
from attncli.word import Word


@dataclass(frozen=True)
class RowAsColumn(Moved):
    """A row of a matrix, from 0, as a column, as it is written; `key` looks it up.
    [n, d] -> [d, 1]"""

    row_number: int = 0
    key: str = ""

    def signature(self) -> str:
        return "n d -> d 1"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, at(operands[0], Word(self.key)) if self.key else Symbol(operands[0]))

    def moved(self, *operands: Matrix) -> Matrix:
        table, k = operands[0], self.row_number
        written = table.written and tuple((number,) for number in table.written[k])
        values = table.values[k][:, np.newaxis]
        return Matrix(values, table.places, table.decimals, written)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        return (operands[0].number(self.row_number, i),)


class OnlyRow(RowAsColumn):
    """A vector, which is kept as the only row of a matrix, as a column. [1, d] -> [d, 1]"""

    def signature(self) -> str:
        return "1 d -> d 1"


@dataclass(frozen=True)
class ColumnsAsRows(Moved):
    """Columns as the rows of a table, such as the states of a sentence.
    [h, 1], [h, 1], … -> [n, h]"""

    count: int

    def signature(self) -> str:
        return ", ".join(["h 1"] * self.count) + f" -> {self.count} h"

    def formula(self, name: str, *operands: str) -> Equation:
        state = operands[0]
        return define(at(name, "t"), Symbol(state.at("t") if isinstance(state, Name) else state))

    def moved(self, *operands: Matrix) -> Matrix:
        values = np.concatenate([operand.values for operand in operands], axis=1).T
        written = tuple(tuple(x for (x,) in one) for one in all_written(operands))
        return joined(np.ascontiguousarray(values), operands, written)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (operands[i].number(j, 0),)


class Zeros(Operation):
    """A column of zeros, as long as a matrix of weights is high: a memory that is empty.
    [h, k] -> [h, 1]"""

    layout = "rows"
    copies = True

    def signature(self) -> str:
        return "h k -> h 1"

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        return define(name, Number.written(0))

    def values(self, *operands: Matrix) -> Array:
        return np.zeros((operands[0].shape[0], 1))

    def places(self, *operands: Matrix) -> int | None:  # noqa: ARG002
        return 0

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        return (Number.written(0),)


@dataclass(frozen=True, eq=False)
class _Turned(Matrix):
    """A matrix whose rows are another one's columns, and whose numbers are still the other's."""

    of: Matrix | None = None

    def number(self, i: int, j: int) -> Number:
        assert self.of is not None
        return self.of.number(j, i)


def _turned(matrix: Matrix) -> Matrix:
    written = matrix.written and tuple(zip(*matrix.written, strict=True))
    values = matrix.values.T
    return _Turned(values, matrix.places, matrix.decimals, written, of=matrix)


def _down(node: Expression) -> Expression | None:
    """A part of a formula along a row, for the only column: [i, j] is [i]."""
    match node:
        case Symbol(name, indices):
            return Symbol(name, tuple("i" for index in indices if index == "j"))
        case Total(_, operand):
            return Total("i", rewritten(operand, _down))
        case _:
            return None


@dataclass(frozen=True)
class ColumnWise(Operation):
    """What another operation does along rows, done down columns."""

    along: Operation

    def signature(self) -> str:
        before, after = self.along.signature().split(" -> ")
        sides = (" ".join(reversed(one.split())) for one in before.split(", "))
        return f"{', '.join(sides)} -> {' '.join(reversed(after.split()))}"

    def formula(self, name: str, *operands: str) -> Equation:
        formula = self.along.formula(name, *operands)
        return Equation(*(rewritten(side, _down) for side in formula))

    def values(self, *operands: Matrix) -> Array:
        return np.ascontiguousarray(self.along.values(*map(_turned, operands)).T)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return self.along.cell(j, i, *map(_turned, operands))

    def places(self, *operands: Matrix) -> int | None:
        return self.along.places(*map(_turned, operands))

    def error(self, *operands: Matrix) -> Error:
        return self.along.error(*map(_turned, operands))

    def sizes(self, *operands: Matrix) -> Array:
        return self.along.sizes(*map(_turned, operands)).T

    def check(self, result: Matrix, *operands: Matrix) -> None:
        self.along.check(_turned(result), *map(_turned, operands))

    def remark(self, *operands: Matrix) -> str | None:
        return self.along.remark(*map(_turned, operands))
