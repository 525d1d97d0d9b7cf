"""Columns: vectors as the literature on recurrent cells writes them, [h, 1]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.expression import Equation, Quotient, Symbol, Total, constant
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.moved import Moved, Numbers
from attncli.name import Name
from attncli.word import Word


@dataclass(frozen=True)
class RowAsColumn(Moved):
    """A row of a matrix, from 0, as a column, as it is written; `key` looks it up.
    [n, d] -> [d, 1]"""

    row_number: int = 0
    key: str = ""

    shapes = "n d -> d 1"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, at(operands[0], Word(self.key)) if self.key else Symbol(operands[0]))

    def arranged(self, *arrays: Numbers) -> Numbers:
        return arrays[0][self.row_number, np.newaxis].swapaxes(0, 1)


class OnlyRow(RowAsColumn):
    """A vector, which is kept as the only row of a matrix, as a column. [1, d] -> [d, 1]"""

    shapes = "1 d -> d 1"


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

    def formula_back(self, name: str, operand: int, gradient: str, *operands: str) -> Equation:  # noqa: ARG002
        return define(name, at(gradient, str(operand + 1)))

    def arranged(self, *arrays: Numbers) -> Numbers:
        across = np.concatenate(arrays, axis=1)
        return np.ascontiguousarray(across.swapaxes(0, 1))


class Zeros(Indexed):
    """A column of zeros, as long as a matrix of weights is high: a memory that is empty.
    [h, k] -> [h, 1]"""

    layout = "rows"
    copies = True
    takes_only_sizes = True

    def __init__(self) -> None:
        super().__init__("h k -> h 1", constant(0), constant(0))


class AddedUp(Indexed):
    """All numbers of a column added up. [n, 1] -> [1, 1]"""

    def __init__(self) -> None:
        super().__init__("n 1 -> 1 1", Total("i", cell(0, "i")))


class ShareItself(Indexed):
    """The share that each number of a column has in all. [n, 1], [1, 1] -> [n, 1]"""

    def __init__(self) -> None:
        super().__init__("n 1, 1 1 -> n 1", Quotient(cell(0, "i"), cell(1)))
