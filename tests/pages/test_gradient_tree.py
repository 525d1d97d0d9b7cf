"""The tree of gradients: what each stands below, how it is drawn, and how every format has it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli import load, work
from attncli.document.blocks import Document, Paragraph, Table
from attncli.document.tables import Branch
from attncli.formats import RenderOptions, render
from attncli.maths.equations.tree import Omitted
from attncli.names import Name, Word, below
from attncli.pages.parts import gradients
from attncli.pages.parts.gradients import added_up, branches, chain_of, only, sources_of, tree_of
from attncli.pages.parts.selection import select
from attncli.trace import Trace
from attncli.trace.slopes import gradients_of
from tests.conftest import sampled
from tests.helpers.pages import page_of, trace_of
from tests.pages.test_way_back import LAYER, STACK
from tests.steps.test_gradient_check import CHECKED

DEEP = (
    STACK.partition("layers:")[0] + "layers:\n" + 12 * LAYER + "targets: [[1, 0], [0, 1], [1, 1]]"
)
BLOCK = STACK.partition("layers:")[0].replace("norms: {kind: rms}\n", "") + re.sub(
    "^  (- |  )", "", LAYER, flags=re.MULTILINE
)
WHOLE = {
    "stack": STACK + "backward: true\n",
    "deep": DEEP + "\nbackward: true\n",
    "block": BLOCK + "targets: [[1, 0], [0, 1], [1, 1]]\nbackward: true\n",
}


def trace(name: str) -> Trace:
    if name in WHOLE:
        return trace_of(WHOLE[name])
    source, changes = CHECKED[name]
    return work(load(source, changes))


def told(name: str) -> tuple[str, Table]:
    """What is said of the tree, and its table."""
    entry = trace(name)
    _, says, table, *_ = chain_of(entry, select(entry))
    assert isinstance(says, Paragraph)
    assert isinstance(table, Table)
    return str(says.text[0]), table


def lines(name: str) -> list[Branch]:
    first = [row[0] for row in told(name)[1].rows]
    assert all(isinstance(entry, Branch) for entry in first)
    return [entry for entry in first if isinstance(entry, Branch)]


def page(name: str, form: str = "terminal", width: int = 80) -> str:
    entry = trace(name)
    closing = tuple(chain_of(entry, select(entry)))
    return str(render(Document(Word(name), (), closing=closing), form, RenderOptions(width)))


# -- what stands below what ------------------------------------------------------------------------


@st.composite
def uses(draw: st.DrawFn) -> dict[Name, list[Name]]:
    """Each of some quantities, with those before it that its gradient is made of."""
    names = [Name("a", time=k) for k in range(draw(st.integers(1, 14)))]
    found: dict[Name, list[Name]] = {names[0]: []}
    for k, name in enumerate(names[1:], start=1):
        some = draw(st.lists(st.sampled_from(names[:k]), min_size=1, max_size=4, unique=True))
        found[name] = some
    return found


def reached(sources: Mapping[Name, Sequence[Name]], without: Name) -> set[Name]:
    """What can be come to from the first without going through one of them."""
    found: set[Name] = set()
    for name, before in sources.items():
        if name != without and (not before or found.intersection(before)):
            found.add(name)
    return found


@given(uses())
def test_each_stands_below_the_nearest_that_all_it_comes_from_go_through(
    sources: dict[Name, list[Name]],
) -> None:
    tree = tree_of(sources)
    for name in sources:
        ways = [s for s in sources if s != name and name not in reached(sources, s)]
        above, found = tree[name], []
        while above is not None:
            found.append(above)
            above = tree[above]
        assert found[::-1] == ways


@given(uses(), st.data())
def test_a_tree_of_some_keeps_what_is_above_them(
    sources: dict[Name, list[Name]], data: st.DataObject
) -> None:
    tree = tree_of(sources)
    wanted = data.draw(st.sets(st.sampled_from([*tree])))
    some = only(tree, wanted)
    assert wanted <= some.keys() <= tree.keys()
    for name, above in some.items():
        whole = tree[name]
        while whole is not None and whole not in some:
            whole = tree[whole]
        assert above == whole
        several = [*some.values()].count(name) > 1
        assert name in wanted or above is None or several


@given(uses())
def test_the_guides_lead_to_what_each_stands_below(sources: dict[Name, list[Name]]) -> None:
    tree = tree_of(sources)
    drawn = [*branches(tree, sources)]
    assert {b.name: b.above for b in drawn} == tree
    assert as_read(drawn) == [b.above for b in drawn]
    places = {b.name: k for k, b in enumerate(drawn)}
    for name, before in sources.items():
        assert all(places[entry] < places[name] for entry in before)


def as_read(drawn: Sequence[Branch]) -> list[Name | None]:
    """What each stands below, as somebody reads it who follows the lines with a finger."""
    found: list[Name | None] = []
    last: dict[int, Name] = {}  # of each column what was read last
    for branch in drawn:
        column = len(branch.guides)
        begins = branch.guides.endswith(("├", "└"))
        found.append(last.get(column - 1 if begins else column))
        last = {k: name for k, name in last.items() if k < column} | {column: branch.name}
    return found


@given(uses())
def test_no_tree_goes_far_to_the_right_because_it_is_long(sources: dict[Name, list[Name]]) -> None:
    linked = {name: [*sources][k - 1 : k] for k, name in enumerate(sources)}
    assert all(not b.guides for b in branches(tree_of(linked), linked))


# -- how a page tells it ---------------------------------------------------------------------------


def test_one_head_branches_where_the_output_is_used() -> None:
    assert [f"{line.guides}{line.text}" for line in lines("plane")] == [
        "mse",
        "output",
        "├V",
        "│W_V",
        "├weights",
        "│scaled",
        "│scores",
        "│├Q",
        "││W_Q",
        "│└K",
        "│ W_K",
        "└X",
    ]


def test_the_way_past_a_layer_goes_straight_on() -> None:
    trunk = [line.text for line in lines("block") if not line.guides]
    assert trunk == ["mse", "residual2", "residual1"]
    rows = {str(row[0].name): row[3] for row in told("block")[1].rows if isinstance(row[0], Branch)}
    assert rows["residual1"] == "residual2, hidden"
    assert rows["X"] == "residual1, V, K, Q"


@pytest.mark.parametrize("name", ["stack", "next_token", "lstm", "deep"])
def test_of_many_only_what_is_given_and_where_ways_part(name: str) -> None:
    says, table = told(name)
    entry = trace(name)
    names = [*gradients_of(entry)]
    shown = lines(name)
    assert len(table.rows) == len(shown) <= 48 < len(names)
    wanted = {each for each in names if entry.quantities[each].given}
    if name == "deep":
        assert "in the last and the first layer of a stack" in says
        middle = [below(Name(""), "layers", k) for k in range(2, 12)]
        wanted = {each for each in wanted if not any(map(each.inside, middle))}
    assert "Of so many" in says
    assert wanted <= {each.name for each in shown}
    parts = [each.above for each in shown]
    for each in shown[1:]:
        assert each.name in wanted or parts.count(each.name) > 1


@pytest.mark.parametrize("most", [8, 20, 36])
def test_of_still_more_the_first_and_the_last_are_told(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = lines("next_token")
    monkeypatch.setattr(gradients, "_MOST_BRANCHES", most)
    *first, left_out, last = (row[0] for row in told("next_token")[1].rows)
    assert first == every[: most - 2]
    assert isinstance(left_out, Omitted)
    assert isinstance(last, Branch)
    assert last.name == every[-1].name
    is_told = last.above in {b.name for b in every[: most - 2]}
    assert last.text == (every[-1].text if is_told else every[-1].name)


def test_what_is_added_up_is_told_in_short() -> None:
    gates = [Name("z", Name("gates", time=k)) for k in (4, 3, 2, 1)]
    assert added_up(gates[:1], None) == ""
    assert added_up(gates, None) == "gates[4] … gates[1]"
    norm = below(below(Name(""), "layers", 2), "norm2")
    skipped = Name("residual2", norm.path)
    inside = [skipped, Name("centered", norm), Name("mean", norm)]
    assert added_up(inside, skipped) == "residual2, norm2"
    assert added_up(inside[1:], Name("normed", norm)) == "centered, mean"
    assert added_up(inside, None) == "layers[2].residual2, layers[2].norm2"
    many = [Name(f"W_{'abcdef'[k]}", norm.path) for k in range(6)]
    assert added_up(many, None) == "6 quantities"


@sampled(4, name=[*CHECKED, *WHOLE], width=[60, 80, 120])
def test_no_line_is_broken(name: str, width: int) -> None:
    text = page(name, width=width)
    assert max(map(len, text.splitlines())) <= width
    for line in lines(name):
        assert len(re.findall(rf"^ +[│├└─ ]*{re.escape(line.text)} +│", text, re.MULTILINE)) >= 1
    assert text.count("Adds up those of") <= 1  # in one band


# -- in other formats ------------------------------------------------------------------------------


def test_data_has_what_each_row_is_under() -> None:
    table = json.loads(page_of(trace("stack"), "json"))["tables"][0]
    shown = lines("stack")
    assert [row[0] for row in table["rows"]] == [str(b.name) for b in shown]
    assert table["under"] == [b.above for b in shown]
    others: list[Any] = json.loads(page_of(trace("stack"), "json"))["tables"][1:]
    assert others
    assert all("under" not in value for value in others)


def test_markdown_keeps_the_guides_in_columns() -> None:
    text = page("plane", "markdown")
    assert "| `mse` |" in text
    assert "| `│\u00a0\u00a0├─\u00a0Q` |" in text
    assert "| `│\u00a0\u00a0\u00a0\u00a0\u00a0W_K` |" in text


def test_the_guides_of_a_web_page_are_no_text() -> None:
    text = page("plane", "html")
    assert '<th scope="row" class="branch">mse</th>' in text
    row = '<th scope="row" class="branch"><i class="past"></i><i class="last"></i>K</th>'
    assert row in text


def test_latex_draws_rules() -> None:
    text = page("plane", "latex")
    assert r"\attnpast{}\attnlast{}K & " in text
    assert r"\providecommand\attnlast" in text
    assert r"\providecommand\attnlast" not in page_of(work(load("i_love_ai")), "latex")


def test_sources_of_a_trace_come_before() -> None:
    entry = trace("next_token")
    sources = sources_of(entry, gradients_of(entry))
    seen: set[Name] = set()
    for name, before in sources.items():
        assert seen.issuperset(before)
        seen.add(name)
    assert [str(name) for name, before in sources.items() if not before] == ["cross_entropy"]
