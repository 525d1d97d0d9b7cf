"""The page that people open, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attncli.formats import RenderOptions, render
from attncli.formats.html import asked
from attncli.formats.pages import html
from tests.auditor.calculator import rounds_to, value
from tests.auditor.html import main_of, parsed
from tests.conftest import sampled
from tests.helpers.browser import NEEDS_BROWSER, findings, opened
from tests.helpers.pages import LARGE, SHIPPED, document_of, page_of, shipped_trace

LINES_OF_SCRIPTS = {("page.js", "sheet.js"): 400, ("site.js",): 180}
LARGEST = 1_500_000
"""Bytes of a page of `next_token`."""


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(name: str) -> Path:
        path = tmp_path / f"{name}.html"
        path.write_text(page_of(shipped_trace(name), "html"), "utf-8")
        return path

    return write


def entries_of(page: str) -> list[list[Any]]:
    """The workings behind a page's numbers."""
    scripts = (e for e in parsed(page).each("script"))
    (data,) = (s.text for s in scripts if s.attributes.get("id") == "numbers")
    return list(json.loads(data))


def told(entry: list[Any]) -> str:
    return "".join(part if isinstance(part, str) else part[0] for part in entry[1:]).strip()


def test_the_scripts_are_short() -> None:
    """Those that a page has inside, and what a site has besides."""
    folder = Path(html.__file__).parents[1] / "html"
    assert {path.name for path in folder.glob("*.js")} == {*chain(*LINES_OF_SCRIPTS)}
    for names, most in LINES_OF_SCRIPTS.items():
        assert sum(len((folder / name).read_text("utf-8").splitlines()) for name in names) <= most


@sampled(4, name=[name for name in SHIPPED if name not in LARGE])
def test_each_number_has_its_working_down_to_what_is_given(name: str) -> None:
    """The signs behind numbers are true, and what leads to a number are numbers behind it."""
    trace = shipped_trace(name)
    page = page_of(trace, "html")
    entries = entries_of(page)
    asked = {int(n) for n in re.findall(r'data-n="(\d+)"', page)}
    assert asked <= {*range(len(entries))}
    for n, entry in enumerate(entries):
        leads_to = {part[1] for part in entry[1:] if not isinstance(part, str)} - {n}
        assert leads_to <= {*range(len(entries))}
        for left, right in _results(told(entry)):
            assert rounds_to(value(left, _no_name), right), (entry[0], told(entry))


def _no_name(name: str) -> Any:
    raise KeyError(name)


def _results(text: str) -> Iterator[tuple[str, str]]:
    """What stands before a number's `=`, if it is all numbers, and the number."""
    parts = re.split(r" ([=≈]) ", text.removeprefix("= "))
    *before, sign, right = parts if len(parts) > 1 else ["", *parts]
    if before and sign == "=" and re.fullmatch(r"−?[\d.]+", right) and "…" not in before[-1]:
        yield before[-1], right


def test_of_a_very_large_trace_only_the_nearest_numbers_are_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace = shipped_trace("i_love_ai")
    whole = entries_of(page_of(trace, "html"))
    most = len(whole) - 30
    monkeypatch.setattr(asked, "MOST_FOLLOWED", most)
    page = render(document_of(trace), "html", RenderOptions())
    entries = entries_of(page)
    assert [told(v) for v in entries] == [told(v) for v in whole[:most]]
    places = [part[1] for v in entries for part in v[1:] if not isinstance(part, str)]
    places += [int(n) for n in re.findall(r'data-n="(\d+)"', page)]
    assert max(places) < most


def test_the_numbers_of_a_page_are_the_traces() -> None:
    trace = shipped_trace("i_love_ai")
    tables = [*main_of(page_of(trace, "html")).each("table")]
    tables = [table for table in tables if table.attributes["class"] == "quantity"]
    (weights,) = (table for table in tables if table.text.strip().startswith("weights"))
    rows = [[*row.each("td")] for row in weights.first("tbody").each("tr")]  # type: ignore[union-attr]
    numbers = [[float(cell.text) for cell in row[:3]] for row in rows]
    np.testing.assert_allclose(numbers, trace["weights"].values, atol=5e-4)


def test_a_large_page_is_small_enough() -> None:
    page = render(document_of(shipped_trace("next_token")), "html", RenderOptions(80))
    assert len(page.encode()) < LARGEST


@pytest.mark.slow
@NEEDS_BROWSER
class TestInTheBrowser:
    def test_pointing_tells_and_lights_up(self, chromium: Any, written: Any) -> None:
        with opened(chromium, written("i_love_ai")) as page:
            number = page.locator("table.quantity [data-n]", has_text="0.576")
            number.hover()
            how = page.locator("#how")
            assert "weights[love, AI] = 7.389 / 12.825 = 0.576" in how.inner_text()
            assert page.locator("[data-n].of1", has_text="7.389").count() > 0
            assert page.locator("[data-n].of2", has_text="2.718").count() > 0
            page.mouse.move(5, 5)
            assert how.is_hidden()
            assert page.locator(".of1, .of2, .asked").count() == 0

    def test_a_click_walks_down_and_back(self, chromium: Any, written: Any) -> None:
        with opened(chromium, written("i_love_ai")) as page:
            page.locator("table.quantity [data-n]", has_text="0.576").click()
            how = page.locator("#how")
            for step in ("exp[love, AI]", "scores[love, AI]", "Q[love, 1]"):
                how.locator(".line .to").first.click()
                assert how.locator("li").last.inner_text() == step
            how.locator("li button").first.click()
            assert how.locator("li").count() == 1
            page.keyboard.press("Escape")
            assert how.is_hidden()

    def test_all_of_it_by_keys(self, chromium: Any, written: Any) -> None:
        with opened(chromium, written("i_love_ai")) as page:
            page.locator("#s5 table.quantity [data-n]").first.focus()
            first = page.locator("#how").inner_text()
            page.keyboard.press("ArrowDown")
            assert page.locator("#how").inner_text() != first
            page.keyboard.press("Enter")
            assert page.evaluate("document.activeElement.className") == "to"
            page.keyboard.press("Enter")
            assert page.locator("#how li").count() == 2
            page.keyboard.press("Escape")
            assert page.evaluate("'n' in document.activeElement.dataset")
            page.locator("#s5.now").wait_for()  # it is told once the window has been drawn
            page.keyboard.press("s")
            assert page.locator("main > section:visible").count() == 1
            before = page.locator("main > section:visible h2").inner_text()
            page.keyboard.press("n")
            assert page.locator("main > section:visible h2").inner_text() != before

    def test_a_phone(self, chromium: Any, written: Any) -> None:
        small = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
        with opened(chromium, written("i_love_ai"), **small) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
            page.locator("#s5 table.quantity [data-n]").first.tap()
            box = page.locator("#how").bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 360

    def test_the_card_is_as_wide_as_before_when_a_phone_scrolls(
        self, chromium: Any, written: Any
    ) -> None:
        small = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
        with opened(chromium, written("next_token"), **small) as page:
            page.locator("td.shade8 [data-n]").first.tap()
            widths = set()
            for _ in range(5):
                page.evaluate("scrollBy({top: 5, behavior: 'instant'})")
                page.evaluate("new Promise((done) => requestAnimationFrame(() => done()))")
                widths.add(page.locator("#how").bounding_box()["width"])
            assert widths == {344}  # the window but half a rem on each side

    def test_tables_that_stand_in_pairs_on_a_phone(self, chromium: Any, written: Any) -> None:
        page = written("rnn_backward_through_time")
        with opened(chromium, page, viewport={"width": 360, "height": 740}) as shown:
            assert shown.evaluate("document.documentElement.scrollWidth") <= 360

    def test_long_formulas_on_a_phone(self, chromium: Any, written: Any) -> None:
        """They move in a frame of their own, which can be reached by keys."""
        with opened(
            chromium, written("yassine_lstm"), viewport={"width": 360, "height": 740}
        ) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
            wide = ".formulas .scroll:has(math)"
            assert page.locator(f"{wide}[tabindex='0']").count() > 0

    @sampled(
        5,
        name=["i_love_ai", "bpe", "yassine_lstm", "encoder_block"],
        scheme=["light", "dark"],
    )
    def test_axe_finds_nothing(self, name: str, scheme: str, chromium: Any, written: Any) -> None:
        with opened(chromium, written(name), color_scheme=scheme) as page:
            assert findings(page) == []
            page.locator("main [data-n]").first.click()
            assert findings(page) == []

    def test_axe_finds_a_single_pale_number(self, chromium: Any, written: Any) -> None:
        with opened(chromium, written("i_love_ai")) as page:
            number = page.locator("main [data-n]", has_text="0.576").last
            number.evaluate("one => {one.style.color = '#ccc'}")
            (found,) = findings(page)
            assert found.startswith("color-contrast: ")

    def test_on_paper(self, chromium: Any, written: Any, tmp_path: Path) -> None:
        with opened(chromium, written("i_love_ai"), color_scheme="dark") as page:
            page.emulate_media(media="print")
            assert page.locator("nav.contents").is_hidden()
            colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert colour == "rgb(255, 255, 255)"
            page.pdf(path=tmp_path / "page.pdf")
            assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")

    def test_a_large_page_answers_at_once(self, chromium: Any, written: Any) -> None:
        """The script's own time, of which a page of `next_token` may take 100 ms."""
        with opened(chromium, written("next_token")) as page:
            number = page.locator("main [data-n]").last
            number.scroll_into_view_if_needed()
            cost = page.evaluate(
                """shown => {
                  const begun = performance.now();
                  shown.dispatchEvent(
                    new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"}));
                  return performance.now() - begun;
                }""",
                number.element_handle(),
            )
            assert page.locator("#how").is_visible()
            assert cost < 1000  # a machine may be ten times as busy
