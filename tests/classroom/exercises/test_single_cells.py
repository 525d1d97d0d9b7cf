"""Single cells that are asked for: the key leans on no number that neither it nor the sheet has, and
the sheet has no table that nobody needs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from random import Random

import pytest

from attncli.classroom.exercises.line_blanks import is_in_words, revealing, with_copies
from attncli.classroom.exercises.on_the_sheet import sources_of
from attncli.document.blocks import Document, Line, parts_of
from attncli.document.tables import MatrixBlock
from attncli.maths.equations.tree import INNER, Location, Number, numbers_in
from attncli.trace import Trace
from tests.classroom.exercises.test_exercise import SMALL
from tests.classroom.made import papers, questions, request_for
from tests.conftest import THOROUGH, sampled
from tests.helpers.pages import shipped_trace


def tables(document: Document) -> Iterator[MatrixBlock]:
    for section in document.sections:
        for block in section.blocks:
            yield from parts_of(block, MatrixBlock)


def shown(document: Document) -> set[Location]:
    """The numbers in the tables of a sheet."""
    return {
        Location(table.quantity, i, j)
        for table in tables(document)
        for i in table.rows
        for j in range(table.matrix.shape[1])
        if isinstance(table.entry(i, j), Number)
    }


def missing(trace: Trace, cells: list[str]) -> set[str]:
    """What the lines of a key lean on, and that stands nowhere. What is made number by number of
    what is asked for is told by its formula: it can be worked of what stands there."""
    made = papers(trace, request_for(trace, cells=cells))
    asked = {item.cell for item in questions(made.whole) if item.cell is not None}
    lines = [line for s in made.key.sections for b in s.blocks for line in parts_of(b, Line)]
    results = {n.cell for line in lines for n in numbers_in(line.parts[-1][1])}
    there = shown(made.sheet) | asked | results
    by_formula = revealing(trace, {cell.quantity for cell in asked})
    by_formula |= {cell.quantity for cell in with_copies(trace, asked, ())}

    def stands(cell: Location) -> bool:
        told = cell.quantity in by_formula
        return cell in there or (told and all(map(stands, sources_of(trace, cell))))

    used = (n.cell for line in lines for _, form in line.parts[:-1] for n in numbers_in(form))
    known = (cell for cell in used if cell is not None and cell is not INNER)
    return {trace[c.quantity].address(c.row, c.column) for c in known if not stands(c)}


def pairs_of_cells(trace: Trace, count: int) -> list[tuple[str, str]]:
    """Some pairs of quantities that are made: the last cell of one, and the first of another."""
    made = [d.name for d in trace.plan if d.name in trace and not trace[d.name].given]
    made = [name for name in made if not is_in_words(trace, name)][:80]
    pairs = [*combinations([trace[name] for name in made], 2)]
    drawn = Random(7).sample(pairs, min(count, len(pairs)))
    return [(a.address(*(n - 1 for n in a.matrix.shape)), b.address(0, 0)) for a, b in drawn]


def test_what_another_cell_needs_is_given() -> None:
    """The new state takes the forget gate and the candidate, of which nothing is asked, and the
    update gate, which is carried over."""
    trace = shipped_trace("yassine_lstm")
    cells = ["gates[2].update", "c[2]"]
    assert missing(trace, cells) == set()
    sheet = papers(trace, request_for(trace, cells=cells)).sheet
    gates, state = (
        [t.quantity for b in s.blocks for t in parts_of(b, MatrixBlock)] for s in sheet.sections
    )
    assert {*gates} == {"W_ux", "x[2]", "W_ua", "a[1]", "b_u"}
    given = {"gates[2].candidate", "gates[2].forget", "c[1]"}
    assert {*state} == {*given, "gates[2].update"}
    _, asked = sheet.sections
    carried = next(
        t for b in asked.blocks for t in parts_of(b, MatrixBlock) if "update" in t.quantity
    )
    assert not carried.blanks
    assert not carried.matrix.has(0, 0)


@pytest.mark.parametrize(
    ("name", "cells", "given"),
    [
        ("i_love_ai", ("scores[love, AI]", "weights[love, AI]"), "scores[love, I]"),
        ("i_love_tennis_causal", ("scores[love, I]", "weights[love, love]"), "scores[love, love]"),
        ("i_love_ai", ("weights[love, AI]", "output[love, 1]"), "weights[love, I]"),
        ("i_love_ai", ("exp_sum[AI]", "output[I, 1]"), "weights[I, AI]"),
        ("rnn_backward_through_time", ("aa[1][3]", "aa[4][1]"), "W_aa[1, 1]"),
    ],
)
def test_other_cells_of_what_is_asked_are_given(
    name: str, cells: tuple[str, ...], given: str
) -> None:
    trace = shipped_trace(name)
    assert missing(trace, [*cells]) == set()
    made = papers(trace, request_for(trace, cells=cells))
    there = {trace[c.quantity].address(c.row, c.column) for c in shown(made.sheet)}
    assert given in there
    assert there.isdisjoint(cells)


@sampled(5, name=SMALL)
def test_a_key_leans_on_what_stands_on_it_or_on_its_sheet(name: str) -> None:
    trace = shipped_trace(name)
    for cells in pairs_of_cells(trace, 30 if THOROUGH else 3):
        assert missing(trace, [*cells]) == set(), cells
