"""Remarks on what the numbers of a step mean, and no table shows: how many parameters a table has,
which loss a guess would have, how long the waves of positions are, how long the way through a
recurrent cell is, and how near words are to each other, before and after."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from attncli.document.blocks import Block, Callout, Spans, Subheading
from attncli.document.retold import Followed, retold, value_of
from attncli.errors import every
from attncli.maths.equations import deciding
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.tree import (
    PI,
    TWO,
    Apply,
    Expression,
    Number,
    Power,
    Product,
    Quotient,
    Root,
    Symbol,
    constant,
    minus,
    rounded,
)
from attncli.maths.equations.working import sum_of
from attncli.maths.notation import plain
from attncli.maths.numbers import decimals
from attncli.names import Word, below
from attncli.pages.parts.blocks import Row, table
from attncli.pages.parts.selection import made_by
from attncli.pages.parts.sentences import called_as, joined
from attncli.trace import Place, PlannedStep, Quantity, Trace, WayPlace
from attncli.trace.quantity import distinct_tokens

if TYPE_CHECKING:
    from attncli.maths.operations.positions import Sinusoids


def remarks_on(trace: Trace, part: PlannedStep) -> list[Block]:
    """Remarks on a step that is taken for the first time, where it is worth that."""
    remark = _REMARKS.get(part.step)
    return [] if remark is None or part.is_again else remark(trace, part)


def _table_size(trace: Trace, part: PlannedStep) -> list[Block]:
    """Says how many parameters a table of embeddings has that is too long to be shown."""
    made = next((q.definition for q in reversed(made_by(trace, part)) if q.definition), None)
    table = None if made is None else trace.quantities.get(made.operands[0])
    if table is None or None not in elided(table.matrix.shape[0], MOST_PARTS):
        return []
    n, d = table.matrix.shape
    says = f"The table has {n:,} × {d:,} = {n * d:,} parameters."
    return [Callout(retold(Followed(), says))]


def _even_guess(trace: Trace, part: PlannedStep) -> list[Block]:
    """Says which loss equal probabilities would give: `Equal probabilities for all 3 classes would
    give a loss of 1.10, certainty 0.` A perplexity says the same otherwise."""
    place, known = part.place, trace.quantities
    loss, probabilities, perplexity = (
        known.get(place.name(local)) for local in ("cross_entropy", "probabilities", "perplexity")
    )
    is_told = perplexity is not None and not trace.scenario.goes_back
    if loss is None or probabilities is None or is_told:
        return []
    count, places = probabilities.matrix.shape[1], decimals.places(loss.number(0, 0).shown)
    is_own = trace.rounding.is_own(part.step, loss.name)
    exact = rounded(Apply("ln", (constant(count),)), places if is_own else None)
    number = Number.inner(decimals.shown(math.log(count), places), exact)
    what = every(count, "class" if trace.scenario.prediction.of_classes else "token")
    says = f"Equal probabilities for {what} would give a loss of "
    return [Callout((says, *retold(Followed(), number), ", certainty 0."))]


def _wave_lengths(trace: Trace, part: PlannedStep) -> list[Block]:
    """Says after how many positions the waves of each pair of columns repeat."""
    from attncli.maths.operations.positions import Sinusoids

    blocks: list[Block] = []
    for quantity in made_by(trace, part):
        waves = quantity.definition and quantity.definition.operation
        if not isinstance(waves, Sinusoids) or waves.d <= len("02"):
            continue
        pairs = range(waves.d // 2)
        shown = [pairs[k] if k is not None else k for k in elided(len(pairs), MOST_PARTS)]
        lengths = joined(_wave_length(trace, waves, i) for i in shown)
        factor = Power(waves.base, Quotient(TWO, constant(waves.d)))
        slower = deciding.rounded(factor, trace.rounding.decimals).normalize() + 0
        short = value_of(Number.inner(slower, rounded(factor)), "short", Number.written(slower))
        text: Spans = (
            "Pair i, the dimensions 2i and 2i+1, repeats after 2π × ", waves.base, "^(2i/",
            Number.written(waves.d), ") positions: ", *lengths, ", each ", factor, " = ", *short,
            " times as long as the one before.",
        )  # fmt: skip
        blocks.append(Callout(text))
    return blocks


def _wave_length(trace: Trace, waves: Sinusoids, i: int | None) -> Spans:
    if i is None:
        return ("…",)
    exponent = Quotient(constant(2 * i), constant(waves.d))
    length = Product((TWO, PI, Power(waves.base, exponent)))
    number = deciding.rounded(length, trace.rounding.decimals)
    return retold(Followed(), Number.inner(number, rounded(length)))


def _way_through(trace: Trace, part: PlannedStep) -> list[Block]:
    """Says how many steps it takes from one end of a recurrent way to the other; of one with gates
    how much of the first memory they keep."""
    place, ends = part.place, _ends_of(part.place)
    assert isinstance(place, WayPlace)
    if not ends:
        return []
    steps = Number.written(place.times - 1)
    way: Spans = (
        "From ", *ends[0], " to ", *ends[1], " it takes ", steps, " steps, one after the other,"
        " and attention takes 1.",
    )  # fmt: skip
    return _kept(trace, place, ends) or [Callout(retold(Followed(), *way))]


def _ends_of(place: Place) -> tuple[Spans, Spans] | None:
    """Returns the tokens that a way begins and ends with; None where it has only one, or these have
    no names."""
    names = place.text.tokens
    if not isinstance(place, WayPlace) or not 1 < place.times == len(names):
        return None
    first, last = (called_as(names, time - 1) for time in (place.order[0], place.order[-1]))
    return first, last


def _kept(trace: Trace, place: WayPlace, ends: tuple[Spans, Spans]) -> list[Block]:
    """Says which share of each number of the first memory is kept, and what is left of each
    token."""
    after = place.order[1:]
    known = all(below(place.name("gates").at(t), "candidate") in trace for t in place.order)
    if not known or len(after) > MOST_PARTS:
        return []
    memory = trace[place.memory]
    products: list[Spans] = []
    for k in range(memory.matrix.size):
        shares = [_gated(trace, place, time, k)[1] for time in after]
        product = Product(tuple(shares)) if shares[1:] else shares[0]
        products.append((product, " = ", *retold(Followed(), _share(trace, product))))
    shown = (("…",) if k is None else products[k] for k in elided(len(products), MOST_PARTS))
    keep = " the gates keep these shares of the memory's numbers: "
    kept = ("From ", *ends[0], " to ", *ends[1], keep, *joined(shown, ", "), ".")
    return [Callout(kept), Callout(_left_of_each(trace, place, memory))]


def _gated(trace: Trace, place: WayPlace, time: int, k: int) -> tuple[Expression, Expression]:
    """Returns what a cell writes to a number of its memory at a time, and the share of it that it
    keeps."""
    from attncli.steps.recurrent.cells import keeps_old

    locals_ = ("candidate", "update", *(("forget",) if place.cell.kind == "lstm" else ()))
    gates = (trace[below(place.name("gates").at(time), local)] for local in locals_)
    candidate, update, *forget = (q.number(*divmod(k, q.matrix.shape[1])) for q in gates)
    other = forget[0] if forget else minus(constant(1), update)
    if not forget and keeps_old(place):
        return Product((other, candidate)), update
    return Product((update, candidate)), other


def _left_of_each(trace: Trace, place: WayPlace, memory: Quantity) -> Spans:
    """Says what is left of each token in the memory's largest number: `c[4][1] = 0.819 ≈ 0.296 +
    0.094 + 0.109 + 0.321: what is left of …`"""
    k, names = int(abs(memory.values).argmax()), distinct_tokens(place.text.tokens)
    start = trace[place.name(memory.local).at(place.start)].number(k, 0)
    left: list[Expression] = [start] if start.full else []
    called: list[Spans] = [("the start",) for _ in left]
    for time in place.order:
        written, keeps = _gated(trace, place, time, k)
        left = [*(Product((part, keeps)) for part in left), written]
        called.append(called_as(names, time - 1))
    number, total = memory.number(k, 0), sum_of([_share(trace, part) for part in left])
    cell = Symbol(place.here(memory.name), (str(k + 1),))
    adds_up: Spans = (cell, " = ", number, f" {deciding.relation(total, number)} ", total)
    whose = (*joined(called[:-1]), " and ", *called[-1])
    return (*adds_up, ": what is left of ", *whose, ".")


def _share(trace: Trace, exact: Expression) -> Number:
    share = decimals.round_to(deciding.shown(exact), trace.rounding.decimals)
    return Number.inner(share, rounded(exact))


_REMARKS: Mapping[str, Callable[[Trace, PlannedStep], list[Block]]] = {
    "embed": _table_size,
    "positions": _wave_lengths,
    "loss": _even_guess,
    "states": _way_through,
}


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
