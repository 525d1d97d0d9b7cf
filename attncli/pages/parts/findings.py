"""Findings in the numbers of a step: one sentence, of the token that the page is about.

Those of tokenizers are with what else is told of these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attncli.document.blocks import Block, Callout, Spans, TextList
from attncli.document.retold import Followed, Pick, Value, Verb, by_case, is_less, retold, value_of
from attncli.errors import agreed, every, plural
from attncli.maths.equations import deciding
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.tree import (
    PI,
    TWO,
    ZERO,
    Apply,
    Location,
    Number,
    Power,
    Product,
    Quotient,
    constant,
    rounded,
)
from attncli.maths.notation import plain
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array
from attncli.names import Word, below, words
from attncli.pages.parts.blocks import Row, table
from attncli.pages.parts.finding import Finding
from attncli.pages.parts.recurrent import back_through_time, read_out, way_through
from attncli.pages.parts.sections import told_at_the_end
from attncli.pages.parts.selection import Selection, made_by, row_asked_for, shown_parts
from attncli.pages.parts.sentences import (
    MOST_TIED,
    called_as,
    capital,
    each_of,
    joined,
    percent,
    tied,
)
from attncli.scenario.model import ENCODER, after_updates, pass_of
from attncli.trace import LayerPlace, Place, PlannedStep, Quantity, Trace, UpdatePlace
from attncli.trace.axes import KEYS, QUERIES, place_of

if TYPE_CHECKING:
    from attncli.maths.operations.positions import Sinusoids


def ending_of(trace: Trace, part: PlannedStep, selection: Selection) -> list[Block]:
    """Returns what a section ends with: what its numbers come to, and what they mean."""
    return [
        *told_at_the_end(trace, part),
        *finding_of(trace, part, selection),
        *remarks_on(trace, part),
        *(_most_likely(trace) if part.step == "predict" else ()),
    ]


def _most_likely(trace: Trace) -> list[Block]:
    """Returns the most likely next tokens as data; nothing where none are predicted."""
    probabilities = trace.next_token
    if probabilities is None:
        return []
    tokens = tuple(probabilities.columns.names[j] for j in probabilities.values.argmax(axis=1))
    return [TextList("predicted", words(probabilities.rows.names), words(tokens))]


def finding_of(trace: Trace, part: PlannedStep, selection: Selection) -> list[Callout]:
    """Returns what a section says that its numbers come to, in one sentence."""
    found = found_in(trace, part, selection)
    return [] if found is None else [Callout(capital(found.sentence))]


def found_in(trace: Trace, part: PlannedStep, selection: Selection) -> Finding | None:
    """Finds what a part's numbers come to; None of many parts."""
    find = _FINDINGS.get(part.step)
    return None if find is None else find(trace, part.place, selection)


def row_about(trace: Trace, quantity: Quantity, selection: Selection) -> int:
    """Finds the row that the page is about: of the token that is asked for; or else, on a page that
    comes to attention weights, of the one that attends most to another; or the last that is
    shown."""
    asked, rows = row_asked_for(trace), selection.rows(quantity)
    if asked is not None:
        is_there = asked.tokens.names == quantity.rows.names and asked.row in rows
        return asked.row if is_there else rows[-1]
    weights = weights_of(trace) or quantity
    square = weights.rows.names == weights.columns.names == quantity.rows.names
    if not square or not _comes_to_weights(trace):
        return rows[-1]
    most = of_others(weights).max(axis=1).tolist()
    return max(rows, key=most.__getitem__)


def _comes_to_weights(trace: Trace) -> bool:
    """Tells whether attention weights are the last of what a trace finds something in."""
    found = (part.step for part in reversed(of_main_stack(trace)) if part.step in _FINDINGS)
    return next((step for step in found if step != "weighted_sum"), "softmax") == "softmax"


def of_others(quantity: Quantity) -> Array:
    """Returns numbers that each token has of each, without those that it has of itself."""
    if len(quantity.values) < len("ab") or quantity.rows.names != quantity.columns.names:
        return quantity.values
    return np.where(np.eye(len(quantity.values), dtype=bool), -np.inf, quantity.values)


def of_main_stack(trace: Trace) -> list[PlannedStep]:
    steps = shown_parts(trace)
    return [step for step in steps if step.path != ENCODER and not step.path.inside(ENCODER)]


def weights_of(trace: Trace) -> Quantity | None:
    """Finds the weights of the last head of the main stack; those of the encoder where there are no
    others, None where there are none."""
    found = [q for q in trace.quantities.values() if q.local == "weights" and not q.is_list]
    found = [q for q in found if pass_of(q.name).local != "batches"]
    main = [quantity for quantity in found if not quantity.name.inside(ENCODER)]
    return next(reversed(main or found), None)


class Largest(NamedTuple):
    """The largest number of a row, as it is shown."""

    row: int
    """The row that it is of, from 0."""
    places: tuple[int, ...]
    """Its places in the row, as many as the digits shown don't tell apart."""
    number: Number
    """The number that stands there."""
    alone: bool
    """Whether it stands in one place, and all other numbers are 0."""

    @classmethod
    def of_row(cls, quantity: Quantity, i: int) -> Largest:
        values = quantity.values[i]
        numbers = {j: quantity.matrix.number(i, j) for j in _nearly_largest(quantity, i)}
        most = max(number.shown for number in numbers.values())
        places = tuple(j for j, number in numbers.items() if number.shown == most)
        others = np.count_nonzero(values) - np.count_nonzero(values[[*places]])
        return cls(i, places, quantity.number(i, places[0]), len(places) == 1 and not others)


def _nearly_largest(quantity: Quantity, i: int) -> list[int]:
    """Lists the places of the numbers of a row that may be shown as the largest is. Of long rows
    the others need not be put into digits."""
    values = quantity.values[i]
    top = quantity.matrix.number(i, int(values.argmax())).shown
    exponent = top.as_tuple().exponent
    half = _A_HALF * 10.0**exponent if isinstance(exponent, int) else 0.0
    return np.flatnonzero(values >= float(top) - half).tolist()


_A_HALF = 0.500001
"""A half, and what floats may be off by."""
_VERBS = Verb("attends most to ", "attends only to ", "attends to all alike")


def attended(trace: Trace, weights: Quantity, selection: Selection) -> Finding:
    """Says whom the token that the page is about attends to: `“love” attends most to “AI”
    (0.576).`"""
    return attended_by(trace, weights, row_about(trace, weights, selection))


def attended_by(trace: Trace, weights: Quantity, i: int) -> Finding:
    """Says whom the token of a row attends to."""
    to_itself = not place_of(weights.name, trace.scenario).attention.sees_memory
    names, largest = weights.columns.names, Largest.of_row(weights, i)
    all_alike = 1 < len(largest.places) == len(names)
    verb = _VERBS.only if largest.alone else _VERBS.alike if all_alike else _VERBS.most
    noun, of_key = _nouns_of(weights, same=to_itself)
    query = weights.rows.names[i]
    known = to_itself and query in names and (query != str(i + 1) or noun == "token")
    itself = names.index(query) if known else None

    def called(j: int) -> Spans:
        return ("itself",) if j == itself else called_as(names, j, of_key)

    keys = () if all_alike else tied(map(called, largest.places), "to ")
    pick = Pick(len(names), partial(weights.row, i), called, ties=True, again="to ")
    number = retold(Value(each=True), largest.number, each_of(largest.places))
    start = called_as(weights.rows.names, i, noun)
    says: Spans = (*start, " ", *retold(_VERBS, verb), *retold(pick, *keys))
    return Finding(says, Location(weights.name, i, largest.places[0]), number)


def _nouns_of(table: Quantity, *, same: bool) -> tuple[str, str]:
    """Returns what a row and a column without names are called: tokens, but where queries and keys
    aren't of the `same` tokens, or not as many, queries and keys."""
    of_pairs = (table.rows.role, table.columns.role) == (QUERIES, KEYS)
    alike = same and len(table.rows.names) == len(table.columns.names)
    return ("query", "key") if of_pairs and not alike else ("token", "token")


def _attention(trace: Trace, place: Place, selection: Selection) -> Finding | None:
    """Says whom the token that the page is about attends to most."""
    weights = trace.quantities.get(place.name("weights"))
    return None if weights is None else attended(trace, weights, selection)


def _given_most(trace: Trace, place: Place, selection: Selection) -> Finding | None:
    """Says whom the token that the page is about attends to most where weights are no shares."""
    found = _attention(trace, place, selection)
    if found is None or found.cell is None:
        return None
    weights = trace[found.cell.quantity]
    names, largest = weights.columns.names, Largest.of_row(weights, found.cell.row)
    called = partial(called_as, names, noun=_nouns_of(weights, same=True)[1])
    pick = Pick(len(names), partial(weights.row, found.cell.row), called, ties=True)
    who = called_as(weights.rows.names, found.cell.row, _nouns_of(weights, same=True)[0])
    keys = retold(pick, *tied(map(called, largest.places)))
    short: Spans = ("without a softmax, ", *who, " gives ", *keys, " the largest weight")
    return found._replace(short=short)


def _routed(trace: Trace, place: Place, selection: Selection) -> Finding | None:
    """Says which experts the token that the page is about goes to, the one that counts most first:
    `“cats” goes to expert 1 (0.642) and to expert 3 (0.358).`"""
    assert isinstance(place, LayerPlace)
    routing = trace.quantities.get(below(place.layer.path, "routing"))
    if routing is None or not selection.rows(routing):
        return None
    i, names = row_about(trace, routing, selection), routing.columns.names
    chosen = [j for j in np.argsort(-routing.values[i], kind="stable") if routing.values[i, j]]
    pick = Pick(len(names), partial(routing.row, i), lambda j: (Word(names[j]),))
    shares: list[Spans] = [
        (
            *retold(pick._replace(rank=rank), Word(names[j])),
            " (",
            *retold(Value(), routing.number(i, int(j))),
            ")",
        )
        for rank, j in enumerate(chosen[:MOST_TIED], start=1)
    ]
    experts = tied(shares, "to ", many=len(chosen))
    who = called_as(routing.rows.names, i)
    mostly: Spans = (
        " goes mostly to " if chosen[1:] else " goes to ",
        *retold(pick, Word(names[chosen[0]])),
    )
    cell = Location(routing.name, i, int(chosen[0]))
    return Finding((*who, " goes to ", *experts), cell, short=(*who, *mostly))


def _lookup(trace: Trace, place: Place, selection: Selection) -> Finding | None:
    """Says what the query that the page is about gets mostly, where the values have other names
    than their keys."""
    weights = trace.quantities.get(place.name("weights"))
    V = trace.quantities.get(place.find("V"))
    if weights is None or V is None or not looks_up(weights, V):
        return None
    return _looked_up(weights, V, row_about(trace, weights, selection))


def looks_up(weights: Quantity, V: Quantity) -> bool:
    """Tells whether values have names of their own, as in a dictionary. A sink has no value, so
    that there are fewer of these than keys."""
    keys, values = weights.columns.names, V.rows.names
    return len(keys) == len(values) and keys != values


def _looked_up(weights: Quantity, V: Quantity, i: int) -> Finding:
    """Says what a query gets mostly: `Pasta is most like Food: 81 % of its answer is Rice.`"""
    largest = Largest.of_row(weights, i)
    keys, values = (
        retold(
            Pick(len(names), partial(weights.row, i), partial(called_as, names), ties=True),
            *tied(called_as(names, j) for j in largest.places),
        )
        for names in (weights.columns.names, V.rows.names)
    )
    said = Value(each=True, looks="whole percent", unit=" %")
    share = retold(said, percent(largest.number, 0), " %", each_of(largest.places))
    query = called_as(weights.rows.names, i)
    says: Spans = (*query, " is most like ", *keys, ": ", *share, " of its answer is ", *values)
    short: Spans = (*query, " is answered mostly with ", *values)
    return Finding(says, Location(weights.name, i, largest.places[0]), short=short)


def _predicted(trace: Trace, place: Place, selection: Selection) -> Finding | None:
    """Says which next token is drawn, or else is the most likely after the token that the page is
    about."""
    drawn = trace.drawn
    if drawn is None:
        return _told_likely(trace, place, selection, "after ", "next token")
    i, j = len(drawn.values) - 1, int(drawn.values[-1].argmax())
    says = _drawn(trace.scenario.prediction.draws[0], drawn)
    return Finding(says, Location(drawn.name, i, j), short=says)


def _drawn(u: Decimal, drawn: Quantity) -> Spans:
    j = int(drawn.values[-1].argmax())
    return ("the number ", Number.written(u), " draws ", *called_as(drawn.columns.names, j))


def _classed(trace: Trace, place: Place, selection: Selection) -> Finding | None:
    """Says which class is the most likely for the token that the page is about, or which token
    belongs in its place."""
    called = "class" if trace.scenario.prediction.of_classes else "token"
    return _told_likely(trace, place, selection, "for ", called)


def _told_likely(
    trace: Trace, place: Place, selection: Selection, begins: str, called: str
) -> Finding | None:
    """Says what is most likely of the probabilities that a pass gives: `after “go” the most likely
    next token is “alone” (0.649).`"""
    probabilities = trace.next_token_in(pass_of(place.path))
    if probabilities is None:
        return None
    i, names = row_about(trace, probabilities, selection), probabilities.columns.names
    largest = Largest.of_row(probabilities, i)
    if not largest.number.shown:
        return None
    many = len(largest.places)
    pick = Pick(len(names), partial(probabilities.row, i), partial(called_as, names))
    likely = tied([called_as(names, j) for j in largest.places[:MOST_TIED]], many=many)
    whose = called_as(probabilities.rows.names, i)
    verb = f" the most likely {plural(called) if many > 1 else called} {agreed(many, 'is', 'are')} "
    number = retold(Value(), largest.number, each_of(largest.places))
    says: Spans = (begins, *whose, verb, *retold(pick, *likely))
    return Finding(says, Location(probabilities.name, i, largest.places[0]), number)


def _verified(trace: Trace, place: Place, _: Selection) -> Finding:
    """Says which drafted token is refused, or that none is, and which one is drawn after it: `“c”
    is refused, as 0.9 is not below 0.831: the number 0.6 draws “b”.`"""
    accept, accepted, drawn = (trace[place.name(n)] for n in ("accept", "accepted", "drawn"))
    draft, count = trace.scenario.prediction.draft, int(accepted.values.sum())
    then = (": ", *_drawn(draft["draw"], drawn))
    if count == len(accept.values):
        says: Spans = (f"{every(count, 'drafted token')} {agreed(count, 'is', 'are')} accepted",)
        return Finding((*says, *then))
    r, limit = Number.written(draft["r"][count]), accept.matrix.number(count, 0)
    name = called_as(accept.rows.names, count)
    says = (*name, " is refused, as ", r, " is not below ", limit, *then)
    return Finding(says, Location(accept.name, count, 0))


def _surprised(trace: Trace, place: Place, _: Selection) -> Finding | None:
    """Says what a perplexity means, unless the page goes on to what the loss is there for."""
    perplexity = trace.quantities.get(place.name("perplexity"))
    if perplexity is None or trace.scenario.goes_back:
        return None
    number = perplexity.number(0, 0)
    what = "classes" if trace.scenario.prediction.of_classes else "tokens"
    says: Spans = (
        "with a perplexity of ", *retold(Followed(), number), " the model is as unsure as if it"
        " had to guess among ", number, f" equally likely {what}",
    )  # fmt: skip
    return Finding(says, Location(perplexity.name, 0, 0))


def progressed(trace: Trace, place: Place, _: Selection) -> Finding | None:
    """Says what an update did to the loss: `after update 1 the loss is 1.343: it fell by 0.344.`;
    nothing where that isn't worked."""
    assert isinstance(place, UpdatePlace)
    loss, change = (
        trace.quantities.get(below(after_updates(place.update), local))
        for local in (trace.scenario.trained_loss, "change")
    )
    if loss is None or change is None:
        return None
    by = change.number(0, 0)
    verb = by_case(
        (is_less(ZERO, by), ("rose",)), (is_less(by, ZERO), ("fell",)), (None, ("changed",))
    )
    size = value_of(by, "size", Number(abs(by.full), abs(by.shown)))
    now = loss.number(0, 0)
    after = f"after update {place.update} the loss is "
    short = (f"update {place.update} changes the loss by",)
    says: Spans = (after, now, ": it ", *verb, " by ", *size)
    return Finding(says, Location(change.name, 0, 0), short=short)


_FINDINGS: Mapping[str, Callable[[Trace, Place, Selection], Finding | None]] = {
    "softmax": _attention,
    "no_softmax": _given_most,
    "weighted_sum": _lookup,
    "route": _routed,
    "predict": _predicted,
    "verify": _verified,
    "classify": _classed,
    "loss": _surprised,
    "readout": read_out,
    "gradient": back_through_time,
    "progress": progressed,
}
"""What finds the findings of a step, by its name."""


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


_REMARKS: Mapping[str, Callable[[Trace, PlannedStep], list[Block]]] = {
    "embed": _table_size,
    "positions": _wave_lengths,
    "loss": _even_guess,
    "states": way_through,
}


def keys_and_values(trace: Trace, part: PlannedStep, selection: Selection) -> list[Block]:
    """Returns each key with its value and the weights that the queries give it, as a table and as a
    list, where values have names of their own; else nothing."""
    weights = trace.quantities.get(part.place.name("weights"))
    V = trace.quantities.get(part.place.find("V"))
    if part.step != "weighted_sum" or weights is None or V is None or not looks_up(weights, V):
        return []
    keys, values = weights.columns.words, V.rows.words
    shown = selection.rows(weights)
    queries = [shown[k] for k in elided(len(shown), MOST_PARTS) if k is not None]
    rows: list[Row] = [
        (key, value, *(plain(weights.matrix.number(i, j)) for i in queries))
        for j, (key, value) in enumerate(zip(keys, values, strict=True))
    ]
    headings: tuple[Word | str, ...] = (
        "Key",
        "Value",
        *(Word(f"Weight for {weights.rows.names[i]}") for i in queries),
    )
    return [table(headings, rows), TextList(below(part.path, "values"), keys, values)]
