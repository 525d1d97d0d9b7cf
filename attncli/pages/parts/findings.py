"""Findings in the numbers of a step: one sentence each, made of the digits that are shown.

A step's findings are found here, by its name; those of tokenizers are with what else is told of
them. A page says a finding behind its step, and the last one again where it closes. Of later passes
of training it tells what an update came to.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from attncli.document.blocks import Block, Callout, Derivation, Section, Span, Spans, TextList
from attncli.document.retold import (
    Followed,
    Pick,
    Value,
    as_it_was,
    by_case,
    is_less,
    retold,
    value_of,
)
from attncli.document.tables import DataTable
from attncli.maths.equations import deciding
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import (
    TWO,
    ZERO,
    Apply,
    Expression,
    Location,
    Number,
    Omitted,
    Power,
    Product,
    Sum,
    Symbol,
    Vector,
    constant,
    minus,
)
from attncli.maths.notation import plain
from attncli.maths.numbers.rounding import Array
from attncli.maths.operations.activations import Add
from attncli.maths.operations.operation import Operation
from attncli.names import Name, Word, below
from attncli.pages.parts.blocks import Row, matrix_block, table
from attncli.pages.parts.selection import (
    Selection,
    definitions_of,
    is_structured,
    made_by,
    place_in_words,
    row_asked_for,
    shown_parts,
    step_of,
)
from attncli.pages.parts.sentences import (
    MOST_TIED,
    Attending,
    attended,
    called_as,
    capital,
    joined,
    percent,
    tied,
)
from attncli.pages.parts.working import Origins
from attncli.scenario.model import ENCODER, UPDATES, after_updates, pass_of
from attncli.steps import formulas_of
from attncli.trace import (
    BackwardPlace,
    CellPlace,
    Definition,
    LayerPlace,
    Place,
    PlannedStep,
    Quantity,
    Trace,
    UpdatePlace,
)
from attncli.trace.axes import place_of

_TOLD = ("update", "loss", "progress")
"""The steps of a later pass that a page tells by default."""
FEW = 4
"""So many numbers that are trained are worked at each update."""


def is_left_out(trace: Trace, part: PlannedStep, selection: Selection) -> bool:
    """Tells whether a page goes without a part of a model that is worked again after an update, or
    of another micro-batch but where what that gives is used."""
    if not is_again(part, selection):
        return False
    told = part.step in _TOLD and not (part.step == "loss" and _is_repeated(trace, part))
    place = pass_of(part.path)
    operands = {name for d in part.definitions for name in d.operands} if place else ()
    own = any(name.path == place and trace[name].given for name in operands)
    return not (told or own)


def in_brief(trace: Trace, part: PlannedStep, selection: Selection) -> list[Block]:
    """Returns what is told of a later update: the parameters after it, and what it came to."""
    path = Name(UPDATES, after_updates(part.updates))
    made = [(q, matrix_block(q, selection, part.path)) for q in made_by(trace, part)]
    tables = [table if q.name.inside(path) else DataTable(table) for q, table in made]
    return [*tables, *map(Callout, findings_of(trace, part, selection))]


def is_in_brief(trace: Trace, part: PlannedStep, selection: Selection) -> bool:
    """Tells whether a page says no more of a later update than its parameters and what it came
    to."""
    update = part.step == "update" and not trains_few(trace)
    progress = part.step == "progress" and _is_repeated(trace, part)
    return is_again(part, selection) and (update or progress)


def _is_repeated(trace: Trace, part: PlannedStep) -> bool:
    """Tells whether a part comes after an update whose likes have shown how it is worked."""
    return part.updates > 1 and not trains_few(trace)


def trained_parameters(trace: Trace) -> list[Name]:
    """Lists the parameters that are trained."""
    given = (q.name for q in trace.quantities.values() if q.given)
    return [name for name in given if name.under(Name(UPDATES)) in trace]


def trains_few(trace: Trace) -> bool:
    """Tells whether so little is trained that all of it is worked at each update."""
    return sum(trace[name].matrix.size for name in trained_parameters(trace)) <= FEW


def in_one(trace: Trace, part: PlannedStep, section: Section) -> Section:
    """Returns a section of an update with the formulas of one parameter, as those of all are alike;
    any other section as it is."""
    if not isinstance(part.place, UpdatePlace):
        return section
    alike: dict[tuple[str, Operation], Definition] = {}
    here = after_updates(part.place.after)
    for definition in definitions_of(trace, part):
        if isinstance(definition.operation, Add):  # the predicted changes of each
            continue
        made = definition.name.seen_from(here).places[0].local  # m_hat of m_hat.W_Q
        alike.setdefault((made, definition.operation), definition)
    equations = formulas_of(step_of(part), part.place, tuple(alike.values()))
    return section._replace(formulas=equations)


def is_again(part: PlannedStep, selection: Selection) -> bool:
    """Tells whether a part is of a model that is worked again, of which a page tells in brief."""
    return not selection.whole and part.is_again


def progressed(trace: Trace, place: Place, _: Selection) -> list[Spans]:
    """Says what an update did to the loss: `after update 1 the loss is 1.343. It fell by 0.344,
    where the gradient predicted …`; nothing where that isn't worked."""
    assert isinstance(place, UpdatePlace)
    loss, change, predicted = (
        trace.quantities.get(below(after_updates(place.update), local))
        for local in (trace.scenario.trained_loss, "change", "predicted")
    )
    if loss is None or change is None or predicted is None:
        return []
    now, by, number = (q.number(0, 0) for q in (loss, change, predicted))
    verb = by_case(
        (is_less(ZERO, by), ("rose",)), (is_less(by, ZERO), ("fell",)), (None, ("changed",))
    )
    size = value_of(by, "size", Number(abs(by.full), abs(by.shown)))
    differs = (", where the gradient predicted a change of ", number, ".")
    ends = by_case((minus(by, number), differs), (None, (", as the gradient predicted.",)))
    return [
        (f"after update {place.update} the loss is ", now, ". It ", *verb, " by ", *size, *ends)
    ]


_FIRST = 64
"""Places that are put in order at first, and how many times as many whenever these don't do."""


def ranked(matrix: Matrix, i: int) -> Iterator[tuple[Number, list[int]]]:
    """Yields the numbers of a row from the largest on, with the places that show each. As few as
    may be are put in order or looked at, since there may be as many as a vocabulary has words."""
    values, at, order = matrix.values[i], 0, list[int]()
    while at < values.size:
        order = _from_largest(values, at + 1, order)
        number = matrix.number(i, order[at])
        differs = partial(_differs, matrix, i, number)
        end = bisect_left(order, True, at, key=differs)
        while end == len(order) < values.size:  # more may show the same
            order = _from_largest(values, end + 1, order)
            end = bisect_left(order, True, end, key=differs)
        yield matrix.number(i, min(order[at:end])), sorted(order[at:end])
        at = end


def _from_largest(values: Array, count: int, known: list[int]) -> list[int]:
    """Lists the places of at least `count` of the largest numbers, of equal ones the first before
    the others; `known` are those that were asked for before."""
    if count <= len(known):
        return known
    count = min(values.size, max(count, _FIRST, _FIRST * len(known)))
    among = np.flatnonzero(values >= np.partition(values, -count)[-count])
    order: list[int] = among[np.argsort(-values[among], kind="stable")].tolist()
    return order


def _differs(matrix: Matrix, i: int, number: Number, j: int) -> bool:
    return matrix.shown(i, j) != number.shown


def findings_of(trace: Trace, part: PlannedStep, selection: Selection) -> list[Spans]:
    """Says what a part's numbers come to, a sentence each."""
    return [capital(spans) for spans in _found(trace, part, selection)]


def _found(trace: Trace, part: PlannedStep, selection: Selection) -> list[Spans]:
    find = _FINDINGS.get(part.step)
    return [] if find is None else find(trace, part.place, selection)


class LastFinding(NamedTuple):
    """The finding that a page closes with."""

    part: PlannedStep | None
    """The part that it is of, unless it is of weights that are given."""
    spans: Spans
    """Its words; none where nothing was found."""


def last_finding(trace: Trace, selection: Selection) -> LastFinding:
    """Finds what a page closes with, and the part that it is of: the last finding of the main
    stack, or that of weights that are given, which are of no part. It has no words if there is
    none."""
    asked = row_asked_for(trace)
    if asked is not None and not selection.queries:
        selection = selection._replace(queries=(asked.row,), axis=asked.tokens.names)
    for part in reversed(_of_main_stack(trace)):
        if found := _found(trace, part, selection):
            return LastFinding(part, _with_place(part, found[-1]))
    weights = weights_of(trace)
    if weights is None or not weights.given:
        return LastFinding(None, ())
    return LastFinding(None, capital(_attended(trace, weights, selection.rows(weights))))


def first_number(trace: Trace, selection: Selection) -> tuple[Block, ...]:
    """Works the number that the page is about: one of what the page closes with, or else of what
    was made last that takes more than a look. Returns nothing where nothing does."""
    part = last_finding(trace, selection).part
    weights = weights_of(trace)
    made = [q for q in trace.quantities.values() if not q.given and q.matrix.values.size]
    own = [q for q in made if part is not None and q.name in {d.name for d in part.definitions}]
    if part is not None and part.step == "progress" and weights is not None:
        own = [weights]  # what was learned, and not by how much the loss fell
    for quantity in (*reversed(own), *reversed(made)):
        cell = Location(quantity.name, *_cell_about(trace, quantity, selection))
        line = Origins(trace)[cell]
        if len(line.parts) > 1:
            return (Derivation((line,)),)
    return ()


def _cell_about(trace: Trace, quantity: Quantity, selection: Selection) -> tuple[int, int]:
    """Finds the cell of a quantity that the page is about: the largest of a prediction's row, or
    what one token has most of another, or else the largest of the last row that is shown."""
    asked, rows, values = row_asked_for(trace), selection.rows(quantity), quantity.values
    if quantity.is_list:
        return max(rows, key=lambda i: float(values[i, 0])), 0
    if asked is not None and asked.tokens.names == quantity.rows.names:
        i = asked.row
    elif len(rows) > 1 and quantity.rows.names == quantity.columns.names:
        values = np.where(np.eye(len(values), dtype=bool), -np.inf, values)
        i = max(rows, key=lambda i: float(values[i].max()))
    else:
        i = rows[-1]
    return i, int(np.argmax(values[i]))


def _of_main_stack(trace: Trace) -> list[PlannedStep]:
    steps = shown_parts(trace)
    return [step for step in steps if step.path != ENCODER and not step.path.inside(ENCODER)]


def _with_place(part: PlannedStep, spans: Spans) -> Spans:
    place = place_in_words(part.path)
    return (f"{place}: ", *spans) if place else capital(spans)


def finding_anew(trace: Trace, before: Trace, selection: Selection) -> Spans:
    """Says what a trace comes to where the one before it doesn't; nothing of a page that is about
    the way back."""
    found = last_finding(trace, selection).spans
    is_back = isinstance(shown_parts(trace)[-1].place, BackwardPlace)
    return () if is_back or found == last_finding(before, selection).spans else found


def weights_of(trace: Trace) -> Quantity | None:
    """Finds the weights of the last head of the main stack; those of the encoder where there are no
    others, None where there are none."""
    found = [q for q in trace.quantities.values() if q.local == "weights" and not q.is_list]
    found = [q for q in found if pass_of(q.name).local != "batches"]
    main = [quantity for quantity in found if not quantity.name.inside(ENCODER)]
    return next(reversed(main or found), None)


def _attended(trace: Trace, weights: Quantity, rows: Sequence[int]) -> Spans:
    own = not place_of(weights.name, trace.scenario).attention.sees_memory
    return attended(weights, rows, to_itself=own)


def _attention(trace: Trace, place: Place, selection: Selection) -> list[Spans]:
    """Says whom each query attends to most."""
    weights = trace.quantities.get(place.name("weights"))
    return [] if weights is None else [_attended(trace, weights, selection.rows(weights))]


def _routed(trace: Trace, place: Place, selection: Selection) -> list[Spans]:
    """Says which experts each token goes to: `“cats” goes to expert 1 (0.642) and to expert 3
    (0.358), “mice” to expert 2 (1.000).`"""
    assert isinstance(place, LayerPlace)
    routing = trace.quantities.get(below(place.layer.path, "routing"))
    rows = () if routing is None else selection.rows(routing)
    if routing is None or not rows:
        return []
    clauses = [("…",) if k is None else _route(routing, rows[k], " goes" * (k == 0))
               for k in elided(len(rows), MOST_PARTS)]  # fmt: skip
    return [(*joined(clauses), ".")]


def _route(routing: Quantity, i: int, goes: str) -> Spans:
    """Names a token and its experts, the one that counts most first."""
    chosen = [j for j in np.argsort(-routing.values[i], kind="stable") if routing.values[i, j]]
    names = routing.columns.names
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
    named = tied(shares, "to ", many=len(chosen))
    return (*called_as(routing.rows.names, i), f"{goes} to ", *named)


def _lookup(trace: Trace, place: Place, selection: Selection) -> list[Spans]:
    """Says what the query that the page is about gets mostly, where the values have other names
    than their keys."""
    weights = trace.quantities.get(place.name("weights"))
    V = trace.quantities.get(place.find("V"))
    if weights is None or V is None or not looks_up(weights, V):
        return []
    return [_looked_up(weights, V, _row_about(trace, weights, selection))]


def _row_about(trace: Trace, quantity: Quantity, selection: Selection) -> int:
    """Finds the row that the page is about: of the token that is asked for, or else the last that
    is shown."""
    asked, rows = row_asked_for(trace), selection.rows(quantity)
    is_there = asked is not None and asked.tokens.names == quantity.rows.names and asked.row in rows
    return asked.row if asked is not None and is_there else rows[-1]


def looks_up(weights: Quantity, V: Quantity) -> bool:
    """Tells whether values have names of their own, as in a dictionary. A sink has no value, so
    that there are fewer of these than keys."""
    keys, values = weights.columns.names, V.rows.names
    return len(keys) == len(values) and keys != values


def _looked_up(weights: Quantity, V: Quantity, i: int) -> Spans:
    """Says what a query gets mostly: `Pasta is most like Food: 81 % of its answer is Rice.`"""
    attending = Attending.of_row(weights, i)
    keys, values = (
        retold(
            Pick(len(names), partial(weights.row, i), partial(called_as, names), ties=True),
            *tied(called_as(names, j) for j in attending.keys),
        )
        for names in (weights.columns.names, V.rows.names)
    )
    each = " each" if len(attending.keys) > 1 else ""
    said = Value(each=True, looks="whole percent", unit=" %")
    share = retold(said, percent(attending.weight, 0), " %", each)
    query = called_as(weights.rows.names, i)
    return (*query, " is most like ", *keys, ": ", *share, " of its answer is ", *values, ".")


def _predicted(trace: Trace, place: Place, selection: Selection) -> list[Spans]:
    """Says which next token is the most likely after the token that the page is about, and which
    one comes next to it; and which one is drawn."""
    found, drawn = _told_likely(trace, place, selection, "after ", "next token"), trace.drawn
    if found and drawn is not None:
        j = int(drawn.values[-1].argmax())
        u = Number.written(trace.scenario.prediction.draws[0])
        found.append(("the number ", u, " draws ", *called_as(drawn.columns.names, j), "."))
    return found


def _classed(trace: Trace, place: Place, selection: Selection) -> list[Spans]:
    """Says which class is the most likely for the token that the page is about, or which token
    belongs in its place."""
    called = "class" if trace.scenario.prediction.of_classes else "token"
    return _told_likely(trace, place, selection, "for ", called)


def _told_likely(
    trace: Trace, place: Place, selection: Selection, begins: str, called: str
) -> list[Spans]:
    """Says what is most likely of the probabilities that a pass gives."""
    probabilities = trace.next_token_in(pass_of(place.path))
    if probabilities is None:
        return []
    return [
        (begins, *_most_likely(probabilities, _row_about(trace, probabilities, selection), called))
    ]


def _verified(trace: Trace, place: Place, _: Selection) -> list[Spans]:
    """Says up to which drafted token they are accepted, and which one is drawn after them."""
    accept, accepted, drawn = (trace[place.name(n)] for n in ("accept", "accepted", "drawn"))
    found: list[Spans] = []
    for k, r in enumerate(map(Number.written, trace.scenario.prediction.draft["r"])):
        taken = bool(accepted.values[k, 0])
        verdict = " is accepted: " if taken else " is refused: "
        below = " is below " if taken else " is not below "
        name = called_as(accept.rows.names, k)
        found.append((*name, verdict, r, below, accept.matrix.number(k, 0), "."))
        if not taken:
            break
    j = int(drawn.values[0].argmax())
    u = Number.written(trace.scenario.prediction.draft["draw"])
    return [*found, ("the number ", u, " draws ", *called_as(drawn.columns.names, j), ".")]


def _most_likely(probabilities: Quantity, i: int, called: str) -> Spans:
    """Says what is most likely, and then: `“go” the most likely next token is “alone” (0.649), then
    “home” (0.258).`"""
    columns, spans = probabilities.columns.names, list[Span]()
    pick = Pick(len(columns), partial(probabilities.row, i), partial(called_as, columns))
    for rank, (number, places) in enumerate(islice(ranked(probabilities.matrix, i), 2), start=1):
        if number.shown == 0:
            break
        several = len(places) > 1
        plural = "es are" if called.endswith("s") else "s are"
        verb = f" the most likely {called}{plural if several else ' is'} "
        names = tied([called_as(columns, j) for j in places[:MOST_TIED]], many=len(places))
        spans += [", then " if spans else verb, *retold(pick._replace(rank=rank), *names)]
        spans += [" (", *retold(Value(), number), " each)" if several else ")"]
    return (*called_as(probabilities.rows.names, i), *spans, ".")


def _read_out(trace: Trace, place: Place, _: Selection) -> list[Spans]:
    """Says how sure a cell is, or of which class."""
    assert isinstance(place, CellPlace)
    y = trace.quantities.get(place.timed("y"))
    if y is None:
        return []
    if place.timed("y_exp") in trace:
        return [_classified(y)]
    sure = ((place.here(y.name), y.number(k, 0), k) for k in range(y.matrix.shape[0]))
    several, probability = y.matrix.shape[0] > 1, ": a probability of "
    return [
        (Symbol(name, (str(k + 1),)), " is ", number, probability,
         *value_of(number, "percent", percent(number)), " % ",
         f"for class {k + 1}." if several else "that the target is 1.")
        for name, number, k in sure
    ]  # fmt: skip


def _classified(y: Quantity) -> Spans:
    """Says which class is the most likely: `class 2 is the most likely (0.632).`"""
    numbers = [y.number(k, 0) for k in range(y.matrix.shape[0])]
    most = max(number.shown for number in numbers)
    places = [k for k, number in enumerate(numbers) if number.shown == most]
    names = tied((str(k + 1),) for k in places)
    if len(places) > 1:
        return ("classes ", *names, " are the most likely (", numbers[places[0]], " each).")
    pick = Pick(len(numbers), lambda: numbers, lambda k: (str(k + 1),))
    most_likely = retold(Value(), numbers[places[0]])
    return ("class ", *retold(pick, *names), " is the most likely (", *most_likely, ").")


def _gradient(trace: Trace, place: Place, _: Selection) -> list[Spans]:
    """Says whether a gradient vanishes or explodes, once it is back where the cell began."""
    assert isinstance(place, CellPlace)
    if place.time != place.order[0]:
        return []
    norms = trace.quantities.get(place.name("factor_norms"))
    return [] if norms is None else way_back(norms, [time - 1 for time in reversed(place.order)])


def way_back(norms: Quantity, places: Sequence[int]) -> list[Spans]:
    """Says what becomes of a factor, by its norms at places in the order of its way back; nothing
    of a single one."""
    if len(places) < 2:  # noqa: PLR2004  (one norm goes nowhere)
        return []

    numbers = [norms.number(k, 0) for k in places]
    return [on_its_way(numbers, "on its way back the norm of the factor")]


def _surprised(trace: Trace, place: Place, _: Selection) -> list[Spans]:
    """Says what a perplexity means, unless the page goes on to what the loss is there for."""
    perplexity = trace.quantities.get(place.name("perplexity"))
    if perplexity is None or trace.scenario.goes_back:
        return []
    number = perplexity.number(0, 0)
    what = "classes" if trace.scenario.prediction.of_classes else "tokens"
    return [
        (
            "with a perplexity of ", *retold(Followed(), number), " the model is as unsure as if it"
            " had to guess among ", number, f" equally likely {what}.",
        )
    ]  # fmt: skip


_FINDINGS: Mapping[str, Callable[[Trace, Place, Selection], list[Spans]]] = {
    "softmax": _attention,
    "weighted_sum": _lookup,
    "route": _routed,
    "predict": _predicted,
    "verify": _verified,
    "classify": _classed,
    "loss": _surprised,
    "readout": _read_out,
    "gradient": _gradient,
    "progress": progressed,
}
"""What finds the findings of a step, by its name."""


def on_its_way(numbers: Sequence[Number], what: str) -> Spans:
    """Says how large something is on its way back, and what becomes of it: `0.834 → 2.014 → 4.199 →
    8.369: it grows at every step. So the gradient explodes.`"""
    shown = elided(len(numbers), MOST_PARTS)
    sequence = joined((("…",) if k is None else (numbers[k],) for k in shown), " → ")
    spans: Spans = (f"{what} goes ", *sequence, ": ", *by_case(*_verdicts(numbers)), ".")
    return as_it_was(spans) if None in (number.cell for number in numbers) else spans


_MUCH = Number.written(2)
"""Times that a gradient is smaller or larger in the end before one says that it vanishes or
explodes."""


def _verdicts(numbers: Sequence[Number]) -> Iterator[tuple[Expression | None, Spans]]:
    """Yields what may become of a gradient whose size goes through numbers, each after the
    condition on these under which it is said; the last one has none."""
    first, last = numbers[0], numbers[-1]
    steps = [*pairwise(numbers)]
    falls, grows = (
        Product(tuple(is_less(*step) for step in ways))
        for ways in (((after, before) for before, after in steps), steps)
    )
    vanishes = is_less(Product((last, _MUCH)), first)
    explodes = is_less(Product((first, _MUCH)), last)
    differs = Sum(tuple(Apply("abs", (minus(after, before),)) for before, after in steps))
    so = "So the gradient"
    yield minus(constant(1), is_less(ZERO, last)), (f"nothing is left of it. {so} vanishes",)
    yield Product((falls, vanishes)), (f"it shrinks at every step. {so} vanishes",)
    yield falls, ("it shrinks at every step",)
    yield Product((grows, explodes)), (f"it grows at every step. {so} explodes",)
    yield grows, ("it grows at every step",)
    yield differs, ("it neither shrinks nor grows at every step",)
    yield None, ("it stays the same at every step",)


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


_BLOCK = ("residual", "norm", "ffn")


def moved(trace: Trace, selection: Selection) -> Spans:
    """Says which token ends furthest from where it began, where a trace ends with what several
    heads or a block made of all tokens; nothing where it doesn't."""
    X = trace.quantities.get(below(trace.scenario.stack.path, "X"))
    steps = shown_parts(trace)
    if X is None or not steps or not is_structured(trace):
        return ()
    made, step = made_by(trace, steps[-1]), steps[-1].step
    if not made or step not in (*_BLOCK, "merge"):
        return ()
    result = [q for q in made if not q.is_list][-1]
    if result.rows.names != X.rows.names or result.matrix.shape != X.matrix.shape:
        return ()
    rows = selection.rows(result)
    several = len(trace.scenario.stack.layers) > 1
    mover = "layers have" if several else "block has" if step in _BLOCK else "heads have"

    def way(k: int) -> Spans:
        start = (*_vector(X, rows[k]), " in ", Symbol(X.name))
        end = (*_vector(result, rows[k]), " in ", Symbol(result.name))
        return (*called_as(X.rows.names, rows[k]), " furthest: from ", *start, " to ", *end)

    def lengths() -> list[Number]:
        return [_squared_distance(X.row(i), result.row(i)) for i in rows]

    distances = np.linalg.norm(result.values - X.values, axis=1)
    pick = Pick(len(rows), lengths, way)
    furthest = max(range(len(rows)), key=lambda k: distances[rows[k]])
    return (f"The {mover} moved the row of ", *retold(pick, *way(furthest)), ".")


def _squared_distance(row: Sequence[Number], other: Sequence[Number]) -> Number:
    squares = (Power(minus(a, b), TWO) for a, b in zip(row, other, strict=True))
    squared = Sum(tuple(squares))
    return Number.inner(deciding.shown(squared), squared)


def _vector(quantity: Quantity, i: int) -> Spans:
    places = elided(quantity.matrix.shape[1], MOST_PARTS)
    return (Vector(tuple(Omitted() if j is None else quantity.number(i, j) for j in places)),)
