"""Where the boxes of a diagram stand: along its reading in levels, across it in lanes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from attncli.pictures import Box, Diagram
from attncli.render.svg.boxes import Rectangle
from attncli.render.svg.elements import Point, text_of, text_width

_PAD, _LINE, _HIGH = 24.0, 20.0, 34.0
_GAP, _BEYOND_LABEL, _BETWEEN, _ROOM = 44.0, 40.0, 22.0, 16.0

Cell = tuple[int, int]
"""A level and a lane, from 0."""
Ends = tuple[Cell, Cell]


class Span(NamedTuple):
    """From here to there, on one axis."""

    start: float
    end: float

    @property
    def middle(self) -> float:
        return (self.start + self.end) / 2


class DiagramLayout(NamedTuple):
    """The levels, the lanes, the boxes' cells and sizes by their ids. A link that would meet boxes
    on its way runs on a track before a lane; `tracks` are these, by the places of the links."""

    reads_across: bool
    levels: Sequence[Span]
    lanes: Sequence[Span]
    cells: Mapping[str, Cell]
    sizes: Mapping[str, Point]
    tracks: Mapping[int, float]

    def box(self, name: str) -> Rectangle:
        level, lane = self.cells[name]
        x, y = self.at(self.levels[level].middle, self.lanes[lane].middle)
        wide, high = self.sizes[name]
        return Rectangle(x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)

    def at(self, along: float, across: float) -> Point:
        return (along, across) if self.reads_across else (across, along)

    def edge(self, level: int, on: int) -> float:
        """Where a level ends, in the direction of the reading (1) or against it (−1)."""
        return self.levels[level].end if on > 0 else self.levels[level].start

    def half(self, name: str) -> float:
        """Half a box's size along the reading."""
        return self.sizes[name][0 if self.reads_across else 1] / 2


class _Plan:
    """A diagram's measures while it is laid out."""

    def __init__(self, block: Diagram) -> None:
        self.across = block.across
        self.cells = _cells(block)
        self.sizes = {one.id: _size(one) for one in block.boxes}
        self.ends = [(self.cells[one.source], self.cells[one.target]) for one in block.links]
        self.labels = [text_width(text_of(one.label)) for one in block.links]
        taken = {*self.cells.values()}
        blocked = [k for k, ends in enumerate(self.ends) if run_of(ends, taken) is None]
        self.places = _places({k: self.ends[k] for k in blocked})

    def layout(self) -> DiagramLayout:
        lanes, tracks = self._lanes()
        return DiagramLayout(self.across, self._levels(), lanes, self.cells, self.sizes, tracks)

    def _levels(self) -> list[Span]:
        """As wide as their boxes, with room for the labels that stand between and upon them."""
        wide = self._extents(0)
        gaps = [_GAP] * len(wide)
        for (start, end), label in zip(self.ends, self.labels, strict=True):
            first, last = sorted((start[0], end[0]))
            size = label if self.across else _LINE * bool(label)
            if last - first == 1:
                gaps[first] = max(gaps[first], size + _BEYOND_LABEL * bool(label))
            for level in range(first + 1, last):
                wide[level] = max(wide[level], size / (last - first - 1))
        spans, start_of = [], 0.0
        for size, gap in zip(wide, gaps, strict=True):
            spans.append(Span(start_of, start_of + size))
            start_of += size + gap
        return spans

    def _lanes(self) -> tuple[list[Span], dict[int, float]]:
        """The lanes, each behind its tracks."""
        labels = (0 if self.across else self.labels[k] + _ROOM for k in self.places)
        pitch = max(_LINE + 6, *labels, 0)
        lanes: list[Span] = []
        tracks: dict[int, float] = {}
        start = 0.0
        for lane, size in enumerate(self._widened(self._extents(1))):
            here = {k: place for k, (of, place) in self.places.items() if of == lane}
            start += pitch * (max(here.values()) + 1) if here else 0.0
            tracks |= {k: start - pitch * (place + 0.5) for k, place in here.items()}
            lanes.append(Span(start, start + size))
            start += size + _BETWEEN
        return lanes, tracks

    def _widened(self, sizes: list[float]) -> list[float]:
        """Lanes of a diagram that goes down have room for the labels of their links."""
        if self.across:
            return sizes
        for k, (ends, label) in enumerate(zip(self.ends, self.labels, strict=True)):
            if k not in self.places:
                for _, lane in ends:
                    sizes[lane] = max(sizes[lane], label)
        return sizes

    def _extents(self, of: int) -> list[float]:
        """How large the boxes are that stand in each level (0) or lane (1)."""
        axis = of if self.across else 1 - of
        found = [0.0] * (max(cell[of] for cell in self.cells.values()) + 1)
        for name, cell in self.cells.items():
            found[cell[of]] = max(found[cell[of]], self.sizes[name][axis])
        return found


def layout_of(block: Diagram) -> DiagramLayout:
    return _Plan(block).layout()


def run_of(ends: Ends, taken: set[Cell]) -> int | None:
    """The lane in which a link runs past other levels, without meeting a box; None if in none."""
    (level, lane), (to_level, to_lane) = ends
    first, last = sorted((level, to_level))
    between = range(first + 1, last)
    for one in (lane, to_lane):
        if not any((k, one) in taken for k in between):
            return one
    return None


def _cells(block: Diagram) -> dict[str, Cell]:
    """Columns and rows counted without those that nothing stands in."""
    columns = sorted({one.column for one in block.boxes})
    rows = sorted({one.row for one in block.boxes})
    places = {one.id: (columns.index(one.column), rows.index(one.row)) for one in block.boxes}
    return places if block.across else {name: (b, a) for name, (a, b) in places.items()}


def _size(box: Box) -> Point:
    wide = max(text_width(text_of(box.label)), text_width(text_of(box.below)))
    return wide + _PAD, _HIGH + (_LINE - 2 if box.below else 0)


def _places(links: Mapping[int, Ends]) -> dict[int, tuple[int, int]]:
    """The lane before which each link runs, and on which of its tracks, from the nearest."""
    found: dict[int, tuple[int, int]] = {}
    used: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for k, ends in sorted(links.items(), key=lambda one: abs(one[1][1][0] - one[1][0][0])):
        (level, lane), (to_level, to_lane) = ends
        first, last = sorted((level, to_level))
        of, place = max(lane, to_lane), 0
        while any(first < b and a < last for a, b in used.get((of, place), ())):
            place += 1
        used.setdefault((of, place), []).append((first, last))
        found[k] = (of, place)
    return found
