"""Every picture as SVG, and how large it is drawn on paper; who attends to whom as arrows, the
heavier the thicker, each with its number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from attncli.document.blocks import Edge, Graph, rule_for
from attncli.document.pictures import Bars, Curves, Diagram, HeatMaps, Plane
from attncli.document.pictures import Picture as PictureBlock
from attncli.formats.numbers import text_of as number_text
from attncli.formats.svg.curves import bars, curves
from attncli.formats.svg.diagram import diagram
from attncli.formats.svg.elements import (
    Asked,
    Picture,
    arrow_to,
    described,
    element,
    light_style_sheet,
    number_at,
    plate,
    silent,
    text_at,
    text_width,
    within_limits,
)
from attncli.formats.svg.heat_maps import heat_maps
from attncli.formats.svg.plane import plane
from attncli.names import Word
from attncli.notation.escaping import printed

_ROW, _GAP = 64, 12
_LEAST_ACROSS, _NARROW, _THICK, _TIP = 300, 1.0, 5.0, 12
_FIRST, _LAST = 0.3, 0.8
"""The part of an arrow's way where the number of the first source stands, and that of the last: a
column for each, so that none stands upon another."""


class _Nodes:
    """Where sources and targets stand."""

    def __init__(self, block: Graph) -> None:
        self.sources = [*dict.fromkeys(edge.source for edge in block.edges)]
        found = dict.fromkeys(edge.target for edge in block.edges)
        self.targets = [*(s for s in self.sources if s in found)]
        self.targets += [word for word in found if word not in self.sources]
        self.left = max(text_width(printed(s)) for s in self.sources) + _GAP
        numbers = max(text_width(number_text(edge.weight)) for edge in block.edges) + _GAP
        self.across = max(_LEAST_ACROSS, numbers * len(self.sources) / (_LAST - _FIRST))
        self.right = max(text_width(printed(t)) for t in self.targets) + _GAP

    @property
    def size(self) -> tuple[float, float]:
        rows = max(len(self.sources), len(self.targets))
        return self.left + self.across + self.right, _ROW * rows

    def height(self, edge: Edge, way: float) -> float:
        """How high an arrow is after a part of its way."""
        start, end = self.sources.index(edge.source), self.targets.index(edge.target)
        return _ROW * (0.5 + start + (end - start) * way)

    def number_at(self, edge: Edge) -> float:
        """The part of the way after which an arrow has its number."""
        last = max(1, len(self.sources) - 1)
        return _FIRST + (_LAST - _FIRST) * self.sources.index(edge.source) / last


def arrows(block: Graph, title: str, asked: Asked = silent) -> Picture:
    """The graph, what attends at the left, what is attended to at the right."""
    nodes = _Nodes(block)
    most = max(float(edge.weight.full) for edge in block.edges)
    edges = sorted(block.edges, key=lambda edge: edge.weight.full)  # the heaviest on top
    elements = [
        *(_line(nodes, edge, float(edge.weight.full) / most) for edge in edges),
        *(_number(nodes, edge, asked) for edge in block.edges),
        *(_name(word, nodes.left - _GAP, k, "end") for k, word in enumerate(nodes.sources)),
        *(
            _name(word, nodes.left + nodes.across + _GAP, k, "")
            for k, word in enumerate(nodes.targets)
        ),
    ]
    texts = [
        f"{printed(edge.source)} to {printed(edge.target)}: {number_text(edge.weight)}."
        for edge in block.edges
    ]
    return Picture(
        title, " ".join(within_limits(texts, [1] * len(texts))), nodes.size, tuple(elements)
    )


def _name(name: Word, x: float, row: int, kind: str) -> str:
    return text_at(x, _ROW * (row + 0.5), printed(name), kind)


def _line(nodes: _Nodes, edge: Edge, share: float) -> str:
    end = nodes.left + nodes.across
    ends = (nodes.left, nodes.height(edge, 0)), (end, nodes.height(edge, 1))
    return arrow_to(*ends, "arrow", stroke_width=max(_NARROW, _THICK * share))


def _number(nodes: _Nodes, edge: Edge, asked: Asked) -> str:
    way = nodes.number_at(edge)
    x = nodes.left + (nodes.across - _TIP) * way
    y = nodes.height(edge, way)
    return plate(x, y, number_text(edge.weight)) + number_at(x, y, edge.weight, "middle", asked)


_EDGE, _LEAST = 4, 0.62
"""What is left free around a picture, and how small it may become on a narrow screen, so that its
texts can still be read."""
_ASKED = " data-n="
"""What has numbers to go to isn't a single image."""


def drawn(block: PictureBlock | Graph, asked: Asked = silent) -> Picture:
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
    role = "group" if any(_ASKED in e for e in picture.elements) else "img"
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
        "svg",
        picture.title,
        picture.description,
        inside,
        width=wide,
        height=high,
        viewBox=box,
        **more,
    )


def _outside(picture: Picture) -> tuple[float, float]:
    """The size of a picture with what is left free around it."""
    wide, high = picture.size
    return wide + 2 * _EDGE, high + 2 * _EDGE


_USUAL, _SMALLEST = 0.62, 0.45
"""Points of a picture's unit, in which its texts are 14 high: usually, and at the least."""


class PaperFit(NamedTuple):
    """Points of a unit, and whether the picture is turned to the left."""

    scale: float
    turned: bool


def fit(size: tuple[float, float], room: tuple[float, float]) -> PaperFit | None:
    """A picture as it is where that fits in so many points, else turned; None where it would be too
    small either way."""
    for turned, (along, down) in ((False, room), (True, room[::-1])):
        scale = min(_USUAL, along / size[0], down / size[1])
        if scale >= _SMALLEST:
            return PaperFit(scale, turned)
    return None
