"""Long sums, products and maxima in the working of a cell: a few of their terms, and what the
others come to, at NumPy's speed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attncli.maths.equations import tree as ex
from attncli.maths.equations.arrays import laid, stable_form
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.indices import free
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.signatures import Signature
from attncli.maths.equations.tree import Expression, Number
from attncli.maths.numbers.rounding import Array, IndexArray

Indices = Mapping[str, int]
MANY = 256
"""Of more terms only those are made that are told."""
_FIRST = 3
"""Terms that are told before those that are left out."""
_MORE = 3
"""Digits that what is left out comes to has beyond those of the result."""
_OF_THE_OTHERS: Mapping[str, Callable[[Array], float]] = MappingProxyType(
    {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}
)


class LongSum(NamedTuple):
    """A sum, or another reduction, of one cell of the result."""

    node: ex.Total | ex.Reduced
    extents: Sequence[int]
    """How far each of its indices goes."""
    shapes: Signature
    at: Indices
    """Where all other indices are."""
    operands: Sequence[Matrix]

    def terms(
        self, term: Callable[[Indices], Expression], places: int
    ) -> Sequence[Expression] | None:
        """Lists the terms that a page tells, each as `term` writes it, with what the others come to
        between them; `places` are the decimals of the result.

        Returns None where the terms are no arrays of finite numbers.
        """
        part, condition = self._parts()
        kept = np.arange(math.prod(self.extents))
        if condition is not None:
            met = self._numbers(condition)
            if met is None:
                return None
            kept = np.flatnonzero(met)
        told = [
            None if k is None else term(self._cell(int(kept[k])))
            for k in elided(len(kept), MOST_PARTS, _FIRST)
        ]
        rest = self._rest(part, kept[_FIRST:-1], places) if None in told else ex.Omitted()
        return None if rest is None else [rest if node is None else node for node in told]

    def _parts(self) -> tuple[Expression, Expression | None]:
        """Returns what is reduced, and the condition for it to take part."""
        node = self.node
        nothing = ex.ZERO if isinstance(node, ex.Total) else ex.NEUTRAL[node.function]
        match node.operand:
            case ex.Apply("where", (met, inner, other)) if other == nothing:
                return inner, met
            case operand:
                return operand, None

    def _cell(self, k: int) -> Indices:
        """Returns where all indices are at the term of a number."""
        cell = map(int, np.unravel_index(k, tuple(self.extents)))
        return {**self.at, **dict(zip(self.node.over, cell, strict=True))}

    def _rest(self, part: Expression, left_out: IndexArray, places: int) -> ex.Omitted | None:
        """Returns what the terms that are left out come to; None where that is no number."""
        values = self._numbers(part)
        if values is None:
            return None
        function = "sum" if isinstance(self.node, ex.Total) else self.node.function
        others = float(_OF_THE_OTHERS[function](values[left_out]))
        if not math.isfinite(others):
            return None
        return ex.Omitted(Number.written(Decimal(f"{others:.{places + _MORE}f}")))

    def _numbers(self, part: Expression) -> Array | None:
        """Computes a part for each term. -> [terms]

        Returns None where an operand is in it with one index here and another one there.
        """
        over, sides = self.node.over, dict[int, tuple[str, str]]()
        for operand in ex.operands_in(part):
            own = self.shapes.along(operand)
            if sides.setdefault(operand.place, own) != own:
                return None
        arrays = [self._cut(x, sides.get(k, ("", ""))) for k, x in enumerate(self.operands)]
        fixed = "".join(sorted(free(part) - {*over}))
        made = laid(stable_form(part), self.shapes).along(fixed + over)
        with np.errstate(all="ignore"):
            array = made(arrays)
        whole = np.broadcast_to(array, (*[1] * len(fixed), *self.extents))
        return np.asarray(whole).ravel()

    def _cut(self, operand: Matrix, sides: tuple[str, str]) -> Array:
        """Returns the numbers of an operand, as shown, at the place of each index that the sum
        doesn't run over."""
        cut = tuple(
            slice(self.at[side], self.at[side] + 1)
            if side in self.at and side not in ("", *self.node.over)
            else slice(None)
            for side in sides
        )
        array = operand.values[cut]
        return array if operand.is_shown_in_full else np.round(array, operand.decimals)
