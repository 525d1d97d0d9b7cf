"""Products in a browser: that rows and columns cross where they should, on screens and on paper."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from attncli.document.blocks import Document
from attncli.formats import RenderOptions, render
from tests.helpers.browser import opened
from tests.helpers.pages import document_of, shipped_trace

OFF = """() => [...document.querySelectorAll(".product")].flatMap((product) => {
  const of = (kind, what) => [...product.querySelectorAll(`.${kind} ${what}`)];
  const side = (one, name) => one.getBoundingClientRect()[name];
  const pairs = [
    ...["above", "added"].flatMap((kind) => of(kind, "tbody tr:first-child td")
      .map((one, k) => ["right", one, of("result", "tbody tr:first-child td")[k]])),
    ...["result", "after"].flatMap((kind) => of(kind, "tbody tr")
      .map((one, k) => ["top", one, of("left", "tbody tr")[k]])),
  ];
  return pairs.filter(([name, a, b]) => Math.abs(side(a, name) - side(b, name)) > 1)
    .map(([name, a, b]) => `${name} of ${a.textContent}: ${side(a, name)}, ${side(b, name)}`);
})"""
"""Columns that don't stand above each other, and rows that don't stand beside each other."""
NAMES = ["i_love_ai", "next_token", "mixture_of_experts", "learning_to_attend", "masked_word"]


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(document: Document) -> Path:
        path = tmp_path / "page.html"
        path.write_text(render(document, "html", RenderOptions()), "utf-8")
        return path

    return write


@pytest.mark.parametrize("name", NAMES)
def test_rows_and_columns_cross(name: str, chromium: Any, written: Any) -> None:
    with opened(chromium, written(document_of(shipped_trace(name)))) as page:
        assert page.locator(".product").count() > 3
        assert page.evaluate(OFF) == []


@pytest.mark.parametrize("width", [360, 1366])
def test_a_result_has_the_names_of_its_columns(chromium: Any, written: Any, width: int) -> None:
    """Which are those above, as high as they are."""
    path = written(document_of(shipped_trace("i_love_ai")))
    with opened(chromium, path, viewport={"width": width, "height": 740}) as page:
        for product in page.locator(".product").all():
            above, own = (
                product.locator(f".{where} thead th:not(:first-child)").evaluate_all(
                    "all => all.map(one => [one.innerText, getComputedStyle(one).fontSize])"
                )
                for where in ("above", "result")
            )
            assert own == above
            assert float(own[0][1].removesuffix("px")) > 10


@pytest.mark.wing("classroom")
def test_they_cross_on_a_sheet_with_fields(chromium: Any, written: Any) -> None:
    from attncli.classroom.exercises.papers import self_checking
    from tests.classroom.made import papers, request_for

    trace = shipped_trace("i_love_ai")
    with opened(chromium, written(self_checking(papers(trace, request_for(trace)).whole))) as page:
        assert page.locator(".product .result input").count() == 18 + 9 + 6 + 6 + 6
        tops = [text for text in page.evaluate(OFF) if text.startswith("top")]
        assert tops == []


@pytest.mark.parametrize("name", NAMES)
def test_on_a_phone_they_move_by_themselves(name: str, chromium: Any, written: Any) -> None:
    path, size = written(document_of(shipped_trace(name))), {"width": 360, "height": 740}
    with opened(chromium, path, viewport=size) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == size["width"]
        inside = "e => e.getBoundingClientRect().right <= innerWidth"
        assert all(one.evaluate(inside) for one in page.locator(".product").all())


@pytest.mark.real("pdftotext")
def test_on_paper_the_lines_are_unfolded(chromium: Any, written: Any, tmp_path: Path) -> None:
    """Whether a script has run or not."""
    path, printed = written(document_of(shipped_trace("i_love_ai"))), tmp_path / "printed.pdf"
    for scripted in (True, False):
        with opened(chromium, path, java_script_enabled=scripted) as page:
            assert page.locator("details.lines[open]").count() == 0
            assert page.locator(".lines th", has_text="scores[love, AI]").is_hidden()
            page.pdf(path=printed)
        command = ["pdftotext", "-layout", str(printed), "-"]
        text = subprocess.run(command, capture_output=True, check=True).stdout.decode()
        assert "= [0, 1] · [1, 2] = 0 × 1 + 1 × 2 = 0 + 2 = 2" in " ".join(text.split())
