"""Traces: replaying, the starts that a scenario may choose, what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli import ScenarioError, load, work
from attncli.maths.operations.softmax import DivideByColumnSum
from attncli.names import Name
from attncli.pipeline import outline
from attncli.steps import step_named
from attncli.steps.attention import scores
from attncli.steps.mistakes import all_made_wrongly
from attncli.trace import CellPlace, Definition, HeadPlace, Place
from attncli.trace.trace import outline_of
from tests.conftest import sampled
from tests.helpers.pages import LIGHT, SHIPPED, page_of, shipped_trace, trace_of
from tests.helpers.strategies import scenarios, workable


def test_replay_works_again_what_follows() -> None:
    trace = work(load("i_love_ai"))
    theirs = trace["scores"].values.copy()
    theirs[0, 1] = 1
    replayed = trace.replay({"scores": theirs})
    assert replayed["scores"].values[0, 1] == 1
    assert replayed["weights"].values[0].tolist() == [0.333, 0.333, 0.333]
    assert replayed["weights"].values[1].tolist() == trace["weights"].values[1].tolist()
    assert replayed.quantities["Q"] is trace.quantities["Q"]
    assert trace["weights"].values[0].tolist() == [0.422, 0.155, 0.422]  # nothing is mutated


@sampled(3, name=LIGHT)
def test_an_outline_is_that_of_the_worked_scenario(name: str) -> None:
    told, worked = outline(name), outline_of(shipped_trace(name))
    assert [(part.step, part.path) for part in told.parts] == [
        (part.step, part.path) for part in worked.parts
    ]
    assert told.shapes == worked.shapes


@pytest.fixture
def other_steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Steps may be put in the place of others, which are kept once they are found."""
    step_named.cache_clear()
    yield monkeypatch
    step_named.cache_clear()


def test_a_story_is_planned_once(other_steps: pytest.MonkeyPatch) -> None:
    planned: list[Place] = []
    own = scores.SCORES_STEP

    def plan(place: HeadPlace) -> tuple[Definition, ...]:
        planned.append(place)
        return own.results.plan(place)

    other_steps.setattr(
        scores, "SCORES_STEP", own._replace(results=own.results._replace(plan=plan))
    )
    scenario = load("i_love_tennis_causal")
    trace = work(scenario)
    assert len(planned) == 1 + len(scenario.variants) > 1
    other = scenario.with_matrices({Name("W_Q"): scenario.given.matrices[Name("W_K")]})
    again = work(other)  # other numbers have the same story, and its places know them
    assert len(planned) == 1 + len(scenario.variants)
    assert again["Q"].values.tolist() == trace["K"].values.tolist()
    assert all(part.place.scenario is other for part in again.story)


@given(scenarios(), st.data())
def test_replaying_the_same_numbers_changes_nothing(text: str, data: st.DataObject) -> None:
    with workable():
        trace = trace_of(text)
    name = data.draw(st.sampled_from(sorted(trace)))
    replayed = trace.replay({name: trace[name].values})
    for other in trace:
        # under `exact` replaced numbers count as written, so that sums of them have no noise
        noise = 0.0 if trace.rounding.carries else 1e-13
        before, after = trace[other].values, replayed[other].values
        np.testing.assert_allclose(after, before, rtol=noise, atol=noise)


def test_replay_refuses_other_shapes_and_names() -> None:
    trace = work(load("i_love_ai"))
    with pytest.raises(ValueError, match="scores"):
        trace.replay({"scores": [[1, 2, 3]]})
    with pytest.raises(KeyError):
        trace.replay({"scares": [[1]]})


def test_replaced_numbers_stay_as_they_are_written() -> None:
    trace = work(load("i_love_ai"))
    theirs = [
        [Decimal(x) for x in row] for row in (("0.42", "0.16", "0.42"), ("0.2", "0.2", "0.6"))
    ]
    theirs.append(theirs[1])
    replayed = trace.replay({"weights": theirs})
    assert str(replayed["weights"].matrix.number(0, 0).shown) == "0.42"
    assert replayed["output"].values[0].tolist() == [2.0, 2.26]
    numbers: list[list[float]] = [[1.23456, 0, 1], [1, 1, 2], [2, 1, 3]]
    scores = trace.replay({"scores": numbers})
    assert page_of(scores).count("≈") == 0
    assert "e^1.23456 = 3.437" in page_of(scores).replace("=  3", "= 3")


def test_replays_add_up() -> None:
    trace = work(load("i_love_ai"))
    scores = [[5, 0, 1], [1, 1, 2], [2, 1, 3]]
    again = trace.replay({"scores": scores}).replay({"Q": [[1, 1], [1, 1], [1, 1]]})
    assert again["scores"].values.tolist() == scores
    mistake = Definition(Name("weights"), DivideByColumnSum(), (Name("exp"),), "softmax")
    both = trace.remake(mistake).replay({"scores": scores})
    assert both["weights"].values.sum(axis=0).round(2).tolist() == [1, 1, 1]
    sums = trace.replay({"exp_sum": [6.436, 12.825, 30]})
    assert sums["weights"].values[2, 2] == 0.67  # 20.086 / 30


def test_a_replay_never_rearranges() -> None:
    trace = work(load("i_love_ai"))
    with pytest.raises(ValueError, match=r"V has the shape \(3, 2\), not \(2, 3\)"):
        trace.replay({"V": np.ones((2, 3))})
    with pytest.raises(KeyError, match="not made"):
        trace.remake(Definition(Name("W_Q"), DivideByColumnSum(), (Name("exp"),), "project"))


def test_a_mistake_is_a_replay() -> None:
    trace = work(load("i_love_ai"))
    wrong = trace.remake(
        Definition(Name("weights"), DivideByColumnSum(), (Name("exp"),), "softmax")
    )
    assert wrong["weights"].values[0, 0] == 0.212  # 2.718 / 12.825
    assert wrong["output"].values.tolist() != trace["output"].values.tolist()


def test_a_step_is_planned_only_where_it_makes_sense(other_steps: pytest.MonkeyPatch) -> None:
    step: Any = scores.SCORES_STEP
    other_steps.setattr(scores, "SCORES_STEP", step._replace(at=CellPlace))
    with pytest.raises(TypeError, match="scores is taken at a CellPlace, not at a HeadPlace"):
        load("i_love_ai")


def test_values_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        work(load("i_love_ai"))["weights"].values[0, 0] = 1


@pytest.mark.parametrize(
    ("text", "made", "missing"),
    [
        ("weights: [[1]]", [], ("weighted_sum", ("V",))),
        ("weights: [[1]]\nV: [[2, 3]]", ["output"], ("ffn", ("W1",))),
        ("scores: [[1, 2]]\nscale: none", ["exp", "exp_sum", "weights"], ("weighted_sum", ("V",))),
        ("scores: [[1, 2]]", [], ("scale", ("d_k",))),
        (
            "scores: [[1, 2]]\nscale: 4",
            ["scaled", "exp", "exp_sum", "weights"],
            ("weighted_sum", ("V",)),
        ),
        ("Q: [[1]]", [], ("scores", ("K",))),
        (
            "Q: [[1]]\nK: [[1]]\nscale: none",
            ["scores", "exp", "exp_sum", "weights"],
            ("weighted_sum", ("V",)),
        ),
        ("sentence: a b", [], ("embed", ("embeddings",))),
        ("output: [[1]]\nW1: [[1]]\nactivation: none", ["hidden"], ("ffn", ("W2",))),
        ("output: [[1]]\nW1: [[1]]\nW2: [[1]]\nactivation: none", ["hidden", "ffn"], None),
        ("title: nothing", [], ("embed", ("embeddings",))),
    ],
)
def test_a_trace_starts_from_what_is_given(
    text: str, made: list[str], missing: tuple[str, tuple[str, ...]] | None
) -> None:
    trace = trace_of(text + "\n")
    assert [name for name in trace if not trace[name].given] == made
    ends = trace.unfinished
    assert (None if ends is None else (ends.definition.step, ends.missing)) == missing


def test_what_only_a_given_quantity_would_need_is_left_out() -> None:
    trace = trace_of(SHIPPED["i_love_ai"], "weights=[[1,0,0],[0,1,0],[0,0,1]]")
    made = [name for name in trace if not trace[name].given]
    assert made == ["X", "V", "output", "hidden", "activated", "ffn"]
    assert trace["output"].values.tolist() == trace["V"].values.tolist()


def test_arrays_as_scenarios() -> None:
    rng = np.random.default_rng(2)
    X, W_Q, W_K = (rng.normal(size=(3, 3)) for _ in range(3))
    trace = work(load({"X": X, "W_Q": W_Q, "W_K": W_K, "rounding": {"policy": "exact"}}))
    np.testing.assert_allclose(trace["scores"].values, X @ W_Q @ (X @ W_K).T, rtol=1e-12)
    carried = work(load({"X": X, "W_Q": W_Q, "W_K": W_K}))
    assert carried["X"].values.tolist() == np.round(X, 3).tolist()
    assert not np.array_equal(X, np.round(X, 3))  # the caller's array is left alone


def test_a_row_of_exponentials_that_vanish() -> None:
    text = "scores: [[1, 2], [-9, -12]]\nscale: none\n"
    with pytest.raises(ScenarioError, match=r"exp, row 2: .* rounds to 0 .*; 4 decimals would do"):
        trace_of(text)
    assert trace_of(text, "rounding.decimals=4")["exp"].values[1].tolist() == [0.0001, 0]
    with pytest.raises(ScenarioError, match="the policy exact"):
        trace_of("scores: [[-90]]\nscale: none\n")
    assert (
        trace_of("scores: [[-900]]\nscale: none\nrounding: {policy: exact}\n")["weights"].values
        == 1
    )


def test_results_that_leave_the_range_of_floats() -> None:
    with pytest.raises(ScenarioError, match="too large to work with"):
        trace_of("Q: [[1e200]]\nK: [[1e200]]\nscale: none\nrounding: {policy: exact}\n")


def test_integers_stay_integers_and_given_numbers_as_written() -> None:
    trace = trace_of("X: [[1.0, 2]]\nW_Q: [[2, 0], [1, 1]]\nW_V: [[0.5], [1]]\n")
    texts = [
        [str(trace[name].matrix.number(0, j).shown) for j in range(w)]
        for name, w in (("X", 2), ("Q", 2), ("V", 1))
    ]
    assert texts == [["1.0", "2"], ["4.0", "2.0"], ["2.50"]]


@pytest.mark.parametrize("name", ["encoder_block", "yassine_rnn"])
def test_what_is_made_rightly_or_wrongly_knows_its_step(name: str) -> None:
    trace = shipped_trace(name)
    for part in trace.story:
        assert {d.step for d in part.definitions} <= {part.step}
        for mistake in step_named(part.step).mistakes:
            for wrong in all_made_wrongly(trace, part, mistake):
                assert {d.step for d in wrong} == {part.step}
