"""The online softmax: against plain NumPy, PyTorch's own attention, and the plain softmax."""

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
sentence: I love AI too
embeddings: {I: [1, 0], love: [0, 1], AI: [1, 1], too: [-0.5, 2]}
W_Q: [[1, 0.3], [0, 2]]
W_K: [[1, 0.5], [0.2, 1]]
W_V: [[1, 0], [0.4, 1]]
"""


@sampled(
    3,
    policy=["carry", "exact"],
    more=[
        "online_softmax: 2\n",
        "online_softmax: 3\nmask: causal\nheads: 2\n",
        "online_softmax: 1\nmask: [causal, {window: 2}]\n",
        "online_softmax: 9\nW_O: [[1, 2], [0, 1]]\n",
    ],
)
def test_as_the_oracle_has_it_and_every_page_is_true(more: str, policy: str) -> None:
    text = f"{_TEXT}{more}rounding: {{policy: {policy}}}\n"
    trace = trace_of(text)
    assert not trace.unused
    agree(oracle.work(read(text)), trace)
    assert false_on_pages(trace) == []


@pytest.mark.real("torch")
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_it_is_what_pytorch_computes(size: int) -> None:
    torch = pytest.importorskip("torch", reason="there is nothing to compare with")
    rng = np.random.default_rng(3)
    Q, K, V = (rng.normal(size=(7, 4)) * 3 for _ in range(3))
    said: dict[str, Any] = {"Q": Q, "K": K, "V": V, "mask": "causal", "online_softmax": size}
    trace = work(load({**said, "rounding": {"policy": "exact"}}))
    attention = torch.nn.functional.scaled_dot_product_attention
    expected = attention(*(torch.tensor(x[np.newaxis]) for x in (Q, K, V)), is_causal=True)
    np.testing.assert_allclose(trace["online_output"].values, expected[0].numpy(), atol=1e-12)
    np.testing.assert_allclose(trace["difference"].values, 0, atol=1e-12)
    last = trace[f"blocks[{-(-7 // size)}].l"].values
    whole = np.exp(trace["masked"].values - trace["masked"].values.max(1, keepdims=True))
    np.testing.assert_allclose(last, whole.sum(axis=1, keepdims=True), atol=1e-12)


def test_what_follows_takes_the_plain_output() -> None:
    trace = trace_of(f"{_TEXT}online_softmax: 2\nW_O: [[1, 2], [0, 1]]\n")
    assert trace["attention"].definition is not None
    assert trace["attention"].definition.operands[0] == "output"


@pytest.mark.parametrize(
    "more",
    ["sinks: [0.5]", "dropout: {mask: [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]}"],
)
def test_what_its_blocks_know_nothing_of_is_refused(more: str) -> None:
    with pytest.raises(ScenarioError, match="an online softmax beside"):
        trace_of(f"{_TEXT}online_softmax: 2\n{more}\n")
