"""Low-rank adaptation (LoRA) against PyTorch: what the model makes, and A and B trained alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import ScenarioError, load, work
from attncli.names import Name
from attncli.scenario.model import after_updates
from tests.auditor import audit
from tests.helpers.pages import page_of, tables_of, trace_of

_TEXT = """\
X: [[1, 0], [0, 1], [1, 1]]
W_Q: [[1, 0.3], [-0.55, 2]]
W_K: [[1, 0.5], [0.25, -1.75]]
W_V: [[1, 0.1], [0.2, 1]]
unembedding: [[1, 0, -1], [0, 1, 1]]
labels: [a, b, c]
targets: [a, b, c]
"""
_A, _B = "[[1, 0.5], [0.25, -2]]", "[[0.5, 0.1], [0.3, -1]]"
_ADAPTER = f"{{A: {_A}, B: {_B}, alpha: 3}}"


@pytest.mark.real("torch")
@pytest.mark.parametrize("linear", [False, True])
def test_three_updates_of_a_and_b_are_those_of_pytorch(linear: bool) -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(5)
    X, U = rng.normal(size=(4, 6)), rng.normal(size=(5, 6) if linear else (6, 5))
    W = {name: rng.normal(size=(6, 6)) for name in ("W_Q", "W_K", "W_V")}
    pairs = {
        name: {"A": rng.normal(size=(2, 6)), "B": rng.normal(size=(6, 2))}
        for name in ("W_Q", "W_V")
    }
    data: dict[str, Any] = {
        "X": X, **W, "unembedding": U, "labels": [*"abcde"], "targets": [*"adbc"], "heads": 2,
        "lora": {name: {**pair, "alpha": 8} for name, pair in pairs.items()},
        "train": {"learning_rate": "0.05", "optimizer": "adam", "steps": 3},
        "rounding": {"policy": "exact"}, **({"weights_layout": "linear"} if linear else {}),
    }  # fmt: skip
    trace = work(load(data))
    assert not trace.unused
    p = {
        f"lora.{name}.{key}": torch.tensor(matrix, requires_grad=True)
        for name, pair in pairs.items()
        for key, matrix in pair.items()
    }
    optimizer = torch.optim.Adam(p.values(), lr=0.05)
    for count in range(3):
        place = after_updates(count)
        of = {name: torch.tensor(matrix) for name, matrix in W.items()}
        for name in pairs:
            of[name] = of[name] + 8 / 2 * p[f"lora.{name}.B"] @ p[f"lora.{name}.A"]
        made = {name: torch.tensor(X) @ (w.T if linear else w) for name, w in of.items()}
        Q, K, V = (made[name].view(4, 2, 3).transpose(0, 1) for name in W)
        out = torch.nn.functional.scaled_dot_product_attention(Q, K, V)
        logits = out.transpose(0, 1).reshape(4, 6) @ torch.tensor(U.T if linear else U)
        loss = torch.nn.functional.cross_entropy(logits, torch.tensor([0, 3, 1, 2]))
        ours = trace[Name("cross_entropy", place or None)].values
        np.testing.assert_allclose(ours, [[loss.item()]], atol=1e-10)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for name, parameter in p.items():
            ours = trace[Name(name).under(Name("update", place))].values
            np.testing.assert_allclose(ours, parameter.detach(), atol=1e-10, err_msg=name)
    updated = {name.removeprefix("update.") for name in trace if name.startswith("update.")}
    assert updated == p.keys(), "W is frozen"


def test_every_page_is_true() -> None:
    trace = trace_of(f"{_TEXT}lora: {{W_Q: {_ADAPTER}}}\ntrain: {{learning_rate: 0.1}}\n")
    for form in ("terminal", "latex"):
        page = page_of(trace, form, 80, "full")
        assert audit(page, form, tables_of(trace)).false == [], form


def test_w_is_trained_where_it_is_named() -> None:
    trace = trace_of(
        f"{_TEXT}lora: {{W_Q: {_ADAPTER}}}\ntrain: {{learning_rate: 0.1, of: [W_Q, A]}}\n"
    )
    updated = {str(name) for name in trace if name.startswith("update.")}
    assert updated == {"update.W_Q", "update.lora.W_Q.A"}
    np.testing.assert_array_equal(trace["grad.W_Q"].values, trace["grad.lora.W_Q.adapted"].values)


def test_a_quantized_matrix_is_adapted() -> None:
    """The base in few bits, the adapter in full, as QLoRA has it (arXiv:2305.14314)."""
    trace = trace_of(f"{_TEXT}quantized: {{W_Q: int4}}\nlora: {{W_Q: {_ADAPTER}}}\n")
    restored, delta = (trace[name].values for name in ("quantized.W_Q.restored", "lora.W_Q.delta"))
    np.testing.assert_allclose(trace["lora.W_Q.adapted"].values, restored + delta, atol=1e-12)
    np.testing.assert_allclose(
        trace["Q"].values, trace["X"].values @ trace["lora.W_Q.adapted"].values, atol=1e-12
    )


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        (f"{{W_R: {_ADAPTER}}}", "W_R is no matrix that is given"),
        ("{W_Q: {A: [[1, 0]], alpha: 2}}", "B"),
        ("{W_Q: {A: [[1, 0]], B: [[1, 0], [0, 1]], alpha: 2}}", "don't fit together"),
        ("{W_Q: {A: [[1, 0, 0]], B: [[1], [0]], alpha: 2}}", "don't fit together"),
    ],
)
def test_what_is_wrong_is_said(said: str, wrong: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        trace_of(f"{_TEXT}lora: {said}\n")
    assert wrong in str(refused.value)
