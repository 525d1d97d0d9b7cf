"""The derivative of an equation with respect to an operand, which is an equation again.

With R[i, j] = f(X, …) and G the gradient of a loss L with respect to R, G[i, j] = ∂L/∂R[i, j], the
chain rule says

    ∂L/∂X[a, b] = Σ_ij G[i, j] × ∂R[i, j]/∂X[a, b],

a sum over the indices that X hasn't (Parr & Howard 2018, arXiv:1802.01528; Baydin et al. 2018,
arXiv:1502.05767). Where X occurs as several cells, `X[i, j] / Σ_k X[i, k]`, each adds its part.
`slopes` has the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from attncli.arithmetic import expression as ex
from attncli.arithmetic.equations.indices import (
    IndexNames,
    are_caught,
    free,
    renamed,
    sides_of,
    unnamed,
)
from attncli.arithmetic.equations.slopes import slopes
from attncli.arithmetic.equations.terms import (
    ONE,
    FactoredTerm,
    Factors,
    added,
    expression,
    term,
    times,
)
from attncli.arithmetic.expression import Expression, Operand
from attncli.arithmetic.signature import Signature, axis_of, indices_of

Partials = dict[tuple[Operand, str], list[FactoredTerm]]
"""For a cell, and the indices that are to be added up over, the terms of a derivative."""


def derivative(tree: Expression, shapes: Signature, place: int) -> tuple[str, Expression]:
    """The shapes and the tree of ∂L/∂X, X being the operand of a place. Its operands are those of
    the equation, the result, and the gradient of the loss with respect to the result."""
    result, wanted = " ".join(shapes.result), " ".join(shapes.operands[place])
    sides = [*map(" ".join, shapes.operands), result, result]
    return f"{', '.join(sides)} -> {wanted}", _Derivative(tree, shapes, place).tree


@dataclass(frozen=True)
class _Derivative:
    """The derivative of an equation with respect to the operand of a place."""

    of: Expression
    shapes: Signature
    place: int

    @property
    def tree(self) -> Expression:
        parts = _partials(self.of, self.place).items()
        return expression(
            added(self._part(cell, over, one) for (cell, over), terms in parts for one in terms)
        )

    def _part(self, cell: Operand, over: str, partial: FactoredTerm) -> FactoredTerm:
        """What one of its cells adds, with indices i and j for the cell's own."""
        if len({*cell.indices}) < len(cell.indices):
            raise TypeError("a diagonal has no derivative that an equation says")
        gradient = term(Operand(len(self.shapes.operands) + 1, tuple(self.shapes.indices)))
        along = self.shapes.indices + over
        slope = self._with_result(times(gradient, partial), along)
        added_up = self._total(slope, "".join(x for x in along if x not in cell.indices))
        wanted = dict(zip(cell.indices, self._indices, strict=True))
        named = (
            (self._names.given(unnamed(base, wanted)), exponent)
            for base, exponent in added_up.factors
        )
        return added_up._replace(factors=tuple(named))

    @property
    def _indices(self) -> str:
        """The indices that the derivative has, as those of a result."""
        return "".join(indices_of(self.shapes.operands[self.place]))

    @cached_property
    def _sides(self) -> Mapping[str, str]:
        return sides_of(self.of, self.shapes)

    @cached_property
    def _names(self) -> IndexNames:
        return IndexNames(self._sides, self._indices)

    def _total(self, one: FactoredTerm, over: str) -> FactoredTerm:
        """A term added up over indices: each sum of its own takes in what has its indices; one
        that no factor has is counted."""
        kept = tuple(factor for factor in one.factors if not free(factor[0]) & set(over))
        sums = (self._sum(one.factors, group) for group in _groups(one.factors, over))
        return times(one._replace(factors=kept), *sums)

    def _sum(self, factors: Factors, over: str) -> FactoredTerm:
        inside = tuple(factor for factor in factors if free(factor[0]) & set(over))
        if not inside:
            return term(self._length(over))
        return term(ex.Total(over, expression(FactoredTerm(factors=inside))))

    def _length(self, index: str) -> ex.Length:
        return ex.Length(*axis_of(index, self.of, self.shapes))

    # -- with the result for what it is ----------------------------------------------------------

    def _with_result(self, one: FactoredTerm, along: str) -> FactoredTerm:
        """A term with R, or R at other indices, in the place of what R is: `weights[i, k]` in that
        of `exp[i, k] / exp_sum[i]`."""
        if isinstance(self.of, Operand):
            return one
        for indices in self._places(along):
            names = dict(zip(self.shapes.indices, indices, strict=True))
            if not are_caught(self.of, names):
                result = Operand(len(self.shapes.operands), indices)
                one = _replaced(one, renamed(self.of, names), result)
        return one

    def _places(self, along: str) -> Iterator[tuple[str, ...]]:
        """The result's own indices, then others that go along the same."""
        wanted = [self._sides[index] for index in self.shapes.indices]
        yield from (
            indices
            for indices in product(along, repeat=len(wanted))
            if [self._sides[index] for index in indices] == wanted
        )


def _groups(factors: Factors, over: str) -> Iterator[str]:
    """Indices in as many groups as can be, so that no factor has indices of two."""
    left = over
    while left:
        group, before = left[0], ""
        while group != before:
            before, known = group, [free(base) for base, _ in factors]
            tied = {x for indices in known if indices & set(group) for x in indices} | set(group)
            group = "".join(x for x in left if x in tied)
        yield group
        left = "".join(x for x in left if x not in group)


def _replaced(one: FactoredTerm, what: Expression, by: Operand) -> FactoredTerm:
    """A term with something else in the place of a part, or of some of its factors."""

    def change(node: Expression) -> Expression | None:
        return by if node == what else None

    factors = tuple((ex.rewritten(base, change), exponent) for base, exponent in one.factors)
    one, known = one._replace(factors=factors), term(what)
    while known.factors and _has(one, known):
        one = times(one, known.inverse, term(by))
    return one


def _has(one: FactoredTerm, other: FactoredTerm) -> bool:
    """Whether a term has all factors of another one."""
    exponents = dict(one.factors)
    return all(
        exponents.get(base, 0) * exponent > 0 and abs(exponents[base]) >= abs(exponent)
        for base, exponent in other.factors
    )


# -- the chain rule ------------------------------------------------------------------------------


def _partials(node: Expression, place: int) -> Partials:
    """The derivative of a part with respect to each cell of an operand that it has."""
    if isinstance(node, Operand):
        return {(node, ""): [ONE]} if node.place == place else {}
    over = node.over if isinstance(node, ex.Total) else ""
    found: Partials = {}
    for part, slope in slopes(node, place):
        for (cell, within), inner in _partials(part, place).items():
            found.setdefault((cell, over + within), []).extend(_times_sum(term(slope), inner))
    return found


def _times_sum(one: FactoredTerm, terms: list[FactoredTerm]) -> list[FactoredTerm]:
    """A term times a sum of terms, which stays a sum for a number only: (a + 2b) / 2 is
    a / 2 + b."""
    return [times(one, each) for each in (terms if not one.factors else [added(terms)])]
