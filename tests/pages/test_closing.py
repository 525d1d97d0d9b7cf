"""What closes a page: quiet endings, what looks forgotten, the finding, where to read on."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from attncli import load, work
from attncli.cli import app
from attncli.document.blocks import Callout, text_of_spans
from attncli.formats import RenderOptions, render
from attncli.pages.parts.selection import Selection, select
from attncli.pages.walkthrough import walkthrough
from attncli.scenario import scenario
from attncli.scenario.file.problems import ScenarioError
from tests.conftest import sampled
from tests.helpers.pages import EQUATIONS, GOLDEN, LIGHT, SHIPPED, page_of, shipped_trace, trace_of

EYE = "[[1, 0], [0, 1]]"


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_scenarios_end_quietly(name: str) -> None:
    assert "The trace ends here" not in (GOLDEN / f"{name}.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "forgotten"),
    [
        ("sentence: a b", ""),
        (f"tokens: [a, b]\nQ: {EYE}\nK: {EYE}", ""),
        (f"tokens: [a, b]\nweights: {EYE}", ""),
        (f"weights: {EYE}", ""),
        (f"Q: {EYE}\nK: {EYE}\nV: {EYE}", ""),
        (f"Q: {EYE}", "scores, needs K"),
        (f"V: {EYE}\nQ: {EYE}", "scores, needs K"),
        (f"X: {EYE}\nW_Q: {EYE}", "project, needs W_K"),
        (f"X: {EYE}\nW_Q: {EYE}\nW_K: {EYE}", "project, needs W_V"),
        (f"sentence: a b\nW_Q: {EYE}", "project, needs X (or embeddings"),
        (f"output: {EYE}\nW1: {EYE}", "ffn, needs W2"),
        (f"X: {EYE}", "project, needs W_Q"),
        ("scores: [[1, 2]]\nscale: sqrt_d_k", "scale, divides by √d_k"),
        ("tokens: [a]\nX: [[1]]\ncell: rnn\nW_ax: [[1]]", "state, needs W_aa"),
        ("title: nothing", "embed, needs embeddings"),
    ],
)
def test_what_looks_forgotten_is_told(text: str, forgotten: str) -> None:
    page = " ".join(page_of(trace_of(f"{text}\n")).split())
    assert ("The next step," in page) == bool(forgotten)
    assert forgotten in page


def notes_of(source: Any) -> list[str]:
    closing = walkthrough(work(load(source)), Selection()).closing
    return [text_of_spans(block.text) for block in closing if isinstance(block, Callout)]


def test_the_page_closes_with_the_source_and_where_to_read_on() -> None:
    source, why = notes_of("i_love_ai")[:2]
    assert source.startswith(
        "56 of the source's 57 numbers follow; attn check i_love_ai says which doesn't."
    )
    assert "“love” attends most" not in str(notes_of("i_love_ai"))  # with which the page begins
    assert why == "Why? attn explain i_love_ai --step softmax"
    assert CliRunner().invoke(app, shlex.split(why.partition(": attn ")[2])).exit_code == 0


def test_where_to_read_on_asks_for_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that is told works, though the scenario is only worked where that is asked for."""
    monkeypatch.setattr(scenario, "MOST_PLACES", 2)
    words = ["run", "i_love_ai", "--detail", "summary"]
    assert CliRunner().invoke(app, words).exit_code == 2
    page = " ".join(CliRunner().invoke(app, [*words, "--large"]).stdout.split())
    command = page.rpartition("Why? attn ")[2].partition(" ▸ ")[0]
    assert command == "explain i_love_ai --step softmax --large"
    assert CliRunner().invoke(app, command.split()).exit_code == 0


def test_what_the_last_section_found_is_not_said_again() -> None:
    page = page_of(trace_of(SHIPPED["pasta_lookup"]))
    assert page.count("“Pasta” is most like “Food”: 81 % of its answer is “Rice”.") == 1


def test_a_mapping_has_no_name_to_explain_it_by() -> None:
    assert notes_of({"scores": [[1, 2]], "scale": "none"}) == []


def test_a_block_closes_with_the_token_that_it_moves_furthest() -> None:
    trace = work(load("encoder_block"))
    begun, ended = trace["X"].values, trace["norm2.normed"].values
    furthest = int(((ended - begun) ** 2).sum(axis=1).argmax())
    name = trace["X"].rows.names[furthest]
    found = notes_of("encoder_block")[0]
    assert found.startswith(
        f"The block has moved the row of “{name}” furthest: from [1.141, 1.340,"
    )
    assert found.endswith(" in norm2.normed.")


def test_a_copy_of_the_embeddings_is_told_once() -> None:
    trace = shipped_trace("embedding_table")
    page = page_of(trace)
    assert "so Q, K and V are X here" in " ".join(page.split())
    assert page.count("  king  │  0.0122   0.0591   0.0064  …   0.0024") == 1
    alone = render(walkthrough(trace, select(trace, ["project"])), "terminal", RenderOptions(80))
    assert alone.count("king  │") == 1


def attn_page(*arguments: str) -> str:
    return CliRunner().invoke(app, arguments).stdout


def test_a_mask_has_its_tables_also_by_rows() -> None:
    page = attn_page("run", "i_love_tennis_causal", "--step", "mask", "--detail", "rows")
    assert "Q: love   │ 0.388    0.304         −∞     −∞" in page


def asked_in(name: str) -> list[tuple[str, list[str]]]:
    """The questions that a page ends with, and the words of their commands."""
    notes = [note for note in notes_of(name) if "? attn run " in note]
    return [(q, shlex.split(c)) for q, _, c in (note.rpartition("? attn ") for note in notes)]


IN_NUMBERS = EQUATIONS | {"softmax_gradient", "tokenizers"}
"""Scenarios whose pages find the same after a change of their numbers."""


@sampled(17, name=LIGHT)
def test_a_page_ends_with_a_question_whose_command_answers_it(name: str) -> None:
    """The page of the command is another one, in what was found or in what it ends with; where nothing is found but
    numbers, in these."""
    asked = asked_in(name)
    assert asked
    own = CliRunner().invoke(app, ["run", name]).stdout
    for question, command in asked:
        assert question.startswith("What if ")
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, result.stderr
        found, others = (_found_on(page) for page in (own, result.stdout))
        assert others != found or name in IN_NUMBERS
        assert _numbers_on(own) != _numbers_on(result.stdout) or name not in IN_NUMBERS


@sampled(4, name=SHIPPED)
def test_every_what_if_can_be_asked(name: str) -> None:
    """The test above runs the commands of a few scenarios, drawn anew each time; this one plans those of more."""
    for changes in load(name).page.show.what_if.values():
        load(name, changes)


def test_a_dimension_is_set_by_the_name_that_its_table_shows() -> None:
    """Of the embeddings and of the weights of the first attention, and by no other name."""
    for named, counted in (
        ("embeddings[milk, alive]", "embeddings[milk, 4]"),
        ("W_Q[noun, 1]", "W_Q[2, 1]"),
    ):
        one, two = (work(load("two_heads", [f"{key}=3"])) for key in (named, counted))
        assert (one["attention"].values == two["attention"].values).all()
    with pytest.raises(ScenarioError, match=r'no dimension "alve"; did you mean alive\?'):
        load("two_heads", ["embeddings[milk, alve]=3"])
    with pytest.raises(ScenarioError, match="there is no entry noun; count from 1 to 4"):
        load("two_heads", ["W_O[noun, 1]=3"])


def _numbers_on(page: str) -> list[str]:
    """The lines of a page that have a table's numbers."""
    return [line for line in page.splitlines() if " │ " in line and "given" not in line]


def _found_on(page: str) -> set[str]:
    """What a page remarks on, without what only says that something was changed, or could be."""
    notes = {line for line in page.splitlines() if line.startswith("▸")}
    of_changes = ("▸ Changed for this run", "▸ What if ", "▸ What it says of its own numbers")
    return {note for note in notes if not note.startswith(of_changes)}


@sampled(13, name=LIGHT)
def test_what_is_done_is_not_asked_again(name: str) -> None:
    """The page of a what-if says that its text is about other numbers, and proposes another."""
    asked = asked_in(name)
    for question, command in asked:
        page = " ".join(CliRunner().invoke(app, command).stdout.split())
        assert question not in page
        assert "Changed for this run: " in page
        assert "The text below is about the scenario without th" in page
        assert all(other in page for other, _ in asked if other != question)


def test_what_a_source_says_is_left_out_of_changed_numbers_also_of_variants() -> None:
    """As long as nothing but rounding changes, it stands."""
    page = attn_page("run", "meeting", "--set", "scale=none")
    assert "statements" not in page
    text = "▸ What the source says of its own numbers is left out, as these were changed."
    assert text in page
    same = attn_page("run", "i_love_ai", "--set", "scale=none")  # as the file says
    assert same == attn_page("run", "i_love_ai")
    rounded = attn_page("run", "meeting", "--decimals", "3")
    assert "2 of the source's 3 statements are so; attn check meeting says which" in rounded
    assert "Changed for this run" not in rounded


def test_a_scenario_that_asks_nothing_is_asked_about_its_largest_number(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("X: [[1, -3], [0, 2]]\nW_Q: [[1, 0], [0, 1]]\nW_K: [[1, 0], [0, 1]]\n")
    ((question, command),) = asked_in(str(file))
    assert question == "What if X[1, 2] is 0"
    assert command[-1] == "X[1, 2]=0"
    command[1] = str(file)
    assert CliRunner().invoke(app, command).exit_code == 0
