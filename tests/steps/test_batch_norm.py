"""Batch norms with the mean and the variance that training found, against PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import load, work
from attncli.file.problems import ScenarioError
from tests.helpers.pages import page_of

X = [[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]]
FOUND: dict[str, Any] = {"kind": "batch", "mean": [0.5, -1], "variance": [2, 0.25]}
BASE: dict[str, Any] = {"X": X, "rounding": {"policy": "exact"}}


@pytest.mark.parametrize("more", [{}, {"gamma": [2, 0.5], "beta": [0.1, -3]}, {"epsilon": 0.5}])
def test_it_is_what_pytorch_does(more: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    module = torch.nn.BatchNorm1d(2, eps=more.get("epsilon", 1e-5)).double().eval()
    module.running_mean.copy_(torch.tensor(FOUND["mean"]))
    module.running_var.copy_(torch.tensor(FOUND["variance"]))
    for name, own in (("gamma", module.weight), ("beta", module.bias)):
        own.data.copy_(torch.tensor(more.get(name, own.data.tolist())))
    trace = work(load({**BASE, "final_norm": FOUND | more}))
    expected = module(torch.tensor(X, dtype=torch.float64)).detach()
    np.testing.assert_allclose(trace["final_norm.normed"].values, expected, atol=1e-12)


def test_the_page_tells_it() -> None:
    text = " ".join(page_of(work(load({**BASE, "final_norm": FOUND}))).split())
    assert "Batch norm subtracts from each column the mean that training found" in text
    assert "sum of the squares" not in text


@pytest.mark.parametrize(
    ("norm", "said"),
    [
        ({"kind": "batch", "mean": [0, 0]}, "a batch norm without its variance"),
        ({"mean": [0, 0]}, "mean is of batch norms; say kind: batch, or leave it out"),
        ({**FOUND, "gamma_plus_one": True}, "gamma_plus_one is not for batch norms"),
        ({**FOUND, "over": "n-1"}, "over is not for batch norms; leave it out"),
        ({**FOUND, "mean": [1, 2, 3]}, "don't fit together"),
        ({**FOUND, "varience": [1, 2]}, "did you mean variance?"),
    ],
)
def test_what_is_wrong_with_one(norm: dict[str, Any], said: str) -> None:
    with pytest.raises(ScenarioError) as told:
        load({**BASE, "final_norm": norm})
    assert said in str(told.value)


def test_a_variance_below_zero() -> None:
    with pytest.raises(ScenarioError, match="a variance below 0 has no square root"):
        work(load({**BASE, "final_norm": {**FOUND, "variance": [1, -1]}}))
