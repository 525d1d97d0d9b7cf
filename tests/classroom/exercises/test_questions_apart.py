"""Questions about the same step that stand on a paper each by itself: those that are drawn from a
pool, and steps that are named twice."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from attncli.classroom.exercises.asking import parse_blanking
from attncli.classroom.exercises.drawing import with_draws
from attncli.classroom.exercises.exam_papers import ExamForm, exam_forms, key_of, requests_of
from attncli.classroom.exercises.papers import sheet_of
from attncli.classroom.exercises.requests import ExerciseRequest, PartAsked, WordsWanted
from attncli.classroom.files.exam_file import load_exam
from attncli.cli import app
from attncli.document.blocks import Document, Paragraph, Section, text_of_spans
from attncli.document.tables import MatrixBlock
from attncli.formats import RenderOptions, exercise_format_names, render
from attncli.maths.equations.tree import Location
from attncli.names import raw
from attncli.pages.explain import find_cells
from attncli.pages.parts.selection import SelectionError, select
from attncli.trace import Trace
from tests.classroom.exercises.test_exercise import SMALL, check, steps_of
from tests.classroom.exercises.test_single_cells import shown, tables
from tests.classroom.exercises.test_workable import unworkable
from tests.classroom.made import papers, questions
from tests.conftest import THOROUGH, sampled
from tests.helpers.pages import shipped_trace

CAUSAL = "i_love_tennis_causal"
QUICK = [CAUSAL, "i_love_ai", "three_tokens_two_heads", "word_order"]


def headings(document: Document) -> list[str]:
    return [text_of_spans(s.heading, raw) for s in document.sections if s.questions]


def tasks(section: Section) -> list[str]:
    told = (b for b in section.blocks if isinstance(b, Paragraph))
    return [text for b in told if (text := text_of_spans(b.text, raw)).startswith("Compute ")]


def form_of(place: Path, part: str, scenario: str = CAUSAL) -> ExamForm:
    path = place / "e.yaml"
    path.write_text(f"exam: e\nparts:\n  - {{scenario: {scenario}, {part}}}\n", "utf-8")
    exam, traces = load_exam(path), (shipped_trace(scenario),)
    exam = with_draws(exam, traces, ["A"])
    (form,) = exam_forms(exam, requests_of(exam, traces), [("A", traces)], "attn exam e.yaml")
    return form


def apart(
    trace: Trace, *asks: tuple[str, str | None], blank: str = "results", by_itself: bool = True
) -> ExerciseRequest:
    """Rows of steps, each a question; a cell without a token."""
    blanking = parse_blanking(blank)
    detail = "full" if blanking.terms else "summary"
    parts = (
        PartAsked(
            select(trace, () if "[" in step else [step], token, detail),
            tuple(find_cells(trace, [step], ())) if "[" in step else (),
            blanking,
            entry=k if by_itself else 0,
        )
        for k, (step, token) in enumerate(asks, start=1)
    )
    return ExerciseRequest(tuple(parts), share=50)


@pytest.mark.parametrize("which", ["pool", "ask"])
def test_each_question_has_its_number_its_task_and_its_points(which: str, tmp_path: Path) -> None:
    entries = "[{step: softmax, token: love}, {step: softmax, token: last}]"
    take = ", take: 2" if which == "pool" else ""
    whole = form_of(tmp_path, f"{which}: {entries}{take}, points: {{each: 1}}").whole
    assert headings(whole) == ["1 · Softmax", "2 · Softmax"]
    first, second = (s for s in whole.sections if s.questions)
    assert [[*tasks(first)], [*tasks(second)]] == [
        [
            "Compute for the query “love”: the two exponentials exp (2 points); the sum of the"
            " exponentials exp_sum[love] (1 point); the two weights (2 points)."
        ],
        [
            "Compute for the query “.”: the four exponentials exp (4 points); the sum of the"
            " exponentials exp_sum[.] (1 point); the four weights (4 points)."
        ],
    ]
    assert (first.points, second.points) == (5, 9)
    assert first.formulas
    assert not second.formulas  # which stand above already
    for section, row in ((first, 1), (second, 3)):
        own = [b for b in section.blocks if isinstance(b, MatrixBlock)]
        assert {table.quantity: table.rows for table in own} == dict.fromkeys(
            ("masked", "exp", "exp_sum", "weights"), (row,)
        )


def test_an_exam_names_each_question_alike_on_all_papers(tmp_path: Path) -> None:
    pool = "[{step: scores, token: love}, {step: scores, token: last}, {cell: 'output[love, 1]'}]"
    form = form_of(tmp_path, f"pool: {pool}, take: 3")
    told = ["1 · Attention scores", "2 · Attention scores", "3 · Weighted sum"]
    papers = (form.whole, sheet_of(form.whole), key_of(form), form.hinted)
    assert [headings(paper) for paper in papers] == [told] * 4
    each = [[q.id for s in paper.sections for q in s.questions] for paper in papers]
    assert each == [each[0]] * 4
    assert len({*each[0]}) == len(each[0]) == 9
    for name in ("moodle", "qti", "canvas"):
        text = render(form.hinted, name, RenderOptions())
        assert all(text.count(heading) >= 1 for heading in told), name


def test_the_page_of_a_class_has_the_same_numbers(tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    pool = "[{step: scores, token: love}, {step: scores, token: AI}]"
    path.write_text(f"exam: e\nparts: [{{scenario: i_love_ai, pool: {pool}, take: 2}}]\n", "utf-8")
    result = CliRunner().invoke(
        app, ["exam", f"{path}", "-o", f"{tmp_path}/out/", "--format", "html"]
    )
    assert result.exit_code == 0, result.output
    page = (tmp_path / "out" / "e_entry.html").read_text("utf-8")
    for number in (1, 2):
        assert f'"heading":"{number} · Attention scores"' in page.replace('": "', '":"')


def test_a_product_stands_with_the_boxes_of_each_question() -> None:
    trace = shipped_trace(CAUSAL)
    made = papers(trace, apart(trace, ("scores", "love"), ("scores", "last")))
    check(trace, made)
    for section, row in zip(made.sheet.sections, (1, 3), strict=True):
        rows = {
            table.quantity: table.rows for table in tables(made.sheet._replace(sections=(section,)))
        }
        assert rows == {"Q": (row,), "K": (0, 1, 2, 3), "scores": (row,)}


def test_what_is_asked_in_words_is_a_question_too() -> None:
    """It needs no tables of its own where another question asks for what it is read from."""
    trace = shipped_trace(CAUSAL)
    numbers = apart(trace, ("softmax", "love"))
    words = (WordsWanted("attends_most[love]", entry=2), WordsWanted("attends_most[I]", entry=0))
    both = papers(trace, numbers._replace(words=words[:1]))
    assert headings(both.sheet) == headings(both.key) == ["1 · Softmax", "2 · Softmax"]
    assert [item.id for item in both.sheet.sections[1].questions] == ["attends_most[love]"]
    assert [*tables(both.sheet._replace(sections=both.sheet.sections[1:]))] == []
    one = papers(trace, numbers._replace(words=(words[0]._replace(entry=0),)))
    assert headings(one.sheet) == ["1 · Softmax"]


def test_questions_that_ask_for_the_same_number_are_one() -> None:
    trace = shipped_trace(CAUSAL)
    made = papers(trace, apart(trace, ("softmax", "love"), ("softmax", None)))
    check(trace, made)
    assert headings(made.sheet) == ["1 · Softmax"]


def test_a_cell_of_another_row_than_a_question_before_is_asked_for() -> None:
    trace = shipped_trace("alice_met_bob")
    made = papers(trace, apart(trace, ("scores", "Alice"), ("scores[met, Alice]", None)))
    check(trace, made)
    assert "scores[met, Alice]" in [item.id for item in questions(made.sheet)]


def test_a_question_gives_no_answer_of_another() -> None:
    """Each starts from a row that the one before it asks for."""
    trace = shipped_trace(CAUSAL)
    asks = (("scores", "love"), ("softmax", "love"), ("softmax", "last"), ("scores", "last"))
    made = papers(trace, apart(trace, *asks))
    check(trace, made)
    asked = {item.cell for item in questions(made.whole)}
    assert asked.isdisjoint(shown(made.sheet))
    assert Location("scores", 1, 0) in asked
    assert not [cell for cell in shown(made.sheet) if cell.quantity in ("scaled", "masked")
                and trace[cell.quantity].number(*cell.indices).shown.is_finite()]  # fmt: skip


def test_every_format_has_every_question() -> None:
    trace = shipped_trace("i_love_ai")
    made = papers(trace, apart(trace, ("scores", "love"), ("scores", "AI")))
    for name in ("terminal", "markdown", "latex", "html"):
        for paper in (made.sheet, made.key):
            text = render(paper, name, RenderOptions(100))
            assert "1 · Attention scores" in text, name
            assert "2 · Attention scores" in text, name
    assert {"moodle", "qti", "canvas"} <= {*exercise_format_names()}


def asks_at_random(trace: Trace, random: Random) -> list[tuple[str, str | None]]:
    steps = random.sample(steps_of(trace), min(2, len(steps_of(trace))))
    return [
        *dict.fromkeys((random.choice(steps), random.choice(("1", "2", "last"))) for _ in "abc")
    ]


@sampled(4, name=SMALL if THOROUGH else QUICK, blank=["results", "all", "random:0.4"])
def test_any_questions_apart_ask_what_they_ask_together(name: str, blank: str) -> None:
    trace, random = shipped_trace(name), Random(5)
    for _ in range(20 if THOROUGH else 2):
        asks = asks_at_random(trace, random)
        try:
            together = papers(trace, apart(trace, *asks, blank=blank, by_itself=False))
            alone = papers(trace, apart(trace, *asks, blank=blank))
        except SelectionError:  # of some nothing can be asked
            continue
        check(trace, alone)
        if blank != "random:0.4":
            ids = {item.id for item in questions(together.whole)}
            assert ids <= {item.id for item in questions(alone.whole)}, asks
        if blank == "results" and not unworkable(trace, apart(trace, *asks, by_itself=False)):
            assert unworkable(trace, apart(trace, *asks)) == set(), asks
