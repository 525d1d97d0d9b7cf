"""Moodle XML read back with the cloze grammar, by a reader that knows nothing of the writer."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from attncli.classroom.formats.moodle import Size
from attncli.cli import app
from attncli.document.blocks import Document
from attncli.document.questions import Item
from attncli.formats import RenderOptions, render
from attncli.maths.notation import plain
from attncli.trace import Trace
from tests.classroom import cloze
from tests.classroom.exercises.test_exercise import SMALL, steps_of
from tests.classroom.made import BLANKINGS, papers, request_for
from tests.conftest import FEWER, sampled
from tests.helpers.pages import SHIPPED, trace_of
from tests.helpers.strategies import recurrents, scenarios, transformers, workable


def check(trace: Trace, blank: str, steps: list[str]) -> int:
    """Writes an exercise, reads it back and marks it; the number of its fields."""
    whole = papers(trace, request_for(trace, blank, steps=steps)).whole
    (question,) = cloze.questions(render(whole, "moodle", RenderOptions(80)))
    answers = in_order(question, whole)
    right = [typed(a) for a in answers]
    assert cloze.marks(question, right) == 1, "the key earns full marks"
    assert cloze.marks(question, ["7777777" for _ in right]) == 0
    for field, item in zip(question.fields, answers, strict=True):
        check_field(field, item)
    sizes = {cloze.visible_size(field) for field in question.fields}
    assert len(sizes) == 1, "all blanks look alike"
    return len(answers)


def in_order(question: cloze.Cloze, whole: Document) -> list[Item]:
    """The questions, whose order is that of their fields: exports count these."""
    asked = [q for section in whole.sections for q in section.questions]
    answers = [field.alternatives[0].value for field in question.fields]
    assert answers == [shown(item) for item in asked]
    return asked


def shown(question: Item) -> Decimal | None:
    """The right answer as a number; None for what is masked."""
    assert question.key is not None
    number = question.key.number.shown
    return number if number.is_finite() else None


def typed(question: Item) -> str:
    assert question.key is not None
    return plain(question.key.number).replace("−", "-").replace("∞", "inf")


def check_field(field: cloze.Field, question: Item) -> None:
    key = question.key
    assert key is not None
    assert field.weight == question.points
    assert all(a.share == other.share == 1 for a, other in cloze.overlaps(field))
    if not key.number.shown.is_finite():
        assert [cloze.mark(field, text)[0] for text in ("-inf", "−∞", "0")] == [1, 1, 0]
        return
    step = Decimal(1).scaleb(-key.places - 3)
    for number, fraction in (
        (key.accepted.low, 1),
        (key.accepted.high, 1),
        (key.accepted.low - step, 0),
        (key.accepted.high + step, 0),
    ):
        others = any(slip.accepted.low <= number <= slip.accepted.high for slip in key.slips)
        assert others or cloze.mark(field, f"{number:f}")[0] == fraction
    for slip in key.slips:
        share, feedback = cloze.mark(field, f"{slip.number.shown:f}")
        assert share == (0 if slip.accepted.low <= 0 <= slip.accepted.high else Decimal("0.5"))
        assert slip.name.replace("_", " ") in feedback


@sampled(17, name=SMALL, blank=["results", "all"])
def test_shipped_scenarios(name: str, blank: str) -> None:
    assert check(trace_of(SHIPPED[name]), blank, []) > 0


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


@sampled(3, blank=BLANKINGS)
def test_words_that_moodle_would_obey(blank: str) -> None:
    assert check(trace_of(NASTY.replace("sentence: x\n", "")), blank, []) > 0


ARGUMENTS = ("exercise", "i_love_ai", "--format", "moodle")


def test_a_draw_of_one_form_is_the_whole_exercise() -> None:
    """Thirty forms are thirty questions in one category, each with all that it takes."""
    text = printed(*ARGUMENTS, "--step", "scores", "--step", "softmax", "--forms", "30")
    (category,) = ElementTree.fromstring(text.encode()).iterfind("question[@type='category']")
    path = category.findtext("category/text")
    assert path == "$course$/top/I love AI · 1 · Attention scores · 2 · Softmax"
    read = cloze.questions(text)
    assert (
        len(read)
        == len({entry.name for entry in read})
        == len({entry.idnumber for entry in read})
        == 30
    )
    for entry in read:
        assert len(entry.fields) == 30
        assert len(entry.hints) == 2
        tables = entry.marked.split("<table>")
        given = [
            table for table in tables if "<code>Q</code>" in table or "<code>K</code>" in table
        ]
        assert [len(re.findall(r">−?[0-9.]+</td>", table)) for table in given] == [6, 6]
        assert entry.tags[1] in entry.text, "an export tells the form"
        assert "--seed" not in f"{entry.text}{entry.feedback}", (
            "no student learns how to make the key"
        )
    assert "attn exercise" in (category.findtext("info/text") or "")


def test_the_answer_is_shown_and_all_of_its_interval_is_right() -> None:
    """6.436 under carry, 6.437 in full: both are right, and what Moodle shows is 6.436."""
    (read,) = cloze.questions(printed(*ARGUMENTS, "--cell", "exp_sum[I]"))
    (field,) = read.fields
    first = next(a for a in field.alternatives if a.share == 1)
    assert first.value == Decimal("6.436")
    marks = [cloze.mark(field, text)[0] for text in ("6.4355", "6.436", "6.437", "6.4375")]
    assert marks == [1, 1, 1, 1]
    assert [cloze.mark(field, text)[0] for text in ("6.42", "6.45")] == [0, 0]


def test_nobody_is_paid_for_typing_nothing() -> None:
    """Without exponentials the score 0 gives the weight 0, which is told, and earns nothing."""
    (read,) = cloze.questions(printed(*ARGUMENTS, "--step", "softmax"))
    pairs = [cloze.mark(field, "0") for field in read.fields]
    assert {share for share, _ in pairs} == {0}
    assert any("without exponentials" in text for _, text in pairs)


def test_hints_give_no_number_away() -> None:
    (read,) = cloze.questions(printed(*ARGUMENTS, "--step", "weighted_sum"))
    how, mistakes = read.hints
    assert "weights[I, I]" in how
    assert not re.search(r"\d\.\d", how + mistakes)
    assert "<li>" in mistakes


def test_half_points_are_whole_weights() -> None:
    """Moodle takes whole weights only: 0.5, 2 and 0.25 points are as 2, 8 and 1."""
    points: list[int | Decimal] = [Decimal("0.5"), 2, Decimal("0.25")]
    asked = [Item(f"x[{k}]", entry) for k, entry in enumerate(points)]
    size = Size.of(asked, [])
    assert [size.weight(item) for item in asked] == [2, 8, 1]


def test_what_does_not_count_at_all_is_a_description(tmp_path: Path) -> None:
    """Moodle would show a question that is worth nothing; essays have the grade 0."""
    exam = tmp_path / "zero.yaml"
    exam.write_text(ZERO, "utf-8")
    xml = printed("exercise", str(exam), "--format", "moodle")
    assert not cloze.questions(xml)
    quiz = ElementTree.fromstring(xml)
    (told,) = quiz.findall("question[@type='description']/questiontext/text")
    assert "How many heads?" in (told.text or "")
    assert "I / love / AI" in (told.text or "")
    assert not re.search(r"\{\d+:", told.text or "")
    assert "………" in (told.text or "")
    grades = [e.text for e in quiz.iter("defaultgrade")]
    assert grades == ["0"]


def test_a_question_that_does_not_count_is_asked_beside_one_that_does(tmp_path: Path) -> None:
    exam = tmp_path / "zero.yaml"
    exam.write_text(ZERO.replace("number: 1, points: 0", "number: 1, points: 2"), "utf-8")
    (question,) = cloze.questions(printed("exercise", str(exam), "--format", "moodle"))
    assert {field.weight for field in question.fields} == {0, 2}
    assert {field.kind for field in question.fields} == {"numerical", "multichoice"}


ZERO = """
exam: Warm-up
parts:
  - {scenario: i_love_ai, ask: [{step: scores, token: I}, attends_most], points: {each: 0}}
  - questions:
      - {ask: Why?, answer: Because., points: 0}
      - {ask: How many heads?, number: 1, points: 0}
"""


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout
