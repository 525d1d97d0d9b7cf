"""How products of matrices are done: what a key depends on."""

from __future__ import annotations

from collections.abc import Iterator

from attncli.scenario.model import Layer
from attncli.telling.parts import told_parts
from attncli.trace import CutPlace, LayerPlace, PlannedStep, RoundPlace, Trace

_BY_ROWS = "each token is a row, multiplied by the matrix from the right"
_BY_COLUMNS = "each token is a column, multiplied by the matrix from the left"
_ROWS = {
    False: f"{_BY_ROWS}: x W, the row times the columns of W",
    True: f"{_BY_ROWS}, which is kept out × in: x Wᵀ, the row times the rows of W",
}
"""How products are done, by whether matrices are kept out × in."""
_COLUMNS = {
    False: f"{_BY_COLUMNS}: W x, the rows of W times the column",
    True: f"{_BY_COLUMNS}, which is kept in × out: Wᵀ x, the columns of W times the column",
}
"""The same of recurrent cells, by whether matrices are kept in × out."""


def products_in_words(trace: Trace) -> Iterator[str]:
    """How the products of matrices are done, where there are some."""
    layers = {id(layer): layer for layer in map(_layer_of, filter(_is_worked, told_parts(trace)))}
    rows = {one.attention.said.linear for one in layers.values() if one.recurrent is None}
    columns = {one.recurrent.in_out for one in layers.values() if one.recurrent is not None}
    yield from (_ROWS[layout] for layout in sorted(rows))
    yield from (_COLUMNS[layout] for layout in sorted(columns))


def _is_worked(part: PlannedStep) -> bool:
    """Whether a part is worked, and not one of those that lead to the tokens."""
    of_tokens = isinstance(part.place, RoundPlace | CutPlace) or part.step == "dictionary"
    return bool(part.definitions) and not of_tokens


def _layer_of(part: PlannedStep) -> Layer:
    """The layer of a part; of one that leads to the layers, or on from them, the first."""
    place = part.place
    return place.layer if isinstance(place, LayerPlace) else place.stack.layers[0]
