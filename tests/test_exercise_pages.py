"""Sheets, keys and hints kept as files, to be read by a person when they change."""

from __future__ import annotations

from pathlib import Path

import pytest

from attncli.document import Document
from attncli.pipeline import load, work
from attncli.render import (
    Page,
    abilities_of,
    exercise_format_names,
    format_names,
    module_of,
    render,
)
from tests.exercises import Papers, papers, wish
from tests.test_golden import check

EXERCISES = Path("exercises")
CASES = {
    "i_love_ai": ("results", ["softmax", "weighted_sum"]),
    "pasta_lookup": ("all", ["softmax", "weighted_sum"]),
    "three_tokens_two_heads": ("random:0.3", ["scores", "merge"]),
}
"""What is asked of three scenarios."""


def made(name: str) -> Papers:
    blank, steps = CASES[name]
    trace = work(load(name))
    return papers(trace, wish(trace, blank, steps=steps))


def golden(name: str, kind: str, form: str, document: Document, *, rewrite: bool) -> None:
    suffix = f".{form}.txt" if abilities_of(form).packed else module_of(form).SUFFIXES[0]
    page = render(document, form, Page(80))
    check(str(EXERCISES / f"{name}_{kind}{suffix}"), page, rewrite=rewrite)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("form", format_names())
def test_pages(name: str, form: str, rewrite: bool) -> None:
    one = made(name)
    for kind in ("sheet", "key", "hints"):
        golden(name, kind, form, getattr(one, kind), rewrite=rewrite)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("form", exercise_format_names())
def test_formats_for_exercises(name: str, form: str, rewrite: bool) -> None:
    one = made(name)
    if "embedded" in abilities_of(form).keys:
        golden(name, "exercise", form, one.whole, rewrite=rewrite)
    else:
        golden(name, "sheet", form, one.sheet, rewrite=rewrite)
        golden(name, "key", form, one.key, rewrite=rewrite)


@pytest.mark.parametrize("name", CASES)
def test_the_one_file_of_latex(name: str, rewrite: bool) -> None:
    golden(name, "exercise", "latex", made(name).whole, rewrite=rewrite)
