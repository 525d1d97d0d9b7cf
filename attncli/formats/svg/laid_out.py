"""The numbers that a picture is laid out by, for which a script has to have it drawn anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attncli.document.blocks import Graph
from attncli.document.pictures import Bars, Curves, HeatMaps, Picture, Pixels, Plane
from attncli.formats.svg.elements import Askable
from attncli.formats.svg.heat_maps import entries_of, has_all
from attncli.formats.svg.ribbons import has_all as has_ribbons_of_all
from attncli.maths.equations.tree import Blank, Number


class LaidOut(NamedTuple):
    """What a picture is laid out by."""

    places: Sequence[int] = ()
    """The places of the numbers."""
    below: float | None = None
    """What they may become other ones below, as they have no shape there."""


def laid_out_by(block: Picture | Graph, asked: Askable) -> LaidOut | None:
    """Returns what the picture is laid out by; None where it has numbers without a place, or leaves
    some out."""
    if isinstance(block, HeatMaps) and not has_all(block):
        return None
    shown, others, below = _numbers_of(block)
    places = [
        place
        for number in (*shown, *others)
        if isinstance(number, Number) and (place := asked.place(number)) is not None
    ]
    has_places = len(places) == len(shown) + len(others)
    return LaidOut(places[len(shown) :], below) if has_places else None


_Numbers = Sequence[Number | Blank]


def _numbers_of(block: Picture | Graph) -> tuple[_Numbers, _Numbers, float | None]:
    """Returns the numbers that shapes of the picture show, those that it is laid out by, and below
    what these have no shape."""
    match block:
        case HeatMaps():
            return [*entries_of(block)], (), None
        case Bars():
            return [*_numbers_in(block.series)], block.said_of, None
        case Pixels() | Plane() | Curves():
            return [*_numbers_in(block)], (), None
        case Graph() if has_ribbons_of_all(block):
            return [*_numbers_in((block.edges, block.others))], (), None
        case Graph() if not any(0 < edge.weight.shown >= block.least for edge in block.others):
            return [*_numbers_in(block.edges)], [*_numbers_in(block.others)], block.least
        case _:
            return (), [*_numbers_in(block)], None


def _numbers_in(value: object) -> Iterator[Number | Blank]:
    """Yields the numbers of a picture, in whatever part of it."""
    if isinstance(value, Number | Blank):
        yield value
    elif isinstance(value, tuple | list):
        for entry in value:
            yield from _numbers_in(entry)
