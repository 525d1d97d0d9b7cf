"""One operation on the operands of many traces at once, which differ in their numbers only: what
`make` gives of each, in arrays [n, m, b]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import Operation
from attncli.arithmetic.operations.exponential import Exponential
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.settling import Settling
from attncli.arithmetic.rounding import (
    Array,
    Cells,
    Doubtful,
    Rounding,
    Spread,
    carry,
    finite_range,
    range_of,
)
from attncli.records import dataclass

Operands = tuple[Matrix, ...]

_BOUNDS = Indexed.rough_error, Exponential.rough_error
"""Bounds that look at nothing but between which numbers the operands lie."""


def made_of_each(
    operation: Operation, rounding: Rounding, step: str, each: Sequence[Operands]
) -> list[Matrix]:
    """What an operation makes of each of many operands. Raises Unworkable where it can't be worked
    with one of them."""
    if isinstance(operation, Indexed) and rounding.carries and _goes_at_once(operation, each):
        matrices = _carried(operation, rounding, step, each)
        for matrix, operands in zip(matrices, each, strict=True):
            operation.check(matrix, *operands)
        return matrices
    return [operation.make(rounding, step, *operands) for operands in each]


def _goes_at_once(operation: Indexed, each: Sequence[Operands]) -> bool:
    kind = type(operation)
    as_usual = kind.refuse is Indexed.refuse and kind.made is Indexed.made
    first = _looks(each[0])
    return (
        as_usual
        and kind.rough_error in _BOUNDS
        and bool(first)
        and all(_looks(operands) == first for operands in each[1:])
    )


def _looks(operands: Operands) -> list[object]:
    return [(one.shape, one.places, one.decimals) for one in operands]


def _carried(
    operation: Indexed, rounding: Rounding, step: str, each: Sequence[Operands]
) -> list[Matrix]:
    """The results, rounded as `Operation.made` rounds each."""
    stacks = [np.stack([one.values for one in alike], axis=-1) for alike in zip(*each, strict=True)]
    known = tuple(map(_known, each[0], stacks))
    with np.errstate(all="ignore"):
        values = np.asarray(operation.arrays(stacks))
    values = np.array(np.broadcast_to(values, (*values.shape[:2], len(each))))  # [n, m, b]
    table = values.reshape(values.shape[0], -1)  # [n, m·b]
    decimals, places = rounding.of(step), operation.places(*known)
    size, error = finite_range(table).size, operation.rough_error(*known)
    carry(table, size, error, places, decimals, _SettlingEach(operation, each, rounding))
    kept = decimals if places is None else min(places, decimals)
    apart = np.moveaxis(table.reshape(values.shape), -1, 0).copy()
    return [Matrix(one, kept, decimals) for one in apart]


def _known(first: Matrix, stack: Array) -> Matrix:
    """What is known of an operand in all traces: how it looks, and between which numbers it
    lies."""
    spread = Spread(range_of(stack), 0.0)
    return Matrix(first.values, first.places, first.decimals, spread=spread)


@dataclass(frozen=True)
class _SettlingEach:
    """Settles the numbers of each trace as by itself, in a table of all [n, m·b]."""

    operation: Operation
    each: Sequence[Operands]
    rounding: Rounding

    def units(self, doubtful: Doubtful) -> Array:
        columns, traces = np.divmod(doubtful.cells.columns, len(self.each))
        units = np.array(doubtful.near)
        for k in np.unique(traces).tolist():
            own = np.flatnonzero(traces == k)
            settling = Settling(self.operation, self.each[k], self.rounding.most_settled)
            cells = Cells(doubtful.cells.rows[own], columns[own])
            units[own] = settling.units(doubtful._replace(cells=cells, near=doubtful.near[own]))
        return units
