"""The values of an equation at some cells in the longest floats that the machine has: what 53 bits
leave in doubt, 64 settle but for one in a thousand. Where it has no longer ones, nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from attncli.arithmetic import evaluation
from attncli.arithmetic import expression as ex
from attncli.arithmetic.equations.arrays import Arrays
from attncli.arithmetic.equations.at_cells import Portion
from attncli.arithmetic.equations.axes import Laid
from attncli.arithmetic.expression import Expression
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.rounding import Array, Cells, Long
from attncli.arithmetic.signature import Signature

_MANTISSAS = frozenset({63, 112})
"""Bits of a mantissa: x87, and what IEEE 754 calls binary128. Pairs of floats round otherwise."""
_HELD = 10.0**15
"""Whole numbers of units up to this are told by a float64."""


@cache
def long_epsilon() -> float:
    """The ε of the longest floats; infinite where these are no longer than float64."""
    known = np.finfo(np.longdouble)
    return float(known.eps) if known.nmant in _MANTISSAS else math.inf


def extended(
    tree: Expression, shapes: Signature, operands: Sequence[Matrix], cells: Cells
) -> Long | None:
    """Some cells of an equation's result; None where it has numbers that aren't known so well."""
    if math.isinf(long_epsilon()):
        return None
    leaves = _LongLeaves(Portion(shapes, cells), operands)
    try:
        made = Arrays(leaves.of).of(tree)
    except _NotHeld:
        return None
    return np.broadcast_to(made.along(leaves.part.indices)(()), cells.rows.shape)


class _NotHeld(ArithmeticError):  # noqa: N818  (a property of the numbers, not a fault)
    """Numbers that float64 doesn't tell."""


@dataclass(frozen=True)
class _LongLeaves:
    """What an equation is made of, as long floats."""

    part: Portion
    operands: Sequence[Matrix]

    def of(self, node: Expression) -> Laid | None:
        match node:
            case ex.Operand(place):
                operand = self.operands[place]
                taken = long_of(self.part.of(operand.values, node), operand.places)
                return _fixed(taken, self.part.along(node))
            case ex.Length(place, axis):
                return _fixed(np.longdouble(self.operands[place].shape[axis]))
            case ex.Number() | ex.Symbol():
                return _fixed(np.longdouble(str(evaluation.full(node))))
        return None


def _fixed(value: Any, indices: str = "") -> Laid:  # noqa: ANN401  (a long float, or many)
    if value is None:
        raise _NotHeld
    array = np.asarray(value)
    return Laid(indices, lambda _: array, is_new=False)


def long_of(values: Array, places: int | None) -> Long | None:
    """Numbers of so many decimals as long floats; None where they are too long for float64."""
    units = None if places is None else np.rint(values * 10.0**places)
    if units is None or places is None or not (np.abs(units) < _HELD).all():
        return None
    return np.asarray(units.astype(np.longdouble) / np.longdouble(10) ** places)
