"""What sublayers make is multiplied before it is added: all by one number, or each by its own."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from attncli import load, work
from attncli.scenario.file.problems import ScenarioError
from tests import oracle
from tests.auditor import audit
from tests.helpers.pages import page_of, tables_of
from tests.helpers.plain import read
from tests.pages.test_audit import check
from tests.steps.test_transformers import agree

ONE = [[1, 0], [0.5, 1]]
WEIGHTS = dict.fromkeys(("W_Q", "W_K", "W_V", "W_O", "W1", "W2"), ONE)
CROSS = dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), ONE)
X = {"X": [[1, 2], [3, 1]]}
ENCODER: dict[str, Any] = {**X, **WEIGHTS, "block": "encoder", "norm": "none"}
DECODER: dict[str, Any] = {
    **ENCODER,
    "block": "decoder",
    "cross": CROSS,
    "memory": [[1, 3], [2, 1]],
}


@pytest.mark.parametrize("policy", ["carry", "exact"])
@pytest.mark.parametrize(
    "said",
    [
        {**ENCODER, "residual_scale": [2, 0.5]},
        {**ENCODER, "residual_scale": [2, 0.5], "parallel": "own_norms"},
        {**DECODER, "residual_scale": [2, 0.5, -1]},
        {**X, "residual_scale": [1, 3], "layers": [WEIGHTS, {**WEIGHTS, "residual_scale": 7}]},
    ],
)
def test_each_sublayer_has_its_number(said: dict[str, Any], policy: str) -> None:
    text = json.dumps({**said, "rounding": {"policy": policy}})
    trace = work(load(json.loads(text)))
    agree(oracle.work(read(text)), trace)
    check(audit(page_of(trace), "terminal", tables_of(trace)), trace, "full")


def test_its_numbers() -> None:
    trace = work(load({**DECODER, "residual_scale": [2, 0.5, -1], "rounding": {"policy": "exact"}}))
    x = trace["X"].values
    for k, (made, by) in enumerate([("attention", 2), ("cross.attention", 0.5), ("ffn", -1)], 1):
        x = x + by * trace[made].values
        np.testing.assert_allclose(trace[f"residual{k}"].values, x, atol=1e-12)
    assert not trace.unused


def test_an_encoder_has_its_own() -> None:
    made = {**DECODER, "residual_scale": [2, 0.5, -1]}
    del made["memory"]
    own = {"X": [[1, 3], [2, 1]], **WEIGHTS, "block": "encoder", "residual_scale": [4, 5]}
    trace = work(load({**made, "encoder": {**own, "norm": "none"}}))
    for path, numbers in (("encoder.", (4, 5)), ("", (2, 0.5, -1))):
        made_by = {1: "attention", len(numbers): "ffn"}
        for k, name in made_by.items():
            multiplied = trace[f"{path}multiplied{k}"].values
            expected = trace[f"{path}{name}"].values * numbers[k - 1]
            np.testing.assert_allclose(multiplied, expected, atol=1e-3)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            {**ENCODER, "residual_scale": [2]},
            "residual_scale: the numbers are 1, the sublayers 2; give a number for each",
        ),
        ({**DECODER, "residual_scale": [2, 1]}, "the numbers are 2, the sublayers 3"),
        (
            {**X, "residual_scale": [1], "layers": [{**WEIGHTS, "residual_scale": 3}, WEIGHTS]},
            "residual_scale: the numbers are 1, the sublayers of layers[2] 2",
        ),
        ({**ENCODER, "residual_scale": []}, "an empty list"),
        ({**ENCODER, "residual_scale": ["a", 1]}, "is not a number"),
    ],
)
def test_what_is_wrong_with_the_numbers(said: dict[str, Any], told: str) -> None:
    with pytest.raises(ScenarioError) as wrong:
        load(said)
    assert told in str(wrong.value)
