"""The derivative of an equation by an operand, again an equation, by the chain rule.

With R[i, j] = f(X, …) and G the gradient of a loss L with respect to R, G[i, j] = ∂L/∂R[i, j], the
chain rule says ∂L/∂X[a, b] = Σ_ij G[i, j] × ∂R[i, j]/∂X[a, b], a sum over the indices that X hasn't
(Parr & Howard 2018, arXiv:1802.01528; Baydin et al. 2018, arXiv:1502.05767). Where X occurs as
several cells, `X[i, j] / Σ_k X[i, k]`, each adds its part. `slopes` has the rules.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from attncli.maths.equations import tree as ex
from attncli.maths.equations.factored_terms import (
    ONE,
    FactoredTerm,
    Factors,
    added,
    expression,
    term,
    times,
)
from attncli.maths.equations.indices import IndexNames, are_caught, free, renamed, sides_of, unnamed
from attncli.maths.equations.signatures import Signature, axis_of, indices_of
from attncli.maths.equations.slopes import slopes
from attncli.maths.equations.tree import Expression, Operand

Partials = dict[tuple[Operand, str], list[FactoredTerm]]
"""For a cell, and the indices that are to be added up over, the terms of a derivative."""


def derivative(
    tree: Expression,
    shapes: Signature,
    place: int,
    *,
    chosen: bool = False,
    counts: Collection[int] = (),
) -> tuple[str, Expression]:
    """Derives the equation of ∂L/∂X, with X the operand at `place`; returns its shapes and its
    tree. With `chosen`, what a condition leaves out isn't worked, instead of being multiplied by 0;
    `counts` are the places of operands that count along a side.

    Its operands are those of the equation, then the result, then the gradient of the loss with
    respect to the result. Raises TypeError where there is no such equation.
    """
    result, wanted = " ".join(shapes.result), " ".join(shapes.operands[place])
    sides = [*map(" ".join, shapes.operands), result, result]
    made = _Derivative(tree, shapes, place, chosen, frozenset(counts)).tree
    return f"{', '.join(sides)} -> {wanted}", made


@dataclass(frozen=True)
class _Derivative:
    """The derivative of an equation with respect to the operand of a place."""

    of: Expression
    shapes: Signature
    place: int
    chosen: bool
    counts: frozenset[int]

    @property
    def tree(self) -> Expression:
        return expression(
            added(
                self._part(cell, over, term)
                for (cell, over), terms in self._partials.items()
                for term in terms
            )
        )

    @cached_property
    def _partials(self) -> Partials:
        counted: dict[str, int] = {
            index: place for place in self.counts for index in self.shapes.operands[place][:1]
        }
        return _partials(self.of, self.place, counted, chosen=self.chosen)

    def _part(self, cell: Operand, over: str, partial: FactoredTerm) -> FactoredTerm:
        """Writes what one of its cells adds to the derivative, with indices i and j for the cell's
        own."""
        if len({*cell.indices}) < len(cell.indices):
            raise TypeError("a diagonal has no derivative that an equation says")
        gradient = term(Operand(len(self.shapes.operands) + 1, tuple(self.shapes.indices)))
        along = self.shapes.indices + over
        slope = self._with_result(times(gradient, partial), along)
        if not slope.above:  # as of 0 × x
            return slope
        added_up = self._total(slope, "".join(x for x in along if x not in cell.indices))
        wanted = dict(zip(cell.indices, self._indices, strict=True))
        named = (
            (self._names.given(unnamed(base, wanted)), exponent)
            for base, exponent in added_up.factors
        )
        return added_up._replace(factors=tuple(named))

    @property
    def _indices(self) -> str:
        """Returns the indices of the derivative, as those of a result."""
        return "".join(indices_of(self.shapes.operands[self.place]))

    @cached_property
    def _sides(self) -> Mapping[str, str]:
        """Finds the extent that each index runs along, those of slopes among them, in capitals."""
        sides = sides_of(self.of, self.shapes)
        return {**{index.upper(): side for index, side in sides.items()}, **sides}

    @cached_property
    def _names(self) -> IndexNames:
        return IndexNames(self._sides, self._indices)

    def _total(self, term: FactoredTerm, over: str) -> FactoredTerm:
        """Sums a term over indices: each factor goes into the sum over its own indices; an index
        that no factor has is counted by its length."""
        kept = tuple(factor for factor in term.factors if not free(factor[0]) & set(over))
        sums = (self._sum(term.factors, group) for group in _groups(term.factors, over))
        return times(term._replace(factors=kept), *sums)

    def _sum(self, factors: Factors, over: str) -> FactoredTerm:
        inside = tuple(factor for factor in factors if free(factor[0]) & set(over))
        if not inside:
            return term(self._length(over))
        return term(ex.Total(over, expression(FactoredTerm(factors=inside))))

    def _length(self, index: str) -> ex.Length:
        return ex.Length(*axis_of(index, self.of, self.shapes))

    def _with_result(self, term: FactoredTerm, along: str) -> FactoredTerm:
        """Puts R, or R at other indices, in the place of what R is: `weights[i, k]` for `exp[i, k]
        / exp_sum[i]`."""
        if isinstance(self.of, Operand):
            return term
        for indices in self._places(along):
            names = dict(zip(self.shapes.indices, indices, strict=True))
            if not are_caught(self.of, names):
                result = Operand(len(self.shapes.operands), indices)
                term = _replaced(term, renamed(self.of, names), result)
        return term

    def _places(self, along: str) -> Iterator[tuple[str, ...]]:
        """Yields the result's own indices, then others that run along the same sides."""
        wanted = [self._sides[index] for index in self.shapes.indices]
        yield from (
            indices
            for indices in product(along, repeat=len(wanted))
            if [self._sides[index] for index in indices] == wanted
        )


def _groups(factors: Factors, over: str) -> Iterator[str]:
    """Splits indices into as many groups as can be, so that no factor has indices of two groups."""
    left = over
    while left:
        group, before = left[0], ""
        while group != before:
            before, known = group, [free(base) for base, _ in factors]
            tied = {x for indices in known if indices & set(group) for x in indices} | set(group)
            group = "".join(x for x in left if x in tied)
        yield group
        left = "".join(x for x in left if x not in group)


def _replaced(factored: FactoredTerm, what: Expression, by: Operand) -> FactoredTerm:
    """Replaces a part of a term, or some of its factors, by a cell."""

    def change(node: Expression) -> Expression | None:
        return by if node == what else None

    factors = tuple((ex.rewritten(base, change), exponent) for base, exponent in factored.factors)
    factored, known = factored._replace(factors=factors), term(what)
    while known.factors and _has(factored, known):
        factored = times(factored, known.inverse, term(by))
    return factored


def _has(term: FactoredTerm, other: FactoredTerm) -> bool:
    """Tells whether a term has all factors of another one."""
    exponents = dict(term.factors)
    return all(
        exponents.get(base, 0) * exponent > 0 and abs(exponents[base]) >= abs(exponent)
        for base, exponent in other.factors
    )


def _partials(node: Expression, place: int, counts: Mapping[str, int], *, chosen: bool) -> Partials:
    """Derives a part with respect to each cell of an operand in it."""
    if isinstance(node, Operand):
        return {(node, ""): [ONE]} if node.place == place else {}
    over = node.over if isinstance(node, ex.Total | ex.Reduced) else ""
    found: Partials = {}
    for part, slope in slopes(node, place, counts):
        if slope == ex.ZERO:
            continue
        for (cell, within), inner in _partials(part, place, counts, chosen=chosen).items():
            if chosen and isinstance(node, ex.Apply) and node.function == "where":
                terms = [_chosen(node, part, inner)]
            else:
                terms = _times_sum(term(slope), inner)
            found.setdefault((cell, over + within), []).extend(terms)
    return found


def _chosen(choice: ex.Apply, part: Expression, terms: list[FactoredTerm]) -> FactoredTerm:
    """Returns the terms of one of the two parts of a choice, and 0 where the other one is taken."""
    condition, then, _ = choice.arguments
    slope = expression(added(terms))
    both = (slope, ex.ZERO) if part is then else (ex.ZERO, slope)
    return term(ex.Apply("where", (condition, *both)))


def _times_sum(term: FactoredTerm, terms: list[FactoredTerm]) -> list[FactoredTerm]:
    """Multiplies a sum of terms by a term; only a number is multiplied into each: (a + 2b) / 2 is a
    / 2 + b."""
    return [times(term, each) for each in (terms if not term.factors else [added(terms)])]
