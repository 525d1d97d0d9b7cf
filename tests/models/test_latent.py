"""Latent attention and experts in groups: the numbers are those of PyTorch, forth and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import Trace, load, work
from attncli.errors import UserError
from attncli.models.dumps.tensors import taken_apart
from attncli.scenario.file.dump_files import Tensor
from tests.helpers.pages import trace_of

HEADS, N, D, R_Q, R_KV, D_C, D_R = 2, 4, 6, 3, 5, 2, 4
_RNG = np.random.default_rng(7)
X = _RNG.normal(size=(N, D))
ATTENTION = {
    "W_Q": (R_Q, HEADS * D_C), "W_K": (R_KV, HEADS * D_C), "W_V": (R_KV, HEADS * 3),
    "W_O": (HEADS * 3, D),
}  # fmt: skip
LATENT = {
    "W_DQ": (D, R_Q), "b_DQ": (1, R_Q), "W_DKV": (D, R_KV), "gamma_KV": (1, R_KV),
    "W_QR": (R_Q, HEADS * D_R), "W_KR": (D, D_R), "b_KR": (1, D_R),
}  # fmt: skip
GIVEN = {name: _RNG.normal(size=shape) for name, shape in (ATTENTION | LATENT).items()}


def _worked() -> Trace:
    latent = {n: GIVEN[n] if GIVEN[n].shape[0] > 1 else GIVEN[n][0] for n in LATENT}
    return work(
        load(
            {
                "X": X, "heads": HEADS, "positions": "rope", "rounding": {"policy": "exact"},
                "latent": {**latent, "epsilon": 0}, **{name: GIVEN[name] for name in ATTENTION},
                "targets": np.ones((N, D)), "loss": "mse", "backward": True,
            }
        )
    )  # fmt: skip


def _turned(x: Any) -> Any:
    """Neighbours as complex numbers, times e^(i pos / 10000^(2k / d))."""
    import torch

    angles = torch.arange(N)[:, None] / 10000 ** (torch.arange(0, D_R, 2) / D_R)
    pairs = torch.view_as_complex(x.reshape(N, -1, 2).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(1)


@pytest.mark.real("torch")
def test_latent_attention_is_that_of_the_paper_forth_and_back() -> None:
    torch = pytest.importorskip("torch", reason="there is nothing to compare with")
    torch.set_default_dtype(torch.float64)
    try:
        t = {name: torch.tensor(array, requires_grad=True) for name, array in GIVEN.items()}
        x = torch.tensor(X)
        c_Q, c_KV = x @ t["W_DQ"] + t["b_DQ"], x @ t["W_DKV"]
        c_KV = c_KV / (c_KV**2).mean(1, keepdim=True).sqrt() * t["gamma_KV"]
        K_R = _turned(x @ t["W_KR"] + t["b_KR"])
        outputs = []
        for parts in zip(
            *((c_Q @ t[name]).chunk(HEADS, 1) for name in ("W_Q", "W_QR")),
            *((c_KV @ t[name]).chunk(HEADS, 1) for name in ("W_K", "W_V")),
            strict=True,
        ):
            Q, Q_R, K, V = parts
            scores = (Q @ K.T + _turned(Q_R) @ K_R.T) / (D_C + D_R) ** 0.5
            outputs.append(scores.softmax(1) @ V)
        attention = torch.cat(outputs, 1) @ t["W_O"]
        ((attention - 1) ** 2).mean().backward()
    finally:
        torch.set_default_dtype(torch.float32)
    trace = _worked()
    np.testing.assert_allclose(trace["attention"].values, attention.detach(), atol=1e-12)
    for name, tensor in t.items():
        ours = f"grad.{'latent.' if name in LATENT else ''}{name}"
        np.testing.assert_allclose(trace[ours].values, tensor.grad, atol=1e-12, err_msg=name)


_PLAIN = "X: [[1, 2], [0.5, 1]]\nW_Q: [[1], [1]]\nW_K: [[1]]\nW_V: [[1]]\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("latent: {W_DQ: [[1], [0]]}", "latent without W_DKV"),
        ("latent: {W_DKV: [[1], [0]], W_KR: [[1], [0]]}", "one of W_QR and W_KR"),
        ("latent: {W_DKV: [[1], [0]], W_QR: [[1], [0]], W_KR: [[1], [0]]}", "nothing turns it"),
        (
            "latent: {W_DKV: [[1], [0]]}\ncache: {tokens: [z], K: [[1]], V: [[1]]}",
            "latent attention caches c_KV and K_R",
        ),
    ],
)
def test_what_is_said_of_latent_vectors_fits_together(text: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        trace_of(f"{_PLAIN}{text}\n")


W_R, BIAS = _RNG.normal(size=(D, 6)), _RNG.normal(size=6)


@pytest.mark.parametrize("sigmoid", [True, False])
@pytest.mark.parametrize("best", [1, 2])
def test_a_token_goes_to_experts_of_the_best_groups(best: int, *, sigmoid: bool) -> None:
    router = {
        "W_R": W_R, "top_k": 2, "groups": 3, "top_groups": 2, "best_of_group": best, "scaling": 2.5,
        "choice_bias": BIAS, "renormalize": sigmoid,
        **({"sigmoid": True} if sigmoid else {"softmax": "all"}),
    }  # fmt: skip
    networks = [{"W1": np.eye(D), "W2": np.eye(D)}] * 6
    data = {"output": X, "activation": "relu", "experts": networks, "router": router}
    trace = work(load({**data, "rounding": {"policy": "exact"}}))
    for x, ours in zip(X, trace["routing"].values, strict=True):
        e = np.exp(x @ W_R)
        scores = e / (1 + e) if sigmoid else e / e.sum()
        groups = (scores + BIAS).reshape(3, 2)
        worst = np.argmin(np.sort(groups, axis=1)[:, -best:].sum(axis=1))
        choice = scores + BIAS - np.repeat(np.arange(3) == worst, 2) * 1e9
        chosen = np.argsort(-choice)[:2]
        expected = np.zeros(6)
        expected[chosen] = 2.5 * scores[chosen] / (scores[chosen].sum() if sigmoid else 1)
        np.testing.assert_allclose(ours, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"groups": 4}, "6 experts don't come in 4 equal groups"),
        ({"groups": 3, "top_groups": 4}, "3 groups of 2 experts, top_groups: 4"),
        ({"groups": 3, "top_k": 3}, "3 groups of 2 experts"),
        ({"sigmoid": True, "softmax": "all"}, "sigmoid beside softmax"),
    ],
)
def test_groups_are_checked(more: dict[str, Any], told: str) -> None:
    networks = [{"W1": np.eye(D), "W2": np.eye(D)}] * 6
    with pytest.raises(UserError, match=told):
        work(load({"output": X, "experts": networks, "router": {"W_R": W_R, **more}}))


def test_tensors_of_modules_are_what_they_have_side_by_side() -> None:
    trace = _worked()
    heads = [
        {name: trace[f"heads[{h}].{name}"].values for name in ("Q", "Q_R", "K", "V")}
        for h in (1, 2)
    ]
    packed = {
        "self_attn.q_a_proj": [trace["c_Q"].values],
        "self_attn.q_b_proj": [head[name] for head in heads for name in ("Q", "Q_R")],
        "self_attn.kv_a_proj_with_mqa": [trace["c_KV"].values, trace["K_R"].values],
        "self_attn.kv_a_layernorm": [trace["normed_c_KV"].values],
        "self_attn.kv_b_proj": [head[name] for head in heads for name in ("K", "V")],
    }
    dump = {name: Tensor(np.hstack(parts)[None], "float64") for name, parts in packed.items()}
    found = taken_apart(dump, trace, {}, "dump.npz")
    assert len(found.tensors) == 12
    for name, theirs in found.tensors.items():
        np.testing.assert_array_equal(theirs.values, trace[name].values, err_msg=name)
