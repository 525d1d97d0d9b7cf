"""A page whose numbers a reader changes, on a phone: what stays in sight is low, what scrolls
sideways says so, nothing covers what stands beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from attncli.formats import RenderOptions, render
from tests.formats.test_live import page_of
from tests.helpers.browser import opened

SIZES = [(390, 780), (360, 740)]
TOUCHED = {"has_touch": True, "is_mobile": True}
FIXED = """() => [".contents", "#changes .head", "#bar"]
  .reduce((sum, one) => sum + document.querySelector(one).getBoundingClientRect().height, 0)"""
CHANGE = "attncli.live.changeTo([['embeddings[love,1]', '3']])"

ASKED = """() => Array.from({ length: 40 }, () => {
  if (!document.querySelector("#how form")) document.querySelector(".stepper [aria-label=Next]").click();
  const form = document.querySelector("#how form"), buttons = [...form.querySelectorAll("button")];
  const told = [form.querySelector("bdi").textContent, buttons.map((one) => {
    const { x, y } = one.getBoundingClientRect();
    return [Math.round(x), Math.round(y)]; })];
  buttons.at(-1).click();
  return told; })"""
"""Of numbers that are asked for, one after the other: the name, and where the buttons stand."""


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("phone") / "page.html"
    path.write_text(render(page_of("i_love_ai"), "html", RenderOptions()), "utf-8")
    return path


def on_a_phone(chromium: Any, path: Path, size: tuple[int, int]) -> Any:
    viewport = dict(zip(("width", "height"), size, strict=True))
    return opened(chromium, path, viewport=viewport, reduced_motion="reduce", **TOUCHED)


@pytest.mark.parametrize("size", SIZES)
def test_little_stays_in_sight_until_it_is_asked_for(
    size: tuple[int, int], first: Path, chromium: Any
) -> None:
    with on_a_phone(chromium, first, size) as page:
        page.wait_for_function("() => window.attncli?.live")
        assert page.evaluate("document.documentElement.scrollHeight") <= 9000
        settings, scale = page.locator(".settings"), page.locator("[data-key=scale]")
        assert scale.is_hidden()
        assert page.evaluate(FIXED) <= 80
        page.locator("#s2 [data-set]").first.tap()
        page.keyboard.type("3")
        page.keyboard.press("Enter")
        assert page.evaluate(FIXED) <= 115
        assert page.locator(".made .list").is_hidden()
        page.evaluate("document.querySelector('#s5').scrollIntoView()")
        head = page.locator("#changes .head").bounding_box()
        assert page.locator("#s5 h2").bounding_box()["y"] >= head["y"] + head["height"]
        settings.tap()
        assert settings.get_attribute("aria-expanded") == "true"
        assert page.locator(".made").inner_text().startswith("Changed: embeddings[I, 1] 1 → 3.")
        scale.select_option("sqrt_d_k")
        with page.expect_download():
            page.get_by_role("button", name="Save as a file (YAML)").tap()
        saved = "i_love_ai.yaml is saved with your downloads."
        assert page.locator(".made").inner_text().endswith(saved)
        settings.tap()
        assert scale.is_hidden()
        assert page.evaluate(FIXED) <= 115


@pytest.mark.parametrize("size", [*SIZES, (1280, 800)])
def test_one_goes_from_section_to_section_with_numbers_that_differ(
    size: tuple[int, int], first: Path, chromium: Any
) -> None:
    with on_a_phone(chromium, first, size) as page:
        page.wait_for_function("() => window.attncli?.live")
        page.evaluate("document.querySelector('#s3').scrollIntoView()")
        page.evaluate("attncli.live.changeTo([['scale', 'sqrt_d_k']])")
        gone = []
        for _ in range(5):
            page.locator(".made button").click()
            gone.append(page.evaluate("document.activeElement.closest('section').id"))
            assert page.evaluate("document.activeElement.classList.contains('changed')")
            top = page.evaluate("document.activeElement.getBoundingClientRect().top")
            assert 60 < top < page.locator("#bar").bounding_box()["y"]
        first_again = "s5" if size[0] == 1280 else "s0"  # the answer stands beside the page there
        assert gone == ["s5", "s6", "s7", "s8", first_again]


@pytest.mark.parametrize("size", SIZES)
def test_products_fit(size: tuple[int, int], first: Path, chromium: Any) -> None:
    with on_a_phone(chromium, first, size) as page:
        page.wait_for_function("() => window.attncli?.live")
        wide = "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
        assert page.locator(".product").evaluate_all(wide) == 0
        sizes = "all => Math.min(...all.map(e => parseFloat(getComputedStyle(e).fontSize) || 99))"
        assert page.locator(".product :is(th, td, code)").evaluate_all(sizes) >= 11


def test_what_scrolls_sideways_fades_there(chromium: Any, tmp_path: Path) -> None:
    """Until it is moved to its end; what fits fades nowhere."""
    path, size = tmp_path / "page.html", (360, 740)
    path.write_text(render(page_of("three_tokens_two_heads"), "html", RenderOptions()), "utf-8")
    fades = "one => getComputedStyle(one).maskImage !== 'none'"
    with on_a_phone(chromium, path, size) as page:
        page.wait_for_function("() => window.attncli?.live")
        found = set()
        for one in page.locator(":is(.scroll, .product, .beside):visible").all():
            is_wide = one.evaluate("one => one.scrollWidth > one.clientWidth")
            assert one.evaluate(fades) == is_wide
            if is_wide:
                found.add(one.get_attribute("class"))
                one.evaluate("one => one.scrollTo(one.scrollWidth, 0)")
                page.evaluate("() => new Promise(requestAnimationFrame)")
                assert not one.evaluate(fades)
        assert found


@pytest.mark.parametrize("size", [*SIZES, (1280, 800)])
def test_buttons_stay_where_they_are_while_one_is_asked(
    size: tuple[int, int], first: Path, chromium: Any
) -> None:
    with on_a_phone(chromium, first, size) as page:
        page.get_by_role("button", name="Ask me first").click()
        asked = page.evaluate(ASKED)
        names = {name for name, _ in asked}
        places = {tuple(map(tuple, boxes)) for _, boxes in asked}
        assert len({len(name) for name in names}) > 3
        assert len(places) == 1
        (buttons,) = places
        assert len({y for _, y in buttons}) == 1


@pytest.mark.parametrize("size", SIZES)
def test_a_line_goes_on_between_terms(size: tuple[int, int], first: Path, chromium: Any) -> None:
    with on_a_phone(chromium, first, size) as page:
        page.locator("#s6 .result [data-n]").first.tap()
        terms = page.locator("#how .term")
        told = "all => all.map(one => one.textContent.trim())"
        assert "+ 0.422 × 3" in terms.evaluate_all(told)
        cut = "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
        assert terms.evaluate_all(cut) == 0
        assert page.locator("#how .side").evaluate_all(cut) == 0
        close = page.locator("#how .close").bounding_box()["x"]
        ends = "all => Math.max(...all.map(one => one.getBoundingClientRect().right))"
        assert terms.evaluate_all(ends) <= close


@pytest.mark.parametrize("size", SIZES)
def test_a_field_covers_none_beside_it(size: tuple[int, int], first: Path, chromium: Any) -> None:
    beside = """one => {
      const { left, right } = one.getBoundingClientRect(), row = one.closest("tr");
      return [...row.querySelectorAll("[data-set]")].filter((other) => other.parentElement !== one.parentElement)
        .map((other) => other.getBoundingClientRect()).filter((box) => box.right > left && box.left < right).length; }"""
    with on_a_phone(chromium, first, size) as page:
        page.wait_for_function("() => window.attncli?.live")
        for name in ("W_Q[1,1]", "W_Q[1,2]", "W1[2,1]", "embeddings[love,2]"):
            page.locator(f'main [data-set="{name}"]').first.tap()
            field = page.locator("input.change")
            assert field.evaluate(beside) == 0, name
            assert field.bounding_box()["width"] >= 40
            page.keyboard.press("Escape")


def test_what_a_weight_was_stands_below_it(first: Path, chromium: Any) -> None:
    """In the picture as in the table, whose step the picture names; and no bar crosses it."""
    with on_a_phone(chromium, first, SIZES[0]) as page:
        page.wait_for_function("() => window.attncli?.live")
        figure = page.locator("figure:has(.ribbon)")
        assert figure.locator("figcaption").inner_text() == "weights, step 5"
        assert figure.locator("figcaption a").get_attribute("href") == "#s5"
        page.evaluate(CHANGE)
        assert sorted(figure.locator(".was").all_text_contents()) == sorted(
            ["0.422", "0.155", "0.422", "0.212", "0.212", "0.576", "0.245", "0.090", "0.665"]
        )
        clipped = "all => all.some(one => one.getBoundingClientRect().bottom > one.closest('.scroll').getBoundingClientRect().bottom)"
        assert not figure.locator(".was").evaluate_all(clipped)
        cells, low = (
            page.locator("#s4 .after td[data-was]"),
            "e => getComputedStyle(e).paddingBottom",
        )
        assert {cell.evaluate(low) for cell in cells.all()} == {"6px"}  # its bar takes as much
        page.evaluate("attncli.live.changeTo([])")
        assert figure.locator(".was").count() == 0
