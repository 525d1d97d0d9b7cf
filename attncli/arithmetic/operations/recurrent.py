"""The operations of recurrent cells: sums over the input and the memory, and gates.

Elman 1990; Hochreiter & Schmidhuber 1997; Cho et al. 2014 (arXiv:1406.1078). Vectors are columns
[h, 1], biases rows [1, h].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.equations.working import Filled, filled, sum_of
from attncli.arithmetic.expression import (
    Expression,
    MatrixProduct,
    Operand,
    Product,
    Sum,
    Total,
    Transposed,
    constant,
    each,
    minus,
)
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Working
from attncli.arithmetic.operations.indexed import Indexed


@dataclass(frozen=True)
class OfMemory(Indexed):
    """An equation that has a memory for an operand. Where that is told to be `empty` and is nothing
    but zeros, its terms are left out of the working, which would only say that they are 0."""

    empty: int | None = None

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        if self._is_empty(operands):
            return self._without({"i": i, "j": j, "": 0}, operands)
        return super().first_form(i, j, *operands)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        told = super().cell(i, j, *operands)
        return told[:1] if self.is_nothing(*operands) else told

    def is_nothing(self, *operands: Matrix) -> bool:
        """Whether nothing but an empty memory goes in."""
        return self._is_empty(operands) and not self._has_others

    def _is_empty(self, operands: Sequence[Matrix]) -> bool:
        return self.empty is not None and not operands[self.empty].values.any()

    @cached_property
    def _has_others(self) -> bool:
        """Whether anything is left without the memory; else its products are told after all."""
        return isinstance(self.tree, Sum)

    @cached_property
    def _without(self) -> Filled:
        terms = self.tree.terms if isinstance(self.tree, Sum) else ()
        kept = [one for one in terms if all(x.place != self.empty for x in each(one, Operand))]
        return filled(sum_of(kept) if kept else self.tree, self.sides)


class AddUp(OfMemory):
    """W x + U a + … + columns + biases, all in one: so many `products` of a matrix and a column,
    then so many columns, then so many biases. `in_out` has matrices that are kept in × out, `empty`
    is the place of a memory that may be empty.
    [h, d], [d, 1], …, [h, 1], …, [1, h], … -> [h, 1]"""

    def __init__(
        self,
        products: int,
        columns: int,
        biases: int,
        in_out: bool = False,
        empty: int | None = None,
    ) -> None:
        matrix = "d{0} h" if in_out else "h d{0}"
        pairs = (f"{matrix.format(k)}, d{k} 1" for k in range(1, products + 1))
        sides = (*pairs, *["h 1"] * columns, *["1 h"] * biases)
        rest = range(2 * products, 2 * products + columns + biases)
        terms = [_row_by_column(2 * k, in_out) for k in range(products)]
        shown = [_matrix_by_column(2 * k, in_out) for k in range(products)]
        super().__init__(
            f"{', '.join(sides)} -> h 1",
            sum_of([*terms, *(cell(k, "i") for k in rest)]),
            sum_of([*shown, *map(Operand, rest)]),
            empty,
        )


def _row_by_column(place: int, in_out: bool) -> Expression:
    k = chr(ord("k") + place)  # each product goes over an index of its own
    weight = cell(place, k, "i") if in_out else cell(place, "i", k)
    return Total(k, Product((weight, cell(place + 1, k))))


def _matrix_by_column(place: int, in_out: bool) -> Expression:
    W = Transposed(Operand(place)) if in_out else Operand(place)
    return MatrixProduct((W, Operand(place + 1)))


class Gated(OfMemory):
    """update ⊙ candidate + forget ⊙ before: what a memory takes over, and what it keeps.
    [h, 1], [h, 1], [h, 1], [h, 1] -> [h, 1]"""

    def __init__(self, empty: int | None = None) -> None:
        u, new, f, old = (cell(k, "i") for k in range(4))
        gated = Sum((Product((u, new)), Product((f, old))))
        super().__init__("h 1, h 1, h 1, h 1 -> h 1", gated, None, empty)


class GatedColumn(Indexed):
    """A column that a gate lets through, number by number. [h, 1], [h, 1] -> [h, 1]"""

    def __init__(self) -> None:
        super().__init__("h 1, h 1 -> h 1", Product((cell(0, "i"), cell(1, "i"))))


class GatedBlend(OfMemory):
    """update ⊙ candidate + (1 − update) ⊙ before; the other way about where an update gate of 1
    `keeps` what was before, as PyTorch has it. [h, 1], [h, 1], [h, 1] -> [h, 1]"""

    def __init__(self, keeps: bool = False, empty: int | None = None) -> None:
        u, new, old = (cell(k, "i") for k in range(3))
        rest = minus(constant(1), u)
        a, b = (rest, u) if keeps else (u, rest)
        blended = Sum((Product((a, new)), Product((b, old))))
        super().__init__("h 1, h 1, h 1 -> h 1", blended, None, empty)
