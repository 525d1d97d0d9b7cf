"""Positions by themselves, with nothing that they would be added to."""

from __future__ import annotations

from attncli.scenario.model import Layer
from attncli.trace import Place

_EMBEDDED = ("embeddings", "X", "patches")
_AFTERWARDS = (
    "embedding_norm", "final_norm", "project_out", "head", "unembedding", "logits", "targets",
)  # fmt: skip


def has_only_positions(place: Place) -> bool:
    """Whether a stack says of its text how positions are told, and nothing that goes in or comes
    after it."""
    stack = place.stack
    said = any(key in stack.said.values for key in (*_EMBEDDED, *_AFTERWARDS))
    is_main = not stack.path
    return is_main and bool(stack.added) and not said and not any(map(_is_taken, stack.layers))


def _is_taken(layer: Layer) -> bool:
    works = layer.attends or layer.has_ffn or bool(layer.experts)
    return works or bool(layer.norms) or layer.recurrent is not None
