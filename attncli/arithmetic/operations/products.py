"""Products of matrices: `X W`, `Q Kᵀ`, `weights V`, `x W + b`."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import reduce
from typing import ClassVar

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.elision import MOST_PARTS, elided
from attncli.arithmetic.equations.formulas import X, Y, Z, cell
from attncli.arithmetic.equations.working import product_of
from attncli.arithmetic.expression import (
    Dot,
    Expression,
    MatrixProduct,
    Number,
    Omitted,
    Product,
    Sum,
    Total,
    Transposed,
    Vector,
)
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Layout, Working
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.rounding import Array

_SIDES = {"i": "n", "j": "m", "k": "k"}
"""How long each index is, in signatures."""


class MatMul(Indexed):
    """x W: each row of the left matrix times the right one. [n, k], [k, m] -> [n, m]

    Raises ValueError where the shapes don't fit, as all products do."""

    layout: ClassVar[Layout] = "sums"
    left: ClassVar[str] = "ik"
    """The indices of the left matrix; `ki` where it is transposed."""
    right: ClassVar[str] = "kj"
    """The indices of the right matrix; `jk` where it is transposed."""
    has_bias: ClassVar[bool] = False

    def __init__(self) -> None:
        x = X if self.left == "ik" else Transposed(X)
        W = Y if self.right == "kj" else Transposed(Y)
        tree: Expression = Total("k", Product((cell(0, *self.left), cell(1, *self.right))))
        shown: Expression = MatrixProduct((x, W))
        sides = [" ".join(map(_SIDES.__getitem__, one)) for one in (self.left, self.right)]
        if self.has_bias:
            tree, shown = Sum((tree, cell(2, "j"))), Sum((shown, Z))
            sides.append("1 m")
        super().__init__(f"{', '.join(sides)} -> n m", tree, shown)

    def values(self, *operands: Matrix) -> Array:
        if operands[1].is_stored and self.left == "ik":
            return self._by_parts(*operands)
        return super().values(*operands)

    def _by_parts(self, x: Matrix, W: Matrix, *bias: Matrix) -> Array:
        """The product with some rows of W at a time, which each make some columns of it, or where
        they go with the columns of x, a part of all its sums."""
        if self.right == "jk":
            made = np.concatenate([x.values @ rows.T for _, rows in W.parts], axis=1)
        else:
            made = reduce(np.add, (x.values[:, some] @ rows for some, rows in W.parts))
        return made + bias[0].values if bias else made


class MatMulTransposed(MatMul):
    """Q Kᵀ: each row of the left matrix with each row of the right one. [n, k], [m, k] -> [n, m]"""

    layout: ClassVar[Layout] = "cells"
    right: ClassVar[str] = "jk"

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        Q, K = operands
        return (Dot(Q.row(i), K.row(j)), *super().cell(i, j, *operands))


class Linear(MatMul):
    """x Wᵀ, with a W that is stored out × in as nn.Linear does. [n, k], [m, k] -> [n, m]"""

    right: ClassVar[str] = "jk"


class Affine(MatMul):
    """x W + b. [n, k], [k, m], [1, m] -> [n, m]"""

    has_bias: ClassVar[bool] = True


class AffineTransposed(Affine):
    """x Wᵀ + b, with a W that is stored out × in as nn.Linear does.
    [n, k], [m, k], [1, m] -> [n, m]"""

    right: ClassVar[str] = "jk"


class TransposedWeights(MatMul):
    """weightsᵀ V: a column of weights in place of a row. [n, n], [n, d_v] -> [n, d_v]"""

    layout: ClassVar[Layout] = "cells"
    left: ClassVar[str] = "ki"


class WeightedSum(MatMul):
    """weights V: the rows of V added up, each times its weight. [n, m], [m, d_v] -> [n, d_v]"""

    layout: ClassVar[Layout] = "addition"

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        weights, V = operands
        addends = [
            Omitted() if k is None else Product((weights.number(i, k), V.row(k)))
            for k in elided(V.shape[0], MOST_PARTS)
        ]
        return (Sum(tuple(addends)),)

    def remark(self, *operands: Matrix) -> str | None:
        rows = [str(i) for i, row in enumerate(operands[0].written or (), 1) if is_off_one(row)]
        if not rows:
            return None
        told = ", ".join(rows[:MOST_PARTS]) + (", …" if len(rows) > MOST_PARTS else "")
        of = f"row {told}" if len(rows) == 1 else f"the rows {told}"
        return f"The given weights of {of} don't add up to 1, as those of a softmax do."


def is_off_one(row: Sequence[Decimal]) -> bool:
    """Whether numbers can't be rounded ones of weights that add up to 1: each is off by half a
    unit of its last place at most."""
    halves = (decimals.counted(5, decimals.places(number) + 1) for number in row)
    return abs(decimals.difference(decimals.total(row), Decimal(1))) > decimals.total(halves)


def scaled_vector(weight: Number, vector: Vector) -> Vector:
    """The products of a weight and the entries of a vector, in full."""
    return Vector(
        tuple(
            product_of(weight, entry) if isinstance(entry, Number) else entry
            for entry in vector.entries
        )
    )
