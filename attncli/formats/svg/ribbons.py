"""Attention as ribbons, one a query, which part into its weights, above the words with these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from attncli.document.blocks import Edge, Graph
from attncli.formats.numbers import text_of as number_text
from attncli.formats.svg.elements import (
    NOBODY,
    PHONE,
    Askable,
    Picture,
    element,
    in_rows,
    label_text,
    naming,
    number_at,
    sentence,
    showing,
    text_at,
    widest,
    within_limits,
)
from attncli.maths.notation.escaping import printed
from attncli.names import Word

_ONE, _THIN = 36.0, 1.0
"""How wide all of a query's attention is, and the least that is drawn."""
_LINE, _FALL, _GAP, _BETWEEN = 20.0, 80.0, 14.0, 40.0
_MOST_WORDS = 16
"""Of more words a query has those that it attends to alone."""


def ribbons(block: Graph, title: str, asked: Askable = NOBODY) -> Picture:
    """Draws the queries one by one, as many beside each other as fit."""
    words = [*dict.fromkeys([*block.targets, *(edge.target for edge in block.edges)])]
    queries = [[*its] for _, its in groupby(block.edges, attrgetter("source"))]
    others = block.others if has_all(block) else ()
    hidden = {source: [*its] for source, its in groupby(others, attrgetter("source"))}
    parts = [
        _query(edges, hidden.get(edges[0].source, []), words, block.least, asked)
        for edges in queries
    ]
    text = within_limits(
        [
            sentence(f"{printed(edge.source)} to {printed(edge.target)}", [(edge.weight,)])
            for edge in (*block.edges, *others)
        ]
    )
    return in_rows(parts, PHONE, _BETWEEN, _BETWEEN / 2)._replace(title=title, description=text)


def has_all(block: Graph) -> bool:
    """Tells whether there is room for a ribbon to each word."""
    words = {*block.targets, *(edge.target for edge in (*block.edges, *block.others))}
    sources = {edge.source for edge in block.edges}
    return len(words) <= _MOST_WORDS and sources >= {edge.source for edge in block.others}


class _Row(NamedTuple):
    """A row of words below a query."""

    places: Mapping[Word, float]
    """Where each word stands."""
    pitch: float
    """How far one is from the next."""
    top: float
    """Where the query stands."""


def _query(
    edges: Sequence[Edge],
    hidden: Sequence[Edge],
    words: Sequence[Word],
    least: float,
    asked: Askable,
) -> Picture:
    """Draws a query above the word that is its own, or the middle of the row; of weights that are
    `hidden` no ribbons."""
    by_word = {edge.target: edge for edge in (*edges, *hidden)}
    shown = [word for word in words if len(words) <= _MOST_WORDS or word in by_word]
    source = edges[0].source
    pitch = _GAP + widest(
        [*map(label_text, (source, *shown)), *(number_text(e.weight) for e in by_word.values())]
    )
    pitch = max(pitch, _ONE + _GAP)
    places = {word: pitch * (k + 0.5) for k, word in enumerate(shown)}
    row = _Row(places, pitch, places.get(source, pitch * len(shown) / 2))
    kept = [by_word[word] for word in shown if word in by_word]
    own = naming([edge.weight for edge in kept], asked)
    of_row = {"data_row": own["data_cell"]} if own else {}
    elements = (
        text_at(row.top, _LINE / 2, label_text(source), "middle most inked Q", **of_row),
        *_parted(kept, hidden, row, least, asked),
        *(
            part
            for word in shown
            for part in _key(by_word.get(word), hidden, word, places[word], asked)
        ),
    )
    return Picture("", (), (pitch * len(shown), _FALL + 3 * _LINE), elements)


def _key(
    edge: Edge | None, hidden: Sequence[Edge], word: Word, x: float, asked: Askable
) -> Iterator[str]:
    """Draws a word and below it the weight, quietly if it has no ribbon."""
    has_ribbon = edge is not None and edge not in hidden
    own = naming([edge.weight], asked) if edge else {}
    kind = "middle inked K" if has_ribbon else "middle aside"
    yield text_at(x, _FALL + 1.5 * _LINE + 4, label_text(word), kind, **own)
    if edge:
        kind = "middle" if has_ribbon else "middle aside"
        yield number_at(x, _FALL + 2.5 * _LINE, edge.weight, kind, asked)


def _parted(
    edges: Sequence[Edge], hidden: Sequence[Edge], row: _Row, least: float, asked: Askable
) -> Iterator[str]:
    """Draws the ribbons from the left to the right, so that none is before another; those that are
    `hidden` only for the case that their weights become larger."""
    weights = [0.0 if edge in hidden else float(edge.weight.full) for edge in edges]
    start = row.top - _ONE * sum(weights) / 2
    for edge, weight in zip(edges, weights, strict=True):
        if edge in hidden and not asked.changing:
            continue
        wide = _ONE * weight
        x, to_x, middle = start + wide / 2, row.places[edge.target], _LINE + _FALL / 2
        turns = f"{x:.1f} {middle:.1f}, {to_x:.1f} {middle:.1f}, {to_x:.1f} {_LINE + _FALL:.1f}"
        way = f"M{x:.1f} {_LINE:.1f} C{turns}"
        kind = "ribbon most" if weight == max(weights) else "ribbon"
        scale, room = (row.top, _ONE, _THIN, least), row.pitch - _GAP / 2
        shows = showing(edge.weight, asked, "stroke-width", (room,), *scale)
        unseen = {"display": "none"} if edge in hidden else {}
        yield element("path", d=way, class_=kind, stroke_width=max(wide, _THIN), **shows, **unseen)
        start += wide
