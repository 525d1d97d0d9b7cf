"""The answer of a page: its last finding, the number that it works first, the vectors of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attncli.document.blocks import Block, Callout, Derivation, Spans
from attncli.document.retold import Pick, retold
from attncli.maths.equations import deciding
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.tree import (
    TWO,
    Location,
    Number,
    Omitted,
    Power,
    Sum,
    Symbol,
    Vector,
    minus,
)
from attncli.names import below
from attncli.pages.parts.findings import (
    attended,
    found_in,
    of_main_stack,
    of_others,
    row_about,
    weights_of,
)
from attncli.pages.parts.selection import (
    Selection,
    is_structured,
    made_by,
    place_in_words,
    row_asked_for,
    shown_parts,
)
from attncli.pages.parts.sentences import called_as, capital
from attncli.pages.parts.working import Origins
from attncli.trace import BackwardPlace, PlannedStep, Quantity, Trace


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
    for part in reversed(of_main_stack(trace)):
        if found := found_in(trace, part, selection):
            return LastFinding(part, _with_place(part, found))
    weights = weights_of(trace)
    if weights is None or not weights.given:
        return LastFinding(None, ())
    return LastFinding(None, capital(attended(trace, weights, selection)))


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
    """Finds the cell of a quantity that the page is about: the largest of a list, or of the row of
    the token that the page is about; what it has of itself only where that one is asked for."""
    rows, values = selection.rows(quantity), quantity.values
    if quantity.is_list:
        return max(rows, key=lambda i: float(values[i, 0])), 0
    i = row_about(trace, quantity, selection)
    values = values if row_asked_for(trace) is not None else of_others(quantity)
    return i, int(np.argmax(values[i]))


def _with_place(part: PlannedStep, spans: Spans) -> Spans:
    place = place_in_words(part.path)
    return (f"{place}: ", *spans) if place else capital(spans)


def finding_anew(trace: Trace, before: Trace, selection: Selection) -> Spans:
    """Says what a trace comes to where the one before it doesn't, of the same token; nothing of a
    page that is about the way back."""
    weights = weights_of(before)
    if weights is not None and not selection.queries:
        about = row_about(before, weights, selection)
        selection = selection._replace(queries=(about,), axis=weights.rows.names)
    found = last_finding(trace, selection).spans
    is_back = isinstance(shown_parts(trace)[-1].place, BackwardPlace)
    return () if is_back or found == last_finding(before, selection).spans else found


def closing_finding(trace: Trace, selection: Selection) -> list[Block]:
    """Says what the page found: of a block what it does to the tokens, or else its last finding. It
    says nothing where one of the last two sections, or a summary, has just said so (states that are
    set side by side say nothing new), nor where a page ends with the way back, as it is about
    that."""
    if whole := moved(trace, selection):
        return [Callout(whole)]
    parts = shown_parts(trace)
    back = bool(parts) and isinstance(parts[-1].place, BackwardPlace)
    if back or (selection.detail == "summary" and parts):
        return []
    part, spans = last_finding(trace, selection)
    steps = [step for step in parts if step is part or step.step != "states"]
    return [Callout(spans)] if spans and not any(part is step for step in steps[-2:]) else []


def result_of(trace: Trace) -> Quantity | None:
    """Finds what a trace comes to: the last quantity with a row for each token, or what equations
    alone make last; None without one."""
    if trace.scenario.plan.written.alone:
        return trace.output
    made = [q for q in trace.quantities.values() if not q.given and q.rows.role in ("Q", "token")]
    return made[-1] if made else None


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
