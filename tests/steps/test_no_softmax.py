"""Attention without a softmax: the scores are the weights, and what is hidden counts 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncli import ScenarioError, load, work
from attncli.formats import RenderOptions, render
from attncli.pages.check import checked
from attncli.trace import Trace
from tests.helpers.pages import page_of

SIDES: dict[str, Any] = {
    "Q": [[1, -2], [0.5, 3], [2, 1]], "K": [[1, 1], [0, -1], [2, 1]],
    "V": [[1, 2], [3, 0], [-1, 1]], "scale": "none", "rounding": {"policy": "exact"},
}  # fmt: skip
SCORES = np.array(SIDES["Q"]) @ np.array(SIDES["K"]).T
MASKS: dict[str, tuple[Any, Any]] = {
    "causal": ("causal", np.tril(np.ones((3, 3)))),
    "padding": ({"padding": [2]}, np.array([[1, 0, 1]] * 3)),
    "blocked": (
        {"blocked": [[1, 1, 1], [0, 0, 1], [0, 0, 0]]},
        np.array([[0, 0, 0], [1, 1, 0], [1, 1, 1]]),
    ),
}


def made(**said: Any) -> Trace:
    return work(load({**SIDES, "softmax": "none", **said}))


def test_the_weights_are_the_scores_and_products_can_be_put_in_another_order() -> None:
    trace = made()
    assert np.array_equal(trace["weights"].values, SCORES)
    K, V = (np.array(SIDES[name]) for name in "KV")
    assert np.allclose(trace["output"].values, np.array(SIDES["Q"]) @ (K.T @ V))


@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("more", [{}, {"mask_value": -1000}, {"mask_value": 7}])
def test_a_hidden_score_counts_0_whatever_stands_in_its_place(
    kind: str, more: dict[str, Any]
) -> None:
    mask, seen = MASKS[kind]
    trace = made(mask=mask, **more)
    assert np.array_equal(trace["weights"].values, SCORES * seen)
    assert np.allclose(trace["output"].values, (SCORES * seen) @ np.array(SIDES["V"]))


def test_a_hidden_score_counts_0_behind_a_cap_and_a_table_of_numbers() -> None:
    added = [["-inf", 1, 0], [0, "-inf", 2], [0, 0, 0]]
    capped = {"softcap": 2, "softcap_order": "after_mask"}
    trace = made(mask={"add": added}, **capped)
    table = np.array(added, dtype=float)
    right = np.where(np.isneginf(table), 0, 2 * np.tanh((SCORES + table) / 2))
    assert np.allclose(trace["weights"].values, right)


def test_the_page_claims_no_shares() -> None:
    page = " ".join(page_of(made(mask="causal")).split())
    assert "Weights without a softmax" in page
    assert "Where the mask is 0, the weight is 0." in page
    assert "Sum" not in page


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        ({"sinks": [1]}, "sinks, and no softmax that they take a share of"),
        ({"online_softmax": 2}, "an online softmax, and no softmax"),
        ({"softmax": "off"}, '"off" is not a choice here; known: each_row, none'),
    ],
)
def test_what_needs_a_softmax_is_refused(more: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ScenarioError, match=wrong):
        made(**more)


def test_a_softmax_can_be_asked_for_again() -> None:
    plain, said = (work(load("i_love_ai", more))["weights"] for more in ([], ["softmax=each_row"]))
    assert np.array_equal(plain.values, said.values)
    assert plain.definition == said.definition


def test_a_softmax_taken_all_the_same_is_named() -> None:
    """Of what a source prints, against the step's common mistakes."""
    taken = np.exp(SCORES) / np.exp(SCORES).sum(axis=1, keepdims=True)
    printed = [[f"{number:.3f}" for number in row] for row in taken]
    page = page_of_check(made(published={"weights": printed}, rounding={"policy": "carry"}))
    assert "Known mistake: Taking the softmax of each row" in page
    right = page_of_check(made(published={"weights": SCORES.tolist()}))
    assert "mistake" not in right


def page_of_check(trace: Trace) -> str:
    return " ".join(render(checked(trace)[0], "terminal", RenderOptions(80)).split())
