"""How the next token is sampled, by given numbers: against plain NumPy and transformers."""

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

_MODEL = """\
tokens: [love, I, love]
embeddings: {I: [1, 0], love: [0, 1], AI: [1, 1], you: [0.5, -1]}
unembedding: [[1, 0.5, -0.25, -1], [0.25, -1, 2, -0.5]]
"""
_GIVEN = """\
tokens: [you, love]
vocabulary: {I: 0, love: 1, AI: 2, you: 3}
logits: [[2, 1, 0.5, -1], [0.5, -0.5, 0.5, 1.5]]
"""
_NEXT = (
    "{repetition_penalty: 1.3}",
    "{min_p: 0.2}",
    "{draw: 0.63}",
    "{draw: 0.63, draw_order: probability}",
    "{top_p: 0.9, min_p: 0.3, draw: 0.9, draw_order: probability}",
    "{repetition_penalty: 0.8, temperature: 0.7, top_k: 3, top_p: 0.95, min_p: 0.05, draw: 0}",
)


@sampled(5, policy=["carry", "exact"], said=_NEXT, model=[_MODEL, _GIVEN])
def test_as_the_oracle_has_it_and_every_page_is_true(model: str, said: str, policy: str) -> None:
    text = f"{model}next: {said}\nrounding: {{policy: {policy}}}\n"
    trace = trace_of(text)
    assert trace.unfinished is None
    assert not trace.unused
    agree(oracle.work(read(text)), trace)
    assert false_on_pages(trace) == []


@pytest.mark.real("torch", "transformers")
def test_as_the_processors_of_transformers_have_it() -> None:
    torch = pytest.importorskip("torch", reason="there is nothing to compare with")
    processors = pytest.importorskip("transformers.generation.logits_process")
    rng = np.random.default_rng(5)
    tokens, logits = [3, 1, 3, 0], rng.normal(size=12) * 3
    said = {"repetition_penalty": 1.3, "temperature": 0.7, "top_k": 9, "top_p": 0.97, "min_p": 0.05}
    kinds = (
        processors.RepetitionPenaltyLogitsProcessor(penalty=1.3),
        processors.TemperatureLogitsWarper(0.7),
        processors.TopKLogitsWarper(9),
        processors.TopPLogitsWarper(0.97),
        processors.MinPLogitsWarper(0.05),
    )
    for count in range(len(kinds) + 1):
        ids, scores = torch.tensor([tokens]), torch.tensor(logits[np.newaxis])
        for kind in kinds[:count]:
            scores = kind(ids, scores)
        settings = dict([*said.items()][:count])
        trace = work(load({**_with_last_row(tokens, logits), "next": settings}))
        assert trace.next_token is not None
        expected = torch.softmax(scores, -1).numpy()[0]
        np.testing.assert_allclose(trace.next_token.values[-1], expected, atol=1e-12)


def _with_last_row(tokens: list[int], logits: Any) -> dict[str, Any]:
    return {
        "ids": tokens,
        "logits": np.vstack([np.zeros((len(tokens) - 1, len(logits))), logits]),
        "rounding": {"policy": "exact"},
    }


@pytest.mark.parametrize("order", ["vocabulary", "probability"])
def test_each_token_is_drawn_as_often_as_its_probability_says(order: str) -> None:
    base = f"{_MODEL}rounding: {{policy: exact}}\n"
    counts = np.zeros(4)
    for k in range(50):
        trace = trace_of(f"{base}next: {{draw: {k / 50 + 0.01}, draw_order: {order}}}\n")
        assert trace.drawn is not None
        counts += trace.drawn.values[-1]
    assert trace.next_token is not None
    assert (np.abs(counts / 50 - trace.next_token.values[-1]) <= 1 / 50 + 1e-12).all()


def test_generation_draws_each_token_by_its_own_number() -> None:
    text = f"{_MODEL}generate: 3\nnext: {{draw: [0.1, 0.99, 0.5]}}\n"
    trace = trace_of(text)
    assert trace.next_word() == "I"
    assert [other.next_word() for other in trace.generated] == ["you", "love"]
    assert trace.generated[1].scenario.text.tokens[-2:] == ("I", "you")
    page = " ".join(page_of(trace, "terminal", 80, "full").split())
    assert "The number 0.1 draws “I”." in page
    assert "draws the next token" in page


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("{draw: 0.5}\ngenerate: 2", "one number to draw 2 tokens by"),
        ("{draw: 1}", "1 is not below 1"),
        ("{min_p: 2}", "2 is not 1 or less"),
        ("{repetition_penalty: 0}", "0 is not above zero"),
    ],
)
def test_what_is_wrong_is_said(said: str, wrong: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        trace_of(f"{_MODEL}next: {said}\n")
    assert wrong in str(refused.value)


def test_rounded_sums_may_not_reach_a_number() -> None:
    text = "logits: [[0, 0, 0]]\nnext: {draw: 0.9995}\n"
    with pytest.raises(ScenarioError, match=r"add up to 0\.999, not above 0\.9995"):
        trace_of(text)
