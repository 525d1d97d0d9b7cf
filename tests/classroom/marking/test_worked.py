"""Papers that nobody worked earn what is right by itself, and no paper stops a class."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from attncli.classroom.exercises.class_tables import class_data, class_page, marked_paper
from attncli.classroom.exercises.exam_papers import exam_forms
from attncli.classroom.exercises.exams import form_exam
from attncli.classroom.exercises.papers import exercise
from attncli.classroom.exercises.requests import ExerciseRequest, request_of
from attncli.classroom.files.exam_file import ExamFile
from attncli.classroom.files.exercise_file import Ask, Blanking, ExerciseFile, Frame
from attncli.classroom.files.scheme import Scheme
from attncli.classroom.marking.answers import AnswerSheet
from attncli.classroom.marking.classes import GradedClass
from attncli.classroom.marking.exam import Exam
from attncli.classroom.marking.exam_parts import MarkedExam, WholeExam
from attncli.classroom.marking.marked_papers import MarkedPaper, marked
from attncli.classroom.paper_files import form_names, variants
from attncli.cli import app
from attncli.judging.judging import Judge
from attncli.judging.verdicts import read_number
from attncli.maths.equations.tree import Location
from attncli.pipeline import load, work
from attncli.trace import Trace
from tests.conftest import FEWER, THOROUGH, sampled
from tests.helpers.marking_cases import RIGHT, graded, run, verdicts, yaml_file
from tests.helpers.pages import SHIPPED, shipped_trace
from tests.helpers.plain import read

NO_NUMBERS = ("tokenizers", "i_love_tennis")
"""There is nothing to blank in these."""
LONG = (
    ()
    if THOROUGH
    else ("adam_by_hand", "learning_to_attend", "embedding_table", "i_can_go_alone", "next_token")
)
"""Papers of these take seconds each, or half a minute."""
SCENARIOS = [name for name in SHIPPED if name not in (*NO_NUMBERS, *LONG)]
ALLOWED = {
    "learning_to_attend": ("edges", "sums"),
    "embedding_before_during_after": ("winners", "edges", "uniform", "sums"),
}
"""Words that are used alike come to one target, so that rows of a softmax have one winner."""
Answers = Mapping[str, str]


@lru_cache(maxsize=8)
def exams(name: str, forms: int = 2) -> list[Exam]:
    """What all that a scenario makes asks, in some forms."""
    trace = shipped_trace(name)
    request = request_of(trace, ExerciseFile(name))
    made = variants(trace, request, forms, 1, ALLOWED.get(name, ()))
    named = zip(form_names(forms), made, strict=True)
    return [exam_of(ExerciseFile(name), request, form, entry) for form, entry in named]


def exam_of(order: ExerciseFile, request: ExerciseRequest, form: str, trace: Trace) -> Exam:
    """The only part of a form of an exercise."""
    (made,) = exam_forms(ExamFile.of(order), [request], [(form, (trace,))], "")
    (part,) = form_exam(made, [request], Scheme()).exam.parts
    assert isinstance(part.exam, Exam)
    return part.exam


def key_of(exam: Exam) -> dict[str, str]:
    numbers = {
        item.id: str(exam.trace[cell.quantity].number(*cell[1:]).shown)
        for cell, item in exam.results.items()
    }
    terms = {term.id: str(term.right.number.shown) for term in exam.terms}
    right = {q.id: q.right_on(exam.judge.key)[0] for _, q in exam.words}
    words = {q.id: q.asked.options[right[q.id]] for _, q in exam.words}
    return {**numbers, **terms, **words}


def paper(exam: Exam, answers: Answers, others: list[Exam] | None = None) -> MarkedPaper:
    given = {id_: read_number(text) for id_, text in answers.items()}
    return marked(exam, AnswerSheet("x", "", "", given), others)


def right_by_itself(marked_paper: MarkedPaper) -> Decimal:
    """The points of answers that are the key's own."""
    worth = {cell: item.points for cell, item in marked_paper.exam.results.items()}
    numbers = (worth[v.cell] for v in marked_paper.verdicts if v.judgement == "correct")
    terms = (m.points for m in marked_paper.terms if m.judgement == "correct")
    words = (m.points for m in marked_paper.words if m.judgement == "correct")
    return Decimal(sum((*numbers, *terms, *words)))


class Unworked(NamedTuple):
    kind: str
    answers: Answers


def unworked(forms: list[Exam]) -> Iterator[Unworked]:
    """Papers that nobody worked."""
    key = key_of(forms[0])
    for number in ("0", "0.001", "1"):
        yield Unworked(number, dict.fromkeys(key, number))
    other = key_of(forms[1])
    yield Unworked("another form", {id_: other.get(id_, "") for id_ in key})
    texts = [*key.values()]
    random.Random(1).shuffle(texts)
    yield Unworked("shuffled", dict(zip(key, texts, strict=True)))
    yield Unworked("moved by one", dict(zip(key, [*texts[1:], texts[0]], strict=True)))


@sampled(41, name=SCENARIOS, others_known=[False, True])
def test_what_nobody_worked_earns_what_is_right_by_itself(name: str, others_known: bool) -> None:
    forms = exams(name)
    others = forms[1:] if others_known else None
    assert paper(forms[0], key_of(forms[0])).points == forms[0].points
    for kind, answers in unworked(forms):
        marked_paper = paper(forms[0], answers, others)
        more = marked_paper.points - right_by_itself(marked_paper)
        assert more * 10 <= forms[0].points, (
            name,
            kind,
            marked_paper.points,
            right_by_itself(marked_paper),
        )
        assert marked_paper.doubt is not None or not more, (name, kind)


def class_of(papers: list[MarkedPaper]) -> GradedClass:
    return GradedClass("by hand", (papers[0].exam.trace,), tuple(map(whole, papers)))


def whole(paper: MarkedPaper) -> MarkedExam:
    """A paper as that of an exam of one part."""
    return MarkedExam(paper.sheet, WholeExam.of(paper.exam), (paper,))


def test_a_class_says_which_papers_show_no_working() -> None:
    (exam,) = exams("i_love_ai", 1)
    key = key_of(exam)
    papers = [paper(exam, key), paper(exam, dict.fromkeys(key, "0"))]
    value: Any = class_data(class_of(papers))["papers"]
    honest, zeros = value
    assert (honest["remarks"], "doubt" in honest) == ([], False)
    (data,) = zeros["remarks"]
    assert data.startswith(
        "From Q on, this paper doesn't show its working: 24 wrong numbers are unexplained"
    )
    assert zeros["doubt"]["too_few"] is True


def test_a_slip_of_the_first_number_still_carries(tmp_path: Path) -> None:
    """1.5 in the place of 1: e^1.5 = 4.482, 4.482 + 1 + 2.718 = 8.200, and what is divided by it."""
    theirs = {
        "scores[I, I]": "1.5", "exp[I, I]": "4.482", "exp_sum[I]": "8.200",
        "weights[I, I]": "0.547", "weights[I, love]": "0.122", "weights[I, AI]": "0.331",
    }  # fmt: skip
    data = graded(yaml_file(tmp_path / "a.yaml", {**RIGHT, **theirs}))
    assert data["points"] == 9
    assert "doubt" not in data


def test_zeros_after_honest_work_earn_nothing(tmp_path: Path) -> None:
    """Who stops after the scores and fills in zeros has the points of the scores."""
    zeros = {name: "0" for name in RIGHT if not name.startswith("scores")}
    data = graded(yaml_file(tmp_path / "a.yaml", {**RIGHT, **zeros}))
    assert data["points"] == 3


@pytest.mark.parametrize(
    ("numbers", "verdict"),
    [
        (("0.42", "0.16", "0.42"), "rounding"),  # 0.422, 0.155, 0.422
        (("0.4", "0.2", "0.4"), "rounding"),  # 0.2 is 0.212 of the next row, too
        (("0", "0", "0"), "slip"),
    ],
)
def test_fewer_decimals_must_still_tell_a_number(
    tmp_path: Path, numbers: tuple[str, ...], verdict: str
) -> None:
    names = ("weights[I, I]", "weights[I, love]", "weights[I, AI]")
    path = yaml_file(tmp_path / "a.yaml", {**RIGHT, **dict(zip(names, numbers, strict=True))})
    data = graded(path)
    entries = {value["cell"]: value for value in data["verdicts"]}
    assert entries["weights[I, love]"]["verdict"] == verdict
    cause = {"rounding": "other_decimals", "slip": "too_few_decimals"}[verdict]
    assert entries["weights[I, love]"]["cause"]["name"] == cause


SMALL = """\
tokens: [a, b]
X: [[1.4], [-0.01]]
projection: none
scale: none
until: softmax
"""


@pytest.mark.parametrize(
    ("numbers", "verdict"),
    [
        (("3.891", "0.990", "0.990", "1.000"), "known mistake"),  # 2 for e; e^−0.014 = 0.986
        (("7.10", "0.99", "0.99", "1.00"), "rounding"),
        (("7.099", "0.99", "0.986", "1.000"), "rounding"),
        (("7.099", "0.986", "0.986", "1.000"), "correct"),
    ],
)
def test_zeros_that_a_spreadsheet_drops_change_no_verdict(
    numbers: tuple[str, ...], verdict: str
) -> None:
    judge = Judge(work(load(read(SMALL))))
    cells = [Location("exp", i, j) for i in (0, 1) for j in (0, 1)]
    each = [
        judge.verdicts({cell: read_number(text) for cell, text in zip(cells, texts, strict=True)})
        for texts in (numbers, [text.rstrip("0").rstrip(".") for text in numbers])
    ]
    kept, dropped = ([(v.judgement, v.cause) for v in verdicts] for verdicts in each)
    assert dropped == kept
    assert verdict in [judgement for judgement, _ in kept]


LOSS = {
    "probabilities[photo, cat]": "0", "probabilities[photo, dog]": "0.629",
    "probabilities[photo, bird]": "0.140", "loss[photo]": "5", "cross_entropy": "1.465",
}  # fmt: skip


@pytest.mark.parametrize("own", ["0", "-0.2", "-inf"])
def test_what_cant_be_worked_from_ones_own_is_judged_by_the_key(tmp_path: Path, own: str) -> None:
    answers = {**LOSS, "probabilities[photo, cat]": own}
    data = graded(yaml_file(tmp_path / "a.yaml", answers), scenario="softmax_gradient")
    by_name = verdicts(data)
    assert (by_name["loss[photo]"], by_name["cross_entropy"]) == ("slip", "correct")
    (loss,) = (value for value in data["verdicts"] if value["cell"] == "loss[photo]")
    says = (
        f"It can't be worked from your probabilities[photo, cat] = {own}: the key's numbers count."
    )
    assert loss["cause"] == {"name": "unworkable", "says": says}
    page = " ".join(run("grade", "softmax_gradient", tmp_path / "a.yaml").output.split())
    assert "Given is 5; right is 1.465" in page
    assert says in page


WILD = st.sampled_from(
    ("0", "-1", "1e30", "-1e30", "1e-30", "", "love", "0.5", "-0", "inf", "-inf", "1e300", "2/3", "100")
)  # fmt: skip


@settings(max_examples=FEWER * (2 if THOROUGH else 1))
@given(st.sampled_from(SCENARIOS), st.sampled_from((0.02, 0.2, 1.0)), st.randoms(), st.data())
def test_no_paper_stops_a_class(
    name: str, share: float, rng: random.Random, data: st.DataObject
) -> None:
    (exam,) = exams(name, 1)
    key = key_of(exam)
    wild = data.draw(st.lists(WILD, min_size=1, max_size=4))
    answers = {id_: rng.choice(wild) if rng.random() < share else own for id_, own in key.items()}
    told = paper(exam, answers)
    assert 0 <= told.points <= exam.points
    assert marked_paper(whole(told)).sections
    assert class_page(class_of([told, told])).sections


@sampled(17, name=[name for name in SCENARIOS if len(SHIPPED[name]) < 4000])
def test_no_answer_stops_practice(name: str) -> None:
    rng = random.Random(name)
    wild = ["0", "-1", "1e30", "", "love", "0.5", "-inf", "1e300", "skip"]
    typed = "\n".join(rng.choice(wild) for _ in range(60 if THOROUGH else 20))
    done = CliRunner().invoke(app, ["practice", name, "--fresh"], input=typed)
    assert done.exit_code in (0, 1), done.output
    assert "Traceback" not in done.output


def test_a_number_of_a_time_is_asked_for_by_its_name(tmp_path: Path) -> None:
    """`factor_norm[4]` is a number of time 4, no fourth number of a list."""
    path = yaml_file(tmp_path / "a.yaml", {"factor_norm[4]": "0"})
    data = graded(path, scenario="yassine_rnn_sentence")
    assert verdicts(data) == {"factor_norm[4]": "slip"}


def test_an_exam_asks_in_the_order_of_its_paper() -> None:
    """A Moodle export has nothing but the order to tell what an answer is for."""
    asks = (Ask(step="softmax"), Ask().asking("attends_most"), Ask(step="weighted_sum"))
    order = ExerciseFile("i_love_ai", asks, blank=Blanking("all"))
    trace = shipped_trace("i_love_ai")
    request = request_of(trace, order)
    paper = exercise(trace, request, "own", "", Frame())
    exam = exam_of(order, request, "own", trace)
    assert exam.ids == tuple(item.id for item in paper.items)
    kinds = [
        kind
        for kind, _ in groupby("w" if "most" in x else "t" if ".w" in x else "r" for x in exam.ids)
    ]
    assert len(kinds) > 3  # they alternate on the paper


def test_a_class_without_a_paper_that_can_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("nope: [\n", "utf-8")
    result = run("grade", "i_love_ai", tmp_path)
    assert result.exit_code == 2
    assert "0, 1 not marked" in result.stdout


def test_a_step_that_went_wrong_is_gone_on_with_where_no_other_form_has_its_numbers() -> None:
    """All scores are wrong without a reason. Where the other forms are known, the right numbers
    before them speak for the paper; where they aren't, these might be another form's."""
    forms = exams("i_love_ai")
    trace = forms[0].trace
    wild = trace["scores"].values + np.array([[7.3, -5.1, 2.9], [3.7, 8.1, -6.3], [-4.7, 2.3, 9.1]])
    theirs = trace.replay({"scores": wild})
    answers = key_of(forms[0]) | {
        item.id: str(theirs[cell.quantity].number(*cell[1:]).shown)
        for cell, item in forms[0].results.items()
    }
    alone, known = (paper(forms[0], answers, others) for others in (None, forms[1:]))
    assert known.doubt is None
    assert known.counts["slip"] == 9
    assert known.points == forms[0].points - 9
    assert alone.doubt is not None
    assert alone.points + alone.doubt.more == known.points
