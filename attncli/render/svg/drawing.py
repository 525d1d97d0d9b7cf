"""Every picture as SVG."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attncli.document import Graph, rule_for
from attncli.pictures import Bars, Curves, Diagram, HeatMaps, Plane
from attncli.pictures import Picture as PictureBlock
from attncli.render.svg.arrows import arrows
from attncli.render.svg.bars import bars
from attncli.render.svg.curves import curves
from attncli.render.svg.diagram import diagram
from attncli.render.svg.elements import Asked, Picture, described, element, silent
from attncli.render.svg.heat_maps import heat_maps
from attncli.render.svg.plane import plane
from attncli.render.svg.style import light_style_sheet

_EDGE, _LEAST = 4, 0.62
"""What is left free around a picture, and how small it may become on a narrow screen, so that its
texts can still be read."""
_ASKED = " data-n="
"""What has numbers to go to isn't a single image."""


def drawn(block: PictureBlock | Graph, asked: Asked = silent) -> Picture:
    """The picture."""
    return rule_for(block, _DRAWN, "a drawing")(block, asked)


_DRAWN: Mapping[type, Callable[[Any, Asked], Picture]] = {
    HeatMaps: heat_maps,
    Bars: bars,
    Curves: curves,
    Plane: lambda block, _: plane(block),
    Graph: lambda block, asked: arrows(block, block.name, asked),
    Diagram: lambda block, _: diagram(block),
}


def inline(picture: Picture) -> str:
    """A picture for a page of HTML, whose style sheet has its colours."""
    wide, _ = _outside(picture)
    role = "group" if any(_ASKED in one for one in picture.elements) else "img"
    return _svg(picture, (), role=role, style=f"min-width: {wide * _LEAST:.0f}px")


def alone(picture: Picture) -> str:
    """A picture as a file of its own, in its colours on white."""
    style = element("style", light_style_sheet())
    return _svg(picture, (style,), xmlns="http://www.w3.org/2000/svg")


def _svg(picture: Picture, before: tuple[str, ...], **more: str) -> str:
    wide, high = _outside(picture)
    box = f"{-_EDGE} {-_EDGE} {wide:.1f} {high:.1f}"
    inside = (*before, *picture.elements)
    return described(
        "svg", picture.title, picture.told, inside, width=wide, height=high, viewBox=box, **more
    )


def _outside(picture: Picture) -> tuple[float, float]:
    """The size of a picture with what is left free around it."""
    wide, high = picture.size
    return wide + 2 * _EDGE, high + 2 * _EDGE
