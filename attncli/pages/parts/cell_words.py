"""What the number of a cell is, in words: `“love” gives “AI” the score`, `at “is”, the first number
of the state is`."""

from __future__ import annotations

from collections.abc import Iterable

from attncli.document.blocks import Spans, Term
from attncli.maths.equations.tree import Location
from attncli.names import Name, Word
from attncli.pages.parts.selection import place_in_words
from attncli.pages.parts.sentences import called_as, joined
from attncli.steps.order import noun_of, step_of
from attncli.steps.written.step import WrittenPlace
from attncli.trace import (
    Axis,
    BackwardPlace,
    CellPlace,
    CutPlace,
    PlannedStep,
    Quantity,
    RoundPlace,
    Trace,
    UpdatePlace,
)
from attncli.trace.axes import DIMENSIONS, FEATURES
from attncli.trace.quantity import distinct_tokens


def cell_in_words(trace: Trace, quantity: Quantity, i: int, j: int) -> Spans:
    """Returns the words that the number of a cell follows: where in the model it is, at which step
    of a sequence, and what it is there."""
    part, name = trace.part_of(quantity.name), quantity.name
    if part is None:
        is_own = trace.scenario.plan.written.sides_of(name) is not None
        return _what(quantity, i, j, "" if is_own else noun_of(name.local))
    place, results = part.place, step_of(part).results
    if isinstance(place, UpdatePlace) and name.path.local in results.names:
        return _of_parameter(place, quantity, i, j)
    if isinstance(place, BackwardPlace):
        of = place.forward.here(name.seen_from(place.gradients))
        return (*in_place(part.path), "the gradient at ", Term(quantity.symbol(i, j, of)), " is")
    where = (*in_place(name.path), *_when(part, quantity))
    return (*where, *_what(quantity, i, j, results.nouns.get(quantity.local, "")))


def called(trace: Trace, name: str) -> tuple[str, Name]:
    """Returns what pages call a quantity: its place as the section's heading has it, `Head 2 · `,
    empty at the top, and its name there."""
    part, own = trace.part_of(name), trace[name].name
    if part is None:
        return "", own
    place = place_in_words(part.path)
    return (f"{place} · ", own.seen_from(part.path)) if place else ("", own)


def cells_called(trace: Trace, cells: Iterable[Location]) -> Spans:
    """Returns what pages call some cells, in a row: each place stands before the first of its
    cells, `Head 2 · exp[I, love], exp_sum[I]`."""
    spans: list[Spans] = []
    before = ""
    for name, i, j in cells:
        place, own = called(trace, name)
        spans.append((*((place,) * (place != before)), Term(trace[name].symbol(i, j, own))))
        before = place
    return joined(spans)


def in_place(path: Name) -> Spans:
    """Says where something is, before what is found there: `in layer 1, head 2, `, `after update 2,
    `; nothing at the top."""
    place = place_in_words(path).replace(" · ", ", ").lower()
    if not place or place.startswith("after"):
        return (f"{place}, ",) if place else ()
    named = f"the {place}" if place.startswith(("encoder", "shared", "further")) else place
    return (f"in {named}, ",)


def _of_parameter(place: UpdatePlace, quantity: Quantity, i: int, j: int) -> Spans:
    """Says what an update makes of a parameter: `update 2 makes W_V[2, 1]`, or what it makes on the
    way: `in update 1, quotient of X[1, 2] is`."""
    made = quantity.name.path.local
    cell = Term(quantity.symbol(i, j, quantity.name.alone))
    if made == "update":
        return (f"after update {place.update}, ", cell, " is")
    return (f"in update {place.update}, ", Term(made), " of ", cell, " is")


def _when(part: PlannedStep, quantity: Quantity) -> Spans:
    """Says at which step of a sequence a quantity is made, in which round of learning, or of which
    word; nothing of others."""
    place, time = part.place, quantity.name.time
    if isinstance(place, RoundPlace):
        return (f"in round {place.round}, ",)
    if isinstance(place, CutPlace):
        count = quantity.name.number if time is None else time
        of: Spans = ("“", Word(place.word), "”, ")
        is_whole = count is None or count == len(place.word)
        return ("for ", *of) if is_whole else (f"after {count} characters of ", *of)
    if not isinstance(time, int):
        return ()
    tokens = distinct_tokens(place.text.tokens)
    if isinstance(place, CellPlace) and 0 < time <= len(tokens):
        return ("at ", *called_as(tokens, time - 1), ", ")
    return (
        (f"at step {time}, ",)
        if isinstance(place, (WrittenPlace, CellPlace))
        else ("at the start, ",)
    )


def _what(quantity: Quantity, i: int, j: int, noun: str) -> Spans:
    """Says what a number is by what its row and its column are: tokens, dimensions, or neither."""
    row, column = quantity.rows, quantity.columns
    name = quantity.local if quantity.definition else quantity.name
    what: Spans = (f"the {noun}",) if noun else (Term(name),)
    if quantity.is_number:
        return (*what, " is")
    if quantity.is_list or quantity.is_vector:
        along, k = (row, i) if quantity.is_list else (column, j)
        if along.role == DIMENSIONS:
            return (f"the {ordinal(k)} number of ", *what, " is")
        return (*what, " of ", *_called(along, k), " is")
    if row.role == DIMENSIONS:
        return (f"row {i + 1}, column {j + 1} of ", *what, " is")
    return _in_row(row, i, column, j, what, noun)


def _in_row(row: Axis, i: int, column: Axis, j: int, what: Spans, noun: str) -> Spans:
    """Says what a number of a row with a name is."""
    who = _called(row, i)
    if column.role == DIMENSIONS:
        return (f"the {ordinal(j)} number of ", *what, " for ", *who, " is")
    if column.role == FEATURES:
        return ("the number for ", *_called(column, j), " in ", *what, " of ", *who, " is")
    if not noun:
        return (*what, " of ", *who, " and ", *_called(column, j), " is")
    whom: Spans = ("itself",) if (row.names, i) == (column.names, j) else _called(column, j)
    return (*who, " gives ", *whom, f" the {noun}")


def _called(axis: Axis, k: int) -> Spans:
    """Names the place of a row or a column: `“love”`, `token 1`, `expert 2`."""
    if axis.role == "expert":
        return (Word(axis.names[k]),)
    nouns = {"vocabulary": "class", "label": "number", "pattern": "pattern"}
    return called_as(axis.names, k, nouns.get(axis.role, "token"))


_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)  # fmt: skip


def ordinal(k: int) -> str:
    """Writes which of several something is, from 0: `first`, `11th`, `22nd`."""
    if k < len(_ORDINALS):
        return _ORDINALS[k]
    tens, ones = divmod((k + 1) % 100, 10)
    return (
        f"{k + 1}{('th', 'st', 'nd', 'rd')[ones] if tens != 1 and ones <= len('rd') + 1 else 'th'}"
    )
