"""Several equations as one, for the way back: their derivative in one line, as people know it.

softmax: ∂x = p ∘ (∂p − Σ ∂p ∘ p); with −ln p of a target behind it, p − y (Bridle 1990,
doi:10.1007/978-3-642-76153-9_28).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.expression import (
    Apply,
    Equation,
    Expression,
    Negative,
    Product,
    Quotient,
    Sum,
    Symbol,
    Total,
    constant,
    e_to,
    minus,
)
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Operation, Working, cells_of_row
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.rounding import Array, Error, largest


class Softmax(Indexed):
    """e^x over the sum of its row. [n, m] -> [n, m]"""

    def __init__(self) -> None:
        one, all_of_row = e_to(cell(0, "i", "j")), Total("k", e_to(cell(0, "i", "k")))
        super().__init__("n m -> n m", Quotient(one, all_of_row))


class SoftmaxDown(Indexed):
    """The same down a column. [n, 1] -> [n, 1]"""

    def __init__(self) -> None:
        one, all_of_column = e_to(cell(0, "i")), Total("k", e_to(cell(0, "k")))
        super().__init__("n 1 -> n 1", Quotient(one, all_of_column))


Targets = tuple[int | None, ...]
"""The column of each row's target; None for a row that doesn't count."""


@dataclass(frozen=True)
class LossOfLogits(Operation):
    """−ln of the probability that a softmax gives the target of each row that counts, of the
    logits; the probabilities are an operand too. [n, v], [n, v] -> [m, 1]"""

    targets: Targets

    shapes = "n v, n v -> m 1"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Apply("loss", tuple(Symbol(one) for one in operands)))

    def values(self, *operands: Matrix) -> Array:
        rows, columns = _counted(self.targets)
        logits = operands[0].values[rows]
        most = logits.max(axis=1, keepdims=True)
        sums = np.log(np.exp(logits - most).sum(axis=1, keepdims=True)) + most
        return np.asarray(sums - logits[np.arange(len(rows)), columns, np.newaxis])

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        row = _counted(self.targets)[0][i]
        target = self.targets[row]
        assert target is not None
        return (Negative(Apply("ln", (operands[1].number(row, target),))),)


@dataclass(frozen=True)
class TargetDifference(Operation):
    """(p − y) G: each probability, less 1 for the target, times the gradient of the row's loss; 0
    in a row that doesn't count. By mistake p and y are `exchanged`.
    [n, v], [n, v], [m, 1], [m, 1] -> [n, v]"""

    targets: Targets
    exchanged: bool = False

    shapes = "n v, n v, m 1, m 1 -> n v"

    def formula(self, name: str, *operands: str) -> Equation:
        probability, gradient = at(operands[1], "i", "j"), at(operands[3], "i")
        difference = self._minus(probability, Symbol("y", ("i", "j")))
        return define(at(name, "i", "j"), Product((gradient, difference)))

    def values(self, *operands: Matrix) -> Array:
        _, probabilities, _, gradient = (operand.values for operand in operands)
        rows, columns = _counted(self.targets)
        slopes = np.zeros(probabilities.shape)
        slopes[rows] = probabilities[rows]
        slopes[rows, columns] -= 1
        slopes[rows] *= -gradient if self.exchanged else gradient
        return slopes

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        if self.targets[i] is None:
            return (constant(0),)
        right = constant(int(j == self.targets[i]))
        difference = self._minus(operands[1].number(i, j), right)
        gradient = operands[3].number(_counted(self.targets)[0].index(i), 0)
        return (Product((gradient, difference)),)

    def _minus(self, p: Expression, y: Expression) -> Expression:
        return minus(y, p) if self.exchanged else minus(p, y)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (cells_of_row(self, i, operands[1].shape[1], *operands),)

    def places(self, *operands: Matrix) -> int | None:
        _, probabilities, _, gradient = operands
        if probabilities.places is None or gradient.places is None:
            return None
        return probabilities.places + gradient.places

    def error(self, *operands: Matrix) -> Error:
        # a probability near 1 is off by its own last digit, of which 1 − p is left
        _, probabilities, _, gradient = (operand.values for operand in operands)
        return Error(4 * EPSILON * largest(gradient) * (1 + largest(probabilities)))

    def sizes(self, *operands: Matrix) -> Array:
        _, probabilities, _, gradient = (operand.values for operand in operands)
        rows, columns = _counted(self.targets)
        sizes = np.zeros(probabilities.shape)
        sizes[rows] = probabilities[rows]
        sizes[rows, columns] += 1
        sizes[rows] *= np.abs(gradient)
        return sizes


@dataclass(frozen=True)
class DistributionLoss(Operation):
    """The cross-entropy of each row that counts straight from the logits, with the probabilities
    and the distribution of targets for operands. [n, v], [n, v], [m, v] -> [m, 1]"""

    counts: tuple[bool, ...]
    """Whether each row does."""

    shapes = "n v, n v, m v -> m 1"

    @property
    def rows(self) -> list[int]:
        """The places of those that count."""
        return [row for row, counts in enumerate(self.counts) if counts]

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, Apply("loss", tuple(Symbol(one) for one in operands)))

    def values(self, *operands: Matrix) -> Array:
        logits, y = operands[0].values[self.rows], operands[2].values
        most = logits.max(axis=1, keepdims=True)
        sums = np.log(np.exp(logits - most).sum(axis=1, keepdims=True)) + most
        return np.asarray((y * (sums - logits)).sum(axis=1, keepdims=True))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        p, y = operands[1].row(self.rows[i]).entries, operands[2].row(i).entries
        logs = (Apply("ln", (one,)) for one in p)
        return (Negative(Sum(tuple(map(Product, zip(y, logs, strict=True))))),)


@dataclass(frozen=True)
class DistributionDifference(Operation):
    """(p − y) G: each probability less its target, times the gradient of the row's loss; 0 in a
    row that doesn't count. The targets of a row add up to 1.
    [n, v], [n, v], [m, v], [m, 1], [m, 1] -> [n, v]"""

    of: DistributionLoss

    shapes = "n v, n v, m v, m 1, m 1 -> n v"

    def formula(self, name: str, *operands: str) -> Equation:
        p, y, gradient = at(operands[1], "i", "j"), at(operands[2], "i", "j"), at(operands[4], "i")
        return define(at(name, "i", "j"), Product((gradient, minus(p, y))))

    def values(self, *operands: Matrix) -> Array:
        _, p, y, _, gradient = (operand.values for operand in operands)
        slopes = np.zeros(p.shape)
        slopes[self.of.rows] = (p[self.of.rows] - y) * gradient
        return slopes

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        if not self.of.counts[i]:
            return (constant(0),)
        row = self.of.rows.index(i)
        difference = minus(operands[1].number(i, j), operands[2].number(row, j))
        return (Product((operands[4].number(row, 0), difference)),)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (cells_of_row(self, i, operands[1].shape[1], *operands),)

    def places(self, *operands: Matrix) -> int | None:
        _, p, y, _, gradient = operands
        if p.places is None or y.places is None or gradient.places is None:
            return None
        return max(p.places, y.places) + gradient.places

    def error(self, *operands: Matrix) -> Error:
        # where p is near y, their difference is off by the last digit of either
        _, p, y, _, gradient = (operand.values for operand in operands)
        return Error(4 * EPSILON * largest(gradient) * (largest(p) + largest(y)))

    def sizes(self, *operands: Matrix) -> Array:
        _, p, y, _, gradient = (operand.values for operand in operands)
        sizes = np.zeros(p.shape)
        sizes[self.of.rows] = (p[self.of.rows] + np.abs(y)) * np.abs(gradient)
        return sizes


def _counted(targets: Targets) -> tuple[list[int], list[int]]:
    """The rows that count, and the columns of their targets."""
    known = [(row, column) for row, column in enumerate(targets) if column is not None]
    return [row for row, _ in known], [column for _, column in known]
