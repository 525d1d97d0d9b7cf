"""Numbers that are only put elsewhere: copies, rows, runs of rows and columns, side by side.

The numbers stay as they are, with just the decimals that they are written with.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.matrix import Matrix, Written
from attncli.maths.equations.tree import (
    Apply,
    Equation,
    Omitted,
    Relation,
    Symbol,
    Total,
    Vector,
    at,
    define,
)
from attncli.maths.numbers.rounding import AnyArray, Array, Rounding
from attncli.maths.operations.operation import Operation, Working, most_places
from attncli.names import Name, Word

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Moved(Operation):
    """Numbers that are moved, and neither worked on nor rounded."""

    layout = "rows"
    copies = True

    @abstractmethod
    def arranged(self, *arrays: AnyArray) -> AnyArray:
        """Puts the numbers of arrays [n, m], or [n, m, b] of many candidates, at their new places.

        Raises ValueError where the shapes don't fit.
        """

    def values(self, *operands: Matrix) -> Array:
        return self.arranged(*(operand.values for operand in operands))

    def round_result(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        decimals = max(operand.decimals for operand in operands)
        places, written = most_places(*operands), self._written(operands)
        return Matrix(self.values(*operands), places, decimals, written)

    def _written(self, operands: Sequence[Matrix]) -> Written | None:
        """Returns the numbers as authors wrote them, if all of them were written."""
        known = [operand.written for operand in operands if operand.written is not None]
        if len(known) < len(operands):
            return None
        each = [*chain.from_iterable(row for table in known for row in table)]
        return tuple(tuple(each[k] for k in row) for row in self.sources(operands).tolist())

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        k = int(self.sources(operands)[i, j])
        for operand in operands:
            if k < operand.size:
                return (operand.number(*divmod(k, operand.shape[1])),)
            k -= operand.size
        raise IndexError("there are not so many numbers")

    def formula_back(self, name: str, operand: int, gradient: str, *operands: str) -> Equation:  # noqa: ARG002
        """Writes the formula of an operand's gradient: what was taken from a place goes back
        there."""
        match self.formula(gradient, *operands):
            case Equation(left, Symbol(_, indices)):
                return define(at(name, *indices), left)
            case other:
                raise TypeError(f"nothing is taken from one place: {other}")

    def sources(self, operands: Sequence[Matrix]) -> NDArray[np.int_]:
        """Returns, for each number of the result, which of all numbers of the operands it is,
        counted from 0. -> [n, m]"""
        return _sources(self, tuple(operand.shape for operand in operands))


@lru_cache(maxsize=16)
def _sources(operation: Moved, shapes: tuple[tuple[int, int], ...]) -> NDArray[np.int_]:
    counts = [rows * columns for rows, columns in shapes]
    each = np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])
    numbered = (array.reshape(shape) for array, shape in zip(each, shapes, strict=True))
    return operation.arranged(*numbered)


class Same(Moved):
    """A copy under another name: without projections, Q is X. [n, m] -> [n, m]"""

    shapes = "n m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Symbol(operands[0]))

    def round_result(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        return operands[0]

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        return arrays[0]


@dataclass(frozen=True)
class TakeRows(Moved):
    """The rows of a table, as they are written; `keys` look them up. [v, d] -> [n, d]"""

    copies = False  # a table's rows are looked up by a key, which is a step of its own

    indices: tuple[int, ...]
    keys: tuple[str, ...]
    by: str = "tokens"
    """What the keys are, for the formula: tokens, ids, positions."""

    @property
    def only_moves(self) -> bool:
        return True

    def signature(self) -> str:
        return f"v d -> {len(self.indices)} d"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, at(operands[0], self.by))

    def formula_back(self, name: str, operand: int, gradient: str, *operands: str) -> Equation:
        """Writes the formula of the table's gradient: a row gets the sum over every use of it."""
        if len(self.indices) == 1:
            return super().formula_back(name, operand, gradient, *operands)
        met = Relation("=", at(self.by, "i"), Symbol("v"))
        return define(at(name, "v"), Total("i", at(gradient, "i"), met))

    def values(self, *operands: Matrix) -> Array:
        return operands[0].taken(self.indices)

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        return arrays[0][list(self.indices)]

    def sources(self, operands: Sequence[Matrix]) -> NDArray[np.int_]:
        """Finds the sources without counting all numbers of a table, which may have millions."""
        d = operands[0].shape[1]
        return np.array(self.indices, dtype=np.int_)[:, np.newaxis] * d + np.arange(d)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (Symbol(names[0], (Word(self.keys[i]),)),)


def _run(extent: int, part: int, of: int, what: str) -> slice:
    """Returns the `part`-th, from 0, of so many equal runs of rows or columns. Raises ValueError
    where they can't be equal."""
    size, left_over = divmod(extent, of)
    if left_over:
        raise ValueError(f"{extent} {what} can't be split into {of} equal parts")
    return slice(part * size, (part + 1) * size)


@dataclass(frozen=True)
class TakePart(Moved):
    """One of several equal runs: the `part`-th, from 0, of `of`. No number is copied."""

    part: int
    of: int
    what: str = "heads"
    """What the runs are of."""


class TakeColumns(TakePart):
    """A run of columns, such as a head's share of Q. [n, of·b] -> [n, b]"""

    def signature(self) -> str:
        return f"n {self.of}*b -> n b"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, at(operands[0], f"columns: part {self.part + 1} of {self.of}"))

    def arranged(self, *arrays: AnyArray) -> AnyArray:
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

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        return arrays[0][:, self.column : self.column + 1]


@dataclass(frozen=True)
class RepeatDown(Moved):
    """One number of a row, repeated for each row of the matrix that it is put beside. [n, m], [1,
    h] -> [n, 1]"""

    shapes = "n m, 1 h -> n 1"
    stands_in_a_table = True
    first_for_size = True

    column: int
    """The column of the number, from 0."""

    def formula(self, name: str, *operands: str) -> Equation:
        return define(at(name, "i"), at(operands[1], str(self.column + 1)))

    def formula_back(self, name: str, operand: int, gradient: str, *operands: str) -> Equation:  # noqa: ARG002
        return define(at(name, str(self.column + 1)), Total("i", at(gradient, "i")))

    def arranged(self, *arrays: AnyArray) -> AnyArray:
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

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        return arrays[0][:, :-1] if self.last else arrays[0][:, 1:]


@dataclass(frozen=True)
class TakeBlock(Moved):
    """The columns from one place to before another: the scores of some keys. [n, m] -> [n, b]"""

    start: int
    end: int

    def signature(self) -> str:
        return f"n m -> n {self.end - self.start}"

    def formula(self, name: str, *operands: str) -> Equation:
        last = f"–{self.end}" if self.end > self.start + 1 else ""
        return define(name, at(operands[0], f"keys {self.start + 1}{last}"))

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        return arrays[0][:, self.start : self.end]


class TakeEvery(TakeColumns):
    """Every so many-th column, from the `part`-th on, instead of a run of them."""

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, at(operands[0], f"columns: every {self.of}th, from {self.part + 1}"))

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        _run(arrays[0].shape[1], self.part, self.of, "columns")
        return arrays[0][:, self.part :: self.of]


@dataclass(frozen=True)
class Windows(Moved):
    """The `kernel` rows from every `stride`-th one on, side by side in a row, column by column, as
    `Conv1d` has its weights. [m, c] -> [rows, kernel·c]"""

    rows: int
    """How many windows there are; 0 where that isn't known."""
    kernel: int
    stride: int = 1
    turned: bool = False
    """Whether each window is the other way round, which is a mistake."""

    def signature(self) -> str:
        return f"m c -> {self.rows or 'n'} {self.kernel}*c"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(at(name, "i"), at(operands[0], "rows of window i"))

    def formula_back(self, name: str, operand: int, gradient: str, *operands: str) -> Equation:  # noqa: ARG002
        """Writes the formula of the gradient: a row gets the sum over every window that it is
        in."""
        met = Relation("=", Symbol("row t of window i"), Symbol("r"))
        return define(at(name, "r"), Total("it", at(gradient, "i", "t"), met))

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        whole = arrays[0]
        starts = range(0, len(whole) - self.kernel + 1, self.stride)
        cut = (whole[k : k + self.kernel][:: -1 if self.turned else 1] for k in starts)
        return np.stack([rows.swapaxes(0, 1).reshape(-1, *whole.shape[2:]) for rows in cut])


class TakeRun(TakePart):
    """A run of rows, such as a gate's share of stacked weights. [of·b, d] -> [b, d]"""

    def signature(self) -> str:
        return f"{self.of}*b d -> b d"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, at(operands[0], f"rows: part {self.part + 1} of {self.of}"))

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        return arrays[0][_run(len(arrays[0]), self.part, self.of, "rows")]


@dataclass(frozen=True)
class Joined(Moved):
    """Several matrices joined to one."""

    count: int = 2


class JoinColumns(Joined):
    """Matrices side by side, such as the outputs of heads.
    [n, a1], [n, a2], … -> [n, a1 + a2 + …]"""

    def signature(self) -> str:
        widths = [f"a{k}" for k in range(1, self.count + 1)]
        return ", ".join(f"n {width}" for width in widths) + f" -> n {'+'.join(widths)}"

    def formula(self, name: str, *operands: str) -> Equation:
        places = elided(len(operands), MOST_PARTS)
        parts = (Omitted() if place is None else Symbol(operands[place]) for place in places)
        return define(name, Vector(tuple(parts)))

    def formula_back(self, name: str, operand: int, gradient: str, *operands: str) -> Equation:
        return define(name, at(gradient, f"columns: part {operand + 1} of {len(operands)}"))

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        return np.concatenate(arrays, axis=1)


class Interleave(JoinColumns):
    """Matrices column by column in turn, the first columns of all, then the second ones."""

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        turns = np.stack(arrays, axis=2)
        n, columns, count = turns.shape[:3]
        return turns.reshape(n, columns * count, *turns.shape[3:])


@dataclass(frozen=True)
class RepeatAlong(Moved):
    """The number of each group, such as its scale, repeated beside each of the group's numbers. [n,
    b] -> [n, group · b]"""

    group: int

    def signature(self) -> str:
        return f"n b -> n {self.group}*b"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(Symbol(name, ("i", "j")), Symbol(operands[0], ("i", "group of j")))

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        return np.repeat(arrays[0], self.group, axis=1)


class JoinRows(Joined):
    """Rows above rows: a cache's, and the new ones. [a1, d], [a2, d], … -> [a1 + a2 + …, d]"""

    def signature(self) -> str:
        heights = [f"a{k}" for k in range(1, self.count + 1)]
        return ", ".join(f"{height} d" for height in heights) + f" -> {'+'.join(heights)} d"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Apply("stack", tuple(map(Symbol, operands))))

    def formula_back(self, name: str, operand: int, gradient: str, *operands: str) -> Equation:
        return define(name, at(gradient, f"rows: part {operand + 1} of {len(operands)}"))

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        return np.concatenate(arrays)


class Listed(JoinRows):
    """Lists joined to one, which are then not shown by themselves."""


class ColumnsAsRows(Joined):
    """Columns as the rows of a table, such as the states of a sentence.
    [h, 1], [h, 1], … -> [n, h]"""

    def signature(self) -> str:
        return ", ".join(["h 1"] * self.count) + f" -> {self.count} h"

    def formula(self, name: str, *operands: str) -> Equation:
        state = operands[0]
        return define(at(name, "t"), Symbol(state.at("t") if isinstance(state, Name) else state))

    def formula_back(self, name: str, operand: int, gradient: str, *operands: str) -> Equation:  # noqa: ARG002
        return define(name, at(gradient, str(operand + 1)))

    def arranged(self, *arrays: AnyArray) -> AnyArray:
        across = np.concatenate(arrays, axis=1)
        return np.ascontiguousarray(across.swapaxes(0, 1))
