"""Numbers along an axis as curves with named ends; and sizes as bars with numbers at theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attncli.document.pictures import Bars, Curves, Series
from attncli.formats.numbers import text_of as number_text
from attncli.formats.svg.elements import (
    NOBODY,
    PHONE,
    Askable,
    DrawnAxis,
    Picture,
    Point,
    asking,
    axis_of,
    element,
    in_rows,
    label_text,
    line,
    logarithmic_axis,
    number_at,
    path,
    series_in_words,
    showing,
    text_at,
    text_width,
    widest,
)
from attncli.maths.equations.tree import Number
from attncli.maths.notation.columns import bands
from attncli.maths.notation.escaping import printed

_HEIGHT, _LEAST_WIDE, _MOST_WIDE = 240.0, 300.0, 640.0
_STEP, _LINE, _PAD, _LEADER = 56, 18, 10, 44
_TOP = 12
INKS, DASHES = 6, 4
"""So many inks and kinds of dashes there are: no two of twelve curves look alike."""
_MARK = 4.0


class _Plot(NamedTuple):
    """A place where numbers are drawn."""

    axis: DrawnAxis
    """The axis of their heights."""
    left: float
    """Where it begins at the left."""
    wide: float
    """How wide it is."""
    high: float
    """How high it is."""
    many: int
    """How many labels it has."""

    def x(self, k: int) -> float:
        """Returns where the numbers of a label stand; one alone is in the middle."""
        return self.left + self.wide * (k / (self.many - 1) if self.many > 1 else 0.5)

    def y(self, number: float) -> float | None:
        share = self.axis.share(number)
        return None if share is None else _TOP + self.high * (1 - share)

    def points(self, series: Series) -> list[Point | None]:
        """Returns a point for each number; None where it has no place."""
        heights = [self.y(float(n.shown)) for n in series.numbers]
        return [None if y is None else (self.x(k), y) for k, y in enumerate(heights)]


def curves(block: Curves, asked: Askable = NOBODY) -> Picture:
    """Draws the curves, ticks at the left, labels below, the name of each curve at its end."""
    plot = _plot(block)
    texts = [printed(label) for label in block.labels]
    names = widest(printed(s.name) for s in block.series)
    elements = [
        *_ticks(plot),
        *_labels(plot, texts, printed(block.axis)),
        *_series(plot, block.series, asked),
    ]
    below = plot.left + plot.wide / 2 + text_width(block.axis) / 2
    wide = max(plot.left + plot.wide + _LEADER + names, below)
    size = (wide, _TOP + plot.high + 2 * _LINE + (_LINE if block.axis else 0))
    told = series_in_words(block.series, texts)
    return Picture(printed(block.title), told, size, tuple(elements))


def _plot(block: Curves) -> _Plot:
    numbers = [float(n.shown) for s in block.series for n in s.numbers if n.shown.is_finite()]
    axis = logarithmic_axis(numbers) if block.logarithmic else axis_of(numbers)
    first = text_width(printed(block.labels[0])) / 2
    left = max(widest(text for _, text in axis.ticks) + _PAD, first)
    left = max(left, text_width(block.axis) / 2 - _LEAST_WIDE / 2)
    wide = min(max(_LEAST_WIDE, _STEP * len(block.labels)), _MOST_WIDE)
    high = max(_HEIGHT, _LINE * (len(block.series) + 1))
    return _Plot(axis, left, wide, high, len(block.labels))


def _ticks(plot: _Plot) -> Iterator[str]:
    """Draws quiet lines across, 0 a little less so."""
    for number, text in plot.axis.ticks:
        y = plot.y(number)
        assert y is not None
        kind = "axis" if number == 0 else "grid"
        yield line((plot.left, y), (plot.left + plot.wide, y), kind)
        yield text_at(plot.left - _PAD, y, text, "end aside")


def _labels(plot: _Plot, texts: Sequence[str], axis: str) -> Iterator[str]:
    """Draws the labels below, as many as fit."""
    room = plot.wide / max(1, len(texts) - 1)
    every = 1
    while every * room < widest(texts[::every]) + _PAD and every < len(texts):
        every += 1
    y = _TOP + plot.high + _LINE
    for k in range(0, len(texts), every):
        yield text_at(plot.x(k), y, texts[k], "middle aside")
    if axis:
        yield text_at(plot.left + plot.wide / 2, y + _LINE + 4, axis, "middle aside")


def _series(plot: _Plot, all_series: Sequence[Series], asked: Askable) -> Iterator[str]:
    """Draws the curves, each with its points and its name: all that moves with its numbers."""
    names = _names(plot, all_series)
    for k, series in enumerate(all_series):
        drawn = [*_curve(plot, k, series, asked), *names[k]]
        yield element("g", drawn) if asked.changing else "\n".join(drawn)


def _curve(plot: _Plot, k: int, series: Series, asked: Askable) -> Iterator[str]:
    """Draws a series' line, which is broken where a number has no place, and its points."""
    points = plot.points(series)
    for run in _runs(points):
        yield path(run, f"curve {look_of(k)}")
    for point, number in zip(points, series.numbers, strict=True):
        if point:
            yield _mark(k, point, number, plot, asked)


def look_of(k: int, ink: str = "") -> str:
    """Returns how the k-th line is drawn, one with an ink of its own in that."""
    return f"{ink or f'ink{k % INKS}'} dash{k % DASHES}"


def _runs(points: Sequence[Point | None]) -> Iterator[list[Point]]:
    run: list[Point] = []
    for point in (*points, None):
        if point:
            run.append(point)
        elif run:
            if len(run) > 1:
                yield run
            run = []


def _mark(k: int, point: Point, number: Number, plot: _Plot, asked: Askable) -> str:
    """Draws a point, by which its curve is known without its colour, too: round, square, on its
    tip. Its scale is where the axis begins and ends, by its height and by its numbers, and whether
    that is logarithmic."""
    x, y = point
    text = element("title", number_text(number))
    kind = f"point ink{k % INKS}" + (" hollow" if k % 2 else "")
    axis = plot.axis
    scale = (_TOP + plot.high, _TOP, axis.low, axis.high, axis.logarithmic)
    more = {**asking(number, asked), **showing(number, asked, "point", (), *scale)}
    if k % 3 == 0:
        return element("circle", text, cx=x, cy=y, r=_MARK, class_=kind, **more)
    turn = {"transform": f"rotate(45 {x:.1f} {y:.1f})"} if k % 3 == 2 else {}  # noqa: PLR2004
    corner = {"x": x - _MARK, "y": y - _MARK, "width": 2 * _MARK, "height": 2 * _MARK}
    return element("rect", text, **corner, class_=kind, **turn, **more)


def _names(plot: _Plot, all_series: Sequence[Series]) -> list[tuple[str, ...]]:
    """Draws the curves' names, beside their ends as far as there is room there, each with a line
    from that end."""
    ends = [_end(plot, s) for s in all_series]
    right = plot.left + plot.wide
    heights = _spread([y for _, y in ends], _TOP, _TOP + plot.high)
    drawn: list[tuple[str, ...]] = []
    for k, (series, end, y) in enumerate(zip(all_series, ends, heights, strict=True)):
        name = printed(series.name)
        bend = (max(end[0], right) + _PAD, end[1])
        leader = [(end[0] + _PAD, end[1]), bend, (right + _LEADER - 4, y)]
        kind = f"ink{k % INKS}"
        both = (
            path(leader, f"leader {kind}"),
            text_at(right + _LEADER, y, name, f"inked {kind}"),
        )
        drawn.append(both if name else ())
    return drawn


def _end(plot: _Plot, series: Series) -> Point:
    """Finds the last point of a curve."""
    found = [point for point in plot.points(series) if point]
    return found[-1] if found else (plot.left, _TOP + plot.high)


def _spread(heights: Sequence[float], low: float, high: float) -> list[float]:
    """Returns the heights, moved as little as is needed to have a line's distance from each
    other."""
    order = sorted(range(len(heights)), key=lambda k: heights[k])
    placed = [*heights]
    least = low
    for k in order:
        placed[k] = least = max(placed[k], least)
        least += _LINE
    most = high
    for k in reversed(order):
        placed[k] = most = min(placed[k], most)
        most -= _LINE
    return placed


_ROW, _THICK, _HEADING = 26, 16, 30
_GAP, _BETWEEN = 8, 28
_LONGEST, _SHORTEST = 150.0, 52.0
"""How long the longest bar of a scale is: where there is room, and at the least."""


class _Panel(NamedTuple):
    """A series as it is drawn."""

    series: Series
    """The series."""
    unit: float
    """The size of 1."""
    zero: float
    """Where 0 is."""
    ends: tuple[float, float]
    """How long the longest bar of its scale is on either side of that."""
    rooms: tuple[float, float]
    """How wide a number behind the longest bar may be, and one before that of a number below 0."""
    wide: float
    """How wide all of it is."""


def bars(block: Bars, asked: Askable = NOBODY) -> Picture:
    """Draws the series beside each other, further ones below where there isn't room."""
    left = widest(map(label_text, block.labels)) + _GAP
    rows = bands(_panels(block, PHONE - left), lambda entry: entry.wide, PHONE - left, _BETWEEN)
    parts = tuple(_beside(row, block, left, asked) for row in rows)
    text = series_in_words(block.series, block.labels)
    return in_rows(parts, PHONE, PHONE, _BETWEEN)._replace(
        title=parts[0].title, description=text, parts=parts
    )


def _beside(panels: Sequence[_Panel], block: Bars, left: float, asked: Askable) -> Picture:
    """Draws some of the series beside each other, behind the labels."""
    names = [*map(label_text, block.labels)]
    elements, x = [*_row_names(names, left - _GAP, 0)], left
    for panel in panels:
        elements += _panel(panel, x, 0, asked)
        x += panel.wide + _BETWEEN
    text = series_in_words([panel.series for panel in panels], block.labels)
    size = (x - _BETWEEN, _HEADING + _ROW * len(names))
    return Picture(printed(block.title), text, size, tuple(elements))


def _panels(block: Bars, room: float) -> list[_Panel]:
    """Lists the series with their scales; shares of 1 have one together. Bars are as long as leaves
    room for all beside each other, as far as that can be."""
    shares = [s for s in block.series if all(0 <= number.shown <= 1 for number in s.numbers)]
    scaled = [(s, shares if s in shares else [s]) for s in block.series]
    left = room + _BETWEEN - sum(_panel_of(*pair, 0.0).wide + _BETWEEN for pair in scaled)
    longest = min(max(left / len(scaled), _SHORTEST), _LONGEST)
    return [_panel_of(*pair, longest) for pair in scaled]


def _panel_of(series: Series, others: Sequence[Series], longest: float) -> _Panel:
    finite = [float(n.shown) for s in others for n in s.numbers if n.shown.is_finite()]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    unit = longest / ((high - low) or 1.0)
    below = [number for number in series.numbers if number.shown < 0]
    after = widest(number_text(number) for number in series.numbers if number.shown >= 0) + 2 * _GAP
    before = widest(number_text(number) for number in below) + 2 * _GAP if below else 0.0
    wide = before - low * unit + max(high * unit + after, text_width(printed(series.name)))
    ends = (abs(low) * unit, high * unit)
    rooms = (after + _BETWEEN - 2 * _GAP, before - _GAP / 2)
    return _Panel(series, unit, before - low * unit, ends, rooms, wide)


def _row_names(names: Sequence[str], x: float, top: float) -> Iterator[str]:
    for i, name in enumerate(names):
        yield text_at(x, _middle(top, i), name, "end")


def _middle(top: float, i: int) -> float:
    return top + _HEADING + _ROW * (i + 0.5)


def _panel(panel: _Panel, x: float, top: float, asked: Askable) -> Iterator[str]:
    zero = x + panel.zero
    if panel.series.name:
        yield text_at(zero, top + _HEADING / 2 - 2, printed(panel.series.name), "aside")
    for i, number in enumerate(panel.series.numbers):
        yield from _bar(panel, number, zero, _middle(top, i), asked)
    bottom = top + _HEADING + _ROW * len(panel.series.numbers)
    yield line((zero, top + _HEADING), (zero, bottom), "axis")


def _bar(panel: _Panel, number: Number, zero: float, y: float, asked: Askable) -> Iterator[str]:
    """Draws a bar, whose length is its number's; none where that has no end."""
    size = float(number.shown) * panel.unit if number.shown.is_finite() else 0.0
    kind = "bar below" if number.shown < 0 else "bar"
    shows = showing(number, asked, "width", panel.rooms, zero, panel.unit, *panel.ends, _GAP)
    if size or shows:
        x, top = zero + min(size, 0.0), y - _THICK / 2
        yield element("rect", x=x, y=top, width=abs(size), height=_THICK, class_=kind, **shows)
    if number.shown < 0:
        yield number_at(zero + size - _GAP, y, number, "end", asked)
    else:
        yield number_at(zero + size + _GAP, y, number, "", asked)
