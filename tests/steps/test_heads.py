"""What stands between the last layer and the logits: heads, whose vectors go in, classes."""

from __future__ import annotations

from math import erf
from typing import Any

import numpy as np
import pytest

from attncli import load, work
from attncli.scenario.file.problems import ScenarioError
from tests.helpers.pages import page_of

X = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]])
W = np.array([[0.5, -1.0, 0.3], [0.25, 0.75, -0.6]])
B = np.array([0.1, -0.2, 0.3])
U = np.array([[1.0, -0.5], [0.5, 0.25], [-1.0, 2.0]])
BASE: dict[str, Any] = {
    "tokens": ["a", "b", "c"],
    "embeddings": {"a": X[0].tolist(), "b": X[1].tolist(), "c": X[2].tolist()},
    "layers": [{"cell": "rnn", "W_ax": [[1, 0], [0, 1]], "W_aa": [[0, 0], [0, 0]]}],
    "rounding": {"policy": "exact"},
}
HEAD: dict[str, Any] = {"W": W.tolist(), "b": B.tolist()}
_gelu = np.vectorize(lambda x: x * (1 + erf(x / 2**0.5)) / 2)
STATES = np.tanh(X)


def _normed(x: Any, epsilon: float) -> Any:
    deviation = np.sqrt(x.var(axis=1, keepdims=True) + epsilon)
    return (x - x.mean(axis=1, keepdims=True)) / deviation


def _problem(**more: Any) -> str:
    with pytest.raises(ScenarioError) as told:
        load({**BASE, **more})
    return str(told.value)


def test_a_head_for_masked_words() -> None:
    head = {**HEAD, "activation": "gelu", "norm": {"epsilon": 0.1, "gamma": [2, 1, 0.5]}}
    whole = {"head": head, "predict_from": "every", "unembedding": U.tolist()}
    trace = work(load({**BASE, **whole, "labels": ["x", "y"]}))
    made = _normed(_gelu(STATES @ W + B), 0.1) * np.array([2, 1, 0.5])
    np.testing.assert_allclose(trace["head.norm.normed"].values, made, atol=1e-12)
    np.testing.assert_allclose(trace["logits"].values, made @ U, atol=1e-12)
    shares = np.exp(made @ U) / np.exp(made @ U).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(trace["probabilities"].values, shares, atol=1e-12)
    assert trace["probabilities"].columns.names == ("x", "y")


@pytest.mark.parametrize(("which", "row"), [("first", 0), ("last", 2)])
@pytest.mark.parametrize("layout", ["linear", "row"])
def test_a_pooler_takes_one_token(which: str, row: int, layout: str) -> None:
    kept = W.T.tolist() if layout == "linear" else W.tolist()
    head = {**HEAD, "W": kept, "activation": "tanh"}
    data = {key: value for key, value in BASE.items() if key != "layers"}
    attention = {"block": "attention", "projection": "none", "weights_layout": layout}
    trace = work(load({**data, **attention, "head": head, "predict_from": which}))
    expected = np.tanh(trace["output"].values[[row]] @ W + B)
    np.testing.assert_allclose(trace["head.activated"].values, expected, atol=1e-12)
    assert not trace.unfinished


def test_a_page_of_classes_speaks_of_no_next_token() -> None:
    text = page_of(work(load({**BASE, "unembedding": [[1, 0], [0, 1]], "labels": ["cat", "dog"]})))
    assert "For “c” the most likely class is “cat”" in text
    assert "next token" not in text
    assert "to find what comes next" not in text.lower()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"predict_from": "first"}, "predict_from needs logits"),
        ({"head": HEAD, "labels": ["a"]}, "labels needs logits"),
        ({"unembedding": U[:2].tolist(), "labels": ["a"]}, "1 labels, and 2 logits"),
        ({"unembedding": "tied", "head": HEAD, "generate": 2}, "generate is for a next token"),
        (
            {"unembedding": "tied", "predict_from": "first", "next": {"top_k": 1}},
            "next is for a next token, and with predict_from none is foretold",
        ),
        ({"head": {**HEAD, "activation": "swiglu"}}, "head.activation"),
        ({"head": {**HEAD, "w": [[1]]}}, "did you mean W?"),
        ({"head": {"W": [[1]]}}, "don't fit together"),
    ],
)
def test_what_is_wrong_with_a_head(more: dict[str, Any], said: str) -> None:
    assert said in _problem(**more)


def test_a_head_without_its_matrix_is_not_gone_through() -> None:
    trace = work(load({**BASE, "head": {"activation": "tanh"}}))
    assert "head.W" in str(trace.unfinished)
