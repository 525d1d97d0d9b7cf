"""Boxes in columns and rows with arrows between them: what flows where, paths, trees.

The boxes stand along the reading in levels, across it in lanes; links go along their lanes, and
from lane to lane only between levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from attncli.document.pictures import Box, Diagram, Link
from attncli.formats.svg.elements import (
    Picture,
    Point,
    Rectangle,
    around,
    element,
    head_at,
    plate,
    shifted,
    text_at,
    text_box,
    text_width,
    with_room,
)
from attncli.maths.notation.escaping import printed

_PAD, _LOW, _HIGH = 24.0, 20.0, 34.0
_GAP, _BETWEEN, _ROOM = 44.0, 22.0, 16.0
_BESIDE_LABEL, _ABOVE_LABEL = 40.0, 28.0
"""The line that is seen of a link with a label, with its head: across, and down."""
_STAGGERED = 0.65
"""The part of a label's width that tracks which go down are apart."""

Cell = tuple[int, int]
"""A level and a lane, from 0."""
Ends = tuple[Cell, Cell]


class Span(NamedTuple):
    """A stretch of one axis, from its start to its end."""

    start: float
    end: float

    @property
    def middle(self) -> float:
        return (self.start + self.end) / 2


class DiagramLayout(NamedTuple):
    """A diagram's layout: where its boxes stand, and where its links run."""

    reads_across: bool
    """Whether it is read across, not down."""
    levels: Sequence[Span]
    """The levels, along the reading."""
    lanes: Sequence[Span]
    """The lanes, across the reading."""
    cells: Mapping[str, Cell]
    """The boxes' cells, by their ids."""
    sizes: Mapping[str, Point]
    """The boxes' sizes, by their ids."""
    tracks: Mapping[int, float]
    """The tracks before a lane on which links run that would meet boxes on their way, by the places
    of the links."""

    def box(self, name: str) -> Rectangle:
        level, lane = self.cells[name]
        x, y = self.at(self.levels[level].middle, self.lanes[lane].middle)
        wide, high = self.sizes[name]
        return Rectangle(x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)

    def at(self, along: float, across: float) -> Point:
        return (along, across) if self.reads_across else (across, along)

    def edge(self, level: int, on: int) -> float:
        """Returns where a level ends, in the direction of the reading (1) or against it (−1)."""
        return self.levels[level].end if on > 0 else self.levels[level].start

    def half(self, name: str) -> float:
        """Returns half a box's size along the reading."""
        return self.sizes[name][0 if self.reads_across else 1] / 2


class _Plan:
    """A diagram's measures while it is laid out."""

    def __init__(self, block: Diagram) -> None:
        self.across = block.across
        self.cells = _cells(block)
        self.sizes = {box.id: _size(box) for box in block.boxes}
        self.ends = [(self.cells[link.source], self.cells[link.target]) for link in block.links]
        self.labels = [text_width(printed(link.label)) for link in block.links]
        taken = {*self.cells.values()}
        blocked = [k for k, ends in enumerate(self.ends) if run_of(ends, taken) is None]
        self.places = _places({k: self.ends[k] for k in blocked})

    def layout(self) -> DiagramLayout:
        lanes, tracks = self._lanes()
        return DiagramLayout(self.across, self._levels(), lanes, self.cells, self.sizes, tracks)

    def _levels(self) -> list[Span]:
        """Lays out the levels: as wide as their boxes, with room for the labels that stand between
        and upon them."""
        wide = self._extents(0)
        gaps = [_GAP] * len(wide)
        for (start, end), label in zip(self.ends, self.labels, strict=True):
            first, last = sorted((start[0], end[0]))
            size = label if self.across else _LOW * bool(label)
            if last == first:
                wide[first] = max(wide[first], size)
            elif last - first == 1:
                seen = _BESIDE_LABEL if self.across else _ABOVE_LABEL
                gaps[first] = max(gaps[first], size + seen * bool(label))
            for level in range(first + 1, last):
                wide[level] = max(wide[level], size / (last - first - 1))
        spans, start_of = [], 0.0
        for size, gap in zip(wide, gaps, strict=True):
            spans.append(Span(start_of, start_of + size))
            start_of += size + gap
        return spans

    def _lanes(self) -> tuple[list[Span], dict[int, float]]:
        """Lays out the lanes, each behind its tracks; the tracks by the places of their links."""
        labels = (0 if self.across else self.labels[k] + _ROOM for k in self.places)
        pitch = max(_LOW + 6, *labels, 0)
        step = pitch if self.across else pitch * _STAGGERED
        lanes: list[Span] = []
        tracks: dict[int, float] = {}
        beside = any(
            a[0] == b[0] and label for (a, b), label in zip(self.ends, self.labels, strict=True)
        )
        extents = self._widened(self._extents(1))
        gaps = [_GAP if beside else _BETWEEN] * len(extents)
        for (a, b), label in zip(self.ends, self.labels, strict=True):
            if a[0] == b[0] and label and not self.across:
                gaps[min(a[1], b[1])] = max(gaps[min(a[1], b[1])], label + _BESIDE_LABEL)
        start = 0.0
        for lane, size in enumerate(extents):
            here = {k: place for k, (of, place) in self.places.items() if of == lane}
            start += pitch + step * max(here.values()) if here else 0.0
            tracks |= {k: start - pitch / 2 - step * place for k, place in here.items()}
            lanes.append(Span(start, start + size))
            start += size + gaps[lane]
        return lanes, tracks

    def _widened(self, sizes: list[float]) -> list[float]:
        """Returns the sizes of lanes; those of a diagram that goes down have room for the labels of
        their links."""
        if self.across:
            return sizes
        for k, (ends, label) in enumerate(zip(self.ends, self.labels, strict=True)):
            if k not in self.places and ends[0][0] != ends[1][0]:
                for _, lane in ends:
                    sizes[lane] = max(sizes[lane], label)
        return sizes

    def _extents(self, of: int) -> list[float]:
        """Measures how large the boxes are that stand in each level (0) or lane (1)."""
        axis = of if self.across else 1 - of
        found = [0.0] * (max(cell[of] for cell in self.cells.values()) + 1)
        for name, cell in self.cells.items():
            found[cell[of]] = max(found[cell[of]], self.sizes[name][axis])
        return found


def layout_of(block: Diagram) -> DiagramLayout:
    return _Plan(block).layout()


def run_of(ends: Ends, taken: set[Cell]) -> int | None:
    """Finds the lane in which a link runs past other levels, without meeting a box; None if in
    none."""
    (level, lane), (to_level, to_lane) = ends
    first, last = sorted((level, to_level))
    between = range(first + 1, last)
    for index in (lane, to_lane):
        if not any((k, index) in taken for k in between):
            return index
    return None


def _cells(block: Diagram) -> dict[str, Cell]:
    """Counts columns and rows without those that nothing stands in; returns each box's level and
    lane."""
    columns = sorted({box.column for box in block.boxes})
    rows = sorted({box.row for box in block.boxes})
    places = {box.id: (columns.index(box.column), rows.index(box.row)) for box in block.boxes}
    return places if block.across else {name: (b, a) for name, (a, b) in places.items()}


def _size(box: Box) -> Point:
    wide = max(text_width(printed(box.label)), text_width(printed(box.below)))
    return wide + _PAD, _HIGH + (_LOW - 2 if box.below else 0)


def _places(links: Mapping[int, Ends]) -> dict[int, tuple[int, int]]:
    """Finds the lane before which each link runs, and on which of its tracks, from the nearest."""
    found: dict[int, tuple[int, int]] = {}
    used: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for k, ends in sorted(links.items(), key=lambda pairs: abs(pairs[1][1][0] - pairs[1][0][0])):
        (level, lane), (to_level, to_lane) = ends
        first, last = sorted((level, to_level))
        of, place = max(lane, to_lane), 0
        while any(first < b and a < last for a, b in used.get((of, place), ())):
            place += 1
        used.setdefault((of, place), []).append((first, last))
        found[k] = (of, place)
    return found


_NECK = 8.0
"""The line ends so far before its end, inside the arrow's head."""
_ASIDE = 0.7
"""So far towards its corner a box's side holds what goes to another lane."""
_SPOTS = (0.5, 0.35, 0.65, 0.25, 0.75, 0.15, 0.85)
"""Where on its way a link's label may stand, the best place first."""


class Route(NamedTuple):
    """A link's way through a diagram."""

    outline: str
    """Its outline."""
    spots: tuple[Point, ...]
    """Places for its label."""
    curves: tuple[Point, ...]
    """Points of its curves."""
    before: Point
    """Where its last step begins."""
    end: Point
    """Where it ends."""


class _Track:
    """An outline that grows, each step at (along, across) the reading."""

    def __init__(self, layout: DiagramLayout, start: Point) -> None:
        self._layout = layout
        self._now = start
        self._steps = [f"M{self._text(start)}"]
        self.curves: list[Point] = []

    def straight_to(self, along: float) -> None:
        self._now = (along, self._now[1])
        self._steps.append(f"L{self._text(self._now)}")

    def curve_to(self, end: Point) -> tuple[Point, ...]:
        """Curves over to another lane; returns the places for a label on the curve."""
        start, half = self._now, (self._now[0] + end[0]) / 2
        turns = ((half, start[1]), (half, end[1]), end)
        self._steps.append("C" + ", ".join(map(self._text, turns)))
        self._now = end
        if start[1] != end[1]:
            self.curves += (self._layout.at(*_on_curve(start, end, k / 24)) for k in range(25))
        return tuple(self._layout.at(*_on_curve(start, end, t)) for t in _SPOTS)

    @property
    def outline(self) -> str:
        return " ".join(self._steps)

    def _text(self, point: Point) -> str:
        x, y = self._layout.at(*point)
        return f"{x:.1f} {y:.1f}"


def _on_curve(start: Point, end: Point, t: float) -> Point:
    """Computes a point of a cubic curve that begins and ends along the reading."""
    half = 3 * t * t * (1 - t)
    other = 3 * t * (1 - t) ** 2
    share = half + t**3
    along = (1 - t) ** 3 * start[0] + (other + half) * (start[0] + end[0]) / 2 + t**3 * end[0]
    return along, start[1] + (end[1] - start[1]) * share


def route_of(layout: DiagramLayout, k: int, link: Link) -> Route:
    """Finds the way of the link at a place in the list."""
    source, target = layout.cells[link.source], layout.cells[link.target]
    if source[0] == target[0]:
        return _within_a_level(layout, link)
    on = 1 if target[0] > source[0] else -1
    start = layout.levels[source[0]].middle + on * layout.half(link.source)
    end = layout.levels[target[0]].middle - on * layout.half(link.target)
    lane = _lane_of(layout, k, (source, target))
    here = _port(layout, link.source, layout.lanes[target[1]].middle if lane is None else lane)
    there = _port(layout, link.target, layout.lanes[source[1]].middle if lane is None else lane)
    way = _Track(layout, (start, here))
    way.straight_to(layout.edge(source[0], on))
    spots: tuple[Point, ...] = ()
    if lane is not None:
        first, last = layout.edge(source[0] + on, -on), layout.edge(target[0] - on, on)
        way.curve_to((first, lane))
        way.straight_to(last)
        spots = tuple(layout.at(first + (last - first) * t, lane) for t in _SPOTS)
    curved = way.curve_to((layout.edge(target[0], -on), there))
    way.straight_to(end - on * _NECK)
    before, at_end = layout.at(end - 2 * on * _NECK, there), layout.at(end, there)
    return Route(way.outline, spots or curved, tuple(way.curves), before, at_end)


def _lane_of(layout: DiagramLayout, k: int, ends: Ends) -> float | None:
    """Finds where a link runs past the levels between its ends; None where there are none."""
    if abs(ends[1][0] - ends[0][0]) <= 1:
        return None
    run = run_of(ends, {*layout.cells.values()})
    return layout.tracks[k] if run is None else layout.lanes[run].middle


def _port(layout: DiagramLayout, name: str, towards: float) -> float:
    """Finds where a link that leaves a box's lane is fastened: aside, so that the labels of those
    that go straight on don't cover it."""
    middle = layout.lanes[layout.cells[name][1]].middle
    aside = _ASIDE * layout.sizes[name][1 if layout.reads_across else 0] / 2
    return middle + max(-aside, min(aside, towards - middle))


def _within_a_level(layout: DiagramLayout, link: Link) -> Route:
    """Finds the way of a link from one box straight to one beside it."""
    level, lane = layout.cells[link.source]
    on = 1 if layout.cells[link.target][1] > lane else -1
    along = layout.levels[level].middle
    side = 1 if layout.reads_across else 0
    start = layout.lanes[lane].middle + on * layout.sizes[link.source][side] / 2
    there = layout.lanes[layout.cells[link.target][1]].middle
    end = there - on * layout.sizes[link.target][side] / 2
    points = (layout.at(along, start), layout.at(along, end - on * _NECK))
    outline = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    spots = tuple(layout.at(along, start + (end - start) * t) for t in _SPOTS)
    return Route(outline, spots, (), layout.at(along, end - 2 * on * _NECK), layout.at(along, end))


_WIDEST, _BORDER, _ROUND, _LINE, _APART = 1100, 2.0, 6, 19, 8.0


def diagram(block: Diagram) -> Picture:
    """Draws the diagram; one that is too wide across goes down instead, what stood below at the
    left."""
    drawn = _drawn(block)
    if not block.across or drawn.size[0] <= _WIDEST:
        return drawn
    boxes = tuple(box._replace(column=-box.row, row=box.column) for box in block.boxes)
    turned = _drawn(block._replace(across=False, boxes=boxes))
    return turned if turned.size[0] < drawn.size[0] else drawn


def _drawn(block: Diagram) -> Picture:
    layout = layout_of(block)
    boxes = {entry.id: layout.box(entry.id) for entry in block.boxes}
    routes = [route_of(layout, k, link) for k, link in enumerate(block.links)]
    labels = _labels(block.links, routes, [*boxes.values()])
    order = sorted(range(len(routes)), key=lambda k: block.links[k].chosen)
    frames = _frames(block, boxes, routes)
    elements = (
        *(part for name, box in frames.items() for part in _frame(name, box)),
        *(part for k in order for part in _link(routes[k], chosen=block.links[k].chosen)),
        *(part for entry in block.boxes for part in _box(entry, boxes[entry.id])),
        *(part for link, box in labels for part in _label(link, box)),
    )
    tracks = (Rectangle(*route.spots[0], *route.spots[0]) for route in routes)
    named = (
        box._replace(right=box.right + _FRAMED + text_width(name)) for name, box in frames.items()
    )
    whole = around([*boxes.values(), *(box for _, box in labels), *tracks, *named])
    size = (whole.right - whole.left + 2 * _BORDER, whole.bottom - whole.top + 2 * _BORDER)
    inside = shifted(Picture("", (), size, elements), _BORDER - whole.left, _BORDER - whole.top)
    return Picture(printed(block.title), (_in_words(block),), size, (inside,))


_FRAMED = 14.0
"""The room between a frame and what is in it."""


def _frames(
    block: Diagram, boxes: Mapping[str, Rectangle], routes: Sequence[Route]
) -> Mapping[str, Rectangle]:
    """Measures what is around the boxes of each frame and the links between them."""
    inside: dict[str, list[Rectangle]] = {}
    of = {box.id: box.frame for box in block.boxes if box.frame}
    for name, frame in of.items():
        inside.setdefault(frame, []).append(boxes[name])
    for link, route in zip(block.links, routes, strict=True):
        if of.get(link.source) == of.get(link.target, ""):
            label = text_box(printed(link.label), route.spots[0])
            inside[of[link.source]].append(label)
    room = _FRAMED
    return {
        frame: Rectangle(r.left - room, r.top - room, r.right + room, r.bottom + room)
        for frame, r in ((frame, around(its)) for frame, its in inside.items())
    }


def _frame(name: str, frame: Rectangle) -> Iterator[str]:
    wide, high = frame.right - frame.left, frame.bottom - frame.top
    yield element(
        "rect", x=frame.left, y=frame.top, width=wide, height=high, rx=_ROUND, class_="box frame"
    )
    yield text_at(frame.right + _FRAMED / 2, frame.middle[1], name, "most")


def _labels(
    links: Sequence[Link], routes: Sequence[Route], boxes: Sequence[Rectangle]
) -> list[tuple[Link, Rectangle]]:
    """Finds a place for each label on its link, where none stands upon another or a box, and few
    curves are hidden."""
    taken, curves = [*boxes], sorted(point for route in routes for point in route.curves)
    found = []
    for link, route in zip(links, routes, strict=True):
        text = printed(link.label)
        if text:
            box = with_room(text, route.spots, taken, curves)
            taken.append(box.wider(_APART))
            found.append((link, box))
    return found


def _link(route: Route, *, chosen: bool) -> Iterator[str]:
    kind = "chosen" if chosen else "link"
    yield element("path", d=route.outline, class_=f"way {kind}")
    yield head_at(route.before, route.end, f"head {kind}")


def _label(link: Link, box: Rectangle) -> Iterator[str]:
    """Draws the label, with nothing of the line below it."""
    yield plate(*box.middle, printed(link.label))
    kind = "middle most" if link.chosen else "middle"
    yield text_at(*box.middle, printed(link.label), kind)


def _box(box: Box, place: Rectangle) -> Iterator[str]:
    """Draws a box, its label, and what stands below that; of a section all of it as one, by which a
    page leads there."""
    drawn = _drawn_box(box, place)
    yield from (element("g", drawn, data_step=box.section),) if box.section else drawn


def _drawn_box(box: Box, place: Rectangle) -> Iterator[str]:
    wide, high = place.right - place.left, place.bottom - place.top
    kind = "box chosen" if box.chosen else "box"
    yield element(
        "rect", x=place.left, y=place.top, width=wide, height=high, rx=_ROUND, class_=kind
    )
    x, y = place.middle
    y -= _LINE / 2 if box.below else 0
    yield text_at(x, y, printed(box.label), "middle most" if box.chosen else "middle")
    if box.below:
        yield text_at(x, y + _LINE, printed(box.below), "middle aside")


def _in_words(block: Diagram) -> str:
    """Tells each box, and each link, in words."""
    names = {box.id: printed(box.label) for box in block.boxes}
    boxes = (f"{printed(box.label)} {printed(box.below)}".strip() for box in block.boxes)
    links = (
        f"{names[link.source]} → {names[link.target]}"
        + (f": {printed(link.label)}" if link.label else "")
        + (" (chosen)" if link.chosen else "")
        for link in block.links
    )
    return f"{'; '.join(boxes)}. {'; '.join(links)}.".replace(" .", "")
