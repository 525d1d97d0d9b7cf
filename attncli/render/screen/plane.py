"""Vectors of two dimensions in characters: where arrows end, and begin, around the origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attncli.arithmetic.expression import Number
from attncli.pictures import Label, Plane
from attncli.render.screen.charts import finite, legend, marks, text_of_label
from attncli.render.screen.lines import Line, StyledText, width

_MOST_ACROSS, _LEAST_ACROSS = 16, 4
"""The cells on one side of the origin; a line is as high as two cells are wide."""
_START, _STARTS = "·", "· where each began"
_Place = tuple[int, int]


def plane(picture: Plane, cells: int) -> list[Line]:
    """A mark for each group, with what its vector is of behind it; a dot with the same word where
    an arrow begins, if not at the origin."""
    ends = _ends(picture, max(_LEAST_ACROSS, min(_MOST_ACROSS, (cells - 20) // 2)))
    columns, rows = ([0, *(place[side] for place in ends)] for side in (0, 1))
    lines = [
        [StyledText(_row(ends, row, range(min(columns), max(columns) + 1)).rstrip())]
        for row in range(max(rows), min(rows) - 1, -1)
    ]
    began = _STARTS if any(one.start for group in picture.groups for one in group.arrows) else ""
    return [*lines, [], *legend([group.name for group in picture.groups], cells, began)]


def _ends(picture: Plane, across: int) -> Mapping[_Place, str]:
    """What is written at each place: the marks of all that end or begin there, and their labels."""
    points = [*_points(picture)]
    most = max((abs(finite(n)) for *_, point in points for n in point), default=0.0) or 1.0
    found: dict[_Place, dict[str, dict[str, None]]] = {}
    for mark, label, point in points:
        x, y = (finite(n) * across / most for n in point)
        here = found.setdefault((round(x), round(y / 2)), {})
        here.setdefault(text_of_label(label), {})[mark] = None
    return {
        place: ", ".join(f"{''.join(its)} {label}" for label, its in here.items())
        for place, here in found.items()
    }


def _points(picture: Plane) -> Iterator[tuple[str, Label, tuple[Number, Number]]]:
    """A mark, a label and a place for each end of an arrow, and for its start."""
    for mark, group in zip(marks(len(picture.groups)), picture.groups, strict=True):
        for arrow in group.arrows:
            if arrow.start is not None:
                yield _START, arrow.label, arrow.start
            yield mark, arrow.label, arrow.end


def _row(ends: Mapping[_Place, str], row: int, columns: range) -> str:
    """A line from the left: marks with their labels, and the axes where there are none."""
    text, first = "", columns.start
    for column in columns:
        if width(text) > column - first:  # where a label stands
            text += f" {ends[column, row]}" if (column, row) in ends else ""
            continue
        axis = "┼" if column == row == 0 else "─" if row == 0 else "│" if column == 0 else " "
        text += ends.get((column, row), axis)
    return text
