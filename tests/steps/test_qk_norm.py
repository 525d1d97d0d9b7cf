"""Normalized queries and keys: against the oracle, and against Qwen3 and OLMo 2 of transformers."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from attncli import ScenarioError, load, work
from attncli.names import Name
from tests import oracle
from tests.helpers.pages import trace_of
from tests.helpers.plain import read
from tests.steps.test_transformers import agree

RANDOM = np.random.default_rng(13)
WEIGHTS = "".join(
    f"W_{name}: {RANDOM.integers(-9, 9, (4, width)).tolist()}\n"
    for name, width in (("Q", 8), ("K", 4), ("V", 4))
)
GROUPED = (
    "tokens: [a, b, c]\nX: [[1, 2, 0, -1], [0.5, 1, 1, 2], [3, -1, 0.25, 1]]\n"
    f"{WEIGHTS}heads: 2\nkv_heads: 1\nblock: attention\npositions: rope\n"
)
"""Two heads of width 4 share their keys and values."""


def _gammas(together: bool) -> str:
    Q = [1, 2, 0.5, -1, 1.5, 1, 2, 0.25] if together else [1, 2, 0.5, -1]
    return f"gamma_Q: {Q}, gamma_K: [0.5, 1, 2, 1], beta_K: [0.1, 0, -0.2, 1]"


@pytest.mark.parametrize("policy", ["carry", "exact"])
@pytest.mark.parametrize(
    ("kind", "how"),
    [*product(["rms", "layer"], ["when: before", "when: after", "heads: together"])],
)
def test_as_the_oracle_has_it(kind: str, how: str, policy: str) -> None:
    text = (
        f"{GROUPED}qk_norm: {{kind: {kind}, {how}, epsilon: 0.01, over: n-1,"
        f" epsilon_in: deviation, {_gammas('together' in how)}}}\nrounding: {{policy: {policy}}}\n"
    )
    trace = trace_of(text)
    agree(oracle.work(read(text)), trace)
    locals_ = [quantity.local for quantity in trace.quantities.values()]
    assert locals_.count("rotated_Q") == 2
    assert locals_.count("normed_Q") == (1 if "together" in how else 2)


def test_a_head_of_its_own_and_a_single_head() -> None:
    own = (
        "X: [[1, 2], [0.5, 1]]\nblock: attention\nqk_norm: {gamma_Q: [2, 1]}\nheads:\n"
        "- {W_Q: [[1, 0], [1, 1]], W_K: [[1, 0], [0, 1]], W_V: [[1], [1]]}\n"
        "- {W_Q: [[2, 0], [1, 1]], W_K: [[1, 3], [0, 1]], W_V: [[1], [1]], bias: [[1, 0], [0, 1]]}\n"
    )
    agree(oracle.work(read(own)), trace_of(own))
    text = "Q: [[3, 4]]\nK: [[1, 2], [2, 1]]\nV: [[1], [0]]\nblock: attention\n"
    trace = trace_of(f"{text}qk_norm: {{epsilon: 0, heads: together}}\n")
    assert trace["Q_rms"].values.tolist() == [[3.536]]  # √((9 + 16) / 2)
    assert trace["normed_Q"].values.tolist() == [[0.848, 1.131]]


def test_layers_share_it_and_have_gammas_of_their_own() -> None:
    layer = "W_Q: [[1, 0], [0, 1]], W_K: [[1, 0], [0, 1]], W_V: [[1, 0], [0, 1]], block: attention"
    text = (
        "X: [[1, 2], [3, 1]]\nqk_norm: {gamma_Q: [2, 1]}\nlayers:\n"
        f"- {{{layer}}}\n- {{{layer}, qk_norm: {{kind: layer, gamma_Q: [1, 3]}}}}\n"
    )
    trace = trace_of(text)
    agree(oracle.work(read(text)), trace)
    made = {d.name: d for d in trace.plan}
    operands = [made[Name(f"layers[{k}].normed_Q")].operands[-1] for k in (1, 2)]
    assert operands == ["qk_norm.gamma_Q", "layers[2].qk_norm.gamma_Q"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("qk_norm: {when: after}", "after a rotation, and nothing rotates"),
        ("positions: rope\nqk_norm: {when: after, heads: together}\nheads: 2", "each head rotates"),
        ("qk_norm: {gamma_Q: [1, 2, 3]}", "don't fit together"),
        ("qk_norm: {kind: max}", "not a choice here"),
        ("qk_norm: rms", "where a map belongs"),
    ],
)
def test_what_is_wrong(text: str, wrong: str) -> None:
    given = "X: [[1, 2]]\nW_Q: [[1, 0], [0, 1]]\nW_K: [[1, 0], [0, 1]]\nW_V: [[1, 0], [0, 1]]\n"
    with pytest.raises(ScenarioError) as error:
        trace_of(f"{given}block: attention\n{text}\n")
    assert wrong in str(error.value)


def _reference(kind: str) -> tuple[Any, Any, Any]:
    """An attention of transformers with drawn weights, its settings, and its rotary table."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(7)
    names = {"qwen3": ("Qwen3Config", "Qwen3Attention", "Qwen3RotaryEmbedding")}
    names["olmo2"] = ("Olmo2Config", "Olmo2Attention", "Olmo2RotaryEmbedding")
    config_name, attention_name, rotary_name = names[kind]
    module = __import__(f"transformers.models.{kind}.modeling_{kind}", fromlist=["x"])
    config = getattr(transformers, config_name)(
        hidden_size=8, num_attention_heads=2, num_key_value_heads=1, head_dim=4,
        num_hidden_layers=1, vocab_size=8, intermediate_size=8, attn_implementation="eager",
    )  # fmt: skip
    attention = getattr(module, attention_name)(config, layer_idx=0).double().eval()
    for norm in (attention.q_norm, attention.k_norm):
        torch.nn.init.normal_(norm.weight, 1, 0.5)
    return attention, config, getattr(module, rotary_name)(config)


@pytest.mark.real("torch", "transformers")
@pytest.mark.parametrize("kind", ["qwen3", "olmo2"])
def test_as_transformers_has_it(kind: str) -> None:
    attention, config, rotary = _reference(kind)
    torch = pytest.importorskip("torch")
    x = torch.randn(1, 5, 8, dtype=torch.float64)
    places = rotary(x, torch.arange(5)[None])
    mask = torch.full((5, 5), -torch.inf, dtype=torch.float64).triu(1)[None, None]
    with torch.no_grad():
        expected = attention(x, position_embeddings=places, attention_mask=mask)[0][0].numpy()
    weights = {
        f"W_{name}": getattr(attention, f"{name.lower()}_proj").weight.detach().numpy()
        for name in "QKVO"
    }
    gammas = {
        f"gamma_{name}": getattr(attention, f"{name.lower()}_norm").weight.detach().numpy()
        for name in "QK"
    }
    scenario = {
        "X": x[0].numpy(), **weights, "weights_layout": "linear", "heads": 2, "kv_heads": 1,
        "block": "attention", "mask": "causal", "rounding": {"policy": "exact"},
        "positions": {"kind": "rope", "pairs": "half", "base": 10000},
        "qk_norm": {
            "kind": "rms", "epsilon": config.rms_norm_eps, **gammas,
            "heads": "each" if kind == "qwen3" else "together",
        },
    }  # fmt: skip
    trace = work(load(scenario))
    # the angles of transformers are floats of 32 bits
    np.testing.assert_allclose(trace["attention"].values, expected, rtol=1e-5, atol=1e-6)
