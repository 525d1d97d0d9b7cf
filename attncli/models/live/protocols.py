"""What is used of the modules and caches of PyTorch and `transformers`, whose types aren't known
where they aren't installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import torch


class Module(Protocol):
    """A module of PyTorch; the last two are those of a model of `transformers`."""

    def __call__(self, *inputs: object, **more: object) -> object: ...

    def state_dict(self) -> Mapping[str, torch.Tensor]: ...

    def modules(self) -> Iterable[object]: ...

    def named_modules(self) -> Iterable[tuple[str, object]]: ...

    def get_output_embeddings(self) -> object: ...

    def save_pretrained(self, folder: str, *, state_dict: object) -> object: ...


class Config(Protocol):
    """A config of `transformers`."""

    def to_json_string(self, use_diff: bool) -> str: ...


class CacheLayer(Protocol):
    """The keys and values of one layer."""

    keys: torch.Tensor
    values: torch.Tensor

    def get_seq_length(self) -> int: ...


class Cache(Protocol):
    """A cache of keys and values: that of a decoder beside an encoder has one of each, and others
    have layers."""

    layers: Sequence[CacheLayer]
    self_attention_cache: object
    cross_attention_cache: object
    is_updated: Mapping[int, bool]
