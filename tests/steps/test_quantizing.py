"""Matrices in few bits, against plain NumPy and PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import ScenarioError, load, work
from tests import oracle
from tests.conftest import sampled
from tests.helpers.pages import false_on_pages, trace_of
from tests.helpers.plain import read
from tests.steps.test_transformers import agree

_TEXT = """\
sentence: I love AI
embeddings: {I: [1, 0], love: [0, 1], AI: [1, 1]}
W_Q: [[1, 0.3], [-0.55, 2]]
W_K: [[1, 0.5], [0.25, -1.75]]
W_V: [[1, 0.1, 0.2, -0.7], [0.2, 1, 0.05, 0.3]]
"""


@sampled(
    5,
    policy=["carry", "exact"],
    said=[
        "{W_Q: int8}",
        "{W_Q: {kind: int4, group: 2}, W_V: {kind: int4, group: 2}}",
        "{W_K: int4, W_V: {kind: int8, group: 4}}",
    ],
    scale=[3, 6],
)
def test_as_the_oracle_has_it_and_every_page_is_true(said: str, policy: str, scale: int) -> None:
    rounding = f"{{policy: {policy}, quantities: {{scale: {scale}}}}}"
    text = f"{_TEXT}quantized: {said}\nrounding: {rounding}\n"
    trace = trace_of(text)
    assert not trace.unused
    agree(oracle.work(read(text)), trace)
    assert false_on_pages(trace) == []


@pytest.mark.parametrize(("kind", "most"), [("int8", 127), ("int4", 7)])
@pytest.mark.parametrize("group", [None, 4])
def test_the_model_goes_on_with_what_numpy_makes(kind: str, most: int, group: int | None) -> None:
    rng = np.random.default_rng(11)
    X, W = rng.normal(size=(3, 8)), rng.normal(size=(8, 8))
    said: Any = {"kind": kind, **({"group": group} if group else {})}
    data = {"X": X, **{f"W_{name}": W for name in "QKV"}, "quantized": {"W_Q": said}}
    trace = work(load({**data, "rounding": {"policy": "exact"}}))
    parts = W.reshape(8, -1, group or 1)
    tops = np.abs(parts).max(axis=2, keepdims=True) if group else np.abs(W).max()
    whole = np.rint(parts / (tops / most))
    restored = (whole * (tops / most)).reshape(8, 8)
    assert np.abs(trace["quantized.W_Q.whole"].values).max() == most
    np.testing.assert_array_equal(trace["quantized.W_Q.whole"].values, whole.reshape(8, 8))
    np.testing.assert_allclose(trace["quantized.W_Q.error"].values, restored - W, atol=1e-12)
    np.testing.assert_allclose(trace["Q"].values, X @ restored, atol=1e-12)
    np.testing.assert_allclose(trace["K"].values, X @ W, atol=1e-12)


@pytest.mark.real("torch")
def test_it_is_what_pytorch_quantizes() -> None:
    torch = pytest.importorskip("torch", reason="there is nothing to compare with")
    W = np.random.default_rng(2).normal(size=(6, 6)).astype(np.float32).astype(float)
    data = {"X": np.eye(6), "W_Q": W, "W_K": W, "W_V": W, "quantized": {"W_Q": "int8"}}
    trace = work(load({**data, "rounding": {"policy": "exact"}}))
    scale = float(trace["quantized.W_Q.scale"].values[0, 0])
    tensor = torch.tensor(W, dtype=torch.float32)
    theirs = torch.fake_quantize_per_tensor_affine(tensor, scale, 0, -127, 127)
    np.testing.assert_allclose(trace["quantized.W_Q.restored"].values, theirs.numpy(), atol=1e-6)


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("{W_R: int8}", "W_R is no matrix that is given"),
        ("{W_Q: int2}", "int2"),
        ("{W_Q: {kind: int4, group: 3}}", "W_Q"),
        ("{W_Q: {group: 2}}", "kind"),
        ("{W_Q: int8}\nbackward: true", "gradients of whole numbers"),
    ],
)
def test_what_is_wrong_is_said(said: str, wrong: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        trace_of(f"{_TEXT}quantized: {said}\n")
    assert wrong in str(refused.value)
