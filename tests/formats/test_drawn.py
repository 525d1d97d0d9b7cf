"""Each kind of picture as SVG: what stands where, that it can be read, that it is all told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest

from attncli.document.pictures import Bars, Curves, Diagram, HeatMaps, Picture, Plane
from attncli.formats.colours import DARK, LIGHT
from attncli.formats.pages.html import figure_html
from attncli.formats.svg.drawing import alone, drawn
from attncli.formats.svg.elements import TEXT_SIZE, style_sheet, text_width
from attncli.maths.equations.tree import Number
from attncli.maths.notation import plain
from tests.formats.test_colours import contrast
from tests.helpers.pictures_examples import EXAMPLES, waves
from tests.helpers.readers import bare

Box = tuple[float, float, float, float]
FAINT = 3.0
"""The least contrast of lines that carry meaning (WCAG 2.2, success criterion 1.4.11)."""


def root_of(block: Picture) -> ElementTree.Element:
    """As one drawing, without the name space that a file has."""
    text = alone(drawn(block)).replace(' xmlns="http://www.w3.org/2000/svg"', "", 1)
    return ElementTree.fromstring(text)


def placed(
    parent: ElementTree.Element, x: float = 0, y: float = 0
) -> Iterator[tuple[ElementTree.Element, float, float]]:
    """Every element with what it is moved by."""
    for element in parent:
        moved = re.match(r"translate\(([-\d.]+) ([-\d.]+)\)", element.get("transform", ""))
        here = (x + float(moved[1]), y + float(moved[2])) if moved else (x, y)
        yield element, *here
        yield from placed(element, *here)


def texts_of(block: Picture) -> Iterator[tuple[str, Box]]:
    """The texts that aren't turned, with the places that they take."""
    for element, x, y in placed(root_of(block)):
        if element.tag == "text" and "rotate" not in element.get("transform", ""):
            text = element.text or ""
            kinds = element.get("class", "").split()
            share = 1.0 if "end" in kinds else 0.5 if "middle" in kinds else 0.0
            left = x + float(element.get("x", 0)) - share * text_width(text)
            base = y + float(element.get("y", 0))
            yield text, (left, base - TEXT_SIZE * 0.7, left + text_width(text), base)


def numbers_of(block: Picture) -> Iterator[Number]:
    match block:
        case Bars() | Curves():
            yield from (n for series in block.series for n in series.numbers)
        case Plane():
            arrows = (arrow for group in block.groups for arrow in group.arrows)
            yield from (value for arrow in arrows for value in (*arrow.end, *(arrow.start or ())))
        case HeatMaps():
            for _, table in block.maps:
                rows, columns = table.matrix.shape
                if max(rows, columns) <= 16:
                    yield from (
                        table.matrix.number(i, j) for i in range(rows) for j in range(columns)
                    )


@pytest.mark.parametrize("name", EXAMPLES)
class TestEachExample:
    def test_its_texts_are_inside_and_on_no_other(self, name: str) -> None:
        root = root_of(EXAMPLES[name])
        left, top, wide, high = map(float, root.get("viewBox", "").split())
        texts = [*texts_of(EXAMPLES[name])]
        for text, box in texts:
            assert left <= box[0] <= box[2] <= left + wide, text
            assert top <= box[1] <= box[3] <= top + high, text
        for (entry, a), (other, b) in combinations(texts, 2):
            apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
            assert apart, (entry, other)

    def test_all_its_numbers_are_told(self, name: str) -> None:
        root = root_of(EXAMPLES[name])
        text = bare(root.findtext("desc") or "")
        assert root.findtext("title")
        assert root.get("role") == "img"
        assert all(plain(n) in text for n in numbers_of(EXAMPLES[name]))

    def test_words_stay_data(self, name: str) -> None:
        root = ElementTree.fromstring(figure_html(EXAMPLES[name]))
        known = {"figure", "div", "svg", "g", "title", "desc", "rect", "text", "line", "path"}
        assert {e.tag for e in root.iter()} <= known | {"circle", "figcaption", "bdi"}
        assert not any(key.startswith("on") for e in root.iter() for key in e.attrib)


def test_a_picture_of_several_parts_is_a_drawing_each_on_a_page() -> None:
    """So that a narrow screen has them below each other; each tells its own numbers."""
    maps = EXAMPLES["heads eight"]
    assert isinstance(maps, HeatMaps)
    figure = ElementTree.fromstring(figure_html(maps))
    drawings = [*figure.iter("svg")]
    assert [one.findtext("title") for one in drawings] == [name for name, _ in maps.maps]
    assert all(one.findtext("desc") and one.get("role") == "img" for one in drawings)


def bars_of(block: Bars) -> list[float]:
    found = (e for e in root_of(block).iter("rect") if "bar" in e.get("class", "").split())
    return [float(e.get("width", 0)) for e in found]


def test_a_bar_is_as_long_as_its_number() -> None:
    block = EXAMPLES["bars scores"]
    assert isinstance(block, Bars)
    scores = [float(n.shown) for n in block.series[0].numbers]
    sizes = bars_of(block)
    drawn_scores = [score for score in scores if score]
    for (number, size), (other, next_size) in pairwise(zip(drawn_scores, sizes, strict=False)):
        assert abs(number) * next_size == pytest.approx(abs(other) * size, abs=0.3)


def test_shares_have_one_scale_whatever_the_temperature() -> None:
    three = EXAMPLES["bars temperatures"]
    assert isinstance(three, Bars)
    scale = {
        round(size / float(number.shown), -1)
        for number, size in zip(
            [n for s in three.series for n in s.numbers if n.shown], bars_of(three), strict=True
        )
        if number.shown > 0.1
    }
    assert len(scale) == 1


def test_curves_are_where_their_numbers_are() -> None:
    block = waves(12, 2)
    root = root_of(block)
    ticks = {text: box for text, box in texts_of(block) if text in ("1.0", "−1.0")}
    middle = {text: (box[1] + box[3]) / 2 for text, box in ticks.items()}
    points = [(float(e.get("cx", 0)), float(e.get("cy", 0))) for e in root.iter("circle")]
    shown = [float(n.shown) for n in block.series[0].numbers]
    unit = (middle["−1.0"] - middle["1.0"]) / 2
    for (_, y), number in zip(points, shown, strict=True):
        assert (points[0][1] - y) / unit == pytest.approx(number, abs=0.01)
    steps = [b[0] - a[0] for a, b in pairwise(points)]
    assert max(steps) - min(steps) < 0.2


def test_a_logarithmic_axis_has_powers_of_ten_at_one_distance() -> None:
    texts = dict(texts_of(EXAMPLES["curves norms"]))
    heights = [texts[text][1] for text in ("1", "0.1", "0.01", "0.001")]
    steps = [b - a for a, b in pairwise(heights)]
    assert max(steps) - min(steps) < 0.2
    circles = [*root_of(EXAMPLES["curves norms"]).iter("circle")]
    assert len(circles) == 6, "0 has no place"


def test_arrows_end_at_their_vectors() -> None:
    """From the origin, by one scale in both directions."""
    block = EXAMPLES["plane around"]
    assert isinstance(block, Plane)
    heads = [e for e in root_of(block).iter("path") if "head" in e.get("class", "").split()]
    tips = [tuple(map(float, re.findall(r"[-\d.]+", e.get("d", ""))[:2])) for e in heads]
    ends = [tuple(float(n.shown) for n in arrow.end) for arrow in block.groups[0].arrows]
    (x0, y0), (x1, y1) = tips[:2]
    unit = (x1 - x0) / (ends[1][0] - ends[0][0])
    assert (y1 - y0) / (ends[0][1] - ends[1][1]) == pytest.approx(unit, rel=0.01)
    for (x, y), end in zip(tips, ends, strict=False):
        assert (x - x0) / unit == pytest.approx(end[0] - ends[0][0], abs=0.01)
        assert (y0 - y) / unit == pytest.approx(end[1] - ends[0][1], abs=0.01)


def test_numbers_below_0_have_a_hue_of_their_own_and_0_none() -> None:
    block = EXAMPLES["encoding"]
    root = root_of(block)
    shades = [e.get("class", "") for e in root.iter("rect")]
    found = [e for e in root.iter("text") if " on" in e.get("class", "")]
    assert len(found) == len(shades) == 24
    for element, shade in zip(found, shades, strict=True):
        number = float((element.text or "").replace("−", "-"))
        assert ("below" in shade) == (number < 0)
        assert shade.removeprefix("shade").removeprefix("-below") == str(round(abs(number) * 8))


def test_chosen_links_are_bold_and_last() -> None:
    block = EXAMPLES["lattice"]
    assert isinstance(block, Diagram)
    ways = [e for e in root_of(block).iter("path") if "way" in e.get("class", "").split()]
    chosen = ["chosen" in e.get("class", "").split() for e in ways]
    assert len(ways) == len(block.links)
    assert chosen == sorted(chosen)
    assert sum(chosen) == sum(link.chosen for link in block.links)


def test_links_meet_no_box_but_their_own() -> None:
    for name in ("lattice", "merges", "pipeline across", "pipeline down"):
        root = root_of(EXAMPLES[name])
        boxes = [
            tuple(float(e.get(key, 0)) for key in ("x", "y", "width", "height"))
            for e in root.iter("rect")
            if "box" in e.get("class", "").split()
        ]
        for way in (e for e in root.iter("path") if "way" in e.get("class", "").split()):
            numbers_in = [*map(float, re.findall(r"[-\d.]+", way.get("d", "")))]
            points = [*zip(numbers_in[::2], numbers_in[1::2], strict=True)]
            inside = [
                (x, y)
                for x, y in points
                for left, top, wide, high in boxes
                if left + 1 < x < left + wide - 1 and top + 1 < y < top + high - 1
            ]
            assert not inside, (name, way.get("d"))


def test_colours_can_be_told_from_the_page() -> None:
    for scheme in (LIGHT, DARK):
        page = scheme.page.background
        assert all(contrast(ink, page) >= 4.5 for ink in scheme.inks)
        assert all(contrast(shade.background, shade.text) >= 4.5 for shade in scheme.below)
        assert contrast(scheme.line, page) >= FAINT
        assert contrast(scheme.below[6].background, page) >= FAINT
        assert contrast(scheme.aside, page) >= 4.5


def test_curves_are_told_apart_without_colours() -> None:
    """Each of twelve has its own kind of line and of point."""
    root = root_of(EXAMPLES["curves many waves"])
    lines = [e.get("class", "") for e in root.iter("path") if "curve" in e.get("class", "")]
    assert len(set(lines)) == 12
    dashes = [re.sub(r"ink\d", "", line) for line in lines]
    assert len(set(dashes)) == 4


def test_what_is_drawn_has_a_look() -> None:
    """Each class is in the style sheet."""
    used = {
        kind
        for block in EXAMPLES.values()
        for e in root_of(block).iter()
        for kind in e.get("class", "").split()
    }
    known = set(re.findall(r"\.([a-zQKV]+(?:-[a-z]+)?\d*)", style_sheet()))
    assert used - known <= {"dash0"}
