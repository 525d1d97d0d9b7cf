"""A case, and how PyTorch's parameters are written as a scenario's matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

Mapping = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A scenario, and what PyTorch says that its quantities are."""

    scenario: Mapping
    expected: dict[str, Any]


Family = Callable[[np.random.Generator], Case]


def case(scenario: Mapping, **expected: Any) -> Case:
    """A case under `exact`; names of quantities may have `__` for a dot."""
    return Case(
        {**scenario, "rounding": {"policy": "exact"}},
        {name.replace("__", "."): array(values) for name, values in expected.items()},
    )


def array(values: Any) -> Any:
    """A tensor or whatever as a matrix."""
    numbers = values.detach().numpy() if isinstance(values, torch.Tensor) else np.array(values)
    return numbers if numbers.ndim > 1 else numbers.reshape(1, -1)


def matrix(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    """Random numbers of the size that weights have."""
    return torch.from_numpy(rng.normal(0, 0.6, shape))


def shake(rng: np.random.Generator, module: Any) -> Any:
    """The module with random numbers in every parameter, gains and biases too."""
    with torch.no_grad():
        for parameter in module.double().parameters():
            parameter.copy_(matrix(rng, *parameter.shape))
    return module


@contextmanager
def recorded(modules: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the named modules give while they are at work, without the batch."""
    made: dict[str, Any] = {}

    def keep(name: str) -> Any:
        def hook(_module: Any, _inputs: Any, output: Any) -> None:
            made[name] = array(output[0])

        return hook

    hooks = [module.register_forward_hook(keep(name)) for name, module in modules.items()]
    try:
        yield made
    finally:
        for hook in hooks:
            hook.remove()


def linear(module: Any, weight: str, bias: str) -> Mapping:
    """An nn.Linear's matrices under our names."""
    record = {weight: array(module.weight)}
    if module.bias is not None:
        record[bias] = module.bias.detach().numpy()
    return record


def norm(module: Any) -> Mapping:
    """An nn.LayerNorm's or nn.RMSNorm's record."""
    record: Mapping = {"epsilon": module.eps}
    if isinstance(module, torch.nn.RMSNorm):
        record["kind"] = "rms"
    if module.weight is not None:
        record["gamma"] = module.weight.detach().numpy()
    if getattr(module, "bias", None) is not None:
        record["beta"] = module.bias.detach().numpy()
    return record


def multihead(module: Any) -> Mapping:
    """An nn.MultiheadAttention's matrices: its three projections may be stored as one."""
    record: Mapping = {"heads": module.num_heads, "weights_layout": "linear"}
    if module.in_proj_weight is not None:
        weights = module.in_proj_weight.chunk(3)
    else:
        weights = (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight)
    for name, weight in zip("QKV", weights, strict=True):
        record[f"W_{name}"] = array(weight)
    if module.in_proj_bias is not None:
        for name, bias in zip("QKV", module.in_proj_bias.chunk(3), strict=True):
            record[f"b_{name}"] = bias.detach().numpy()
    return record | linear(module.out_proj, "W_O", "b_O")


def blocked(rng: np.random.Generator, n: int, m: int) -> Any:
    """A table of what is not seen; each query sees its own key, or the first."""
    table = rng.random((n, m)) < 0.4
    table[:, 0] = False
    return table


def padding(rng: np.random.Generator, m: int) -> Any:
    """Which keys are padding: never the first."""
    padded = rng.random(m) < 0.3
    padded[0] = False
    return padded


def positions(padded: Any) -> list[int]:
    """The positions, counted from 1, of the keys that are padding."""
    return [int(j) + 1 for j in np.flatnonzero(padded)]


def size(rng: np.random.Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high + 1))


def coin(rng: np.random.Generator) -> bool:
    return bool(rng.random() < 0.5)


def head(j: int, heads: int) -> str:
    """A head's path, which a single head goes without."""
    return f"heads[{j + 1}]." if heads > 1 else ""
