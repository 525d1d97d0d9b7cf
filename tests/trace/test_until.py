"""Scenarios that end with a step, and what variants cost together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import load, work
from attncli.scenario import scenario
from attncli.scenario.file.problems import ScenarioError
from tests.helpers.pages import page_of, shipped_trace

BASE = {
    "tokens": ["a", "b"],
    "embeddings": {"a": [1, 2], "b": [3, 4]},
    "projection": "none",
    "block": "attention",
}


def test_a_scenario_ends_with_its_last_step() -> None:
    trace = work(load({**BASE, "until": "scores"}))
    assert [part.step for part in trace.story] == ["tokenize", "embed", "project", "scores"]
    assert trace.unfinished is None
    assert "scaled" not in trace
    assert "weights" not in trace
    assert "ends here" not in page_of(trace)


SCORES = {"scores": [[1, 2], [3, 4]]}
BESIDE: list[dict[str, Any]] = [
    {},
    {"scale": "none", "until": "softmax"},
    {"scale": 2, "until": "softmax", "W_Q": [[1, 0], [0, 1]]},
    {"until": "scores"},
    {"scale": "none", "V": [[1, 2], [3, 4]], "backward": True, "targets": [[1, 0], [0, 1]]},
    {"d_k": 4, "mask": "causal", "V": [[1, 2], [3, 4]]},
]


@pytest.mark.parametrize("more", BESIDE)
def test_what_is_given_is_what_the_story_continues_from(more: dict[str, Any]) -> None:
    """X beside scores: what would be made of it before these stops nothing."""
    without, both = (
        work(load({**given, **SCORES, **more})) for given in ({}, {"X": [[1, 1], [1, -1]]})
    )
    assert {*both} == {*without, "X"}
    assert str(both.unfinished) == str(without.unfinished)
    assert "W_V" not in page_of(both)


def test_what_the_next_step_waits_for_is_told() -> None:
    x = {"X": [[1, 1], [1, -1]], "scale": "none"}
    for more, needs in (
        ({**SCORES, **x}, "V needs W_V"),
        ({**SCORES, **x, "until": "weighted_sum"}, "V needs W_V"),
        ({**SCORES, "scale": "none"}, "output needs V"),
        ({**SCORES, **x, "scale": "sqrt_d_k"}, "scaled needs d_k"),
        ({**SCORES, "scale": "none", "W_V": [[1, 0], [0, 1]]}, "V needs X"),
    ):
        assert needs in str(work(load(more)).unfinished), more


def test_of_several_layers_the_last_one_ends() -> None:
    layers = [{"block": "attention"}, {"block": "attention"}]
    given = {key: value for key, value in BASE.items() if key != "block"}
    trace = work(load({**given, "layers": layers, "until": "softmax"}))
    assert "layers[1].output" in trace
    assert "layers[2].weights" in trace
    assert "layers[2].output" not in trace


@pytest.mark.parametrize(
    ("until", "said"), [("ffn", "doesn't go through ffn"), ("softmx", "softmax")]
)
def test_a_step_to_end_with_that_is_not_there(until: str, said: str) -> None:
    with pytest.raises(ScenarioError, match="until") as told:
        load({**BASE, "until": until})
    assert said in str(told.value)


def test_untrained_words_are_near_none_but_themselves() -> None:
    """The rows drawn by NumPy alone, and their dot products."""
    trace = shipped_trace("embedding_table")
    assert trace["embeddings"].matrix.shape == (30000, 768)
    drawn = np.random.RandomState(42).normal(0, 0.02, (30000, 768))[[104, 2310, 29871, 42]].round(4)
    assert np.array_equal(trace["X"].values, drawn)
    assert np.allclose(trace["scores"].values, drawn @ drawn.T, atol=0.00005)
    assert abs(trace["scores"].values - np.diag(np.diag(trace["scores"].values))).max() < 0.05
    after = trace.variants["after training"]["scores"].values
    assert after[0, 1] > 20 * after[0, 2] > 0


def test_a_small_variant_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of 23 million numbers may have many small variants, and no second one like it; one
    of a hundredth of them, which is drawn at once, where there may be a hundredth of the memory."""
    monkeypatch.setattr(scenario, "_MOST_MEMORY", scenario._MOST_MEMORY // 100)
    table = {"random": "normal", "seed": 1, "shape": [300, 768]}
    large = {"tokens": ["a"], "vocabulary": {"a": 7}, "embeddings": table, "block": "attention"}
    small = {str(k): {"embeddings": {"a": [k, 1]}} for k in range(20)}
    assert len(load({**large, "variants": small}).variants) == len(small)
    with pytest.raises(ScenarioError, match="too much"):
        load({**large, "variants": {"another": {"embeddings": {**table, "seed": 2}}}})
