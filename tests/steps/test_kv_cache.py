"""What a cache of keys and values holds: its bytes, and that a pass over new tokens alone comes to
what a pass over all of them does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import ScenarioError, load, work
from tests import oracle
from tests.conftest import sampled
from tests.helpers.pages import false_on_pages, page_of, trace_of
from tests.helpers.plain import read
from tests.steps.test_transformers import agree

_TEXT = """\
tokens: [AI]
X: [[1, 0.5, 0, 1]]
W_Q: [[1, 0, 0.5, 0], [0, 1, 0, 0.5], [1, 1, 0, 0], [0, 0, 1, 1]]
W_K: [[1, 0], [0, 1], [1, 1], [0, 0.5]]
W_V: [[0, 1], [1, 0], [1, 1], [0.5, 0]]
heads: 2
kv_heads: 1
cache: {tokens: [I, love], K: [[1, 0.5], [0, 1]], V: [[0.5, 1], [1, 0]], bytes: %s}
"""


@sampled(5, policy=["carry", "exact"], values=[("2", 8, 24), ("0.5", 2, 6), ("1.25", 5, 15)])
def test_its_bytes_are_told_and_every_page_is_true(
    values: tuple[str, float, float], policy: str
) -> None:
    each, new, all_of_it = values
    text = f"{_TEXT % each}rounding: {{policy: {policy}}}\n"
    trace = trace_of(text)
    agree(oracle.work(read(text)), trace)
    assert trace["new_bytes"].values.tolist() == [[new]]
    assert trace["cache_bytes"].values.tolist() == [[all_of_it]]
    assert false_on_pages(trace) == []
    page = page_of(trace_of(_TEXT % "2"), "terminal", 80, "full")
    assert "cache_bytes = 2 × 1 × 1 × 2 × 3 × 2 = 24" in page


def test_tokens_one_by_one_come_to_what_all_at_once_do() -> None:
    """Prefill of three tokens, then two passes of one token each."""
    rng = np.random.default_rng(4)
    X, W = rng.normal(size=(5, 8)), {f"W_{name}": rng.normal(size=(8, 8)) for name in "QKV"}
    said: dict[str, Any] = {**W, "heads": 2, "mask": "causal", "rounding": {"policy": "exact"}}
    whole = work(load({**said, "X": X}))
    known = work(load({**said, "X": X[:3]}))
    for t in (3, 4):
        cache = {"K": known["K"].values, "V": known["V"].values, "bytes": 4}
        known = work(load({**said, "X": X[t : t + 1], "cache": cache}))
        for head in ("heads[1].output", "heads[2].output"):
            expected = whole[head].values[t : t + 1]
            np.testing.assert_allclose(known[head].values, expected, atol=1e-12)
        assert known["new_bytes"].values == 2 * 8 * 4
        assert known["cache_bytes"].values == 2 * 8 * 4 * (t + 1)


@pytest.mark.real("torch", "transformers")
def test_it_is_as_large_as_that_of_transformers() -> None:
    torch = pytest.importorskip("torch", reason="there is nothing to compare with")
    cache_of = pytest.importorskip("transformers").DynamicCache
    layer = {"W_Q": np.eye(8), "W_K": np.eye(8)[:, :4], "W_V": np.eye(8)[:, :4]}
    own = {**layer, "cache": {"K": np.ones((5, 4)), "V": np.ones((5, 4)), "bytes": 2}}
    said = {"X": np.ones((2, 8)), "heads": 4, "kv_heads": 2, "block": "attention"}
    trace = work(load({**said, "layers": [{"block": "attention", **own} for _ in range(3)]}))
    theirs = cache_of()
    for k in range(3):
        numbers = torch.ones(1, 2, 7, 2, dtype=torch.bfloat16)
        theirs.update(numbers, numbers, k)
    held = sum(part.keys.nbytes + part.values.nbytes for part in theirs.layers)
    assert trace["layers[3].cache_bytes"].values == held


def test_a_number_takes_more_than_no_bytes() -> None:
    with pytest.raises(ScenarioError, match="0 is not above zero"):
        trace_of(_TEXT % "0")
