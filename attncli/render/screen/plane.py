"""Vectors of two dimensions in characters: the ends of arrows around the origin."""

from __future__ import annotations

from collections.abc import Mapping

from attncli.pictures import Plane
from attncli.render.screen.charts import finite, legend, marks, text_of_label
from attncli.render.screen.lines import Line, StyledText, width

_MOST_ACROSS, _LEAST_ACROSS = 16, 4
"""The cells on one side of the origin; a line is as high as two cells are wide."""
_Place = tuple[int, int]


def plane(picture: Plane, cells: int) -> list[Line]:
    """A mark for each group, with what its vector is of behind it."""
    ends = _ends(picture, max(_LEAST_ACROSS, min(_MOST_ACROSS, (cells - 20) // 2)))
    columns, rows = ([0, *(place[side] for place in ends)] for side in (0, 1))
    lines = [
        [StyledText(_row(ends, row, range(min(columns), max(columns) + 1)).rstrip())]
        for row in range(max(rows), min(rows) - 1, -1)
    ]
    return [*lines, [], *legend([group.name for group in picture.groups], cells)]


def _ends(picture: Plane, across: int) -> Mapping[_Place, str]:
    """What is written at each place: the marks of all that end there, and their labels."""
    arrows = [
        (mark, arrow)
        for mark, group in zip(marks(len(picture.groups)), picture.groups, strict=True)
        for arrow in group.arrows
    ]
    most = max((abs(finite(n)) for _, arrow in arrows for n in arrow.end), default=0.0) or 1.0
    found: dict[_Place, dict[str, dict[str, None]]] = {}
    for mark, arrow in arrows:
        x, y = (finite(n) * across / most for n in arrow.end)
        here = found.setdefault((round(x), round(y / 2)), {})
        here.setdefault(text_of_label(arrow.label), {})[mark] = None
    return {
        place: ", ".join(f"{''.join(its)} {label}" for label, its in here.items())
        for place, here in found.items()
    }


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
