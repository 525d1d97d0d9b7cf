"""Products of matrices: `X W`, `Q Kᵀ`, `weights V`, `x W + b`."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import ClassVar

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.equations.working import are_long, product_of
from attncli.arithmetic.expression import (
    MOST_PARTS,
    Dot,
    Equation,
    Expression,
    MatrixProduct,
    Number,
    Omitted,
    Product,
    Sum,
    Symbol,
    Transposed,
    Vector,
    elided,
)
from attncli.arithmetic.formula import define, plus, times, transposed
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Layout, Operation, Working, added_places, most_places
from attncli.arithmetic.rounding import Array, Error, largest
from attncli.arithmetic.whole import Fractions, whole_product
from attncli.records import dataclass


class MatMul(Operation):
    """x W: each row of the left matrix times the right one. [n, k], [k, m] -> [n, m]"""

    layout: ClassVar[Layout] = "sums"

    def signature(self) -> str:
        return "n k, k m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, times(*operands))

    def values(self, *operands: Matrix) -> Array:
        x, W = operands
        return np.asarray(x.values @ W.values)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        x, W = operands
        return sum_of_products(x.row(i), W.column(j))

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:
        return (Product((operands[0].row(i), Symbol(names[1]))),)

    def places(self, *operands: Matrix) -> int | None:
        return added_places(*operands[:2])

    def error(self, *operands: Matrix) -> Error:
        # |fl(x·w) − x·w| ≤ (k + 2) ε/2 Σ|x||w| (Higham, Accuracy and Stability, 3.1), and
        # Σ|x||w| ≤ ‖x‖‖w‖; twice that, since x and w are themselves rounded to float64
        x, W = self.factors(*operands)
        k = x.shape[1]
        return Error((k + 2) * EPSILON * _longest_row(x) * _longest_row(W.T))

    def factors(self, *operands: Matrix) -> tuple[Array, Array]:
        """The arrays that are multiplied, [n, k] and [k, m]."""
        return operands[0].values, operands[1].values

    def sizes(self, *operands: Matrix) -> Array:
        x, W = self.factors(*operands)
        return np.asarray(np.abs(x) @ np.abs(W))

    def fractions(self, rows: slice, *operands: Matrix) -> Fractions | None:
        places = added_places(*operands)
        counts = [operand.counts for operand in operands]
        known = [Matrix(count, 0, 0) for count in counts if count is not None]
        if places is None or len(known) < len(operands):
            return None
        x, W = self.factors(*known)
        return Fractions(whole_product(x[rows], W), np.array([[10**places]], dtype=object))


class MatMulTransposed(MatMul):
    """Q Kᵀ: each row of the left matrix with each row of the right one. [n, k], [m, k] -> [n, m]"""

    def signature(self) -> str:
        return "n k, m k -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, MatrixProduct((Symbol(operands[0]), transposed(operands[1]))))

    layout: ClassVar[Layout] = "cells"

    def values(self, *operands: Matrix) -> Array:
        Q, K = operands
        return np.asarray(Q.values @ K.values.T)

    def factors(self, *operands: Matrix) -> tuple[Array, Array]:
        return operands[0].values, operands[1].values.T

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        q, k = operands[0].row(i), operands[1].row(j)
        return (Dot(q, k), *sum_of_products(q, k))

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:
        return (Product((operands[0].row(i), Transposed(Symbol(names[1])))),)


class Linear(MatMulTransposed):
    """x Wᵀ, with a W that is stored out × in as nn.Linear does. [n, k], [m, k] -> [n, m]"""

    layout: ClassVar[Layout] = "sums"

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return sum_of_products(operands[0].row(i), operands[1].row(j))


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
        rows = [str(i) for i, row in enumerate(operands[0].written or (), 1) if _off_one(row)]
        if not rows:
            return None
        told = ", ".join(rows[:MOST_PARTS]) + (", …" if len(rows) > MOST_PARTS else "")
        of = f"row {told}" if len(rows) == 1 else f"the rows {told}"
        return f"The given weights of {of} don't add up to 1, as those of a softmax do."


def _off_one(row: Sequence[Decimal]) -> bool:
    """Whether numbers can't be rounded ones of weights that add up to 1."""
    halves = (decimals.counted(5, decimals.places(number) + 1) for number in row)
    return abs(decimals.difference(decimals.total(row), Decimal(1))) > decimals.total(halves)


class TransposedWeights(MatMul):
    """weightsᵀ V: a column of weights in place of a row. [n, n], [n, d_v] -> [n, d_v]"""

    layout: ClassVar[Layout] = "cells"

    def signature(self) -> str:
        return "n m, n d -> m d"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, MatrixProduct((transposed(operands[0]), Symbol(operands[1]))))

    def factors(self, *operands: Matrix) -> tuple[Array, Array]:
        return operands[0].values.T, operands[1].values

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:
        return (Product((operands[0].column(i), Symbol(names[1]))),)

    def values(self, *operands: Matrix) -> Array:
        weights, V = operands
        return np.asarray(weights.values.T @ V.values)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        weights, V = operands
        return sum_of_products(weights.column(i), V.column(j))


@dataclass(frozen=True)
class Affine(Operation):
    """x W + b. [n, k], [k, m], [1, m] -> [n, m]"""

    layout: ClassVar[Layout] = "sums"
    product: ClassVar[MatMul] = MatMul()

    def signature(self) -> str:
        return "n k, k m, 1 m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(name, plus(times(*operands[:2]), Symbol(operands[2])))

    def values(self, *operands: Matrix) -> Array:
        product = self.product.values(*operands[:2])
        product += operands[2].values
        return product

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        x, W, b = operands
        return sum_of_products(x.row(i), W.column(j), b.number(0, j))

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:
        x = operands[0]
        return (Sum((Product((x.row(i), Symbol(names[1]))), Symbol(names[2]))),)

    def places(self, *operands: Matrix) -> int | None:
        product, bias = added_places(*operands[:2]), most_places(operands[2])
        return None if product is None or bias is None else max(product, bias)

    def error(self, *operands: Matrix) -> Error:
        product = self.product.error(*operands[:2]).absolute
        return Error(product + 4 * EPSILON * largest(operands[2].values), 4 * EPSILON)

    def fractions(self, rows: slice, *operands: Matrix) -> Fractions | None:
        *factors, bias = operands
        product = self.product.fractions(rows, *factors)
        if product is None or bias.counts is None or bias.places is None:
            return None
        unit = 10**bias.places
        over = product.over * unit + bias.counts.astype(object) * product.under
        return Fractions(np.asarray(over), np.asarray(product.under * unit))

    def sizes(self, *operands: Matrix) -> Array:
        product = self.product.sizes(*operands[:2])
        return np.asarray(product + np.abs(operands[2].values))


class AffineTransposed(Affine):
    """x Wᵀ + b, with a W that is stored out × in as nn.Linear does.
    [n, k], [m, k], [1, m] -> [n, m]"""

    product: ClassVar[MatMul] = Linear()

    def signature(self) -> str:
        return "n k, m k, 1 m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        product = MatrixProduct((Symbol(operands[0]), transposed(operands[1])))
        return define(name, plus(product, Symbol(operands[2])))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        x, W, b = operands
        return sum_of_products(x.row(i), W.row(j), b.number(0, j))

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:
        product = Product((operands[0].row(i), transposed(names[1])))
        return (Sum((product, Symbol(names[2]))),)


def _longest_row(values: Array) -> float:
    """The largest norm of a row."""
    return float(np.sqrt(np.einsum("ij,ij->i", values, values).max()))


def sum_of_products(left: Vector, right: Vector, bias: Number | None = None) -> Working:
    """`2 × 3 + 1 × (−1)`, then `6 − 1`, with a bias as the last term of each.

    The second form is left out where its numbers would be long, or where it says no more.
    Raises ValueError for vectors of unequal lengths.
    """
    pairs = list(zip(_numbers(left), _numbers(right), strict=True))
    last: tuple[Expression, ...] = () if bias is None else (bias,)
    products = Sum((*(Product(pair) for pair in pairs), *last))
    if len(pairs) + len(last) == 1:
        return (products.terms[0],)
    worked = [product_of(a, b) for a, b in pairs]
    if are_long(worked):
        return (products,)
    return products, Sum((*worked, *last))


def _numbers(vector: Vector) -> Sequence[Number]:
    numbers = [entry for entry in vector.entries if isinstance(entry, Number)]
    assert len(numbers) == len(vector.entries)
    return numbers


def scaled_vector(weight: Number, vector: Vector) -> Vector:
    """The products of a weight and the entries of a vector, in full."""
    return Vector(
        tuple(
            product_of(weight, entry) if isinstance(entry, Number) else entry
            for entry in vector.entries
        )
    )
