"""Exercises that are files: what they may say, and what comes of it."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from attncli.building.exercise_file import load_exercise
from attncli.file.problems import ScenarioError
from attncli.telling.exercise.papers import exercise
from attncli.telling.exercise.requests import request_of
from attncli.telling.selection import SelectionError
from tests.exercises import questions
from tests.pages import SHIPPED, trace_of

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
    ordered = load_exercise(path)
    whole = exercise(trace, request_of(trace, ordered), "A", "it", ordered.frame)
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
    "ask: [sofmax]": "exam.yaml:2:7: the text \"sofmax\" is no step; did you mean softmax?",
    "ask: [{blank: al}]": "exam.yaml:2:15: the text \"al\": no such choice",
    "ask: [{points: 0}]": "exam.yaml:2:16: 0 is not above zero",
    "ask: [{cell: 'exp[I, I]', step: softmax}]": "a cell is one number, and step beside it",
    "points: {softmx: 1}": "exam.yaml:2:10: the text \"softmx\" is no step, and no step makes it",
    "layout: narrow": "exam.yaml:2:9",
    "language: fr": "exam.yaml:2:11",
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


def test_an_exercise_without_a_scenario_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="no scenario to ask about; say one"):
        load_exercise(exam(tmp_path, "exercise: It\n"))
