"""Diagrams in characters: trees as a grid of their boxes, others as arrows from box to box."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.pictures import Diagram, Link
from attncli.render.pictures_in_tables import box_label
from attncli.render.screen.charts import text_of_label
from attncli.render.screen.lines import Line, StyledText, left, line_width, width

_GAP = 2
_SHAFT = 2


def diagram(picture: Diagram, cells: int) -> list[Line] | None:
    """None where it doesn't fit in any way, so that a table tells it."""
    lines = _grid(picture)
    if any(link.label for link in picture.links):
        lines = _arrows(picture)
        lines = lines if _wide(lines) <= cells else _arrows_below(picture)
    return lines if _wide(lines) <= cells else None


def _wide(lines: Sequence[Line]) -> int:
    return max(map(line_width, lines))


def _arrows(picture: Diagram) -> list[Line]:
    """A line for each link, from its box; chosen ones are double."""
    boxes = {box.id: text_of_label(box_label(box)) for box in picture.boxes}
    sources = max(width(boxes[link.source]) for link in picture.links)
    labels = max(width(text_of_label(link.label)) for link in picture.links)
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
    """The same with each box on a line of its own, above its arrows."""
    boxes = {box.id: text_of_label(box_label(box)) for box in picture.boxes}
    lines: list[Line] = []
    before = ""
    for link in picture.links:
        if link.source != before:
            lines.append([StyledText(boxes[link.source])])
        before = link.source
        label = text_of_label(link.label)
        lines.append([StyledText(f"  {_shaft(link, width(label))} {boxes[link.target]}")])
    return lines


def _shaft(link: Link, labels: int) -> str:
    line = "═" if link.chosen else "─"
    label = text_of_label(link.label)
    start = f"{line * _SHAFT} {label} "
    return f"{start}{line * (labels + 2 * _SHAFT + 2 - width(start))}▶"


def _grid(picture: Diagram) -> list[Line]:
    """The boxes by their rows and columns."""
    places = {(box.row, box.column): text_of_label(box_label(box)) for box in picture.boxes}
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
    return (" " * _GAP).join(cells).rstrip()
