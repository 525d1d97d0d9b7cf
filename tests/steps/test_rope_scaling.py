"""Rotary positions that are scaled: against the oracle, plain NumPy, and the page's auditor."""

from __future__ import annotations

import numpy as np
import pytest

from attncli import ScenarioError, load
from tests import oracle
from tests.helpers.pages import trace_of
from tests.helpers.plain import read
from tests.pages.test_audit import check_all, check_working
from tests.steps.test_transformers import agree

ROWS = "[[1, 2, 0.5, 1, -1, 0.25], [0.3, 1, 2, 0, 1, -2], [1, 0, 1, 2, 0.5, 1]]"
TEXT = f"tokens: [a, b, c]\nQ: {ROWS}\nK: {ROWS}\nV: [[1], [2], [3]]\nblock: attention\n"
SCALINGS = (
    "{kind: linear, factor: 4}",
    "{kind: ntk, factor: 3}",
    "{kind: dynamic, factor: 4, original_length: 2}",
    "{kind: dynamic, factor: 4, original_length: 8}",
    "{kind: llama3, factor: 8, original_length: 32}",
    "{kind: llama3, factor: 8, original_length: 16, low_freq_factor: 0.5, high_freq_factor: 2}",
    "{kind: yarn, factor: 4, original_length: 64}",
    "{kind: yarn, factor: 4, original_length: 3}",
    "{kind: yarn, factor: 0.5, original_length: 99, beta_fast: 9, beta_slow: 2, truncate: false}",
    "{kind: yarn, factor: 2, original_length: 64, attention_factor: 1.25}",
)


def scenario(scaling: str, more: str = "") -> str:
    return f"{TEXT}positions: {{kind: rope, base: 100, {more}scaling: {scaling}}}\n"


@pytest.mark.parametrize("scaling", SCALINGS)
def test_the_oracle_agrees(scaling: str) -> None:
    for policy, more in (("carry", ""), ("exact", "dimensions: 4, start: 2, pairs: half, ")):
        text = f"{scenario(scaling, more)}rounding: {{policy: {policy}}}\n"
        agree(oracle.work(read(text)), trace_of(text))


@pytest.mark.parametrize("scaling", [SCALINGS[2], SCALINGS[5], SCALINGS[6]])
def test_the_page_is_true(scaling: str) -> None:
    trace = trace_of(scenario(scaling))
    check_all(trace, 60)
    check_working(trace)


def test_yarn_between_the_ends_of_its_ramp() -> None:
    """Of three pairs within 64 positions those from 1 on keep less and less, as worked here."""
    trace = trace_of(scenario(SCALINGS[6]), "rounding.policy=exact")
    theta = 100.0 ** (-np.arange(0, 6, 2) / 6)
    first = np.floor(6 * np.log(64 / (32 * 2 * np.pi)) / (2 * np.log(100)))
    last = np.ceil(6 * np.log(64 / (2 * np.pi)) / (2 * np.log(100)))
    kept = 1 - np.clip((np.arange(3) - max(first, 0)) / (last - max(first, 0)), 0, 1)
    scaled = kept * theta + (1 - kept) * theta / 4
    assert 0 < kept[1] < 1
    np.testing.assert_allclose(trace["scaled_frequencies"].values[:, 0], scaled)
    expected = (0.1 * np.log(4) + 1) * np.cos(2 * scaled)
    np.testing.assert_allclose(trace["K_cosine"].values[2], expected)


@pytest.mark.parametrize(
    ("scaling", "said"),
    [
        ("{kind: yarn, factor: 4}", "scaling without original_length; give factor and"),
        ("{kind: cubic}", "linear"),
        ("linear", "where a map belongs"),
        ("{kind: llama3, factor: 8, original_length: 9, low_freq_factor: 4}", "larger than low_fr"),
        ("{kind: ntk, factor: 8}", "d/(d − 2) has no value"),
    ],
)
def test_what_is_wrong_is_said(scaling: str, said: str) -> None:
    with pytest.raises(ScenarioError) as told:
        load(read(scenario(scaling, "dimensions: 2, ")))
    assert said in str(told.value)


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("only", ["Q", "K"])
def test_queries_turn_without_keys_and_keys_without_queries(scaling: str, only: str) -> None:
    """Frequencies need only a width, which either of them has."""
    both = trace_of(scenario(scaling))
    alone = [line for line in scenario(scaling).splitlines() if line[:2] not in ("Q:", "K:", "V:")]
    trace = trace_of("\n".join([*alone, f"{only}: {ROWS}"]))
    for name in ("frequencies", "scaled_frequencies", f"rotated_{only}"):
        np.testing.assert_array_equal(trace[name].values, both[name].values)
    projected = "X: [[1, 2], [0, 1], [1, 1]]\nW_Q: [[1, 0, 2, 1], [0, 1, 1, 1]]"
    assert "rotated_Q" in trace_of("\n".join([*alone, projected]))
