"""Who attends to whom, as graphs, and each token before and after attention."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attncli.document import Block, Edge, Graph, Note, Spans, Subheading
from attncli.name import below
from attncli.tables import SideBySide
from attncli.telling.blocks import matrix_block
from attncli.telling.findings import weights_of
from attncli.telling.selection import Selection
from attncli.trace import Quantity, Trace
from attncli.trace.quantity import token_of
from attncli.word import Word


def closing_graphs(trace: Trace, selection: Selection) -> list[Block]:
    """Who attends to whom in a scenario, and in each of its variants, where it asks for that."""
    show = trace.scenario.show
    if not show.graph and not show.arrows:
        return []
    drawn = selection.pictured and not show.arrows and not _are_given(trace)
    blocks = [] if drawn else _graph_of(trace, selection, ("Who attends to whom",))
    for name, variant in trace.variants.items():
        heading = ("Who attends to whom in the variant ", Word(name))
        blocks += _graph_of(variant, selection, heading) if show.arrows else []
    return blocks


def _are_given(trace: Trace) -> bool:
    weights = weights_of(trace)
    return weights is not None and weights.given


def _graph_of(trace: Trace, selection: Selection, heading: Spans) -> list[Block]:
    weights, arrows = weights_of(trace), trace.scenario.show.arrows
    if weights is None:
        return []
    edges = tuple(_edges(weights, selection, arrows))
    missing = [] if not arrows else list(_without_weight(weights, selection, arrows))
    graph = [Graph(weights.name, edges)] if edges else []
    return [Subheading(heading), *graph, *missing] if graph or missing else []


def _edges(
    weights: Quantity, selection: Selection, arrows: Mapping[str, Sequence[str]]
) -> Iterator[Edge]:
    """The strongest of each query first; what has no weight is left out."""
    for i in selection.rows(weights):
        for j in sorted(_keys(weights, i, arrows), key=lambda j: -weights.values[i, j]):
            if weights.values[i, j] > 0:
                number = weights.matrix.number(i, j)
                yield Edge(weights.rows.words[i], weights.columns.words[j], number)


def _without_weight(
    weights: Quantity, selection: Selection, arrows: Mapping[str, Sequence[str]]
) -> Iterator[Note]:
    """A word on each of the arrows that isn't there."""
    for i in selection.rows(weights):
        for j in _keys(weights, i, arrows):
            if weights.values[i, j] == 0:
                query, key = weights.rows.words[i], weights.columns.words[j]
                yield Note(("No arrow goes from ", query, " to ", key, ": its weight is 0."))


def _keys(weights: Quantity, i: int, arrows: Mapping[str, Sequence[str]]) -> list[int]:
    """The places of the keys that a query's arrows may go to."""
    names = weights.columns.names
    if not arrows:
        return list(range(len(names)))
    query = weights.rows.names[i]
    wanted = {*arrows.get(query, ()), *arrows.get(token_of(query), ())}
    return [j for j, name in enumerate(names) if not wanted.isdisjoint((name, token_of(name)))]


def before_and_after(trace: Trace, result: Quantity | None, selection: Selection) -> list[Block]:
    """Each token's vector as it went in, beside what it came to, where a scenario asks for that."""
    X = trace.quantities.get(below(trace.scenario.stack.path, "X"))
    if not trace.scenario.show.before_after or X is None or result is None:
        return []
    if X.name == result.name or X.rows.names != result.rows.names:
        return []
    rows = selection.rows(result)
    told = (("Before", X), ("After", result))
    columns = tuple((name, matrix_block(q, selection)._replace(rows=rows)) for name, q in told)
    return [Subheading(("Before and after",)), SideBySide("", result.rows.words, rows, columns)]
