"""Pages kept as files, to be read by a person when they change (`--rewrite-golden`)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from attncli.document import Document, Facts, Spans
from attncli.file import shipped as scenarios
from attncli.pipeline import load, work
from attncli.render import Page, format_names, render
from attncli.steps import steps
from attncli.telling import shipped
from attncli.telling.lesson import lessons
from attncli.telling.selection import Selection, select
from attncli.telling.walkthrough import walkthrough
from attncli.word import Word
from tests.pages import SHIPPED

GOLDEN = Path(__file__).parent / "golden"
WIDTH = 80
SUFFIXES = {"terminal": "txt", "markdown": "md", "json": "json", "latex": "tex"}


def check(name: str, page: str, *, rewrite: bool) -> None:
    path = GOLDEN / name
    if rewrite:
        path.write_bytes(page.encode())
    assert path.read_bytes().decode() == page, (
        f"read the change, then run with --rewrite-golden: {name}"
    )


@cache
def page_document(name: str) -> Document:
    trace = work(load(name))
    return walkthrough(trace, select(trace))


TOO_LONG_TO_READ = ("i_can_go_alone", "json")
"""512 columns, in full."""
PAGES = [
    (name, form) for name in SHIPPED for form in format_names() if (name, form) != TOO_LONG_TO_READ
]


@pytest.mark.parametrize(("name", "form"), PAGES)
def test_pages(name: str, form: str, rewrite: bool) -> None:
    page = render(page_document(name), form, Page(WIDTH))
    check(f"{name}.{SUFFIXES.get(form, form)}", page, rewrite=rewrite)


@pytest.mark.parametrize("width", [60, 120])
def test_other_widths(width: int, rewrite: bool) -> None:
    page = render(walkthrough(work(load("i_love_ai")), Selection()), "terminal", Page(width))
    check(f"i_love_ai_{width}.txt", page, rewrite=rewrite)


def test_exact_page(rewrite: bool) -> None:
    trace = work(load("i_love_ai", ["rounding.policy=exact", "scale=sqrt_d_k"]))
    page = render(walkthrough(trace, Selection()), "terminal", Page(WIDTH))
    check("i_love_ai_exact.txt", page, rewrite=rewrite)


def test_lessons(rewrite: bool) -> None:
    trace = work(load("i_love_ai", ["scale=sqrt_d_k"]))
    document = lessons(trace, [(step, trace) for step in steps()], Selection())
    check("lessons.txt", render(document, "terminal", Page(WIDTH)), rewrite=rewrite)


def test_what_is_kept_of_the_shipped_scenarios(rewrite: bool) -> None:
    path = scenarios.folder() / shipped.FILE
    if rewrite:
        path.write_text(shipped.to_keep(), "utf-8")
    assert path.read_text("utf-8") == shipped.to_keep(), "run with --rewrite-golden"


def test_a_scenario_that_is_another_one_now_is_listed_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("i_love_ai", "word_order"):
        (tmp_path / f"{name}.yaml").write_bytes(scenarios.path_of(name).read_bytes())
    (tmp_path / shipped.FILE).write_bytes((scenarios.folder() / shipped.FILE).read_bytes())
    whole = shipped.scenarios_catalogue()
    monkeypatch.setattr(scenarios, "_FOLDERS", (tmp_path,))
    changed = tmp_path / "i_love_ai.yaml"
    changed.write_text(changed.read_text("utf-8").replace("title: I love AI", "title: Other"))
    told = {name: spans[0] for name, spans in rows_of(shipped.scenarios_catalogue())}
    before = {name: spans[0] for name, spans in rows_of(whole)}
    assert told == {"i_love_ai": Word("Other"), "word_order": before["word_order"]}


def rows_of(catalogue: Document) -> tuple[tuple[str, Spans], ...]:
    facts = catalogue.closing[0]
    assert isinstance(facts, Facts)
    return facts.rows
