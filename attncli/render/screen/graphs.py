"""Who attends to whom, as arrows in characters."""

from __future__ import annotations

from attncli.document import Graph
from attncli.notation import plain
from attncli.notation.words import printed
from attncli.render.screen.lines import Line, StyledText, left, width

_INDENT = 2


def graph_lines(block: Graph, cells: int) -> list[Line]:
    """An arrow for each edge, the heavier the longer."""
    source = max(width(printed(edge.source)) for edge in block.edges)
    target = max(width(printed(edge.target)) for edge in block.edges)
    weights = [plain(edge.weight) for edge in block.edges]
    room = max(4, min(30, cells - _INDENT - source - target - max(map(len, weights)) - 6))
    most = max(float(edge.weight.full) for edge in block.edges)
    lines: list[Line] = []
    before = ""
    for edge, weight in zip(block.edges, weights, strict=True):
        name = printed(edge.source)
        if before and name != before:
            lines.append([])
        shown = name if name != before else ""
        before = name
        shaft = "─" * max(1, round(float(edge.weight.full) / most * room))
        lines.append(
            [
                StyledText(" " * _INDENT), StyledText(left(shown, source)),
                StyledText(" "),
                StyledText(f"{shaft}▶ ", "rule"), StyledText(printed(edge.target)),
                StyledText("  "), StyledText(weight, "total"),
            ]
        )  # fmt: skip
    return lines
