"""The answer of a page: its last finding, the number that it works first, the vectors of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from attncli.document.blocks import (
    Answer,
    Block,
    Callout,
    ColumnSum,
    Derivation,
    Line,
    Section,
    Spans,
    Table,
    parts_of,
)
from attncli.document.retold import Pick, Value, retold
from attncli.document.tables import DataTable, MatrixBlock
from attncli.errors import counted
from attncli.maths.equations import deciding
from attncli.maths.equations.elision import MOST_PARTS, elided
from attncli.maths.equations.tree import (
    TWO,
    Expression,
    Location,
    Number,
    Omitted,
    Power,
    Sum,
    Symbol,
    Vector,
    minus,
)
from attncli.maths.equations.tree import each as nodes_of
from attncli.maths.notation import plain
from attncli.names import Name, Word, below
from attncli.pages.parts.cell_words import cell_in_words, in_place
from attncli.pages.parts.finding import Finding
from attncli.pages.parts.findings import (
    attended,
    attended_by,
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
from attncli.pages.parts.sentences import called_as, capital, enumerated
from attncli.pages.parts.working import Origins
from attncli.trace import BackwardPlace, PlannedStep, Quantity, Trace
from attncli.trace.answer import said_answer


class LastFinding(NamedTuple):
    """The finding that a page closes with."""

    part: PlannedStep | None
    """The part that it is of, unless it is of weights that are given."""
    spans: Spans
    """Its words; none where nothing was found."""
    cell: Location | None = None
    """The cell whose number it is about, if there is one."""


def last_finding(trace: Trace, selection: Selection) -> LastFinding:
    """Finds what a page closes with, and the part that it is of: the last finding of the main
    stack, or that of weights that are given, which are of no part. It has no words if there is
    none."""
    for part, found in _findings(trace, selection):
        return LastFinding(part, _sentence(part, found), found.cell)
    return LastFinding(None, ())


def _findings(
    trace: Trace, selection: Selection, sections: Sequence[Section] | None = None
) -> Iterator[tuple[PlannedStep | None, Finding]]:
    """Yields the findings of the main stack with the parts that they are of, the last one first,
    and that of weights that are given, which are of no part. Of a partial page nothing is worked
    for parts that have none of its sections."""
    for part in reversed(of_main_stack(trace)):
        if not _stands_in(part, selection, sections):
            continue
        if (found := found_in(trace, part, selection)) is not None:
            yield part, found
    weights = weights_of(trace)
    if weights is not None and weights.given:
        yield None, attended(trace, weights, selection)


def _stands_in(
    part: PlannedStep | None, selection: Selection, sections: Sequence[Section] | None
) -> bool:
    """Tells whether a part may stand on a page: on a partial one, in one of its sections."""
    if sections is None or part is None or not selection.partial:
        return True
    return any((part.step, part.path) == (section.step, section.path) for section in sections)


class _Candidate(NamedTuple):
    """A number that may be the answer of a page."""

    cell: Location
    """Where it stands."""
    says: Spans
    """The words that tell it, the number among them."""


def answer_of(trace: Trace, selection: Selection, sections: Sequence[Section]) -> Answer | None:
    """Returns the answer of a page: the number that its scenario says, or of what it finds, whose
    working stands in one of its sections; or else one that stands there in a table, or is given.
    Returns None of a page that has no such number."""
    said = said_answer(trace)
    candidates = [*([] if said is None else [_in_words(trace, said, selection)])]
    if said is not None and trace[said.quantity].given:
        return _answer(trace, candidates[0], None)
    for others, is_enough in (
        ((), _tells),
        (_candidates(trace, selection, sections), _works_or_copies),
        ((), _tells),
    ):
        candidates += others
        for candidate in candidates:
            for section in sections:
                if is_enough(trace, section, candidate.cell):
                    return _answer(trace, candidate, section)
    given = (c for c in candidates if trace[c.cell.quantity].given)
    given_answers = (_answer(trace, candidate, None) for candidate in given)
    return next(given_answers, None) or _count_of_tokens(trace, sections)


def _answer(trace: Trace, candidate: _Candidate, section: Section | None) -> Answer:
    """Says a number, and where it stands: in a section, or else where it is given."""
    cell, step = candidate.cell, None if section is None else section.number
    where = "given"
    if section is not None:
        where = f"step {step}" if section.since is None else f"steps {section.since}–{step}"
    address = trace[cell.quantity].address(cell.row, cell.column)
    return Answer((*candidate.says, f" ({where})"), cell, address, step)


def _count_of_tokens(trace: Trace, sections: Sequence[Section]) -> Answer | None:
    """Says how many tokens a sentence is cut into, by each way in turn."""
    step = next((s.number for s in sections if s.step == "tokenize"), None)
    counts = [len(t.scenario.text.tokens) for t in (trace, *trace.variants.values())]
    if step is None or not counts[0]:
        return None
    says = f"the sentence is cut into {counted(counts[0], 'token')}"
    others = enumerated([*map(str, counts[1:])])
    more = f", in other ways into {others}" if others else ""
    return Answer((f"{says}{more} (step {step})",), step=step)


def _works(_: Trace, section: Section, cell: Location) -> bool:
    """Tells whether a section works a cell out."""
    results: list[Expression] = []
    for block in section.blocks:
        sums: Iterator[ColumnSum] = parts_of(block, ColumnSum)
        lines: Iterator[Line] = parts_of(block, Line)
        results += (line.total for line in sums if line.quantity == cell.quantity)
        results += (line.parts[-1][1] for line in lines if line.quantity == cell.quantity)
    return any(number.cell == cell for result in results for number in nodes_of(result, Number))


def _works_or_copies(trace: Trace, section: Section, cell: Location) -> bool:
    """Tells whether a section works a cell out, or has it in a table where there is nothing to
    work, as a weight without a softmax is the score itself."""
    if _works(trace, section, cell):
        return True
    return len(Origins(trace)[cell].parts) <= 1 and _tells(trace, section, cell)


def _tells(trace: Trace, section: Section, cell: Location) -> bool:
    """Tells whether a number stands in a section: as a result, or in a table, of its quantity or of
    words, of the part that makes it."""
    if _works(trace, section, cell):
        return True
    part = trace.part_of(Name(cell.quantity))
    its = None if part is None else (part.step, part.path, part.place.called)
    if its != (section.step, section.path, section.own):
        return False
    for block in section.blocks:
        tables: Iterator[MatrixBlock] = parts_of(block, MatrixBlock)
        if not isinstance(block, DataTable) and any(_has(table, cell) for table in tables):
            return True
    return plain(trace[cell.quantity].number(cell.row, cell.column)) in _texts(section)


def _has(table: MatrixBlock, cell: Location) -> bool:
    """Tells whether a table has a cell."""
    columns = elided(len(table.names.columns) or 1, MOST_PARTS)
    return table.quantity == cell.quantity and cell.row in table.rows and cell.column in columns


def _texts(section: Section) -> set[str]:
    """Returns what stands in the cells of a section's tables of words."""
    tables = (block for block in section.blocks if isinstance(block, Table))
    return {
        entry for table in tables for row in table.rows for entry in row if isinstance(entry, str)
    }


def _candidates(
    trace: Trace, selection: Selection, sections: Sequence[Section] | None = None
) -> Iterator[_Candidate]:
    """Yields the numbers that may be the answer of a page, the best one first: what it finds, of
    the heads of a layer the first, and that of the row that is worked, then what was made last."""
    layers = groupby(_findings(trace, selection, sections), _layer_of)
    for part, found in (entry for _, heads in layers for entry in reversed([*heads])):
        if found.cell is not None:
            yield _of_finding(trace, part, found)
        if part is not None and part.step == "softmax":
            weights = trace[part.place.name("weights")]
            yield _of_finding(trace, part, attended_by(trace, weights, selection.rows(weights)[-1]))
    for quantity in reversed([*trace.quantities.values()]):
        if not _stands_in(trace.part_of(Name(quantity.name)), selection, sections):
            continue
        if not quantity.given and quantity.matrix.shape[1] and selection.rows(quantity):
            cell = Location(quantity.name, *_cell_about(trace, quantity, selection))
            yield _in_words(trace, cell, selection)


def _layer_of(found: tuple[PlannedStep | None, Finding]) -> tuple[str, Name | None]:
    """Returns the step of a finding, and the layer that it is of."""
    part, _ = found
    return ("", None) if part is None else (part.step, part.path.path)


def _in_words(trace: Trace, cell: Location, selection: Selection) -> _Candidate:
    """Says what the number of a cell is: in the scenario's words, as what is found there, or by
    what its row and its column are."""
    show, file = trace.scenario.page.show.answer, trace.scenario.file
    quantity, part = trace[cell.quantity], trace.part_of(Name(cell.quantity))
    number = quantity.number(cell.row, cell.column)
    if cell == said_answer(trace) and show.says and not (file.changed.made or file.varied):
        return _Candidate(cell, (Word(show.says), ": ", number))
    if part is not None:
        found = _found_at(trace, part, quantity, cell, selection)
        if found is not None and found.cell == cell:
            return _of_finding(trace, part, found)
    return _Candidate(cell, (*cell_in_words(trace, quantity, cell.row, cell.column), " ", number))


def _found_at(
    trace: Trace, part: PlannedStep, quantity: Quantity, cell: Location, selection: Selection
) -> Finding | None:
    """Finds what a part's numbers come to, or those of its row where these are weights."""
    if part.step == "softmax" and quantity.local == "weights":
        return attended_by(trace, quantity, cell.row)
    return found_in(trace, part, selection)


def _of_finding(trace: Trace, part: PlannedStep | None, found: Finding) -> _Candidate:
    """Says what was found at a part, with its number behind the words unless these tell it."""
    assert found.cell is not None
    cell, place = found.cell, () if part is None else in_place(part.path)
    number = found.number
    if found.short and not number:
        number = retold(Value(), trace[cell.quantity].number(cell.row, cell.column))
    return _Candidate(
        cell, (*place, *(found.short or found.says), *((": ", *number) if number else ()))
    )


def first_number(trace: Trace, selection: Selection) -> tuple[Block, ...]:
    """Works the number that answers a page, or else the next that takes more than a look. Returns
    nothing where nothing does."""
    said = said_answer(trace)
    chosen = () if said is None else (_in_words(trace, said, selection),)
    for candidate in (*chosen, *_candidates(trace, selection)):
        line = Origins(trace)[candidate.cell]
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


class ToldTrace(NamedTuple):
    """A trace, and which part of it is told."""

    trace: Trace
    selection: Selection


def findings_beside(first: ToldTrace, second: ToldTrace) -> tuple[Spans, Spans] | None:
    """Finds what two traces come to, each in the same quantity and of the same token: the last
    finding of the first that the second has too, or else the other way round. Returns None where
    they have none in common."""
    found = _found_in_both(first, second)
    if found is not None:
        return found
    turned = _found_in_both(second, first)
    return None if turned is None else turned[::-1]


def _found_in_both(one: ToldTrace, other: ToldTrace) -> tuple[Spans, Spans] | None:
    for part, found in _findings(*one):
        if found.cell is None:
            continue
        beside = _beside(one.trace[found.cell.quantity], found.cell.row, other)
        if beside is not None:
            return _sentence(part, found), beside
    return None


def _beside(quantity: Quantity, row: int, other: ToldTrace) -> Spans | None:
    """Finds in another trace what a row comes to: in the quantity of the same name, or else in the
    last with the same last name."""
    pinned, name = _pinned(other, quantity, row), quantity.rows.names[row]
    alike: list[tuple[str, Spans]] = []
    for part, found in _findings(*pinned):
        if found.cell is None:
            continue
        its = other.trace[found.cell.quantity]
        same = its.local == quantity.local and _sees(its) == _sees(quantity)
        if same and its.rows.names[found.cell.row] == name:
            alike.append((its.name, _sentence(part, found)))
    return dict(reversed(alike)).get(quantity.name, alike[0][1]) if alike else None


def _sees(quantity: Quantity) -> frozenset[str]:
    """Tells which of the parts that read another text a quantity is in."""
    return frozenset(("encoder", "cross")).intersection(p.local for p in quantity.name.places)


def _pinned(told: ToldTrace, quantity: Quantity, row: int) -> ToldTrace:
    """Returns what is told, of the token alone that a row of another trace's quantity is of."""
    its = told.trace.quantities.get(quantity.name)
    alike = (q for q in told.trace.quantities.values() if q.local == quantity.local)
    its = next(alike, None) if its is None else its
    name = quantity.rows.names[row]
    if told.selection.queries or its is None or not name or name not in its.rows.names:
        return told
    chosen = (its.rows.names.index(name),)
    return told._replace(selection=told.selection._replace(queries=chosen, axis=its.rows.names))


def _sentence(part: PlannedStep | None, found: Finding) -> Spans:
    return capital(found.sentence) if part is None else _with_place(part, found.sentence)


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


def closing_finding(trace: Trace, selection: Selection, answer: Answer | None) -> list[Block]:
    """Says what the page found: of a block what it does to the tokens, or else its last finding,
    unless the page began with it as its answer. It says nothing where one of the last two
    sections, or a summary, has just said so (states that are set side by side say nothing new),
    nor where a page ends with the way back, as it is about that."""
    if whole := moved(trace, selection):
        return [Callout(whole)]
    parts = shown_parts(trace)
    back = bool(parts) and isinstance(parts[-1].place, BackwardPlace)
    if back or (selection.detail == "summary" and parts):
        return []
    part, spans, cell = last_finding(trace, selection)
    if answer is not None and cell is not None and cell == answer.cell:
        return []
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
