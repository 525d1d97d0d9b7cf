"""The way back through a stack on a page in brief: the layer that it comes to first, which is the
last, is told; those that go back alike are told by the gradient that they hand on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from attncli.document import Prose, Section, Spans, Term
from attncli.name import GRADIENTS, Name, below
from attncli.tables import Data, MatrixBlock
from attncli.telling.blocks import matrix_block
from attncli.telling.in_pairs import with_forward
from attncli.telling.parts import made_by, place_in_words
from attncli.telling.quantities import only_data
from attncli.telling.sections import section_of
from attncli.telling.selection import Selection
from attncli.trace import BackwardPlace, LayerPlace, PlannedStep, Trace


class Alike(NamedTuple):
    """A part that goes back through a layer as a `told` one does; the last one of it tells what is
    handed on."""

    part: PlannedStep
    place: LayerPlace
    told: Name
    is_last: bool


def going_back_alike(shown: Sequence[PlannedStep], selection: Selection) -> Mapping[int, Alike]:
    """The parts of a page, by their places in it, that go back through a layer as those before do
    through another one of the same stack; none where all is asked for."""
    if selection.whole or selection.detail != "rows":
        return {}
    places = {k: place for k, part in enumerate(shown) if (place := _layer_of(part)) is not None}
    last = {place.layer.path: k for k, place in places.items()}
    told = _told_instead(shown, places)
    return {
        k: Alike(shown[k], place, told[place.layer.path], last[place.layer.path] == k)
        for k, place in places.items()
        if told[place.layer.path] != place.layer.path
    }


def _told_instead(
    shown: Sequence[PlannedStep], places: Mapping[int, LayerPlace]
) -> dict[Name, Name]:
    """For each layer the first one of its stack that goes back by all steps that it does, which is
    itself where its cell, say, is of another kind."""
    steps: dict[Name, set[str]] = {}
    for k, place in places.items():
        steps.setdefault(place.layer.path, set()).add(shown[k].step)
    instead: dict[Name, Name] = {}
    for place in places.values():
        own = place.layer.path
        before = [told for told in instead.values() if told.path == own.path]
        wider = (told for told in before if steps[told] >= steps[own])
        instead.setdefault(own, next(wider, own))
    return instead


def _layer_of(part: PlannedStep) -> LayerPlace | None:
    """The place of what a step goes back through, if that is in a layer."""
    place = part.place
    forward = place.forward if isinstance(place, BackwardPlace) else None
    return forward if isinstance(forward, LayerPlace) else None


def in_a_word(trace: Trace, one: Alike, number: int, selection: Selection) -> Section:
    """The section of such a part: data, and of the last one of its layer how to read it and what it
    hands on."""
    if not one.is_last:
        return section_of(trace, one.part, number, only_data(trace, one.part, selection))
    layer = one.place.layer.path
    tables = [matrix_block(made, selection, one.part.path) for made in made_by(trace, one.part)]
    told = [table if _goes_in(trace, table, layer) else Data(table) for table in tables]
    blocks = [Prose(_says(one)), *with_forward(trace, one.part, told)]
    return section_of(trace, one.part, number, blocks)._replace(formulas=())


def _says(one: Alike) -> Spans:
    """`Layer 1 goes back as layer 2 does, with its own numbers: see --layer 1.`"""
    layer = one.place.layer.path.alone
    option = f"--layer {below(one.place.stack.path, str(layer.number))}"
    says = f"{place_in_words(layer)} goes back as {place_in_words(one.told.alone).lower()} does"
    return (f"{says}, with its own numbers: see ", Term(option), ".")


def _goes_in(trace: Trace, table: MatrixBlock, layer: Name) -> bool:
    """Whether a table is the gradient of what goes into a layer: of what is made before it."""
    of = table.quantity.seen_from(GRADIENTS)
    return of in trace.quantities and not of.inside(layer) and not trace[of].given
