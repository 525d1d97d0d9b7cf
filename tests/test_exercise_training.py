"""Exercises on read-outs of recurrent cells, their losses, the way back and the updates."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attncli.arithmetic.decimals import places
from attncli.marking.grading.addresses import cell_of
from attncli.marking.judging import Judge
from attncli.marking.verdicts import Given
from attncli.questions import Question
from attncli.telling.exercise.trust import trial
from tests.conftest import FEWER, sampled
from tests.exercises import papers, questions, wish
from tests.marking_cases import run
from tests.pages import trace_of
from tests.plain import read
from tests.strategies import trainings, workable
from tests.test_exercise import steps_of

STEPS = [
    "readout", "readouts", "binary_loss", "backward_binary_loss", "backward_readouts",
    "backward_readout", "backward_state", "update", "progress",
]  # fmt: skip
TRAIN = ("--set", "train={learning_rate: 0.1, clip: 0.1}")


@sampled(3, step=STEPS)
def test_the_key_earns_full_marks(step: str, tmp_path: Path) -> None:
    made = tmp_path / "made"
    asked = ("--step", step, *TRAIN, "--format", "yaml", "-o", f"{made}/")
    done = run("exercise", "rnn_backward_through_time", *asked)
    assert done.exit_code == 0, done.output
    (key,) = made.glob("*_key.yaml")
    report = run("grade", "rnn_backward_through_time", key, *TRAIN)
    assert report.exit_code == 0, report.output
    assert "Every number follows." in report.stdout


@sampled(3, step=STEPS)
def test_keys_of_new_numbers_are_derived_again(step: str) -> None:
    report = run("exercise", "rnn_backward_through_time", "--step", step, *TRAIN, "--stress", "2")
    assert report.exit_code == 0, report.output
    (told,) = (line for line in report.stdout.splitlines() if "Disagreements" in line)
    assert "none" in told


@pytest.mark.slow
@settings(max_examples=max(FEWER // 2, 1))
@given(trainings(), st.data())
def test_keys_of_random_trainings(text: str, data: st.DataObject) -> None:
    """By the oracle, and marked: every number of the key is right."""
    with workable():
        trace = trace_of(text)
        step = data.draw(st.sampled_from(steps_of(trace)))
        wanted = wish(trace, steps=[step])
        whole = papers(trace, wanted).whole
    assert trial(read(text), None, trace, wanted, "A").disagreements == ()
    answers = {cell_of(trace, one.id): given_as(one) for one in questions(whole)}
    found = Judge(trace).verdicts(answers)
    assert {one.judgement for one in found} <= {"correct"}


def given_as(question: Question) -> Given:
    """The key's number, as a student writes it."""
    assert question.key is not None
    number = question.key.number.shown
    return Given(str(number), number, places(number))
