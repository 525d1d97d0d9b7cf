"""The way back at a glance, and gradients beside central differences."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attncli import load, work
from attncli.document.blocks import Callout, Table
from attncli.document.pictures import Curves
from attncli.names import Word
from attncli.option_values import Pictures
from attncli.pages.parts.gradients import chain_of
from attncli.pages.parts.selection import select
from attncli.steps import step_named
from attncli.trace.slopes import checked, gradients_of
from tests.conftest import sampled
from tests.helpers.marking_cases import run
from tests.steps.test_losses import PLANE, WORDS, YES_NO, written

GRU = {
    "sentence": "a b",
    "embeddings": {"a": [1, 0], "b": [0, 1]},
    "cell": "gru",
    **{f"W_{gate}{of}": [["0.5", "-0.3"], ["0.2", "0.4"]] for gate in "ruc" for of in "xa"},
    "initial_state": ["0.5", "-0.5"],
    "targets": [[0, 1], [1, 0]],
    "backward": True,
}
THROUGH_TIME = ["targets=[[1]]", "readout_from=last", "backward=true"]
NEXT = ["targets=[can, go, alone]", "predict_from=every", "generate=1", "backward=true"]
CHECKED: dict[str, tuple[str | Mapping[str, Any], list[str]]] = {
    "plane": (PLANE, []),
    "trained": (PLANE, ["train={learning_rate: 0.1, steps: 2}"]),
    "words": (WORDS, ["label_smoothing=0.1"]),
    "yes_no": (YES_NO, []),
    "gru": (GRU, []),
    "through_time": ("yassine_rnn_sentence", THROUGH_TIME),
    "lstm": ("yassine_lstm", ["targets=[[1]]", "backward=true"]),
    "next_token": ("next_token", NEXT),
}


@sampled(5, name=CHECKED)
def test_every_gradient_agrees_with_a_difference(name: str) -> None:
    source, changes = CHECKED[name]
    trace = work(load(source, changes))
    found = [*checked(trace)]
    assert len(found) > 5
    assert min(c.worst.digits for c in found) >= 5


GIVEN = {
    "scores": [[1, 2, 0], [0, 1, 1], [2, 0, 1]],
    "weights": [["0.5", "0.5", 0], [0, 1, 0], ["0.25", "0.5", "0.25"]],
    "Q": [[1, 2], [0, 1], [2, 0]],
    "V": [[1, 2], [0, 1], [2, 0]],
}


@sampled(3, training=[{}, {"train": {"learning_rate": "0.1"}, "backward": False}], name=GIVEN)
def test_no_gradient_goes_back_through_what_is_given(name: str, training: dict[str, Any]) -> None:
    """What it could have been made of has no part in the loss."""
    trace = work(load({**PLANE, **training, name: GIVEN[name], "rounding": {"policy": "exact"}}))
    found = [*checked(trace)]
    assert min(c.worst.digits for c in found) >= 5
    matrices = {"scores": "QK", "weights": "QK", "Q": "Q", "V": "V"}[name]
    assert not {f"grad.W_{letter}" for letter in matrices} & {*trace}
    assert {f"grad.W_{letter}" for letter in {*"QKV"}.difference(matrices)} <= {*trace}
    assert trace.unfinished is None


@pytest.mark.parametrize(
    ("name", "step", "wrong"),
    [("plane", "backward_mse", "sum_for_mean"), ("gru", "backward_gates", "one_use_only")],
)
def test_a_wrong_gradient_does_not_agree(name: str, step: str, wrong: str) -> None:
    source, changes = CHECKED[name]
    trace = work(load(source, changes))
    parts = (part for part in trace.story if part.step == step)
    mistake = next(m for m in step_named(step).mistakes if m.name == wrong)
    definition = next(
        made for part in parts for made, *_ in mistake.ways(part.place, part.definitions)
    )
    found = {str(c.gradient): c.worst.digits for c in checked(trace.remake(definition))}
    assert found[definition.name] <= 1


@pytest.mark.parametrize(("detail", "told"), [("summary", 1), ("rows", 0), ("full", 1)])
def test_a_page_of_training_has_the_tree_in_brief_and_in_full(detail: str, told: int) -> None:
    page = run("run", "learning_to_attend", "--detail", detail).stdout
    assert page.count("The way back at a glance") == page.count("├─ Q  ") == told


def test_the_check_is_told_at_the_end_of_a_page(tmp_path: Path) -> None:
    text = " ".join(run("run", written(PLANE, tmp_path), "--gradient-check").stdout.split())
    assert "h = 0.00001" in text
    assert "All 11 gradients agree, on 8 digits or more." in text
    page = run("run", written(PLANE, tmp_path), "--gradient-check", "--format", "json").stdout
    tables = json.loads(page)["tables"]
    assert tables[-1]["headings"][0] == "Gradient"


def test_what_has_no_way_back_has_nothing_to_check() -> None:
    text = " ".join(run("run", "i_love_ai", "--gradient-check").stdout.split())
    assert "No gradients to check: this scenario has no way back." in text


def blocks(name: str, *, pictured: bool = False) -> list[Any]:
    source, changes = CHECKED[name]
    trace = work(load(source, changes))
    return chain_of(trace, select(trace).illustrated(Pictures(pictured)))


def test_sizes_are_norms_and_come_from_what_was_made() -> None:
    source, changes = CHECKED["plane"]
    trace = work(load(source, changes))
    data = {str(row[0].name): row for row in blocks("plane")[2].rows}
    assert {*data} == {str(name) for name in gradients_of(trace)}
    for name, (_, shape, size, _) in data.items():
        values = trace[f"grad.{name}"].values
        assert shape == "{} × {}".format(*values.shape)
        assert float(size) == pytest.approx(np.sqrt((values**2).sum()), abs=6e-4)
    assert data["X"][3] == "V, K, Q"
    assert data["mse"][3] == ""


def test_through_time_the_gradient_vanishes_or_explodes() -> None:
    def sizes(*more: str) -> list[float]:
        trace = work(load("yassine_rnn_sentence", [*THROUGH_TIME, *more]))
        tables = [block for block in chain_of(trace, select(trace)) if isinstance(block, Table)]
        assert [row[1] for row in tables[-1].rows] == ["a[4]", "a[3]", "a[2]", "a[1]"]
        factors = [row[4] for row in tables[-1].rows]
        assert [float(str(factor)) for factor in factors] == pytest.approx(
            trace["factor_norms"].values[::-1, 0], abs=1e-9
        )
        return [float(str(row[2])) for row in tables[-1].rows]

    small = sizes()
    assert small == sorted(small, reverse=True)
    assert small[-1] < 0.05 * small[0]
    page = " ".join(run("run", "yassine_rnn_sentence", *sets(THROUGH_TIME)).stdout.split())
    assert "it shrinks at every step, so the gradient vanishes" in page


def sets(changes: list[str]) -> list[str]:
    return [word for change in changes for word in ("--set", change)]


def test_a_stack_has_its_layers_and_all_have_curves() -> None:
    tables = [block for block in blocks("next_token") if isinstance(block, Table)]
    assert [row[:2] for row in tables[-1].rows] == [("2", "layers[1].residual2"), ("1", "X")]
    curves = [block for block in blocks("through_time", pictured=True) if isinstance(block, Curves)]
    assert [curve.labels for curve in curves] == [("1", "2", "3", "4")]
    assert not [block for block in blocks("through_time") if isinstance(block, Curves)]


EXPLODING = "{exploding: {W_aa: [[0, 2, -1.5], [0.5, -2, 1.5], [-2, 2, -1]]}}"


def test_of_variants_it_is_told_what_becomes_of_their_gradients() -> None:
    more = ["loss=binary_cross_entropy", "targets=[[0]]", f"variants={EXPLODING}"]
    trace = work(load("yassine_rnn_sentence", [*THROUGH_TIME, *more]))
    lines = [block.text for block in chain_of(trace, select(trace)) if isinstance(block, Callout)]
    assert "shrinks at every step, so the gradient vanishes" in str(lines[0])
    exploding = next(text for text in lines if text[1:2] == (Word("exploding"),))
    assert "grows at every step, so the gradient explodes" in str(exploding)
    training = "train={learning_rate: 0.1, clip: 1}"
    clipped = work(load("yassine_rnn_sentence", [*THROUGH_TIME, *more, training]))
    factor = 1 / max(1, clipped["grad_norm"].values[0, 0])
    assert clipped["clip_factor"].values[0, 0] == pytest.approx(factor, abs=1e-3)
