"""The end of a page that its scenario orders (`show`): graphs of attention, tokens around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attncli.document.blocks import Block, Callout, Edge, Spans, Subheading
from attncli.document.pictures import HeatMaps
from attncli.document.tables import SideBySide
from attncli.names import Word, below
from attncli.pages.parts.answer import result_of
from attncli.pages.parts.blocks import matrix_block
from attncli.pages.parts.findings import weights_of
from attncli.pages.parts.pictures import graph_of
from attncli.pages.parts.selection import Selection
from attncli.pages.parts.sentences import quoted
from attncli.trace import Quantity, Trace
from attncli.trace.quantity import token_of


def asked_for(trace: Trace, selection: Selection) -> list[Block]:
    """Returns each token before and after, and graphs, as far as the scenario asks for these."""
    return [*_before_and_after(trace, selection), *_graphs(trace, selection)]


def _graphs(trace: Trace, selection: Selection) -> list[Block]:
    """Draws who attends to whom in a scenario, and in each of its variants, where it asks for
    that."""
    show = trace.scenario.page.show
    if not show.graph and not show.arrows:
        return []
    weights = weights_of(trace)
    is_given = weights is not None and weights.given
    drawn = selection.pictured and not show.arrows and not is_given
    blocks = [] if drawn else _graph_of(trace, selection, ("Who attends to whom",))
    for name, variant in trace.variants.items():
        heading = ("Who attends to whom in the variant ", Word(name))
        blocks += _graph_of(variant, selection, heading) if show.arrows else []
    return blocks


def _graph_of(trace: Trace, selection: Selection, heading: Spans) -> list[Block]:
    weights, arrows = weights_of(trace), trace.scenario.page.show.arrows
    if weights is None:
        return []
    made = graph_of(weights, [*_edges(weights, selection, arrows)])
    missing = [] if not arrows else list(_without_weight(weights, selection, arrows))
    graph = [made] if made.edges else []
    return [Subheading(heading), *graph, *missing] if graph or missing else []


def _edges(
    weights: Quantity, selection: Selection, arrows: Mapping[str, Sequence[str]]
) -> Iterator[Edge]:
    """Yields the edges of each query, the strongest first."""
    for i in selection.rows(weights):
        for j in sorted(_keys(weights, i, arrows), key=lambda j: -weights.values[i, j]):
            number = weights.matrix.number(i, j)
            yield Edge(weights.rows.words[i], weights.columns.words[j], number)


def _without_weight(
    weights: Quantity, selection: Selection, arrows: Mapping[str, Sequence[str]]
) -> Iterator[Callout]:
    """Remarks on each of the arrows that isn't there, as its weight is 0."""
    for i in selection.rows(weights):
        for j in _keys(weights, i, arrows):
            if weights.values[i, j] == 0:
                names = weights.rows.names[i], weights.columns.names[j]
                query, key = map(quoted, names)
                yield Callout(("No arrow goes from ", *query, " to ", *key, ": its weight is 0."))


def _keys(weights: Quantity, i: int, arrows: Mapping[str, Sequence[str]]) -> list[int]:
    """Lists the places of the keys that a query's arrows may go to."""
    names = weights.columns.names
    if not arrows:
        return list(range(len(names)))
    query = weights.rows.names[i]
    wanted = {*arrows.get(query, ()), *arrows.get(token_of(query), ())}
    return [j for j, name in enumerate(names) if not wanted.isdisjoint((name, token_of(name)))]


def _before_and_after(trace: Trace, selection: Selection) -> list[Block]:
    """Returns each token's vector as it went in, beside what it came to, where a scenario asks for
    that."""
    X, result = trace.quantities.get(below(trace.scenario.stack.path, "X")), result_of(trace)
    if not trace.scenario.page.show.before_after or X is None or result is None:
        return []
    if X.name == result.name or X.rows.names != result.rows.names:
        return []
    rows = selection.rows(result)
    entries = (("Before", X), ("After", result))
    columns = tuple((name, matrix_block(q, selection)._replace(rows=rows)) for name, q in entries)
    if selection.pictured:
        title = "Each token's vector before attention and after it"
        return [Subheading(("Before and after",)), HeatMaps(title, columns, signed=True)]
    return [Subheading(("Before and after",)), SideBySide("", result.rows.words, rows, columns)]
