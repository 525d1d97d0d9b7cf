"""How long pages are, and what is told at each detail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.document.blocks import Block, Callout, Document, text_of_spans
from attncli.formats import RenderOptions, render
from attncli.names import raw
from attncli.pages.parts.lengths import length_of
from attncli.pages.parts.selection import select, shown_parts
from attncli.pages.walkthrough import as_it_fits, part_blocks, walkthrough
from attncli.pipeline import load, work
from tests.conftest import sampled
from tests.helpers.pages import LARGE, LIGHT, SHIPPED, shipped_trace, trace_of

MOST = dict.fromkeys(SHIPPED, 426) | dict.fromkeys(("next_token", "wordpiece", "bpe"), 540)
TWO_SCREENS = 110


def lines_of(page: Document) -> int:
    return render(page, "terminal", RenderOptions(80)).count("\n")


@sampled(7, name=LIGHT)
def test_pages_are_told_in_brief_where_they_are_long(name: str) -> None:
    trace = shipped_trace(name)
    page = as_it_fits(trace, select(trace))
    assert lines_of(page) <= MOST[name]
    assert lines_of(page) == pytest.approx(length_of(page), rel=0.12)
    assert lines_of(walkthrough(trace, select(trace, detail="summary"))) <= TWO_SCREENS


@sampled(7, name=LIGHT)
def test_the_numbers_of_a_page_leave_no_step_out(name: str) -> None:
    """A step that is told by the one after it stands in that one's range: `12–15`."""
    trace = shipped_trace(name)
    page = as_it_fits(trace, select(trace))
    numbers = [
        number
        for section in page.sections
        if not section.is_data and section.number is not None
        for number in range(section.since or section.number, section.number + 1)
    ]
    assert numbers == [*range(1, len(shown_parts(trace)) + 1)]


def test_ranges_of_numbers() -> None:
    page = CliRunner().invoke(app, ["run", "learning_to_attend"]).stdout
    assert "\n16–22 · After update 1 · Loss\n" in page
    assert "\n8 · Loss\n" in page


def test_a_long_page_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    def counted(*given: Any, **more: Any) -> list[Block]:
        texts.append(given[2].detail)
        return part_blocks(*given, **more)

    trace = work(load("next_token"))
    monkeypatch.setattr("attncli.pages.walkthrough.part_blocks", counted)
    as_it_fits(trace, select(trace))
    assert "full" not in texts[-len(shown_parts(trace)) :]
    assert texts.count("full") < len(shown_parts(trace)) / 3


def test_json_is_told_in_full_unless_something_is_said(tmp_path: Path) -> None:
    def page(*more: str) -> str:
        CliRunner().invoke(app, ["run", "yassine_lstm", "-o", str(file), "--force", *more])
        return file.read_text("utf-8")

    file = tmp_path / "page.json"
    assert page() == page("--detail", "full") != page("--detail", "rows")


@sampled(7, name=[name for name in SHIPPED if name not in LARGE])
def test_json_in_full_has_every_quantity(name: str) -> None:
    trace = shipped_trace(name)
    page = json.loads(render(walkthrough(trace, select(trace)), "json", RenderOptions(80)))
    anies = {value["name"] for step in page["steps"] for value in step["quantities"]}
    anies |= {value["name"] for value in page["given"]}
    untold = {str(d.name) for d in trace.plan if d.operation.untold}
    missing = {str(quantity) for quantity in trace.quantities} - anies - untold
    assert all("].totals[" in text or "].best[" in text for text in missing), missing


@pytest.mark.parametrize(
    ("name", "changes", "asked", "worked"),
    [
        ("masked_word", (), "[MASK]", "[MASK]"),
        ("masked_word", ("sentence=[MASK] love AI",), "[MASK]", "[MASK]"),
        ("masked_word", ("targets=[I, _, _]", "ignored_target=_"), "I", "I"),
        ("picture", (), "class", "class"),
        ("picture", ("targets=[rising]", "backward=true"), "class", "class"),
        ("picture", ("predict_from=last",), "", "lower right"),
        ("masked_word", ("sentence=I love AI",), "", "AI"),
    ],
)
def test_a_page_that_works_one_row_works_that_of_the_token_that_is_asked_for(
    name: str, changes: tuple[str, ...], asked: str, worked: str
) -> None:
    """And says whose that is; where nobody's is asked for it is the last."""
    trace = trace_of(SHIPPED[name], *changes)
    page = render(walkthrough(trace, select(trace, detail="rows")), "terminal", RenderOptions(100))
    text = f"One row of each table is worked, that of “{asked}” where there is one (--detail full"
    assert (text in " ".join(page.split())) == bool(asked)
    printed = select(trace, detail="rows")
    printed = printed._replace(manner=printed.manner._replace(on_paper=True))
    note, *_ = walkthrough(trace, printed).opening
    assert isinstance(note, Callout)
    whose = f"that of “{asked}” where there is one." if asked else "the last."
    assert text_of_spans(note.text, raw) == f"One row of each table is worked, {whose}"
    rows = trace["X"].rows
    for local in ("X", "Q", "scores", "weights", "residual1", "hidden"):
        numbers = {k for k in range(len(rows.names)) if f"\n  {local}[{rows.index(k)}] " in page}
        assert numbers == {rows.names.index(worked)}, local
