"""Two sentences as a batch: the shorter one is padded, and comes to what it does alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import load, work

LETTERS = {"a": [1, 0.5], "b": [-0.5, 1], "c": [0.25, -1], "<pad>": [9, 9]}
SHARED = {
    "embeddings": LETTERS, "W_Q": [[1, 0.5], [0, 1]], "W_K": [[0.5, 0], [1, -1]], "W_V": [[1, 0], [0.5, 1]],
    "rounding": {"policy": "exact"},
}  # fmt: skip


def expected(tokens: list[str], seen: list[bool], places: list[int]) -> Any:
    """Causal attention of a padded sentence, in NumPy alone."""
    X = np.array([LETTERS[token] for token in tokens]) + [[np.sin(p), np.cos(p)] for p in places]
    Q, K, V = (X @ np.array(SHARED[f"W_{name}"]) for name in "QKV")
    allowed = np.tril(np.ones((len(X), len(X)), bool)) & np.array(seen)
    exp = np.exp(np.where(allowed, Q @ K.T / np.sqrt(2), -np.inf))
    sums = exp.sum(axis=1, keepdims=True)
    return np.divide(exp, sums, out=np.zeros_like(exp), where=sums > 0) @ V  # padding sees none


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_padded_sentence_comes_to_what_it_does_alone(side: str) -> None:
    pad, short = ["<pad>", "<pad>"], ["a", "b"]
    tokens = pad + short if side == "left" else short + pad
    seen, first = [token != "<pad>" for token in tokens], 2 if side == "left" else 0
    padding = [k for k, is_seen in enumerate(seen, 1) if not is_seen]
    mask = ["causal", {"padding": padding}]
    batch: dict[str, Any] = {
        **SHARED,
        "tokens": ["a", "b", "c", "a"],
        "positions": "sinusoidal",
        "mask": "causal",
        "variants": {
            "second": {
                "tokens": tokens,
                "positions": {"kind": "sinusoidal", "start": -first},
                "mask": mask,
                "mask_value": -(10**9),  # padding at the left would see nothing else
            }
        },
    }
    trace = work(load(batch))
    own = slice(first, first + 2)
    whole = expected(["a", "b", "c", "a"], [True] * 4, [0, 1, 2, 3])
    np.testing.assert_allclose(trace["output"].values, whole, atol=1e-12)
    second = trace.variants["second"]["output"].values[own]
    right = expected(tokens, seen, [k - first for k in range(4)])[own]
    np.testing.assert_allclose(second, right, atol=1e-12)
    alone = expected(short, [True] * 2, [0, 1])
    np.testing.assert_allclose(second, alone, atol=1e-12)
