"""Logits that are multiplied and capped: against plain NumPy, and the page against the auditor."""

from __future__ import annotations

import numpy as np
import pytest

from tests import oracle
from tests.helpers.pages import trace_of
from tests.helpers.plain import read
from tests.pages.test_audit import check_all, check_working
from tests.steps.test_transformers import agree

TEXT = """
sentence: a b c
embeddings: {a: [1, 0.5], b: [0.2, 1], c: [-1, 0.3]}
projection: none
unembedding: tied
logit_scale: -2
logit_softcap: 1.5
targets: [b, c, a]
next: {temperature: 2}
"""


def test_logits_are_multiplied_and_capped_before_all_else() -> None:
    trace = trace_of(TEXT, "rounding.policy=exact")
    logits = trace["output"].values @ trace["embeddings"].values.T
    capped = 1.5 * np.tanh(-2 * logits / 1.5)
    np.testing.assert_allclose(trace["capped_logits"].values, capped)
    np.testing.assert_allclose(trace["next.tempered"].values, capped / 2)
    shares = np.exp(capped) / np.exp(capped).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(trace["loss"].values[:, 0], -np.log(shares[[0, 1, 2], [1, 2, 0]]))


@pytest.mark.parametrize("policy", ["carry", "exact"])
def test_the_oracle_agrees_and_the_page_is_true(policy: str) -> None:
    text = f"{TEXT}rounding: {{policy: {policy}}}\n"
    trace = trace_of(text)
    agree(oracle.work(read(text)), trace)
    check_all(trace, 60)
    check_working(trace)
