"""Stepping through a page's numbers one after the other, and being asked for them, in a browser."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from attncli.formats import RenderOptions, render
from attncli.formats.pages import html
from attncli.judging.judging import Judge
from attncli.maths.equations.tree import Location
from attncli.option_values import Pictures
from attncli.pages.parts.selection import Selection
from attncli.pages.parts.sentences import printed_roots
from attncli.pages.walkthrough import walkthrough
from tests.conftest import sampled
from tests.formats.test_html import PHONE
from tests.formats.test_live import page_of
from tests.helpers.browser import findings, opened
from tests.helpers.pages import LARGE, SHIPPED, shipped_trace

SCRIPTS = Path(html.__file__).parents[1] / "html"
TYPED = ("page.js", "pointing.js", "asking.js", "stepping.js")
"""The scripts whose types are checked."""
MOST_STOPS = 150
"""Stops of a large page."""
SWIPE = """([by, y = 400]) => {
  const x = 180, at = document.elementFromPoint(x, y);
  for (const [type, moved] of [["touchstart", 0], ["touchend", by]]) {
    const touch = new Touch({identifier: 1, target: at, clientX: x + moved, clientY: y});
    const touches = type === "touchstart" ? [touch] : [];
    at.dispatchEvent(new TouchEvent(type, {touches, changedTouches: [touch], bubbles: true}));
  }
}"""
"""A finger that goes sideways by so many pixels, at a height."""
SEEN = """() => [...document.querySelectorAll("main td [data-n]")]
  .filter((one) => one.checkVisibility({visibilityProperty: true})).length"""


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stepping") / "i_love_ai.html"
    path.write_text(render(page_of("i_love_ai"), "html", RenderOptions()), "utf-8")
    return path


@pytest.fixture
def page(first: Path, chromium: Any) -> Iterator[Any]:
    with opened(chromium, first) as page:
        page.locator(".stepper").wait_for()
        yield page


def place(page: Any) -> str:
    text: str = page.locator(".stepper output").inner_text()
    return text


def go_to(page: Any, name: str) -> None:
    """Goes on until the line tells of a number."""
    for _ in range(MOST_STOPS):
        if page.locator("#how bdi").inner_text() == name:
            return
        page.keyboard.press("ArrowRight")
    raise AssertionError(name)


def ask_for(page: Any, name: str) -> None:
    """Asks for a number, as one does who has just seen the one before it."""
    go_to(page, name)
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Ask me first").click()
    assert page.locator("#how input").get_attribute("aria-label") == name


def test_each_stop_puts_a_result_into_its_place(page: Any) -> None:
    """What it is worked from is tinted where it stands; what is done stays, what is to come is
    blank."""
    everything = page.evaluate(SEEN)
    page.get_by_role("button", name="Next").click()
    assert place(page) == "1 of 72"
    assert page.locator("#how").inner_text() == "Q[I, 1] = 1 × 1 + 0 × 0 = 1 + 0 = 1"
    product = page.locator(".product").first
    assert product.locator(".left td.operand").all_inner_texts() == ["1", "0"]
    assert product.locator(".above td.operand").all_inner_texts() == ["1", "0"]
    assert product.locator(".left th.row").all_inner_texts() == ["I"]
    assert product.locator(".above th.col").all_inner_texts() == ["1"]
    assert product.locator(".result td.now").all_inner_texts() == ["1"]
    assert product.locator(".result td.later").count() == 5
    first = page.evaluate(SEEN)
    assert first < everything
    page.get_by_role("button", name="Next").click()
    assert product.locator(".result td.later").count() == 4
    assert page.evaluate(SEEN) > first
    page.get_by_role("button", name="Back", exact=True).click()
    assert place(page) == "1 of 72"
    assert page.evaluate(SEEN) == first
    page.get_by_role("button", name="Show all").click()
    assert place(page) == "72 numbers"
    assert page.locator(".later").count() == 0
    assert page.evaluate(SEEN) == everything


def test_keys_alone(page: Any) -> None:
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert place(page) == "3 of 72"
    page.keyboard.press("ArrowLeft")
    assert place(page) == "2 of 72"
    page.keyboard.press("Escape")
    assert place(page) == "72 numbers"
    assert page.locator("#how").is_hidden()
    page.get_by_role("button", name="Ask me first").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.ariaLabel") == "Q[I, 1]"
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.ariaLabel") == "Q[I, 2]"
    page.keyboard.press("ArrowRight")  # nothing is typed
    assert page.evaluate("document.activeElement.ariaLabel") == "Q[love, 1]"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "Ask me first"
    assert page.locator("#how input").get_attribute("aria-label") == "Q[love, 1]"
    page.keyboard.press("Escape")
    assert page.locator(".later").count() == 0


def test_a_key_asks_first(page: Any) -> None:
    """And asks no more; not while something is typed. What has just been shown isn't asked for, nor
    does the way back from the first number tell one who is asked."""
    ask = page.get_by_role("button", name="Ask me first")
    assert "(a)" in ask.get_attribute("title")
    page.keyboard.press("a")
    assert page.evaluate("document.activeElement.ariaLabel") == "Q[I, 1]"
    page.keyboard.press("ArrowLeft")
    assert page.locator("#how input").get_attribute("aria-label") == "Q[I, 1]"
    page.keyboard.press("a")
    assert page.locator("#how input").input_value() == "a"
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    assert ask.get_attribute("aria-pressed") == "false"
    assert page.locator("#how").inner_text().startswith("Q[I, 1] = ")
    page.keyboard.press("a")
    assert page.evaluate("document.activeElement.ariaLabel") == "Q[I, 2]"
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.locator("[data-key=scale]").focus()
    page.keyboard.press("a")
    assert ask.get_attribute("aria-pressed") == "false"


def test_the_buttons_of_the_bar_come_before_the_first_field(page: Any) -> None:
    """Each with a frame while it has the focus."""
    page.locator("select").first.focus()
    for name in ("Ask me first", "Play", "▶"):
        page.keyboard.press("Shift+Tab")
        on = page.locator("#bar button:focus-visible")
        assert on.inner_text() == name
        assert on.evaluate("one => getComputedStyle(one).outline").endswith("solid 3px")


def test_the_way_back_from_the_first_number_is_the_whole_page(page: Any) -> None:
    back, everything = page.get_by_role("button", name="Back", exact=True), page.evaluate(SEEN)
    assert back.is_disabled()
    for leave in (back.click, lambda: page.keyboard.press("ArrowLeft")):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        assert back.get_attribute("title") == "Back (←)"
        page.keyboard.press("ArrowLeft")
        assert back.get_attribute("title") == "Back to the whole page (←)"
        assert page.evaluate(SEEN) < everything
        leave()
        assert place(page) == "72 numbers"
        assert page.evaluate(SEEN) == everything


def test_a_finger_goes_on_and_back(first: Path, chromium: Any) -> None:
    with opened(chromium, first, **PHONE) as page:
        page.get_by_role("button", name="Next").tap()
        page.evaluate(SWIPE, [-120])
        assert place(page) == "2 of 72"
        page.evaluate(SWIPE, [120])
        assert place(page) == "1 of 72"
        page.evaluate(SWIPE, [-20])
        assert place(page) == "1 of 72"
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        for button in page.locator("#bar .stepper button:visible").all():
            box = button.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 360
            assert box["height"] >= 24


def swiped(page: Any, by: int) -> None:
    """Moves a finger sideways, as the window itself gets it."""
    touch = page.context.new_cdp_session(page)
    send = "Input.dispatchTouchEvent"
    touch.send(send, {"type": "touchStart", "touchPoints": [{"x": 180, "y": 300}]})
    for k in range(1, 9):
        points = [{"x": 180 + by * k / 8, "y": 300}]
        touch.send(send, {"type": "touchMove", "touchPoints": points})
    touch.send(send, {"type": "touchEnd", "touchPoints": []})
    touch.detach()


def test_a_finger_goes_to_the_next_stop_and_not_to_another_page(first: Path, chromium: Any) -> None:
    """The browser's own gesture, which goes back in what was visited, is off while one steps; nor
    is a number changed that the finger begins on."""
    with opened(chromium, first, **PHONE) as page:
        behaviour = "getComputedStyle(document.documentElement).overscrollBehaviorX"
        assert page.evaluate(behaviour) == "auto"
        page.get_by_role("button", name="Next").tap()
        before = page.url, page.evaluate("history.length")
        swiped(page, -150)
        assert place(page) == "2 of 72"
        for _ in range(3):  # also from the first stop
            swiped(page, 150)
        assert place(page) == "1 of 72"
        assert page.evaluate(behaviour) == "none"
        assert (page.url, page.evaluate("history.length")) == before


def test_a_finger_in_the_bar_scrolls_what_is_there(first: Path, chromium: Any) -> None:
    with opened(chromium, first, **PHONE) as page:
        page.get_by_role("button", name="Next").tap()
        for part in ("#how .side", ".stepper output"):
            box = page.locator(part).first.bounding_box()
            page.evaluate(SWIPE, [-120, box["y"] + box["height"] / 2])
        assert place(page) == "1 of 72"


@sampled(2, width=[360, 1280])
def test_buttons_stay_where_they_are(width: int, first: Path, chromium: Any) -> None:
    """In every state, so that a thumb can stay there, too; none lies over another."""
    places = """() => [...document.querySelectorAll(".stepper button")]
      .map((one) => one.getBoundingClientRect()).map((box) => [box.left, box.right, box.bottom])"""
    with opened(chromium, first, viewport={"width": width, "height": 740}) as page:
        page.locator(".stepper").wait_for()
        before = page.evaluate(places)
        assert all(one[1] <= other[0] for one, other in pairwise(before))
        page.get_by_role("button", name="Next").click()
        assert page.evaluate(places) == before
        go_to(page, "exp[love, AI]")
        assert page.evaluate(places) == before
        page.get_by_role("button", name="Play").click()
        assert page.evaluate(places) == before
        page.get_by_role("button", name="Ask me first").click()
        page.locator("#how input").fill("4")
        page.locator("#how input").press("Enter")
        assert page.evaluate(places) == before
        page.get_by_role("button", name="Show all").click()
        assert page.evaluate(places) == before


@pytest.mark.parametrize("width", [360, 1280])
def test_a_reply_and_what_can_be_done_are_seen_whole(
    width: int, first: Path, chromium: Any
) -> None:
    """Above the controls, on as many lines as it takes; the cell stays in sight above them."""
    with opened(chromium, first, viewport={"width": width, "height": 740}) as page:
        page.locator(".stepper").wait_for()
        page.keyboard.press("ArrowRight")
        go_to(page, "scores[love, AI]")
        result = page.locator("#how strong").bounding_box()
        assert result["x"] + result["width"] <= width
        ask = page.get_by_role("button", name="Ask me first")
        colours = "one => getComputedStyle(one).backgroundColor"
        plain = ask.evaluate(colours)
        ask.click()
        assert ask.get_attribute("aria-pressed") == "true"
        assert ask.evaluate(colours) != plain
        page.locator("#how input").fill("1")
        page.locator("#how input").press("Enter")
        verdict = page.locator("#how .verdict")
        assert "A mistake that gives it: taking keys as rows" in verdict.inner_text()
        assert verdict.evaluate("one => one.scrollWidth <= one.clientWidth")
        told, field = verdict.bounding_box(), page.locator("#how input").bounding_box()
        assert told["y"] + told["height"] <= field["y"]
        parts = [verdict, page.locator("#how form bdi"), *page.locator("#how form button").all()]
        for part in parts:
            box = part.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= 740
        cell, bar = page.locator("td.now").last.bounding_box(), page.locator("#bar").bounding_box()
        assert cell["y"] + cell["height"] <= bar["y"]
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        last = page.locator("main > section").last.bounding_box()
        assert last["y"] + last["height"] <= bar["y"]


def test_a_changed_setting_keeps_the_focus(page: Any) -> None:
    """What was said is of numbers as they were."""
    page.keyboard.press("ArrowRight")
    ask_for(page, "exp[love, AI]")
    page.locator("#how input").fill("4")
    page.locator("#how input").press("Enter")
    scale = page.locator("select[data-key=scale]")
    scale.focus()
    scale.select_option("sqrt_d_k")
    page.wait_for_timeout(100)
    assert page.evaluate("document.activeElement.dataset.key") == "scale"
    assert page.locator("#how .verdict").inner_text() == ""
    assert page.locator("#how input").count() == 1


def test_a_click_goes_to_a_cell_that_is_to_come(page: Any) -> None:
    page.keyboard.press("ArrowRight")
    later = page.locator(".product .result td.later")
    later.nth(3).click()
    assert place(page) == "5 of 72"
    page.get_by_role("button", name="Ask me first").click()
    later.nth(2).click()
    assert place(page) == "8 of 72"
    assert (
        page.evaluate("document.activeElement.ariaLabel") == page.locator("#how bdi").inner_text()
    )


@pytest.mark.parametrize(("width", "height"), [(1280, 740), (360, 740), (1280, 300)])
def test_what_a_number_is_worked_from_is_in_sight(
    width: int, height: int, first: Path, chromium: Any
) -> None:
    """On the page where there is room; else one who is asked is told it."""
    with opened(chromium, first, viewport={"width": width, "height": height}) as page:
        page.locator(".stepper").wait_for()
        page.keyboard.press("ArrowRight")
        ask_for(page, "exp[I, I]")
        bar = page.locator("#bar").bounding_box()["y"]
        boxes = [one.bounding_box() for one in page.locator("td.operand:visible").all()]
        seen = [box for box in boxes if box["y"] > 0 and box["y"] + box["height"] <= bar]
        told = page.locator("#how form .of").inner_text()
        assert seen if told == "" else told.startswith("scores[I, I] = ")
        cell = page.locator("td.now:not(.operand)").last.bounding_box()
        assert cell["y"] > 0
        assert cell["y"] + cell["height"] <= bar


STOP = """() => {
  const bar = document.getElementById("bar").getBoundingClientRect().top, inside = (one) => {
    const { top, bottom, left, right } = one.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight + 1 && left >= 0 && right <= innerWidth + 1 && [top, bottom];
  };
  const now = [...document.querySelectorAll("main .now:is([data-n], td)")]
    .filter((one) => one.checkVisibility({visibilityProperty: true}));
  return [document.querySelector("#how bdi").textContent,
    now.some((one) => inside(one) && inside(one)[1] <= bar + 1),
    [...document.querySelectorAll("#how strong")].every(inside), document.documentElement.scrollWidth]; }"""
"""What a stop is called, whether its number is seen on the page, and its result in the line; how wide the page is."""


@sampled(
    7,
    width=[360, 1280],
    name=["encoder_block", "i_love_ai", "next_token", "word_order", "yassine_lstm"],
)
def test_each_stop_is_seen_with_its_result(
    width: int, name: str, tmp_path: Path, chromium: Any
) -> None:
    """Whatever it is worked from, in this order; and no stop comes twice."""
    (tmp_path / "page.html").write_text(render(page_of(name), "html", RenderOptions()), "utf-8")
    size = {"width": width, "height": 740}
    with opened(chromium, tmp_path / "page.html", viewport=size) as page:
        page.locator(".stepper").wait_for()
        page.keyboard.press("ArrowRight")
        stops = [page.evaluate(STOP)]
        while page.locator(".stepper button[aria-label=Next]").is_enabled():
            page.keyboard.press("ArrowRight")
            stops.append(page.evaluate(STOP))
    assert [stop for stop in stops if stop[1:] != [True, True, width]] == []
    names = [stop[0] for stop in stops]
    assert len({*names}) == len(names) > 60
    if "layers[1].norm1.mean[I]" in names:
        assert names.index("layers[1].norm1.mean[I]") < names.index(
            "layers[1].norm1.centered[I, 1]"
        )


def test_one_who_is_asked_is_told_cells_alone(page: Any) -> None:
    """No numbers without a name, such as the terms of a sum."""
    page.get_by_role("button", name="Ask me first").click()
    for name in ("Q[I, 1]", "scores[love, AI]", "weights[love, AI]"):
        go_to(page, name)
        told = page.locator("#how form .of").inner_text()
        assert all("[" in one.split(" = ")[0] for one in told.split(", ") if " = " in one)


def test_the_terms_come_one_after_the_other(page: Any) -> None:
    """Within 300 ms; at once for those who want no motion."""
    longest = """() => Math.max(0, ...document.getAnimations()
      .filter((one) => one.animationName === "come").map((one) => one.effect.getComputedTiming().endTime))"""
    page.emulate_media(reduced_motion="no-preference")
    page.keyboard.press("ArrowRight")
    assert 0 < page.evaluate(longest) <= 300
    page.emulate_media(reduced_motion="reduce")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(longest) == 0


def test_play_goes_on_by_itself(page: Any) -> None:
    page.clock.install()
    page.get_by_role("button", name="Play").click()
    assert place(page) == "1 of 72"
    page.clock.run_for(3100)
    assert place(page) == "3 of 72"
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(5000)
    assert place(page) == "3 of 72"


def test_one_who_is_asked_first_is_told_as_in_practice(page: Any) -> None:
    page.keyboard.press("ArrowRight")
    ask_for(page, "exp[love, AI]")
    cell = page.locator("td.now:not(.operand)").last
    field, verdict = page.get_by_label("exp[love, AI]"), page.locator("#how .verdict")
    assert cell.inner_text() == ""
    for typed, says in (
        (
            "4",
            "✗ 4 is not right. A mistake that gives it: raising 2 instead of e to the scores.",
        ),
        ("7.4", "✗ Nearly. It has 1 decimal instead of 3."),
        ("−7.389", "✗ −7.389 is not right. The sign is wrong."),
        ("5", "✗ 5 is not right. Hint shows how it is worked."),
        ("e²", "✗ “e²” is no number."),
        ("", "✗ Nothing was written."),
    ):
        field.fill(typed)
        field.press("Enter")
        assert verdict.inner_text() == says
    page.get_by_role("button", name="Hint").click()
    assert verdict.inner_text() == "e^2"
    field.fill("7,3891")
    field.press("Enter")
    assert verdict.inner_text() == "✓ exp[love, AI] = 7.389: right."
    assert page.locator("#how bdi").inner_text() == "exp_sum[love]"
    page.get_by_role("button", name="Show it").click()
    assert page.locator("#how").inner_text().startswith("exp_sum[love] = 2.718 + ")


def test_a_term_that_was_left_out_is_told(page: Any) -> None:
    """As in `judging.slips`, whose sentences these are."""
    page.keyboard.press("ArrowRight")
    ask_for(page, "exp_sum[love]")  # 2.718 + 2.718 + 7.389 = 12.825
    field, verdict = page.get_by_label("exp_sum[love]"), page.locator("#how .verdict")
    for typed, says in (
        ("10.107", "✗ 10.107 is not right. A term was left out."),
        (
            "7.389",
            "✗ 7.389 is not right. A term was added instead of subtracted, or the reverse.",
        ),
        ("10.2", "✗ 10.2 is not right. Hint shows how it is worked."),
    ):
        field.fill(typed)
        field.press("Enter")
        assert verdict.inner_text() == says


def test_known_mistakes_follow_changed_numbers(page: Any) -> None:
    """What raising 2 gives, and what is right, is worked from the numbers as they are."""
    page.evaluate("attncli.live.changeTo([['embeddings[AI,2]', '0.5']])")
    page.keyboard.press("ArrowRight")
    go_to(page, "scores[love, AI]")
    assert page.locator("#how").inner_text() == (
        "scores[love, AI] = 0.0 × 1.0 + 1.0 × 1.5 = 0.00 + 1.50 = 1.50"
    )
    ask_for(page, "exp[love, AI]")
    field, verdict = page.get_by_label("exp[love, AI]"), page.locator("#how .verdict")
    field.fill("2.828")
    field.press("Enter")
    assert "raising 2 instead of e" in verdict.inner_text()
    field.fill("4.482")
    field.press("Enter")
    assert verdict.inner_text() == "✓ exp[love, AI] = 4.482: right."


@pytest.mark.parametrize(("width", "where"), [(1280, "chart"), (390, "contents")])
def test_one_is_told_from_where_one_is_asked(
    width: int, where: str, first: Path, chromium: Any
) -> None:
    """And goes on from the step that one chooses there, in sight."""
    with opened(chromium, first, viewport={"width": width, "height": 780}) as page:
        page.emulate_media(reduced_motion="reduce")
        page.locator(".stepper").wait_for()
        page.get_by_role("button", name="Ask me first").click()
        verdict = page.locator("#how .verdict")
        says = "Asking from 3 · Queries, keys, values; choose another step in the "
        assert verdict.inner_text() == f"{says}{where}."
        assert page.locator("#how input").get_attribute("aria-label") == "Q[I, 1]"
        if where == "contents":
            page.locator("nav.contents summary").click()
        kind = "figure a" if where == "chart" else "ol a"
        page.locator(f"nav.contents {kind}", has_text="Softmax").click()
        assert verdict.inner_text() == "Asking from 5 · Softmax."
        assert page.locator("#how input").get_attribute("aria-label") == "exp[I, I]"
        cell, bar = page.locator("td.now").last.bounding_box(), page.locator("#bar").bounding_box()
        assert 0 < cell["y"] < cell["y"] + cell["height"] <= bar["y"]


def test_the_button_says_whether_one_is_asked(page: Any) -> None:
    """Not after all is shown, nor after the last question."""
    ask = page.get_by_role("button", name="Ask me first")
    for leave in ("Show all", "Escape", "last"):
        ask.click()
        assert ask.get_attribute("aria-pressed") == "true"
        assert page.locator("#how input").count() == 1
        if leave == "Show all":
            page.get_by_role("button", name=leave).click()
        elif leave == "Escape":
            page.keyboard.press(leave)  # which leaves the field
            page.keyboard.press(leave)
        else:
            for _ in range(MOST_STOPS):
                if page.get_by_role("button", name="Next").is_disabled():
                    break
                page.keyboard.press("ArrowRight")
            page.get_by_role("button", name="Show it").click()
        assert ask.get_attribute("aria-pressed") == "false"
        assert page.locator("#how input").count() == 0


def test_the_answer_is_not_told_before_its_number(page: Any) -> None:
    """Nor does the picture of the weights name it."""
    answer, picture = page.locator(".answer p"), page.locator("#sight svg")
    page.keyboard.press("ArrowRight")
    ask_for(page, "weights[love, AI]")
    for _ in range(2):
        assert answer.is_hidden()
        assert picture.is_hidden()
        page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Show all").click()
    assert answer.is_visible()
    assert picture.is_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_the_bar_is_of_one_height_while_one_is_asked(
    width: int, first: Path, chromium: Any
) -> None:
    """Whatever is said, on two lines at most."""
    with opened(chromium, first, viewport={"width": width, "height": 780}) as page:
        page.locator(".stepper").wait_for()
        page.keyboard.press("ArrowRight")
        ask_for(page, "scores[love, AI]")
        height = page.locator("#bar").bounding_box()["height"]
        says, verdict = page.locator("#how .says"), page.locator("#how .verdict")
        heard = set()
        for typed in ("5", "1", "x", "", "2"):
            page.locator("#how input").fill(typed)
            page.locator("#how input").press("Enter")
            assert says.evaluate("one => one.scrollHeight <= one.clientHeight"), typed
            assert page.locator("#bar").bounding_box()["height"] == height, typed
            heard.add(verdict.inner_text())
        assert len(heard) == 5


@sampled(3, name=["i_love_ai", "alice_met_bob", "encoder_block", "word_order"])
def test_what_practice_accepts_is_right_here(name: str, chromium: Any, tmp_path: Path) -> None:
    """Of each number both ends of its range, and not what lies beyond."""
    trace = shipped_trace(name)
    judge, margin = Judge(trace, printed=printed_roots(trace)), 0.1 * 10.0**-trace.rounding.decimals
    addresses = {
        trace[q].address(i, j): Location(q, i, j)
        for q in trace
        if not trace[q].given
        for i in range(trace[q].matrix.shape[0])
        for j in range(trace[q].matrix.shape[1])
    }
    path = tmp_path / "page.html"
    path.write_text(render(page_of(name), "html", RenderOptions()), "utf-8")
    with opened(chromium, path) as page:
        page.locator(".stepper").wait_for()
        numbers = page.evaluate("[...attncli.places.keys()].map((n) => [n, attncli.nameOf(n)])")
        asked = [
            (n, addresses[address])
            for n, address in numbers
            if address in addresses and page.evaluate("n => attncli.entry(n).length > 3", n)
        ]
        assert len(asked) > 10
        for n, cell in asked:
            low, high = judge.accepted(cell)
            right = trace[cell.quantity].number(*cell.indices).shown
            inside = [str(right), f"{low + margin:.6f}", f"{high - margin:.6f}"]
            outside = [f"{low - margin:.6f}", f"{high + margin:.6f}"]
            says = page.evaluate(
                "([n, typed]) => typed.map((text) => attncli.judge(n, text).right)",
                [n, [*inside, *outside]],
            )
            assert says == [True, True, True, False, False], (cell, low, high, right)


@sampled(6, name=[name for name in SHIPPED if name not in LARGE])
def test_a_page_has_few_stops(name: str, chromium: Any, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    document = walkthrough(shipped_trace(name), Selection().illustrated(Pictures.ONE))
    path.write_text(render(document, "html", RenderOptions()), "utf-8")
    with opened(chromium, path) as page:
        if not page.locator(".stepper:visible").count():
            return
        count = int(place(page).split()[0])
        assert count <= MOST_STOPS
        for _ in range(min(count, 5)):
            page.keyboard.press("ArrowRight")
            assert page.locator("main .now:not(section)").count() > 0
        page.keyboard.press("Escape")
        assert page.locator(".later").count() == 0


def test_the_chart_is_a_map(page: Any) -> None:
    """It stays beside the page; its boxes are links, the one of the step that is read is filled; on
    paper it stands where it stood."""
    chart = page.locator("nav.contents figure")
    assert page.locator("main > section figure:has([data-step])").count() == 0
    page.emulate_media(reduced_motion="reduce")
    chart.locator("a", has_text="Softmax").click()
    chart.locator("a[aria-current]", has_text="Softmax").wait_for()
    assert chart.locator("a[aria-current]").count() == 1
    filled = "one => getComputedStyle(one.querySelector('.box')).fill"
    colours = [chart.locator(f"a{kind}").first.evaluate(filled) for kind in ("[aria-current]", "")]
    assert colours[0] != colours[1]
    box, nav = chart.locator("a[aria-current]").bounding_box(), page.locator("nav.contents")
    column = nav.bounding_box()
    assert column["y"] >= 0
    assert column["y"] <= box["y"] < box["y"] + box["height"] <= column["y"] + column["height"]
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#s0 figure:has([data-step])").count() == 1
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert chart.count() == 1
    page.keyboard.press("ArrowRight")
    chart.locator("a", has_text="Weighted sum").click()
    assert page.locator("#how").inner_text().startswith("output[I, 1] = ")


@sampled(2, width=[1280, 1920])
def test_no_sum_wraps_on_a_wide_screen(width: int, chromium: Any, tmp_path: Path) -> None:
    """In the lines of working; in the bar, too, a line is one line."""
    path = tmp_path / "page.html"
    path.write_text(render(page_of("alice_met_bob"), "html", RenderOptions()), "utf-8")
    broken = """() => [...document.querySelectorAll("table.working td > span")]
      .filter((one) => one.getClientRects().length > 1).length"""
    with opened(chromium, path, viewport={"width": width, "height": 900}) as page:
        page.locator("details.lines").evaluate_all("all => all.forEach((one) => {one.open = true})")
        assert page.locator("table.working td > span:visible").count() > 5
        assert page.evaluate(broken) == 0
        page.keyboard.press("ArrowRight")
        assert page.locator("#how .line").bounding_box()["height"] < 40


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_while_stepping(scheme: str, first: Path, chromium: Any) -> None:
    with opened(chromium, first, color_scheme=scheme) as page:
        page.locator(".stepper").wait_for()
        page.emulate_media(reduced_motion="reduce", color_scheme=scheme)
        page.keyboard.press("ArrowRight")
        go_to(page, "scores[love, AI]")
        assert findings(page) == []
        ask_for(page, "scores[love, AI]")
        page.get_by_label("scores[love, AI]").fill("7")
        page.get_by_label("scores[love, AI]").press("Enter")
        assert findings(page, "#bar, .product, nav.contents") == []


@pytest.mark.real("tsc")
def test_the_types_of_scripts_agree() -> None:
    """What TypeScript finds in scripts whose types are told."""
    assert shutil.which("tsc")
    options = "--checkJs --allowJs --strict --noEmit --target esnext --lib esnext,dom,dom.iterable"
    files = [SCRIPTS / name for name in ("scripts.d.ts", *TYPED)]
    found = subprocess.run(
        ["tsc", *options.split(), *files], capture_output=True, text=True, check=False
    )
    assert found.stdout == ""
    assert found.returncode == 0
