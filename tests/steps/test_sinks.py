"""Attention sinks, and weights averaged over heads, against plain NumPy and PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import load, work
from attncli.scenario.file.problems import ScenarioError
from tests.auditor import audit
from tests.helpers.pages import page_of, tables_of, trace_of
from tests.oracle.stack import work as by_hand

_RNG = np.random.default_rng(7)
_X, _W = _RNG.normal(size=(4, 6)), {f"W_{name}": _RNG.normal(size=(6, 6)) for name in "QKVO"}
_SINKS = np.array([0.7, -1.2, 2.0])
_SAID: dict[str, Any] = {
    "X": _X, **_W, "heads": 3, "mask": "causal", "rounding": {"policy": "exact"},
}  # fmt: skip


def test_a_sink_takes_its_share_of_the_softmax() -> None:
    trace = work(load({**_SAID, "sinks": _SINKS}))
    hidden = np.triu(np.full((4, 4), -np.inf), 1)
    for h, sink in enumerate(_SINKS):
        Q, K, V = (_X @ _W[f"W_{name}"][:, 2 * h : 2 * h + 2] for name in "QKV")
        e = np.exp(Q @ K.T / np.sqrt(2) + hidden)
        weights = e / (e.sum(axis=1, keepdims=True) + np.exp(sink))
        path = f"heads[{h + 1}]"
        np.testing.assert_allclose(trace[f"{path}.key_weights"].values, weights, atol=1e-12)
        np.testing.assert_allclose(trace[f"{path}.output"].values, weights @ V, atol=1e-12)
    assert trace["heads[1].weights"].columns.names[-1] == "sink"


@pytest.mark.real("torch")
@pytest.mark.parametrize("heads", [3, 1])
def test_weights_are_averaged_over_heads(heads: int) -> None:
    """Of a single head, as PyTorch returns them, they are its own."""
    data = {key: value for key, value in _SAID.items() if key != "sinks"}
    trace = work(load({**data, "heads": heads, "mask": "none", "average_heads": True}))
    torch = pytest.importorskip("torch", reason="there is nothing to compare with")
    kind = torch.nn.MultiheadAttention
    module = kind(6, heads, bias=False, batch_first=True, dtype=torch.float64)
    module.in_proj_weight.data = torch.tensor(np.vstack([_W[f"W_{name}"].T for name in "QKV"]))
    x = torch.tensor(_X[np.newaxis])
    _, weights = module(x, x, x, average_attn_weights=True)
    expected = weights[0].detach().numpy()
    np.testing.assert_allclose(trace["mean_weights"].values, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"sinks": [1.0, 2.0]}, "sinks: 2 sinks, and there are 3 heads"),
        ({"sinks": [1.0], "heads": 1, "weights": np.eye(4)}, "weights that are given"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        load({**_SAID, **change})
    assert wrong in str(refused.value)


_PAGE = """\
sentence: I love AI
embeddings: {I: [1, 0], love: [0, 1], AI: [1, 1]}
W_Q: [[1, 0], [0, 2]]
W_K: [[1, 0.5], [0, 1]]
W_V: [[1, 0], [0, 1]]
heads: 2
mask: causal
sinks: [0.5, 1]
average_heads: true
dropout: {p: 0.5, mask: [[1, 1, 1], [1, 0, 1], [0, 1, 1]]}
"""


_ONE_HEAD = _PAGE.replace("heads: 2", "heads: 1").replace("[0.5, 1]", "[2]")


@pytest.mark.parametrize("text", [_PAGE, _ONE_HEAD])
def test_the_page_is_true_and_the_oracle_agrees(text: str) -> None:
    import yaml

    data = yaml.load(text, yaml.BaseLoader)
    for policy in ("carry", "exact"):
        trace = trace_of(text, f"rounding.policy={policy}")
        theirs = by_hand({**data, "rounding": {"policy": policy}})
        made = {name for name in trace.quantities if not trace[name].given}
        assert made == {*theirs}
        for name in made:
            np.testing.assert_allclose(
                trace[name].values, theirs[name].astype(float), atol=1e-12, err_msg=name
            )
        for form in ("terminal", "markdown", "latex"):
            for detail in ("full", "rows", "summary"):
                page = page_of(trace, form, 1000, detail)
                assert audit(page, form, tables_of(trace)).false == []
    page = page_of(trace_of(text, "show.token=love"), "terminal", 200, "rows")
    assert "“love” attends most to “sink” (" in page
