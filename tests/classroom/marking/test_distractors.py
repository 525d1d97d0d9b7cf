"""What common mistakes give is printed by keys and by the files of learning platforms, and is what
marking recognises, for every declared mistake of every step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pytest

from attncli.document.questions import Item, MistakenAnswer
from attncli.judging.judging import Judge
from attncli.judging.verdicts import Given, Verdict
from attncli.maths.equations.tree import Location
from attncli.maths.numbers import decimals
from attncli.pipeline import load, work
from attncli.steps import steps
from attncli.steps.step import Step
from attncli.trace import BackwardPlace, Trace
from tests.classroom.made import papers, questions, request_for
from tests.conftest import sampled
from tests.helpers.pages import LARGE, SHIPPED, WORDS_ONLY, shipped_trace, trace_of


class Worked(NamedTuple):
    """A shipped scenario, and changes that give it a step."""

    scenario: str
    changes: tuple[str, ...] = ()


OURS = "i_love_ai"
TARGETS, BACK = "targets=[[1, 0], [0, 1], [1, 1]]", "backward=true"


def shown(step: Step[Any]) -> Worked:
    """What the lesson on a step shows it with."""
    name, changes = step.example.scenario or OURS, step.example.changes
    if step.at is BackwardPlace and not shipped_trace(name).scenario.goes_back:
        known = any("targets=" in text for text in changes)
        changes = (*changes, *(() if known else (TARGETS,)), BACK)
    return Worked(name, changes)


MORE = (
    Worked(OURS, ("b_Q=[0.5, -1]", "b_K=[1, 0.5]", "b_V=[0.25, 1]")),
    Worked(OURS, ("b_Q=[0.5, -1]", "b_K=[1, 0.5]", "b_V=[0.25, 1]", TARGETS, BACK)),
    Worked("encoder_block", ("norm=pre",)),
    Worked("decoder_block", ("norm=pre",)),
    Worked("next_token", ("norm=post",)),
)
NUMBERS = (name for name in SHIPPED if name not in (*LARGE, WORDS_ONLY, "i_love_tennis"))
WORKED = [
    *dict.fromkeys(
        (*map(Worked, NUMBERS), *(shown(step) for step in steps() if step.example.changes), *MORE)
    )
]


def given(slip: MistakenAnswer, places: int) -> Given:
    """The number that is printed for a mistake, with all decimals that are asked."""
    number = slip.number.shown
    own = max(places, decimals.places(number))
    return Given(f"{number:.{own}f}", number, own)


def by_mistakes(trace: Trace, asked: Sequence[Item]) -> Mapping[str, dict[Location, Given]]:
    """The numbers that a key prints for each mistake; not those of what is worked again after an
    update, where all that was written before would be needed to tell."""
    printed: dict[str, dict[Location, Given]] = {}
    for item in asked:
        assert item.key is not None
        for slip in item.key.slips:
            assert item.cell is not None
            part = trace.part_of(item.cell.quantity)
            if part is not None and not part.is_again:
                printed.setdefault(slip.name, {})[item.cell] = given(slip, item.key.places)
    return printed


def names(verdict: Verdict) -> set[str]:
    return {c.name for c in (verdict.cause, *verdict.others) if c is not None}


def unrecognised(trace: Trace) -> list[tuple[str, Location, str, set[str]]]:
    """What keys print for mistakes in each section that marking takes for something else."""
    judge, found = Judge(trace), []
    for section in papers(trace, request_for(trace)).whole.sections:
        for mistake, answers in by_mistakes(trace, section.questions).items():
            verdicts = judge.verdicts({**before(judge, mistake, answers), **answers})
            if any(v.cell in answers and is_hidden(v) for v in verdicts):
                continue
            for verdict in verdicts:
                known = verdict.judgement == "known mistake" and mistake in names(verdict)
                follows = verdict.judgement in ("carried forward", "worked otherwise")
                if verdict.cell in answers and not (known or follows):
                    found.append((mistake, verdict.cell, verdict.given.text, names(verdict)))
    return found


def is_hidden(verdict: Verdict) -> bool:
    """Whether a number can come of right ones, as the right number can: where a slope may be that
    of either side of 0."""
    is_right = verdict.judgement == "correct"
    return is_right and verdict.accepted.takes(verdict.expected.shown)


def before(judge: Judge, mistake: str, printed: Mapping[Location, Given]) -> dict[Location, Given]:
    """The right numbers of all that is made before a mistake is, in one of the parts in which it
    shows."""
    trace, names = judge.trace, [*judge.trace]
    parts = [trace.part_of(cell.quantity) for cell in printed]
    known = (way for way in judge.hypotheses.ways if way.name == mistake and not way.all)
    every = (way.definitions for way in known)
    ways = [made for made in every if any(trace.part_of(d.name) in parts for d in made)]
    made = [definition.name for way in ways for definition in way]
    first = min(names.index(name) for name in (*made, *(cell.quantity for cell in printed)))
    answers: dict[Location, Given] = {}
    for name in names[:first]:
        if trace[name].definition is not None:
            for i, j in np.ndindex(trace[name].matrix.shape):
                number = trace[name].number(i, j).shown
                answers[Location(name, i, j)] = Given(str(number), number, judge.key.decimals(name))
    return answers


@sampled(47, worked=WORKED)
def test_marking_recognises_what_keys_print_for_mistakes(worked: Worked) -> None:
    assert unrecognised(work(load(*worked))) == []


BLOCK = """
tokens: [a]
block: encoder
X: [[0.3, 0.5, 0.4]]
weights: [[1]]
V: [[5, 2, 4]]
"""


def test_a_mistake_in_several_quantities_is_made_in_all_of_them() -> None:
    """Who normalizes the input of a sublayer subtracts its mean from that input: 0.3 − 0.4."""
    trace = trace_of(BLOCK)
    items = {item.id: item for item in questions(papers(trace, request_for(trace)).whole)}
    key = items["norm1.centered[a, 1]"].key
    assert key is not None
    (slip,) = (slip for slip in key.slips if slip.name == "pre_norm")
    assert slip.number.shown == Decimal("-0.1")
    assert unrecognised(trace) == []


def test_a_mask_that_is_not_made_again_after_an_update() -> None:
    trace = work(load("learning_to_attend", ("mask=causal",)))
    again = {way.name for way in Judge(trace).hypotheses.ways if "train" in way.definitions[0].name}
    assert {"not_masked", "masked_after_softmax"} <= again


def printed_for(step: str, token: str | None = None) -> set[str]:
    trace = shipped_trace(OURS)
    whole = papers(trace, request_for(trace, steps=[step], token=token)).whole
    return {slip.name for item in questions(whole) if item.key for slip in item.key.slips}


ALL_ROWS = {
    "scores": {"queries_and_keys_swapped"},
    "softmax": {"columns_added_up", "over_all_cells", "down_the_columns"},
    "weighted_sum": {"weights_by_column"},
}
"""Mistakes that need the numbers of other rows."""


@pytest.mark.parametrize("step", ALL_ROWS)
def test_a_key_has_no_mistake_that_needs_what_its_sheet_does_not_have(step: str) -> None:
    assert printed_for(step) >= ALL_ROWS[step]
    assert printed_for(step, "love").isdisjoint(ALL_ROWS[step])


def test_a_row_by_itself_has_the_mistakes_that_can_be_made_in_it() -> None:
    assert printed_for("softmax", "love") >= {"base_10", "exponent_negated"}


def test_a_cell_of_a_table_that_is_shown_whole_can_be_worked_down_its_column() -> None:
    trace = shipped_trace(OURS)
    request = request_for(trace, cells=["weights[love, AI]"])
    (item,) = questions(papers(trace, request).whole)
    assert item.key is not None
    assert "columns_added_up" in {slip.name for slip in item.key.slips}
