"""Pictures as data: what they are of, their numbers in full and as printed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from attncli.arithmetic.expression import Number
from attncli.document import Block, each, rule_for
from attncli.notation import plain
from attncli.pictures import (
    PICTURES,
    Arrow,
    Bars,
    Box,
    Curves,
    Diagram,
    HeatMaps,
    Link,
    Plane,
    Series,
)
from attncli.word import raw

_Data = dict[str, Any]


def pictures_as_data(blocks: Iterable[Block]) -> Iterator[_Data]:
    """The pictures among blocks. Heat maps name their quantities, whose numbers the page has."""
    for block in each(blocks):
        if isinstance(block, PICTURES):
            yield rule_for(block, _WRITERS, "data")(block)


def _maps(picture: HeatMaps) -> _Data:
    names = [str(table.quantity or table.name) for _, table in picture.maps]
    return {"kind": "heat maps", "title": raw(picture.title), "quantities": names}


def _bars(picture: Bars) -> _Data:
    return {"kind": "bars", **_series_of(picture)}


def _curves(picture: Curves) -> _Data:
    more = {"axis": picture.axis, "logarithmic": picture.logarithmic}
    return {"kind": "curves", **_series_of(picture), **more}


def _series_of(picture: Bars | Curves) -> _Data:
    return {
        "title": raw(picture.title),
        "labels": [raw(label) for label in picture.labels],
        "series": [_series(one) for one in picture.series],
    }


def _series(series: Series) -> _Data:
    return {"name": raw(series.name), **_numbers(series.numbers)}


def _numbers(numbers: Iterable[Number]) -> _Data:
    """With null for −∞, which JSON has no number for."""
    told = [*numbers]
    values = [float(one.full) for one in told]
    finite = [value + 0.0 if math.isfinite(value) else None for value in values]
    return {"values": finite, "text": [plain(one) for one in told]}


def _plane(picture: Plane) -> _Data:
    groups = [
        {"name": raw(group.name), "arrows": [_arrow(arrow) for arrow in group.arrows]}
        for group in picture.groups
    ]
    return {"kind": "plane", "title": raw(picture.title), "groups": groups}


def _arrow(arrow: Arrow) -> _Data:
    start = {} if arrow.start is None else {"start": _numbers(arrow.start)}
    return {"label": raw(arrow.label), **start, **_numbers(arrow.end)}


def _diagram(picture: Diagram) -> _Data:
    return {
        "kind": "diagram",
        "title": raw(picture.title),
        "boxes": [_box(box) for box in picture.boxes],
        "links": [_link(link) for link in picture.links],
    }


def _box(box: Box) -> _Data:
    data = {"id": box.id, "label": raw(box.label), "below": raw(box.below)}
    return {**data, "column": box.column, "row": box.row, "chosen": box.chosen}


def _link(link: Link) -> _Data:
    ends = {"from": link.source, "to": link.target}
    return {**ends, "label": raw(link.label), "chosen": link.chosen}


_WRITERS: Mapping[type, Callable[[Any], _Data]] = {
    HeatMaps: _maps,
    Bars: _bars,
    Curves: _curves,
    Plane: _plane,
    Diagram: _diagram,
}
