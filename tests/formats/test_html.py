"""The page that people open, in a real browser."""

from __future__ import annotations

import json
import re
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from attncli.cli import app
from attncli.formats import RenderOptions, render
from attncli.formats.html import asked
from attncli.formats.pages import html
from attncli.formats.svg.elements import LEAST_SIZE, TEXT_SIZE
from attncli.option_values import Pictures
from attncli.pages.parts.selection import Selection
from attncli.pages.walkthrough import walkthrough
from tests.auditor.calculator import rounds_to, value
from tests.auditor.html import main_of, parsed
from tests.conftest import sampled, share
from tests.helpers.browser import findings, opened
from tests.helpers.pages import LARGE, SHIPPED, document_of, page_of, shipped_trace

LINES_OF_SCRIPTS = {
    ("page.js", "pointing.js"): 448,
    ("asking.js", "stepping.js"): 476,
    ("reading.js", "sheet.js"): 136,
    ("enclosures.js", "judging.js"): 496,
    ("decimal.js",): 94,  # kept by others
    ("evaluator.js", "live.js", "packed.js"): 900,
    ("bench.js",): 300,
    ("keeping.js",): 50,
    ("pictures.js",): 237,
    ("served.js",): 158,
    ("site.js",): 205,
    ("entry.js",): 367,
}
LARGEST = {"i_love_ai": 260_000, "next_token": 1_500_000}
"""Bytes of pages."""
WIDTHS = (360, 768, 1280)
"""A phone, a tablet, a laptop."""
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(name: str) -> Path:
        path = tmp_path / f"{name}.html"
        page = walkthrough(shipped_trace(name), Selection().illustrated(Pictures.ONE))
        path.write_text(render(page, "html", RenderOptions()), "utf-8")
        return path

    return write


LINES_ON_A_PHONE = """() => [...document.querySelectorAll("table.working")].filter((one) =>
  one.checkVisibility()).map((table) => ({
    signs: new Set([...table.rows].map((row) => Math.round(row.cells[1].getBoundingClientRect().left))).size,
    broken: [...table.querySelectorAll("td > span")].filter((one) => one.getBoundingClientRect().height > 30).length,
    outside: table.parentElement.getBoundingClientRect().right > innerWidth,
  }))"""
"""Of each table of working from how many places its signs begin, how many sums go over several
lines, and whether it is wider than the page, and not only moved to and fro."""


def test_on_a_phone_a_page_is_short_and_its_signs_stand_below_each_other(
    chromium: Any, tmp_path: Path
) -> None:
    told = CliRunner().invoke(app, ["run", "i_love_ai", "--format", "html"]).stdout
    (tmp_path / "page.html").write_text(told, "utf-8")
    with opened(chromium, tmp_path / "page.html", **PHONE) as page:
        assert page.evaluate("document.documentElement.scrollHeight") <= 9_000
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        tables = page.evaluate(LINES_ON_A_PHONE)
        assert len(tables) > 5
        assert tables == [{"signs": 1, "broken": 0, "outside": False}] * len(tables)


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


@sampled(11, name=[name for name in SHIPPED if name not in LARGE])
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
    tables = [table for table in tables if "quantity" in (table.attributes["class"] or "")]
    beside, weights, left = (t for t in tables if t.text.strip().startswith("weights"))
    for table in (beside, weights, left):  # the scores', the softmax's own, the output's
        rows = [[*row.each("td")] for row in table.first("tbody").each("tr")]  # type: ignore[union-attr]
        numbers = [[float(cell.text) for cell in row[:3]] for row in rows]
        np.testing.assert_allclose(numbers, trace["weights"].values, atol=5e-4)


@pytest.mark.parametrize("name", LARGEST)
def test_a_page_is_small_enough(name: str) -> None:
    assert len(page_of(shipped_trace(name), "html").encode()) <= LARGEST[name]


CLIPPED = """() => [...document.querySelectorAll("body *")]
  .filter((one) => one.checkVisibility() && getComputedStyle(one).overflowY !== "visible"
    && !one.matches("svg *, nav.contents") && one.scrollHeight > one.clientHeight)
  .map((one) => one.outerHTML.slice(0, 200))"""
"""What has letters that are cut off above or below, or only seen when it is moved."""
CLIPBOARD = """allowed => {
  const writeText = async text => allowed ? void (window.copied = text) : Promise.reject();
  Object.defineProperty(navigator, "clipboard", { value: { writeText } });
  document.execCommand = () => false;
  window.copied = null;
}"""
PAINTED = """async (coded) => {
  const bytes = Uint8Array.from(atob(coded), (one) => one.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const { width, height } = picture;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const light = (k) => data[4 * k] + data[4 * k + 1] + data[4 * k + 2];
  const [columns, rows] = [[], []];
  for (let k = 0; k < width * height; k += 1) {
    if (Math.abs(light(k) - light(0)) < 120) continue;
    columns.push(k % width);
    rows.push(Math.floor(k / width));
  }
  const end = (all, pick) => all.reduce((a, b) => pick(a, b));
  return [end(columns, Math.min), end(rows, Math.min), end(columns, Math.max), end(rows, Math.max)];
}"""
"""The box of what is painted in a picture on the colour of its upper left corner."""
MOVED = """() => [...document.querySelectorAll(".scroll:has(table)")]
  .filter((frame) => frame.scrollWidth > frame.clientWidth)
  .flatMap((frame) => {
    frame.scrollLeft = frame.scrollWidth;
    const named = [...frame.querySelectorAll("tr > :first-child")];
    return named.map((one) => one.getBoundingClientRect().left - frame.getBoundingClientRect().left);
  })"""
"""How far the first cells of tables stand from the left when these are moved to their end."""
UNFOLDED = "() => document.querySelectorAll('details').forEach((fold) => (fold.open = true))"
INDICES = """() => {
  const broken = [];
  let whole = 0;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    if (!text.parentElement.checkVisibility() || text.parentElement.closest("svg, math, select")) continue;
    for (const found of text.data.matchAll(/\\[[^\\[\\]]{1,16}\\]/g)) {
      const range = document.createRange();
      range.setStart(text, found.index);
      range.setEnd(text, found.index + found[0].length);
      const heights = [...range.getClientRects()].map((box) => Math.round(box.bottom));
      if (Math.max(...heights) - Math.min(...heights) > 4) broken.push(found[0]);
      else whole += 1;
    }
  }
  return [broken, whole];
}"""
"""Indices and vectors that go over two lines, and how many others there are."""
REACHED = """() => {
  const reached = new Set(), press = (key) =>
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  for (const first of document.querySelectorAll('[data-n][tabindex="0"]')) {
    first.focus();
    while (!reached.has(document.activeElement)) {
      reached.add(document.activeElement);
      press("ArrowRight");
    }
  }
  return reached.size;
}"""
"""How many numbers are reached from those that the tabulator key comes to."""
LIT_UP = "#bar, .now, .operand, .row, .col"
"""What tells of a number, and what lights up with it."""
TABLES = """() => [...document.querySelectorAll("table.quantity")]
  .map((table) => [...table.tBodies[0].rows].map((row) =>
    [...row.querySelectorAll("td.figure")].map((cell) => cell.textContent).join(" ")))"""
"""The numbers of each table, row by row."""


def painted(element: Any) -> list[int]:
    """The box of the letters of an element, also of what reaches beyond it: left, top, right and
    bottom, in pixels."""
    page = element.page
    element.scroll_into_view_if_needed()
    element.evaluate("one => {one.style.visibility = 'visible'}")
    x, y, width, height = (element.bounding_box()[key] for key in ("x", "y", "width", "height"))
    around = {"x": max(0, x - 9), "y": y - 9, "width": width + 18, "height": height + 18}
    coded = b64encode(page.screenshot(clip=around)).decode()
    element.evaluate("one => {one.style.visibility = ''}")
    box: list[int] = page.evaluate(PAINTED, coded)
    return box


def same_box(one: list[int], other: list[int]) -> bool:
    """Whether letters reach as far, whatever edges look like that are smoothed in another way."""
    return all(abs(a - b) <= 1 for a, b in zip(one, other, strict=True))


class TestInTheBrowser:
    @sampled(71, name=[name for name in SHIPPED if name not in LARGE], width=WIDTHS)
    def test_it_fits_any_screen(self, name: str, width: int, chromium: Any, written: Any) -> None:
        """A page moves up and down only; what is wider has a frame, in which the names of rows
        stay where they are."""
        screen = {"width": width, "height": 800}
        with opened(chromium, written(name), viewport=screen) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate(CLIPPED) == []
            assert {*page.evaluate(MOVED)} <= {0}

    def test_what_is_cut_off_is_found(self, chromium: Any, written: Any) -> None:
        with opened(chromium, written("softmax_gradient")) as page:
            low = "one => {one.style.height = '1em'; one.style.overflow = 'hidden'}"
            page.locator(".formulas .scroll").first.evaluate(low)
            assert len(page.evaluate(CLIPPED)) == 1

    def test_no_letter_of_a_formula_is_cut_off(self, chromium: Any, written: Any) -> None:
        """It looks as it would without a frame; slanted letters reach beyond their boxes."""
        with opened(chromium, written("encoder_block")) as page:
            formulas = share(3, page.locator(".formulas").all(), of="letters")
            page.evaluate("document.body.style.visibility = 'hidden'")
            framed = [painted(one) for one in formulas]
            styled = "(all, style) => all.forEach(one => Object.assign(one.style, style))"
            frames = page.locator(".formulas .scroll")
            frames.evaluate_all(styled, {"overflow": "visible", "animation": "none"})
            free = [painted(one) for one in formulas]
            assert all(map(same_box, framed, free))
            frames.evaluate_all(styled, {"clipPath": "inset(0 6px 6px 6px)"})
            assert not any(map(same_box, map(painted, formulas), free))

    def test_the_contents_stay_in_sight(self, chromium: Any, written: Any) -> None:
        with opened(chromium, written("i_love_ai")) as page:
            page.evaluate("scrollTo({top: 2000, behavior: 'instant'})")
            assert page.locator("nav.contents a").last.is_visible()
            assert page.locator("nav.contents").bounding_box()["y"] == 0

    def test_the_contents_are_one_line_on_a_phone(self, chromium: Any, written: Any) -> None:
        with opened(chromium, written("i_love_ai"), **PHONE) as page:
            page.emulate_media(reduced_motion="reduce")
            page.evaluate("scrollTo({top: 2000, behavior: 'instant'})")
            line, link = (
                page.locator("nav.contents"),
                page.locator("nav.contents li a", has_text="Softmax"),
            )
            assert line.bounding_box()["height"] < 48
            assert link.is_hidden()
            page.locator("nav.contents summary").tap()
            link.tap()
            assert link.is_hidden()
            assert "Softmax" in line.inner_text()
            top = line.bounding_box()["y"] + line.bounding_box()["height"]
            assert top <= page.locator("#h5").bounding_box()["y"] < 100

    def test_a_note_stands_beside_what_it_is_about(self, chromium: Any, written: Any) -> None:
        with opened(chromium, written("softmax_gradient")) as page:
            table = page.locator(".scroll:has(+ aside)").first
            note = page.locator(".scroll + aside").first
            below = table.bounding_box()["y"] + table.bounding_box()["height"]
            assert note.bounding_box()["y"] < below
            page.set_viewport_size({"width": 768, "height": 800})
            below = table.bounding_box()["y"] + table.bounding_box()["height"]
            assert note.bounding_box()["y"] >= below

    @sampled(3, scheme=["light", "dark"], role=["Q", "K", "V"])
    def test_a_role_has_one_colour(
        self, scheme: str, role: str, chromium: Any, written: Any
    ) -> None:
        """In the headings of tables, their cells, working, formulas and drawings."""
        with opened(chromium, written("i_love_ai"), color_scheme=scheme) as page:
            kinds = ("table.{} th", "table.{} td", ".worked .{}", "mrow.{}", "svg .{}")
            elements = [page.locator(kind.format(role)).first for kind in kinds]
            assert (
                len({one.evaluate("one => getComputedStyle(one).color") for one in elements}) == 1
            )

    def test_keys_reach_each_number(self, chromium: Any, written: Any) -> None:
        """Also those in the lines of products, once these are unfolded."""
        with opened(chromium, written("pasta_lookup")) as page:
            assert page.evaluate(REACHED) == page.locator("[data-n]:visible").count()
            page.evaluate(UNFOLDED)
            assert page.evaluate(REACHED) == page.locator("[data-n]").count() > 100
            assert page.locator("[data-n]:not([role=button])").count() == 0
            described = page.evaluate("document.activeElement.getAttribute('aria-describedby')")
            assert page.locator(f"#{described}").is_visible()
            page.keyboard.press("Escape")
            assert page.locator("[aria-describedby=how]").count() == 0

    def test_a_tap_tells_what_pointing_tells(self, chromium: Any, written: Any) -> None:
        told = []
        for kind, ask in ({}, "hover"), (PHONE, "tap"):
            with opened(chromium, written("i_love_ai"), **kind) as page:
                getattr(page.locator("td [data-n]", has_text="0.576").first, ask)()
                told.append(page.locator("#how").inner_text().removesuffix("×").strip())
        assert told[0] == told[1]
        assert "7.389 / 12.825" in told[0]

    def test_pointing_tells_and_lights_up(self, chromium: Any, written: Any) -> None:
        with opened(chromium, written("i_love_ai")) as page:
            page.locator("table.quantity td", has_text="0.576").last.hover(
                position={"x": 2, "y": 2}
            )
            how = page.locator("#how")
            assert "weights[love, AI] = 7.389 / 12.825 = 0.576" in how.inner_text()
            assert page.locator("td.now", has_text="0.576").count() > 0
            assert page.locator("td.operand", has_text="7.389").count() > 0
            assert page.locator("td.operand", has_text="2.718").count() == 0
            page.mouse.move(5, 5)
            assert how.is_hidden()
            assert page.locator(".now, .operand").count() == 1  # and the section that is read

    def test_a_click_walks_down_and_back(self, chromium: Any, written: Any) -> None:
        with opened(chromium, written("i_love_ai")) as page:
            page.locator("table.quantity td", has_text="0.576").last.click()
            how = page.locator("#how")
            walked = ["weights[love, AI]", "exp[love, AI]", "scores[love, AI]", "Q[love, 1]"]
            for step in walked[1:]:
                how.locator(".line .to").first.click()
                assert how.locator(".line bdi").inner_text() == step
            how.get_by_role("button", name="Back to scores[love, AI]").click()
            for step in walked[2::-1]:
                assert how.locator(".line bdi").inner_text() == step
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
            assert page.locator("#how .back").count() == 1
            page.keyboard.press("Escape")
            page.keyboard.press("Escape")
            assert page.evaluate("'n' in document.activeElement.dataset")
            page.locator("#s5.now").wait_for()  # it is told once the window has been drawn
            page.keyboard.press("n")
            assert page.locator("main > section.now h2").inner_text().startswith("6 ·")
            page.keyboard.press("p")
            assert page.locator("main > section.now h2").inner_text().startswith("5 ·")

    def test_a_phone(self, chromium: Any, written: Any) -> None:
        with opened(chromium, written("i_love_ai"), **PHONE) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
            page.locator("#s5 table.quantity [data-n]").first.tap()
            box = page.locator("#how").bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 360

    def test_the_line_stays_in_sight_when_a_phone_scrolls(
        self, chromium: Any, written: Any
    ) -> None:
        with opened(chromium, written("next_token"), **PHONE) as page:
            page.locator("td.shade8 [data-n]").first.tap()
            boxes = set()
            for _ in range(5):
                page.evaluate("scrollBy({top: 5, behavior: 'instant'})")
                page.evaluate("new Promise((done) => requestAnimationFrame(() => done()))")
                box = page.locator("#how").bounding_box()
                boxes.add((box["width"], box["y"]))
            ((width, top),) = boxes
            assert width == 344  # the window but half a rem on each side
            assert top + box["height"] <= 740

    def test_names_stay_in_one_piece_on_a_phone(self, chromium: Any, tmp_path: Path) -> None:
        """No index goes over two lines, nor does a short vector, in folds and in prose; what is
        long breaks before its index."""
        told = CliRunner().invoke(app, ["run", "i_love_ai", "--format", "html"]).stdout
        (tmp_path / "page.html").write_text(told, "utf-8")
        with opened(chromium, tmp_path / "page.html", **PHONE) as page:
            page.wait_for_function("() => window.attncli?.live")
            page.evaluate(UNFOLDED)
            page.evaluate("attncli.live.changeTo([['W_Q[1,1]', '2'], ['embeddings[love,1]', '3']])")
            page.get_by_role("button", name="Settings").tap()
            assert page.inner_text(".made").startswith("Changed: W_Q[1, 1] 1 → 2; embeddings[love")
            broken, whole = page.evaluate(INDICES)
            assert whole > 60
            assert broken == []

    def test_the_page_of_word_order_fits_on_a_phone(self, chromium: Any, tmp_path: Path) -> None:
        """With its settings, also when it is changed and stepped through."""
        told = CliRunner().invoke(app, ["run", "word_order", "--format", "html"]).stdout
        (tmp_path / "page.html").write_text(told, "utf-8")
        with opened(chromium, tmp_path / "page.html", **PHONE) as page:
            page.wait_for_function("() => window.attncli?.live")
            width = "document.documentElement.scrollWidth"
            assert page.evaluate(width) <= 360
            page.evaluate(UNFOLDED)
            assert page.evaluate(width) <= 360
            page.evaluate("attncli.live.changeTo([['sentence', 'can I go alone']])")
            page.evaluate("attncli.live.changeTo([['W_Q[1,1]', '-12.375'], ['mask', 'causal']])")
            page.get_by_role("button", name="Next").tap()
            assert page.evaluate(width) <= 360
            assert page.evaluate(CLIPPED) == []

    @sampled(2, name=["word_order", "meeting", "three_tokens_two_heads"])
    def test_pictures_of_few_words_fit_on_a_phone(
        self, name: str, chromium: Any, written: Any
    ) -> None:
        """Their texts at least 9 pixels high; they scroll where these would be smaller."""
        with opened(chromium, written(name), **PHONE) as page:
            frames = page.locator("figure.picture .scroll")
            wide = frames.evaluate_all(
                "all => all.filter(one => one.scrollWidth > one.clientWidth)"
            )
            assert frames.count() > 0
            assert wide == []
            page.locator("nav.contents summary").tap()  # the map is there
            scales = page.locator("figure.picture svg").evaluate_all(
                "all => all.map(one => one.getBoundingClientRect().width / one.width.baseVal.value)"
            )
            assert min(scales, default=1) * TEXT_SIZE >= LEAST_SIZE - 0.1

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
        9,
        name=["i_love_ai", "bpe", "yassine_lstm", "encoder_block"],
        scheme=["light", "dark"],
    )
    def test_axe_finds_nothing(self, name: str, scheme: str, chromium: Any, written: Any) -> None:
        """The page of a site is looked at in the dark, too."""
        with opened(chromium, written(name), color_scheme=scheme) as page:
            assert findings(page) == []
            page.locator("main [data-n]").first.click()
            assert findings(page, LIT_UP) == []
            page.keyboard.press("Escape")
            for drawn in page.locator("svg [data-n]").all()[-1:]:
                drawn.focus()
                drawn.press("ArrowLeft")
                assert findings(page, LIT_UP) == []

    @sampled(2, allowed=[True, False])
    def test_a_command_can_be_copied_by_keys(
        self, allowed: bool, chromium: Any, written: Any
    ) -> None:
        """To the clipboard; where that isn't allowed, it is selected."""
        with opened(chromium, written("meeting")) as page:
            page.evaluate(CLIPBOARD, allowed)
            command, button = (page.locator(f"aside .command{to}").last for to in ("", " + button"))
            button.focus()
            button.press("Enter")
            told = "Copied" if allowed else "Selected"
            button.filter(has_text=told).wait_for()
            typed = command.inner_text()
            assert typed.startswith("attn run meeting --set ")
            assert typed.isascii()
            assert page.evaluate("window.copied") == (typed if allowed else None)
            assert page.evaluate("getSelection().toString()") == typed
            assert findings(page, "aside") == []

    def test_axe_finds_a_single_pale_number(self, chromium: Any, written: Any) -> None:
        with opened(chromium, written("i_love_ai")) as page:
            number = page.locator("main [data-n]:visible", has_text="0.576").last
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

    @pytest.mark.real("pdftotext")
    @sampled(2, name=["i_love_ai", "encoder_block", "tennis_and_rafael"])
    def test_no_table_is_broken_on_paper(
        self, name: str, chromium: Any, written: Any, tmp_path: Path
    ) -> None:
        with opened(chromium, written(name)) as page:
            tables = page.evaluate(TABLES)
            page.pdf(path=tmp_path / "page.pdf", prefer_css_page_size=True)
        read = ("pdftotext", "-layout", tmp_path / "page.pdf", "-")
        text = subprocess.run(read, capture_output=True, text=True, check=True).stdout
        sheets = [re.sub(r"[ \t]+", " ", sheet) for sheet in text.split("\f")]
        assert len(sheets) > 3
        broken = [t for t in tables if not any(all(row in s for row in t) for s in sheets)]
        assert broken == []

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
