"""Steps that are declared in files of YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attncli.steps
from attncli.maths.numbers.rounding import Array
from attncli.maths.operations.activations import Activate, Add, DivideBy, Dropout, Multiply, SoftCap
from attncli.maths.operations.attention import LowRankUpdate, MatMul
from attncli.maths.operations.equation import EquationText, Indexed, is_a
from attncli.pipeline import load, work
from attncli.scenario.file.problems import ScenarioError
from attncli.steps.declared import declared
from attncli.steps.order import ORDER, step_named
from attncli.steps.step import Step
from attncli.trace import PlannedStep

FILES = {line.step: line.module for line in ORDER if line.module.endswith(".yaml")}
FOLDER = Path(attncli.steps.__file__).parent
TEXT = (FOLDER / FILES["temperature"]).read_text("utf-8")

MASK = "dropout={p: 0.5, mask: [[1, 0, 1], [1, 1, 1], [0, 1, 1]]}"
ADAPTER = "lora={W_Q: {A: [[1, 0.5]], B: [[-0.25], [0.5]], alpha: 4}}"


def taken(name: str, change: str) -> tuple[Step[Any], PlannedStep]:
    story = load("i_love_ai", change).plan.story
    return step_named(name), next(part for part in story if part.step == name)


@pytest.mark.parametrize(
    ("name", "change", "right", "wrong"),
    [
        ("temperature", "temperature=2", [DivideBy], "MultiplyBy"),
        ("softcap", "softcap=2", [SoftCap], "Activate"),
        ("dropout", MASK, [Dropout], "Multiply"),
        ("lora", ADAPTER, [MatMul, LowRankUpdate, Add], ""),
    ],
)
def test_an_equation_is_our_operation_that_has_its_tree(
    name: str, change: str, right: list[type[Indexed] | EquationText], wrong: str
) -> None:
    step, part = taken(name, change)
    made = [definition.operation for definition in part.definitions]
    assert len(made) == len(right)
    assert all(is_a(own, kind) for own, kind in zip(made, right, strict=True))
    ((mistaken,),) = step.mistakes[0].ways(part.place, part.definitions)
    texts = {"Multiply": Multiply}
    kinds = {"MultiplyBy", "Activate"}
    if wrong in texts:
        assert is_a(mistaken.operation, texts[wrong])
    if wrong in kinds:
        assert type(mistaken.operation).__name__ == wrong
    if wrong == "Activate":
        assert mistaken.operation == Activate("tanh")


X, T = np.array([[1.5, -1.5, 0.5], [1, -1, -2]]), 1.5
EXACT = {"policy": "exact"}
VALUES = {
    "x[i, j] if abs(x[i, j]) >= temperature else 0": np.where(abs(X) >= T, X, 0),
    "0 if abs(x[i, j]) < temperature else x[i, j]": np.where(abs(X) >= T, X, 0),
    "x[i, j] if -1 <= x[i, j] < temperature else 2": np.where((X >= -1) & (X < T), X, 2),
    "x[i, j] if x[i, j] > 1 or x[i, j] <= -temperature else 0": np.where((X > 1) | (X <= -T), X, 0),
    "1 if x[i, j] == 1 and temperature != 2 else sigmoid(x[i, j])": np.where(
        X == 1, 1, 1 / (1 + np.exp(-X))
    ),
    "relu(x[i, j]) + softplus(x[i, j])": np.maximum(X, 0) + np.log(1 + np.exp(X)),
}


@pytest.mark.parametrize(("value", "right"), VALUES.items())
def test_conditions_and_functions_are_those_of_a_scenario(value: str, right: Array) -> None:
    """A step in a file says what the equations of a scenario say."""
    equation = f"y[i, j] = {value.replace('temperature', str(T))}"
    trace = work(load({"given": {"x": X.tolist()}, "equations": [equation], "rounding": EXACT}))
    assert np.allclose(trace["y"].values, right)
    step = declared("temperature", TEXT.replace("x[i, j] / temperature", value), "file.yaml")
    (own,) = step.results.plan(taken("temperature", f"temperature={T}")[1].place)
    assert isinstance(own.operation, Indexed)
    assert np.allclose(own.operation.arrays([X]), right)


def test_all_files_are_in_the_order() -> None:
    there = {file.relative_to(FOLDER).as_posix() for file in FOLDER.rglob("*.yaml")}
    assert there == {*FILES.values()}
    assert len(there) >= 4


def test_what_happens_depends_on_what_is_said() -> None:
    step, part = taken("softcap", "softcap=2")
    assert "hidden" not in step.words.happens(part.place)
    story = load("i_love_ai", ["softcap=2", "softcap_order=after_mask", "mask=causal"]).plan.story
    part = next(part for part in story if part.step == "softcap")
    assert str(step.words.happens(part.place)).endswith(". A hidden score, −∞, becomes −2.")


@pytest.mark.parametrize(
    ("was", "now", "place", "wrong"),
    [
        ("title: Temperature\n", "", "2:1", "a step without title"),
        ("pictures:", "picture:", "17:1", 'unknown key "picture"; did you mean pictures?'),
        ("positive number", "positive", "5:11", "did you mean positive number?"),
        ("/ temperature", "/ temperatur", "16:41", "nothing is called temperatur; did you mean"),
        ("= x[i, j]", "= y[i, j]", "16:31", "nothing is called y"),
        ("= x[i, j]", "= x[i]", "16:31", "x has 2 sides, here 1; its sides are n, m"),
        ("tempered[i, j] =", "tempered[i, l] =", "16:30", "nothing says how far l goes"),
        ("tempered[i, j] =", "tempered[i, j] :", "16:29", ": has no meaning"),
        ("x[i, j] * temp", "x[i, j] * * temp", "25:36", "* can't stand here"),
        ("x[i, j] / temp", "x[i + 1, j] / temp", "16:31", "i + 1 goes along nothing"),
        ("x[i, j] / temp", "floor(x[i, j]) / temp", "16:31", "no part of an equation"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_place(
    was: str, now: str, place: str, wrong: str
) -> None:
    assert TEXT.count(was) == 1
    with pytest.raises(ScenarioError) as caught:
        declared("temperature", TEXT.replace(was, now), "a.yaml")
    (told,) = map(str, caught.value.problems)
    assert told.startswith(f"a.yaml:{place}: ")
    assert wrong in told
