"""An operation that is one indexed equation, from which all else follows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from attncli.arithmetic.equations import formulas
from attncli.arithmetic.equations.arrays import program
from attncli.arithmetic.equations.axes import Work
from attncli.arithmetic.equations.bounds import bound, keeps_digits
from attncli.arithmetic.equations.brief import in_brief
from attncli.arithmetic.equations.careful import careful, magnitude, may_cancel
from attncli.arithmetic.equations.exact import Places
from attncli.arithmetic.equations.ranges import Ranges, anything, widened
from attncli.arithmetic.equations.working import Filled, filled, forms
from attncli.arithmetic.expression import (
    Apply,
    Equation,
    Expression,
    Leaf,
    MatrixProduct,
    Operand,
    Sum,
    Total,
    each,
)
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.base import ByFirstForm, Working, cells_of_row
from attncli.arithmetic.operations.source import Worked
from attncli.arithmetic.rounding import Array, Cells, Doubtful, Error, Long, Range, Rounding
from attncli.arithmetic.signature import axes_of
from attncli.records import Node, dataclass

if TYPE_CHECKING:
    from attncli.arithmetic.equations.fractions import Fractions

_NONE: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True)
class Indexed(ByFirstForm):
    """result[i, j] = `tree`, whose `Operand`s are cells of the operands, by their places; for
    instance `0[i, j] / 1[i]` with the shapes `n m, n 1 -> n m`. A sum's index has one meaning."""

    shapes: str
    tree: Expression
    shown: Expression | None = None
    """The formula, where that isn't the tree with names for places."""

    def formula(self, name: str, *operands: str) -> Equation:
        known, called = self._known_formulas, (name, *operands)
        if called not in known:
            known[called] = formulas.formula(self.shown or self.tree, self.sides, name, operands)
        return known[called]

    @property
    def repeats(self) -> bool:
        return isinstance(self.tree, Operand)

    def made(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:
        if self._is_same and not rounding.carries:
            (x,) = operands
            if x.spread is not None and x.places is None:  # finite, and no 0 has a sign
                source = Worked(self, operands, x.shape)
                return Matrix(x.values, None, rounding.of(step), source=source, spread=x.spread)
        return super().made(rounding, step, *operands)

    def values(self, *operands: Matrix) -> Array:
        self.refuse(*operands)
        return self.arrays([operand.values for operand in operands])

    def refuse(self, *operands: Matrix) -> None:
        """Raises Unworkable for numbers that the equation can't be worked with."""

    def arrays(self, operands: Sequence[Array]) -> Array:
        """The result of plain arrays [n, m], or of those of many candidates [n, m, b]."""
        return self._values(operands)

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        return self._filled({"i": i, "j": j, "": 0}, operands)

    def brief(self, i: int, j: int, *operands: Matrix) -> Working:
        if not self._is_told_in_brief:
            return self.cell(i, j, *operands)
        return forms(self._filled_in_brief({"i": i, "j": j, "": 0}, operands))

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        if all(one.function != "where" for one in each(self.tree, Apply)):
            return self.first_form(i, j, *operands)
        return self._filled_whole({"i": i, "j": j, "": 0}, operands)

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
        return self._terms(*[operand.shape for operand in operands]) if self._sums else 1

    def leaves(self, *operands: Matrix) -> int:
        return _leaves(self.tree, self._sizes(operands))

    def places(self, *operands: Matrix) -> int | None:
        known, like = self._known_places, tuple([(x.places, x.shape) for x in operands])
        if like not in known:
            known[like] = Places(operands).of(self.tree)
        return known[like]

    def error(self, *operands: Matrix) -> Error:
        return bound(self._careful, self._ranges(operands))

    def rough_error(self, *operands: Matrix) -> Error:
        return self._rough(*[(operand.shape, widened(operand.range)) for operand in operands])

    @cached_property
    def _rough(self) -> Callable[..., Error]:
        """The bound by the shapes and the ranges of the operands, as layers repeat them."""

        @lru_cache(maxsize=256)
        def rough(*operands: tuple[tuple[int, int], tuple[float, float]]) -> Error:
            known = [anything(shape, Range(*ends)) for shape, ends in operands]
            return bound(self._careful, self._ranges(known, 0))

        return rough

    def _ranges(self, operands: Sequence[Matrix], most: float = math.inf) -> Ranges:
        return Ranges(operands, self._sizes(operands) if self._sums else _NONE, most)

    def _sizes(self, operands: Sequence[Matrix]) -> Mapping[str, int]:
        """How far each index goes."""
        return self._extents(*[operand.shape for operand in operands])

    def foreseen(self, *operands: Matrix) -> Range | None:
        if not all(operand.is_finite for operand in operands):
            return None
        return self._ranges(operands, self._count(operands)).finite(self._careful)

    def _count(self, operands: Sequence[Matrix]) -> int:
        """How many numbers the result of a sum over an index has."""
        if not self._sums:
            return 0
        extents = self.sides.extents([operand.shape for operand in operands])
        return math.prod(extents[side] for side in self.sides.result)

    def least(self, *operands: Matrix) -> float | None:
        if not self.keeps_digits:
            return None
        ranges = self._ranges(operands, 0)
        return ranges.least(self._careful) if ranges.is_unsigned(self._careful) else None

    def sizes(self, *operands: Matrix) -> Array:
        if not may_cancel(self._careful):
            return super().sizes(*operands)
        return self._magnitudes([operand.values for operand in operands])

    def units(self, doubtful: Doubtful, *operands: Matrix) -> Array | None:
        return self._fractions.units(operands, doubtful)

    def extended(self, cells: Cells, *operands: Matrix) -> tuple[Long, Error] | None:
        from attncli.arithmetic.equations.extended import extended, long_epsilon

        values = extended(self._careful, self.sides, operands, cells)
        if values is None:
            return None
        return values, bound(self._careful, self._ranges(operands), long_epsilon())

    def __getstate__(self) -> dict[str, object]:
        """The fields: what is worked out of them may be functions, which can't be pickled."""
        known = vars(self).items()
        kind = type(self)
        return {k: x for k, x in known if not isinstance(getattr(kind, k, None), cached_property)}

    @cached_property
    def _extents(self) -> Callable[..., Mapping[str, int]]:
        """How far each index goes, by the shapes of the operands."""
        axes = self._axes.items()
        return lru_cache(lambda *shapes: {one: shapes[place][axis] for one, (place, axis) in axes})

    @cached_property
    def _terms(self) -> Callable[..., int]:
        """How many terms the longest sum has, by the shapes of the operands."""

        @lru_cache
        def terms(*shapes: tuple[int, int]) -> int:
            sizes = self._extents(*shapes)
            return max(math.prod([sizes[index] for index in over]) for over in self._sums)

        return terms

    @cached_property
    def _is_same(self) -> bool:
        """Whether its numbers are those of its operand, each in its place."""
        same = Operand(0, tuple(self.sides.indices))
        return self.tree == same and self.sides.operands == (self.sides.result,)

    @cached_property
    def _sums(self) -> Sequence[str]:
        """The indices that it adds up over."""
        return [total.over for total in each(self.tree, Total)]

    @property
    def adds_up(self) -> bool:
        return bool(self._sums)

    @cached_property
    def keeps_digits(self) -> bool:
        return keeps_digits(self._careful)

    @cached_property
    def _careful(self) -> Expression:
        return careful(self.tree)

    @cached_property
    def _values(self) -> Work:
        return program(self._careful, self.sides)

    @cached_property
    def _fractions(self) -> Fractions:
        from attncli.arithmetic.equations.fractions import Fractions  # which few pages need

        return Fractions(self.tree, self.sides)

    @cached_property
    def _magnitudes(self) -> Work:
        return program(magnitude(self._careful), self.sides)

    @cached_property
    def _filled(self) -> Filled:
        return filled(self.tree, self.sides)

    @cached_property
    def _filled_whole(self) -> Filled:
        return filled(self.tree, self.sides, whole=True)

    @cached_property
    def _filled_in_brief(self) -> Filled:
        return filled(self.tree, self.sides, brief=True)

    @cached_property
    def _is_told_in_brief(self) -> bool:
        """Whether it says its cells by the equation, and this has sums that are told in brief."""
        own = type(self).cell is ByFirstForm.cell and type(self).first_form is Indexed.first_form
        return own and bool(in_brief(self.tree))

    @cached_property
    def _known_places(self) -> dict[tuple[object, ...], int | None]:
        """The decimals by those of the operands and their shapes, as forms of an exercise repeat
        them."""
        return {}

    @cached_property
    def _known_formulas(self) -> dict[tuple[str, ...], Equation]:
        """Those by the names of the result and the operands, which forms repeat, too."""
        return {}

    @cached_property
    def _axes(self) -> Mapping[str, tuple[int, int]]:
        return axes_of(self.tree, self.sides)


def _leaves(tree: Expression, sizes: Mapping[str, int]) -> int:
    """How many numbers an equation has when its sums are written out and its choices made."""
    match tree:
        case Leaf():
            return 1
        case Total(over, operand):
            return math.prod([sizes[index] for index in over]) * _leaves(operand, sizes)
        case Apply("where", (_, *choices)):
            return max(_leaves(one, sizes) for one in choices)
    assert isinstance(tree, Node)
    parts = chain.from_iterable(x if type(x) is tuple else (x,) for x in tree.parts)
    return sum(_leaves(part, sizes) for part in parts if isinstance(part, Node))


def _has_product(shown: Expression) -> bool:
    return isinstance(shown, MatrixProduct) or (
        isinstance(shown, Sum) and isinstance(shown.terms[0], MatrixProduct)
    )
