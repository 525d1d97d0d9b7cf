"""Gradient accumulation, against PyTorch's: k times `(loss / k).backward()`, then one step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import load, work
from attncli.names import Name, below
from attncli.scenario.file.problems import ScenarioError
from attncli.scenario.model import after_updates
from attncli.steps.mistakes import all_made_wrongly
from attncli.steps.order import step_named
from attncli.trace import Trace
from tests.auditor import audit
from tests.helpers.pages import page_of, tables_of

N, D = 3, 4
WEIGHTS = {"W_Q": (D, D), "W_K": (D, D), "W_V": (D, D), "final_norm.gamma": (1, D)}
RUNNING = ("mean", "variance")


def drawn(batches: int, **train: Any) -> dict[str, Any]:
    """Causal attention and a batch norm in training, and so many micro-batches in all."""
    rng = np.random.default_rng(11)
    p = {name: rng.normal(size=shape) for name, shape in WEIGHTS.items()}
    data = [{key: rng.normal(size=(N, D)) for key in ("X", "targets")} for _ in range(batches)]
    norm = {"kind": "batch", "gamma": p.pop("final_norm.gamma")[0], "momentum": "0.25"}
    norm |= {key: rng.uniform(0.5, 2, size=D) for key in RUNNING}
    said = {"learning_rate": "0.05", "steps": 2, **({"batches": data[1:]} if data[1:] else {})}
    return {
        **p, **data[0], "final_norm": norm, "mask": "causal", "loss": "mse",
        "rounding": {"policy": "exact"}, "train": said | train,
    }  # fmt: skip


def same(trace: Trace, name: str, place: Name, theirs: Any) -> None:
    ours = trace[f"{place}.{name}" if place else name].values
    np.testing.assert_allclose(ours, theirs.detach().numpy().reshape(ours.shape), atol=1e-12)


class Theirs:
    """The same model in PyTorch."""

    def __init__(self, torch: Any, tree: dict[str, Any]) -> None:
        norm = tree["final_norm"]
        self.torch, self.norm = torch, torch.nn.BatchNorm1d(D, momentum=0.25).double()
        self.norm.weight.data.copy_(torch.tensor(norm["gamma"]))
        self.norm.running_mean.copy_(torch.tensor(norm["mean"]))
        self.norm.running_var.copy_(torch.tensor(norm["variance"]))
        self.p = {
            name: torch.tensor(tree[name], requires_grad=True) for name in WEIGHTS if name in tree
        }
        self.p["final_norm.gamma"] = self.norm.weight

    def loss(self, batch: dict[str, Any]) -> Any:
        X, y = (self.torch.tensor(batch[key]) for key in ("X", "targets"))
        Q, K, V = (X @ self.p[name] for name in ("W_Q", "W_K", "W_V"))
        attend = self.torch.nn.functional.scaled_dot_product_attention
        return self.torch.nn.functional.mse_loss(self.norm(attend(Q, K, V, is_causal=True)), y)


@pytest.mark.real("torch")
@pytest.mark.parametrize(
    ("optimizer", "batches", "clip"), [("sgd", 2, None), ("adam", 2, None), ("sgd", 3, 0.25)]
)
def test_updates_are_those_of_pytorch(optimizer: str, batches: int, clip: float | None) -> None:
    """Losses, running statistics, mean gradients and parameters, of two updates."""
    torch = pytest.importorskip("torch")
    clipping = {} if clip is None else {"clip": str(clip)}
    tree = drawn(batches, optimizer=optimizer, **clipping)
    trace, theirs = work(load(tree)), Theirs(torch, tree)
    assert not trace.unused
    data = [tree, *tree["train"]["batches"]]
    kinds = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}
    stepping = kinds[optimizer](theirs.p.values(), lr=0.05)
    for update in range(2):
        place, whole = after_updates(update), torch.zeros(())
        stepping.zero_grad()
        for k, batch in enumerate(data):
            loss = theirs.loss(batch)
            (loss / batches).backward()
            whole = whole + loss / batches
            at = below(place or Name("train"), "batches", k) if k else place
            same(trace, "mse", at, loss)
            same(trace, "final_norm.running_mean", at, theirs.norm.running_mean)
            same(trace, "final_norm.running_variance", at, theirs.norm.running_var)
        same(trace, "averaged.mse", place, whole)
        for name, parameter in theirs.p.items():
            same(trace, f"averaged.grad.{name}", place, parameter.grad)
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(theirs.p.values(), clip)
        stepping.step()
        for name, parameter in theirs.p.items():
            same(trace, f"update.{name}", place, parameter)


SMALL: dict[str, Any] = {
    "X": [["1.5", "0.5"], ["-0.5", "1"]], "W_Q": [["1", "2"], ["0.5", "1"]],
    "W_K": [["1", "0"], ["0", "1"]], "W_V": [["1", "0.5"], ["0", "1"]],
    "targets": [["1", "0"], ["0", "1"]],
}  # fmt: skip
OTHER = {"X": {"hot": ["0.5", "0.25"], "tea": ["1", "-1"]}, "targets": [["0.5", "1"], ["2", "0"]]}


def small(**other: Any) -> dict[str, Any]:
    return {**SMALL, "train": {"learning_rate": "0.5", "steps": 2, "batches": [OTHER | other]}}


def test_a_page_tells_all_that_the_means_are_of() -> None:
    trace = work(load(small()))
    for form, detail in (("terminal", "rows"), ("latex", "full")):
        page = page_of(trace, form, 80, detail)
        assert audit(page, form, tables_of(trace)).false == [], (form, detail)
    page = page_of(trace, "terminal", 80, "rows")
    assert "Further micro-batch 1 · Mean squared error" in page
    assert "averaged.mse" in page
    assert "the mean of those of all micro-batches" in " ".join(page.split())
    assert trace["train[1].batches[1].weights"].rows.names == ("hot", "tea")


def test_mistakes_are_told_by_the_updates_they_lead_to() -> None:
    trace = work(load(small()))
    part = next(part for part in trace.story if part.step == "update")
    grads = [trace[f"{place}grad.W_V"].values for place in ("", "train.batches[1].")]
    for name, gradient in (("gradients_summed", sum(grads)), ("only_the_last_batch", grads[1])):
        mistake = next(m for m in step_named("update").mistakes if m.name == name)
        made = {d.name: d for way in all_made_wrongly(trace, part, mistake) for d in way}
        wrong = trace.remake(made[Name("W_V").under(Name("grad", Name("averaged")))])
        expected = trace["W_V"].values - 0.5 * gradient
        assert np.allclose(wrong["update.W_V"].values, expected, atol=0.02), name


@pytest.mark.parametrize(
    ("batch", "said"),
    [
        ({"targets": ["a", "b"]}, "where a row of numbers belongs"),
        ({"targets": [["1", "0"]]}, "targets is 2 × 2 at the top, and not here"),
        ({"memory": [["1", "0"]]}, "no numbers of memory at the top"),
        ({"sentence": "hot tea"}, 'unknown key "sentence"'),
        ({"W_Q": [["1", "0"]]}, 'unknown key "W_Q"'),
    ],
)
def test_what_a_batch_cant_have(batch: dict[str, Any], said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        load(small(**batch))


def test_what_is_trained_is_one_for_all_batches() -> None:
    tree = small()
    tree["train"]["of"] = ["X", "W_Q"]
    with pytest.raises(ScenarioError, match="X is trained, and one for all micro-batches"):
        load(tree)


def test_batches_that_make_no_difference() -> None:
    """Of the same numbers the mean is the gradient, so that all is as without accumulation."""
    same = {key: SMALL[key] for key in ("X", "targets")}
    several = work(load(small(**same)))
    one = work(load({**SMALL, "train": {"learning_rate": "0.5", "steps": 2}}))
    for name in ("train[2].mse", "train[1].update.W_V", "train[2].change"):
        np.testing.assert_array_equal(several[name].values, one[name].values)
