"""What is asked can be worked from its sheet: each number that its working starts from is given
there, is asked for before, or is made by a formula there of numbers that are."""

from __future__ import annotations

from itertools import product
from random import Random

from attncli.classroom.exercises.line_blanks import is_in_words, revealing, with_copies
from attncli.classroom.exercises.on_the_sheet import sources_of
from attncli.classroom.exercises.papers import exercise, sheet_of
from attncli.classroom.exercises.requests import ExerciseRequest, PartAsked
from attncli.maths.equations.tree import Location
from attncli.pages.parts.selection import SelectionError, select
from attncli.trace import Trace
from tests.classroom.exercises.test_exercise import SMALL
from tests.classroom.exercises.test_single_cells import shown
from tests.classroom.made import questions
from tests.conftest import THOROUGH, sampled
from tests.helpers.pages import shipped_trace

Rows = tuple[str, str]
"""A step, and the token whose rows are asked of it."""


def asking(trace: Trace, *asks: Rows, head: str | None = None) -> ExerciseRequest:
    parts = (PartAsked(select(trace, [step], token, "summary", head=head)) for step, token in asks)
    return ExerciseRequest(tuple(parts))


def unworkable(trace: Trace, request: ExerciseRequest) -> set[str]:
    """The numbers that something is worked from which the sheet neither gives nor asks for."""
    whole = exercise(trace, request, "A", "attn exercise it")
    asked = {item.cell for item in questions(whole) if item.cell is not None}
    there = shown(sheet_of(whole))
    by_formula = revealing(trace, {cell.quantity for cell in asked})
    by_formula |= {cell.quantity for cell in with_copies(trace, asked, ())}
    found, waiting, seen = set[Location](), [*asked], set[Location]()
    while waiting:
        cell = waiting.pop()
        part = trace.part_of(cell.quantity)
        own = {d.name for d in part.definitions} if part is not None else set()
        for source in sources_of(trace, cell):
            if source in seen or source in there or source in asked:
                continue
            seen.add(source)
            if is_in_words(trace, source.quantity):
                continue
            if source.quantity in own or source.quantity in by_formula:
                waiting.append(source)
            else:
                found.add(source)
    return {trace[c.quantity].address(c.row, c.column) for c in found}


def rows_of_two_steps(trace: Trace, count: int) -> list[tuple[Rows, Rows]]:
    """Some pairs of steps, each asked in the rows of another token."""
    steps = [*dict.fromkeys(part.called for part in trace.story)]
    found: list[tuple[Rows, Rows]] = []
    pairs = [(a, b) for a, b in product(product(steps, ("1", "last")), repeat=2) if a[1] != b[1]]
    for pair in Random(3).sample(pairs, len(pairs)):
        try:
            asking(trace, *pair).page(trace)
        except SelectionError:
            continue
        found.append(pair)
        if len(found) == count:
            break
    return found


def test_rows_that_nobody_asks_for_are_given() -> None:
    """The first step is asked of one row, and the second starts from another."""
    trace = shipped_trace("i_love_tennis_causal")
    request = asking(trace, ("mask", "love"), ("softmax", "last"))
    assert unworkable(trace, request) == set()
    sheet = sheet_of(exercise(trace, request, "A", ""))
    there = {trace[c.quantity].address(c.row, c.column) for c in shown(sheet)}
    assert "masked[., I]" in there
    assert "masked[love, I]" not in there


@sampled(3, name=SMALL)
def test_what_is_asked_can_be_worked_from_the_sheet(name: str) -> None:
    trace = shipped_trace(name)
    for asks in rows_of_two_steps(trace, 60 if THOROUGH else 4):
        try:
            found = unworkable(trace, asking(trace, *asks))
        except SelectionError:
            continue
        assert found == set(), asks
