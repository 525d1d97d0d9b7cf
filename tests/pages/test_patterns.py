"""Columns, rows and steps by what names several: `weights[, AI]`, `scores[love]`, `gates[2]`."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner, Result

from attncli.cli import app
from attncli.pages.explain import find_cells
from attncli.pages.parts.selection import SelectionError, select
from attncli.scenario.file.address import parse_pattern
from tests.helpers.pages import SHIPPED, trace_of

LECTURE, HEADS, LSTM = "i_love_ai", "three_tokens_two_heads", "yassine_lstm"


def cells(scenario: str, pattern: str, **within: str) -> list[str]:
    """The addresses of what a pattern means."""
    trace = trace_of(SHIPPED[scenario])
    chosen = select(trace, **within)
    found = find_cells(trace, [pattern], within=chosen)
    return [trace[name].address(*trace[name].find(address)) for name, address in found]


@pytest.mark.parametrize(
    ("scenario", "pattern", "meant"),
    [
        (LECTURE, "weights[, AI]", ["weights[I, AI]", "weights[love, AI]", "weights[AI, AI]"]),
        (LECTURE, "weights[*, last]", ["weights[I, AI]", "weights[love, AI]", "weights[AI, AI]"]),
        (LECTURE, "weights[last, last]", ["weights[AI, AI]"]),
        (LECTURE, "scores[2]", ["scores[love, I]", "scores[love, love]", "scores[love, AI]"]),
        (LECTURE, "scores[love, ]", ["scores[love, I]", "scores[love, love]", "scores[love, AI]"]),
        (LECTURE, "exp_sum[*]", ["exp_sum[I]", "exp_sum[love]", "exp_sum[AI]"]),
        (LECTURE, "weights[love, AI]", ["weights[love, AI]"]),
        (HEADS, "heads[*].exp_sum[last]", ["heads[1].exp_sum[3]", "heads[2].exp_sum[3]"]),
        (HEADS, "heads[last].exp_sum[1]", ["heads[2].exp_sum[1]"]),
        (LSTM, "c[last]", ["c[4][1]", "c[4][2]"]),
        (LSTM, "c[*][2]", ["c[0][2]", "c[1][2]", "c[2][2]", "c[3][2]", "c[4][2]"]),
        (LSTM, "gates[2].forget", ["gates[2].forget[1]", "gates[2].forget[2]"]),
        (LSTM, "state[1]", [f"{q}[{i}]" for q in ("c[1]", "tanh_c[1]", "a[1]") for i in (1, 2)]),
    ],
)
def test_a_pattern_means_cells(scenario: str, pattern: str, meant: list[str]) -> None:
    assert cells(scenario, pattern) == meant


def test_a_step_at_a_time_is_all_that_it_makes() -> None:
    gates = ("z_update", "update", "z_forget", "forget", "z_candidate", "candidate", "z_output", "output")  # fmt: skip
    assert cells(LSTM, "gates[1]") == [f"gates[1].{gate}[{i}]" for gate in gates for i in (1, 2)]


def test_a_name_is_of_the_head_that_is_asked_for() -> None:
    assert cells(HEADS, "weights[2, last]", head="2") == ["heads[2].weights[2, 3]"]
    assert cells(HEADS, "heads[*].weights[2, 3]", head="1") == ["heads[1].weights[2, 3]"]
    assert cells(HEADS, "weights[*, 1]", head="2", token="3") == ["heads[2].weights[3, 1]"]
    assert cells(LSTM, "c", time="3") == ["c[3][1]", "c[3][2]"]


def test_a_name_comes_before_what_it_could_mean() -> None:
    """Of a text whose words are called so."""
    trace = trace_of("sentence: last * first\nQ: [[1], [2], [3]]\nK: [[1], [2], [3]]\nscale: none")
    found = find_cells(trace, ["scores[*, last]"])
    assert [trace["scores"].find(address) for _, address in found] == [(1, 0)]
    found = find_cells(trace, ["scores[, last]"])
    assert parse_pattern("scores[, last]").indices[0].is_every
    assert [trace["scores"].find(address) for _, address in found] == [(1, 0)]


@pytest.mark.parametrize(
    ("scenario", "pattern", "says"),
    [
        (LECTURE, "weights", "weights is addressed by a row and a column"),
        (LECTURE, "weights[*, nosuch]", "weights has no"),
        (LECTURE, "weights[*, *, *]", "weights is addressed by a row and a column"),
        (HEADS, "weights[*, last]", "did you mean heads[1].weights?"),
        (LSTM, "gates[9]", "gates has no step 9; count from 1 to 4"),
        (LECTURE, "nosuch[*]", "this trace has no quantity nosuch"),
    ],
)
def test_what_is_wrong_with_a_pattern_is_told(scenario: str, pattern: str, says: str) -> None:
    with pytest.raises(SelectionError) as caught:
        cells(scenario, pattern)
    assert says in str(caught.value)


def run(*words: str) -> Result:
    return CliRunner().invoke(app, [*words, "--no-pager"])


def test_commands_take_patterns_and_parts() -> None:
    column = run("run", LECTURE, "--cell", "weights[, AI]").stdout
    assert "weights[love, AI] = 7.389 / 12.825  = 0.576" in column
    last = run("run", LECTURE, "--step", "softmax", "--columns", "last").stdout
    assert "exp[I, AI]        = e^1             =  2.718" in last
    assert "exp_sum[I]" not in last.split("\n\n", 1)[1]
    row = run("run", LECTURE, "--step", "scores", "--rows", "love", "--columns", "1").stdout
    assert row.count("scores[") == 1
    gates = run("run", LSTM, "--step", "gates", "--time", "last").stdout
    assert "Gates at step 4" in gates
    assert "at step 3" not in gates
    tree = run("why", "weights[love, *]", LECTURE).stdout
    assert [f"Why weights[love, {key}] is" in tree for key in ("I", "love", "AI")] == [True] * 3


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--time", "1"), "--time 1: no such time; only recurrent cells have times"),
        (("--rows", "zz"), "--rows zz: no table that is asked for has it; they have"),
        (("--cell", "scores[1]", "--step", "softmax"), "a cell says itself of which step it is"),
        (("--set", "show.answer=weights[*, AI]"), "* names all of weights, and one is wanted"),
    ],
)
def test_what_is_wrong_with_a_part_is_told(words: tuple[str, ...], says: str) -> None:
    result = run("run", LECTURE, *words)
    assert result.exit_code == 2
    assert says in result.stderr


def test_tables_without_columns_are_told_to_have_rows_alone() -> None:
    result = run("run", LSTM, "--step", "gates", "--columns", "last")
    assert result.exit_code == 2
    assert "no table that is asked for has it; they have rows alone: 1, 2" in result.stderr
