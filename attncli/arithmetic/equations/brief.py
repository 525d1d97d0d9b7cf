"""Long sums of cells as a page tells them: `1 + 2 + 3 + … + 512`, and what `…` comes to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attncli.arithmetic import expression as ex
from attncli.arithmetic.elision import MOST_PARTS, elided
from attncli.arithmetic.expression import Expression, Number
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.shown_totals import total_shown
from attncli.arithmetic.signature import Signature

if TYPE_CHECKING:
    from attncli.arithmetic.equations.working import Filled, Indices

_MANY = 256
"""Of more cells only those are made that are told."""


def adds_up_cells(tree: Expression) -> bool:
    """Whether an equation adds up cells of an operand as they are."""
    return any(map(_is_of_cells, ex.each(tree, ex.Total)))


def _is_of_cells(total: ex.Total) -> bool:
    return isinstance(total.operand, ex.Operand) and len(total.over) == 1


def brief_total(total: ex.Total, shapes: Signature, written_out: Filled) -> Filled:
    """A row or a column of cells added up, without most of them where they are many; any other sum
    written out."""
    node = total.operand
    along = shapes.along(node) if isinstance(node, ex.Operand) else ()
    if not isinstance(node, ex.Operand) or along.count(total.over) != 1:
        return written_out
    place, side = node.place, along.index(total.over)

    def fill(at: Indices, operands: Sequence[Matrix]) -> Expression:
        matrix = operands[place]
        if matrix.shape[side] <= _MANY:
            return written_out(at, operands)
        line = at[along[1 - side]]
        return ex.Sum(tuple(_told_terms(matrix, side, line)))

    return fill


def _told_terms(matrix: Matrix, side: int, line: int) -> list[Expression]:
    """The cells of a row (whose side is 1) or of a column that are told, and what the others come
    to."""
    count = matrix.shape[side]
    places = elided(count, MOST_PARTS)
    one, others = range(line, line + 1), range(len(places) - 2, count - 1)
    rest = total_shown(matrix, *((one, others) if side else (others, one)))
    omitted = ex.Omitted(Number.written(rest))
    return [
        omitted if k is None else matrix.number(*((line, k) if side else (k, line))) for k in places
    ]
