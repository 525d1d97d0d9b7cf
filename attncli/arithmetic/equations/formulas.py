"""The formula of an equation, and the working of a whole row, with names for its operands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from attncli.arithmetic import expression as ex
from attncli.arithmetic.elision import told_entries
from attncli.arithmetic.expression import (
    Equation,
    Expression,
    Operand,
    Symbol,
    at,
    define,
    with_each,
)
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.signature import Signature, operands_in

X, Y, Z = Operand(0), Operand(1), Operand(2)
"""Whole operands, as formulas have them."""


def cell(place: int, *indices: str) -> Operand:
    """A cell of an operand, by its place from 0."""
    return Operand(place, indices)


def whole(tree: Expression) -> Expression:
    """An equation without its indices: what it says of whole matrices."""
    return with_each(tree, Operand, lambda operand: Operand(operand.place))


def formula(shown: Expression, shapes: Signature, name: str, operands: Sequence[str]) -> Equation:
    """What an equation makes of operands, by their names; with indices where these have some."""

    def named(operand: Operand) -> Symbol:
        return Symbol(operands[operand.place], operand.indices)

    has_indices = any(operand.indices for operand in operands_in(shown))
    left = at(name, *shapes.indices) if has_indices else name
    return define(left, with_each(shown, Operand, named))


def row_of_product(
    shown: Expression, i: int, names: Sequence[str], operands: Sequence[Matrix]
) -> Expression:
    """The working of a row of a product of matrices: `[1, 2] × W_Q + b`; of a column times a row,
    `3 × [1, 2]`."""

    def change(node: Expression) -> Expression | None:
        match node:
            case ex.MatrixProduct((Operand(place), ex.Transposed(Operand(other)))) if (
                operands[place].shape[1] == 1
            ):
                return ex.Product((operands[place].number(i, 0), operands[other].column(0)))
            case ex.MatrixProduct((Operand(place), right)):
                return ex.Product((_told_row(operands[place], i), ex.rewritten(right, change)))
            case ex.MatrixProduct((ex.Transposed(Operand(place)), right)):
                return ex.Product((operands[place].column(i), ex.rewritten(right, change)))
            case Operand(place):
                return Symbol(names[place])
            case _:
                return None

    return ex.rewritten(shown, change)


def _told_row(matrix: Matrix, i: int) -> ex.Vector:
    """The numbers of a row that a page tells."""
    return told_entries(matrix.shape[1], partial(matrix.number, i))


def is_linear_in_rows(tree: Expression) -> bool:
    """Whether an equation says of a row as a vector what it says of a cell: rows added up, or a row
    times or over one number."""
    match tree:
        case Operand(_, indices):
            return indices == ("i", "j")
        case ex.Sum(terms):
            return all(map(is_linear_in_rows, terms))
        case ex.Quotient(dividend, divisor):
            return is_linear_in_rows(dividend) and not _has_columns(divisor)
        case ex.Product((first, second)):
            return is_linear_in_rows(first) and not _has_columns(second)
        case _:
            return False


def _has_columns(tree: Expression) -> bool:
    return any("j" in operand.indices for operand in operands_in(tree))


def row_as_vector(tree: Expression, i: int, operands: Sequence[Matrix]) -> Expression:
    """The working of a row of an equation that is linear in rows."""

    def change(node: Operand) -> Expression:
        operand = operands[node.place]
        return _told_row(operand, i) if "j" in node.indices else operand.number(i, 0)

    return with_each(tree, Operand, change)
