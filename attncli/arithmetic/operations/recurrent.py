"""The operations of recurrent cells: sums over the input and the memory, and gates.

Elman 1990; Hochreiter & Schmidhuber 1997; Cho et al. 2014 (arXiv:1406.1078). Vectors are columns
[h, 1], biases rows [1, h].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import (
    Equation,
    Expression,
    MatrixProduct,
    Number,
    Product,
    Sum,
    Symbol,
    constant,
    minus,
)
from attncli.arithmetic.formula import at, define, transposed
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import (
    EPSILON,
    Operation,
    Working,
    added_places,
    are_long,
    most_of,
    most_places,
    product_of,
    sum_of,
)
from attncli.arithmetic.operations.elementwise import Multiply
from attncli.arithmetic.rounding import Array, Error, largest


def _total(terms: Sequence[Array]) -> Array:
    total = terms[0].copy()
    for term in terms[1:]:
        total += term
    return total


@dataclass(frozen=True)
class AddUp(Operation):
    """W x + U a + … + columns + biases, all in one: so many `products` of a matrix and a column,
    then so many columns, then so many biases. `in_out` has matrices that are kept in × out.
    [h, d], [d, 1], …, [h, 1], …, [1, h], … -> [h, 1]"""

    products: int
    columns: int
    biases: int
    in_out: bool = False

    def signature(self) -> str:
        matrix = "d{0} h" if self.in_out else "h d{0}"
        pairs = (f"{matrix.format(k)}, d{k} 1" for k in range(1, self.products + 1))
        return ", ".join((*pairs, *["h 1"] * self.columns, *["1 h"] * self.biases)) + " -> h 1"

    def formula(self, name: str, *operands: str) -> Equation:
        count = 2 * self.products
        pairs = zip(operands[:count:2], operands[1:count:2], strict=True)
        terms: list[Expression] = [
            MatrixProduct((transposed(W) if self.in_out else Symbol(W), Symbol(x)))
            for W, x in pairs
        ]
        return define(name, sum_of([*terms, *map(Symbol, operands[count:])]))

    def values(self, *operands: Matrix) -> Array:
        pairs, columns, biases = self._parted(operands)
        terms = [self._weights(W).values @ x.values for W, x in pairs]
        terms += [column.values for column in columns]
        return _total([*terms, *(bias.values.T for bias in biases)])

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        pairs, columns, biases = self._parted(operands)
        factors = [
            (W.number(k, i) if self.in_out else W.number(i, k), x.number(k, 0))
            for W, x in pairs
            for k in range(x.shape[0])
        ]
        rest = [*(c.number(i, 0) for c in columns), *(b.number(0, i) for b in biases)]
        form = sum_of([*map(Product, factors), *rest])
        worked = [product_of(*pair) for pair in factors]
        if not factors or len(factors) + len(rest) == 1 or are_long(worked):
            return (form,)
        return form, Sum((*worked, *rest))

    def places(self, *operands: Matrix) -> int | None:
        pairs, columns, biases = self._parted(operands)
        known = [added_places(*pair) for pair in pairs]
        known += [operand.places for operand in (*columns, *biases)]
        return most_of(known)

    def error(self, *operands: Matrix) -> Error:
        return Error(self._noise(operands) * float(self.sizes(*operands).max()), 4 * EPSILON)

    def _noise(self, operands: Sequence[Matrix]) -> float:
        """How far a float sum may be off, in the sum of its terms' sizes."""
        pairs, columns, biases = self._parted(operands)
        terms = sum(x.shape[0] for _, x in pairs) + len(columns) + len(biases)
        return (terms + 2) * EPSILON

    def sizes(self, *operands: Matrix) -> Array:
        pairs, columns, biases = self._parted(operands)
        sizes = [np.abs(self._weights(W).values) @ np.abs(x.values) for W, x in pairs]
        sizes += [np.abs(column.values) for column in columns]
        return _total([*sizes, *(np.abs(bias.values.T) for bias in biases)])

    def _weights(self, W: Matrix) -> Matrix:
        return Matrix(W.values.T, W.places, W.decimals) if self.in_out else W

    def _parted(
        self, operands: Sequence[Matrix]
    ) -> tuple[list[tuple[Matrix, Matrix]], Sequence[Matrix], Sequence[Matrix]]:
        count = 2 * self.products
        pairs = list(zip(operands[:count:2], operands[1:count:2], strict=True))
        return pairs, operands[count : count + self.columns], operands[count + self.columns :]


class Gated(Operation):
    """update ⊙ candidate + forget ⊙ before: what a memory takes over, and what it keeps.
    [h, 1], [h, 1], [h, 1], [h, 1] -> [h, 1]"""

    def signature(self) -> str:
        return "h 1, h 1, h 1, h 1 -> h 1"

    def formula(self, name: str, *operands: str) -> Equation:
        u, new, f, old = (at(operand, "i") for operand in operands)
        return define(at(name, "i"), Sum((Product((u, new)), Product((f, old)))))

    def values(self, *operands: Matrix) -> Array:
        u, new, f, old = (operand.values for operand in operands)
        return np.asarray(u * new + f * old)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        u, new, f, old = (operand.number(i, j) for operand in operands)
        form = Sum((Product((u, new)), Product((f, old))))
        worked = (product_of(u, new), product_of(f, old))
        return (form,) if are_long(worked) else (form, Sum(worked))

    def places(self, *operands: Matrix) -> int | None:
        return most_of([added_places(*operands[:2]), added_places(*operands[2:])])

    def error(self, *operands: Matrix) -> Error:
        u, new, f, old = (largest(operand.values) for operand in operands)
        return Error(8 * EPSILON * (u * new + f * old))

    def sizes(self, *operands: Matrix) -> Array:
        u, new, f, old = (np.abs(operand.values) for operand in operands)
        return np.asarray(u * new + f * old)


class Through(Multiply):
    """A column that a gate lets through, figure by figure. [h, 1], [h, 1] -> [h, 1]"""

    def signature(self) -> str:
        return "h 1, h 1 -> h 1"

    def formula(self, name: str, *operands: str) -> Equation:
        return define(at(name, "i"), Product(tuple(at(operand, "i") for operand in operands)))


@dataclass(frozen=True)
class Blend(Operation):
    """update ⊙ candidate + (1 − update) ⊙ before, or with `keeps` the other way about.
    [h, 1], [h, 1], [h, 1] -> [h, 1]"""

    keeps: bool = False
    """Whether an update gate of 1 keeps what was before, as PyTorch has it."""

    def signature(self) -> str:
        return "h 1, h 1, h 1 -> h 1"

    def formula(self, name: str, *operands: str) -> Equation:
        u, new, old = (at(operand, "i") for operand in operands)
        return define(at(name, "i"), self._form(u, minus(constant(1), u), new, old))

    def values(self, *operands: Matrix) -> Array:
        u, new, old = (operand.values for operand in operands)
        return np.asarray((1 - u) * new + u * old if self.keeps else u * new + (1 - u) * old)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        u, new, old = (operand.number(i, j) for operand in operands)
        rest = Number.inner(decimals.difference(constant(1).shown, u.shown))
        forms: list[Expression] = [self._form(u, minus(constant(1), u), new, old)]
        forms.append(self._form(u, rest, new, old))
        a, b = (rest, u) if self.keeps else (u, rest)
        worked = (product_of(a, new), product_of(b, old))
        return tuple(forms) if are_long(worked) else (*forms, Sum(worked))

    def places(self, *operands: Matrix) -> int | None:
        u, new, old = operands
        known = most_places(new, old)
        return None if known is None or u.places is None else known + u.places

    def error(self, *operands: Matrix) -> Error:
        u, new, old = (largest(operand.values) for operand in operands)
        return Error(16 * EPSILON * (1 + u) * (new + old))

    def sizes(self, *operands: Matrix) -> Array:
        u, new, old = (np.abs(operand.values) for operand in operands)
        return np.asarray((1 + u) * (new + old))

    def _form(self, u: Expression, rest: Expression, new: Expression, old: Expression) -> Sum:
        a, b = (rest, u) if self.keeps else (u, rest)
        return Sum((Product((a, new)), Product((b, old))))
