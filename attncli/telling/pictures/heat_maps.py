"""The weights of attention as heat maps: of all heads side by side, where these are put together,
or of the only one."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.name import Name, below
from attncli.pictures import HeatMaps
from attncli.telling.blocks import matrix_block
from attncli.telling.parts import place_in_words
from attncli.telling.pictures.places import called
from attncli.telling.selection import Selection
from attncli.trace import AttentionPlace, HeadPlace, PlannedStep, Trace


def pictures(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[HeatMaps]:
    """One picture for each attention."""
    place = part.place
    assert isinstance(place, AttentionPlace)
    heads = place.attention.heads
    if isinstance(place, HeadPlace) != (heads == 1):
        return
    named = (
        (path, below(path, "weights")) for path in map(place.attention.head_path, range(heads))
    )
    maps = tuple(
        (_label(path), matrix_block(trace.quantities[name], selection, place.attention.path))
        for path, name in named
        if name in trace
    )
    if maps:
        title = "Weights of attention, a map for each head" if heads > 1 else "Weights of attention"
        yield HeatMaps(called(part, title), maps)


def _label(path: Name) -> str:
    return place_in_words(path.alone) if path.local == "heads" else ""
