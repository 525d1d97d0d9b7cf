"""Derivatives by hand: of operations that put numbers elsewhere, rotate them, or pick one a row.

Each takes the operation's operands, its result, and G, the gradient of the loss with respect to
the result, as those of equations do (`derivatives`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.equations.working import sum_of
from attncli.arithmetic.expression import (
    Equation,
    Negative,
    Quotient,
    Sum,
    Vector,
    constant,
    minus,
)
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Operation, Working
from attncli.arithmetic.operations.moved import Moved
from attncli.arithmetic.operations.relative import TakeByBucket
from attncli.arithmetic.operations.rotary import Rotate
from attncli.arithmetic.rounding import Array, Error, largest


@dataclass(frozen=True)
class ScatterAdd(Operation):
    """For each number of an operand, the gradients of all places that an operation puts it to,
    added up; 0 for one that it leaves out."""

    operation: Moved | TakeByBucket
    operand: int

    @property
    def repeats(self) -> bool:
        return True

    def signature(self) -> str:
        before, _, after = self.operation.signature().partition(" -> ")
        return f"{before}, {after}, {after} -> {before.split(', ')[self.operand]}"

    def formula(self, name: str, *operands: str) -> Equation:
        *before, _, gradient = operands
        return self.operation.formula_back(name, self.operand, gradient, *before)

    def values(self, *operands: Matrix) -> Array:
        return self._added(operands, operands[-1].values)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        number = self._first(operands) + i * operands[self.operand].shape[1] + j
        places = np.argwhere(self.operation.sources(operands[:-2]) == number).tolist()
        return (sum_of([operands[-1].number(*place) for place in places]),)

    def places(self, *operands: Matrix) -> int | None:
        return operands[-1].places

    def error(self, *operands: Matrix) -> Error:
        gradient = operands[-1].values
        most = int(self._added(operands, np.ones(gradient.shape)).max())
        return Error((most + 2) * EPSILON * most * largest(gradient))

    def sizes(self, *operands: Matrix) -> Array:
        return self._added(operands, np.abs(operands[-1].values))

    def _added(self, operands: Sequence[Matrix], gradient: Array) -> Array:
        shape, first = operands[self.operand].shape, self._first(operands)
        count = first + shape[0] * shape[1]
        sources = self.operation.sources(operands[:-2]).ravel()
        added = np.bincount(sources, gradient.ravel(), minlength=count)
        return np.asarray(added[first:count].reshape(shape), dtype=np.float64)

    def _first(self, operands: Sequence[Matrix]) -> int:
        """The number of the operand's first number among those of all operands."""
        return sum(operand.size for operand in operands[: self.operand])


@dataclass(frozen=True)
class RotateBack(Operation):
    """Each pair of columns of a gradient turned by its angle the other way, the transpose of a
    rotation being its inverse."""

    rotation: Rotate

    shapes = "n d, n p, n p, n d, n d -> n d"

    def formula(self, name: str, *operands: str) -> Equation:
        _, cosine, sine, _, gradient = operands
        forth = self.rotation.formula(name, gradient, cosine, sine)
        match forth.right:
            case Vector((Sum((x_cosine, Negative(y_sine))), Sum((x_sine, y_cosine)))):
                back = Vector((Sum((x_cosine, y_sine)), minus(y_cosine, x_sine)))
                return Equation(forth.left, back)
            case other:
                raise TypeError(f"no rotation of pairs: {other}")

    def values(self, *operands: Matrix) -> Array:
        return self._back.values(*_turned(operands))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return self._back.cell(i, j, *_turned(operands))

    def places(self, *operands: Matrix) -> int | None:
        return self._back.places(*_turned(operands))

    def error(self, *operands: Matrix) -> Error:
        return self._back.error(*_turned(operands))

    def sizes(self, *operands: Matrix) -> Array:
        return self._back.sizes(*_turned(operands))

    @property
    def _back(self) -> Rotate:
        """The rotation the other way."""
        return replace(self.rotation, back=not self.rotation.back)


def _turned(operands: Sequence[Matrix]) -> tuple[Matrix, Matrix, Matrix]:
    """The gradient, the cosines and the sines."""
    _, cosine, sine, _, gradient = operands
    return gradient, cosine, sine


@dataclass(frozen=True)
class TargetSlope(Operation):
    """−G / p for the target of each row, else 0: how a loss −ln p changes with the probabilities.
    [n, v], [n, 1], [n, 1] -> [n, v]"""

    targets: tuple[int, ...]

    shapes = "n v, n 1, n 1 -> n v"

    def formula(self, name: str, *operands: str) -> Equation:
        gradient, probability = at(operands[-1], "i"), at(operands[0], "i", "target")
        return define(at(name, "i", "target"), Negative(Quotient(gradient, probability)))

    def values(self, *operands: Matrix) -> Array:
        probabilities, _, gradient = (operand.values for operand in operands)
        rows, columns = np.arange(len(probabilities)), list(self.targets)
        slopes = np.zeros(probabilities.shape)
        slopes[rows, columns] = -gradient[:, 0] / probabilities[rows, columns]
        return slopes

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        if j != self.targets[i]:
            return (constant(0),)
        return (Negative(Quotient(operands[-1].number(i, 0), operands[0].number(i, j))),)
