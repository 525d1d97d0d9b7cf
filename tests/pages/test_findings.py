"""What a page says its numbers come to: ties, look-ups, runners-up, gradients."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli.document.blocks import text_of_spans
from attncli.pages.parts.answer import last_finding
from attncli.pages.parts.selection import Selection
from tests.helpers.pages import SHIPPED, page_of, trace_of
from tests.project.test_cli import attn


def said(text: str, *changes: str) -> str:
    """A page on one line."""
    return " ".join(page_of(trace_of(f"{text}\n", *changes)).split())


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ("[[0.4, 0.4, 0.2]]", "query 1 attends most to key 1 and to key 2: 0.4 each (given)."),
        ("[[0.3, 0.3, 0.3, 0.1]]", "to key 1, to key 2 and to key 3: 0.3 each (given)."),
        ("[[0.2, 0.2, 0.2, 0.2, 0.1, 0.1]]", "to key 2, to key 3 and 1 other: 0.2 each (given)."),
        ("[[0.2, 0.2, 0.2, 0.2, 0.2, 0]]", "to key 2, to key 3 and 2 others: 0.2 each (given)."),
        ("[[0.5, 0.5]]", "In short: query 1 attends to all alike: 0.5 each (given)."),
        ("[[0, 1]]", "In short: query 1 attends only to key 2: 1 (given)."),
        ("[[1]]", "In short: token 1 attends only to itself: 1 (given)."),
        ("[[0.1, 0.9], [0.2, 0.8]]", "In short: token 1 attends most to token 2: 0.9 (given)."),
        (
            "[[1, 0, 0], [0, 1, 0], [0.2, 0.1, 0.7]]",
            "In short: token 3 attends most to itself: 0.7 (given).",
        ),
    ],
)
def test_whom_a_query_attends_to(weights: str, sentence: str) -> None:
    assert sentence in said(f"weights: {weights}")


def test_of_one_query_nobody_knows_which_key_is_its_own() -> None:
    page = said(
        "Q: [[1, 0, 1]]\nK: [[1, 0, 1], [0, 1, 0], [1, 1, 0]]\nmask: {allowed: [[1, 0, 0]]}"
    )
    assert "▸ Query 1 attends only to key 1 (1.000)." in page
    square = said("Q: [[1, 0], [0, 1]]\nK: [[1, 0], [0, 1]]\n")
    assert "Token 1 attends most to itself (0.670)." in square
    named = said("Q: {b: [0, 1]}\nK: {a: [1, 0], b: [0, 1], c: [1, 0]}\n")
    assert "“b” attends most to itself (0.503)." in named


def test_keys_of_a_memory_never_match_the_query_itself() -> None:
    weights = ", ".join(f"W_{of}: [[1, 0], [0, 1]]" for of in "QKV")
    text = f"X: [[1, 0], [0, 2]]\nmemory: [[1, 0], [0, 1]]\nblock: decoder\ncross: {{{weights}}}\n"
    page = said(text + weights.replace(", W", "\nW"))
    assert "▸ Query 1 attends most to key 1 (0.804)." in page


def test_tokens_stand_in_quotes() -> None:
    page = said("tokens: [love, .]\nweights: [[0.1, 0.9], [0.3, 0.7]]")
    assert "In short: “love” attends most to “.”: 0.9 (given)." in page


def test_keys_of_a_memory_are_not_the_queries_themselves() -> None:
    page = said(SHIPPED["decoder_block"].replace("tokens: [je", "tokens: [I"), "show.token=I")
    assert "“I” attends most to “peux” (0.319)" in page


def test_all_sections_tell_of_the_token_that_the_page_is_about() -> None:
    page = page_of(trace_of(SHIPPED["encoder_block"]))
    assert re.search(r"weights\[alone, I\] += 0\.550 / 1\.786", page)
    assert page.count("▸ “alone” attends most to “") == 2
    assert page.count(" attends most to ") == 2


def test_only_the_queries_that_are_told_are_spoken_of() -> None:
    assert (
        "▸ “love” attends most to “AI” (0.576)."
        in attn("run", "i_love_ai", "--token", "love").stdout
    )
    assert "“I” attends" not in attn("run", "i_love_ai", "--token", "love").stdout


def test_a_look_up_with_two_answers() -> None:
    page = said(
        "weights: [[0.5, 0.5, 0]]\nK: {a: [1], b: [1], c: [2]}\nV: {x: [1], y: [2], z: [3]}"
    )
    assert "50 % each of its answer is" in page


@pytest.mark.parametrize(
    ("W_aa", "verdict"),
    [
        (
            "[[8, -2, -6], [0, 0, -1], [3, -1, -3]]",
            "it grows at every step, so the gradient explodes",
        ),
        ("[[0, 0, 0], [0, 0, 0], [0, 0, 0]]", "nothing is left of it, so the gradient vanishes"),
        ("[[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]]", "it shrinks at every step"),
    ],
)
def test_a_gradient_says_what_becomes_of_it_also_when_run_alone(W_aa: str, verdict: str) -> None:
    change = f"W_aa={W_aa}"
    page = attn("run", "yassine_rnn_sentence", "--set", change, "--step", "gradient").stdout
    assert verdict in " ".join(page.split())


@given(st.integers(1, 999))
def test_a_percentage_has_the_digits_of_its_share(thousandths: int) -> None:
    from decimal import Decimal

    from attncli.maths.equations.tree import Number
    from attncli.pages.parts.sentences import percent

    share = Number.written(Decimal(thousandths).scaleb(-3))
    assert percent(share).shown == Decimal(thousandths).scaleb(-1)
    whole = percent(share, 0).shown
    assert abs(whole - Decimal(thousandths) / 10) <= Decimal("0.5")
    assert whole > 0


def test_a_probability_that_ties() -> None:
    text = (
        "sentence: a\nvocabulary: {a: 0, b: 1, c: 2}\nembeddings: [[1, 0], [0, 1], [1, 1]]\n"
        "projection: none\nscale: 1\nunembedding: [[1, 1, 0], [0, 0, 0]]"
    )
    page = said(text)
    assert "the most likely next token s are" not in page
    assert "the most likely next tokens are “a” and “b” (0.422 each)." in page


def test_a_page_closes_with_what_is_found_of_the_token_that_is_asked_for() -> None:
    pairs = ("targets=[I, love, AI]", "backward=true")
    trace = trace_of(SHIPPED["masked_word"], *pairs)
    part, found, _ = last_finding(trace, Selection())
    assert part is not None
    assert part.step == "classify"
    assert text_of_spans(found).startswith("For “[MASK]” the most likely token is “love” (")


@pytest.mark.parametrize(
    ("name", "changes", "what"),
    [
        ("softmax_gradient", (), "the true class"),
        ("picture", ("targets=[rising]",), "the true class"),
        ("masked_word", ("targets=[I, love, AI]",), "the token that belongs there"),
        ("next_token", ("targets=[can, go, alone]", "generate=1"), "the true next token"),
        ("masked_word", ("targets=[[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0]]",
                         "loss=cross_entropy"), "the right answer"),
    ],
)  # fmt: skip
def test_what_surprises_a_model_is_what_its_answers_are(
    name: str, changes: tuple[str, ...], what: str
) -> None:
    trace = trace_of(SHIPPED[name], *changes)
    assert f"how surprised the model is by {what}." in " ".join(page_of(trace).split())


def test_what_is_said_of_the_gradients_of_an_attention_is_so() -> None:
    """The signs of a softmax, and what the gradients of queries, keys and weights are made of."""
    trace = trace_of(SHIPPED["learning_to_attend"], "rounding.policy=exact")
    of = {name: trace[f"grad.{name}"].values for name in ("scores", "weights", "output", "Q", "K")}
    page = " ".join(page_of(trace).split())
    assert "cost, and the gradients of the row's scores add up to 0." in page
    weights = trace["weights"].values
    average = (of["weights"] * weights).sum(axis=1, keepdims=True)
    assert of["scores"].any()
    np.testing.assert_allclose(of["scores"].sum(axis=1), 0, atol=1e-12)
    np.testing.assert_array_equal(
        np.sign(of["scores"].round(12)), np.sign((of["weights"] - average).round(12))
    )
    assert "Each score's gradient is shared out to Q and K, in proportion to the other's" in page
    for made, other in (("Q", of["scores"] @ trace["K"].values),
                        ("K", of["scores"].T @ trace["Q"].values)):  # fmt: skip
        np.testing.assert_allclose(of[made], other, atol=1e-12)
    assert "and a weight gets the dot product of its value and the output's gradient." in page
    np.testing.assert_allclose(of["weights"], of["output"] @ trace["V"].values.T, atol=1e-12)
