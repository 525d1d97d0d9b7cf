"""Sentences that set two numbers against each other: the numbers differ as they are printed."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attncli.tokenizers.merge_training import MergeTraining
from tests import oracle
from tests.conftest import FEWER
from tests.helpers.pages import page_of, trace_of
from tests.helpers.plain import read

CONTRAST = re.compile(r"with (\S+) instead of (\S+?)(?:\.| in column \S+\.)(?:\s|$)")
CHOICE = re.compile(r"has the largest score \((\S+)\)")
WORDS = st.lists(st.text("abc", min_size=1, max_size=5), min_size=2, max_size=6, unique=True)
ROUNDING = st.tuples(st.sampled_from(["carry", "exact"]), st.integers(1, 4))


@settings(max_examples=FEWER)
@given(
    policy=st.sampled_from(["carry", "exact"]),
    places=st.integers(1, 3),
    nudge=st.sampled_from(["0.2", "0.01", "0.001", "0.00001", "0.0000001"]),
    number=st.integers(1, 30),
)
def test_variants_differ_in_the_numbers_that_are_told(
    policy: str, places: int, nudge: str, number: int
) -> None:
    near = number + float(nudge)
    text = (
        f"X: [[{number}, 1], [0.5, 2]]\nprojection: none\nscale: 7\nblock: attention\n"
        f"rounding: {{policy: {policy}, decimals: {places}}}\n"
        f"variants: {{other: {{X: [[{near:.7f}, 1], [0.5, 2]]}}}}\n"
    )
    page = " ".join(page_of(trace_of(text)).split())
    compared = CONTRAST.findall(page)
    assert compared or "has the same rows" in page
    assert all(value != other for value, other in compared)


@settings(max_examples=FEWER)
@given(words=WORDS, data=st.data())
def test_the_largest_score_is_larger_than_all_but_the_ties(
    words: list[str], data: st.DataObject
) -> None:
    """What a round says of its pairs is what the page shows of them, and what the oracle chooses."""
    counts = [data.draw(st.integers(1, 60)) for _ in words]
    policy, places = data.draw(ROUNDING)
    corpus = ", ".join(f"{word}: {count}" for word, count in zip(words, counts, strict=True))
    text = (
        f"tokenizer: wordpiece\nvocabulary_size: 15\nsentence: abc\ncorpus: {{{corpus}}}\n"
        f"rounding: {{policy: {policy}, decimals: {places}}}\n"
    )
    trace = trace_of(text)
    chosen = CHOICE.findall(" ".join(page_of(trace).split()))
    learned = trace.scenario.text.learned_as(MergeTraining)
    assert learned is not None
    for value, merge in zip(chosen, learned.rounds, strict=True):
        scores = trace[f"rounds[{merge.number}].scores"]
        shown = [str(scores.matrix.number(i, 0).shown) for i in range(len(scores.values))]
        assert scores.rows.names[0] == " ".join(merge.pair)
        assert value not in shown[merge.ties + 1 :]
        if policy == "carry":
            assert [text == shown[0] for text in shown] == [
                i <= merge.ties for i in range(len(shown))
            ]
    numbers = oracle.work(read(text))
    for name in (name for name in trace if name.endswith(".counts")):
        np.testing.assert_array_equal(np.array(numbers[name], float), trace[name].values)


@pytest.mark.parametrize(("policy", "pair", "ties"), [("carry", "c ##d", 1), ("exact", "a ##b", 0)])
def test_a_tie_as_shown_is_a_tie(policy: str, pair: str, ties: int) -> None:
    """1 / 45 and 1 / 46 are both 0.022: of these the more frequent pair is taken under `carry`."""
    text = (
        "tokenizer: wordpiece\nvocabulary_size: 10\nsentence: ab\ncorpus: {ab: 45, cd: 46}\n"
        f"rounding: {{policy: {policy}, decimals: 3}}\n"
    )
    trace = trace_of(text)
    learned = trace.scenario.text.learned_as(MergeTraining)
    assert learned is not None
    first = learned.rounds[0]
    assert (" ".join(first.pair), first.ties) == (pair, ties)
    line = "0.022" if ties else "0.0222"
    assert f"“{pair}” has the largest score ({line})" in page_of(trace)
