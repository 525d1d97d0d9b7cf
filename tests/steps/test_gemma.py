"""What models say layer by layer, and in other orders: rotations of their own, caps after biases
and masks, masks from the other corner. Against plain NumPy, the oracle and the page's auditor."""

from __future__ import annotations

import numpy as np
import pytest

from attncli import ScenarioError, load
from tests import oracle
from tests.helpers.pages import trace_of
from tests.helpers.plain import read
from tests.pages.test_audit import check_all, check_working
from tests.steps.test_transformers import agree

TEXT = (
    "Q: [[1, 2], [0.5, -1]]\nK: [[1, 0], [0, 1], [1, 1], [2, 0]]\nV: [[1], [2], [3], [4]]\n"
    "block: attention\nbias: [[0, 1, 0, -1], [1, 0, 1, 0]]\n"
)
Q, K = np.array([[1, 2], [0.5, -1]]), np.array([[1, 0], [0, 1], [1, 1], [2, 0]])
BIASED = Q @ K.T / np.sqrt(2) + [[0, 1, 0, -1], [1, 0, 1, 0]]
EXACT = "rounding.policy=exact"
LAYER = "W_Q: [[1, 0], [0, 1]], W_K: [[1, 0], [0, 2]], W_V: [[1, 0], [0, 1]], block: attention"
LAYERS = (
    "X: [[1, 2], [3, 1], [0, 1]]\npositions: {kind: rope, base: 100, start: 1}\nlayers:\n"
    f"- {{{LAYER}}}\n- {{{LAYER}, rope: {{base: 7, scaling: {{kind: linear, factor: 2}}}}}}\n"
    f"- {{{LAYER}, rope: none}}\n"
)


@pytest.mark.parametrize(
    ("corner", "seen"), [("top-left", np.tri(2, 4)), ("bottom-right", np.tri(2, 4, 2))]
)
def test_a_causal_mask_starts_from_either_corner(corner: str, seen: np.ndarray) -> None:
    trace = trace_of(f"{TEXT}mask: {{causal: {corner}}}\n", EXACT)
    np.testing.assert_array_equal(trace["mask"].values, seen)


def test_caps_after_bias_and_after_mask() -> None:
    trace = trace_of(f"{TEXT}softcap: 2\nsoftcap_order: after_bias\nmask: causal\n", EXACT)
    np.testing.assert_allclose(trace["capped"].values, 2 * np.tanh(BIASED / 2))
    masked = np.where(np.tri(2, 4), BIASED, -np.inf)
    late = "softcap: 2\nsoftcap_order: after_mask\nmask: {causal: top-left}\n"
    trace = trace_of(f"{TEXT}{late}", EXACT)
    capped = 2 * np.tanh(masked / 2)
    np.testing.assert_allclose(trace["capped"].values, capped)
    shares = np.exp(capped) / np.exp(capped).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(trace["weights"].values, shares)


@pytest.mark.parametrize(
    "text",
    [
        f"{TEXT}softcap: 2\nsoftcap_order: after_mask\nmask: {{causal: top-left}}\n",
        f"{TEXT}softcap: 2\nsoftcap_order: after_bias\nmask: causal\n",
        LAYERS,
    ],
)
def test_the_oracle_agrees_and_the_page_is_true(text: str) -> None:
    for policy in ("exact", "carry"):
        line = f"{text}rounding: {{policy: {policy}}}\n"
        agree(oracle.work(read(line)), trace_of(line))
    check_all(trace_of(line), 60)
    check_working(trace_of(line))


def test_layers_turn_in_ways_of_their_own() -> None:
    trace = trace_of(LAYERS, EXACT)
    first = np.cos(np.arange(1, 4)[:, np.newaxis])
    np.testing.assert_allclose(trace["layers[1].Q_cosine"].values, first)
    np.testing.assert_allclose(trace["layers[2].Q_sine"].values[1], np.sin(1))  # 2 positions by 2
    assert "layers[3].rotated_Q" not in trace


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("mask: {causal: left}\n", "top-left"),
        ("softcap_order: after_mask\n", "the order of a cap, and no softcap"),
        ("rope: {bass: 7}\n", "base"),
        ("rope: rotary\n", "none"),
    ],
)
def test_what_is_wrong_is_said(more: str, said: str) -> None:
    with pytest.raises(ScenarioError) as told:
        load(read(TEXT + more))
    assert said in str(told.value)
