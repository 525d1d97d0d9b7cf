"""The quantities of one worked scenario as the rules see them."""

from __future__ import annotations

from collections.abc import Callable

from attncli.arithmetic.matrix import Matrix
from attncli.design.quantity import CandidateQuantity
from attncli.design.shares import seen_of
from attncli.trace import Quantity, Trace

Rows = Callable[[Quantity], tuple[int, ...] | None]


def made_of(trace: Trace, quantity: Quantity, rows: Rows) -> CandidateQuantity:
    """A quantity of a trace, with what it was made of and its numbers before rounding."""
    definitions = {
        q.name: q.definition for q in trace.quantities.values() if q.definition is not None
    }
    seen = seen_of(quantity.name, definitions, lambda name: trace[name].values)
    matrix, definition = quantity.matrix, quantity.definition
    operation = None if definition is None else definition.operation
    names = () if definition is None else definition.operands
    matrices = [trace[name].matrix for name in names]
    before = definitions.get(names[0]) if names else None
    worked = operation is not None and not operation.copies
    return CandidateQuantity(
        operation,
        matrix.values,
        operation.values(*matrices) if operation is not None and worked else matrix.values,
        operation.places(*matrices) if operation is not None else matrix.places,
        matrix.decimals,
        shown_places(matrix),
        shown_places(matrix) != matrix.places,
        tuple(matrix.values for matrix in matrices),
        tuple(map(shown_places, matrices)),
        None if before is None else before.operation,
        seen,
        quantity.is_list,
        rows(quantity),
    )


def shown_places(matrix: Matrix) -> int:
    """The decimals that a matrix's numbers are shown with."""
    return matrix.decimals if matrix.places is None else min(matrix.places, matrix.decimals)
