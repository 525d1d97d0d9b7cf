"""Pictures in characters, by their kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attncli.pictures import Bars, Curves, Diagram, Picture, Plane
from attncli.render.screen.charts import bars, curves
from attncli.render.screen.diagrams import diagram
from attncli.render.screen.lines import Line
from attncli.render.screen.plane import plane

_DRAWN: Mapping[type, Callable[[Any, int], list[Line] | None]] = {
    Bars: bars,
    Curves: curves,
    Plane: plane,
    Diagram: diagram,
}
_SAY_ALL = (Bars, Diagram)


def drawn(picture: Picture, cells: int) -> tuple[list[Line], bool]:
    """How a picture is drawn, if it can be, and whether that says all its numbers; of a heat map
    the table is the picture."""
    draw = _DRAWN.get(type(picture))
    lines = (None if draw is None else draw(picture, cells)) or []
    return lines, bool(lines) and isinstance(picture, _SAY_ALL)
