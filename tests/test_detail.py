"""How long pages are, and what is told at each detail."""

from __future__ import annotations

import json

import pytest

from attncli.pipeline import load, work
from attncli.render import Page, render
from attncli.telling.selection import select
from attncli.telling.walkthrough import as_it_fits, walkthrough
from tests.pages import SHIPPED

MOST = {"encoder_block": 400, "next_token": 500, "wordpiece": 500}


def lines_of(name: str, detail: str | None) -> int:
    trace = work(load(name))
    told = as_it_fits(trace, select(trace)) if detail is None else None
    page = told or walkthrough(trace, select(trace, detail=detail or "full"))
    return render(page, "terminal", Page(80)).count("\n")


@pytest.mark.parametrize("name", MOST)
def test_long_pages_are_told_in_brief(name: str) -> None:
    assert lines_of(name, None) <= MOST[name]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_summary_is_two_screens_at_most(name: str) -> None:
    assert lines_of(name, "summary") <= 100


@pytest.mark.parametrize("name", [name for name in SHIPPED if name != "i_can_go_alone"])
def test_json_in_full_has_every_quantity(name: str) -> None:
    trace = work(load(name))
    page = json.loads(render(walkthrough(trace, select(trace)), "json", Page(80)))
    told = {one["name"] for step in page["steps"] for one in step["quantities"]}
    told |= {one["name"] for one in page["given"]}
    missing = {str(quantity) for quantity in trace.quantities} - told
    assert all("].totals[" in one or "].best[" in one for one in missing), missing
