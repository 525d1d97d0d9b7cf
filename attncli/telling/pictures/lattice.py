"""All ways to cut a word as a lattice, from place to place, with the best path."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.notation.plain import plain
from attncli.pictures import Box, Diagram, Link
from attncli.steps.tokenizers.pieces import table_of
from attncli.telling.pictures.places import called
from attncli.telling.selection import Selection
from attncli.tokenizing.unigram import PieceEnding
from attncli.trace import CutPlace, PlannedStep, Trace
from attncli.word import Word

LONGEST = 12
"""Longer words have no picture."""


def pictures(trace: Trace, part: PlannedStep, _: Selection) -> Iterator[Diagram]:
    """A box for each place that pieces reach, with its best total; an arrow for each piece."""
    place = part.place
    points = table_of(place)
    if not isinstance(place, CutPlace) or not points or len(place.word) > LONGEST:
        return
    boxes = [Box("p0", "start", "", 0, 0, True)]
    way = _way(part)
    for point in points:
        best = trace[place.name("best", point.end)].number(0, 0)
        reached = any(one.start == point.end for one in way) or point.end == len(place.word)
        label = Word(place.word[: point.end])
        boxes.append(Box(f"p{point.end}", label, plain(best), point.end, 0, reached))
    pieces = sorted((one.start, point.end, one) for point in points for one in point.candidates)
    links = tuple(
        Link(f"p{start}", f"p{end}", _label(trace, part, one), one in way)
        for start, end, one in pieces
    )
    title = Word(called(part, f"All ways to cut {place.word}, and the best path"))
    yield Diagram(title, tuple(boxes), links)


def _way(part: PlannedStep) -> list[PieceEnding]:
    """The pieces of the best path, from the end back."""
    places = {point.end: point for point in table_of(part.place)}
    end, way = max(places, default=0), list[PieceEnding]()
    while end:
        way.append(places[end].best)
        end = way[-1].start
    return way


def _label(trace: Trace, part: PlannedStep, piece: PieceEnding) -> Word:
    """A piece with its log-probability."""
    place = part.place
    if not piece.known:
        return Word(f"{piece.token} {plain(trace[place.name('unknown')].number(0, 0))}")
    end = piece.start + len(piece.token)
    definition = trace[place.name("totals", end)].definition
    assert definition is not None
    log_p = trace[definition.operands[0]]
    return Word(f"{piece.token} {plain(log_p.number(log_p.rows.names.index(piece.token), 0))}")
