"""The next token: which are left to choose from, their shares, and how well targets are told."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.expression import (
    Apply,
    Equation,
    Expression,
    Negative,
    Number,
    Symbol,
    Vector,
    at,
    constant,
    define,
)
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Working, ZeroOne
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.lists import ListOfEquations, number_of
from attncli.arithmetic.operations.texts import equation
from attncli.arithmetic.rounding import Array, Unworkable, no_logarithm

if TYPE_CHECKING:
    from numpy.typing import NDArray


class _Kept(ZeroOne):
    """1 for those of each row that are kept, the largest ones, else 0. [n, v] -> [n, v]"""

    shapes = "n v -> n v"

    def values(self, *operands: Matrix) -> Array:
        kept = np.zeros(operands[0].shape)
        order = _from_largest(operands[0].values)
        for i, count in enumerate(self.counts(operands[0], order)):
            kept[i, order[i, :count]] = 1.0
        return kept

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        whole = operands[0]
        row = Matrix(whole.values[i : i + 1], whole.places, whole.decimals)
        return (constant(int(self.values(row)[0, j])),)

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        """1 while what comes before it, from the largest on, is less than what is to be kept."""
        row = operands[0].row(i)
        before = Apply(self.measure, (row.entries[j], row, Vector(row.entries[:j])))
        return Apply("where", (Apply("less", (before, self.enough)), constant(1), constant(0)))

    measure: ClassVar[str]
    """What is told of the numbers that come before one, equal ones in their order."""

    @property
    @abstractmethod
    def enough(self) -> Number:
        """What they come to where no more is kept."""

    @abstractmethod
    def counts(self, numbers: Matrix, order: NDArray[np.intp]) -> list[int]:
        """How many of each row are kept; `order` has their places from the largest on."""


def _from_largest(values: Array) -> NDArray[np.intp]:
    """The places of each row from the largest number on; of equal ones, the first come first."""
    return np.argsort(-values, axis=1, kind="stable")


@dataclass(frozen=True)
class TopK(_Kept):
    """The k largest of each row; of equal ones, the first. [n, v] -> [n, v]"""

    k: int

    measure = "count_before"

    @property
    def enough(self) -> Number:
        return constant(self.k)

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Symbol("largest", (f"{self.k} of {operands[0]}",)))

    def counts(self, numbers: Matrix, order: NDArray[np.intp]) -> list[int]:
        return [min(self.k, order.shape[1])] * len(numbers.values)


@dataclass(frozen=True)
class Nucleus(_Kept):
    """The fewest of the largest probabilities that come to p together, the first of equal ones
    (Holtzman et al. 2019, arXiv:1904.09751). [n, v] -> [n, v]"""

    p: Number

    measure = "sum_before"

    @property
    def enough(self) -> Number:
        return self.p

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Symbol("largest", (f"{operands[0]}, {self.p.shown:f} together",)))

    def counts(self, numbers: Matrix, order: NDArray[np.intp]) -> list[int]:
        ordered = np.take_along_axis(numbers.values, order, axis=1)
        if numbers.places is None:
            short = self._leave_too_much(ordered)
        else:  # in whole units of the last place: no float decides whether p is reached
            sums = np.cumsum(np.rint(ordered * 10.0**numbers.places), axis=1)
            units = decimals.product(self.p.full, Decimal((0, (1,), numbers.places)))
            short = sums[:, :-1] < float(units.to_integral_value(ROUND_CEILING))
        return [1 + int(count) for count in short.sum(axis=1)]

    def _leave_too_much(self, ordered: Array) -> NDArray[np.bool_]:
        """Whether the first, the first two, … of each row [n, v] leave more than 1 − p to the
        others [n, v − 1]. That is added up from its own small numbers, which are nothing beside
        1 in floats."""
        left = np.cumsum(ordered[:, :0:-1], axis=1)[:, ::-1]
        rest = float(decimals.difference(Decimal(1), self.p.full))
        return np.asarray(left > rest * (1 + (ordered.shape[1] + 2) * EPSILON))


class _KeptShares(Indexed):
    def refuse(self, *operands: Matrix) -> None:
        if not operands[2].values.all():
            row = int((operands[2].values == 0).any(axis=1).argmax())
            raise Unworkable(row, "a sum to divide by is 0", "other numbers")


KeptSum = equation(
    "sum(x[i, j] if kept[i, j] else 0 for j in v)",
    shown="sum(x[i, j] * kept[i, j] for j in v)",
    x="n v",
    kept="n v",
)
"""The sum of those of each row that are kept."""
KeptShare = equation(
    "x[i, j] / total[i] if kept[i, j] else 0",
    _KeptShares,
    shown="x[i, j] * kept[i, j] / total[i]",
    x="n v",
    kept="n v",
    total="n 1",
)


@dataclass(frozen=True)
class NegativeLog(ListOfEquations):
    """−ln p of the target of each row, by its column: the cross-entropy of one prediction.
    [n, v] -> [n, 1]"""

    targets: tuple[int, ...]

    shapes = "n v -> n 1"

    def formula(self, name: str, *operands: str) -> Equation:
        log = Apply("ln", (at(operands[0], "i", "target"),))
        return define(at(name, "i"), Negative(log))

    @property
    def trees(self) -> Sequence[Expression]:
        chosen = (number_of(0, i, target) for i, target in enumerate(self.targets))
        return [Negative(Apply("ln", (number,))) for number in chosen]

    def values(self, *operands: Matrix) -> Array:
        probabilities = operands[0].values
        if len(self.targets) != len(probabilities):
            raise ValueError(f"{len(self.targets)} targets for {len(probabilities)} rows")
        chosen = probabilities[np.arange(len(probabilities)), list(self.targets)]
        if (chosen <= 0).any():
            raise no_logarithm(int((chosen <= 0).argmax()), "the probability of its target")
        return super().values(*operands)
