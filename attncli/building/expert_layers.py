"""Which layers of a model have experts, as its settings have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attncli.scenario.template_tensors import EVERY_OTHER, layers_with

Data = Mapping[str, Any]

SPARSE = "sparse"
"""The type of layers with experts."""


def sparse_layers(config: Data) -> list[int]:
    """The numbers, from 1, of the layers whose feed-forward network is experts: every so many, but
    for those that are said to have none."""
    dense, step = config.get("mlp_only_layers", ()), config.get("decoder_sparse_step", 1)
    experts = config.get("num_experts", config.get("num_local_experts"))
    last = int(config["num_hidden_layers"]) if experts else 0
    return [k for k in range(1, last + 1) if not k % step and k - 1 not in dense]


def dense_layers(config: Data) -> list[int]:
    """The numbers of the others."""
    sparse = sparse_layers(config)
    return [k for k in range(1, int(config["num_hidden_layers"]) + 1) if k not in sparse]


def some_layers(numbers: Sequence[int], config: Data) -> object:
    """Some of the layers as a scenario says them; None where they are all or none."""
    count = int(config["num_hidden_layers"])
    if len(numbers) in (0, count):
        return None
    words = (word for word in EVERY_OTHER if layers_with(word, count) == [k - 1 for k in numbers])
    return next(words, [str(k) for k in numbers])
