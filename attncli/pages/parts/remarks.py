"""Remarks on what the numbers of a step mean: how many parameters a table of embeddings has, how
long the waves of positions are, how long the way through a recurrent cell is, and how near words
are to each other, before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import combinations
from typing import NamedTuple

from attncli.document.blocks import Block, Callout, Derivation, Line, Spans, Subheading
from attncli.equations import deciding
from attncli.equations.elision import MOST_PARTS, elided
from attncli.equations.tree import (
    PI,
    TWO,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Symbol,
    constant,
)
from attncli.names import Word
from attncli.notation import plain
from attncli.numbers import decimals
from attncli.operations.positions import Sinusoids
from attncli.pages.parts.blocks import Row, table
from attncli.pages.parts.selection import made_by
from attncli.pages.parts.sentences import called_as
from attncli.trace import PlannedStep, Quantity, Trace, WayPlace


def remarks_on(trace: Trace, part: PlannedStep) -> list[Block]:
    """What is worth a remark of a step that is taken for the first time."""
    remark = _REMARKS.get(part.step)
    return [] if remark is None or part.updates else remark(trace, part)


def _parameters(trace: Trace, part: PlannedStep) -> list[Block]:
    """How many numbers a table has that is too long to be shown, and what is taken of it."""
    embeddings, text = trace.quantities.get(part.place.text.table), part.place.text
    if embeddings is None or None not in elided(len(embeddings.values), MOST_PARTS):
        return []
    n, d = embeddings.matrix.shape
    count, width, product, taken = (
        Number.written(number) for number in (n, d, n * d, len({*text.ids}))
    )
    return [
        Callout(
            (
                "The table has ", count, " × ", width, " = ", product, " parameters: a row of ",
                width, " numbers for each of ", count, " tokens. This text takes ", taken,
                " of the rows.",
            )
        )
    ]  # fmt: skip


def _wave_lengths(trace: Trace, part: PlannedStep) -> list[Block]:
    """After how many positions the waves of each pair of columns repeat."""
    blocks: list[Block] = []
    for quantity in made_by(trace, part):
        waves = quantity.definition and quantity.definition.operation
        if not isinstance(waves, Sinusoids) or waves.d <= len("02"):
            continue
        pairs = range(waves.d // 2)
        last = [Number.written(number) for number in (pairs[-1], waves.d - 1)]
        text: Spans = (
            "i counts the pairs, from 0 to ", last[0], ", and pair i has the dimensions 2i and"
            " 2i+1, which go from 0 to ", last[1], ". Its waves repeat after 2π × ", waves.base,
            "^(2i/", Number.written(waves.d), ") positions.",
        )  # fmt: skip
        rows = [_wave(waves, i, trace.rounding.decimals) for i in pairs]
        headings = ("Pair i", "Dimensions", "Wave length")
        blocks += [Callout(text), table(headings, rows)]
    return blocks


def _wave(waves: Sinusoids, i: int, places: int) -> Row:
    exponent = Quotient(constant(2 * i), constant(waves.d))
    length = deciding.rounded(Product((TWO, PI, Power(waves.base, exponent))), places)
    return str(i), f"{2 * i} and {2 * i + 1}", str(length)


def _way_through(_: Trace, part: PlannedStep) -> list[Block]:
    """How many steps a cell takes one after the other, and how many attention would."""
    place = part.place
    assert isinstance(place, WayPlace)
    names = place.text.tokens
    if place.times < len("ab") or len(names) != place.times:
        return []
    first, last = (called_as(names, time - 1) for time in (place.order[0], place.order[-1]))
    times, steps = (Number.written(number) for number in (place.times, place.times - 1))
    return [
        Callout(
            (
                "Each state needs the one before it: ", times, " steps, none of them in parallel,"
                " and ", steps, " from ", *first, " to ", *last, ". Attention compares all ", times,
                " tokens at once, and takes 1 step from any of them to any other.",
            )
        )
    ]  # fmt: skip


_REMARKS: Mapping[str, Callable[[Trace, PlannedStep], list[Block]]] = {
    "embed": _parameters,
    "positions": _wave_lengths,
    "states": _way_through,
}


class _Pair(NamedTuple):
    """Two vectors: their dot product, and those of each with itself, as they are shown."""

    names: tuple[Word, Word]
    dot: Number
    squares: tuple[Number, Number]

    @property
    def quotient(self) -> Quotient:
        return Quotient(self.dot, Root(Product(self.squares)))

    def cosine(self) -> Number:
        return Number.written(deciding.rounded(self.quotient, decimals.places(self.dot.shown)))

    def line(self, when: str) -> Line:
        label = Symbol(f"{when}.cos", self.names)
        return Line(label, (("=", self.quotient), ("=", self.cosine())))


def _pairs(vectors: Quantity, names: Sequence[Word], places: int) -> list[_Pair]:
    """Each two of some vectors that aren't 0."""
    columns = range(vectors.matrix.shape[1])
    rows = [[vectors.number(i, j).full for j in columns] for i in range(len(names))]

    def dot(a: int, b: int) -> Number:
        products = (decimals.product(x, y) for x, y in zip(rows[a], rows[b], strict=True))
        return Number.written(decimals.round_to(decimals.total(products), places))

    squares = [dot(i, i) for i in range(len(names))]
    known = [i for i, square in enumerate(squares) if square.shown]
    return [
        _Pair((names[a], names[b]), dot(a, b), (squares[a], squares[b]))
        for a, b in combinations(known, 2)
    ]


def nearness(
    before: Quantity, after: Quantity, names: Sequence[Word], places: int, when: tuple[str, str]
) -> list[Block]:
    """How near words are to each other before and after: the cosine of each two of them."""
    pairs = [_pairs(vectors, names, places) for vectors in (before, after)]
    if not pairs[0] or [p.names for p in pairs[0]] != [p.names for p in pairs[1]]:
        return []
    both = [(a, b, a.cosine(), b.cosine()) for a, b in zip(*pairs, strict=True)]
    rows: list[Row] = [
        (Word(" and ".join(name.raw for name in a.names)), *map(plain, (a.dot, then, b.dot, now)))
        for a, b, then, now in both
    ]
    headings = ("Words", *(f"{what} {time}" for time in when for what in ("a · b", "cos")))
    nearer, others = _by_rise(both)
    return [
        Subheading(("How near the words are",)),
        table(headings, rows),
        Derivation((nearer[0].line(when[0]), nearer[1].line(when[1]))),
        Callout((*_told(nearer, "come nearer most"), *others)),
    ]


_Both = tuple[_Pair, _Pair, Number, Number]


def _by_rise(both: Sequence[_Both]) -> tuple[_Both, Spans]:
    """The pair whose cosine grows most, and of the others the one that grows least."""

    def rise(pair: _Both) -> Decimal:
        return pair[3].shown - pair[2].shown

    *_, most = ordered = sorted(both, key=rise)
    if len(ordered) == 1:
        return most, ()
    how = "move apart most" if rise(ordered[0]) < 0 else "come nearer least"
    return most, (" ", *_told(ordered[0], how))


def _told(pair: _Both, how: str) -> Spans:
    """`king and queen come nearer most: their cosine goes from 0.015 to 0.797.`"""
    (one, other), then, now = pair[0].names, pair[2], pair[3]
    return (
        one, " and ", other, f" {how}: their cosine goes from ", then, " to ", now, ".",
    )  # fmt: skip
