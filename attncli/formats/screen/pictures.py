"""Pictures in characters, by their kinds, with marks and fills where others have colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from attncli.document.blocks import Graph
from attncli.document.pictures import Bars, Curves, Diagram, Label, Link, Picture, Plane
from attncli.formats.pictures_in_tables import box_label
from attncli.formats.screen.lines import Line, StyledText, left, line_width, width
from attncli.maths.equations.tree import Number
from attncli.maths.notation import plain
from attncli.maths.notation.escaping import printed

_FILLS, _MARKS, _SEVERAL = "█▒▓░", "●○■□▲△◆◇", "✱"
_WIDEST, _NARROWEST = 48, 8
_GAP = "  "


def finite(number: Number) -> float:
    """Returns a number as a size; 0 for what is infinite, which has none."""
    value = float(number.full)
    return value if math.isfinite(value) else 0.0


class _Scale(NamedTuple):
    """A scale by which numbers take cells."""

    per_one: float
    """How many cells stand for 1."""
    below: int
    """How many there are left of 0."""
    above: int
    """How many there are right of 0."""

    @classmethod
    def of(cls, numbers: Sequence[Number], room: int) -> _Scale:
        values = [0.0, *map(finite, numbers)]
        low, high = min(values), max(values)
        per_one = room / (high - low) if high > low else 0.0
        below = math.ceil(-low * per_one)
        return cls(per_one, below, room - below)

    def bar(self, number: Number, fill: str) -> str:
        """Draws a number's bar: what is there at all has a cell; where some go below 0, a line says
        where 0 is."""
        value = finite(number)
        size = max(round(abs(value) * self.per_one), int(value != 0))
        if not self.below:
            return fill * size
        if value < 0:
            return f"{fill * min(size, self.below):>{self.below}}│"
        return f"{'':{self.below}}│{fill * min(size, self.above)}"


def bars(picture: Bars, cells: int) -> list[Line]:
    """Draws a bar for each number, all of one scale; those below 0 go to the left."""
    labels = _columned(picture.labels)
    names = _columned([s.name for s in picture.series])
    numbers = [number for s in picture.series for number in s.numbers]
    taken = width(labels[0]) + width(names[0]) + 2 * len(_GAP) + 2
    room = cells - taken - max(len(plain(number)) for number in numbers)
    scale = _Scale.of(numbers, max(_NARROWEST, min(_WIDEST, room)))
    lines: list[Line] = []
    for k, label in enumerate(labels):
        lines += [[]] if k and len(names) > 1 else []
        for n, (series, name) in enumerate(zip(picture.series, names, strict=True)):
            shown = label if n == 0 else " " * width(label)
            bar = scale.bar(series.numbers[k], _FILLS[n % len(_FILLS)])
            start = StyledText(f"{shown}{_GAP}{name}{_GAP}")
            number = StyledText(f" {plain(series.numbers[k])}", "total")
            lines.append([start, StyledText(bar), number])
    return lines


def _columned(labels: Sequence[Label]) -> list[str]:
    """Fills up labels as a column."""
    texts = [printed(label) for label in labels]
    most = max(map(width, texts))
    return [left(text, most) for text in texts]


def curves(picture: Curves, cells: int) -> list[Line]:
    """Draws a line for each label, and in it a mark for each series, the further to the right the
    larger its number."""
    axis, *labels = _columned([picture.axis, *picture.labels])
    numbers = [number for s in picture.series for number in s.numbers]
    placed = math.log if picture.logarithmic else float
    room = max(_NARROWEST, min(_WIDEST, cells - width(axis) - 3))
    values = [placed(finite(number)) for number in numbers]
    low, high = min(values), max(values)
    per_one = (room - 1) / (high - low) if high > low else 0.0
    ends = [plain(numbers[values.index(n)]) for n in (low, high)]
    lines: list[Line] = [[StyledText(f"{axis}   {_between(ends, room)}", "rule")]]
    for k, label in enumerate(labels):
        row = [" "] * room
        for series, mark in zip(picture.series, marks(len(picture.series)), strict=True):
            place = round((placed(finite(series.numbers[k])) - low) * per_one)
            row[place] = mark if row[place] == " " else _SEVERAL
        lines.append([StyledText(f"{label} │ "), StyledText("".join(row))])
    scale = "to a logarithmic scale" if picture.logarithmic else ""
    return [*lines, [], *legend([s.name for s in picture.series], cells, scale)]


def _between(ends: Sequence[str], room: int) -> str:
    """Writes what stands at the two ends of an axis."""
    low, high = ends
    return f"{low}{' ' * max(1, room - len(low) - len(high))}{high}"


def marks(count: int) -> str:
    """Returns a mark for each series."""
    return (_MARKS * (1 + count // len(_MARKS)))[:count]


def legend(names: Sequence[Label], cells: int, more: str = "") -> list[Line]:
    """Says what each mark stands for."""
    named = zip(marks(len(names)), names, strict=True)
    texts = [f"{mark} {printed(name)}" for mark, name in named]
    texts += [f"{_SEVERAL} several"] if len(names) > 1 else []
    rows = [""]
    for text in (*texts, *([more] if more else [])):
        if rows[-1] and width(rows[-1]) + 3 + width(text) > cells:
            rows.append("")
        rows[-1] += f"{'   ' if rows[-1] else ''}{text}"
    return [[StyledText(row, "rule")] for row in rows]


_BETWEEN_BOXES = 2
_SHAFT = 2


def diagram(picture: Diagram, cells: int) -> list[Line] | None:
    """Draws a diagram; returns None where it doesn't fit in any way, so that a table tells it."""
    lines = _grid(picture)
    if any(link.label for link in picture.links):
        lines = _arrows(picture)
        lines = lines if _wide(lines) <= cells else _arrows_below(picture)
    return lines if _wide(lines) <= cells else None


def _wide(lines: Sequence[Line]) -> int:
    return max(map(line_width, lines))


def _arrows(picture: Diagram) -> list[Line]:
    """Draws a line for each link, from its box; chosen ones are double."""
    boxes = {box.id: printed(box_label(box)) for box in picture.boxes}
    sources = max(width(boxes[link.source]) for link in picture.links)
    labels = max(width(printed(link.label)) for link in picture.links)
    lines: list[Line] = []
    before = ""
    for link in picture.links:
        shown = "" if link.source == before else boxes[link.source]
        lines += [[]] if before and shown else []
        before = link.source
        lines.append(
            [
                StyledText(left(shown, sources + 1)),
                StyledText(_shaft(link, labels)),
                StyledText(f" {boxes[link.target]}", "total" if link.chosen else ""),
            ]
        )
    return lines


def _arrows_below(picture: Diagram) -> list[Line]:
    """Draws a line for each link, with each box on a line of its own, above its arrows."""
    boxes = {box.id: printed(box_label(box)) for box in picture.boxes}
    lines: list[Line] = []
    before = ""
    for link in picture.links:
        if link.source != before:
            lines.append([StyledText(boxes[link.source])])
        before = link.source
        label = printed(link.label)
        lines.append([StyledText(f"  {_shaft(link, width(label))} {boxes[link.target]}")])
    return lines


def _shaft(link: Link, labels: int) -> str:
    line = "═" if link.chosen else "─"
    label = printed(link.label)
    start = f"{line * _SHAFT} {label} " if label else ""
    return f"{start}{line * (labels + 2 * _SHAFT + 2 - width(start))}▶"


def _grid(picture: Diagram) -> list[Line]:
    """Draws the boxes by their rows and columns."""
    places = {(box.row, box.column): printed(box_label(box)) for box in picture.boxes}
    columns = range(max(column for _, column in places) + 1)
    widths = [
        max((width(text) for (_, at), text in places.items() if at == column), default=0)
        for column in columns
    ]
    return [
        [StyledText(_in_columns([places.get((row, column), "") for column in columns], widths))]
        for row in range(max(row for row, _ in places) + 1)
    ]


def _in_columns(texts: Sequence[str], widths: Sequence[int]) -> str:
    cells = (left(text, most) for text, most in zip(texts, widths, strict=True))
    return (" " * _BETWEEN_BOXES).join(cells).rstrip()


_MOST_ACROSS, _LEAST_ACROSS = 16, 4
"""The cells on one side of the origin; a line is as high as two cells are wide."""
_START, _STARTS = "·", "· where each began"
_Place = tuple[int, int]


def plane(picture: Plane, cells: int) -> list[Line]:
    """Draws a mark for each group, with what its vector is of behind it; a dot with the same word
    where an arrow begins, if not at the origin."""
    ends = _ends(picture, max(_LEAST_ACROSS, min(_MOST_ACROSS, (cells - 20) // 2)))
    columns, rows = ([0, *(place[side] for place in ends)] for side in (0, 1))
    lines = [
        [StyledText(_drawn_line(ends, row, range(min(columns), max(columns) + 1)).rstrip())]
        for row in range(max(rows), min(rows) - 1, -1)
    ]
    began = (
        _STARTS if any(arrow.start for group in picture.groups for arrow in group.arrows) else ""
    )
    return [*lines, [], *legend([group.name for group in picture.groups], cells, began)]


def _ends(picture: Plane, across: int) -> Mapping[_Place, str]:
    """Returns what is written at each place: the marks of all that end or begin there, and their
    labels."""
    points = [*_points(picture)]
    most = max((abs(finite(n)) for *_, point in points for n in point), default=0.0) or 1.0
    found: dict[_Place, dict[str, dict[str, None]]] = {}
    for mark, label, point in points:
        x, y = (finite(n) * across / most for n in point)
        here = found.setdefault((round(x), round(y / 2)), {})
        here.setdefault(printed(label), {})[mark] = None
    return {
        place: ", ".join(f"{''.join(its)} {label}" for label, its in here.items())
        for place, here in found.items()
    }


def _points(picture: Plane) -> Iterator[tuple[str, Label, tuple[Number, Number]]]:
    """Yields a mark, a label and a place for each end of an arrow, and for its start."""
    for mark, group in zip(marks(len(picture.groups)), picture.groups, strict=True):
        for arrow in group.arrows:
            if arrow.start is not None:
                yield _START, arrow.label, arrow.start
            yield mark, arrow.label, arrow.end


def _drawn_line(ends: Mapping[_Place, str], row: int, columns: range) -> str:
    """Draws a line from the left: marks with their labels, and the axes where there are none."""
    text, first = "", columns.start
    for column in columns:
        if width(text) > column - first:  # where a label stands
            text += f" {ends[column, row]}" if (column, row) in ends else ""
            continue
        axis = "┼" if column == row == 0 else "─" if row == 0 else "│" if column == 0 else " "
        text += ends.get((column, row), axis)
    return text


_DRAWN: Mapping[type, Callable[[Any, int], list[Line] | None]] = {
    Bars: bars,
    Curves: curves,
    Plane: plane,
    Diagram: diagram,
}
_SAY_ALL = (Bars, Diagram)


def drawn(picture: Picture, cells: int) -> tuple[list[Line], bool]:
    """Returns how a picture is drawn, if it can be, and whether that says all its numbers; of a
    heat map the table is the picture."""
    draw = _DRAWN.get(type(picture))
    lines = (None if draw is None else draw(picture, cells)) or []
    return lines, bool(lines) and isinstance(picture, _SAY_ALL)


_INDENT = 2


def graph_lines(block: Graph, cells: int) -> list[Line]:
    """Draws an arrow for each edge, the heavier the longer."""
    source = max(width(printed(edge.source)) for edge in block.edges)
    target = max(width(printed(edge.target)) for edge in block.edges)
    weights = [plain(edge.weight) for edge in block.edges]
    room = max(4, min(30, cells - _INDENT - source - target - max(map(len, weights)) - 6))
    most = max(float(edge.weight.full) for edge in block.edges)
    lines: list[Line] = []
    before = ""
    for edge, weight in zip(block.edges, weights, strict=True):
        name = printed(edge.source)
        if before and name != before:
            lines.append([])
        shown = name if name != before else ""
        before = name
        shaft = "─" * max(1, round(float(edge.weight.full) / most * room))
        lines.append(
            [
                StyledText(" " * _INDENT), StyledText(left(shown, source)),
                StyledText(" "),
                StyledText(f"{shaft}▶ ", "rule"), StyledText(printed(edge.target)),
                StyledText("  "), StyledText(weight, "total"),
            ]
        )  # fmt: skip
    return lines
