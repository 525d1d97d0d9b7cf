"""Published methods that are shipped as equations, against programs written from their papers.

The numbers in `fixtures/any_formula` are of NumPy and PyTorch, to ten digits; `checked` says by
what. Those of mistakes are of another reader of the equations.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from attncli.steps.mistakes import all_made_wrongly
from attncli.steps.order import step_of
from attncli.trace import Trace
from tests.conftest import ROOT
from tests.helpers.pages import SHIPPED, trace_of

FIXTURES = ROOT / "tests" / "fixtures" / "any_formula"
METHODS = sorted(path.stem for path in FIXTURES.glob("*.json"))
MISTAKES = {"rwkv_time_mixing": {"bonus_kept"}, "hopfield_retrieval": {"beta_left_out"}}
"""Mistakes of which no other program has numbers."""


def numbers_of(method: str) -> dict[str, Any]:
    """The right numbers of a method, and those of its mistakes."""
    found: dict[str, Any] = json.loads((FIXTURES / f"{method}.json").read_text("utf-8"))
    return found


def exact(method: str) -> Trace:
    """The trace of a method without any rounding."""
    return trace_of(SHIPPED[method], "rounding.policy=exact")


def agrees(trace: Trace, name: str, expected: Any) -> bool:
    """Whether a quantity, or all of what is made of it at each time, has these numbers."""
    numbers = np.array(expected, dtype=float)
    if name in trace.quantities:
        return bool(np.allclose(_values(trace, name, numbers), numbers, rtol=1e-9, atol=1e-12))
    return all(
        np.allclose(_values(trace, f"{name}[{t}]", each), each, rtol=1e-9, atol=1e-12)
        for t, each in enumerate(numbers, start=1)
    )


def _values(trace: Trace, name: str, like: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    values = trace[name].values
    assert values.size == like.size
    return values.reshape(like.shape)


def wrongly(trace: Trace, mistake: str) -> Trace:
    """The trace with a mistake made wherever its step makes it."""
    changed = [
        definition
        for part in trace.story
        for each in step_of(part).mistakes
        if each.name == mistake
        for way in all_made_wrongly(trace, part, each)
        for definition in way
    ]
    assert changed
    return trace.remake(*changed)


def test_each_of_the_group_has_numbers() -> None:
    group = json.loads((ROOT / "scenarios" / "contents.json").read_text("utf-8"))
    assert sorted(group["Other ways to mix"]) == METHODS
    assert len(METHODS) == 10


@pytest.mark.parametrize("method", METHODS)
def test_every_quantity_has_the_numbers_of_its_paper(method: str) -> None:
    trace = exact(method)
    expected = numbers_of(method)["quantities"]
    assert [name for name in expected if not agrees(trace, name, expected[name])] == []


@pytest.mark.parametrize("method", METHODS)
def test_every_equation_has_numbers_to_be_held_against(method: str) -> None:
    trace = exact(method)
    made = {
        line.equation.target.name
        for step in trace.scenario.plan.written.steps
        for line in step.lines
        if hasattr(line.equation.target, "bounds")
    }
    assert made == set(numbers_of(method)["quantities"])


@pytest.mark.parametrize("method", METHODS)
def test_every_mistake_gives_its_numbers(method: str) -> None:
    trace = exact(method)
    mistakes = numbers_of(method).get("if_mistaken", {})
    for mistake, expected in mistakes.items():
        wrong = wrongly(trace, mistake)
        assert [name for name in expected if not agrees(wrong, name, expected[name])] == []
        others = numbers_of(method)["quantities"].keys() - expected
        right = numbers_of(method)["quantities"]
        assert [name for name in others if not agrees(wrong, name, right[name])] == []
    declared = {each.name for part in trace.story for each in step_of(part).mistakes}
    assert declared == mistakes.keys() | MISTAKES.get(method, set())


@pytest.mark.parametrize(
    ("method", "mistake"), [(name, each) for name, found in MISTAKES.items() for each in found]
)
def test_a_mistake_changes_what_follows(method: str, mistake: str) -> None:
    trace, right = exact(method), numbers_of(method)["quantities"]
    wrong = wrongly(trace, mistake)
    assert any(not agrees(wrong, name, right[name]) for name in right)
