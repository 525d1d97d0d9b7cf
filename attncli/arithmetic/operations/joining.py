"""Numbers that are put elsewhere: runs of columns and of rows, rows above rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attncli.arithmetic.elision import MOST_PARTS, elided
from attncli.arithmetic.expression import Apply, Equation, Omitted, Symbol, Total, Vector
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.operations.moved import Moved, Numbers


def _run(extent: int, part: int, of: int, what: str) -> slice:
    """The `part`-th, from 0, of so many equal runs of rows or columns."""
    size, left_over = divmod(extent, of)
    if left_over:
        raise ValueError(f"{extent} {what} can't be split into {of} equal parts")
    return slice(part * size, (part + 1) * size)


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

    def arranged(self, *arrays: Numbers) -> Numbers:
        whole = arrays[0]
        return whole[:, _run(whole.shape[1], self.part, self.of, "columns")]


@dataclass(frozen=True)
class TakeColumn(Moved):
    """One column as a list, from 0, such as the weights of an expert. [n, of] -> [n, 1]"""

    stands_in_a_table = True

    column: int
    of: int
    what: str
    """What the columns are of."""

    def signature(self) -> str:
        return f"n {self.of} -> n 1"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(at(name, "i"), at(operands[0], "i", f"{self.what} {self.column + 1}"))

    def arranged(self, *arrays: Numbers) -> Numbers:
        return arrays[0][:, self.column : self.column + 1]


@dataclass(frozen=True)
class RepeatDown(Moved):
    """One number of a row, from 0, for each row of what it is put beside.
    [n, m], [1, h] -> [n, 1]"""

    shapes = "n m, 1 h -> n 1"
    stands_in_a_table = True
    first_for_size = True

    column: int

    def formula(self, name: str, *operands: str) -> Equation:
        return define(at(name, "i"), at(operands[1], str(self.column + 1)))

    def formula_back(self, name: str, operand: int, gradient: str, *operands: str) -> Equation:  # noqa: ARG002
        return define(at(name, str(self.column + 1)), Total("i", at(gradient, "i")))

    def arranged(self, *arrays: Numbers) -> Numbers:
        beside, row = arrays
        return np.repeat(row[:, self.column : self.column + 1], len(beside), axis=0)


@dataclass(frozen=True)
class WithoutColumn(Moved):
    """All columns but the last one, or the first. [n, m + 1] -> [n, m]"""

    last: bool

    shapes = "n m+1 -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        which = "last" if self.last else "first"
        return define(name, at(operands[0], f"columns: all but the {which}"))

    def arranged(self, *arrays: Numbers) -> Numbers:
        return arrays[0][:, :-1] if self.last else arrays[0][:, 1:]


class TakeEvery(TakeColumns):
    """Every so many-th column, from the `part`-th on, instead of a run of them."""

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, at(operands[0], f"columns: every {self.of}th, from {self.part + 1}"))

    def arranged(self, *arrays: Numbers) -> Numbers:
        _run(arrays[0].shape[1], self.part, self.of, "columns")
        return arrays[0][:, self.part :: self.of]


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

    def arranged(self, *arrays: Numbers) -> Numbers:
        return arrays[0][_run(len(arrays[0]), self.part, self.of, "rows")]


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

    def formula_back(self, name: str, operand: int, gradient: str, *operands: str) -> Equation:
        return define(name, at(gradient, f"columns: part {operand + 1} of {len(operands)}"))

    def arranged(self, *arrays: Numbers) -> Numbers:
        return np.concatenate(arrays, axis=1)


class Interleave(JoinColumns):
    """Matrices column by column in turn, the first columns of all, then the second ones."""

    def arranged(self, *arrays: Numbers) -> Numbers:
        turns = np.stack(arrays, axis=2)
        n, columns, count = turns.shape[:3]
        return turns.reshape(n, columns * count, *turns.shape[3:])


@dataclass(frozen=True)
class JoinRows(Moved):
    """Rows above rows: a cache's, and the new ones. [a1, d], [a2, d], … -> [a1 + a2 + …, d]"""

    count: int = 2

    def signature(self) -> str:
        heights = [f"a{k}" for k in range(1, self.count + 1)]
        return ", ".join(f"{height} d" for height in heights) + f" -> {'+'.join(heights)} d"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Apply("stack", tuple(map(Symbol, operands))))

    def formula_back(self, name: str, operand: int, gradient: str, *operands: str) -> Equation:
        return define(name, at(gradient, f"rows: part {operand + 1} of {len(operands)}"))

    def arranged(self, *arrays: Numbers) -> Numbers:
        return np.concatenate(arrays)


class Listed(JoinRows):
    """Lists in one, which are then not shown by themselves."""
