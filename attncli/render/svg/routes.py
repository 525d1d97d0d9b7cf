"""The ways of a diagram's links: along their lanes, from lane to lane only between levels."""

from __future__ import annotations

from typing import NamedTuple

from attncli.pictures import Link
from attncli.render.svg.elements import Point
from attncli.render.svg.layout import DiagramLayout, Ends, run_of

_NECK = 8.0
"""The line ends so far before its end, inside the arrow's head."""
_ASIDE = 0.7
"""So far towards its corner a box's side holds what goes to another lane."""
_SPOTS = (0.5, 0.35, 0.65, 0.25, 0.75, 0.15, 0.85)
"""Where on its way a link's label may stand, the best place first."""


class Route(NamedTuple):
    """The outline of a link, places for its label, and its last step."""

    outline: str
    spots: tuple[Point, ...]
    before: Point
    end: Point


class _Track:
    """An outline that grows, each step at (along, across) the reading."""

    def __init__(self, layout: DiagramLayout, start: Point) -> None:
        self._layout = layout
        self._now = start
        self._steps = [f"M{self._text(start)}"]

    def straight_to(self, along: float) -> None:
        self._now = (along, self._now[1])
        self._steps.append(f"L{self._text(self._now)}")

    def curve_to(self, end: Point) -> tuple[Point, ...]:
        """Over to another lane; the places on the curve."""
        start, half = self._now, (self._now[0] + end[0]) / 2
        turns = ((half, start[1]), (half, end[1]), end)
        self._steps.append("C" + ", ".join(map(self._text, turns)))
        self._now = end
        return tuple(self._layout.at(*_on_curve(start, end, t)) for t in _SPOTS)

    @property
    def outline(self) -> str:
        return " ".join(self._steps)

    def _text(self, point: Point) -> str:
        x, y = self._layout.at(*point)
        return f"{x:.1f} {y:.1f}"


def _on_curve(start: Point, end: Point, t: float) -> Point:
    """A point of a cubic curve that begins and ends along the reading."""
    half = 3 * t * t * (1 - t)
    other = 3 * t * (1 - t) ** 2
    share = half + t**3
    along = (1 - t) ** 3 * start[0] + (other + half) * (start[0] + end[0]) / 2 + t**3 * end[0]
    return along, start[1] + (end[1] - start[1]) * share


def route_of(layout: DiagramLayout, k: int, link: Link) -> Route:
    """The way of the link at a place in the list."""
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
    return Route(
        way.outline, spots or curved, layout.at(end - 2 * on * _NECK, there), layout.at(end, there)
    )


def _lane_of(layout: DiagramLayout, k: int, ends: Ends) -> float | None:
    """Where a link runs past the levels between its ends; None where there are none."""
    if abs(ends[1][0] - ends[0][0]) <= 1:
        return None
    run = run_of(ends, {*layout.cells.values()})
    return layout.tracks[k] if run is None else layout.lanes[run].middle


def _port(layout: DiagramLayout, name: str, towards: float) -> float:
    """Where a link that leaves a box's lane is fastened: aside, so that the labels of those that
    go straight on don't cover it."""
    middle = layout.lanes[layout.cells[name][1]].middle
    aside = _ASIDE * layout.sizes[name][1 if layout.reads_across else 0] / 2
    return middle + max(-aside, min(aside, towards - middle))


def _within_a_level(layout: DiagramLayout, link: Link) -> Route:
    """From one box straight to one beside it."""
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
    return Route(outline, spots, layout.at(along, end - 2 * on * _NECK), layout.at(along, end))
