"""The pictures of a page whose numbers a reader changes, beside those that the program draws of the
changed scenario."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from math import log10
from pathlib import Path
from typing import Any

import pytest

from attncli.formats import RenderOptions, render
from attncli.formats.colours import LIGHT, shade_of
from tests.formats.test_live import page_of, shown
from tests.helpers.browser import opened

PICTURES = """() => [...document.querySelectorAll("figure:is([data-cell], :has([data-cell]))")].map(figure => [
  [figure.querySelector("[data-shows]")?.dataset.shows ?? "", figure.closest("section")?.id ?? "",
    figure.querySelector("figcaption").textContent],
  figure.hidden ? null :
  [...figure.querySelectorAll("svg, svg :not(desc *, .was)")].map(one => [one.localName,
    one.getAttribute("class")?.replace(/ ?fresh/, "").trim() || null,
    one.localName === "desc" ? one.textContent.split(/(?<=\\d\\.) /).sort().join(" ")  // edges are told by their weights
      : one.children.length ? "" : one.textContent,
    Object.fromEntries([...one.attributes]
      .filter(({name}) => !/^(class|data-.*|role|tabindex|aria-.*)$/.test(name))
      .filter(({name}) => !one.matches("svg") || name !== "style") // a whole number of pixels
      .map(({name, value}) => [name, name === "style" ? one.style.cssText : value]))])])"""
"""Each picture: how it shows its numbers, its section and caption; then the name, class, text and
attributes of its elements, null of one that is hidden."""
NEAR = 0.2
KEPT = {"shade", "width"}
"""Cells of heat maps keep their places, and bars their scale."""
SCALED = {"arrow", "point"}
"""Planes keep their axes as long as these have room, and curves theirs: they are others where a
picture is drawn anew."""
LONG = 20
"""So long a bar is at the least that tells its scale: pictures are drawn to tenths."""
CASES: Sequence[tuple[str, Sequence[tuple[str, str]], set[str], set[str]]] = (
    (
        "i_love_ai",
        [("W_Q[1,2]", "-3"), ("embeddings[love,1]", "4")],
        {"width"},
        {"arrow", "stroke-width", "width"},
    ),
    ("i_love_ai", [("W_K[2,1]", "-0.3")], set(), {"arrow", "stroke-width"}),
    ("i_love_ai", [("W_K[1,1]", "0.6")], set(), {"arrow", "stroke-width"}),
    ("i_love_ai", [("W_Q[2,1]", "1")], set(), {"arrow", "width", "stroke-width"}),
    ("yassine_rnn_sentence", [("W_ax[1,1]", "-2.5")], {"point"}, {"point"}),
    ("yassine_rnn_sentence", [("W_ax[1,1]", "0.4")], set(), {"point"}),
    (
        "picture",
        [("patches[upper right,1]", "0.35"), ("positions[3,2]", "-0.1")],
        set(),
        {"grey", "shade", "width", "stroke-width"},
    ),
    ("softmax_gradient", [("logits[1,2]", "4.125")], set(), {"width"}),
    ("softmax_gradient", [("logits[1,2]", "-1")], set(), {"width"}),
)
"""Scenarios with changes, the kinds of pictures that are hidden then, and those set otherwise."""


def is_near(found: str, expected: str) -> bool:
    """Whether two values of an attribute are the same words and nearly the same numbers."""
    pairs = [*zip(parts(found), parts(expected), strict=False)]
    return len(parts(found)) == len(parts(expected)) and all(
        abs(a - b) <= NEAR if isinstance(a, float) and isinstance(b, float) else a == b
        for a, b in pairs
    )


def parts(value: str) -> list[str | float]:
    spaced = value.translate(dict.fromkeys(map(ord, "MCLz(),:;"), " ")).replace("px", "").split()
    return [number(part) for part in spaced]


def number(part: str) -> str | float:
    try:
        return float(part)
    except ValueError:
        return part


def otherwise(found: list[Any], expected: list[Any], *, kept: bool) -> list[Any]:
    """The elements that aren't as they should be, in their places but where these are `kept`."""
    if len(found) != len(expected):
        return [[[e[0], e[1], e[2]] for e in found], [[e[0], e[1], e[2]] for e in expected]]
    return [
        (a, b)
        for a, b in zip(found, expected, strict=True)
        if a[:3] != b[:3]
        or (
            not kept
            and (
                a[3].keys() != b[3].keys()
                or not all(is_near(x, b[3][key]) for key, x in a[3].items())
            )
        )
    ]


@pytest.mark.parametrize(("name", "changes", "hidden", "followed"), CASES)
def test_pictures_follow_or_are_hidden(
    chromium: Any,
    tmp_path: Path,
    name: str,
    changes: Sequence[tuple[str, str]],
    hidden: set[str],
    followed: set[str],
) -> None:
    with shown(chromium, page_of(name, pictures=True), tmp_path / "page.html") as page:
        before = page.evaluate(PICTURES)
        check_arrows(page)
        check_points(page)
        page.evaluate("changes => attncli.live.changeTo(changes)", changes)
        found = page.evaluate(PICTURES)
        check_arrows(page)
        check_points(page)
        page.evaluate("attncli.live.changeTo([])")
        back = page.evaluate(PICTURES)
    other_page = page_of(name, changes, pictures=True)
    with shown(chromium, other_page, tmp_path / "other.html") as page:
        expected = page.evaluate(PICTURES)
    assert None not in [elements for _, elements in before]
    assert [called for called, _ in back] == [called for called, _ in before]
    pairs = zip(back, before, strict=True)
    assert [its for (_, a), (_, b) in pairs if (its := otherwise(a, b, kept=False))] == []
    other = {tuple(called): elements for called, elements in expected}
    assert len(other) == len(expected)
    visible = [(tuple(called), elements) for called, elements in found if elements is not None]
    wrong = [
        (called, its)
        for called, elements in visible
        if called[0] not in SCALED
        and (its := otherwise(elements, other[called], kept=called[0] in KEPT))
    ]
    assert wrong == []
    assert {kind for (kind, *_), elements in found if elements is None} == hidden
    first = {tuple(called): elements for called, elements in before}
    assert {called[0] for called, elements in visible if elements != first[called]} == followed
    for called, elements in visible:
        if called[0] == "width":
            check_bars(elements)


def check_bars(elements: list[Any]) -> None:
    """Bars that begin at one 0 are as long as their numbers by one scale; each number stands at the
    end of its bar, and none outside."""
    bars = [
        (float(box["x"]), float(box["width"]), float(text.replace("−", "-")), float(at["x"]))
        for (name, kind, _, box), (_, _, text, at) in pairwise(elements)
        if name == "rect" and kind in ("bar", "bar below")
    ]
    assert bars
    units = defaultdict[int, list[float]](list)
    for x, wide, number, at in bars:
        assert at == pytest.approx(x - 8 if number < 0 else x + wide + 8, abs=0.11)
        assert 0 <= x <= x + wide <= float(elements[0][3]["width"])
        if wide > LONG:
            units[round(x + wide if number < 0 else x)].append(wide / abs(number))
    assert all(max(its) == pytest.approx(min(its), rel=0.01) for its in units.values())


def test_shades_are_those_of_the_program(chromium: Any, tmp_path: Path) -> None:
    shares = [k / 32 for k in range(-1, 34)]
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        found = page.evaluate("shares => shares.map(share => attncli.shadeOf(share, 9))", shares)
    assert found == [shade_of(share, LIGHT.shades) for share in shares]


FILLS = """() => [...document.querySelectorAll("figure:not([hidden]) rect[data-shows=shade]")].map(shape => [
  getComputedStyle(shape), getComputedStyle(shape.nextElementSibling)].map(style => style.fill))"""
"""The colours of the cells of heat maps, and of the numbers in them."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_heat_maps_have_their_shades(chromium: Any, tmp_path: Path, scheme: str) -> None:
    """None is black, before and after a change: as many shades as there are, and numbers that
    stand out from them."""
    (path := tmp_path / "page.html").write_text(
        render(page_of("next_token"), "html", RenderOptions())
    )
    with opened(chromium, path, color_scheme=scheme) as page:
        page.wait_for_function("() => window.attncli?.live")
        for changes in ([], [["embeddings[3,1]", "2"]], [["scale", "none"]]):
            page.evaluate("changes => attncli.live.changeTo(changes)", changes)
            fills = page.evaluate(FILLS)
            assert len(fills) >= 36
            assert "rgb(0, 0, 0)" not in [cell for cell, _ in fills]
            assert len({cell for cell, _ in fills}) > 4
            assert all(cell != text for cell, text in fills)


SHAPES = """kind => [...document.querySelectorAll(`figure:not([hidden]) [data-shows=${kind}]`)].map(shape => [
  Object.assign(shape.dataset.scale.split(" ").map(Number), shape.parentNode.dataset.axes?.split(" ").map(Number)),
  shape.dataset.cell.split(" ").map(n => attncli.places.get(Number(n))[0]).map(one =>
    Number((one.querySelector("title") ?? one).textContent.replace("−", "-"))),
  [...shape.querySelectorAll("line")].map(line => ["x1", "y1"].map(name => Number(line.getAttribute(name))))[0] ?? null,
  (shape.querySelector("path")?.getAttribute("d") ?? "").slice(1).split(" L")[0].split(" ").map(Number),
  Number(shape.getAttribute("cy") ?? Number(shape.getAttribute("y")) + 4)])"""
"""Of each shape of a kind its scale, its numbers, where its line begins, its tip, its height."""


def check_arrows(page: Any) -> None:
    """Each arrow goes from its start to its end by the scale of its plane, inside of it."""
    for (x, y, unit, wide, high, *_), numbers, start, tip, _ in page.evaluate(SHAPES, "arrow"):
        ends = [
            (x + unit * a, y - unit * b) for a, b in zip(numbers[::2], numbers[1::2], strict=True)
        ]
        assert all(-1 < across < wide + 1 and -1 < down < high + 1 for across, down in ends)
        if start is not None:
            assert tip == pytest.approx(ends[0], abs=NEAR)
            assert start == pytest.approx(ends[1] if len(ends) > 1 else (x, y), abs=NEAR)


def check_points(page: Any) -> None:
    """Each point of a curve is as high as its axis says."""
    for (bottom, top, low, high, is_log), (number,), _, _, y in page.evaluate(SHAPES, "point"):
        share = ((log10(number) if is_log else number) - low) / (high - low)
        assert -0.001 <= share <= 1.001
        assert y == pytest.approx(bottom + (top - bottom) * share, abs=NEAR)


LIT = "[...document.querySelectorAll('main .now:not(section)')].map(one => one.localName)"


def test_pointing_goes_both_ways_between_numbers_and_shapes(chromium: Any, tmp_path: Path) -> None:
    """A number lights its arrow, and what is worked from it; an arrow lights its numbers."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        cell = page.locator("#s4 .product .left td").nth(2)
        cell.hover()
        assert "g" in page.evaluate(LIT)
        assert (
            page.locator("svg g.now line").first.evaluate("one => getComputedStyle(one).stroke")
            == "rgb(217, 119, 0)"
        )
        page.mouse.move(2, 2)
        assert page.locator("svg .now, svg .operand").count() == 0
        arrow = page.locator("#s4 svg g[data-cell] path").last
        numbers = arrow.evaluate("one => one.parentNode.dataset.cell.split(' ').map(Number)")
        arrow.hover()
        assert page.evaluate(
            "n => attncli.places.get(n).some(one => one.closest('.now'))", numbers[0]
        )
        assert page.locator("#how").inner_text().startswith("K[AI, 1] =")


def test_a_token_of_the_ribbons_shows_its_row_and_its_blend(chromium: Any, tmp_path: Path) -> None:
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        token = page.locator("svg [data-row]", has_text="love").first
        blend = "output[love] = 0.212 × [1, 2] + 0.212 × [2, 1] + 0.576 × [3, 3] = [2.364, 2.364]"
        token.hover()
        assert page.locator("#how").inner_text() == blend
        lit = page.locator("path.ribbon.now")
        assert (
            lit.evaluate_all("all => all.map(one => one.parentNode.textContent.includes('0.576'))")
            == [True] * 3
        )
        page.mouse.move(2, 2)
        assert page.locator("#how").is_hidden()
        token.focus()
        assert page.locator("#how").inner_text() == blend


def test_a_ribbon_appears_when_its_weight_becomes_large_enough(
    chromium: Any, tmp_path: Path
) -> None:
    seen = "[...document.querySelectorAll('path.ribbon')].filter(one => one.getAttribute('display') !== 'none').length"
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        assert page.evaluate(seen) == 8
        page.evaluate("attncli.live.changeTo([['W_Q[1,1]', '0'], ['W_Q[2,2]', '0']])")
        assert page.evaluate(seen) == 9
        assert page.evaluate("document.querySelector('figure:has(.ribbon)').hidden") is False


GAP = """() => { const drawing = document.querySelector("#s4 svg:has(.axis)");
  const seen = [...drawing.querySelectorAll(":is(.grid, .axis), text, .head")].filter(one => one.getBoundingClientRect().width + one.getBoundingClientRect().height);
  const outer = drawing.getBoundingClientRect(), boxes = seen.map(one => one.getBoundingClientRect());
  return [Math.min(...boxes.map(box => box.top)) - outer.top, outer.right - Math.max(...boxes.map(box => box.right)), outer.height]; }"""
"""The room above and at the right of all in a plane, and the height of its picture."""


def test_a_plane_that_needs_more_room_at_its_side_takes_it(chromium: Any, tmp_path: Path) -> None:
    """Nothing above it stays empty, nor does the page below it move."""
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        before = page.evaluate(GAP)
        page.evaluate("attncli.live.changeTo([['W_Q[1,1]', '2']])")
        above, right, height = page.evaluate(GAP)
        assert above == pytest.approx(before[0], abs=8)
        assert right > -1
        assert height == pytest.approx(before[2], abs=0.5)
        page.evaluate("attncli.live.changeTo([])")
        assert page.evaluate(GAP) == pytest.approx(before, abs=0.5)


NUMBERS = """() => [...document.querySelectorAll("#sight svg text[data-n]")].map(one => [one.textContent,
  one.classList.contains("aside"), one.closest("svg").getScreenCTM().a * parseFloat(getComputedStyle(one).fontSize)])"""
"""The weights in the picture: each with whether it is grey, and how large it is."""


@pytest.mark.parametrize("name", ["i_love_ai", "word_order"])
def test_each_weight_is_written_and_can_be_read(chromium: Any, tmp_path: Path, name: str) -> None:
    """Those that have no ribbon in grey; on a laptop, and on paper as it was drawn."""
    with shown(chromium, page_of(name), tmp_path / "page.html") as page:
        page.set_viewport_size({"width": 1280, "height": 800})
        page.wait_for_function("document.body.matches('.bench')")
        frame = "document.querySelector('figure:has(.ribbon) svg').outerHTML.split('<title')[0]"
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        drawn = page.evaluate(frame)
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        weights = page.evaluate(NUMBERS)
        assert len(weights) == (9 if name == "i_love_ai" else 16)
        assert all(is_grey == (float(text) < 0.1) for text, is_grey, _ in weights)
        assert any(is_grey for _, is_grey, _ in weights)
        assert min(size for *_, size in weights) >= 11
        assert page.evaluate(frame) != drawn
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate(frame) == drawn
        page.evaluate("attncli.live.changeTo([['W_Q[1,1]', '3']])")
        assert all(is_grey == (float(text) < 0.1) for text, is_grey, _ in page.evaluate(NUMBERS))


@pytest.mark.parametrize("width", [1280, 1366, 1920])
def test_ribbons_of_a_long_sentence_can_be_read(chromium: Any, tmp_path: Path, width: int) -> None:
    """They stay in their section where the column has no room for them; the column has their table,
    which no heading without a picture stands above."""
    with shown(chromium, page_of("tennis_and_rafael"), tmp_path / "page.html") as page:
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function("document.body.matches('.bench')")
        sizes = page.evaluate(NUMBERS.replace("#sight", "main > section figure:has(.ribbon)"))
        assert min(size for *_, size in sizes) >= 11
        sight = page.locator("#sight")
        assert sight.locator("svg, h3").count() == 0
        assert sight.locator("table.quantity").is_visible()
        page.evaluate("attncli.live.changeTo([['embeddings[fan,2]', '3']])")
        sight.locator("td[data-was]").first.wait_for()
