"""The formula of an equation, with named operands or whole matrices; the working of a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations, product

from attncli.maths.equations import tree as ex
from attncli.maths.equations.elision import shown_entries
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.signatures import Along, Signature, indices_of
from attncli.maths.equations.tree import (
    Equation,
    Expression,
    Operand,
    Symbol,
    at,
    define,
    operands_in,
    rewritten,
    with_each,
)

X, Y, Z = Operand(0), Operand(1), Operand(2)
"""Whole operands, as formulas have them."""


def cell(place: int, *indices: str) -> Operand:
    """Makes a cell of an operand, by the operand's place from 0."""
    return Operand(place, indices)


def whole(tree: Expression) -> Expression:
    """Drops the indices of an equation, so that it speaks of whole matrices."""
    return with_each(tree, Operand, lambda operand: Operand(operand.place))


def formula(shown: Expression, shapes: Signature, name: str, operands: Sequence[str]) -> Equation:
    """Writes the formula of an equation with the names of its result and operands; with indices
    where the operands have some."""

    def named(operand: Operand) -> Symbol:
        return Symbol(operands[operand.place], operand.indices)

    places = (symbol.name for symbol in ex.each(shown, Symbol) if not symbol.indices)
    has_indices = any(operand.indices for operand in operands_in(shown)) or any(
        place in shapes.indices for place in places
    )
    left = at(name, *shapes.indices) if has_indices else name
    return define(left, with_each(shown, Operand, named))


def row_of_product(
    shown: Expression, i: int, names: Sequence[str], operands: Sequence[Matrix]
) -> Expression:
    """Writes the working of a row of a product of matrices, `[1, 2] × W_Q + b`; of a column times a
    row, `3 × [1, 2]`."""

    def change(node: Expression) -> Expression | None:
        match node:
            case ex.MatrixProduct((Operand(place), ex.Transposed(Operand(other)))) if (
                operands[place].shape[1] == 1
            ):
                return ex.Product((operands[place].number(i, 0), operands[other].column(0)))
            case ex.MatrixProduct((Operand(place), right)):
                return ex.Product((_shown_row(operands[place], i), ex.rewritten(right, change)))
            case ex.MatrixProduct((ex.Transposed(Operand(place)), right)):
                return ex.Product((operands[place].column(i), ex.rewritten(right, change)))
            case Operand(place):
                return Symbol(names[place])
            case _:
                return None

    return ex.rewritten(shown, change)


def _shown_row(matrix: Matrix, i: int) -> ex.Vector:
    """Makes a vector of row `i`, with the numbers that a page shows of it."""
    return shown_entries(matrix.shape[1], partial(matrix.number, i))


def is_linear_in_rows(tree: Expression) -> bool:
    """Tells whether an equation holds for rows as vectors just as it does for cells: for sums of
    rows, and rows times or divided by one number."""
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
    """Writes the working of row `i` of an equation that is linear in rows, as vectors."""

    def change(node: Operand) -> Expression:
        operand = operands[node.place]
        if "j" in node.indices:
            return _shown_row(operand, i)
        return operand.number(i if node.indices else 0, 0)

    return with_each(tree, Operand, change)


def in_matrices(tree: Expression, shapes: Signature) -> Expression | None:
    """Writes an equation without indices, as sums and products of matrices; returns None where it
    isn't made of these."""
    match tree:
        case ex.Sum(terms):
            entries = [in_matrices(term, shapes) for term in terms]
            known = tuple(term for term in entries if term is not None)
            return ex.Sum(known) if len(known) == len(entries) else None
        case ex.Negative(operand):
            inner = in_matrices(operand, shapes)
            return inner and ex.Negative(inner)
        case ex.Total(over, ex.Product((Operand() as a, Operand() as b))):
            return _product(a, b, over, shapes)
        case ex.Product((Operand() as a, Operand() as b)):
            return _product(a, b, "", shapes)
        case _:
            return whole(tree) if _is_multiple(tree) else None


def _is_multiple(tree: Expression) -> bool:
    """Tells whether an equation multiplies one matrix by numbers, or divides it by numbers."""
    match tree:
        case Operand(_, indices):
            return indices == ("i", "j")
        case ex.Quotient(dividend, divisor):
            return _is_multiple(dividend) and not any(operands_in(divisor))
        case ex.Product(factors):
            known = [factor for factor in factors if any(operands_in(factor))]
            return len(known) == 1 and _is_multiple(known[0])
        case _:
            return False


def _product(a: Operand, b: Operand, over: str, shapes: Signature) -> Expression | None:
    """Writes Σ a b as a product of two matrices, transposed and ordered so that they can be
    multiplied; returns None where no order fits. A column times a row is such a product too."""
    wanted = indices_of(shapes.result)
    if not over and (wanted != ("i", "j") or len(a.indices + b.indices) != len(wanted)):
        return None
    for left, right in permutations((a, b)):
        sides = _turned(left, shapes), _turned(right, shapes)
        for ((row, inner), x), ((other, column), y) in product(*sides):
            if (row, column) == wanted and inner == other == over:
                return ex.MatrixProduct((x, y))
    return None


def _turned(operand: Operand, shapes: Signature) -> Iterator[tuple[Along, Expression]]:
    """Yields a matrix as it is, and transposed, each with the indices of its rows and columns."""
    row, column = shapes.along(operand)
    plain = Operand(operand.place)
    yield (row, column), plain
    yield (column, row), ex.Transposed(plain)


def with_names(
    tree: Expression, by_name: Mapping[Expression, Expression], shapes: Signature
) -> Expression:
    """Replaces the constants of an equation by the names that a formula has for them, such as
    d_model for the length of a row; other lengths get the letters of the shapes."""

    def named(node: Expression) -> Expression | None:
        if isinstance(node, ex.Length) and node not in by_name:
            return Symbol(shapes.operands[node.place][node.axis])
        return by_name.get(node)

    return rewritten(tree, named)


def names_of_constants(tree: Expression, shown: Expression) -> dict[Expression, Expression]:
    """Finds the constants of an equation for which its formula writes something else."""
    return dict(_constants(tree, shown))


def _constants(tree: Expression, shown: Expression) -> Iterator[tuple[Expression, Expression]]:
    if isinstance(tree, Operand) or tree == shown:
        return
    if not any(operands_in(tree)):
        yield tree, shown
    elif _are_alike(tree, shown):
        for part, other in zip(ex.children(tree), ex.children(shown), strict=True):
            yield from _constants(part, other)


def _are_alike(a: Expression, b: Expression) -> bool:
    """Tells whether the parts of two nodes correspond to each other one by one."""
    if isinstance(a, ex.Apply) and isinstance(b, ex.Apply) and a.function != b.function:
        return False
    return type(a) is type(b) and len(ex.children(a)) == len(ex.children(b))
