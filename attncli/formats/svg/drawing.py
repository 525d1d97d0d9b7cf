"""Every picture as SVG, and how large it is drawn on paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from attncli.document.blocks import Graph, rule_for
from attncli.document.pictures import Bars, Curves, Diagram, HeatMaps, Pixels, Plane
from attncli.document.pictures import Picture as PictureBlock
from attncli.formats.svg.curves import bars, curves
from attncli.formats.svg.diagram import diagram
from attncli.formats.svg.elements import (
    LEAST_SIZE,
    NOBODY,
    TEXT_SIZE,
    Askable,
    Picture,
    described,
    element,
    light_style_sheet,
)
from attncli.formats.svg.heat_maps import heat_maps
from attncli.formats.svg.pixels import pixels
from attncli.formats.svg.plane import plane
from attncli.formats.svg.ribbons import ribbons

_EDGE = 4
"""What is left free around a picture."""
_ASKED = " data-n="
"""What has numbers to go to isn't a single image."""


def drawn(block: PictureBlock | Graph, asked: Askable = NOBODY) -> Picture:
    return rule_for(block, _DRAWN, "a drawing")(block, asked)


_DRAWN: Mapping[type, Callable[[Any, Askable], Picture]] = {
    HeatMaps: heat_maps,
    Bars: bars,
    Curves: curves,
    Pixels: pixels,
    Plane: plane,
    Graph: lambda block, asked: ribbons(block, block.name, asked),
    Diagram: lambda block, _: diagram(block),
}


def inline(picture: Picture, asked: Askable = NOBODY) -> str:
    """Writes a picture for a page of HTML, whose style sheet has its colours; its parts one by
    one."""
    return "\n".join(_for_a_page(part, asked) for part in picture.parts or (picture,))


def _for_a_page(picture: Picture, asked: Askable) -> str:
    wide, _ = _outside(picture)
    role = "group" if any(_ASKED in e for e in picture.elements) else "img"
    least = wide * LEAST_SIZE / TEXT_SIZE
    return _svg(picture, (), asked, role=role, style=f"min-width: {least:.0f}px")


def alone(picture: Picture) -> str:
    """Writes a picture as a file of its own, in its colours on white."""
    style = element("style", light_style_sheet())
    return _svg(picture, (style,), NOBODY, xmlns="http://www.w3.org/2000/svg")


def _svg(picture: Picture, before: tuple[str, ...], asked: Askable, **more: str) -> str:
    wide, high = _outside(picture)
    box = f"{-_EDGE} {-_EDGE} {wide:.1f} {high:.1f}"
    inside = (*before, *picture.elements)
    return described(
        "svg",
        picture.title,
        picture.description,
        inside,
        asked,
        width=wide,
        height=high,
        viewBox=box,
        **more,
    )


def _outside(picture: Picture) -> tuple[float, float]:
    """Returns the size of a picture with what is left free around it."""
    wide, high = picture.size
    return wide + 2 * _EDGE, high + 2 * _EDGE


_USUAL, _SMALL, _SMALLEST = 0.62, 0.43, 0.38
"""Points of a picture's unit, in which its texts are 14 high: usually; of one that would leave the
rest of its page empty; and at the least, rather than on its side."""


class PaperFit(NamedTuple):
    """A picture's way to fit on paper."""

    scale: float
    """How many points are a unit."""
    turned: bool
    """Whether the picture is turned to the left."""

    @property
    def least(self) -> float:
        """Returns the share of it that is large enough to be read."""
        return min(1, _SMALL / self.scale)


def fit(size: tuple[float, float], room: tuple[float, float]) -> PaperFit | None:
    """Fits a picture as it is where it has room in so many points, else turned; None where it would
    be too small either way."""
    for turned, (along, down) in ((False, room), (True, room[::-1])):
        scale = min(_USUAL, along / size[0], down / size[1])
        if scale >= _SMALLEST:
            return PaperFit(scale, turned)
    return None
