"""Trees of working: they lead from a number to just the given ones that it depends on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise, product
from random import Random
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.document.blocks import Tree, TreeRow
from attncli.formats import RenderOptions, render
from attncli.maths.equations.tree import Location
from attncli.pages.why import Ancestry, why_page
from attncli.pipeline import load, work
from attncli.trace import Trace
from tests.auditor import audit
from tests.conftest import sampled
from tests.helpers.pages import LARGE, SHIPPED, WORDS_ONLY, shipped_trace
from tests.pages.test_golden import check

ALL = 100
_NOISE = 1e-11
"""What floats are off by that are worked in another order."""
_LINE = re.compile(
    r"^ +\d+ [ │├└]+|^[ │├└]+(?:given|see): .*\n|(?<==) [^=\s]+\[[^]]*\] =", re.MULTILINE
)
"""What stands before a line of working, what is no such line, and what a number is copied from."""


def attn(*arguments: str, width: int = 80) -> str:
    result = CliRunner().invoke(app, ["why", *arguments], env={"COLUMNS": str(width)})
    assert result.exit_code == 0, result.output
    return result.stdout


def table(random: Random, rows: int, columns: int) -> list[list[float]]:
    return [[round(random.uniform(0.1, 0.7), 3) for _ in range(columns)] for _ in range(rows)]


def generic(seed: int, heads: int) -> Trace:
    """A layer of attention in whose numbers nothing is 0, and nothing the same twice."""
    random = Random(seed)
    wide = {name: table(random, 4, 4) for name in ("W_Q", "W_K", "W_V")}
    more = {"heads": heads, "W_O": table(random, 4, 4)} if heads > 1 else {}
    data = {"X": table(random, 3, 4), **wide, **more, "scale": "sqrt_d_k"}
    return work(load({**data, "rounding": {"policy": "exact", "decimals": 3}}))


def changing(trace: Trace, cell: Location) -> set[Location]:
    """The given numbers that a number is another one without: each is changed on its own."""
    found = set()
    before = trace[cell.quantity].values[cell.row, cell.column]
    for quantity in [q for q in trace.quantities.values() if q.given]:
        for i, j in np.ndindex(*quantity.values.shape):
            other = np.array(quantity.values)
            if not np.isfinite(other[i, j]):
                continue
            other[i, j] += 0.001
            after = trace.replay({quantity.name: other})[cell.quantity].values
            if abs(after[cell.row, cell.column] - before) > _NOISE:
                found.add(Location(quantity.name, i, j))
    return found


@pytest.mark.parametrize("heads", [1, 2])
def test_the_leaves_are_what_a_number_depends_on(heads: int) -> None:
    trace = generic(heads, heads)
    last = [*trace.quantities][-1]
    for name, i, j in ((last, 1, 2), ("scores" if heads == 1 else "heads[2].exp_sum", 2, 0)):
        cell = Location(name, i, j)
        assert set(Ancestry.of(trace, cell).given()) == changing(trace, cell)


@sampled(4, name=("i_love_ai", "encoder_block", "yassine_rnn", "yassine_lstm", "word_order",
                  "i_love_tennis_causal", "pasta_lookup"))  # fmt: skip
def test_nothing_that_a_number_depends_on_is_left_out(name: str) -> None:
    """Also where zeros and masks are: then a number may stand in the working and change nothing."""
    trace = shipped_trace(name).under("exact")
    last = trace[[*trace.quantities][-1]]
    cell = Location(last.name, last.values.shape[0] - 1, 0)
    assert changing(trace, cell) <= set(Ancestry.of(trace, cell).given())


def test_every_line_is_told_once_and_leads_on() -> None:
    trace = shipped_trace("i_love_ai")
    cell = Location("ffn", 1, 0)
    ancestry = Ancestry.of(trace, cell)
    for depth in (1, 2, 3, ALL):
        page = render(why_page(trace, [cell], depth), "terminal", RenderOptions(200))
        labels = re.findall(r"^ +\d+ [ │├└]+(\S+\[.*?\]) =", page, re.MULTILINE)
        assert len(labels) == len(set(labels))
        wanted = {
            trace[c.quantity].address(c.row, c.column)
            for c, a in ancestry.ancestors.items()
            if a.level <= depth
        }
        assert set(labels) == wanted
        assert ("deeper" in page) == (depth < ancestry.deepest)
        assert all(int(k) <= len(labels) for k in re.findall(r" in (\d+)", page))


@sampled(7, name=sorted({*SHIPPED} - LARGE - {WORDS_ONLY}))
def test_signs_are_true(name: str) -> None:
    for policy in ("carry", "exact"):
        trace = shipped_trace(name).under(policy)
        last = trace[[*trace.quantities][-1]]
        page = render(
            why_page(trace, [Location(last.name, 0, 0)], ALL), "terminal", RenderOptions(2000)
        )
        report = audit(_LINE.sub(_as_a_line, page), "terminal", None)
        assert report.false == []
        assert report.checked or last.given


TREE = Tree(
    tuple(TreeRow(depth, "", (f"{k}",)) for k, depth in enumerate((0, 1, 2, 2, 1, 3, 0, 1)))
)


def test_guides_lead_to_each_line_of_a_tree() -> None:
    assert TREE.guides == ["", "├", "│├", "│└", "└", "  └", "", "└"]
    assert Tree(()).guides == []


@sampled(41, depths=[*product(range(4), repeat=6)])
def test_guides_fit_to_those_above_and_below(depths: tuple[int, ...]) -> None:
    """A guide goes on until the row that it leads to, and none begins or ends in between."""
    tree = Tree(tuple(TreeRow(depth, "", ()) for depth in depths))
    assert [len(guides) for guides in tree.guides] == [*depths]
    rows = [*tree.guides, ""]
    for above, below in pairwise(rows):
        for level, guide in enumerate(above):
            after = below[level : level + 1]
            assert (after in ("│", "├", "└") and after != "") == (guide in "│├")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_every_line_on_a_terminal_stands_behind_its_guides(width: int) -> None:
    """Also what a long line goes on with."""
    page = attn("output[love, 2]", "i_love_ai", "--depth", "all", width=width)
    lines = page.partition("is 2.364\n\n")[2].splitlines()
    assert max(map(len, lines)) <= width
    column = {k: line.find("├") for k, line in enumerate(lines) if "├" in line}
    for k, place in column.items():  # what it leads to the next of
        after = next(line for line in lines[k + 1 :] if line[place : place + 1] != "│")
        assert after[place] in "├└"


@pytest.mark.parametrize(
    ("form", "mark"),
    [("html", '<ul class="tree">'), ("latex", r"\attnfork{}"), ("markdown", "\n  - 2 · ")],
)
def test_each_format_has_the_tree(form: str, mark: str) -> None:
    assert mark in attn("output[love, 2]", "i_love_ai", "--depth", "all", "--format", form)


def _as_a_line(found: re.Match[str]) -> str:
    return "" if found[0].endswith(("\n", "=")) else "  "


def nested(entry: Any) -> Iterator[Any]:
    yield entry
    for value in entry.get("from", ()):
        yield from nested(value)


def test_json_has_the_tree() -> None:
    trace = shipped_trace("three_tokens_two_heads")
    (root,) = json.loads(
        attn("attention[2, 3]", "three_tokens_two_heads", "--depth", "all", "--format", "json")
    )["cells"]
    entries = [*nested(root)]
    given = {entry["cell"] for entry in entries if entry.get("given")}
    found = Ancestry.of(trace, Location("attention", 1, 2)).given()
    assert given == {trace[c.quantity].address(c.row, c.column) for c in found}
    values = [entry["cell"] for entry in entries if "text" in entry]
    assert len(values) == len(set(values))
    assert {entry["cell"] for entry in entries if entry.get("told") == "elsewhere"} <= set(values)


def test_several_cells_and_depths() -> None:
    page = attn("Q[love, 1]", "weights[1, 1]", "i_love_ai", "--depth", "1")
    assert page.count("Why ") == 2
    cold = attn("weights[love, AI]", "i_love_ai")
    assert len(cold.splitlines()) < 45
    assert "given: nothing" not in cold
    assert "It is given" in attn("W_Q[1, 1]", "i_love_ai")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["weights[love, x]", "i_love_ai"], 'weights has no "x"'),
        (["wieghts[1, 1]", "i_love_ai"], "wieghts"),
        (
            ["i_love_ai", "weights[love, AI]"],
            "the scenario comes last; write attn why 'weights[love, AI]' i_love_ai",
        ),
        (["tokens[1]", "i_love_ai"], "no number that is worked"),
        (["Q[1, 1]", "i_love_ai", "--depth", "0"], "--depth 0: is too few"),
        (["Q[1, 1]", "i_love_ai", "--depth", "deep"], "--depth deep: is no whole number"),
    ],
)
def test_what_is_not_there_is_said(typed: list[str], said: str) -> None:
    result = CliRunner().invoke(app, ["why", *typed])
    assert result.exit_code == 2
    assert said in result.output
    assert "--cell" not in result.output


def test_numbers_in_html_can_be_asked() -> None:
    page = attn("output[love, 2]", "i_love_ai", "--format", "html")
    assert page.count("data-n=") > 30


@pytest.mark.parametrize(("form", "suffix"), [("terminal", "txt"), ("markdown", "md")])
def test_page(form: str, suffix: str, rewrite: bool) -> None:
    trace = shipped_trace("i_love_ai")
    page = render(why_page(trace, [Location("output", 1, 1)], ALL), form, RenderOptions(80))
    check(f"why_i_love_ai.{suffix}", page, rewrite=rewrite)
