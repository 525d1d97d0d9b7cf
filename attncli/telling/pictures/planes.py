"""Vectors of two dimensions as arrows: embeddings, queries, keys and values, outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from attncli.pictures import Arrow, ArrowGroup, Plane
from attncli.telling.parts import made_by, operands_of
from attncli.telling.pictures.places import called, cut
from attncli.telling.selection import Selection
from attncli.trace import AttentionPlace, PlannedStep, Quantity, Trace

_MOST_ARROWS = 12
_PLANE = 2
_TITLES: Mapping[str, str] = MappingProxyType(
    {
        "embed": "The embeddings",
        "scores": "Queries, keys and values",
        "weighted_sum": "What attention makes of the values",
    }
)


def pictures(trace: Trace, part: PlannedStep, _: Selection) -> Iterator[Plane]:
    """What a part takes and makes, as far as it is of two dimensions."""
    shown = [one for one in _vectors(trace, part) if one.matrix.shape[1] == _PLANE]
    if shown:
        groups = tuple(ArrowGroup(*_name(part, one), tuple(_arrows(one))) for one in shown)
        longest = max(one.matrix.shape[0] for one in shown)
        title = _TITLES[part.step] + cut(_MOST_ARROWS, longest, "tokens")
        yield Plane(called(part, title), groups)


def _vectors(trace: Trace, part: PlannedStep) -> Sequence[Quantity]:
    """The vectors of a part."""
    if part.step == "embed":
        return made_by(trace, part)[-1:]
    place = part.place
    assert isinstance(place, AttentionPlace)
    values = trace.quantities.get(place.latest("V"))
    kept = [] if values is None else [values]
    if part.step == "scores":
        return [*operands_of(trace, part), *kept]
    return [*kept, *made_by(trace, part)]


def _name(part: PlannedStep, quantity: Quantity) -> tuple[str, str]:
    """What a quantity is called here, and the name of its ink."""
    role = quantity.local.removeprefix("rotated_").removeprefix("normed_").removesuffix("_new")
    return part.place.here(quantity.name), role if role in ("Q", "K", "V") else ""


def _arrows(quantity: Quantity) -> Iterator[Arrow]:
    for i, word in enumerate(quantity.rows.words[:_MOST_ARROWS]):
        yield Arrow(word, (quantity.number(i, 0), quantity.number(i, 1)))
