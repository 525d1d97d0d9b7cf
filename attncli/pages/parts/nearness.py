"""The nearness of words before and after something: the cosines of their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations
from typing import NamedTuple

from attncli.document.blocks import Block, Callout, Spans, Subheading
from attncli.maths.equations import deciding
from attncli.maths.equations.tree import Number, Product, Quotient, Root
from attncli.maths.notation import plain
from attncli.maths.numbers import decimals
from attncli.names import Word
from attncli.pages.parts.blocks import Row, table
from attncli.pages.parts.sentences import called_as
from attncli.trace import Quantity


def nearness(
    before: Quantity, after: Quantity, names: Sequence[Word], places: int, when: tuple[str, str]
) -> list[Block]:
    """Says how near words are to each other before and after, by the cosine of each two of them;
    nothing where the vectors that aren't 0 are others."""
    pairs = [_pairs(vectors, names, places) for vectors in (before, after)]
    if not pairs[0] or [p.names for p in pairs[0]] != [p.names for p in pairs[1]]:
        return []
    both = [_Move(a, b, a.cosine(), b.cosine()) for a, b in zip(*pairs, strict=True)]
    rows = [move.row() for move in both]
    labels = [phrase.rpartition(" ")[2] for phrase in when]  # `variant`, of `in the variant`
    headings = ("Words", *(f"{what} {label}" for label in labels for what in ("a · b", "cos")))
    most = max(both, key=lambda move: move.rise)
    return [
        Subheading(("How near the words are",)),
        table(headings, rows),
        Callout(most.told()),
    ]


class _Pair(NamedTuple):
    """A pair of words' vectors."""

    names: tuple[str, str]
    """The two words."""
    dot: Number
    """The dot product of their vectors, as it is shown."""
    squares: tuple[Number, Number]
    """The dot product of each vector with itself, as it is shown."""

    @property
    def quotient(self) -> Quotient:
        return Quotient(self.dot, Root(Product(self.squares)))

    def cosine(self) -> Number:
        return Number.written(deciding.rounded(self.quotient, decimals.places(self.dot.shown)))


def _pairs(vectors: Quantity, names: Sequence[Word], places: int) -> list[_Pair]:
    """Lists each two of some vectors that aren't 0."""
    columns = range(vectors.matrix.shape[1])
    rows = [[vectors.number(i, j).full for j in columns] for i in range(len(names))]

    def dot(a: int, b: int) -> Number:
        products = (decimals.product(x, y) for x, y in zip(rows[a], rows[b], strict=True))
        return Number.written(decimals.round_to(decimals.total(products), places))

    squares = [dot(i, i) for i in range(len(names))]
    known = [i for i, square in enumerate(squares) if square.shown]
    return [
        _Pair((names[a].raw, names[b].raw), dot(a, b), (squares[a], squares[b]))
        for a, b in combinations(known, 2)
    ]


class _Move(NamedTuple):
    """A move of two words' vectors."""

    before: _Pair
    """The pair before it."""
    after: _Pair
    """The pair after it."""
    then: Number
    """Their cosine before it."""
    now: Number
    """Their cosine after it."""

    @property
    def rise(self) -> Decimal:
        return decimals.difference(self.now.shown, self.then.shown)

    def row(self) -> Row:
        numbers = (self.before.dot, self.then, self.after.dot, self.now)
        return (Word(" and ".join(self.before.names)), *map(plain, numbers))

    def told(self) -> Spans:
        """Says how the cosine moves: `The cosine of king and queen rises most, from 5 / √(25 × 4) =
        0.5 to …`"""
        one, other = (called_as(self.before.names, k) for k in (0, 1))
        then: Spans = (self.before.quotient, " = ", self.then)
        now: Spans = (self.after.quotient, " = ", self.now)
        of: Spans = ("The cosine of ", *one, " and ", *other)
        return (*of, " rises most, from ", *then, " to ", *now, ".")
