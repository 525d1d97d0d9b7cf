"""What a gradient is multiplied by on its way back through a recurrent cell, and how large it is.

Bengio et al. 1994; Pascanu et al. 2013, arXiv:1211.5063. Vectors are columns [h, 1].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import (
    Apply,
    Equation,
    Number,
    Power,
    Product,
    Root,
    Total,
    constant,
    minus,
)
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import (
    EPSILON,
    Operation,
    Working,
    ZeroOne,
    added_places,
    are_long,
    cells_of_row,
    product_of,
    sum_of,
)
from attncli.arithmetic.rounding import Array, Error, largest


class TanhSlope(Operation):
    """1 − a², the slope of tanh where it comes to a. [h, 1] -> [h, 1]"""

    def signature(self) -> str:
        return "h 1 -> h 1"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(at(name, "i"), minus(constant(1), Power(at(operands[0], "i"), constant(2))))

    def values(self, *operands: Matrix) -> Array:
        return np.asarray(1 - operands[0].values ** 2)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        a = operands[0].number(i, j)
        square = product_of(a, a)
        form = minus(constant(1), Power(a, constant(2)))
        return (form,) if are_long([square]) else (form, minus(constant(1), square))

    def places(self, *operands: Matrix) -> int | None:
        known = operands[0].places
        return None if known is None else 2 * known

    def error(self, *operands: Matrix) -> Error:
        return Error(4 * EPSILON * (1 + largest(operands[0].values) ** 2))


class ReluSlope(ZeroOne):
    """1 where z is above 0, else 0. [h, 1] -> [h, 1]"""

    def signature(self) -> str:
        return "h 1 -> h 1"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(at(name, "i"), Apply("step", (at(operands[0], "i"),)))

    def values(self, *operands: Matrix) -> Array:
        return (operands[0].values > 0).astype(np.float64)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return (constant(int(operands[0].values[i, j] > 0)),)


@dataclass(frozen=True)
class TimesDiagonal(Operation):
    """Wᵀ diag(slope): what a gradient is multiplied by at one step back. `in_out` has a W that is
    kept in × out. [h, h], [h, 1] -> [h, h]"""

    in_out: bool = False

    def signature(self) -> str:
        return "h k, k 1 -> h k" if self.in_out else "k h, k 1 -> h k"

    def formula(self, name: str, *operands: str) -> Equation:
        W, slope = operands
        weights = at(W, "i", "j") if self.in_out else at(W, "j", "i")
        return define(at(name, "i", "j"), Product((weights, at(slope, "j"))))

    def values(self, *operands: Matrix) -> Array:
        W, slope = (operand.values for operand in operands)
        return np.asarray((W if self.in_out else W.T) * slope.T)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        W, slope = operands
        return (Product((W.number(i, j) if self.in_out else W.number(j, i), slope.number(j, 0))),)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (cells_of_row(self, i, operands[1].shape[0], *operands),)

    def places(self, *operands: Matrix) -> int | None:
        return added_places(*operands)


class FrobeniusNorm(Operation):
    """√ of the sum of all squares: how large a matrix is. [h, k] -> [1, 1]"""

    def signature(self) -> str:
        return "h k -> 1 1"

    def formula(self, name: str, *operands: str) -> Equation:
        square = Power(at(operands[0], "i", "j"), constant(2))
        return define(name, Root(Total("ij", square)))

    def values(self, *operands: Matrix) -> Array:
        return np.asarray(np.sqrt(np.square(operands[0].values).sum(keepdims=True)))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        rows, columns = operands[0].shape
        numbers = [operands[0].number(a, b) for a in range(rows) for b in range(columns)]
        total = decimals.total(decimals.product(x.shown, x.shown) for x in numbers)
        form = Root(sum_of([Power(number, constant(2)) for number in numbers]))
        return (form,) if are_long([Number.inner(total)]) else (form, Root(Number.inner(total)))

    def error(self, *operands: Matrix) -> Error:
        rows, columns = operands[0].shape
        return Error(0.0, (rows * columns + 8) * EPSILON)
