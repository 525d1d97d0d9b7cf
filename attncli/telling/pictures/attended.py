"""Who attends to whom: a directed graph of the weights that count."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.document import Edge, Graph, Subheading
from attncli.telling.parts import made_by
from attncli.telling.pictures.places import called, cut
from attncli.telling.selection import Selection
from attncli.trace import PlannedStep, Quantity, Trace

_MOST_QUERIES = 12
"""So many queries have edges, the first of those that are shown."""
_THRESHOLDS = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)


def pictures(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[Subheading | Graph]:
    """The edges of each query, the heaviest first."""
    for weights in made_by(trace, part):
        if weights.local == "weights":
            least = _threshold(weights)
            title = f"Who attends to whom, by weights of {least:g} or more"
            title += cut(_MOST_QUERIES, len(selection.rows(weights)), "queries")
            yield Subheading((called(part, title),))
            yield Graph(weights.name, tuple(_edges(weights, selection, least)))


def _threshold(weights: Quantity) -> float:
    """The first that is no more than an even share, so that every query has an edge."""
    even = 1 / weights.matrix.shape[1]
    return next((one for one in _THRESHOLDS if one <= even), 0.0)


def _edges(weights: Quantity, selection: Selection, least: float) -> Iterator[Edge]:
    rows, columns = weights.rows.words, weights.columns.words
    for i in selection.rows(weights)[:_MOST_QUERIES]:
        for j in sorted(range(len(columns)), key=lambda j: -weights.values[i, j]):
            number = weights.number(i, j)
            if number.shown > 0 and float(number.shown) >= least:
                yield Edge(rows[i], columns[j], number)
