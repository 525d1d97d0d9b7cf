"""Numbers that are only put elsewhere: copies, and rows of a table.

The numbers stay as they are, with just the decimals that they are written with.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from attncli.arithmetic.expression import Equation, Symbol, Total
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix, Written
from attncli.arithmetic.operations.base import Operation, Working, most_places
from attncli.arithmetic.rounding import Array, Range, Rounding, Spread
from attncli.word import Word

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[Any]"


class Moved(Operation):
    """Numbers that are moved, and neither worked on nor rounded."""

    layout = "rows"
    copies = True

    @abstractmethod
    def arranged(self, *arrays: Numbers) -> Numbers:
        """What arrays [n, m] have in its new places, or those [n, m, b] of many candidates. Raises
        ValueError where the shapes don't fit."""

    def values(self, *operands: Matrix) -> Array:
        return self.arranged(*(operand.values for operand in operands))

    def made(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        decimals = max(operand.decimals for operand in operands)
        written, spread = self._written(operands), _spread(operands)
        places = most_places(*operands)
        return Matrix(self.values(*operands), places, decimals, written, spread=spread)

    def _written(self, operands: Sequence[Matrix]) -> Written | None:
        """The numbers as authors wrote them, if all of them are."""
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
        """That of the gradient of an operand: what was taken from some place goes back there."""
        match self.formula(gradient, *operands):
            case Equation(left, Symbol(_, indices)):
                return define(at(name, *indices), left)
            case other:
                raise TypeError(f"nothing is taken from one place: {other}")

    def sources(self, operands: Sequence[Matrix]) -> NDArray[np.int_]:
        """Which of all numbers of the operands, counted from 0, each of the result is."""
        return _sources(self, tuple(operand.shape for operand in operands))


def _spread(operands: Sequence[Matrix]) -> Spread | None:
    """That of all numbers of the operands."""
    known = [operand.spread for operand in operands if operand.spread is not None]
    if len(known) < len(operands):
        return None
    ranges, least = zip(*known, strict=True)
    lows, highs = zip(*ranges, strict=True)
    return Spread(Range(min(lows), max(highs)), min(least))


@lru_cache(maxsize=16)
def _sources(operation: Moved, shapes: tuple[tuple[int, int], ...]) -> NDArray[np.int_]:
    counts = [rows * columns for rows, columns in shapes]
    each = np.split(np.arange(sum(counts)), np.cumsum(counts)[:-1])
    numbered = (one.reshape(shape) for one, shape in zip(each, shapes, strict=True))
    return operation.arranged(*numbered)


class Same(Moved):
    """A copy under another name: without projections, Q is X. [n, m] -> [n, m]"""

    shapes = "n m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Symbol(operands[0]))

    def made(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        return operands[0]

    def arranged(self, *arrays: Numbers) -> Numbers:
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
        """A row gets what comes of every use of it."""
        if len(self.indices) == 1:
            return super().formula_back(name, operand, gradient, *operands)
        alike = at(self.by, "i"), Symbol("v")
        return define(at(name, "v"), Total("i", at(gradient, "i"), alike))

    def values(self, *operands: Matrix) -> Array:
        return operands[0].taken(self.indices)

    def arranged(self, *arrays: Numbers) -> Numbers:
        return arrays[0][list(self.indices)]

    def sources(self, operands: Sequence[Matrix]) -> NDArray[np.int_]:
        """Without counting all numbers of a table, which may have millions."""
        d = operands[0].shape[1]
        return np.array(self.indices, dtype=np.int_)[:, np.newaxis] * d + np.arange(d)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (Symbol(names[0], (Word(self.keys[i]),)),)
