"""Batch norms in use and in training, against PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import load, work
from attncli.names import Name
from attncli.scenario.file.problems import ScenarioError
from attncli.scenario.model import after_updates
from tests.auditor import audit
from tests.helpers.pages import page_of, tables_of

X = [[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]]
FOUND: dict[str, Any] = {"kind": "batch", "mean": [0.5, -1], "variance": [2, 0.25]}
BASE: dict[str, Any] = {"X": X, "rounding": {"policy": "exact"}}


@pytest.mark.real("torch")
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


@pytest.mark.real("torch")
@pytest.mark.parametrize("momentum", [None, 0.3])
def test_four_updates_are_those_of_pytorch(momentum: float | None) -> None:
    """Its own mean and variance, gradients through both, and the running ones carried forward."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(3)
    drawn = {key: rng.uniform(0.5, 2, size=4) for key in ("gamma", "beta", "mean", "variance")}
    W, U, targets = rng.normal(size=(3, 4)), rng.normal(size=(4, 2)), rng.normal(size=(5, 2))
    norm: dict[str, Any] = {"kind": "batch", "gamma": drawn["gamma"], "beta": drawn["beta"]}
    module = torch.nn.BatchNorm1d(4, track_running_stats=momentum is not None).double()
    p = {
        key: torch.tensor(x, requires_grad=True)
        for key, x in (("W_patch", W), ("project_out.W", U))
    }
    for key, own in (("gamma", module.weight), ("beta", module.bias)):
        own.data.copy_(torch.tensor(drawn[key]))
        p[f"final_norm.{key}"] = own
    running = dict[str, Any]()
    if momentum is not None:
        norm |= {"momentum": str(momentum), "mean": drawn["mean"], "variance": drawn["variance"]}
        module.momentum = momentum
        running = {"running_mean": module.running_mean, "running_variance": module.running_var}
        for buffer, key in zip(running.values(), ("mean", "variance"), strict=True):
            buffer.copy_(torch.tensor(drawn[key]))
    X = rng.normal(size=(5, 3))
    trace = work(load({
        "patches": X, "W_patch": W, "final_norm": norm, "project_out": {"W": U},
        "targets": targets, "loss": "mse", "rounding": {"policy": "exact"},
        "train": {"learning_rate": "0.1", "steps": 4},
    }))  # fmt: skip
    assert not trace.unused
    optimizer = torch.optim.SGD(p.values(), lr=0.1)
    for count in range(4):
        place = after_updates(count)
        normed = module(torch.tensor(X) @ p["W_patch"])
        for local, theirs in {"normed": normed, **running}.items():
            ours = trace[Name(local, Name("final_norm", place or None))].values[:]
            np.testing.assert_allclose(
                ours, theirs.detach().reshape(ours.shape), atol=1e-10, err_msg=local
            )
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(normed @ p["project_out.W"], torch.tensor(targets)).backward()
        optimizer.step()
        for name, parameter in p.items():
            ours = trace[Name(name).under(Name("update", place))].values
            expected = parameter.detach().reshape(ours.shape)
            np.testing.assert_allclose(ours, expected, atol=1e-10, err_msg=name)


def test_a_page_of_a_batch_is_true() -> None:
    trace = work(load({"X": X, "final_norm": {**FOUND, "momentum": "0.1"}}))
    for form in ("terminal", "latex"):
        page = page_of(trace, form, 80, "full")
        assert audit(page, form, tables_of(trace)).false == [], form
        assert "running" in page


def test_the_page_tells_it() -> None:
    text = " ".join(page_of(work(load({**BASE, "final_norm": FOUND}))).split())
    assert "Batch norm subtracts from each column the mean that training found" in text
    assert "sum of the squares" not in text


@pytest.mark.parametrize(
    ("norm", "said"),
    [
        ({"kind": "batch", "mean": [0, 0]}, "a batch norm without its variance"),
        ({"kind": "batch", "momentum": 0.1}, "a batch norm without its mean"),
        ({"momentum": 0.1}, "momentum is of batch norms; say kind: batch"),
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


def test_a_batch_of_one() -> None:
    with pytest.raises(ScenarioError, match="a batch of two rows or more"):
        work(load({**BASE, "X": X[:1], "final_norm": {**FOUND, "momentum": 0.1}}))


def test_a_variance_below_zero() -> None:
    with pytest.raises(ScenarioError, match="a variance below 0 has no square root"):
        work(load({**BASE, "final_norm": {**FOUND, "variance": [1, -1]}}))
