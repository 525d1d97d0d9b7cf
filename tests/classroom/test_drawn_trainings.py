"""Random models that are trained: what pages, keys, lint and forms have to hold for any model."""

from __future__ import annotations

import json
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from attncli import load, work
from attncli.classroom.forms.costs import difficulty
from attncli.classroom.forms.plan import plan_of
from attncli.classroom.forms.search import UnsatisfiedError, forms
from attncli.classroom.lint import weaknesses
from attncli.formats import RenderOptions, format_names, render
from attncli.pipeline.plain_data import with_numbers
from tests.auditor import audit_numbers
from tests.classroom.exercises.test_design import asked_in, worked_like_the_package
from tests.classroom.marking.test_intervals import agree, given_numbers
from tests.conftest import FEWER
from tests.helpers.pages import page_of
from tests.helpers.plain import read
from tests.helpers.strategies import trainings, workable
from tests.pages.test_audit import check_all, check_cells, check_working, worked

FEW = max(FEWER // 3, 1)
"""Examples of what has a page, a key, a form for each step of several passes."""


@settings(max_examples=FEW)
@given(trainings(), st.sampled_from([40, 60, 80, 120]), st.data())
def test_every_figure_of_a_page_is_true(text: str, width: int, data: st.DataObject) -> None:
    trace = worked(text)
    check_all(trace, width, every=7)
    assert [*audit_numbers(json.loads(page_of(trace, "json")))] == []
    check_working(trace)
    check_cells(trace, data)


@settings(max_examples=FEW)
@given(trainings())
def test_intervals_are_those_of_the_oracle(text: str) -> None:
    data = read(text)
    written = with_numbers(data, given_numbers(worked(text)))
    with workable():
        carry, exact = (
            work(load({**written, "rounding": {**data["rounding"], "policy": policy}}))
            for policy in ("carry", "exact")
        )
    agree(written, carry, exact)


@settings(max_examples=FEW)
@given(trainings(), st.sampled_from(format_names()))
def test_it_can_be_looked_through(text: str, form: str) -> None:
    assert render(weaknesses(worked(text)), form, RenderOptions(80))


@settings(max_examples=FEW)
@given(trainings())
def test_candidates_are_worked_as_the_package_works_them(text: str) -> None:
    trace = worked(text)
    # of more decimals a form is thrown away where floats settle a half otherwise
    if plan_of(trace, ()).drawn and trace.rounding.decimals < 7:
        worked_like_the_package(trace)


@settings(max_examples=FEW)
@given(trainings(), st.data())
def test_forms_can_be_worked(text: str, data: st.DataObject) -> None:
    trace = worked(text)
    steps = sorted({part.step for part in trace.story if asked_in(trace, part.step)})
    asked = asked_in(trace, data.draw(st.sampled_from(steps)))[:2]
    with suppress(UnsatisfiedError):
        for scenario in forms(trace.scenario, 2, 1, asked=asked):
            again = work(scenario)
            assert list(again) == list(trace)
            assert difficulty(again, asked) >= 0
