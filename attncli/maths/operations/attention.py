"""The operations of attention: products of matrices, `X W`, `Q Kᵀ`, `weights V`, and the cache."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, reduce
from typing import ClassVar

import numpy as np

from attncli.maths.equations import deciding
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.stored_matrix import Stored
from attncli.maths.equations.tree import (
    Dot,
    Equation,
    Number,
    Omitted,
    Product,
    Sum,
    Symbol,
    Vector,
    constant,
    define,
    operands_in,
)
from attncli.maths.equations.working import product_of
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import AnyArray, Array
from attncli.maths.operations.equation import Indexed, equation
from attncli.maths.operations.operation import Layout, Operation, Working


class ProductOfMatrices(Indexed):
    """A product of two matrices, with or without a bias. [n, k], [k, m] -> [n, m], or of either
    the transpose."""

    layout: ClassVar[Layout] = "sums"

    @cached_property
    def left(self) -> str:
        """Returns the indices of the left matrix; `ki` where it is transposed."""
        return self._indices(0)

    @cached_property
    def right(self) -> str:
        """Returns the indices of the right matrix; `jk` where it is transposed."""
        return self._indices(1)

    def _indices(self, place: int) -> str:
        return next("".join(o.indices) for o in operands_in(self.tree) if o.place == place)

    def values(self, *operands: Matrix) -> Array:
        if operands[1].is_stored and self.left == "ik":
            return self._by_parts(*operands)
        return super().values(*operands)

    def _by_parts(self, x: Matrix, W: Matrix, *bias: Matrix) -> Array:
        made = _added_up(x.values, W.parts, W, self.right)
        return np.add(made, bias[0].values, out=made) if bias else made

    def of_sizes(self, x: Array, W: Stored) -> Array:
        """Bounds the product of x [n, k], of which no number is negative, with the absolute values
        of W from above.

        It is worked in float32, in half the time, and what that may round off is added.
        """
        largest, depth = x.max(initial=0.0), x.shape[1]
        if not largest:
            return np.zeros((len(x), W.shape[self.right == "kj"]))
        short = (x / largest).astype(np.float32)
        parts = ((some, np.abs(rows, dtype=np.float32)) for some, rows in W.kept.parts)
        made = _added_up(short, parts, W, self.right).astype(np.float64)
        # each number rounded, and each sum on the way; what is less than float32 has is nothing
        more, least = 1 + (depth + 8) * _ROUNDED, depth * (1 + W.range.size) * _LEAST
        made *= largest * more
        made += largest * least
        return made


def _added_up(
    x: AnyArray, parts: Iterable[tuple[slice, AnyArray]], W: Matrix, right: str
) -> AnyArray:
    """Multiplies x by some rows of W at a time: they give some columns of the product where W is
    indexed `jk`, and else belong to some columns of x."""
    if right == "kj":
        return reduce(np.ndarray.__iadd__, (x[:, some] @ rows for some, rows in parts))
    made = np.empty((len(x), W.shape[0]), x.dtype)
    for some, rows in parts:
        np.matmul(x, rows.T, out=made[:, some])
    return made


_ROUNDED, _LEAST = 2.0**-23, 2.0**-126
"""Of float32: twice what rounding is off by, and the least number that has all digits."""


class _InCells(ProductOfMatrices):
    layout: ClassVar[Layout] = "cells"


class _RowsByRows(_InCells):
    """A product of each row of the left matrix with each row of the right one."""

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        Q, K = operands
        return (Dot(Q.row(i), K.row(j)), *super().cell(i, j, *operands))


class _RowsAddedUp(ProductOfMatrices):
    """A sum of the rows of V, each times its weight."""

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
        text = ", ".join(rows[:MOST_PARTS]) + (", …" if len(rows) > MOST_PARTS else "")
        of = f"row {text}" if len(rows) == 1 else f"the rows {text}"
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


SumsInPairs = equation("sum(Q[i, k] + K[j, k] for k in k)", Q="n k", K="m k")
SumsInPairsOfColumns = equation("sum(x[i, k] + W[k, j] for k in k)", x="n k", W="k m")
"""Sums where products belong."""


class _OfRank(Indexed):
    first_for_size = True


LowRankUpdate = equation("alpha / r * x[i, j]", _OfRank, whole=True, A="r m", x="n m")
"""What LoRA adds to a matrix, of B A; the rank is how many rows A has."""


def is_off_one(row: Sequence[Decimal]) -> bool:
    """Tells whether numbers can't be rounded weights that add up to 1: each is off by half a unit
    of its last place at most."""
    halves = (decimals.counted(5, decimals.places(number) + 1) for number in row)
    return abs(decimals.difference(decimals.total(row), Decimal(1))) > decimals.total(halves)


def scaled_vector(weight: Number, vector: Vector) -> Vector:
    """Multiplies the entries of a vector by a weight, in full."""
    return Vector(
        tuple(
            product_of(weight, entry) if isinstance(entry, Number) else entry
            for entry in vector.entries
        )
    )


@dataclass(frozen=True)
class CacheBytes(Operation):
    """The memory that keys and values take in all layers, in bytes. [n, heads · d_k], [n, heads ·
    d_v] -> [1, 1]"""

    layers: int
    heads: int
    """How many heads have their columns side by side."""
    bytes_each: Number
    """The bytes of one number."""
    values_too: bool = True
    """Whether values are counted; by mistake they aren't."""

    shapes = "n k, n v -> 1 1"
    takes_only_sizes = True

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        counted = map(Symbol, ("layers", "kv_heads", "d_head", "tokens", "bytes"))
        return define(name, Product((constant(2), *counted)))

    def values(self, *operands: Matrix) -> Array:
        return np.array([[float(deciding.full(self.first_form(0, 0, *operands)))]])

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        n, *widths = operands[0].shape[0], *(operand.shape[1] for operand in operands)
        k, v = (constant(width // self.heads) for width in widths)
        both = (constant(2), k) if k == v else (Sum((k, v)),)
        numbers = both if self.values_too else (k,)
        tokens = constant(n)
        first, *head = numbers
        counts = (first, constant(self.layers), constant(self.heads), *head, tokens)
        return (Product((*counts, self.bytes_each)),)

    def places(self, *operands: Matrix) -> int | None:  # noqa: ARG002
        return decimals.places(self.bytes_each.full)
