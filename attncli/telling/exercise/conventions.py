"""How products of matrices are done: what a key depends on."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.languages.words import FactWords
from attncli.scenario.model import Layer
from attncli.telling.parts import told_parts
from attncli.trace import CutPlace, LayerPlace, PlannedStep, RoundPlace, Trace


def products_in_words(trace: Trace, words: FactWords) -> Iterator[str]:
    """How the products of matrices are done, where there are some."""
    layers = {id(layer): layer for layer in map(_layer_of, filter(_is_worked, told_parts(trace)))}
    rows = {one.attention.said.linear for one in layers.values() if one.recurrent is None}
    columns = {one.recurrent.in_out for one in layers.values() if one.recurrent is not None}
    out_in, in_out = words.rows_out_in, words.columns_in_out
    yield from (out_in if kept_so else words.rows for kept_so in sorted(rows))
    yield from (in_out if kept_so else words.columns for kept_so in sorted(columns))


def _is_worked(part: PlannedStep) -> bool:
    """Whether a part is worked, and not one of those that lead to the tokens."""
    of_tokens = isinstance(part.place, RoundPlace | CutPlace) or part.step == "dictionary"
    return bool(part.definitions) and not of_tokens


def _layer_of(part: PlannedStep) -> Layer:
    """The layer of a part; of one that leads to the layers, or on from them, the first."""
    place = part.place
    return place.layer if isinstance(place, LayerPlace) else place.stack.layers[0]
