"""Exercises that are files: what they may say, and what comes of it."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from attncli import __version__, load, work
from attncli.classroom.exercises.fingerprint import numbers_mark
from attncli.classroom.exercises.papers import exercise
from attncli.classroom.exercises.requests import request_of
from attncli.classroom.files.exam_file import load_exam
from attncli.classroom.files.manifest import load_manifest
from attncli.classroom.marking.answers import read_answers
from attncli.cli import app
from attncli.output_files import _FileMove
from attncli.pages.parts.selection import SelectionError
from attncli.pipeline.exporting import exported, texts_beside
from attncli.scenario.file.problems import ScenarioError
from attncli.scenario.file.shipped import find
from tests.classroom.made import questions
from tests.helpers.marking_cases import run
from tests.helpers.pages import SHIPPED, trace_of

EXAM = """\
exercise: Attention by hand
scenario: i_love_ai
ask: [softmax, {step: weighted_sum, token: love, blank: all, points: 2}, {cell: 'scores[love, AI]'}]
points: {softmax: 0.5, exp: 1}
tolerance: {units: 1}
layout: compact
forms: 4
"""


def exam(folder: Path, text: str = EXAM) -> Path:
    path = folder / "exam.yaml"
    path.write_text(text, "utf-8")
    return path


def worth(path: Path) -> dict[str, Decimal]:
    trace = trace_of(SHIPPED["i_love_ai"])
    ordered = load_exam(path)
    whole = exercise(trace, request_of(trace, ordered.exercises[0]), "A", "it", ordered.frame)
    return {question.id: Decimal(question.points) for question in questions(whole)}


def test_each_thing_is_asked_in_its_own_way_and_for_its_own_points(tmp_path: Path) -> None:
    found = worth(exam(tmp_path))
    cells = {f"{name}[{q}, {k}]" for q in ("I", "love", "AI") for k in ("I", "love", "AI")
             for name in ("exp", "weights")}  # fmt: skip
    sums = {f"exp_sum[{q}]" for q in ("I", "love", "AI")}
    inner = {id_ for id_ in found if ".working[" in id_}
    assert inner
    assert all(id_.startswith("output[love") for id_ in inner)
    assert found.keys() - inner == {
        *cells, *sums, "scores[love, AI]", "output[love, 1]", "output[love, 2]"
    }  # fmt: skip
    points = {re.split(r"\[", id_)[0]: points for id_, points in found.items()}
    half = Decimal("0.5")
    assert points == {"exp": 1, "exp_sum": half, "weights": half, "scores": 1, "output": 2}


def test_a_cell_beside_its_step_is_asked_once_and_has_its_own_points(tmp_path: Path) -> None:
    ask = "ask: [softmax, {cell: 'weights[love, AI]', points: 5}]\nscenario: i_love_ai\n"
    found = worth(exam(tmp_path, ask))
    assert len(found) == 21
    assert found.pop("weights[love, AI]") == 5
    assert set(found.values()) == {1}


WRONG = {
    "curse: x": "exam.yaml:2:1: unknown key",
    "ask: [sofmax]": "exam.yaml:2:7: step sofmax: no such step; did you mean softmax?",
    "ask: [{blank: al}]": "exam.yaml:2:15: the text \"al\": no such choice",
    "ask: [{points: -1}]": "exam.yaml:2:16: -1 is not 0 or more",
    "ask: [{cell: 'exp[I, I]', step: softmax}]": "a cell says itself of which step it is, and step beside it",
    "points: {softmx: 1}": "exam.yaml:2:18: softmx: no such step or quantity",
    "layout: narrow": "exam.yaml:2:9",
    "tolerance: {units: -1}": "exam.yaml:2:20",
    "ask: [{token: loves}]": "exam.yaml:2:7: token loves: the sentence has no",
    "ask: [{cell: 'exp[I, you]'}]": "exam.yaml:2:7: cell exp[I, you]: exp has no",
    "ask: [predict]": "exam.yaml:2:7: step predict: this scenario has no such step",
    "ask: [softmax]\npoints: {scores: 2}": "exam.yaml:3:18: nothing is asked of scores",
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_told_where_it_stands(wrong: str, tmp_path: Path) -> None:
    with pytest.raises((ScenarioError, SelectionError)) as caught:
        worth(exam(tmp_path, f"scenario: i_love_ai\n{wrong}\n"))
    assert WRONG[wrong] in str(caught.value)
    assert str(caught.value).count("exam.yaml") == 1


@pytest.mark.parametrize(
    ("said", "low", "high"),
    [
        ("{}", "0.4205", "0.4235"),
        ("{units: 1}", "0.4195", "0.4245"),
        ("{absolute: 0.01}", "0.4105", "0.4335"),
        ("{relative: 0.1}", "0.3783", "0.4657"),
        ("{digits: 2}", "0.415", "0.425"),
    ],
)
def test_a_tolerance_widens_the_key(said: str, low: str, high: str, tmp_path: Path) -> None:
    """weights[I, I] is 2.718 / 6.437 = 0.422 on any path."""
    text = f"scenario: i_love_ai\nask: [{{cell: 'weights[I, I]'}}]\ntolerance: {said}\n"
    trace = trace_of(SHIPPED["i_love_ai"])
    ordered = load_exam(exam(tmp_path, text))
    whole = exercise(trace, request_of(trace, ordered.exercises[0]), "A", "it", ordered.frame)
    ((key,),) = [[question.key for question in questions(whole)]]
    assert key is not None
    assert (key.accepted.low, key.accepted.high) == (Decimal(low), Decimal(high))


def test_what_stands_around_the_questions(tmp_path: Path) -> None:
    frame = "course: NLP 1\ninstitution: A school\ndate: 3 May\ninstructions: Use *ink*.\n"
    exam(tmp_path, f"scenario: i_love_ai\nask: [softmax]\nexercise: Mine\n{frame}")
    made(tmp_path, "--format", "markdown")
    sheet = (tmp_path / "exam" / "exam_sheet.md").read_text("utf-8")
    assert sheet.startswith(
        "# Mine · Worksheet\n\n- **Course:** NLP 1\n- **Institution:** A school"
    )
    assert "- **Date:** 3 May" in sheet
    assert "Use \\*ink\\*." in sheet


def test_an_exercise_without_a_scenario_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="no scenario to ask about; say one"):
        load_exam(exam(tmp_path, "exercise: It\n"))


def test_a_scenario_that_isnt_there_is_told_where_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("sentence: a\n", "utf-8")
    parts = "exam: It\nparts:\n- {scenario: mine}\n- {scenario: i_love_ay}\n"
    path = exam(tmp_path, parts)
    with pytest.raises(ScenarioError) as error:
        load_exam(path)
    assert str(error.value).splitlines() == [
        f'{path}:3:14: "mine": no such file, nor a shipped scenario; did you mean mine.yaml?',
        f'{path}:4:14: "i_love_ay": no such file, nor a shipped scenario; did you mean i_love_ai?',
    ]
    for name in ("mine", "minr.yaml"):
        assert run("run", tmp_path / name).stderr.endswith("did you mean mine.yaml?\n")


def made(folder: Path, *options: str) -> str:
    result = run("exercise", folder / "exam.yaml", "-o", folder / "exam", *options)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_an_exercise_is_told_from_a_scenario(tmp_path: Path) -> None:
    refused = run("run", exam(tmp_path))
    assert refused.exit_code == 2
    assert refused.stderr.count("\n") == 1
    assert "this is an exercise, not a scenario; name its scenario" in refused.stderr


def test_a_report_has_the_title_of_the_exercise(tmp_path: Path) -> None:
    path = exam(tmp_path)
    made(tmp_path)
    for named in (path, tmp_path / "exam"):
        report = run("grade", named, tmp_path / "exam" / "exam_A_answers.yaml")
        assert report.stdout.startswith("Attention by hand\n"), report.output


def files_in(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def mended(folder: Path) -> tuple[str, str]:
    """Another number in the place of W_Q[1, 2] of form B; what that is called."""
    form = folder / "exam" / "forms" / "B.yaml"
    before, rows = form.read_text("utf-8").split("W_Q:\n", 1)
    first, others = rows.split("\n", 1)
    changed = re.sub(r", (-?[\d.]+)\]", ", 0.7]", first)
    assert changed != first
    form.write_text(f"{before}W_Q:\n{changed}\n{others}", "utf-8")
    return "B", "W_Q[1, 2]"


def test_the_folder_has_papers_forms_and_a_manifest(tmp_path: Path) -> None:
    exam(tmp_path)
    made(tmp_path)
    files = files_in(tmp_path / "exam")
    papers = {f"exam_{f}_{k}" for f in "ABCD" for k in ("sheet.txt", "key.txt", "answers.yaml")}
    assert files.keys() == {*papers, *(f"forms/{f}.yaml" for f in "ABCD"), "manifest.json"}
    manifest = load_manifest(tmp_path / "exam")
    for name, form in manifest.forms.items():
        (part,) = form.parts
        trace = work(load(tmp_path / "exam" / part.file))
        sheet = files[f"exam_{name}_sheet.txt"].decode()
        key = files[f"exam_{name}_key.txt"].decode()
        (answers,) = read_answers(tmp_path / "exam" / f"exam_{name}_answers.yaml")
        assert part.numbers == numbers_mark(trace)
        assert {answers.mark} == {form.hash} <= {*sheet.split()} & {*key.split()}
        assert answers.answers.keys() == part.asked.keys()
        assert form.points == sum(part.asked.values())
        assert "attn " not in sheet
        assert "seed" not in sheet
        assert f"attncli {__version__}, seed 1" in " ".join(key.split())
    assert len({form.parts[0].numbers for form in manifest.forms.values()}) == 4


def test_a_form_is_a_plain_scenario_with_the_numbers_of_its_sheet(tmp_path: Path) -> None:
    exam(tmp_path)
    made(tmp_path)
    path = tmp_path / "exam" / "forms" / "C.yaml"
    assert "Attention" not in path.read_text("utf-8")
    trace = work(load(path))
    key = (tmp_path / "exam" / "exam_C_key.txt").read_text("utf-8")
    for i, j in ((i, j) for i in range(3) for j in range(3)):
        weight = trace["weights"].number(i, j).shown
        assert f"{trace['weights'].address(i, j)}" in key
        assert str(weight) in key


def test_made_again_only_what_was_edited_changes_and_is_told(tmp_path: Path) -> None:
    exam(tmp_path)
    assert "unchanged" not in made(tmp_path)
    before = files_in(tmp_path / "exam")
    assert made(tmp_path).endswith("\nA, B, C, D unchanged\n")
    assert files_in(tmp_path / "exam") == before
    form, cell = mended(tmp_path)
    assert made(tmp_path).endswith(f"\n{form} changed: {cell}; A, C, D unchanged\n")
    after = files_in(tmp_path / "exam")
    others = {name for name in after if after[name] != before[name]} - {"manifest.json"}
    assert others == {
        "forms/B.yaml", "exam_B_sheet.txt", "exam_B_key.txt", "exam_B_answers.yaml"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        ("scale: none", "scale: sqrt_d_k", "other settings (scale)"),
        ("decimals: 3", "decimals: 2", "other settings (rounding)"),
        ("  - [2, 1]\n\nscale", "  - [2, 3]\n\nscale", "other numbers"),
        ("activation: relu", "activation: gelu", "other settings (activation)"),
    ],
)
def test_forms_cannot_follow_a_scenario_that_says_something_else(
    tmp_path: Path, was: str, now: str, told: str
) -> None:
    text = find("i_love_ai").read_text("utf-8")
    scenario, file, folder = (tmp_path / name for name in ("own.yaml", "exam.yaml", "exam"))
    scenario.write_text(text, "utf-8")
    file.write_text("scenario: own.yaml\nask: [softmax]\nforms: 2\n", "utf-8")
    words = ["exercise", str(file), "-o", str(folder)]
    assert CliRunner().invoke(app, words).exit_code == 0
    before = files_in(folder)
    scenario.write_text(text.replace(was, now), "utf-8")
    assert text.count(was) == 1
    refused = CliRunner().invoke(app, words)
    assert refused.exit_code == 2
    assert f"the forms A, B were made with {told} than" in refused.stderr
    assert f"make them anew with `attn exercise {file} -o {folder} --force`" in refused.stderr
    assert files_in(folder) == before
    anew = CliRunner().invoke(app, [*words, "--force"])
    assert anew.exit_code == 0
    assert "unchanged" not in anew.stdout
    assert now.strip().splitlines()[0] in (folder / "forms" / "A.yaml").read_text("utf-8")
    assert CliRunner().invoke(app, words).stdout.endswith("A, B unchanged\n")
    file.write_text("scenario: own.yaml\nask: [softmax, weighted_sum]\nforms: 2\n", "utf-8")
    asked = CliRunner().invoke(app, words).stdout
    assert asked.endswith("A, B with other questions about the same numbers\n")


def test_a_title_changes_no_numbers_and_no_hash_of_them(tmp_path: Path) -> None:
    exam(tmp_path)
    made(tmp_path)
    before = files_in(tmp_path / "exam")
    manifest = load_manifest(tmp_path / "exam")
    exam(tmp_path, EXAM.replace("by hand", "on paper"))
    assert "A, B, C, D unchanged" in made(tmp_path)
    after = files_in(tmp_path / "exam")
    assert {f for f in after if after[f] == before[f]} == {f"forms/{f}.yaml" for f in "ABCD"}
    again = load_manifest(tmp_path / "exam")
    assert again.forms == manifest.forms
    assert again.exercise == "Attention on paper"


def test_what_somebody_changed_by_hand_is_not_written_over(tmp_path: Path) -> None:
    exam(tmp_path)
    made(tmp_path)
    sheet = tmp_path / "exam" / "exam_A_sheet.txt"
    sheet.write_text("mine", "utf-8")
    mended(tmp_path)
    before = files_in(tmp_path / "exam")
    result = CliRunner().invoke(
        app, ["exercise", str(tmp_path / "exam.yaml"), "-o", str(tmp_path / "exam")]
    )
    assert result.exit_code == 2
    assert "exam_A_sheet.txt: isn't as it was made; move it away" in result.stderr
    assert files_in(tmp_path / "exam") == before
    made(tmp_path, "--force")
    assert sheet.read_text("utf-8") != "mine"


def test_a_folder_made_again_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exam(tmp_path)
    made(tmp_path)
    mended(tmp_path)
    before = files_in(tmp_path / "exam")
    settled: list[Path] = []
    make = _FileMove.make

    def fails_later(move: _FileMove, *, keep: bool) -> None:
        if len(settled) == 9:
            raise OSError(28, "No space left on device")
        settled.append(move.place)
        make(move, keep=keep)

    monkeypatch.setattr(_FileMove, "make", fails_later)
    result = CliRunner().invoke(
        app, ["exercise", str(tmp_path / "exam.yaml"), "-o", str(tmp_path / "exam")]
    )
    assert result.exit_code == 2
    assert len(settled) == 9
    assert files_in(tmp_path / "exam") == before


@pytest.mark.parametrize("name", ["i_love_ai", "next_token", "yassine_gru", "sentencepiece"])
def test_a_pinned_scenario_has_the_numbers_of_the_original(name: str, tmp_path: Path) -> None:
    scenario = load(name).alone()
    path = tmp_path / "form.yaml"
    path.write_text(exported(name, (), scenario), "utf-8")
    for file, text in texts_beside(name).items():
        (tmp_path / file).write_text(text, "utf-8")
    own, other = work(scenario), work(load(path).alone())
    assert numbers_mark(own) == numbers_mark(other)
    assert [*own] == [*other]
    assert all((own[q].values == other[q].values).all() for q in own)


def test_in_which_words_a_tokenizer_is_told_is_in_no_hash() -> None:
    trace = work(load("bpe").alone())
    stack = trace.scenario.stack
    assert stack.text.tokenizing is not None
    own = stack.text.tokenizing

    def mark(**changed: Any) -> str:
        text = stack.text._replace(tokenizing=own._replace(**changed))
        return numbers_mark(
            replace(trace, scenario=replace(trace.scenario, stack=stack._replace(text=text)))
        )

    assert mark(phrases=()) == mark() == numbers_mark(trace)
    assert mark(words=()) != mark()
