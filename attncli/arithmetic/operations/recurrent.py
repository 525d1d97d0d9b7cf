"""The operations of recurrent cells: sums over the input and the memory, and gates.

Elman 1990; Hochreiter & Schmidhuber 1997; Cho et al. 2014 (arXiv:1406.1078). Vectors are columns
[h, 1], biases rows [1, h].
"""

from __future__ import annotations

from attncli.arithmetic.equations.formulas import cell
from attncli.arithmetic.equations.working import sum_of
from attncli.arithmetic.expression import (
    Expression,
    MatrixProduct,
    Operand,
    Product,
    Sum,
    Total,
    Transposed,
    constant,
    minus,
)
from attncli.arithmetic.operations.indexed import Indexed


class AddUp(Indexed):
    """W x + U a + … + columns + biases, all in one: so many `products` of a matrix and a column,
    then so many columns, then so many biases. `in_out` has matrices that are kept in × out.
    [h, d], [d, 1], …, [h, 1], …, [1, h], … -> [h, 1]"""

    def __init__(self, products: int, columns: int, biases: int, in_out: bool = False) -> None:
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
        )


def _row_by_column(place: int, in_out: bool) -> Expression:
    k = chr(ord("k") + place)  # each product goes over an index of its own
    weight = cell(place, k, "i") if in_out else cell(place, "i", k)
    return Total(k, Product((weight, cell(place + 1, k))))


def _matrix_by_column(place: int, in_out: bool) -> Expression:
    W = Transposed(Operand(place)) if in_out else Operand(place)
    return MatrixProduct((W, Operand(place + 1)))


class Gated(Indexed):
    """update ⊙ candidate + forget ⊙ before: what a memory takes over, and what it keeps.
    [h, 1], [h, 1], [h, 1], [h, 1] -> [h, 1]"""

    def __init__(self) -> None:
        u, new, f, old = (cell(k, "i") for k in range(4))
        gated = Sum((Product((u, new)), Product((f, old))))
        super().__init__("h 1, h 1, h 1, h 1 -> h 1", gated)


class GatedColumn(Indexed):
    """A column that a gate lets through, number by number. [h, 1], [h, 1] -> [h, 1]"""

    def __init__(self) -> None:
        super().__init__("h 1, h 1 -> h 1", Product((cell(0, "i"), cell(1, "i"))))


class GatedBlend(Indexed):
    """update ⊙ candidate + (1 − update) ⊙ before; the other way about where an update gate of 1
    `keeps` what was before, as PyTorch has it. [h, 1], [h, 1], [h, 1] -> [h, 1]"""

    def __init__(self, keeps: bool = False) -> None:
        u, new, old = (cell(k, "i") for k in range(3))
        rest = minus(constant(1), u)
        a, b = (rest, u) if keeps else (u, rest)
        blended = Sum((Product((a, new)), Product((b, old))))
        super().__init__("h 1, h 1, h 1 -> h 1", blended)
