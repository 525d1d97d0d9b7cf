"""The head that a page is about, as its products stand on one sheet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from attncli.document.whole_head import Band, Crossing, HeadOperand, Made, WholeHead
from attncli.maths.equations.tree import Location
from attncli.names import Name, below
from attncli.pages.parts.findings import weights_of
from attncli.pages.parts.products import factors_of
from attncli.pages.parts.selection import place_in_words, shown_parts
from attncli.trace import AttentionPlace, Definition, HeadPlace, Quantity, Trace


def whole_head(trace: Trace, answer: Location | None = None) -> WholeHead | None:
    """Finds the head of an answer, or else that which the page is about, from its projections to
    its output, or to its weights where nothing takes them; None where these are of no product and
    in none."""
    weights = _weights_about(trace, answer) or weights_of(trace)
    if weights is None:
        return None
    head = _Head(weights.name.path, dict(_made_in_attention(trace)))
    output = head.product_of(weights.name)
    taken = weights.name if output is None else output.left.quantity
    scores = head.product_behind(taken)
    if scores is not None:
        after = head.between(scores.crossing.result.quantity, taken)
        scores = scores._replace(crossing=scores.crossing._replace(after=after))
    last = [product for product in (scores, output) if product is not None]
    if not last:
        return None
    operands = (last[0].left, *(product.crossing.above[0] for product in last))
    behind = (head.product_behind(operand.quantity) for operand in operands)
    bands = groupby([*filter(None, behind), *last[:1]], key=_left)
    first = [Band(left, tuple(p.crossing for p in products)) for left, products in bands]
    *before, band = first
    whole = band._replace(crossings=(*band.crossings, *(p.crossing for p in last[1:])))
    return WholeHead(place_in_words(head.path), (*before, whole), weights.name)


def _weights_about(trace: Trace, answer: Location | None) -> Quantity | None:
    """Finds the weights of the place that an answer is from."""
    quantity = None if answer is None else trace.quantities.get(answer.quantity)
    if quantity is None:
        return None
    return trace.quantities.get(below(quantity.name.path, "weights"))


def _made_in_attention(trace: Trace) -> Iterator[tuple[Name, Quantity]]:
    """Yields what heads made, and what was made for all of them, by full names."""
    for part in shown_parts(trace):
        if isinstance(part.place, AttentionPlace | HeadPlace) or part.place.called:
            for definition in part.definitions:
                if definition.name in trace.quantities and not definition.operation.untold:
                    yield definition.name, trace[definition.name]


class _Product(NamedTuple):
    """A product of matrices, with what stands at its left."""

    left: HeadOperand
    crossing: Crossing


def _left(product: _Product) -> HeadOperand:
    return product.left


class _Head(NamedTuple):
    """A head among all that attention made."""

    path: Name
    """Where it is."""
    made: Mapping[Name, Quantity]
    """What attention made, by full names."""

    def product_of(self, weights: Name) -> _Product | None:
        """Finds the product whose left operand is the weights, or what was made of them."""
        products = (self._product(name) for name in self.made)
        return next((p for p in products if p and weights in self._behind(p.left.quantity)), None)

    def product_behind(self, name: Name) -> _Product | None:
        """Finds the product of the same rows that a quantity is made of, or is itself."""
        found = (
            self._product(entry) for entry in self._behind(name) if self._is_beside(entry, name)
        )
        return next((product for product in found if product is not None), None)

    def between(self, first: Name, last: Name) -> tuple[Made, ...]:
        """Lists what is made row by row of the numbers of a product, on the way to what is
        multiplied next, and this one."""
        way = self._behind(last) - {first}
        return tuple(
            self._as_made(q.definition)
            for name, q in self.made.items()
            if name in way and first in self._behind(name) and self._is_beside(name, first)
            if q.definition is not None
        )

    def _is_beside(self, name: Name, other: Name) -> bool:
        """Tells whether two quantities that attention made have as many rows."""
        both = (self.made.get(name), self.made.get(other))
        rows = {q.shape[0] for q in both if q is not None}
        return len(rows) == 1 and None not in both

    def _behind(self, name: Name) -> set[Name]:
        """Finds what a quantity is made of inside attention, with itself, back to the next
        products."""
        found: set[Name] = set()
        waiting = [name]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                its = self.made.get(name)
                if its is not None and self._product(name) is None:
                    waiting += _operands(its.definition)
        return found

    def _product(self, name: Name) -> _Product | None:
        """Reads a quantity as a product of matrices; returns None where it is none."""
        definition = self.made[name].definition if name in self.made else None
        factors = None if definition is None else factors_of(definition.operation)
        if definition is None or factors is None:
            return None
        operands = definition.operands
        bias = () if factors.added is None else (self._operand(operands[factors.added]),)
        right = self._operand(operands[factors.above], turned=factors.above_turned)
        left = self._operand(operands[factors.left], turned=factors.left_turned)
        return _Product(left, Crossing((right, *bias), self._as_made(definition)))

    def _operand(self, name: Name, *, turned: bool = False) -> HeadOperand:
        return HeadOperand(name, name.seen_from(self.path), turned)

    def _as_made(self, definition: Definition) -> Made:
        its, *operands = (n.seen_from(self.path) for n in (definition.name, *definition.operands))
        return Made(definition.name, its, definition.operation.formulas(its, *operands)[0])


def _operands(definition: Definition | None) -> tuple[Name, ...]:
    """Returns the operands whose numbers a quantity is made of, and not only its size."""
    if definition is None or definition.operation.takes_only_sizes:
        return ()
    return definition.operands[definition.operation.first_for_size :]
