"""Sheets, keys and hints kept as files, to be read by a person when they change."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from attncli.classroom.exercises.papers import exercise, sheet_of
from attncli.classroom.files.exercise_file import Frame
from attncli.document.blocks import Document
from attncli.formats import (
    RenderOptions,
    exercise_format_names,
    format_names,
    info_of,
    module_of,
    render,
)
from attncli.pipeline import load, work
from tests.classroom.made import Papers, papers, questions, request_for
from tests.pages.test_golden import check

EXERCISES = Path("exercises")
TINY = {
    "title": "Two tokens",
    "sentence": "cats sleep",
    "X": [[1], [0]],
    "W_Q": [[1]],
    "W_K": [[1]],
    "W_V": [[2]],
    "scale": "none",
}
"""An exercise with two blanks: one file of each kind and format is short enough to be read. What
must hold of longer ones is parsed and asserted, format by format."""
CASES: dict[str, tuple[str | dict[str, Any], list[str]]] = {
    "tiny": (TINY, ["weighted_sum"]),
    "i_love_ai": ("i_love_ai", ["softmax", "weighted_sum"]),
}
"""What is asked of two scenarios."""
KINDS = ("sheet", "key", "hints")


@cache
def made(name: str) -> Papers:
    source, steps = CASES[name]
    trace = work(load(source))
    return papers(trace, request_for(trace, "results", steps=steps))


def golden(name: str, kind: str, form: str, document: Document, *, rewrite: bool) -> None:
    suffix = f".{form}.txt" if info_of(form).papers.packed else module_of(form).SUFFIXES[0]
    page = render(document, form, RenderOptions(80))
    check(str(EXERCISES / f"{name}_{kind}{suffix}"), page, rewrite=rewrite)


@pytest.mark.parametrize(
    ("name", "form"), [("i_love_ai", "terminal"), *(("tiny", form) for form in format_names())]
)
def test_pages(name: str, form: str, rewrite: bool) -> None:
    for kind in KINDS:
        golden(name, kind, form, getattr(made(name), kind), rewrite=rewrite)


@pytest.mark.parametrize("form", exercise_format_names())
def test_formats_for_exercises(form: str, rewrite: bool) -> None:
    papers = made("tiny")
    if "embedded" in info_of(form).papers.keys:
        golden("tiny", "exercise", form, papers.whole, rewrite=rewrite)
    else:
        golden("tiny", "sheet", form, papers.sheet, rewrite=rewrite)
        golden("tiny", "key", form, papers.key, rewrite=rewrite)


def test_the_one_file_of_latex(rewrite: bool) -> None:
    golden("tiny", "exercise", "latex", made("tiny").whole, rewrite=rewrite)


def test_a_count_is_accepted_as_the_whole_number_that_it_is() -> None:
    trace = work(load("bpe"))
    entry = papers(trace, request_for(trace, "results", steps=["learn"]))
    keys = [question.key for question in questions(entry.whole)]
    assert len(keys) > 100
    assert all(
        key is not None and key.accepted.low == key.accepted.high == key.number.shown
        for key in keys
    )
    text = render(entry.key, "terminal", RenderOptions(80))
    assert "counts[u n]      │      6      6      6         6       1" in text
    assert " to 6." not in text
    assert "unit of the last place" not in text


def test_what_counts_add_up_to_is_a_count_and_a_share_of_them_is_none() -> None:
    trace = work(load("unigram"))
    entry = papers(trace, request_for(trace, "results", steps=["estimate"]))
    keys = {q.id: q.key for q in questions(entry.whole) if q.key is not None}
    assert {id_ for id_ in keys if id_.endswith("total")}
    for id_, key in keys.items():
        is_count = id_.endswith("total") or ".counts[" in id_ or id_.startswith("counts[")
        assert (key.accepted.low == key.accepted.high) is is_count, id_


@pytest.mark.parametrize("form", ["terminal", "markdown", "latex", "html"])
def test_a_date_that_is_printed_is_not_asked_for(form: str) -> None:
    trace = work(load("i_love_ai"))
    asked = request_for(trace, "results", steps=["softmax"])
    for date in ("24 November 2026", ""):
        sheet = sheet_of(exercise(trace, asked, "own", "it", Frame(date=date)))
        text = render(sheet, form, RenderOptions(80))
        assert text.count("Date") == 1
        assert date in text
