"""What a page says its numbers come to: ties, look-ups, runners-up, gradients."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pages import SHIPPED, page_of, trace_of
from tests.test_cli import attn


def said(text: str, *changes: str) -> str:
    """A page on one line."""
    return " ".join(page_of(trace_of(f"{text}\n", *changes)).split())


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ("[[0.4, 0.4, 0.2]]", "Token 1 attends most to itself and to token 2 (0.4 each)."),
        ("[[0.3, 0.3, 0.3, 0.1]]", "to itself, to token 2 and to token 3 (0.3 each)."),
        ("[[0.2, 0.2, 0.2, 0.2, 0.1, 0.1]]", "to token 2, to token 3 and 1 other (0.2 each)."),
        ("[[0.2, 0.2, 0.2, 0.2, 0.2, 0]]", "to token 2, to token 3 and 2 others (0.2 each)."),
        ("[[0.5, 0.5]]", "Token 1 attends to all alike (0.5 each)."),
        ("[[0, 1]]", "Token 1 attends only to token 2 (1)."),
        ("[[1]]", "Token 1 attends only to itself (1)."),
        ("[[0, 1], [0.5, 0.5]]", "only to token 2 (1); token 2 attends to all alike (0.5 each)."),
        ("[[0.1, 0.9], [0.2, 0.8]]", "most to token 2 (0.9); token 2 to itself (0.8)."),
    ],
)
def test_whom_a_query_attends_to(weights: str, sentence: str) -> None:
    assert sentence in said(f"weights: {weights}")


def test_what_is_no_word_stands_in_quotes() -> None:
    page = said("tokens: [love, .]\nweights: [[0.1, 0.9], [0.3, 0.7]]")
    assert "love attends most to “.” (0.9); “.” to itself (0.7)." in page


def test_keys_of_a_memory_are_not_the_queries_themselves() -> None:
    page = said(SHIPPED["decoder_block"].replace("tokens: [je", "tokens: [I"))
    assert "I attends most to peux (0.319)" in page


def test_many_queries_are_elided() -> None:
    rows = ", ".join(["[0.4, 0.6]"] * 20)
    page = said(f"weights: [{rows}]\ntitle: many")
    assert "token 3 to token 2 (0.6); …; token 20 attends most to token 2 (0.6)." in page


def test_only_the_queries_that_are_told_are_spoken_of() -> None:
    assert (
        "▸ love attends most to AI (0.576)." in attn("run", "i_love_ai", "--token", "love").stdout
    )
    assert "I attends" not in attn("run", "i_love_ai", "--token", "love").stdout


def test_a_look_up_with_two_answers() -> None:
    page = said(
        "weights: [[0.5, 0.5, 0]]\nK: {a: [1], b: [1], c: [2]}\nV: {x: [1], y: [2], z: [3]}"
    )
    assert "50 % each of its answer is" in page


@pytest.mark.parametrize(
    ("W_aa", "verdict"),
    [
        ("[[8, -2, -6], [0, 0, -1], [3, -1, -3]]", "it grows at every step; the gradient explodes"),
        ("[[0, 0, 0], [0, 0, 0], [0, 0, 0]]", "nothing is left of it; the gradient vanishes"),
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

    from attncli.arithmetic.expression import Number
    from attncli.telling.attending import percent

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
    assert "the likeliest next token s are" not in page
    assert "the likeliest next tokens are a and b (0.422 each), then c (0.155)." in page
