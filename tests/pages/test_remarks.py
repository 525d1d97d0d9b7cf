"""Remarks on what the numbers of a step mean, beside plain NumPy."""

from __future__ import annotations

import json
import re
from itertools import combinations

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.trace import Trace
from tests.auditor import audit_sentences
from tests.helpers.pages import SHIPPED, page_of, shipped_trace, trace_of


def text_of(name: str, *asked: str) -> str:
    page = CliRunner().invoke(app, ["run", name, *asked], env={"COLUMNS": "80"}).stdout
    return " ".join(page.split())


def told_of(trace: Trace) -> str:
    """A page of a trace that takes long to work."""
    return " ".join(page_of(trace, detail="rows").split())


def test_a_long_table_says_how_many_parameters_it_has() -> None:
    trace = shipped_trace("embedding_table")
    text = told_of(trace)
    n, d = trace["embeddings"].values.shape
    assert f"The table has {n:,} × {d:,} = {trace['embeddings'].values.size:,} parameters" in text
    assert "parameters" not in text_of("i_love_ai", "--step", "embed")


@pytest.mark.parametrize("name", ["embedding_table", "embedding_before_during_after"])
def test_cosines_are_those_of_the_rows(name: str) -> None:
    trace = shipped_trace(name)
    after = trace.variants["after training"] if trace.variants else trace
    last = "X" if trace.variants else "train[2].update.embeddings"
    vectors, places = (trace["X"], after[last]), trace.rounding.decimals
    (told,) = [
        table for table in json.loads(page_of(trace, "json"))["tables"]
        if table["headings"][0] == "Words"
    ]  # fmt: skip
    names = trace["X"].rows.names
    pairs = [*combinations(range(len(names)), 2)]
    assert [row[0] for row in told["rows"]] == [f"{names[a]} and {names[b]}" for a, b in pairs]
    for row, (a, b) in zip(told["rows"], pairs, strict=True):
        for x, dot, cosine in zip([q.values for q in vectors], row[1::2], row[2::2], strict=True):
            exact = x[a] @ x[b] / (np.linalg.norm(x[a]) * np.linalg.norm(x[b]))
            assert float(dot.replace("−", "-")) == pytest.approx(x[a] @ x[b], abs=10.0**-places)
            assert float(cosine.replace("−", "-")) == pytest.approx(exact, abs=5 * 10.0**-places)


def test_words_used_alike_end_nearer_and_the_other_one_does_not() -> None:
    text = text_of("embedding_before_during_after")
    assert "The cosine of “cat” and “kitten” rises most, from −0.320 / √(0.520 × 0.290)" in text
    assert "cosine" not in text_of("adam_by_hand")


def test_random_rows_are_strangers_and_trained_ones_are_not() -> None:
    X = shipped_trace("embedding_table")["X"].values
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    assert np.abs(unit @ unit.T - np.eye(4)).max() < 0.12
    text = told_of(shipped_trace("embedding_table"))
    assert "The cosine of “king” and “queen” rises most" in text


def test_waves_of_positions() -> None:
    text = text_of("i_can_go_alone")
    assert "Pair i, the dimensions 2i and 2i+1, repeats after 2π × 10000^(2i/512)" in text
    lengths = 2 * np.pi * 10000 ** (2 * np.arange(256) / 512)
    first = ", ".join(f"{length:.3f}" for length in lengths[:3])
    assert f"positions: {first}, …, {lengths[-1]:.3f}, each 10000^(2/512) = 1.037" in text
    assert text_of("word_order").count("Pair i,") == 1  # of the variants the first


def test_a_cell_takes_its_steps_one_by_one() -> None:
    says = "From “Yassine” to “king” it takes 3 steps, one after the other, and attention takes 1."
    assert says in text_of("yassine_rnn_sentence")
    assert "one after the other" not in text_of("yassine_rnn")  # a single token


@pytest.mark.parametrize(("name", "gate"), [("yassine_lstm", "forget"), ("yassine_gru", "update")])
def test_how_much_the_gates_keep(name: str, gate: str) -> None:
    trace = shipped_trace(name)
    gates = np.stack([trace[f"gates[{time}].{gate}"].values.ravel() for time in (2, 3, 4)])
    kept = (gates if gate == "forget" else 1 - gates).prod(axis=0)
    (shares,) = re.findall(
        r"to “king” the gates keep these shares of the memory's numbers: (.*?)\. ", text_of(name)
    )
    assert [float(share.rpartition(" = ")[2]) for share in shares.split(", ")] == [
        round(share, 3) for share in kept
    ]


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("yassine_lstm", ()),
        ("yassine_lstm", ("initial_cell=[0.5, 1]", "b_c=[-3, -2]")),
        ("yassine_lstm", ("direction=backward", "rounding.policy=exact")),
        ("yassine_gru", ()),
        ("yassine_gru", ("update=old", "b_c=[-3, -2]")),
    ],
)
def test_what_is_left_of_each_token_adds_up(name: str, changes: tuple[str, ...]) -> None:
    trace = trace_of(SHIPPED[name], *changes)
    page = page_of(trace)
    text = " ".join(page.split()).replace("−", "-")
    ((whole, terms),) = re.findall(r"(\S+) [=≈] ([^:=≈]+): what is left of (?:“|the start)", text)
    parts = terms.replace("+ ", "+").replace("- ", "-").split()
    assert sum(map(float, parts)) == pytest.approx(float(whole), abs=2e-3)
    assert not list(audit_sentences(json.loads(page_of(trace, "json"))))


def test_nothing_is_said_where_one_group_is_trained() -> None:
    changes = "train={of: [W_Q, W_K], learning_rate: 1, steps: 2}"
    trace = trace_of(SHIPPED["learning_to_attend"], changes)
    assert "put back" not in page_of(trace)


@pytest.mark.parametrize(("temperature", "other"), [(0.8, 2), (2, 0.5), (1, 2)])
def test_how_many_draws_a_temperature_moves(temperature: float, other: float) -> None:
    trace = trace_of(SHIPPED["next_token"], f"next.temperature={temperature}")
    logits = trace["logits"].values[-1]
    shares = [np.exp(logits / t) / np.exp(logits / t).sum() for t in (temperature, other)]
    first = logits.argmax()
    now, then = (round(100 * float(row[first])) for row in shares)
    text = " ".join(page_of(trace).split())
    assert f"about {now} would be “alone” at temperature {temperature}, and about {then} at" in text
    assert not list(audit_sentences(json.loads(page_of(trace, "json"))))


def test_nothing_is_drawn_where_there_is_no_choice() -> None:
    text = page_of(trace_of(SHIPPED["next_token"], "next={temperature: 0.8, top_k: 1}"))
    assert "The temperature changes no greedy choice" in text
    assert "Of 100 draws" not in text
    assert "greedy" not in page_of(trace_of(SHIPPED["next_token"], "next={top_k: 2}"))
