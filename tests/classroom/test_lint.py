"""`attn lint`: each finding on a scenario that was made to have it, and on none made not to."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from attncli.classroom.forms.niceness import design_command
from attncli.classroom.lint import weaknesses
from attncli.cli import app
from attncli.formats import RenderOptions, format_names, render
from attncli.trace import Trace
from tests.conftest import FEWER, sampled
from tests.helpers.pages import LIGHT, SHIPPED, trace_of
from tests.helpers.strategies import recurrents, transformers

NICE = """
title: Nothing weak
tokens: [a, b, c]
X: [[2, 3], [1, 3], [2, 1]]
W_Q: [[0.5, -0.2], [0.1, 0.4]]
W_K: [[0.3, -0.5], [-0.2, 0.1]]
W_V: [[1, 2], [3, -1]]
scale: none
rounding: {decimals: 3}
"""


def found(text: str, *changes: str, steps: Sequence[str] = ()) -> dict[str, list[str]]:
    """What lint tells, by the rule: the items of each list."""
    return told(trace_of(text, *changes), steps)


def told(trace: Trace, steps: Sequence[str] = ()) -> dict[str, list[str]]:
    page: dict[str, Any] = json.loads(render(weaknesses(trace, steps), "json", RenderOptions(80)))
    lists = {section["step"]: section["text"][1:] for section in page["steps"]}
    return {**lists, "in all": [page["about"]]}


def test_a_tie() -> None:
    weak = found("scores: [[1, 1, 2], [1, 2, 3]]\nscale: none")
    assert weak["ties"] == ["weights[1] has 0.212 twice"]
    assert "1 tie" in weak["in all"][0]
    assert "ties" not in found("scores: [[1, 4, 2], [1, 2, 3]]\nscale: none")


def test_a_tie_of_masked_weights_is_none() -> None:
    assert "ties" not in found(
        "scores: [[1, 4, 2], [1, 3, 2], [1, 2, 4]]\nscale: none\nmask: causal"
    )


def test_a_row_that_does_not_add_up() -> None:
    weak = found("scores: [[1, 1.001, 0.999], [1, 2, 3]]\nscale: none\nrounding: {decimals: 2}")
    assert weak["sums"] == ["weights[1] adds up to 0.99"]
    assert "sums" not in found("scores: [[1, 2, 3]]\nscale: none\nrounding: {decimals: 2}")


def test_given_weights_that_do_not_add_up() -> None:
    weak = found("weights: [[0.5, 0.4]]\nV: [[1, 2], [3, 4]]")
    assert weak["sums"] == ["weights[1] adds up to 0.9"]


def test_an_extreme_weight() -> None:
    weak = found("scores: [[1, 12], [1, 2]]\nscale: none")
    assert weak["extreme"] == ["weights[1, 1] is 0.000", "weights[1, 2] is 1.000"]
    only_one = found("scores: [[1, 2], [1, 3]]\nscale: none\nmask: causal")
    assert "extreme" not in only_one


def test_a_rounding_edge() -> None:
    # 0.5 × 0.25 = 0.125, which is as near to 0.12 as to 0.13
    weak = found("Q: [[0.5, 1]]\nK: [[0.25, 0]]\nscale: none\nrounding: {decimals: 2}")
    assert weak["edges"] == ["scores[1, 1] is 0.13, rounded from 0.125000"]
    nearly = found("Q: [[0.5, 1]]\nK: [[0.2502, 0]]\nscale: none\nrounding: {decimals: 2}")
    assert nearly["edges"] == ["scores[1, 1] is 0.13, rounded from 0.125100"]
    assert "edges" not in found(
        "Q: [[0.5, 1]]\nK: [[0.2504, 0]]\nscale: none\nrounding: {decimals: 2}"
    )


def test_a_trivial_cell() -> None:
    weak = found("X: [[1, 0], [2, 3]]\nW_Q: [[1, 2], [3, 4]]", steps=["project"])
    assert weak["trivial"] == ["Q[1, 1] is 1", "Q[1, 2] is 2"]
    whole = found("X: [[1, 1], [2, 3]]\nW_Q: [[1, 2], [3, 4]]", steps=["project"])
    assert "trivial" not in whole


def test_zeros_that_a_mask_or_an_activation_makes_are_not_trivial() -> None:
    text = NICE + "mask: causal\nW1: [[1, -1], [-1, 1]]\nW2: [[1, 2], [3, 4]]"
    weak = found(text, steps=["weighted_sum", "ffn"])
    assert "trivial" not in weak


def test_a_row_of_zeros() -> None:
    weak = found("X: [[1, 1], [2, 3]]\nW_Q: [[1, 2], [-1, -2]]", steps=["project"])
    assert weak["zeros"] == ["Q[1]"]
    assert "zeros" not in found("X: [[1, 2], [2, 3]]\nW_Q: [[1, 2], [-1, -2]]", steps=["project"])


def test_repeated_rows_and_columns() -> None:
    weak = found("X: [[1, 3], [2, 2], [1, 1]]\nW_Q: [[1, 1, 2], [1, 1, 3]]", steps=["project"])
    assert weak["repeats"] == ["column 1 of Q", "column 2 of Q"]
    weak = found("X: [[1, 3], [3, 1]]\nW_Q: [[1, 2], [1, 2]]", steps=["project"])
    assert weak["repeats"] == ["Q[1]", "Q[2]"]
    assert "repeats" not in found("X: [[1, 3], [3, 2]]\nW_Q: [[1, 2], [1, 2]]", steps=["project"])


def test_a_large_number() -> None:
    weak = found("scores: [[10, 9]]\nscale: none")
    assert weak["large"] == ["exp[1, 1] is 22026.466", "exp_sum[1] is 30129.550"]
    assert "large" not in found("scores: [[8, 8.5]]\nscale: none")


def test_an_ambiguous_rounding() -> None:
    text = "Q: [[1, 1]]\nK: [[1.004, 1], [3, 2]]\nscale: none\nrounding: {decimals: 2}"
    weak = found(text)
    # e^2.00 = 7.39 where e^2.004 = 7.42
    assert "exp[1, 1] is 7.39 under carry and 7.42 under exact" in weak["ambiguous"]
    assert found(text, "rounding.policy=exact")["ambiguous"] == weak["ambiguous"]
    whole = found("Q: [[1, 1]]\nK: [[1, 1], [3, 2]]\nscale: none\nrounding: {decimals: 2}")
    assert "ambiguous" not in whole


def test_mistakes_that_cannot_be_revealed() -> None:
    weak = found(
        "X: [[1, 2], [3, 4]]\nW_Q: [[1, 5], [5, 2]]\nW_K: [[1, 5], [4, 2]]", steps=["project"]
    )
    (hidden,) = weak["mistakes"]
    revealed = weak["revealed"][0]
    assert hidden.startswith("Queries, keys, values: Multiplying by the rows of W_Q instead")
    assert revealed.startswith("Queries, keys, values: Multiplying by the rows of W_K instead")


def test_a_norm_of_another_name_has_its_mistakes() -> None:
    text = " ".join(
        render(weaknesses(trace_of(SHIPPED["masked_word"])), "markdown", RenderOptions()).split()
    )
    revealed = text.partition("Mistakes that can be revealed")[2]
    assert "Embedding norm: Dividing the numbers themselves by the deviation" in revealed


def test_a_learning_rate_of_one_hides_that_it_is_left_out() -> None:
    text = render(weaknesses(trace_of(SHIPPED["learning_to_attend"])), "markdown", RenderOptions())
    assert "Update 1: Subtracting the whole gradient, without the learning rate." in text


def test_nothing_weak() -> None:
    weak = found(NICE, steps=["project"])
    assert list(weak) == ["revealed", "nice", "in all"]
    assert "ties: no two weights of a softmax row are shown alike" in weak["nice"]
    assert weak["in all"][0].startswith("Nothing is weak here. Looked for: ambiguous roundings, ")


def test_only_rows_that_are_shown_count() -> None:
    text = "tokens: [a, b]\nscores: [[1, 1], [1, 2]]\nscale: none\n"
    assert "ties" in found(text)
    assert "ties" not in found(text + "show: {queries: [b]}")


def test_long_lists_are_cut_with_a_count() -> None:
    scores = [[1] * 3 for _ in range(12)]
    weak = found(f"scores: {scores}\nscale: none")
    assert len(weak["ties"]) == 9
    assert weak["ties"][-1] == "… and 4 more"
    assert "12 ties" in weak["in all"][0]


def test_i_love_ai() -> None:
    weak = told(trace_of(SHIPPED["i_love_ai"]))
    assert weak["ties"] == ["weights[I] has 0.422 twice", "weights[love] has 0.212 twice"]
    assert weak["sums"] == ["weights[I] adds up to 0.999"]
    assert weak["in all"] == [
        "Weak here: 11 ambiguous roundings: exp_sum[I], exp_sum[love], output[I, 1], …;"
        " 2 ties: weights[I], weights[love]; 1 row that doesn't add up: weights[I];"
        " 1 repeated winner: weights[AI]; 3 unvaried matrices: W_K, W1, embeddings;"
        " 22 trivial cells: Q[I, 1], Q[I, 2], Q[love, 1], …; 5 mistakes that can't be revealed:"
        " Queries, keys, values: Multiplying by the rows of W_Q instead of its columns;"
        " Queries, keys, values: Multiplying by the rows of W_V instead of its columns;"
        " Queries, keys, values: Computing keys and values from the queries; …."
    ]


# ── the command ──


def lint(*arguments: str, width: int = 80, short: bool = False) -> str:
    result = CliRunner().invoke(
        app,
        ["lint", *arguments, *([] if short else ["--detail", "full"])],
        env={"COLUMNS": str(width)},
    )
    assert result.exit_code == 0, result.output
    return result.stdout


@sampled(23, name=LIGHT, form=format_names())
def test_every_scenario_in_every_format(name: str, form: str) -> None:
    page = lint(name, "--format", form)
    assert "nan" not in page.replace("nance", "")
    assert "-0.00" not in page
    assert page.endswith("\n")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_pages_keep_to_the_width(width: int) -> None:
    for name in ("i_love_ai", "encoder_block", "decoder_block"):
        lines = lint(name, width=width).splitlines()
        whole = "  attn design "  # a command, which is copied
        assert max(len(line) for line in lines if not line.startswith(whole)) <= width


def test_options_are_those_of_run(tmp_path: Path) -> None:
    assert "Ties" in lint("i_love_ai", "--step", "softmax")
    assert "Trivial cells" not in lint("i_love_ai", "--step", "softmax")
    assert "Ties" not in lint("i_love_ai", "--step", "scores")
    assert "0.42 twice" in lint("i_love_ai", "--decimals", "2")
    assert "Rounding  exact" in lint("i_love_ai", "--rounding", "exact")
    changed = lint("i_love_ai", "--set", "W_Q[1,1]=2", "--step", "softmax")
    assert "weights[I] has 0.422 twice" not in changed
    lint("i_love_ai", "-o", str(tmp_path / "page.md"))
    assert "## Ties" in (tmp_path / "page.md").read_text("utf-8")


def test_only_the_row_of_a_token() -> None:
    love = lint("i_love_ai", "--token", "love")
    assert "weights[love] has 0.212 twice" in love
    assert "weights[I]" not in love
    assert "weights[I] has 0.422 twice" in lint("i_love_ai", "--token", "1")
    cell = lint("yassine_rnn_sentence", "--token", "the")
    assert "a[3]" in cell
    assert "a[2]" not in cell
    result = CliRunner().invoke(app, ["lint", "i_love_ai", "--token", "hate"])
    assert result.exit_code == 2


def test_bad_input_is_refused() -> None:
    arguments = ["lint", "i_love_ai", "--step", "softmx", "--format", "pfd", "--decimals", "x"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 3
    assert "no such step; did you mean softmax?" in result.stderr
    result = CliRunner().invoke(app, ["lint", "i_love_ai", "--step", "norm"])
    assert result.exit_code == 2
    assert "this scenario has no such step" in result.stderr


@settings(max_examples=FEWER)
@given(st.one_of(transformers(), recurrents()))
def test_any_model_can_be_looked_through(text: str) -> None:
    weak = weaknesses(trace_of(text))
    for form in format_names():
        assert render(weak, form, RenderOptions(80))


def test_how_many_of_what_is_told_and_the_rest_when_asked_for() -> None:
    page = lint("i_love_ai", short=True)
    assert "• 2 ties: weights[I], weights[love]" in page
    assert "Forms and new scenarios keep" not in page
    assert "under carry and" not in page
    assert "--detail full" in page
    assert len(page.splitlines()) < 32
    whole = lint("i_love_ai", "--detail", "full")
    assert "Forms and new scenarios keep" in whole
    assert "--detail full" not in whole


def test_what_looks_for_nicer_numbers_is_told() -> None:
    page = " ".join(lint("i_love_ai", short=True).split())
    forms = "attn design i_love_ai --forms 2 -o nicer/"
    new = "attn design --sentence 'I love AI' --d-model 2 --heads 1"
    assert f"▸ Nicer numbers: in forms of it, {forms}; in a new scenario, {new} ▸" in page
    recurrent = " ".join(lint("yassine_rnn", short=True).split())
    assert "Weak here: " in recurrent
    assert "Nicer numbers" not in recurrent  # forms may have a singular matrix, too
    alone = render(weaknesses(trace_of(NICE), ["project"]), "markdown", RenderOptions())
    assert "Nicer numbers" not in alone


@pytest.mark.parametrize("norm", ["layer", "rms"])
@pytest.mark.parametrize("decimals", ["2", "3"])
def test_the_command_for_nicer_numbers_makes_them(norm: str, decimals: str) -> None:
    """It has the words, the norm and the decimals of what it is proposed for."""
    options = ["--mask", "causal", "--norm", norm, "--residuals", "--no-ffn"]
    options += [] if decimals == "3" else ["--decimals", decimals]
    asked = ["--sentence", "cats eat fish", "--d-model", "3", "--heads", "2", *options]
    text = CliRunner().invoke(app, ["design", *asked]).stdout
    command = design_command(trace_of(text))
    assert shlex.split(command) == ["attn", "design", *asked]
    assert "Nicer numbers" not in render(weaknesses(trace_of(text)), "markdown", RenderOptions())
