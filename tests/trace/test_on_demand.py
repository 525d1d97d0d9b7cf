"""A page of single cells works what leads to them, and nothing else; and is the same page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli import ScenarioError
from attncli.cli import app
from attncli.formats import RenderOptions, render
from attncli.pages.explain import cells_page, find_cells
from attncli.pages.parts.selection import SelectionError
from attncli.pipeline import load, work, work_on_demand
from attncli.trace import Trace, make
from tests.conftest import THOROUGH
from tests.helpers.pages import shipped_trace

WIDTH, TOKENS, LAYERS = 4, 3, 3
SEVERAL = ("learning_to_attend", "next_token", "three_tokens_two_heads")
"""Shipped ones: with updates, with tokens that are generated, with heads."""


def drawn(*shape: int) -> list[Any]:
    numbers: list[Any] = np.random.default_rng(sum(shape)).normal(size=shape).tolist()
    return numbers


def stack(**more: Any) -> dict[str, Any]:
    """A few layers of two heads, up to the probabilities of the next token."""
    square = drawn(WIDTH, WIDTH)
    names = ("W_Q", "W_K", "W_V", "W_O", "W1", "W2")
    return {
        "X": drawn(TOKENS, WIDTH),
        "layers": [{**dict.fromkeys(names, square), "heads": 2, **more}] * LAYERS,
        "unembedding": drawn(WIDTH, 5),
        "rounding": {"policy": "exact"},
    }


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of all that comes to be worked on demand, in order."""
    names: list[str] = []

    def noted(*arguments: Any) -> Any:
        names.append(arguments[2].name)
        return make(*arguments)

    monkeypatch.setattr("attncli.trace.on_demand.make", noted)
    return names


def leading_to(trace: Trace, names: Iterable[str]) -> set[str]:
    """Some quantities and all that they are made of, but for given ones."""
    wanted = {name for name in names if trace[name].definition is not None}
    operands = {o for name in wanted for o in trace[name].definition.operands}  # type: ignore[union-attr]
    return wanted | leading_to(trace, operands) if operands else wanted


def page(trace: Trace, *cells: str, form: str = "terminal") -> str:
    return render(cells_page(trace, find_cells(trace, cells)), form, RenderOptions(80))


def refusal(trace: Trace, *cells: str) -> str:
    with pytest.raises(SelectionError) as caught:
        find_cells(trace, cells)
    return str(caught.value)


def test_each_is_made_once_and_only_what_leads_to_it(made: list[str]) -> None:
    whole, trace = work(load(stack())), work_on_demand(load(stack()))
    assert (*trace.quantities,) == (*whole.quantities,)
    assert len(trace.quantities) == len(whole.quantities)
    known = [name for name, shape in trace.scenario.plan.shapes.items() if None not in shape]
    assert "layers[2].heads[1].scores" in known
    for name in known:
        assert trace[name].shape == whole[name].shape
        assert (trace[name].rows, trace[name].columns) == (whole[name].rows, whole[name].columns)
    assert made == []
    asked: list[str] = []
    for name in ("layers[2].heads[1].scores", "layers[1].residual1", "logits"):
        np.testing.assert_array_equal(trace[name].values, whole[name].values)
        asked.append(name)
        assert {*made} == leading_to(whole, asked)
    assert len(made) == len({*made})
    assert "probabilities" not in made


def test_a_page_works_its_cell_and_what_leads_there(made: list[str]) -> None:
    whole, trace = work(load(stack())), work_on_demand(load(stack()))
    cell = "layers[2].heads[1].exp[1, 2]"
    text = page(trace, cell, form="html")
    assert {*made} == leading_to(whole, ["layers[2].heads[1].exp"])
    assert not any(name.startswith(("layers[2].heads[2]", "layers[3]")) for name in made)
    assert text == page(whole, cell, form="html")


@pytest.mark.parametrize("name", SEVERAL)
def test_pages_are_the_same(name: str) -> None:
    whole, forms = shipped_trace(name), cycle(("markdown", "html", "json", "terminal"))
    quantities = [*whole.quantities.values()]
    for quantity in quantities[:: len(quantities) // (40 if THOROUGH else 8) + 1]:
        trace, form = work_on_demand(whole.scenario), next(forms)
        cell = quantity.address(0, quantity.matrix.shape[1] - 1)
        assert page(trace, cell, form=form) == page(whole, cell, form=form)
        assert (trace.unfinished, trace.unused) == (whole.unfinished, whole.unused)


def test_what_was_given_to_no_purpose_is_known(made: list[str]) -> None:
    source = {"X": [[1, 2]], "W_Q": [[1], [2]], "W_K": [[1], [2]], "W3": [[1]]}
    whole, trace = work(load(source)), work_on_demand(load(source))
    assert whole.unused == trace.unused == ("W3",)
    assert trace.unfinished is not None
    assert trace.unfinished == whole.unfinished
    assert made == []


@pytest.mark.parametrize(
    "cells",
    [["wieghts[1, 2]"], ["weights[1, 9]", "nothing[1]"], ["losses"], ["exp_sum[1, 2]"], ["Q[x"]],
)
def test_what_is_not_there_is_told_the_same(cells: list[str]) -> None:
    for name in SEVERAL:
        whole = shipped_trace(name)
        assert refusal(work_on_demand(whole.scenario), *cells) == refusal(whole, *cells)


def test_what_cannot_be_worked_is_told_where_it_is_asked_for() -> None:
    """Each exponential rounds to 0, which nothing can be divided by; the scores are fine."""
    source = {"Q": [[10], [9]], "K": [[-10], [-10]], "V": [[1], [2]], "scale": "none"}
    with pytest.raises(ScenarioError) as whole:
        work(load(source))
    trace = work_on_demand(load(source))
    assert "= −100" in page(trace, "scores[1, 2]")
    with pytest.raises(ScenarioError) as asked:
        page(trace, "output[1, 1]")
    assert str(asked.value) == str(whole.value)


def test_steps_are_numbered_past_experts_that_no_token_goes_to(made: list[str]) -> None:
    """Which they are is in the numbers of the layers before; of those after it nothing is read."""
    expert = {"W1": drawn(WIDTH, 2), "W2": drawn(2, WIDTH)}
    router = {"W_R": [[9, 0, 0]] * WIDTH, "top_k": 1}
    source = stack(experts=[expert] * 3, router=router)
    for layer in source["layers"]:
        layer.pop("W1", None), layer.pop("W2", None)
    whole, trace = work(load(source)), work_on_demand(load(source))
    cell = "layers[2].heads[2].scores[3, 1]"
    assert page(trace, cell) == page(whole, cell)
    assert any(name.endswith("share") for name in made)
    assert not any(name.startswith("layers[3]") for name in made)


def test_published_numbers_are_looked_at_as_ever(made: list[str]) -> None:
    source = {**stack(), "published": {"layers[1].heads[2].scores[1, 1]": 9}}
    whole, trace = work(load(source)), work_on_demand(load(source))
    assert {*made} == leading_to(whole, ["layers[1].heads[2].scores"])
    text = page(trace, "layers[1].heads[2].scores[1, 1]")
    assert "The source prints 9 for" in text
    assert text == page(whole, "layers[1].heads[2].scores[1, 1]")
    source["published"] = {"layers[4].Q[1, 1]": 9}
    with pytest.raises(ScenarioError, match=re.escape("no quantity layers[4].Q")):
        work_on_demand(load(source))


@pytest.mark.parametrize("words", [["run", "--cell"], ["why"]])
def test_commands_work_no_more(made: list[str], tmp_path: Path, words: list[str]) -> None:
    file = tmp_path / "m.yaml"
    file.write_text(json.dumps({**stack(), "variants": {"other": {"scale": "none"}}}), "utf-8")
    cell = "layers[2].heads[1].scores[1, 2]"
    result = CliRunner().invoke(app, [*words, cell, str(file)], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    assert {*made} == leading_to(work(load(file)), ["layers[2].heads[1].scores"])
