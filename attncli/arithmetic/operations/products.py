"""Products of matrices: `X W`, `Q Kᵀ`, `weights V`, `x W + b`."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import cached_property, reduce
from typing import ClassVar

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.elision import MOST_PARTS, elided
from attncli.arithmetic.equations.working import product_of
from attncli.arithmetic.expression import (
    Dot,
    Number,
    Omitted,
    Product,
    Sum,
    Vector,
)
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Layout, Working
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.texts import equation
from attncli.arithmetic.rounding import Array
from attncli.arithmetic.signature import operands_in


class ProductOfMatrices(Indexed):
    """A product of two matrices, with or without a bias. [n, k], [k, m] -> [n, m], or of either
    the transpose."""

    layout: ClassVar[Layout] = "sums"

    @cached_property
    def left(self) -> str:
        """The indices of the left matrix; `ki` where it is transposed."""
        return self._indices(0)

    @cached_property
    def right(self) -> str:
        """The indices of the right matrix; `jk` where it is transposed."""
        return self._indices(1)

    def _indices(self, place: int) -> str:
        return next("".join(one.indices) for one in operands_in(self.tree) if one.place == place)

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


class _InCells(ProductOfMatrices):
    layout: ClassVar[Layout] = "cells"


class _RowsByRows(_InCells):
    """Each row of the left matrix with each row of the right one."""

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        Q, K = operands
        return (Dot(Q.row(i), K.row(j)), *super().cell(i, j, *operands))


class _RowsAddedUp(ProductOfMatrices):
    """The rows of V added up, each times its weight."""

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


_XW, _XWT = "sum(x[i, k] * W[k, j] for k in k)", "sum(x[i, k] * W[j, k] for k in k)"
"""W as rows × columns, or as nn.Linear stores it, out × in."""

MatMul = equation(_XW, ProductOfMatrices, shown="x @ W", x="n k", W="k m")
Linear = equation(_XWT, ProductOfMatrices, shown="x @ W.T", x="n k", W="m k")
Affine = equation(f"{_XW} + b[j]", ProductOfMatrices, shown="x @ W + b", x="n k", W="k m", b="1 m")
AffineTransposed = equation(
    f"{_XWT} + b[j]", ProductOfMatrices, shown="x @ W.T + b", x="n k", W="m k", b="1 m"
)
MatMulTransposed = equation(
    "sum(Q[i, k] * K[j, k] for k in k)", _RowsByRows, shown="Q @ K.T", Q="n k", K="m k"
)
WeightedSum = equation(
    "sum(w[i, k] * V[k, j] for k in k)", _RowsAddedUp, shown="w @ V", w="n k", V="k m"
)
TransposedWeights = equation(
    "sum(w[k, i] * V[k, j] for k in k)", _InCells, shown="w.T @ V", w="k n", V="k m"
)
"""A column of weights in place of a row."""


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
