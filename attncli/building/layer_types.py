"""Which layers of a model see only what is near, and which have experts, as `config.json` lists it
or its kind has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from attncli.scenario.template_tensors import EVERY_OTHER, layers_with

Data = Mapping[str, Any]

WINDOWED, WHOLE = "sliding_attention", "full_attention"
"""The types of layers, by the names that `transformers` has for them."""
SPARSE = "sparse"
"""That of layers with experts."""


def layer_types(config: Data, count: int) -> Sequence[str]:
    """The types of so many layers; `transformers` writes them, but not all that is published was
    written by it."""
    said = config.get("layer_types")
    if said:
        return list(map(str, said))
    is_windowed = _WINDOWED.get(str(config.get("model_type")))
    if is_windowed is None:
        return [WHOLE] * count
    return [WINDOWED if is_windowed(config, k) else WHOLE for k in range(count)]


def sparse_layers(config: Data) -> list[int]:
    """The numbers, from 1, of the layers whose feed-forward network is experts: every so many, but
    for those that are said to have none."""
    dense, step = config.get("mlp_only_layers") or (), config.get("decoder_sparse_step") or 1
    last = int(config["num_hidden_layers"]) if config.get("num_experts") != 0 else 0
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


def window_asked_for(config: Data) -> object:
    """The window of a model that has one only where that is asked for."""
    return config.get("sliding_window") if config.get("use_sliding_window") else None


def _all_but_each(default: int) -> Callable[[Data, int], bool]:
    def is_windowed(config: Data, k: int) -> bool:
        return bool((k + 1) % int(config.get("sliding_window_pattern", default)))

    return is_windowed


def _late(config: Data, k: int) -> bool:
    return bool(config.get("use_sliding_window")) and k >= int(config.get("max_window_layers", 28))


def _early_odd(config: Data, k: int) -> bool:
    early = k < int(config.get("max_window_layers", 28)) and not k % 2
    return bool(config.get("use_sliding_window")) and early


_WINDOWED: Mapping[str, Callable[[Data, int], bool]] = MappingProxyType({
    "gemma2": _all_but_each(2),
    "gemma3_text": _all_but_each(6),
    "qwen2": _late,
    "qwen3": _late,
    "qwen2_moe": _early_odd,
})  # fmt: skip
"""Whether layer k, from 0, of a kind of models has a window."""
