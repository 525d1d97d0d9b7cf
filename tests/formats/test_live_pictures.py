"""The pictures of a page whose numbers a reader changes, beside those that the program draws of the
changed scenario."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from attncli.formats.colours import LIGHT, shade_of
from tests.formats.test_live import page_of, shown

PICTURES = """() => [...document.querySelectorAll("figure[data-picture]")].map(figure => [
  [JSON.parse(figure.dataset.picture).kind, figure.closest("section").id, figure.querySelector("figcaption").textContent],
  figure.hidden ? null :
  [...figure.querySelectorAll("svg, svg *")].map(one => [one.localName,
    one.getAttribute("class")?.replace(/ ?fresh/, "") || null,
    one.children.length ? "" : one.textContent,
    Object.fromEntries([...one.attributes]
      .filter(({name}) => !/^(class|data-n|role|tabindex|aria-.*)$/.test(name))
      .filter(({name}) => !one.matches("svg") || name !== "style") // a whole number of pixels
      .map(({name, value}) => [name, value]))])])"""
"""Each picture: its kind, section and caption; then the name, class, text and attributes of its
elements, null of one that is hidden."""
NEAR = 0.2
SHADED = {"HeatMaps", "Pixels"}
CASES: Sequence[tuple[str, Sequence[tuple[str, str]], set[str], set[str]]] = (
    (
        "i_love_ai",
        [("W_Q[1,2]", "-3"), ("embeddings[love,1]", "4")],
        {"Bars", "Graph", "Plane"},
        {"HeatMaps"},
    ),
    ("yassine_rnn_sentence", [("W_ax[1,1]", "-2.5")], {"Curves"}, set()),
)
"""Scenarios with changes, the kinds of pictures that are hidden then, and those shaded otherwise."""


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


def otherwise(found: list[Any], expected: list[Any], *, heat_map: bool) -> list[Any]:
    """The elements that aren't as they should be; cells of heat maps keep their places."""
    if len(found) != len(expected):
        return [[[e[0], e[1], e[2]] for e in found], [[e[0], e[1], e[2]] for e in expected]]
    return [
        (a, b)
        for a, b in zip(found, expected, strict=True)
        if a[:3] != b[:3]
        or (
            not heat_map
            and (
                a[3].keys() != b[3].keys()
                or not all(is_near(x, b[3][key]) for key, x in a[3].items())
            )
        )
    ]


@pytest.mark.parametrize(("name", "changes", "hidden", "shaded"), CASES)
def test_pictures_follow_or_are_hidden(
    chromium: Any,
    tmp_path: Path,
    name: str,
    changes: Sequence[tuple[str, str]],
    hidden: set[str],
    shaded: set[str],
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
    assert back == before
    other = {tuple(called): elements for called, elements in expected}
    assert len(other) == len(expected)
    visible = [(tuple(called), elements) for called, elements in found if elements is not None]
    wrong = [
        (called, its)
        for called, elements in visible
        if (its := otherwise(elements, other[called], heat_map=called[0] == "HeatMaps"))
    ]
    assert wrong == []
    kinds_hidden = {kind for (kind, *_), elements in found if elements is None}
    assert kinds_hidden >= hidden
    assert not kinds_hidden & SHADED
    first = {tuple(called): elements for called, elements in before}
    assert {called[0] for called, elements in visible if elements != first[called]} >= shaded


def test_shades_are_those_of_the_program(chromium: Any, tmp_path: Path) -> None:
    shares = [k / 32 for k in range(-1, 34)]
    with shown(chromium, page_of("i_love_ai"), tmp_path / "page.html") as page:
        found = page.evaluate("shares => shares.map(attncli.shadeOf)", shares)
    assert found == [shade_of(share, LIGHT.shades) for share in shares]
