"""The pictures of a page whose numbers a reader changes, beside those that the program draws of the
changed scenario."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.formats.test_live import page_of, shown
from tests.helpers.browser import NEEDS_BROWSER

PICTURES = """() => [...document.querySelectorAll("figure[data-picture]:not([hidden])")].map(figure => [
  JSON.parse(figure.dataset.picture).kind,
  [...figure.querySelectorAll("svg, svg *")].map(one => [one.localName,
    one.getAttribute("class")?.replace(/ ?fresh/, "") || null,
    one.children.length ? "" : one.textContent,
    Object.fromEntries([...one.attributes]
      .filter(({name}) => !/^(class|data-n|role|tabindex|aria-.*)$/.test(name))
      .filter(({name}) => !one.matches("svg") || name !== "style") // a whole number of pixels
      .map(({name, value}) => [name, value]))])])"""
"""Each picture: its kind, then the name, class, text and attributes of its elements."""
NEAR = 0.2
CASES: Sequence[tuple[str, Sequence[tuple[str, str]], set[str]]] = (
    ("i_love_ai", [("W_Q[1,2]", "-3"), ("embeddings[love,1]", "4")], {"Bars", "Graph", "Plane"}),
    ("yassine_rnn_sentence", [("W_ax[1,1]", "-2.5")], {"Curves"}),
)


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


def compared(chromium: Any, folder: Path, name: str, changes: Sequence[tuple[str, str]]) -> Any:
    """The kinds of pictures that are other ones after the changes, and what of them is wrong."""
    with shown(chromium, page_of(name), folder / "page.html") as page:
        before = page.evaluate(PICTURES)
        page.evaluate("changes => attncli.live.changeTo(changes)", changes)
        found = page.evaluate(PICTURES)
        page.evaluate("attncli.live.changeTo([])")
        back = page.evaluate(PICTURES)
    with shown(chromium, page_of(name, changes), folder / "other.html") as page:
        expected = page.evaluate(PICTURES)
    wrong = [
        (kind, otherwise(made, wanted, heat_map=kind == "HeatMaps"))
        for (kind, made), (_, wanted) in zip([*found, *back], [*expected, *before], strict=True)
    ]
    changed = {kind for kind, now in found if [kind, now] not in before}
    return changed, [(kind, its) for kind, its in wrong if its]


@NEEDS_BROWSER
@pytest.mark.parametrize(("name", "changes", "kinds"), CASES)
def test_pictures_follow(
    chromium: Any, tmp_path: Path, name: str, changes: Sequence[tuple[str, str]], kinds: set[str]
) -> None:
    changed, wrong = compared(chromium, tmp_path, name, changes)
    assert wrong == []
    assert changed >= kinds
