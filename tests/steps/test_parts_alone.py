"""Parts of a model by themselves: a network, a norm, an activation, positions or logits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli import ScenarioError
from attncli.cli import app
from attncli.steps import step_named
from tests import oracle
from tests.auditor import audit
from tests.conftest import sampled
from tests.helpers.pages import page_of, tables_of, trace_of
from tests.helpers.plain import read
from tests.pages.test_audit import FORMS, check
from tests.steps.test_transformers import agree

X = "X: [[1, -2], [0.5, 1]]\n"
W = "W1: [[1, 0.5], [-1, 2]]\nb1: [0.5, 1]\nW2: [[1, 2], [3, 1]]\n"
TEXT = "tokens: [a, b]\nembeddings: {a: [1, -2], b: [0.5, 1]}\n"
ALONE: Mapping[str, tuple[str, ...]] = {
    f"{X}{W}": ("hidden", "activated", "ffn"),
    f"{X}{W}W3: [[1, 2], [0, 1]]\nactivation: swiglu\nresiduals: true\nnorm: pre\nweights_layout: row\n": (
        "norm1.normed", "gated", "ffn", "residual1",
    ),
    f"{X}norm1: {{gamma: [2, 3], beta: [0, 1]}}\n": ("norm1.normed",),
    f"{X}norms: {{kind: rms}}\n": ("norm1.rms", "norm1.normed"),
    f"{X}norm: post\n": ("norm1.normed",),
    f"{X}final_norm: {{gamma: [2, 3]}}\n": ("final_norm.normed",),
    f"{X}activation: gelu\n": ("activated",),
    f"{X}activation: none\nfinal_norm: {{kind: rms}}\n": ("final_norm.normed",),
    f"{X}unembedding: [[1, 0, 1], [0, 1, 1]]\n": ("last", "logits", "probabilities"),
    f"{TEXT}unembedding: tied\ntargets: [b, a]\n": ("logits", "probabilities", "cross_entropy"),
    f"{X}head: {{W: [[1, 2], [0, 1]], activation: tanh}}\npredict_from: first\n": ("first", "head.activated"),
    f"{TEXT}positions: sinusoidal\n": ("P", "X"),
    f"{TEXT}positions: [[1, 0], [0, 1]]\n": ("P", "X"),
    "tokens: [a, b]\nd_model: 4\npositions: sinusoidal\n": ("P",),
    "tokens: [a, b, a]\nd_model: 6\npositions: {kind: sinusoidal, base: 100, start: 3}\n": ("P",),
    "tokens: [a, b]\npositions: {kind: table, table: [[1, 0], [0, 1], [2, 3]], start: 1}\n": ("P",),
    "tokens: [a, b, c]\npositions: {kind: table, table: [[1, 0], [0, 1], [2, 3]], ids: [2, 1, 2]}\n": ("P",),
    "ids: [7, 5]\nd_model: 2\npositions: [sinusoidal, [[1, 2], [3, 4]]]\nsegments: [1, 0]\n"
    "segment_embeddings: [[1, 2], [3, 4]]\n": ("P", "P2", "S"),
    f"{TEXT}positions: sinusoidal\n{W}unembedding: [[1, 2], [0, 1]]\n": ("P", "X", "ffn", "logits"),
}  # fmt: skip


@sampled(3, text=ALONE, policy=["carry", "exact"])
def test_a_part_is_worked_to_its_end(text: str, policy: str) -> None:
    trace = trace_of(f"{text}rounding: {{policy: {policy}}}\n")
    assert trace.unfinished is None
    assert {*ALONE[text]} <= {*trace}
    assert not {"Q", "scores"} & {*trace}
    agree(oracle.work(read(f"{text}rounding: {{policy: {policy}}}\n")), trace)
    for form in {"terminal", FORMS[len(text) % len(FORMS)]}:
        page = page_of(trace, form, 80, "full")
        check(audit(page, form, tables_of(trace)), trace, "full")
        assert "The trace ends here" not in page


def test_its_numbers() -> None:
    assert trace_of(f"{X}{W}")["ffn"].values.tolist() == [[3.5, 7], [9.75, 3.25]]
    assert trace_of(f"{X}activation: relu\n")["activated"].values.tolist() == [[1, 0], [0.5, 1]]
    normed = trace_of(f"{X}norm1: {{epsilon: 0, gamma: [2, 3]}}\n")["norm1.normed"].values
    assert np.array_equal(normed[0], [2, -3])


@pytest.mark.parametrize("more", ["scale: none", "mask: causal", "positions: rope", "d_k: 2"])
def test_what_is_said_of_attention_asks_for_it(more: str) -> None:
    trace = trace_of(f"{X}{W}{more}\n")
    assert trace.unfinished is not None
    assert trace.unfinished.missing[0] == "W_Q"
    assert "activated" not in trace


SINES = "tokens: [a, b, c]\nd_model: 4\npositions: {kind: sinusoidal}\n"


def test_positions_with_nothing_that_they_are_added_to() -> None:
    trace = trace_of(SINES)
    assert {*trace.quantities} == {"P"}
    assert not trace.unused
    assert trace["P"].definition is not None
    assert not trace["P"].definition.operands
    angles = np.arange(3)[:, None] / 10000 ** (np.array([0, 2]) / 4)
    expected = np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(3, 4)
    assert np.array_equal(trace["P"].values, np.round(expected, 3))
    text = page_of(trace, "terminal", 80, "full")
    assert "3 tokens · d_model 4 · " in text
    assert "added to the embeddings" not in text
    assert "P[b, 3] = sin(1 / 10000^(2/4)) = sin(1 / 100) = sin(0.01) =  0.010" in text


@pytest.mark.parametrize(
    ("more", "missing"),
    [("W_Q: [[1], [2], [3], [4]]", "embeddings"), ("final_norm: {}", "embeddings")],
)
def test_positions_before_something_else_want_embeddings(more: str, missing: str) -> None:
    trace = trace_of(f"{SINES}{more}\n")
    assert trace.unfinished is not None
    assert missing in trace.unfinished.missing
    assert "P" in trace


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("tokens: [a, b]\npositions: sinusoidal\n", "d_model"),
        ("d_model: 4\npositions: sinusoidal\n", "sentence"),
    ],
)
def test_what_positions_need_to_know_their_size(text: str, missing: str) -> None:
    trace = trace_of(text)
    assert trace.unfinished is not None
    assert trace.unfinished.missing == (missing,)


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("d_model: 5\npositions: sinusoidal", "d_model = 5: 5 columns can't be cut into 2"),
        ("d_model: 4\npositions: [[1, 2], [3, 4]]", "positions (2 × 2) and d_model = 4"),
    ],
)
def test_positions_that_do_not_fit(said: str, wrong: str) -> None:
    with pytest.raises(ScenarioError) as found:
        trace_of(f"tokens: [a, b]\n{said}\n")
    assert wrong in str(found.value)


def _attn(*words: str) -> str:
    return CliRunner().invoke(app, [*words], catch_exceptions=False).output


@pytest.mark.wing("models")
@pytest.mark.parametrize("more", ["", "embeddings: {a: [1, -2, 0, 1], b: [0, 1, 1, 2], c: [1, 1, 0, 0]}\n"])  # fmt: skip
def test_an_implementation_that_counts_positions_from_one(more: str, tmp_path: Path) -> None:
    file, dump = tmp_path / "s.yaml", tmp_path / "dump.npz"
    file.write_text(f"{SINES}{more}rounding: {{policy: exact}}\n", "utf-8")
    angles = np.arange(1, 4)[:, None] / 10000 ** (np.array([0, 2]) / 4)
    np.savez(dump, P=np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(3, 4))
    text = " ".join(_attn("diff", str(file), str(dump)).split())
    assert "It looks like " in text
    assert "Counting positions from 1 instead of 0" in text.rpartition("It looks like ")[2]


@pytest.mark.wing("classroom")
def test_sheets_of_positions(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(f"{SINES}embeddings: {{a: [1, -2, 0, 1], b: [0, 1, 1, 2], c: [1, 1, 0, 0]}}\n")
    _attn(
        "exercise",
        str(file),
        "--forms",
        "2",
        "-o",
        str(tmp_path / "sheets"),
        "--format",
        "markdown",
    )
    sheets = {*(tmp_path / "sheets").rglob("*.md")}
    assert len(sheets) > 1
    assert any("sin" in sheet.read_text("utf-8") for sheet in sheets)


def test_norms_of_the_whole_file_are_those_before_and_after_the_layers_too() -> None:
    """As the key says; each may say otherwise, and norms of a layer are its own alone."""
    key = next(entry for entry in step_named("norm").keys if entry.name == "norms")
    assert "`embedding_norm` and `final_norm`" in key.says
    eye = "[[1, 0], [0, 1]]"
    ways = f"W_Q: {eye}, W_K: {eye}, W_V: {eye}, W1: {eye}, W2: {eye}"
    for layer, whole, final, rms in (
        ("", "", "{}", set()),
        ("", "norms: {kind: rms}\n", "{}", {"embedding_norm", "norm1", "norm2", "final_norm"}),
        ("", "norms: {kind: rms}\n", "{kind: layer}", {"embedding_norm", "norm1", "norm2"}),
        ("norms: {kind: rms}, ", "", "{}", {"norm1", "norm2"}),
    ):
        text = f"{TEXT}embedding_norm: {{}}\nlayers: [{{{layer}{ways}}}]\n{whole}"
        made = trace_of(f"{text}final_norm: {final}\n")
        assert {name.removesuffix(".rms") for name in made if name.endswith(".rms")} == rms
        assert "final_norm.normed" in made
