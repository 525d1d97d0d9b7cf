"""The elements of pictures: widths of texts and room for them, ticks, styles, descriptions."""

from __future__ import annotations

import string
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from html import escape
from itertools import accumulate
from math import ceil, floor, hypot, inf, log10
from typing import Literal, NamedTuple, Protocol

from attncli.document.pictures import Label, Series
from attncli.formats.colours import DARK, LIGHT, ColourScheme, inks_on
from attncli.formats.numbers import text_of as number_text
from attncli.formats.screen.lines import width
from attncli.maths.equations.tree import Number
from attncli.maths.notation.columns import bands
from attncli.maths.notation.escaping import printed

TEXT_SIZE, TITLE_SIZE, LEAST_SIZE = 14, 18, 9
"""How high texts are, and how small they may become on a narrow screen to be read still."""
PHONE = 504
"""What a phone shows of a picture, its texts so small, without scrolling."""
_CELL = 8.5
"""A terminal's cell in text of that size: 0.6 em in the usual fonts of one width, a little to
spare."""
_EDGE = 3.0
_HEAD, _HALF_OF_HEAD = 11.0, 4.5
"""How long the head of an arrow is, and half its width."""

Point = tuple[float, float]
Told = Sequence[str | Number]
"""What a picture says in words; its numbers, which may be changed, by themselves."""


class Askable(Protocol):
    """A list of a page's numbers, in which a reader asks where one comes from."""

    @property
    def changing(self) -> bool:
        """Tells whether the numbers may be changed."""

    def place(self, number: Number) -> int | None:
        """Returns the place of a number in the list; None of one that isn't there."""


class _Nobody(NamedTuple):
    """A list without numbers."""

    changing: bool = False

    def place(self, _: Number) -> int | None:
        return None


NOBODY: Askable = _Nobody()
"""What a picture is drawn for where nobody can ask."""

Shows = Literal["shade", "grey", "width", "stroke-width", "arrow", "point"]
"""How a shape shows its numbers."""


def asking(number: Number, asked: Askable) -> Mapping[str, str]:
    """Returns the attributes of a text that is a number."""
    place = asked.place(number)
    return {} if place is None else {"data_n": f"{place}"}


def showing(
    number: Number, asked: Askable, shows: Shows, rooms: Sequence[float], *scale: float
) -> Mapping[str, str]:
    """Returns the attributes of a shape that shows a number: which, how, how many characters of it
    there is room for, and of one below 0 if that is another place; and by what scale. The page's
    script sets the shape by these when the number is another one."""
    return showing_all((number,), asked, shows, rooms, *scale)


def showing_all(
    numbers: Sequence[Number],
    asked: Askable,
    shows: Shows,
    rooms: Sequence[float],
    *scale: float,
) -> Mapping[str, str]:
    """Returns the attributes of a shape that shows several numbers together."""
    cells = naming(numbers, asked)
    if not cells or not asked.changing:
        return cells
    room = " ".join(f"{floor(wide / _CELL)}" for wide in rooms)
    by = " ".join(f"{value:.6g}" for value in scale)
    return {**cells, "data_shows": shows, "data_room": room, "data_scale": by}


def naming(numbers: Sequence[Number], asked: Askable) -> Mapping[str, str]:
    """Returns the attribute that names the numbers of a shape, or of a text that belongs to it;
    none where one of them has no place."""
    places = [asked.place(number) for number in numbers]
    return {} if not places or None in places else {"data_cell": " ".join(map(str, places))}


class Picture(NamedTuple):
    """A drawing from (0, 0) to its size."""

    title: str
    """What it is called."""
    description: Told
    """What it says in words."""
    size: tuple[float, float]
    """How wide and how high it is."""
    elements: tuple[str, ...]
    """What it is made of, from back to front."""
    parts: tuple[Picture, ...] = ()
    """Its parts, where these may stand below each other on a narrow screen."""


def label_text(label: Label) -> str:
    """Writes a label; one that would hardly be seen by itself, such as a full stop, is in
    quotes."""
    text = printed(label)
    return f"“{text}”" if text and not text.strip(string.punctuation) else text


def text_width(text: str) -> float:
    """Returns the width of a text in a font of one width."""
    return width(text) * _CELL


def widest(texts: Iterable[str]) -> float:
    """Returns the width of the widest text, 0 of none."""
    return max(map(text_width, texts), default=0.0)


def title_width(text: str) -> float:
    """Returns the width of a text as the title of a page."""
    return text_width(text) * TITLE_SIZE / TEXT_SIZE


def element(name: str, inside: str | Iterable[str] = "", **attributes: float | str) -> str:
    """Writes an element; `class_` is its class, and what stands for a `-` in a name is a `_`."""
    line = "".join(f' {_attribute(key)}="{_value(v)}"' for key, v in attributes.items())
    text = inside if isinstance(inside, str) else "\n".join(["", *inside, ""])
    return f"<{name}{line}>{text}</{name}>" if text else f"<{name}{line}/>"


def text_at(x: float, y: float, text: str, kind: str = "", **attributes: float | str) -> str:
    """Writes a text, its middle as high as `y`."""
    classes: dict[str, str] = {"class_": kind} if kind else {}
    return element("text", escape(text), x=x, y=y + TEXT_SIZE * 0.35, **classes, **attributes)


def number_at(
    x: float, y: float, number: Number, kind: str, asked: Askable, **attributes: str
) -> str:
    """Writes a number that can be asked, its middle as high as `y`."""
    return text_at(x, y, number_text(number), kind, **attributes, **asking(number, asked))


def plate(x: float, y: float, text: str) -> str:
    """Draws what hides the line that a text stands on, its middle as high as `y`."""
    wide, high = text_width(text) + 2 * _EDGE, TEXT_SIZE * 1.2
    return element(
        "rect", "", x=x - wide / 2, y=y - high / 2, width=wide, height=high, class_="page"
    )


def line(start: Point, end: Point, kind: str, **attributes: float | str) -> str:
    (x1, y1), (x2, y2) = start, end
    return element("line", "", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind, **attributes)


def path(points: Iterable[Point], kind: str, **attributes: float | str) -> str:
    """Draws straight lines from point to point."""
    way = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return element("path", "", d=way, class_=kind, **attributes)


def arrow_to(start: Point, end: Point, kind: str, **attributes: float | str) -> str:
    """Draws a straight arrow; its shaft ends where its head begins."""
    away = hypot(end[0] - start[0], end[1] - start[1])
    share = max(0.0, 1 - _HEAD * 0.8 / away) if away else 0.0
    neck = (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)
    return line(start, neck, kind, **attributes) + head_at(start, end, f"head {kind}")


def head_at(start: Point, end: Point, kind: str) -> str:
    """Draws the head of an arrow that comes from `start`."""
    away = hypot(end[0] - start[0], end[1] - start[1]) or 1.0
    length = min(_HEAD, away)
    along, across = (end[0] - start[0]) / away, (end[1] - start[1]) / away
    x, y = end[0] - along * length, end[1] - across * length
    half = _HALF_OF_HEAD * length / _HEAD
    sides = ((x - across * half, y + along * half), (x + across * half, y - along * half))
    return element("path", d=_outline([end, *sides]), class_=kind)


def _outline(points: Iterable[Point]) -> str:
    return f"M{' L'.join(f'{x:.1f} {y:.1f}' for x, y in points)} z"


def shifted(picture: Picture, x: float, y: float) -> str:
    """Draws a picture inside another."""
    return element("g", picture.elements, transform=f"translate({x:.1f} {y:.1f})")


def in_rows(pictures: Sequence[Picture], room: float, across: float, down: float) -> Picture:
    """Sets pictures beside each other as far as there is room, further ones below; with gaps across
    and down."""
    elements: list[str] = []
    y = wide = 0.0
    for row in bands(pictures, lambda picture: picture.size[0], room, across):
        x = 0.0
        for picture in row:
            elements.append(shifted(picture, x, y))
            x += picture.size[0] + across
        wide = max(wide, x - across)
        y += max(picture.size[1] for picture in row) + down
    return Picture("", (), (wide, y - down), tuple(elements))


def described(
    name: str,
    title: str,
    told: Told,
    inside: Iterable[str],
    asked: Askable = NOBODY,
    **more: float | str,
) -> str:
    """Writes an element with a title and a description, for those who don't see it."""
    text = "".join(
        escape(part) if isinstance(part, str) else _told_number(part, asked) for part in told
    )
    words = (element("title", escape(title)), element("desc", text))
    return element(name, (*words, *inside), **{"role": "img", **more})


def _told_number(number: Number, asked: Askable) -> str:
    """Writes a number that is told; where it may be changed, as an element that can be found."""
    place = asked.place(number) if asked.changing else None
    text = number_text(number)
    return text if place is None else element("b", text, data_cell=f"{place}")


def as_text(told: Told) -> str:
    """Writes what is told as a text."""
    return "".join(part if isinstance(part, str) else number_text(part) for part in told)


def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _value(value: float | str) -> str:
    return escape(value) if isinstance(value, str) else f"{round(value, 1):g}"


class Rectangle(NamedTuple):
    """A rectangle, from its left upper to its right lower corner."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Rectangle) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def wider(self, by: float) -> Rectangle:
        """Returns the rectangle with so much more room at its left and its right."""
        return Rectangle(self.left - by, self.top, self.right + by, self.bottom)

    def holding(self, points: Sequence[Point]) -> int:
        """Counts how many points are in it, of some in the order of x."""
        first = bisect_right(points, (self.left, inf))
        last = bisect_left(points, (self.right, -inf))
        return sum(self.top < y < self.bottom for _, y in points[first:last])

    @property
    def middle(self) -> Point:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def nearest(self, point: Point) -> Point:
        """Returns the point of it that is nearest to another one."""
        x, y = point
        return min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)


def text_box(text: str, middle: Point) -> Rectangle:
    """Returns the place of a text around a point."""
    half, high = text_width(text) / 2, TEXT_SIZE * 0.6
    x, y = middle
    return Rectangle(x - half, y - high, x + half, y + high)


_PER_POINT = 16
"""So many places later a text may stand, lest it hide a point of a line."""


def with_room(
    text: str, places: Iterable[Point], taken: Sequence[Rectangle], lines: Sequence[Point] = ()
) -> Rectangle:
    """Finds the first of the places where the text overlaps nothing; rather a later one than on
    many lines, which are points in the order of x; the last, where all overlap something."""
    boxes = [text_box(text, place) for place in places]
    free = [(k, box) for k, box in enumerate(boxes) if not any(map(box.overlaps, taken))]
    return min(free, key=lambda e: e[0] / _PER_POINT + e[1].holding(lines), default=(0, boxes[-1]))[
        1
    ]


def around(boxes: Iterable[Rectangle]) -> Rectangle:
    """Returns the least rectangle that has all of these in it."""
    all_boxes = [*boxes]
    return Rectangle(
        min(r.left for r in all_boxes),
        min(r.top for r in all_boxes),
        max(r.right for r in all_boxes),
        max(r.bottom for r in all_boxes),
    )


MOST_NUMBERS = 400
"""So many numbers are told of each picture; who wants more has the page's tables."""


def series_in_words(series: Sequence[Series], labels: Sequence[Label]) -> Told:
    """Writes a sentence for each series: `T = 1: 0.2 (love), 0.8 (AI).`"""
    keys = [printed(label) for label in labels]
    return within_limits([sentence(printed(s.name), with_keys(s.numbers, keys)) for s in series])


def with_keys(numbers: Told, keys: Sequence[str]) -> list[Told]:
    """Writes each number with its key behind it, if it has one."""
    pairs = zip(numbers, keys, strict=True)
    return [(number, f" ({key})") if key else (number,) for number, key in pairs]


def sentence(name: str, parts: Sequence[Told]) -> Told:
    """Writes what belongs to a name, if it has one."""
    return (f"{name}: " if name else "", *joined(parts, ", "), ".")


def joined(parts: Sequence[Told], between: str) -> Told:
    return [part for k, told in enumerate(parts) for part in ((between, *told) if k else told)]


def within_limits(sentences: Sequence[Told]) -> Told:
    """Joins the sentences, as many as have `MOST_NUMBERS` numbers, and says how many were left
    out."""
    sizes = accumulate(sum(isinstance(part, Number) for part in told) for told in sentences)
    kept = max(1, sum(size <= MOST_NUMBERS for size in sizes))
    left_out = len(sentences) - kept
    return joined([*sentences[:kept], *[(f"And {left_out} more.",)] * (left_out > 0)], " ")


_STEPS, _TICKS = (1.0, 2.0, 5.0, 10.0), 6


class DrawnAxis(NamedTuple):
    """An axis from its least to its greatest number, with ticks; their logarithms if it is
    logarithmic."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    logarithmic: bool = False

    def share(self, number: float) -> float | None:
        """Returns how far up a number stands, from 0 to 1; None of one that has no place on it."""
        if self.logarithmic:
            number = log10(number) if number > 0 else float("-inf")
        share = (number - self.low) / (self.high - self.low)
        return share if abs(share) < float("inf") else None


def axis_of(numbers: list[float], spread: float = 0.0) -> DrawnAxis:
    """Makes an axis for the numbers, with ticks at 1, 2 or 5 times a power of ten, 0 on it; as far
    from each other as on one that is `spread` long."""
    low, high = min([0.0, *numbers]), max([0.0, *numbers])
    if low == high:
        high = spread / _TICKS or 1.0
    step = _step((spread or high - low) / _TICKS)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    ticks = tuple((k * step, _text(k, step)) for k in range(first, last + 1))
    return DrawnAxis(ticks[0][0], ticks[-1][0], ticks)


def logarithmic_axis(numbers: list[float]) -> DrawnAxis:
    """Makes an axis of powers of ten."""
    logs = [log10(n) for n in numbers if n > 0] or [0.0]
    first, last = floor(min(logs) + 1e-9), ceil(max(logs) - 1e-9)
    last = max(last, first + 1)
    step = ceil((last - first) / 7)  # so many ticks at the most
    ticks = tuple((float(k), _power(k)) for k in range(first, last + 1, step))
    return DrawnAxis(first, last, tuple((10.0**k, text) for k, text in ticks), logarithmic=True)


def _step(least: float) -> float:
    """Finds the smallest step of a usual kind that isn't less."""
    power = 10.0 ** floor(log10(least))
    return next(n * power for n in _STEPS if n * power >= least * (1 - 1e-9))


def _text(k: int, step: float) -> str:
    number = Decimal(k) * Decimal(f"{step:g}")
    return number_text(Number.written(number))


def _power(k: int) -> str:
    return number_text(Number.written(Decimal(10) ** k))


_FONT = f"{TEXT_SIZE}px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"

Rule = tuple[str, str]
"""A class or an element, and its looks."""

SHAPES: tuple[Rule, ...] = (
    ("text", f"font: {_FONT}"),
    (".title", f"font-size: {TITLE_SIZE}px; font-weight: bold"),
    (".most", "font-weight: bold"),
    (".end", "text-anchor: end"),
    (".middle", "text-anchor: middle"),
    (".halo", "stroke-width: 6px; stroke-linejoin: round; paint-order: stroke"),
    (".grid", "opacity: .25"),
    (".curve", "fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round"),
    (".leader", "fill: none; stroke: currentColor; opacity: .6"),
    (".point", "fill: currentColor; stroke: currentColor; stroke-width: 1.5"),
    (".vector", "stroke: currentColor; stroke-width: 2"),
    (".inked", "fill: currentColor"),
    (".way", "fill: none; stroke: currentColor; stroke-width: 1.3"),
    (".way.chosen", "stroke-width: 3"),
    (".box", "stroke: currentColor; stroke-width: 1.2"),
    (".box.chosen", "stroke-width: 3"),
    (".frame", "stroke-dasharray: 4 4"),
    (".dash1", "stroke-dasharray: 8 4"),
    (".dash2", "stroke-dasharray: 2 3"),
    (".dash3", "stroke-dasharray: 10 3 2 3"),
    (".ribbon", "fill: none; opacity: .5"),
    (".ribbon.most", "opacity: 1"),
    (".head", "fill: currentColor; stroke: none"),
)


def style_sheet() -> str:
    """Writes the style sheet of a picture: light, and dark where the reader's system is."""
    dark = "\n".join(f"  {rule}" for rule in written(colours_of(DARK)))
    return f"{light_style_sheet()}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"


def light_style_sheet() -> str:
    """Writes the style sheet for white paper; the later a rule, the stronger."""
    return "\n".join(written([*SHAPES, *colours_of(LIGHT)]))


def written(rules: Iterable[Rule], parent: str = "") -> Iterator[str]:
    """Writes the rules of a style sheet, for what stands inside an element if it is named."""
    for selector, looks in rules:
        yield f"{parent} {selector} {{ {looks}; }}".lstrip()


def colours_of(scheme: ColourScheme) -> Iterator[Rule]:
    page, text = scheme.page
    yield ".page", f"fill: {page}"
    yield "text", f"fill: {text}"
    yield ".aside", f"fill: {scheme.aside}"
    yield ".inked", "fill: currentColor"
    for name in "QKV":
        yield f".{name}", f"color: {inks_on(scheme)[name]}"
    yield ".halo", f"stroke: {page}"
    for kind in (".axis", ".grid"):
        yield kind, f"stroke: {scheme.aside}"
    yield ".chosen", f"stroke: {scheme.line}; color: {scheme.line}"
    yield ".ribbon", f"stroke: {scheme.line}"
    yield ".link", f"color: {scheme.aside}"
    yield ".box", f"fill: {page}; color: {scheme.aside}"
    yield ".hollow", f"fill: {page}"
    yield ".bar", f"fill: {scheme.line}"
    yield ".bar.below", f"fill: {scheme.below[6].background}"
    for k, ink in enumerate(scheme.inks):
        yield f".ink{k}", f"color: {ink}"
    for sign, shades in (("", scheme.shades), ("-below", scheme.below)):
        for k, shade in enumerate(shades):
            yield f".shade{sign}{k}", f"fill: {shade.background}"
            yield f".on{sign}{k}", f"fill: {shade.text}"
