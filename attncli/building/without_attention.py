"""A scenario of a part that needs no attention: a feed-forward network, a norm, an activation,
positions that are added, a head or logits by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attncli.scenario.model import Layer, Settings
from attncli.steps.schema import ATTENTION

FFN = ("W1", "W2", "W3", "b1", "b2", "b3", "experts")
_NETWORK = (*FFN, "activation", "gated")
_NORM = ("norm", "norms", "norm1")
_WITHOUT = (
    *_NETWORK, *_NORM, "final_norm", "project_in", "project_out", "head", "positions",
    "unembedding", "logits", "probabilities",
)  # fmt: skip
_ATTENDING = ("block", "queries", "keys", "values", "memory", "encoder", "d_k", "d_v")
_FOR_ALL = ("weights_layout",)
"""What is said of attention, and of what comes after it alike."""


def needs_no_attention(values: Mapping[str, Any]) -> bool:
    """Whether nothing is said of an attention, but something of what may stand without one."""
    attending = (*_ATTENDING, *(key for key in ATTENTION if key not in _FOR_ALL))
    return not any(key in values for key in attending) and any(key in values for key in _WITHOUT)


def without_attention(layer: Layer, norm: Settings) -> Layer:
    """The layer without its attention; a norm that is said is taken, if there is nothing else."""
    values = layer.said.values
    has_ffn = any(key in values for key in _NETWORK)
    layer = layer._replace(attends=False, has_ffn=has_ffn)
    alone = not has_ffn and "norm" not in values and any(key in values for key in _NORM)
    return layer._replace(norm="post", norms=(norm,)) if alone else layer
