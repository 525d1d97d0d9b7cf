"""Vectors of two dimensions as arrows, both axes of one scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import atan2, cos, dist, hypot, pi, sin
from operator import itemgetter
from typing import NamedTuple

from attncli.document.pictures import Arrow, ArrowGroup, Plane
from attncli.formats.svg.curves import look_of
from attncli.formats.svg.elements import (
    NOBODY,
    Askable,
    DrawnAxis,
    Picture,
    Point,
    Rectangle,
    Told,
    around,
    arrow_to,
    axis_of,
    element,
    joined,
    label_text,
    line,
    naming,
    path,
    sentence,
    shifted,
    showing_all,
    text_at,
    text_box,
    text_width,
    with_room,
    within_limits,
)
from attncli.maths.equations.tree import Number
from attncli.maths.notation.columns import bands
from attncli.maths.notation.escaping import printed

_SIDE, _LONGEST = 340.0, 560.0
"""The longer side of the plane; how long it may get where it is low."""
_LOWEST = 150.0
_PAD, _LINE, _SAMPLE, _DOT = 12, 24, 34, 4
_AWAY = (12.0, 18.0, 26.0, 38.0, 52.0, 70.0, 90.0, 120.0)
_TURNS = (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8)
"""Where a label is tried: on the arrow's way, and turned from it by sixteenths of a circle."""
_NEAR, _FAR = 9.0, 15.0
"""Heads so near to each other have one label; one that stands so far from its head has a line."""


class _Axes(NamedTuple):
    """A pair of axes, and the size of a unit, which is the same on both."""

    x: DrawnAxis
    y: DrawnAxis
    unit: float

    def at(self, x: float, y: float) -> Point:
        return (x - self.x.low) * self.unit, (self.y.high - y) * self.unit

    @property
    def frame(self) -> Rectangle:
        return Rectangle(0, 0, *self.at(self.x.high, self.y.low))


class _Drawn(NamedTuple):
    """An arrow in the picture."""

    label: str
    start: Point
    end: Point
    kind: str
    numbers: tuple[Number, ...]
    """The numbers of its end, and of its start unless that is the origin."""

    @property
    def way(self) -> list[Point]:
        """Lists some points of the arrow."""
        (x, y), (to_x, to_y) = self.start, self.end
        return [(x + (to_x - x) * k / 24, y + (to_y - y) * k / 24) for k in range(25)]


def plane(block: Plane, asked: Askable = NOBODY) -> Picture:
    """Draws the arrows with their labels at their heads, and below what the kinds of arrows are."""
    axes = _axes(block)
    arrows = [*_arrows(block, axes)]
    ticks = [*_ticks(axes)]
    labels = _labels(arrows, [box for _, box in ticks])
    elements = (
        *_lines(axes),
        *(_text(text, box, "middle aside") for text, box in ticks),
        *(_arrow(arrow, axes, asked) for arrow in arrows),
        *(part for arrow, box in labels for part in _label(arrow, box, asked)),
    )
    names = [group.name for group in block.groups]
    boxes = [axes.frame, *(box for _, box in ticks), *(box for _, box in labels)]
    drawn = _cut_to(around(boxes), elements, printed(block.title))
    below = _kinds(block.groups, max(drawn.size[0], _SIDE)) if any(names) else None
    return _above(drawn._replace(description=_in_words(block)), below)


def _axes(block: Plane) -> _Axes:
    ends = [
        end for arrow in _all(block) for end in (arrow.end, arrow.start) if end and _finite(end)
    ]
    numbers = [[float(end[side].shown) for end in ends] for side in (0, 1)]
    most = max(max([0.0, *them]) - min([0.0, *them]) for them in numbers) or 1.0
    x, y = (axis_of(them, spread=most) for them in numbers)
    sides = sorted((x.high - x.low, y.high - y.low))
    unit = min(max(_SIDE / sides[1], _LOWEST / sides[0]), _LONGEST / sides[1])
    return _Axes(x, y, unit)


def _all(block: Plane) -> list[Arrow]:
    return [arrow for group in block.groups for arrow in group.arrows]


def _finite(end: tuple[Number, Number]) -> bool:
    return all(n.shown.is_finite() for n in end)


def _arrows(block: Plane, axes: _Axes) -> Iterator[_Drawn]:
    """Yields all arrows that have an end."""
    for k, group in enumerate(block.groups):
        kind = look_of(k, group.ink)
        for arrow in group.arrows:
            start = arrow.start
            if _finite(arrow.end) and (start is None or _finite(start)):
                label = label_text(arrow.label)
                ends = _point(axes, start), _point(axes, arrow.end)
                yield _Drawn(label, *ends, kind, (*arrow.end, *(start or ())))


def _point(axes: _Axes, end: tuple[Number, Number] | None) -> Point:
    return axes.at(0, 0) if end is None else axes.at(float(end[0].shown), float(end[1].shown))


def _lines(axes: _Axes) -> Iterator[str]:
    """Draws a quiet grid, and the axes through the origin."""
    for number, _ in axes.x.ticks:
        ends = axes.at(number, axes.y.low), axes.at(number, axes.y.high)
        yield line(*ends, "axis" if number == 0 else "grid")
    for number, _ in axes.y.ticks:
        ends = axes.at(axes.x.low, number), axes.at(axes.x.high, number)
        yield line(*ends, "axis" if number == 0 else "grid")


def _ticks(axes: _Axes) -> Iterator[tuple[str, Rectangle]]:
    """Yields the numbers at the axes, at the frame's lower and left edge, each with its place."""
    low = axes.frame.bottom + 1.6 * _PAD  # below the number of the left edge
    end = float("-inf")
    for number, text in axes.x.ticks:
        box = text_box(text, (axes.at(number, 0)[0], low))
        if box.left > end:
            yield text, box
            end = box.right + _PAD
    for number, text in axes.y.ticks:
        yield text, text_box(text, (-_PAD - text_width(text) / 2, axes.at(0, number)[1]))


def _labels(arrows: Sequence[_Drawn], ticks: Sequence[Rectangle]) -> list[tuple[_Drawn, Rectangle]]:
    """Finds a place for each label near its arrow's head, on no other and if possible on no
    arrow."""
    heads = [Rectangle(x - 5, y - 5, x + 5, y + 5) for x, y in (arrow.end for arrow in arrows)]
    taken = [*(box.wider(_DOT) for box in ticks), *heads]
    lines = sorted(point for arrow in arrows for point in arrow.way)
    found = []
    for arrow in _together(arrows):
        box = with_room(arrow.label, _places(arrow), taken, lines)
        taken.append(box)
        found.append((arrow, box))
    return found


def _together(arrows: Sequence[_Drawn]) -> list[_Drawn]:
    """Lists the arrows that have a label; of those of a kind that end at nearly the same place, the
    first has the labels of all."""
    found: list[_Drawn] = []
    for arrow in arrows:
        near = (
            k
            for k, other in enumerate(found)
            if other.kind == arrow.kind and dist(other.end, arrow.end) < _NEAR
        )
        k = next(near, None)
        if k is not None:
            both = (*found[k].numbers, *arrow.numbers)
            found[k] = found[k]._replace(label=f"{found[k].label}, {arrow.label}", numbers=both)
        elif arrow.label:
            found.append(arrow)
    return found


def _label(arrow: _Drawn, box: Rectangle, asked: Askable) -> Iterator[str]:
    """Draws the label, with a line to its arrow's head if that is far off. Both are of the numbers
    of all arrows that end there, and move along with them."""
    ink = arrow.kind.split()[0]
    edge, cells = box.nearest(arrow.end), naming(arrow.numbers, asked)
    if dist(edge, arrow.end) > _FAR:
        yield path([arrow.end, edge], f"leader {ink}", **cells)
    x, y = box.middle
    yield text_at(x, y, arrow.label, f"middle halo inked {ink}", **cells)


def _places(arrow: _Drawn) -> Iterator[Point]:
    """Yields where an arrow's label may stand, the nearest to its head first."""
    (x, y), (to_x, to_y) = arrow.start, arrow.end
    on = atan2(to_y - y, to_x - x) if hypot(to_x - x, to_y - y) else -pi / 4
    half = text_width(arrow.label) / 2
    for away, turn in product(_AWAY, _TURNS):
        across, down = cos(on + turn * pi / 8), sin(on + turn * pi / 8)
        yield to_x + across * (away + half), to_y + down * away


def _arrow(drawn: _Drawn, axes: _Axes, asked: Askable) -> str:
    """Draws an arrow, whose scale is where the origin is, the size of a unit, and how far the plane
    goes; a dot for a vector without length."""
    (x, y), frame = axes.at(0, 0), axes.frame
    scale = (x, y, axes.unit, frame.right, frame.bottom, *drawn.end)
    shows = showing_all(drawn.numbers, asked, "arrow", (), *scale)
    if drawn.start == drawn.end:
        inside = element(
            "circle", cx=drawn.end[0], cy=drawn.end[1], r=_DOT, class_=f"head {drawn.kind}"
        )
    else:
        inside = arrow_to(drawn.start, drawn.end, f"vector {drawn.kind}")
    return element("g", inside, **shows) if shows else inside


def _text(text: str, box: Rectangle, kind: str) -> str:
    return text_at(*box.middle, text, kind)


def _cut_to(box: Rectangle, elements: Sequence[str], title: str) -> Picture:
    """Returns a picture of what is in the rectangle."""
    inside = Picture("", (), (0, 0), tuple(elements))
    size = (box.right - box.left, box.bottom - box.top)
    return Picture(title, "", size, (shifted(inside, -box.left, -box.top),))


def _kinds(groups: Sequence[ArrowGroup], wide: float) -> Picture:
    """Draws a sample of each kind of arrow with its name."""
    kinds = ((printed(group.name), look_of(k, group.ink)) for k, group in enumerate(groups))
    named = [(name, look, _SAMPLE + text_width(name) + 2 * _PAD) for name, look in kinds if name]
    rows = bands(named, itemgetter(2), max(wide, *(size for *_, size in named)), 0)
    elements, ends = [], []
    for i, row in enumerate(rows):
        x, y = 0.0, _LINE * (i + 0.5)
        for name, look, size in row:
            elements.append(arrow_to((x, y), (x + _SAMPLE - 6, y), f"vector {look}"))
            elements.append(text_at(x + _SAMPLE, y, name))
            x += size
        ends.append(x)
    return Picture("", (), (max(ends), _LINE * len(rows)), tuple(elements))


def _above(upper: Picture, lower: Picture | None) -> Picture:
    """Sets a picture above another one, if there is one."""
    if lower is None:
        return upper
    high = upper.size[1] + _PAD
    size = (max(upper.size[0], lower.size[0]), high + lower.size[1])
    elements = (*upper.elements, shifted(lower, 0, high))
    return upper._replace(size=size, elements=elements)


def _in_words(block: Plane) -> Told:
    return within_limits(
        [sentence(printed(group.name), [*map(_vector, group.arrows)]) for group in block.groups]
    )


def _vector(arrow: Arrow) -> Told:
    x, y = arrow.end
    start = (" from (", *joined([(n,) for n in arrow.start], ", "), ")") if arrow.start else ()
    return (f"{printed(arrow.label)} (", x, ", ", y, ")", *start)
