"""Remarks on what no table shows: sizes, losses of a guess, waves, distances of words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from attncli.document.blocks import Block, Callout, Spans, Subheading
from attncli.document.retold import Followed, retold, value_of
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
from attncli.trace import CellPlace, Place, PlannedStep, Quantity, Trace, WayPlace
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
    what = "classes" if trace.scenario.prediction.of_classes else "tokens"
    which = f"all {count}" if count > len("ab") else "both"
    says = f"Equal probabilities for {which} {what} would give a loss of "
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
        last = [Number.written(number) for number in (pairs[-1], waves.d - 1)]
        shown = [pairs[k] if k is not None else k for k in elided(len(pairs), MOST_PARTS)]
        lengths = joined(_wave_length(trace, waves, i) for i in shown)
        factor = Power(waves.base, Quotient(TWO, constant(waves.d)))
        slower = deciding.rounded(factor, trace.rounding.decimals).normalize() + 0
        short = value_of(Number.inner(slower, rounded(factor)), "short", Number.written(slower))
        text: Spans = (
            "i counts the pairs, from 0 to ", last[0], ". Pair i has the dimensions 2i and 2i+1,"
            " which go from 0 to ", last[1], ". Its waves repeat after 2π × ", waves.base, "^(2i/",
            Number.written(waves.d), ") positions: ", *lengths, ". Early pairs tell near"
            " positions apart, late ones far positions. A pair's sine and cosine are the hand of a"
            " clock. The first turns by 1 radian from one position to the next, and each further"
            " one is ", factor, " = ", *short, " times as slow. The same shift turns a hand by the"
            " same angle everywhere.",
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
    """Says how many steps a cell takes one after the other, how many attention would, and how much
    of the first memory the gates keep."""
    place, ends = part.place, ends_of(part.place)
    assert isinstance(place, WayPlace)
    if not ends:
        return []
    times, steps = (Number.written(number) for number in (place.times, place.times - 1))
    way: Spans = (
        "Each state needs the one before it: ", times, " steps, none of them in parallel, and ",
        steps, " from ", *ends[0], " to ", *ends[1], ". Attention compares all ", times,
        " tokens at once, and takes 1 step from any of them to any other.",
    )  # fmt: skip
    return [Callout(retold(Followed(), *way)), *_kept(trace, place, ends)]


def ends_of(place: Place) -> tuple[Spans, Spans] | None:
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
    lstm, after = place.cell.kind == "lstm", place.order[1:]
    known = all(below(place.name("gates").at(t), "candidate") in trace for t in place.order)
    if not known or len(after) > MOST_PARTS:
        return []
    memory = trace[place.memory]
    products: list[Spans] = []
    for k in range(memory.matrix.size):
        shares = [_gated(trace, place, time, k)[1] for time in after]
        product = Product(tuple(shares)) if shares[1:] else shares[0]
        products.append((product, " = ", *retold(Followed(), _share(trace, product))))
    start: Spans = ("From ", *ends[0], " to ", *ends[1])
    shown = (("…",) if k is None else products[k] for k in elided(len(products), MOST_PARTS))
    back = (
        " c goes on without a matrix or a tanh, so on this way its gradient comes back by the same"
        " shares. A plain cell's memory and gradient are changed by W_aa and tanh at every step."
    )
    keep = " the gates keep these shares of the memory's numbers: "
    kept = (*start, keep, *joined(shown, ", "), f".{back * lstm}")
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
    return (*adds_up, ": what is left of ", *whose, f". {_PART}")


_PART = "A token's part is its candidate times the share written of it, times those kept later."


def _share(trace: Trace, exact: Expression) -> Number:
    share = decimals.round_to(deciding.shown(exact), trace.rounding.decimals)
    return Number.inner(share, rounded(exact))


def _back_through(trace: Trace, part: PlannedStep) -> list[Block]:
    """Says how large what leads back to the first token is, and that attention goes back in one
    step."""
    place, ends = part.place, ends_of(part.place)
    if not isinstance(place, CellPlace) or not ends or place.time != place.order[0]:
        return []
    norm = trace.quantities[place.timed("factor_norm", place.order[1])].number(0, 0)
    count = Number.written(place.times - 1)
    factor = Symbol(place.here(place.timed("factor", place.order[1])))
    several = "matrices. Their product, " if place.times > len("ab") else "matrix, "
    through = (count, f" {several}", factor, ", has the norm ", *retold(Followed(), norm))
    return [way_back_to(ends, through)]


def way_back_to(ends: tuple[Spans, Spans], through: Spans) -> Callout:
    """Says what a gradient goes through from the last token back to the first, beside attention."""
    way: Spans = ("From ", *ends[1], " back to ", *ends[0], " a gradient goes through ", *through)
    return Callout((*way, ". Attention takes it back in 1 step, at any distance."))


_REMARKS: Mapping[str, Callable[[Trace, PlannedStep], list[Block]]] = {
    "embed": _table_size,
    "positions": _wave_lengths,
    "loss": _even_guess,
    "states": _way_through,
    "gradient": _back_through,
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
