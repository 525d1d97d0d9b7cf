"""Exercises on read-outs of recurrent cells, their losses, the way back and the updates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from attncli import load, work
from attncli.classroom.forms.search import forms
from attncli.classroom.marking.exam import cell_of
from attncli.document.questions import Item
from attncli.judging.judging import Judge
from attncli.judging.verdicts import Given
from attncli.maths.numbers.decimals import places
from tests.classroom.exercises.test_design import asked_in
from tests.classroom.exercises.test_exercise import steps_of
from tests.classroom.made import papers, questions, request_for
from tests.classroom.stress import stress, trial
from tests.conftest import FEWER, THOROUGH, sampled
from tests.helpers.marking_cases import run
from tests.helpers.pages import shipped_trace, trace_of
from tests.helpers.plain import read
from tests.helpers.strategies import trainings, workable
from tests.steps.test_backward import SALT

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


@sampled(5, step=STEPS)
def test_keys_of_new_numbers_are_derived_again(step: str) -> None:
    trials = stress("rnn_backward_through_time", [step], 2, [TRAIN[1]])
    assert [trial.disagreements for trial in trials] == [(), ()]


@sampled(5, step=["softmax", "backward_loss", "backward_softmax", "backward_project", "update"])
def test_forms_of_a_scenario_of_zeros_and_ones(step: str) -> None:
    """Its numbers are small for being mostly 0; those of a form, which aren't, are to be small."""
    asked = asked_in(shipped_trace("learning_to_attend"), step)
    count = 2 if THOROUGH else 1
    made = [work(form) for form in forms(load("learning_to_attend"), count, 1, asked=asked)]
    given = {trace["X"].values.tobytes() for trace in (shipped_trace("learning_to_attend"), *made)}
    assert len(given) == 1 + count
    for trace in made:
        scores = trace["Q"].values @ trace["K"].values.T
        assert np.exp(scores).max() < 100
        assert np.exp(trace["logits"].values).max() < 100
        assert (trace["X"].values == trace["X"].values.round()).all()  # integers as they were


HALVES = {
    "title": "two targets",
    "sentence": "I love",
    "vocabulary": {"I": 0, "love": 1, "AI": 2},
    "embeddings": {"I": [0.12, -0.56], "love": [-0.31, 0.07], "AI": [0.44, 0.25]},
    "unembedding": [[-1, 1, 1], [0, 1, -1]],
    "targets": ["love", "AI"],
    "train": {"of": ["embeddings"], "learning_rate": 1, "steps": 3},
}


@sampled(1, seed=[1, 2, 3])
def test_halves_of_what_was_rounded_keep_no_form_away(seed: int) -> None:
    """grad.logits is (p − y) / 2: every other one of the 18 asked for ends in a 5 that is cut off,
    so that chance would keep all of them off an edge once in thousands of times."""
    scenario = load(HALVES)
    asked = asked_in(work(scenario), "backward_loss")
    made = [work(form) for form in forms(scenario, 3, seed, asked=asked)]
    assert len({trace["X"].values.tobytes() for trace in made}) == 3
    at_edges = 0
    for trace in made:
        for name in ("", "train[1].", "train[2]."):
            half = (trace[f"{name}probabilities"].values - [[0, 1, 0], [0, 0, 1]]) / 2 * 1000
            off = np.abs(half - np.floor(half) - 0.5)
            assert ((off < 1e-9) | (off > 0.499)).all()
            at_edges += int((off < 1e-9).sum())
    assert at_edges > 10


def test_forms_of_a_step_back_are_made_and_their_keys_are_right(tmp_path: Path) -> None:
    exam = tmp_path / "exam.yaml"
    exam.write_text(
        "scenario: embedding_before_during_after\nask: [backward_loss]\nforms: 2\n", "utf-8"
    )
    done = run("exercise", exam, "--format", "yaml", "-o", f"{tmp_path}/exam/")
    assert done.exit_code == 0, done.output
    keys = [*tmp_path.glob("exam/*_key.yaml")]
    assert len(keys) == 2
    for key in keys:
        report = run("grade", exam, key)
        assert report.exit_code == 0, report.output
        assert "Every number follows." in report.stdout


def test_a_few_halves_are_kept_off_edges() -> None:
    scenario = load(HALVES, ["train={learning_rate: 1}"])
    for form in forms(scenario, 2, 1, asked=["grad.logits"]):
        trace = work(form)
        half = (trace["probabilities"].values - [[0, 1, 0], [0, 0, 1]]) / 2 * 1000
        assert (np.abs(half - np.rint(half)) < 1e-9).all()


def test_what_says_itself_is_not_asked_for(tmp_path: Path) -> None:
    """The mean of a single loss is that loss, and the 1 of the way back stands in its formula."""
    asked = ("--step", "loss", "--step", "backward_loss")
    done = run("exercise", "learning_to_attend", *asked)
    assert "Compute: loss[it] (1 point); perplexity (1 point)." in done.stdout
    assert "cross_entropy │" not in done.stdout  # a table of it would tell the loss
    assert (
        "Compute for the query “it”: grad.loss[it] (1 point); the three numbers of" in done.stdout
    )
    two = run("exercise", "embedding_before_during_after", "--step", "loss").stdout
    assert "cross_entropy (1 point)" in two  # the mean of several
    cell = run("exercise", "learning_to_attend", "--cell", "cross_entropy")
    assert "Compute cross_entropy.\n" in cell.stdout
    made = ("--format", "yaml", "--key", "separate", "-o", f"{tmp_path}/made/")
    assert run("exercise", "learning_to_attend", *asked, *made).exit_code == 0
    key = tmp_path / "made" / "learning_to_attend_key.yaml"
    report = run("grade", "learning_to_attend", key)
    assert report.exit_code == 0, report.output


def test_a_loss_of_one_target_is_asked_without_its_row(tmp_path: Path) -> None:
    asked = ("--cell", "train[1].loss", "--format", "yaml", "-o", f"{tmp_path}/")
    done = run("exercise", "learning_to_attend", *asked)
    assert done.exit_code == 0, done.output
    (key,) = tmp_path.glob("*_key.yaml")
    assert '"train[1].loss[it]": 0.3' in key.read_text("utf-8")
    bare = tmp_path / "bare.yaml"
    bare.write_text("answers: {'train[1].loss': 0.30}", "utf-8")
    report = run("grade", "learning_to_attend", str(bare))
    assert report.exit_code == 0, report.output


@settings(max_examples=max(FEWER // 2, 1))
@given(trainings(), st.data())
def test_keys_of_random_trainings(text: str, data: st.DataObject) -> None:
    """By the oracle, and marked: every number of the key is right."""
    with workable():
        trace = trace_of(text)
        step = data.draw(st.sampled_from(steps_of(trace)))
        wanted = request_for(trace, steps=[step])
        whole = papers(trace, wanted).whole
    assert trial(read(text), None, trace, wanted, "A").disagreements == ()
    answers = {cell_of(trace, q.id): given_as(q) for q in questions(whole)}
    found = Judge(trace).verdicts(answers)
    assert {v.judgement for v in found} <= {"correct"}


def given_as(question: Item) -> Given:
    """The key's number, as a student writes it."""
    assert question.key is not None
    number = question.key.number.shown
    return Given(str(number), number, places(number))


@sampled(3, step=["loss", "unembed", "softmax", "scores", "project", "embed"])
def test_an_exercise_on_a_step_back_can_be_trusted(step: str, tmp_path: Any) -> None:
    path = tmp_path / "salt.yaml"
    path.write_text(SALT, "utf-8")
    trials = stress(str(path), [f"backward_{step}"], 2)
    assert [trial.disagreements for trial in trials] == [(), ()]
