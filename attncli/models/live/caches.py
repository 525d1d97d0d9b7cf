"""A library's cache of keys and values, as what a scenario's `cache` is.

Libraries keep keys as they are compared, normalized and turned; a scenario's are as they are
projected, so that both is undone.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeGuard, TypeVar

import numpy as np

from attncli.errors import UserError
from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers.foreign_arrays import as_array
from attncli.maths.numbers.rounding import Array
from attncli.maths.operations.positions import Rotate
from attncli.names import Name, below
from attncli.scenario.model import Attention
from attncli.trace import Trace

if TYPE_CHECKING:
    from attncli.models.live.protocols import Cache, CacheLayer
    from attncli.scenario.file.keys import KeyValues

T = TypeVar("T")
_BOTH = "self_attention_cache"
_DECIMALS = 6


class Cached(NamedTuple):
    """A cache of one layer: the keys and values of its earlier tokens, [c, kv_heads · d]."""

    K: Array
    V: Array

    def said(self) -> dict[str, object]:
        """Returns the cache in the words of a scenario."""
        tokens = [f"cached {k}" for k in range(1, len(self.K) + 1)]
        return {"cache": {"tokens": tokens, "K": self.K, "V": self.V}} if tokens else {}


def is_cache(value: object) -> TypeGuard[Cache]:
    return hasattr(value, "update") and (hasattr(value, "layers") or hasattr(value, _BOTH))


def fresh(value: object) -> object:
    """Copies a cache, which a model writes into; returns anything else as it is."""
    if not is_cache(value):
        return value
    made = copy.copy(value)
    if hasattr(value, _BOTH):
        made.self_attention_cache = fresh(value.self_attention_cache)
        made.cross_attention_cache = fresh(value.cross_attention_cache)
        made.is_updated = dict(value.is_updated)
    else:
        made.layers = [_fresh_layer(layer) for layer in value.layers]
    return made


def _fresh_layer(layer: T) -> T:
    made = copy.copy(layer)
    for name, value in vars(layer).items():
        if hasattr(value, "detach"):
            setattr(made, name, value.detach().clone())
    return made


def cached_in(cache: Cache, batch: int) -> list[Cached]:
    """Reads the keys and values of each layer, of an entry of a batch. Raises UserError for a cache
    that isn't worked here."""
    if hasattr(cache, _BOTH):
        wrong = "this is the cache of a decoder beside an encoder, which isn't worked here"
        raise UserError.of("argument past_key_values", wrong, "give all tokens, without a cache")
    each = [_of_layer(layer, batch) for layer in cache.layers]
    found = [entry for entry in each if entry is not None]
    if found and len(found) < len(each):
        wrong = "some of its layers hold no keys and values"
        raise UserError.of("argument past_key_values", wrong, "give a cache that all layers fill")
    return found


def _of_layer(layer: CacheLayer, batch: int) -> Cached | None:
    if getattr(layer, "keys", None) is None:
        return None
    count = int(layer.get_seq_length())
    if count > layer.keys.shape[-2] or (
        getattr(layer, "is_sliding", False) and getattr(layer, "is_compileable", False)
    ):
        wrong = "a layer with a window has dropped its first tokens, which isn't worked here"
        right = "give a cache of fewer tokens, or all tokens without one"
        raise UserError.of("argument past_key_values", wrong, right)
    both = (np.asarray(as_array(numbers)) for numbers in (layer.keys, layer.values))
    rows = (numbers[batch][:, :count] for numbers in both)
    K, V = (each.transpose(1, 0, 2).reshape(each.shape[1], -1) for each in rows)
    return Cached(K, V)


def as_projected(cached: Sequence[Cached], trace: Trace) -> list[Cached]:
    """Returns the caches with keys as they are before they are normalized and turned, by a trace
    that has as many of them."""
    layers = trace.scenario.stack.layers
    return [
        each._replace(K=_layer_as_projected(each.K, layer.attention, trace))
        for each, layer in zip(cached, layers, strict=True)
    ]


def _layer_as_projected(K: Array, attention: Attention, trace: Trace) -> Array:
    groups = attention.kv_heads
    firsts = range(0, attention.heads, attention.heads // groups)
    parts = zip(np.split(K, groups, axis=1), map(attention.head_path, firsts), strict=True)
    turned = np.concatenate([_turned_back(part, path, trace) for part, path in parts], axis=1)
    settings = attention.config.values.get("qk_norm")
    if settings is None:
        return turned
    together = below(attention.path, "normed_K") in trace
    wide = np.split(turned, 1 if together else groups, axis=1)
    gamma, beta = (_given(attention.path, name, trace) for name in ("gamma_K", "beta_K"))
    return np.concatenate([_scaled_back(part, gamma, beta, settings) for part in wide], axis=1)


def _given(path: Name, name: str, trace: Trace) -> Array | None:
    full = below(below(path, "qk_norm"), name)
    return np.ravel(trace[full].values) if full in trace else None


def _turned_back(K: Array, path: Name, trace: Trace) -> Array:
    """Keys before their rotation, where they are turned."""
    turned = below(path, "rotated_K")
    definition = trace[turned].definition if turned in trace else None
    if definition is None or not isinstance(definition.operation, Rotate):
        return K
    cosine, sine = (trace[name].values[: len(K)] for name in definition.operands[1:])
    size = cosine**2 + sine**2  # more than 1 where they are scaled, too
    operands = (_matrix(values) for values in (K, cosine / size, sine / size))
    return replace(definition.operation, back=True).values(*operands)


def _matrix(values: Array) -> Matrix:
    return Matrix(values, None, _DECIMALS)


def _scaled_back(y: Array, gamma: Array | None, beta: Array | None, settings: KeyValues) -> Array:
    """Scales rows so that their norm is y: those of the length that ε leaves."""
    y = y if beta is None else y - beta
    if gamma is not None:
        y = y / (gamma + 1 if settings.get("gamma_plus_one") else gamma)
    epsilon = max(float(settings.get("epsilon", 0)), _LEAST)
    missing = np.maximum(1 - (y**2).mean(axis=1, keepdims=True), _LEAST)
    scaled: Array = y * np.sqrt(epsilon / missing)
    return scaled


_LEAST = 1e-9
