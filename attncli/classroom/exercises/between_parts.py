"""Parts of an exam about the same scenario: they have the same numbers, unless one would give what
another asks for, or has a seed of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attncli.classroom.exercises.blanked import taken
from attncli.classroom.exercises.line_blanks import source_of
from attncli.classroom.exercises.on_the_sheet import cells_on, sources_of
from attncli.classroom.exercises.requests import ExerciseRequest, request_of
from attncli.classroom.files.exam_file import ExamFile, ExamPart
from attncli.classroom.files.exercise_file import Ask
from attncli.maths.equations.tree import Location
from attncli.trace import Trace


class Sharing(NamedTuple):
    """The parts that have the same numbers in each form."""

    places: list[int]
    """The parts, counted from 0."""
    seed: int
    """What their numbers are drawn by."""
    is_first: bool = True
    """Whether it is the first of its scenario, which may have the scenario's own numbers."""
    why: str = ""
    """Why its first part has other numbers than one before, if it doesn't say so itself."""


def sharing(exam: ExamFile, traces: Sequence[Trace | None]) -> list[Sharing]:
    """Returns which parts of an exam have the same numbers."""
    found: list[Sharing] = []
    for k, (part, trace) in enumerate(zip(exam.parts, traces, strict=True)):
        if part.exercise is None or trace is None:
            continue
        scenario, seed = part.exercise.scenario, part.exercise.numbers.seed
        alike = [own for own in found if exam.scenarios[own.places[0]] == scenario]
        why = ""
        for own in alike:
            if seed != exam.numbers_of(own.places[0]).seed:
                continue
            reasons = (_between(exam, trace, place, k) for place in own.places)
            if not (why := next(filter(None, reasons), "")):
                own.places.append(k)
                break
        else:
            is_first = not alike and seed == exam.seed
            found.append(Sharing([k], seed + k, is_first, why))
    return found


def _between(exam: ExamFile, trace: Trace, a: int, b: int) -> str:
    """Tells which number one of two parts gives from which an answer of the other follows; empty
    if there is none."""
    known = {k: _given_and_asked(trace, exam.parts[k]) for k in (a, b)}
    for one, other in ((a, b), (b, a)):
        given, asked = known[one][0], known[other][1]
        told = sorted(cell for cell in given if not asked.isdisjoint(_of_one(trace, cell)))
        for name, i, j in told[:1]:
            address = trace[name].address(i, j)
            return (
                f"part {one + 1} gives {address}, from which an answer of part {other + 1} follows"
            )
    return ""


def _given_and_asked(trace: Trace, part: ExamPart) -> tuple[set[Location], set[Location]]:
    """Returns the cells that a part gives, but for given matrices, and those that it asks for."""
    given, asked = set[Location](), set[Location]()
    for request in _requests(trace, part):
        if not request.asks:
            continue
        page = taken(trace, request, "")
        cells = {place.cell for place in page.places if place.cell is not None}
        blocks = (block for section, _ in page.asking for block in section.section.blocks)
        shown = {cell for cell in cells_on(blocks) if not page.asked.hides(cell)}
        given |= {cell for cell in shown - cells if not trace[cell.quantity].given}
        asked |= {source_of(trace, cell) for cell in cells}
    return given, asked


def _requests(trace: Trace, part: ExamPart) -> Iterator[ExerciseRequest]:
    """Yields what a part asks in all forms, and each entry that forms may draw from its pool."""
    assert part.exercise is not None
    if part.exercise.ask or not part.pool:
        yield request_of(trace, part.exercise, together=False)
    for entry in part.pool:
        if isinstance(entry, Ask):
            yield request_of(trace, part.exercise._replace(ask=(entry,)), together=False)


def _of_one(trace: Trace, cell: Location) -> Iterator[Location]:
    """Yields a cell, and those that each of them is worked from as the only number made."""
    while True:
        yield cell
        made = {source for source in sources_of(trace, cell) if not trace[source.quantity].given}
        if len(made) != 1:
            return
        (cell,) = made
