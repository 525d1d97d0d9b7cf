"""What a scenario asks its page to show: arrows, each token before and after, sums of weights."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli import load, work
from attncli.document.blocks import Block, Graph
from attncli.document.tables import SideBySide
from attncli.formats import RenderOptions, render
from attncli.maths.notation import plain
from attncli.pages.parts.selection import Selection, select
from attncli.pages.walkthrough import walkthrough
from attncli.scenario.file.problems import ScenarioError
from attncli.trace import Trace
from tests.helpers.pages import SHIPPED, page_of, trace_of

WEIGHTS = {
    "tokens": ["a", "b", "a"],
    "block": "attention",
    "weights": [["0.5", "0.5", 0], [1, 0, 0], ["0.25", "0.25", "0.5"]],
}


def closing(trace: Trace, kind: type[Block]) -> list[Block]:
    return [block for block in walkthrough(trace, Selection()).closing if isinstance(block, kind)]


def arrows_of(**arrows: list[str]) -> list[tuple[str, str, str]]:
    """The arrows that are drawn, with their weights, of some that are asked for."""
    graphs = closing(work(load({**WEIGHTS, "show": {"arrows": arrows}})), Graph)
    return [
        (edge.source.raw, edge.target.raw, plain(edge.weight))
        for graph in graphs
        if isinstance(graph, Graph)
        for edge in graph.edges
    ]


def test_only_the_arrows_that_are_asked_for() -> None:
    assert arrows_of(b=["a", "b"]) == [("b", "a (1)", "1")]
    assert arrows_of(a=["b"]) == [("a (1)", "b", "0.5"), ("a (3)", "b", "0.25")]


def test_an_arrow_without_weight_is_spoken_of() -> None:
    trace = work(load({**WEIGHTS, "show": {"arrows": {"b": ["b"]}}}))
    page = " ".join(page_of(trace).split())
    assert "No arrow goes from “b” to “b”: its weight is 0." in page
    assert closing(trace, Graph) == []


def test_the_arrows_of_variants() -> None:
    page = " ".join(page_of(trace_of(SHIPPED["tennis_and_rafael"])).split())
    before, _, causal = page.partition("Who attends to whom in the variant causal")
    assert "▶ Rafael" in before
    assert "▶ love" in before
    assert "▶ Rafael" not in causal
    assert "▶ love" in causal
    assert "No arrow goes from “Tennis” to “Rafael”: its weight is 0." in causal


@pytest.mark.parametrize(
    ("arrows", "said"),
    [
        ({"c": "a"}, "c is none of the queries; name some of a, b and a"),
        ({"a": ["b", "c"]}, "c is none of the keys"),
        ({"a": []}, "an empty list"),
        ({}, "where a map belongs"),
    ],
)
def test_arrows_that_are_not_there(arrows: dict[str, object], said: str) -> None:
    with pytest.raises(ScenarioError) as told:
        load({**WEIGHTS, "show": {"arrows": arrows}})
    words = str(told.value).replace("'", "").replace('"', "")
    assert "arrows" in words
    assert said.partition(";")[0] in words


def test_each_token_before_and_after() -> None:
    (table,) = closing(trace_of(SHIPPED["meeting"]), SideBySide)
    assert isinstance(table, SideBySide)
    assert [heading for heading, _ in table.columns] == ["Before", "After"]
    before, after = (block.matrix.values for _, block in table.columns)
    assert before.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert after[0].tolist() == [0.7, 0.2, 0.1, 0.1]


def test_before_and_after_needs_both() -> None:
    assert closing(work(load({**WEIGHTS, "show": {"before_after": True}})), SideBySide) == []


NUMBER = st.integers(0, 100).map(lambda hundredths: f"{hundredths / 100:.2f}")


@given(st.lists(NUMBER, min_size=2, max_size=4))
def test_given_weights_tell_what_they_add_up_to(row: list[str]) -> None:
    """Sums worked beside the package; rows that are far off are spoken of by another sentence."""
    total = sum(map(Decimal, row), start=Decimal(0))
    trace = work(load({"weights": [row], "V": [[1]] * len(row)}))
    page = " ".join(page_of(trace).split())
    near = abs(total - 1) <= len(row) * Decimal("0.005")
    assert (f"add up to {total}, not to 1" in page) == (near and total != 1)
    assert ("don't add up to 1" in page) == (not near)
    assert f" {total}" in page


@pytest.mark.parametrize("form", ["terminal", "markdown", "latex"])
def test_one_query_as_a_column(form: str) -> None:
    """Each key has a line of its own, and the sum is below; numbers are those of the row. Scores
    that are laid out as on paper stand below the keys there."""
    text = SHIPPED["alice_met_bob"]
    page = page_of(trace_of(text), form, detail="full")
    lines = [" ".join(line.split()) for line in page.splitlines()]
    table = [line for line in lines if "K: cafe" in line]
    shown = select(trace_of(text))
    column = render(walkthrough(trace_of(text), shown), form, RenderOptions(80))
    texts = [" ".join(line.split()) for line in column.splitlines() if "K: cafe" in line]
    product = form == "latex"
    for number in ("0.86", "2.363", "0.23"):
        assert any(number in line for line in texts) != (product and number == "0.86"), number
        assert not any("K: met" in line for line in texts)
    row = "$0.23$ & $0.74$ & $0.50$ & $0.38$ & $0.50$ & $0.86$"
    assert any(line.startswith("met &") and row in line for line in column.splitlines()) == product
    assert all("K: met" in line for line in table)  # all queries: a table as ever


def test_a_row_and_a_column_are_the_same_data() -> None:
    text = SHIPPED["alice_met_bob"]
    row = text.replace("  layout: column\n", "")
    assert row != text
    pages = [trace_of(entry) for entry in (text, row)]
    column, row = (render(walkthrough(t, select(t)), "json", RenderOptions(80)) for t in pages)
    assert column == row
