"""The pictures of a page whose numbers a reader changes, beside those that the program draws of the
changed scenario."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from attncli.formats.colours import LIGHT, shade_of
from tests.formats.test_live import page_of, shown

PICTURES = """() => [...document.querySelectorAll("figure:is([data-cell], :has([data-cell]))")].map(figure => [
  [figure.querySelector("[data-shows]")?.dataset.shows ?? "", figure.closest("section")?.id ?? "",
    figure.querySelector("figcaption").textContent],
  figure.hidden ? null :
  [...figure.querySelectorAll("svg, svg :not(desc *)")].map(one => [one.localName,
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
LONG = 20
"""So long a bar is at the least that tells its scale: pictures are drawn to tenths."""
CASES: Sequence[tuple[str, Sequence[tuple[str, str]], set[str], set[str]]] = (
    (
        "i_love_ai",
        [("W_Q[1,2]", "-3"), ("embeddings[love,1]", "4")],
        {"", "stroke-width", "width"},
        {"shade"},
    ),
    ("i_love_ai", [("W_K[2,1]", "-0.3")], {""}, {"shade", "width", "stroke-width"}),
    ("yassine_rnn_sentence", [("W_ax[1,1]", "-2.5")], {""}, set()),
    (
        "picture",
        [("patches[upper right,1]", "0.35"), ("positions[3,2]", "-0.1")],
        {"stroke-width"},
        {"grey", "shade", "width"},
    ),
    ("softmax_gradient", [("logits[1,2]", "4.125")], set(), {"width"}),
    ("softmax_gradient", [("logits[1,2]", "4.123456")], {"width"}, set()),
    ("softmax_gradient", [("logits[1,2]", "-1")], {"width"}, set()),
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
    with shown(chromium, page_of(name), tmp_path / "page.html") as page:
        before = page.evaluate(PICTURES)
        page.evaluate("changes => attncli.live.changeTo(changes)", changes)
        found = page.evaluate(PICTURES)
        page.evaluate("attncli.live.changeTo([])")
        back = page.evaluate(PICTURES)
    with shown(chromium, page_of(name, changes), tmp_path / "other.html") as page:
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
        if (its := otherwise(elements, other[called], kept=called[0] in KEPT))
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
