"""Whole models through the command line: paths, layers, heads, what closes a page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli import load, work
from attncli.cli import app
from attncli.document.blocks import text_of_spans
from attncli.names import TOP, below
from attncli.pages.parts.sentences import facts_of
from tests.helpers.pages import page_of

runner = CliRunner()


def attn(*arguments: str) -> str:
    result = runner.invoke(app, list(arguments))
    assert result.exit_code == 0, result.stderr
    return result.stdout


def refused(*arguments: str) -> str:
    result = runner.invoke(app, list(arguments))
    assert result.exit_code == 2
    assert result.stdout == ""
    return result.stderr


def test_a_quantity_in_a_head_has_its_path_everywhere() -> None:
    name = "layers[2].heads[1].weights"
    cell = attn("run", "next_token", "--cell", f"{name}[can, I]")
    assert f"{name}[can, I] = " in cell
    number = cell.rstrip().rsplit(" ", 1)[1]
    trace = work(load("next_token"))
    assert str(trace[name].matrix.number(1, 0).shown) == number
    data = json.loads(attn("run", "next_token", "--detail", "full", "--format", "json"))
    (step,) = [s for s in data["steps"] if s["step"] == "softmax" and s["path"] == name[:-8]]
    tables = {table["name"]: table for table in step["quantities"]}
    assert tables[name]["text"][1][0] == number
    assert f"{name}[can, I]" in [line["cell"] for line in step["working"]]


def test_a_single_head_needs_no_number_and_may_have_one() -> None:
    bare = attn("run", "i_love_ai", "--cell", "weights[love, AI]")
    assert attn("run", "i_love_ai", "--cell", "heads[1].weights[love, AI]") == bare
    assert attn("run", "i_love_ai", "--cell", "layers[1].heads[1].weights[love, AI]") == bare


def test_a_value_in_a_layer_can_be_set() -> None:
    changed = load("next_token", ["layers[1].W_Q[1,2]=5", "layers[2].b1=[9, 9, 9]"])
    assert changed.given.matrices[below(below(TOP, "layers", 1), "W_Q")].values[0, 1] == 5
    assert changed.given.matrices[below(below(TOP, "layers", 2), "b1")].values.tolist() == [
        [9, 9, 9]
    ]


def test_parts_of_a_page() -> None:
    whole = attn("run", "next_token")
    layer = attn("run", "next_token", "--layer", "2")
    head = attn("run", "next_token", "--layer", "2", "--head", "1", "--step", "softmax")
    assert "Layer 1" in whole
    assert "Layer 2 · Head 2 · Softmax" in layer
    assert "Layer 1" not in layer
    assert head.count("· Softmax") == 1
    assert "Layer 2 · Head 1 · Softmax" in head


def test_parts_that_are_not_there() -> None:
    assert "--layer 3: no such layer; known: 1, 2" in refused("run", "next_token", "--layer", "3")
    assert "--head 3: no such head; count from 1 to 2" in refused(
        "run", "next_token", "--head", "3"
    )
    other = refused("run", "next_token", "--layer", "2", "--cell", "layers[1].Q[1, 1]")
    assert "it names no cell of the part that is asked for; leave --head, --layer and" in other
    assert "no quantity layers[9].Q" in refused("run", "next_token", "--cell", "layers[9].Q[1, 1]")


@pytest.mark.parametrize("name", ["next_token", "encoder_block", "decoder_block"])
def test_a_summary_fits_two_screens(name: str) -> None:
    lines = attn("run", name, "--detail", "summary").splitlines()
    assert len(lines) <= 100
    assert any("softmax → weighted_sum" in line for line in lines)


def test_a_summary_of_nothing_but_tokens(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("tokens: [a, b]\nheads: 2\n")
    page = attn("run", str(path), "--detail", "summary")
    assert page.endswith("Why? attn explain s.yaml --step tokenize\n")


def test_what_ran_stands_as_a_tree_in_each_format() -> None:
    trace = work(load("three_tokens_two_heads"))
    assert "  Head 2\n" in page_of(trace)
    assert "- Head 2\n" in page_of(trace, "markdown")
    assert "softmax" in page_of(trace, detail="summary")


def test_the_next_tokens() -> None:
    page = attn("run", "next_token", "--detail", "summary")
    assert "After “go” the most likely next token is “alone” (0.649)." in page
    generated = page.partition("Generation")[2].splitlines()
    assert [line.split("│")[1].split() for line in generated if "│ I can go" in line] == [
        ["I", "can", "go", "alone", "0.649"],
        ["I", "can", "go", "alone", ".", "0.705"],
    ]
    longer = work(load("next_token", ["tokens=[I, can, go, alone]", "generate=1"]))
    assert longer.likeliest() == "."


def test_the_order_of_words() -> None:
    trace = work(load("word_order"))
    own = trace["output"].values
    other = {name: variant["output"].values for name, variant in trace.variants.items()}
    np.testing.assert_allclose(other["reversed"][::-1], own, atol=1e-14)
    assert abs(other["reversed, with positions"][::-1] - other["with positions"]).max() > 0.1
    page = " ".join(page_of(trace).split())
    assert page.count("the order of the words makes no difference") == 1
    assert page.count("now the order makes a difference") == 1


def test_who_attends_to_whom() -> None:
    page = attn("run", "i_love_tennis")
    assert "tennis  0.05\n\n▸ Why? attn explain softmax\n" in page
    diagram = attn("run", "i_love_tennis", "--format", "markdown")
    assert '  n1 -->|"0.7"| n1' in diagram
    assert '  n4["#46;"]' in diagram


def test_the_queries_that_a_scenario_shows() -> None:
    page = attn("run", "alice_met_bob")
    assert "“met” attends most to “cafe” (0.23)." in page
    assert "weights[met, Bob]   = 1.649 / 10.478 = 0.16" in page
    assert "weights[Bob" not in page
    assert "weights[Bob" in attn("run", "alice_met_bob", "--token", "Bob")


def test_minus_infinity_is_no_number_of_json() -> None:
    text = attn("run", "i_love_tennis_causal", "--format", "json", "--step", "mask")
    (step,) = json.loads(text, parse_constant=pytest.fail)["steps"]
    (masked,) = [table for table in step["quantities"] if table["name"] == "masked"]
    assert (masked["values"][0][1], masked["text"][0][1]) == (None, "−∞")


def test_sources_are_told(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", W_Q=np.eye(40), b_Q=np.ones(40))
    path = tmp_path / "s.yaml"
    path.write_text(
        "sentence: a b\nd_model: 40\nvocabulary: {a: 0, b: 1}\n"
        "embeddings: {random: normal, seed: 3, std: 1}\n"
        "W_Q: {file: w.npz, key: W_Q}\nb_Q: {file: w.npz, key: b_Q}\n"
        "W_K: {random: uniform, seed: 4, low: -1, high: 1}\nW_V: {random: normal, seed: 5}\n"
    )
    page = attn("run", str(path))
    assert (
        "W_Q  40 × 40; w.npz, W_Q; rounded to 3 decimals; begins [1.000, 0.000, 0.000, …]" in page
    )
    assert "W_K  40 × 40; uniform, seed 4, low -1, high 1; rounded to 3 decimals;" in page
    data = json.loads(attn("run", str(path), "--format", "json"))
    given = {value["name"]: value for value in data["given"]}
    assert given["W_Q"] == {
        "name": "W_Q", "shape": [40, 40], "source": "w.npz, W_Q; rounded to 3 decimals",
        "first": ["1.000", "0.000", "0.000"],
    }  # fmt: skip


def test_files_from_outside_the_folder(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.eye(2))
    folder = tmp_path / "inner"
    folder.mkdir()
    path = folder / "s.yaml"
    path.write_text("X: [[1, 2]]\nW_Q: {file: ../w.npy}\nblock: attention\n")
    assert "--files-outside" in refused("run", str(path))
    assert "Q[1]" in attn("run", str(path), "--files-outside", "--detail", "rows")


def test_separate_inputs_are_the_first_attentions_only(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        "tokens: [a, b]\nX: [[1, 0], [0, 1]]\nkeys: {x: [3, 1], y: [1, 2], z: [0, 1]}\n"
        "values: [[1, 0], [0, 1], [2, 2]]\nmemory: {m1: [5, 0], m2: [0, 6]}\n"
        "block: decoder\nprojection: none\nmask: {padding: [z]}\ncross: {projection: none}\n"
        "residuals: false\nnorm: none\nW1: [[1], [1]]\nW2: [[1, 1]]\n"
    )
    trace = work(load(path))
    assert trace["K"].values.tolist() == [[3, 1], [1, 2], [0, 1]]
    assert trace["mask"].values.tolist() == [[1, 1, 0], [1, 1, 0]]
    assert trace["cross.K"].values.tolist() == trace["cross.V"].values.tolist() == [[5, 0], [0, 6]]
    assert trace["cross.weights"].columns.names == ("m1", "m2")


def test_positions_count_on_from_the_cache(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        "tokens: [c]\nX: [[1, 0]]\nprojection: none\npositions: {kind: rope, start: 5}\n"
        "cache: {tokens: [a, b], K: [[1, 0], [0, 1]], V: [[1, 0], [0, 1]]}\nblock: attention\n"
        "rounding: {policy: exact}\n"
    )
    trace = work(load(path))
    np.testing.assert_allclose(trace["Q_cosine"].values, [[np.cos(7)]])
    np.testing.assert_allclose(trace["K_cosine"].values[:, 0], np.cos([5, 6, 7]))
    assert trace["weights"].columns.names == ("a", "b", "c")


def test_generation_ends_where_a_token_has_no_embedding(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        "sentence: I go\nvocabulary: {I: 0, go: 1}\nprojection: none\nblock: attention\n"
        "embeddings: {I: [1, 0], go: [0, 1], home: [3, 3]}\nunembedding: tied\ngenerate: 3\n"
    )
    trace = work(load(path))
    assert (trace.likeliest(), trace.generated) == ("home", ())
    assert "home" in page_of(trace).rsplit("Generation", 1)[1]


def test_a_matrix_of_one_row_is_no_vector(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        "tokens: [a]\nX: [[1, 2]]\nweights_layout: linear\nW_Q: [[3, 4]]\nb_Q: [5]\n"
        "W_K: [[1, 0]]\nW_V: [[0, 1]]\nblock: attention\n"
    )
    trace = work(load(path))
    assert trace["Q"].address(0, 0) == "Q[a, 1]"
    assert trace["W_Q"].rows.names == ("1",)
    assert trace["b_Q"].rows.names == ("",)
    assert "Q[a] = [1, 2] × W_Qᵀ + b_Q = [1×3 + 2×4 + 5] = [16]" in page_of(trace)


@pytest.mark.parametrize("scale", [None, "none", 3])
@pytest.mark.parametrize("heads", [None, 1, 2])
@pytest.mark.parametrize("top", [{}, {"heads": 2}, {"heads": 2, "scale": "none"}, {"scale": 2}])
def test_the_page_says_how_each_stack_attends(
    top: dict[str, object], heads: int | None, scale: str | int | None
) -> None:
    """An encoder takes over what it doesn't say itself, and nobody has to guess which it goes by."""
    own = {key: said for key, said in (("heads", heads), ("scale", scale)) if said is not None}
    x = {"X": [[1, 2], [3, 4]], "projection": "none"}
    trace = work(load({**x, **top, "block": "decoder", "encoder": {**x, **own}}))
    facts = dict(facts_of(trace).rows)
    several = top.get("heads", 1) == 2 or heads == 2
    for path, text, settings in (("", "", top), ("encoder.", "Encoder ", {**top, **own})):
        ran = 2 if f"{path}heads[2].weights" in trace.quantities else 1
        assert ran == settings.get("heads", 1)
        sizes = text_of_spans(facts[f"{text}Sizes".capitalize()])
        assert f"{ran} head{'s' if ran > 1 else ''}" in sizes or not several
        scaling = text_of_spans(facts[f"{text}Scaling".capitalize()])
        divided = {"none": "none: ", "sqrt_d_k": "√d_k"}
        by = str(settings.get("scale", "sqrt_d_k"))
        assert divided.get(by, f"scores are divided by {by}") in scaling
