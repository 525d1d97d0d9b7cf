"""Losses: how far numbers are from what they should be.

Cross-entropy of a distribution of targets, and label smoothing: Szegedy et al. 2016,
arXiv:1512.00567, 7; means over all numbers or rows as those of PyTorch's losses. Several equations
as one, for the way back: with −ln p of a target behind a softmax, the gradient is p − y (Bridle
1990, doi:10.1007/978-3-642-76153-9_28).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from attncli.maths.equations.bounds import EPSILON
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import (
    Apply,
    Equation,
    Expression,
    Negative,
    Product,
    Sum,
    Symbol,
    at,
    constant,
    define,
    minus,
)
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array, Error, Unworkable, largest, no_logarithm
from attncli.maths.operations.equation import Indexed, equation
from attncli.maths.operations.list_of_equations import ListOfEquations, number_of
from attncli.maths.operations.operation import (
    Operation,
    WholeNumbers,
    Working,
    cells_of_row,
)

if TYPE_CHECKING:
    pass


_ALL = "for i in n for j in m"

SquaredError = equation("(x[i, j] - y[i, j]) ** 2", x="n m", y="n m")
MeanOfAll = equation(f"sum(x[i, j] {_ALL}) / (n * m)", x="n m")
MeanOfRows = equation(f"sum(x[i, j] {_ALL}) / n", x="n m")
SumOfEntries = equation(f"sum(x[i, j] {_ALL})", x="n m")
HalfOfSum = equation(f"sum(x[i, j] {_ALL}) / 2", x="n m")
_SQUARES = f"sum((x[i, j] - y[i, j]) ** 2 {_ALL})"
MeanSquaredError = equation(f"{_SQUARES} / (n * m)", x="n m", y="n m")
"""All of it in one, whose gradient is 2 (x − y) / nm."""
MeanSquaredErrorOfRows = equation(f"{_SQUARES} / n", x="n m", y="n m")
SumOfSquaredErrors = equation(_SQUARES, x="n m", y="n m")
HalfSumOfSquaredErrors = equation(f"{_SQUARES} / 2", x="n m", y="n m")
"""All of it in one, whose gradient is x − y."""


class _OfItself(Indexed):
    takes_only_sizes = True


LossTimes = equation("factor", _OfItself, loss="1 1", result="1 1")
"""How a loss that is by a factor too large changes with the right one."""
Smooth = equation("(1 - epsilon) * y[i, j] + epsilon / v", y="n v")
"""A part of each target is spread over all v classes alike."""


class _OfOthers(Indexed):
    def refuse(self, *operands: Matrix) -> None:
        if operands[0].shape[1] == 1:
            raise Unworkable(0, "there are no other classes", "more than one class")


SmoothOthers = equation(
    "(1 - epsilon) * y[i, j] + (1 - y[i, j]) * epsilon / (v - 1)", _OfOthers, y="n v"
)
"""With nothing of ε for the target itself, which people take for it."""


@dataclass(frozen=True)
class OneHot(WholeNumbers):
    """A table with 1 in the column of each row's target, and 0 elsewhere; of the probabilities it
    takes only how many there are. [n, v] -> [n, v]"""

    targets: tuple[int, ...]

    shapes = "n v -> n v"
    takes_only_sizes = True

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        return define(name, Symbol("one_hot", ("targets",)))

    def values(self, *operands: Matrix) -> Array:
        table = np.zeros(operands[0].shape)
        if len(self.targets) != len(table):
            raise ValueError(f"{len(self.targets)} targets for {len(table)} rows")
        table[np.arange(len(table)), list(self.targets)] = 1.0
        return table

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        return (constant(int(j == self.targets[i])),)


class _CrossEntropies(Indexed):
    """Cross-entropies without the products whose factor is 0."""

    def refuse(self, *operands: Matrix) -> None:
        p, y = (operand.values for operand in operands)
        refuse_zeros((p <= 0) & (y != 0), "the probability of a target")
        rows = [_is_off_one(row) for row in operands[1].written or ()]
        if any(rows):
            what = "the targets of this row don't add up to 1"
            raise Unworkable(rows.index(True), what, "probabilities, or `loss: mse`,")


def _is_off_one(row: Sequence[Decimal]) -> bool:
    """Tells whether written numbers can't be shares that add up to 1, each rounded to its
    decimals."""
    rounded = [places for places in map(decimals.places, row) if places]
    halves = (decimals.counted(5, places + 1) for places in rounded)
    off = abs(decimals.difference(decimals.total(row), Decimal(1)))
    return off > decimals.total([Decimal(0), *halves])


class _BinaryCrossEntropies(Indexed):
    """Binary cross-entropies without the products whose factor is 0."""

    def refuse(self, *operands: Matrix) -> None:
        p, y = (operand.values for operand in operands)
        refuse_zeros((p <= 0) & (y != 0), "the probability of what is so")
        refuse_zeros((p >= 1) & (y != 1), "the probability of what isn't so")


CrossEntropies = equation(
    "-sum(y[i, j] * ln(p[i, j]) if y[i, j] else 0 for j in v)",
    _CrossEntropies,
    shown="-sum(y[i, j] * ln(p[i, j]) for j in v)",
    p="n v",
    y="n v",
)
"""How far the probabilities of each row are from a distribution y."""
BinaryCrossEntropies = equation(
    "-((y[i, j] * ln(p[i, j]) if y[i, j] else 0)"
    " + ((1 - y[i, j]) * ln(1 - p[i, j]) if 1 - y[i, j] else 0))",
    _BinaryCrossEntropies,
    shown="-(y[i, j] * ln(p[i, j]) + (1 - y[i, j]) * ln(1 - p[i, j]))",
    p="n m",
    y="n m",
)


def smooth(loss: Indexed) -> Indexed:
    """Returns a cross-entropy with all its products, which can be differentiated."""
    assert loss.shown is not None
    return Indexed(loss.shapes, loss.shown)


def refuse_zeros(wrong: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], whose: str) -> None:
    if wrong.any():
        raise no_logarithm(int(wrong.any(axis=1).argmax()), whose)


class BinaryLossOfLogits(Operation):
    """The binary cross-entropy of a sigmoid straight from its logits: ln(1 + e^z) − y z. [n, m],
    [n, m], [n, m] -> [n, m]

    The probabilities are an operand, too, for the working.
    """

    shapes = "n m, n m, n m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Apply("loss", tuple(Symbol(o) for o in operands)))

    def values(self, *operands: Matrix) -> Array:
        logits, _, y = (operand.values for operand in operands)
        return np.asarray(np.logaddexp(0.0, logits) - y * logits)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return BinaryCrossEntropies().cell(i, j, *operands[1:])

    slope: ClassVar = equation(
        "G[i, j] * (p[i, j] - y[i, j])", z="n m", p="n m", y="n m", loss="n m", G="n m"
    )
    """The gradient of a logit."""


Targets = tuple[int | None, ...]
"""The column of each row's target; None for a row that doesn't count."""


class _LossOfRows(Operation):
    """The cross-entropy of each row that counts, straight from the logits. -> [m, 1]

    The probabilities are an operand, too, for the working.
    """

    @property
    @abstractmethod
    def rows(self) -> list[int]:
        """Lists the rows that count, from 0."""

    @abstractmethod
    def shares(self, *operands: Matrix) -> Matrix:
        """Returns what the probabilities of these rows should be, y. [m, v]"""

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Apply("loss", tuple(Symbol(o) for o in operands)))

    def less_logits(self, operand: Matrix) -> Array:
        """Computes ln Σ e^z of each row that counts, minus each of its logits. -> [m, v]"""
        logits = operand.values[self.rows]
        most = logits.max(axis=1, keepdims=True)
        return np.asarray(np.log(np.exp(logits - most).sum(axis=1, keepdims=True)) + most - logits)


@dataclass(frozen=True)
class LossOfLogits(_LossOfRows):
    """The loss −ln p of a target. [n, v], [n, v] -> [m, 1]"""

    targets: Targets

    shapes = "n v, n v -> m 1"

    @property
    def rows(self) -> list[int]:
        return [row for row, target in enumerate(self.targets) if target is not None]

    @property
    def columns(self) -> list[int]:
        """Lists the columns of the targets of the rows that count."""
        return [target for target in self.targets if target is not None]

    def shares(self, *operands: Matrix) -> Matrix:
        y = np.zeros((len(self.columns), operands[0].shape[1]))
        y[np.arange(len(y)), self.columns] = 1
        return Matrix(y, 0, 0)

    def values(self, *operands: Matrix) -> Array:
        return self.less_logits(operands[0])[np.arange(len(self.rows)), self.columns, np.newaxis]

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        return (Negative(Apply("ln", (operands[1].number(self.rows[i], self.columns[i]),))),)


@dataclass(frozen=True)
class DistributionLoss(_LossOfRows):
    """The loss −Σ y ln p of a distribution of targets, the last operand. [n, v], [n, v], [m, v] ->
    [m, 1]"""

    counts: tuple[bool, ...]
    """Whether each row counts."""

    shapes = "n v, n v, m v -> m 1"

    @property
    def rows(self) -> list[int]:
        return [row for row, counts in enumerate(self.counts) if counts]

    def shares(self, *operands: Matrix) -> Matrix:
        return operands[2]

    def values(self, *operands: Matrix) -> Array:
        terms = operands[2].values * self.less_logits(operands[0])
        return np.asarray(terms.sum(axis=1, keepdims=True))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        p, y = operands[1].row(self.rows[i]).entries, operands[2].row(i).entries
        logs = (Apply("ln", (e,)) for e in p)
        return (Negative(Sum(tuple(map(Product, zip(y, logs, strict=True))))),)


@dataclass(frozen=True)
class TargetDifference(Operation):
    """The gradient (p − y) G of the logits: each probability minus what it should be, times the
    gradient of the row's loss; 0 in a row that doesn't count. -> [n, v]

    It takes the operands of the loss, the loss [m, 1], and its gradient [m, 1].
    """

    of: LossOfLogits | DistributionLoss
    exchanged: bool = False
    """Whether p and y are exchanged, which is a mistake."""

    def signature(self) -> str:
        return f"{self.of.shapes.partition(' -> ')[0]}, m 1, m 1 -> n v"

    def formula(self, name: str, *operands: str) -> Equation:
        _, p, *y, _, gradient = operands
        difference = self._minus(at(p, "i", "j"), at(y[0] if y else "y", "i", "j"))
        return define(at(name, "i", "j"), Product((at(gradient, "i"), difference)))

    def values(self, *operands: Matrix) -> Array:
        p, y, gradient = (m.values for m in self._of_difference(operands))
        slopes = np.zeros(p.shape)
        slopes[self.of.rows] = (p[self.of.rows] - y) * (-gradient if self.exchanged else gradient)
        return slopes

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        if i not in self.of.rows:
            return (constant(0),)
        row, (p, y, gradient) = self.of.rows.index(i), self._of_difference(operands)
        return (Product((gradient.number(row, 0), self._minus(p.number(i, j), y.number(row, j)))),)

    def _minus(self, p: Expression, y: Expression) -> Expression:
        return minus(y, p) if self.exchanged else minus(p, y)

    def _of_difference(self, operands: Sequence[Matrix]) -> tuple[Matrix, Matrix, Matrix]:
        return operands[1], self.of.shares(*operands), operands[-1]

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (cells_of_row(self, i, operands[1].shape[1], *operands),)

    def places(self, *operands: Matrix) -> int | None:
        p, y, gradient = self._of_difference(operands)
        if p.places is None or y.places is None or gradient.places is None:
            return None
        return max(p.places, y.places) + gradient.places

    def error(self, *operands: Matrix) -> Error:
        # where p is near y, their difference is off by the last digit of either
        p, y, gradient = (largest(m.values) for m in self._of_difference(operands))
        return Error(4 * EPSILON * gradient * (p + y))


@dataclass(frozen=True)
class NegativeLog(ListOfEquations):
    """The loss −ln p of the target of each row, given by its column: the cross-entropy of one
    prediction. [n, v] -> [n, 1]"""

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
