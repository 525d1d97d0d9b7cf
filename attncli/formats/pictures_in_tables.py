"""Pictures as tables of their numbers, for a format that can't draw them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attncli.document.blocks import Block, Subheading, Table, rule_for
from attncli.document.pictures import (
    Arrow,
    Bars,
    Box,
    Curves,
    Diagram,
    HeatMaps,
    Label,
    Picture,
    Pixels,
    Plane,
)
from attncli.maths.notation import plain
from attncli.names import Word, raw


def in_tables(picture: Picture) -> list[Block]:
    """Lists what a picture is called, and its numbers as tables."""
    return [Subheading((picture.title,)), *rule_for(picture, _TABLES, "tables")(picture)]


def box_label(box: Box) -> Label:
    """Joins what stands in a box, below it and around it, on one line."""
    texts = (box.label, box.below, box.frame)
    line = ", ".join(filter(None, map(raw, texts)))
    return Word(line) if any(isinstance(text, Word) for text in texts) else line


def _series(picture: Bars | Curves) -> list[Block]:
    """Returns a table with a row for each label, a column for each series."""
    first = picture.axis if isinstance(picture, Curves) else ""
    numbers = zip(*(s.numbers for s in picture.series), strict=True)
    rows = ((label, *map(plain, row)) for label, row in zip(picture.labels, numbers, strict=True))
    return [Table((first, *(s.name for s in picture.series)), tuple(rows))]


def _arrows(picture: Plane) -> list[Block]:
    """Returns a table of where each arrow ends; before that, where it begins, if any doesn't at the
    origin."""
    moved = any(arrow.start for group in picture.groups for arrow in group.arrows)
    columns = ("from 1", "from 2", "to 1", "to 2") if moved else ("1", "2")
    rows = (
        (group.name if not k else "", arrow.label, *_ends(arrow, moved=moved))
        for group in picture.groups
        for k, arrow in enumerate(group.arrows)
    )
    return [Table(("Vectors", "of", *columns), tuple(rows))]


def _ends(arrow: Arrow, *, moved: bool) -> list[str]:
    start = [*map(plain, arrow.start)] if arrow.start else ["0", "0"]
    return [*(start if moved else ()), *map(plain, arrow.end)]


def _pixels(picture: Pixels) -> list[Block]:
    columns = range(1, len(picture.patches[0].numbers) + 1)
    rows = ((patch.name, *map(plain, patch.numbers)) for patch in picture.patches)
    return [Table(("Patch", *map(str, columns)), tuple(rows))]


def _links(picture: Diagram) -> list[Block]:
    names = {box.id: box_label(box) for box in picture.boxes}
    rows = [(names[link.source], link.label, names[link.target]) for link in picture.links]
    if not any(link.chosen for link in picture.links):
        return [Table(("From", "", "To"), tuple(rows))]
    chosen = ("best" if link.chosen else "" for link in picture.links)
    marked = ((*row, mark) for row, mark in zip(rows, chosen, strict=True))
    return [Table(("From", "", "To", ""), tuple(marked))]


_TABLES: Mapping[type, Callable[[Any], list[Block]]] = {
    HeatMaps: lambda picture: [table for _, table in picture.maps],
    Bars: _series,
    Curves: _series,
    Plane: _arrows,
    Pixels: _pixels,
    Diagram: _links,
}
