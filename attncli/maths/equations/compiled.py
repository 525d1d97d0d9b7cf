"""The consequences of an equation, worked out once for all operations that share it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, lru_cache

from attncli.maths.equations import tree as ex
from attncli.maths.equations.arrays import Work, program, stable_form
from attncli.maths.equations.exact import PlacesOfParts
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.signatures import Signature, axes_of
from attncli.maths.equations.tree import Expression
from attncli.maths.equations.working import Filled, filled, in_brief


def following(tree: Expression, shapes: Signature) -> CompiledEquation:
    """Returns what follows from an equation on operands of such shapes, worked out only once.

    2.0 and 2.00 are equal but not written alike, so that equations that differ in this are kept
    apart.
    """
    written = tuple([(str(number.full), str(number.shown)) for number in ex.numbers_in(tree)])
    return _following(tree, shapes, written)


@lru_cache(maxsize=1024)
def _following(
    tree: Expression, shapes: Signature, _: tuple[tuple[str, str], ...]
) -> CompiledEquation:
    return CompiledEquation(tree, shapes)


class CompiledEquation:
    """The arrays, bounds and forms of an equation, each made when it is first asked for."""

    def __init__(self, tree: Expression, shapes: Signature) -> None:
        self.tree, self.shapes = tree, shapes

    @cached_property
    def careful(self) -> Expression:
        """Rewrites the equation so that floats lose as few digits as they can."""
        return stable_form(self.tree)

    @cached_property
    def sums(self) -> Sequence[str]:
        """Lists the indices that each of its sums runs over."""
        return [total.over for total in ex.each(self.tree, ex.Total)]

    @cached_property
    def is_same(self) -> bool:
        """Tells whether its result is its only operand, cell by cell."""
        same = ex.Operand(0, tuple(self.shapes.indices))
        return self.tree == same and self.shapes.operands == (self.shapes.result,)

    @cached_property
    def values(self) -> Work:
        return program(self.careful, self.shapes)

    @cached_property
    def filled(self) -> Filled:
        return filled(self.tree, self.shapes)

    @cached_property
    def filled_whole(self) -> Filled:
        return filled(self.tree, self.shapes, whole=True)

    @cached_property
    def filled_in_brief(self) -> Filled:
        return filled(self.tree, self.shapes, brief=True)

    def filled_in_short(self, places: int) -> Filled:
        """Returns the function that leaves out most terms of all long sums, products and maxima,
        for a result with so many decimals."""
        known = self._in_short
        if places not in known:
            known[places] = filled(self.tree, self.shapes, places=places)
        return known[places]

    @cached_property
    def _in_short(self) -> dict[int, Filled]:
        return {}

    @cached_property
    def in_brief(self) -> Collection[ex.Total]:
        """Finds the sums that are shown without most of their terms."""
        return in_brief(self.tree)

    def sizes(self, operands: Sequence[Matrix]) -> Mapping[str, int]:
        """Returns the extent of each index, for these operands."""
        return self._sizes(*[operand.shape for operand in operands])

    @cached_property
    def _sizes(self) -> Callable[..., Mapping[str, int]]:
        axes = axes_of(self.tree, self.shapes).items()
        return lru_cache(
            lambda *shapes: {text: shapes[place][axis] for text, (place, axis) in axes}
        )

    def terms(self, operands: Sequence[Matrix]) -> int:
        """Counts the terms of its longest sum, for these operands; 1 without a sum."""
        return self._terms(*[operand.shape for operand in operands]) if self.sums else 1

    @cached_property
    def _terms(self) -> Callable[..., int]:
        @lru_cache
        def terms(*shapes: tuple[int, int]) -> int:
            sizes = self._sizes(*shapes)
            return max(math.prod([sizes[index] for index in over]) for over in self.sums)

        return terms

    def leaves(self, operands: Sequence[Matrix]) -> int:
        """Counts the numbers in the first form of a cell, for these operands."""
        return _leaves(self.tree, self.sizes(operands))

    def places(self, operands: Sequence[Matrix]) -> int | None:
        """Counts the decimals that hold every true value of the result; None where no number of
        them does."""
        known, like = self._places, tuple([(x.places, x.shape) for x in operands])
        if like not in known:
            known[like] = PlacesOfParts(operands).of(self.tree)
        return known[like]

    @cached_property
    def _places(self) -> dict[tuple[object, ...], int | None]:
        """Caches the decimals by those of the operands: layers, and forms of an exercise, repeat
        them."""
        return {}


def _leaves(tree: Expression, sizes: Mapping[str, int]) -> int:
    """Counts the numbers in an equation whose sums are written out and whose choices are made."""
    match tree:
        case ex.Leaf():
            return 1
        case ex.Total(over, operand) | ex.Reduced(_, over, operand):
            return math.prod([sizes[index] for index in over]) * _leaves(operand, sizes)
        case ex.Apply("where", (_, *choices)):
            return max(_leaves(node, sizes) for node in choices)
    return sum(_leaves(part, sizes) for part in ex.children(tree))
