"""Equations that a scenario brings: operations that are told by their author's own formula."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attncli.maths.equations import tree as ex
from attncli.maths.equations.inside_out import worked_inside_out
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Equation, Expression, Symbol, define
from attncli.maths.numbers.rounding import Array, Rounding
from attncli.maths.operations.equation import Indexed
from attncli.maths.operations.operation import WholeNumbers, Working, cells_of_row


@dataclass(frozen=True)
class Written(Indexed):
    """An operation that is an equation of a scenario."""

    counts: frozenset[int] = frozenset()
    """The places of operands that count along a side."""
    decimals: int = 0
    """The decimals that the results are shown with."""

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        return super().first_form(i, j, *self._counted(operands))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        return worked_inside_out(self.first_form(i, j, *operands), self.decimals)

    def brief(self, i: int, j: int, *operands: Matrix) -> Working:
        return super().brief(i, j, *self._counted(operands))

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:
        if "j" not in self.sides.indices or not self._has_parts_of_cells():
            return super().row(i, names, *operands)
        extents = self.sides.extents([operand.shape for operand in operands])
        return (cells_of_row(self, i, extents[self.sides.result[1]], *operands),)

    def _has_parts_of_cells(self) -> bool:
        """Tells whether something in it is worked for each cell by itself: what is added up inside
        another part, or chosen."""
        inside = [part for child in ex.children(self.tree) for part in ex.each(child, ex.Node)]
        adds_up = any(isinstance(part, ex.Total | ex.Reduction) for part in inside)
        return adds_up or any(part.function == "where" for part in ex.each(self.tree, ex.Apply))

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        """Returns the first form for numbers that may change; conditions on places alone don't."""
        if all(self._is_settled(x) for x in ex.each(self.tree, ex.Apply) if x.function == "where"):
            return self.first_form(i, j, *operands)
        return super().whole_form(i, j, *self._counted(operands))

    def _counted(self, operands: tuple[Matrix, ...]) -> tuple[Matrix, ...]:
        """Returns the operands, of which places along a side are numbers of no quantity."""
        if not self.counts:
            return operands
        return tuple(o.named("") if k in self.counts else o for k, o in enumerate(operands))

    def _is_settled(self, choice: ex.Apply) -> bool:
        condition = choice.arguments[0]
        return all(operand.place in self.counts for operand in ex.operands_in(condition))


@dataclass(frozen=True)
class Counting(WholeNumbers):
    """The places along a side, 1, 2, …, as numbers. -> [n, 1]"""

    untold = True

    length: int

    def signature(self) -> str:
        return f"-> {self.length} 1"

    def formula(self, name: str, *operands: str) -> Equation:  # noqa: ARG002
        return define(name, Symbol(f"1, …, {self.length}"))

    def values(self, *operands: Matrix) -> Array:  # noqa: ARG002
        return np.arange(1.0, self.length + 1)[:, np.newaxis]

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:  # noqa: ARG002
        return (ex.constant(i + 1),)


class Rearranged(Written):
    """The numbers of one operand in another order."""

    layout = "rows"
    copies = True


class Condition(Written):
    """Which cells meet a condition: 1, and 0 elsewhere."""

    layout = "rows"
    copies = True

    def round_result(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        return Matrix(self.values(*operands), 0, 0)
