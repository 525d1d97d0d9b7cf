"""What the page for the next lesson asks: cells in which the mistake shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from attncli.classroom.exercises.next_lesson import to_try
from attncli.judging.judging import Judge
from attncli.judging.verdicts import Accepted, Cause, Given, Verdict
from attncli.maths.equations.tree import Location
from attncli.pages.check import made_wrongly_by
from tests.helpers.marking_cases import run
from tests.helpers.pages import shipped_trace

CAUSAL = "i_love_tennis_causal"


@pytest.mark.parametrize("scenario", [CAUSAL, "encoder_block", "three_tokens_two_heads"])
def test_what_is_asked_shows_the_mistake(scenario: str) -> None:
    """The mistake changes what is asked, and nothing of what is given."""
    trace = shipped_trace(scenario)
    judge, told = Judge(trace), 0
    for way in judge.hypotheses.ways:
        name, cause = way.definitions[0].name, Cause(way.name, way.says)
        cell, right = Location(name, 0, 0), trace[name].number(0, 0)
        verdict = Verdict(cell, Given("0"), right, Accepted(0, 0), "known mistake", cause)
        wrong = made_wrongly_by(judge, trace, verdict)
        if wrong is None or (wrong[name].values == trace[name].values).all():
            continue
        task, told = to_try(trace, verdict), told + 1
        (q, i, j), whole = task.cell, len(task.made) > 1
        where = i if whole else (i, j)
        assert not np.array_equal(wrong[q].values[where], trace[q].values[where]), way.name
        for given in task.given:
            assert np.array_equal(wrong[given].values, trace[given].values, equal_nan=True)
        assert {*task.given}.isdisjoint(task.made)
        assert whole == (len(task.answer) > 1)
    assert told > 10


def test_weights_set_to_0_are_asked_as_a_row(tmp_path: Path) -> None:
    """Of what is hidden after the softmax; from the sums of powers nobody could tell it."""
    trace = shipped_trace(CAUSAL)
    powers = np.exp(trace["scaled"].values)
    weights = np.tril(powers / powers.sum(axis=1, keepdims=True))
    answers = {
        trace["weights"].address(i, j): f"{weights[i, j]:.3f}" for i, j in np.ndindex(weights.shape)
    }
    (tmp_path / "answers").mkdir()
    data = {"student": "Ada", "answers": answers}
    (tmp_path / "answers" / "Ada.yaml").write_text(json.dumps(data), "utf-8")
    words = ("grade", CAUSAL, tmp_path / "answers", "-o", f"{tmp_path}/marked/")
    assert run(*words).exit_code == 1
    page = (tmp_path / "marked" / "next_lesson.md").read_text("utf-8")
    task = page.partition("To try")[2].partition("## ")[0]
    assert "Setting weights to 0 after the softmax" in page
    assert re.search(r"Work out `?weights\[[^\],]*\]`?\.", task)
    assert "scaled" in task
    assert "mask" in task
    assert not re.search(r"\bexp\b|exp_sum", task)
    answer = page.partition("## Answers")[2]
    for name in ("masked", "exp", "exp_sum", "weights"):
        assert name in answer
