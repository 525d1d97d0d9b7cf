"""Who attends to whom as arrows, the heavier the thicker, each with its number."""

from __future__ import annotations

from attncli.document import Edge, Graph
from attncli.render.numbers import text_of as number_text
from attncli.render.svg.elements import (
    Asked,
    Picture,
    arrow_to,
    number_at,
    plate,
    silent,
    text_at,
    text_of,
    text_width,
)
from attncli.render.svg.in_words import within_limits
from attncli.word import Word

_ROW, _GAP = 64, 12
_LEAST, _NARROW, _THICK, _TIP = 300, 1.0, 5.0, 12
_FIRST, _LAST = 0.3, 0.8
"""The part of an arrow's way where the number of the first source stands, and that of the last: a
column for each, so that none stands upon another."""


class _Nodes:
    """Where sources and targets stand."""

    def __init__(self, block: Graph) -> None:
        self.sources = [*dict.fromkeys(edge.source for edge in block.edges)]
        found = dict.fromkeys(edge.target for edge in block.edges)
        self.targets = [*(one for one in self.sources if one in found)]
        self.targets += [one for one in found if one not in self.sources]
        self.left = max(text_width(text_of(one)) for one in self.sources) + _GAP
        numbers = max(text_width(number_text(edge.weight)) for edge in block.edges) + _GAP
        self.across = max(_LEAST, numbers * len(self.sources) / (_LAST - _FIRST))
        self.right = max(text_width(text_of(one)) for one in self.targets) + _GAP

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
        *(_name(one, nodes.left - _GAP, k, "end") for k, one in enumerate(nodes.sources)),
        *(
            _name(one, nodes.left + nodes.across + _GAP, k, "")
            for k, one in enumerate(nodes.targets)
        ),
    ]
    told = [
        f"{text_of(edge.source)} to {text_of(edge.target)}: {number_text(edge.weight)}."
        for edge in block.edges
    ]
    return Picture(
        title, " ".join(within_limits(told, [1] * len(told))), nodes.size, tuple(elements)
    )


def _name(name: Word, x: float, row: int, kind: str) -> str:
    return text_at(x, _ROW * (row + 0.5), text_of(name), kind)


def _line(nodes: _Nodes, edge: Edge, share: float) -> str:
    end = nodes.left + nodes.across
    ends = (nodes.left, nodes.height(edge, 0)), (end, nodes.height(edge, 1))
    return arrow_to(*ends, "arrow", stroke_width=max(_NARROW, _THICK * share))


def _number(nodes: _Nodes, edge: Edge, asked: Asked) -> str:
    way = nodes.number_at(edge)
    x = nodes.left + (nodes.across - _TIP) * way
    y = nodes.height(edge, way)
    return plate(x, y, number_text(edge.weight)) + number_at(x, y, edge.weight, "middle", asked)
