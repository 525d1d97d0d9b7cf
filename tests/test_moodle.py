"""Moodle XML read back with the cloze grammar, by a reader that knows nothing of the writer."""

from __future__ import annotations

from decimal import Decimal
from itertools import zip_longest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attncli.notation import plain
from attncli.questions import Question
from attncli.render import Page, render
from attncli.trace import Trace
from tests import cloze
from tests.conftest import FEWER, sampled
from tests.exercises import BLANKINGS, papers, wish
from tests.pages import SHIPPED, trace_of
from tests.strategies import recurrents, scenarios, transformers, workable
from tests.test_exercise import SMALL, steps_of


def check(trace: Trace, blank: str, steps: list[str]) -> int:
    """Writes an exercise, reads it back and marks it; the number of its fields."""
    whole = papers(trace, wish(trace, blank, steps=steps)).whole
    read = cloze.questions(render(whole, "moodle", Page(80)))
    sizes, count = set(), 0
    for question, section in zip_longest(read, [s for s in whole.sections if s.questions]):
        assert section is not None
        assert question is not None
        answers = in_order(question, list(section.questions))
        right = [typed(one) for one in answers]
        assert cloze.marks(question, right) == 1, "the key earns full marks"
        assert cloze.marks(question, ["7777777" for _ in right]) == 0
        for field, one in zip(question.fields, answers, strict=True):
            check_field(field, one)
            sizes.add(cloze.visible_size(field))
            count += 1
    assert len(sizes) == 1, "all blanks look alike"
    return count


def in_order(question: cloze.Cloze, asked: list[Question]) -> list[Question]:
    """The questions in the order in which their fields stand in the text: both are the page's."""
    assert len(question.fields) == len(asked)
    left = list(asked)
    found = []
    for field in question.fields:
        value = field.alternatives[0].value
        one = next(q for q in left if middle(q) == value)
        left.remove(one)
        found.append(one)
    return found


def middle(question: Question) -> Decimal | None:
    """The middle of what is right; None for what is masked."""
    key = question.key
    assert key is not None
    return (key.low + key.high) / 2 if key.number.shown.is_finite() else None


def typed(question: Question) -> str:
    assert question.key is not None
    return plain(question.key.number).replace("−", "-").replace("∞", "inf")


def check_field(field: cloze.Field, question: Question) -> None:
    key = question.key
    assert key is not None
    assert field.weight == question.points
    assert cloze.overlaps(field) == []
    if not key.number.shown.is_finite():
        assert [cloze.mark(field, text)[0] for text in ("-inf", "−∞", "0")] == [1, 1, 0]
        return
    step = Decimal(1).scaleb(-key.places - 3)
    for number, fraction in (
        (key.low, 1),
        (key.high, 1),
        (key.low - step, 0),
        (key.high + step, 0),
    ):
        others = any(slip.low <= number <= slip.high for slip in key.slips)
        assert others or cloze.mark(field, f"{number:f}")[0] == fraction
    for slip in key.slips:
        share, feedback = cloze.mark(field, f"{slip.number.shown:f}")
        assert share == Decimal("0.5")
        assert slip.name.replace("_", " ") in feedback


@sampled(5, name=SMALL, blank=["results", "all"])
def test_shipped_scenarios(name: str, blank: str) -> None:
    assert check(trace_of(SHIPPED[name]), blank, []) > 0


@pytest.mark.slow
@settings(max_examples=FEWER)
@given(st.one_of(scenarios(), transformers(), recurrents()), st.data())
def test_random_scenarios(text: str, data: st.DataObject) -> None:
    with workable():
        trace = trace_of(text)
        steps = data.draw(st.lists(st.sampled_from(steps_of(trace)), max_size=2, unique=True))
        check(trace, data.draw(st.sampled_from(BLANKINGS)), steps)


NASTY = r"""
sentence: x
tokens: ["}", "#", "~", "\\", "]]>", "<b>", "&", "{1:NUMERICAL:=1}", "{#1}", "\\(x\\)"]
vocabulary: {"}": 0, "#": 1, "~": 2, "\\": 3, "]]>": 4, "<b>": 5, "&": 6, "{1:NUMERICAL:=1}": 7, "{#1}": 8, "\\(x\\)": 9}
title: "}#~\\ ]]> {1:SHORTANSWER:=a} <script>"
X: [[1, 2], [2, 1], [1, 0.5], [0.5, 1], [1, 3], [2, 2], [1, 1], [0.1, 0.2], [3, 1], [0.3, 0.4]]
projection: none
"""


@pytest.mark.parametrize("blank", BLANKINGS)
def test_words_that_moodle_would_obey(blank: str) -> None:
    assert check(trace_of(NASTY.replace("sentence: x\n", "")), blank, []) > 0
