"""An operation that is one indexed equation, from which all else follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from attncli.arithmetic.equations import formulas
from attncli.arithmetic.equations.bounds import bound
from attncli.arithmetic.equations.following import Following, following
from attncli.arithmetic.equations.working import forms
from attncli.arithmetic.expression import (
    Apply,
    Equation,
    Expression,
    MatrixProduct,
    Operand,
    Sum,
    each,
)
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import ByFirstForm, Working, cells_of_row
from attncli.arithmetic.rounding import Array, Doubtful, Error

if TYPE_CHECKING:
    from attncli.arithmetic.operations.texts import EquationText


@dataclass(frozen=True)
class Indexed(ByFirstForm):
    """result[i, j] = `tree`, whose `Operand`s are cells of the operands, by their places; for
    instance `0[i, j] / 1[i]` with the shapes `n m, n 1 -> n m`. A sum's index has one meaning."""

    shapes: str  # type: ignore[misc]  # here a field
    tree: Expression
    shown: Expression | None = None
    """The formula, where that isn't the tree with names for places."""
    equation: EquationText | None = None
    """The text that it was read from, by which one knows what it is."""
    numbers: tuple[Expression, ...] = ()
    """What stands for the names in that text that are no operands."""

    def formula(self, name: str, *operands: str) -> Equation:
        known, called = self._known_formulas, (name, *operands)
        if called not in known:
            known[called] = formulas.formula(self.shown or self.tree, self.sides, name, operands)
        return known[called]

    @property
    def repeats(self) -> bool:
        return isinstance(self.tree, Operand)

    def values(self, *operands: Matrix) -> Array:
        self.refuse(*operands)
        return self.arrays([operand.values for operand in operands])

    def refuse(self, *operands: Matrix) -> None:
        """Raises Unworkable for numbers that the equation can't be worked with."""

    def arrays(self, operands: Sequence[Array]) -> Array:
        """The result of plain arrays [n, m], or of those of many candidates [n, m, b]."""
        return self._follows.values(operands)

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        return self._follows.filled({"i": i, "j": j, "": 0}, operands)

    def brief(self, i: int, j: int, *operands: Matrix) -> Working:
        if not self._is_told_in_brief:
            return self.cell(i, j, *operands)
        return forms(self._follows.filled_in_brief({"i": i, "j": j, "": 0}, operands))

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        if all(one.function != "where" for one in each(self.tree, Apply)):
            return self.first_form(i, j, *operands)
        return self._follows.filled_whole({"i": i, "j": j, "": 0}, operands)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:
        if "j" not in self.sides.indices:
            return ()
        if self.shown and _has_product(self.shown):
            return (formulas.row_of_product(self.shown, i, names, operands),)
        if formulas.is_linear_in_rows(self.tree):
            return (formulas.row_as_vector(self.tree, i, operands),)
        extents = self.sides.extents([operand.shape for operand in operands])
        return (cells_of_row(self, i, extents[self.sides.result[1]], *operands),)

    def terms(self, *operands: Matrix) -> int:
        return self._follows.terms(operands)

    def leaves(self, *operands: Matrix) -> int:
        return self._follows.leaves(operands)

    def places(self, *operands: Matrix) -> int | None:
        return self._follows.places(operands)

    def error(self, *operands: Matrix) -> Error:
        return bound(self._follows.careful, self.sides, operands)

    def largest_error(self, *operands: Matrix) -> float:
        rough = bound(self._follows.careful, self.sides, operands, rough=True)
        return float(np.max(rough.absolute))

    def units(self, doubtful: Doubtful, *operands: Matrix) -> Array | None:
        from attncli.arithmetic.equations import whole  # which few pages need

        return whole.units(self.tree, self.sides, operands, doubtful)

    def __getstate__(self) -> dict[str, object]:
        """The fields: what is worked out of them may be functions, which can't be pickled."""
        known = vars(self).items()
        kind = type(self)
        return {k: x for k, x in known if not isinstance(getattr(kind, k, None), cached_property)}

    @cached_property
    def _follows(self) -> Following:
        return following(self.tree, self.sides)

    @cached_property
    def _is_told_in_brief(self) -> bool:
        """Whether it says its cells by the equation, and this has sums that are told in brief."""
        own = type(self).cell is ByFirstForm.cell and type(self).first_form is Indexed.first_form
        return own and bool(self._follows.in_brief)

    @cached_property
    def _known_formulas(self) -> dict[tuple[str, ...], Equation]:
        """Those by the names of the result and the operands, which forms repeat, too."""
        return {}


def _has_product(shown: Expression) -> bool:
    return isinstance(shown, MatrixProduct) or (
        isinstance(shown, Sum) and isinstance(shown.terms[0], MatrixProduct)
    )
