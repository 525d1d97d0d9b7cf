"""What a gradient is multiplied by on its way back through a recurrent cell, and how large it is.

Bengio et al. 1994; Pascanu et al. 2013, arXiv:1211.5063. Vectors are columns [h, 1].
"""

from __future__ import annotations

import numpy as np

from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.expression import (
    Apply,
    Equation,
    Power,
    Product,
    Root,
    Total,
    constant,
    minus,
)
from attncli.arithmetic.formula import define
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Working, ZeroOne
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.rounding import Array


class TanhSlope(Indexed):
    """1 − a², the slope of tanh where it comes to a. [h, 1] -> [h, 1]"""

    def __init__(self) -> None:
        super().__init__("h 1 -> h 1", minus(constant(1), Power(cell(0, "i"), constant(2))))


class ReluSlope(ZeroOne, Indexed):
    """1 where z is above 0, else 0. [h, 1] -> [h, 1]"""

    def __init__(self) -> None:
        above = Apply("step", (cell(0, "i"),))
        one, zero = constant(1), constant(0)
        super().__init__("h 1 -> h 1", Apply("where", (above, one, zero)), above)


class TimesDiagonal(Indexed):
    """Wᵀ diag(slope): what a gradient is multiplied by at one step back. `in_out` has a W that is
    kept in × out. [h, h], [h, 1] -> [h, h]"""

    def __init__(self, in_out: bool = False) -> None:
        shapes = "h k, k 1 -> h k" if in_out else "k h, k 1 -> h k"
        weight = cell(0, "i", "j") if in_out else cell(0, "j", "i")
        super().__init__(shapes, Product((weight, cell(1, "j"))))


class FrobeniusNorm(Indexed):
    """√ of the sum of all squares: how large a matrix is. [h, k] -> [1, 1]"""

    def __init__(self) -> None:
        norm = Root(Total("ij", Power(cell(0, "i", "j"), constant(2))))
        super().__init__("h k -> 1 1", norm)


class One(ZeroOne):
    """1, with which the way back begins: how a loss changes with itself. [1, 1] -> [1, 1]"""

    takes_only_sizes = True
    shapes = "1 1 -> 1 1"

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        return define(name, constant(1))

    def values(self, *operands: Matrix) -> Array:
        return np.ones(operands[0].shape)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        return (constant(1),)
