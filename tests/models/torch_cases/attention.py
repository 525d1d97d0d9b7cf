"""nn.MultiheadAttention and F.scaled_dot_product_attention."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn import functional

from tests.models.torch_cases.case import (
    Case,
    Family,
    Mapping,
    array,
    blocked,
    case,
    coin,
    head,
    matrix,
    multihead,
    padding,
    positions,
    shake,
    size,
)  # fmt: skip


def float_mask(rng: np.random.Generator, n: int, m: int) -> torch.Tensor:
    """Finite numbers, −inf alone, or both."""
    mask = matrix(rng, n, m) if coin(rng) else torch.zeros(n, m, dtype=torch.float64)
    if coin(rng):
        mask[torch.from_numpy(blocked(rng, n, m))] = -torch.inf
    return mask


def masks(rng: np.random.Generator, n: int, m: int) -> tuple[list[Mapping | str], Mapping]:
    """Masks as a scenario says them, and as nn.MultiheadAttention takes them."""
    entries: list[Mapping | str] = []
    given: Mapping = {}
    kind = rng.choice(["none", "bool", "float", "causal"] if n == m else ["none", "bool", "float"])
    if kind == "bool":
        table = blocked(rng, n, m)
        entries.append({"blocked": table} if coin(rng) else {"allowed": ~table})
        given["attn_mask"] = torch.from_numpy(table)
    elif kind == "float":
        given["attn_mask"] = float_mask(rng, n, m)
        entries.append({"add": array(given["attn_mask"])})
    elif kind == "causal":
        given["attn_mask"] = torch.triu(torch.ones(n, m, dtype=torch.bool), diagonal=1)
        entries.append("causal")
    if coin(rng) and kind != "float":
        padded = padding(rng, m)
        if padded.any():
            entries.append({"padding": positions(padded)})
            given["key_padding_mask"] = torch.from_numpy(padded)[None]
    return entries, given


def _attended(module: Any, scenario: Mapping, inputs: tuple[Any, Any, Any], given: Mapping) -> Case:
    """The case of a module at work, with the weights of each head and their mean."""
    batch = [x[None] for x in inputs]
    attention, each = module(*batch, **given, average_attn_weights=False)
    _, mean = module(*batch, **given)
    heads = module.num_heads
    weights = {f"{head(j, heads)}weights": each[0, j] for j in range(heads)}
    return case(scenario, attention=attention[0], **weights, **{"mean of weights": mean[0]})


def _module(rng: np.random.Generator, **sizes: Any) -> Any:
    heads = size(rng, 1, 4)
    width = heads * size(rng, 1, 4)
    module = torch.nn.MultiheadAttention(width, heads, bias=coin(rng), batch_first=True, **sizes)
    return shake(rng, module)


def self_attention(rng: np.random.Generator) -> Case:
    """Queries, keys and values of the same rows."""
    module, n = _module(rng), size(rng, 1, 6)
    X = matrix(rng, n, module.embed_dim)
    entries, given = masks(rng, n, n)
    scenario = {"X": array(X), "mask": entries} if entries else {"X": array(X)}
    return _attended(module, scenario | multihead(module), (X, X, X), given)


def cross_attention(rng: np.random.Generator) -> Case:
    """Keys and values of a memory of another length and width."""
    width, n, m = size(rng, 1, 6), size(rng, 1, 5), size(rng, 1, 6)
    module = _module(rng, kdim=width, vdim=width)
    X, memory = matrix(rng, n, module.embed_dim), matrix(rng, m, width)
    entries, given = masks(rng, n, m)
    entries = [mask for mask in entries if mask != "causal"] if n != m else entries
    scenario = {"X": array(X), "memory": array(memory), **({"mask": entries} if entries else {})}
    return _attended(module, scenario | multihead(module), (X, memory, memory), given)


def separate_inputs(rng: np.random.Generator) -> Case:
    """Queries, keys and values of rows of their own, each of its own width."""
    kdim, vdim, n, m = (size(rng, 1, 5) for _ in range(4))
    module = _module(rng, kdim=kdim, vdim=vdim)
    inputs = matrix(rng, n, module.embed_dim), matrix(rng, m, kdim), matrix(rng, m, vdim)
    names = ("queries", "keys", "values")
    scenario = {name: array(x) for name, x in zip(names, inputs, strict=True)}
    return _attended(module, scenario | multihead(module), inputs, {})


def cached_attention(rng: np.random.Generator) -> Case:
    """The last rows of a causal sequence, the keys and values of the others remembered."""
    module, n = _module(rng), size(rng, 2, 6)
    old = size(rng, 1, n - 1)
    X = matrix(rng, n, module.embed_dim)
    causal = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
    whole, _ = module(X[None], X[None], X[None], attn_mask=causal)
    record = multihead(module)
    cache = {
        name: array(X[:old]) @ record[f"W_{name}"].T + record.get(f"b_{name}", 0) for name in "KV"
    }
    tokens = [f"old{i}" for i in range(old)]
    scenario = {"X": array(X[old:]), "mask": "causal", "cache": {"tokens": tokens, **cache}}
    return case(scenario | record, attention=whole[0, old:])


def _given(rng: np.random.Generator, heads: int, groups: int, shape: tuple[int, int]) -> Any:
    """Q, K and V [h, n, d], and the scenario that gives them side by side."""
    n, m = shape
    d_k, d_v = size(rng, 1, 4), size(rng, 1, 4)
    Q, K, V = matrix(rng, heads, n, d_k), matrix(rng, groups, m, d_k), matrix(rng, groups, m, d_v)
    sides = {
        name: np.hstack([array(value) for value in x])
        for name, x in zip("QKV", (Q, K, V), strict=True)
    }
    return (Q, K, V), {**sides, "heads": heads, "kv_heads": groups}


def _outputs(tensors: Any, scenario: Mapping, **given: Any) -> Case:
    outputs = functional.scaled_dot_product_attention(*(x[None] for x in tensors), **given)[0]
    heads = len(outputs)
    expected = {f"{head(j, heads)}output": outputs[j] for j in range(heads)}
    return case(scenario, **expected)


def scaled_dot_product(rng: np.random.Generator) -> Case:
    """Each kind of mask and of scale over given Q, K and V."""
    n, m = size(rng, 1, 5), size(rng, 1, 5)
    heads = size(rng, 1, 3)
    tensors, scenario = _given(rng, heads, heads, (n, m))
    given: Mapping = {}
    entries, _ = masks(rng, n, m)
    kind = next((b for b in entries if isinstance(b, str) or "padding" not in b), None)
    if kind == "causal":
        scenario["mask"], given["is_causal"] = "causal", True
    elif isinstance(kind, dict):
        scenario["mask"] = kind
        ((name, table),) = kind.items()
        given["attn_mask"] = torch.from_numpy(~table if name == "blocked" else table)
    if coin(rng):
        scale = rng.uniform(0.5, 3)
        scenario["scale"], given["scale"] = scale, 1 / scale
    return _outputs(tensors, scenario, **given)


def grouped_queries(rng: np.random.Generator) -> Case:
    """Fewer heads of keys and values than of queries."""
    groups, n, m = size(rng, 1, 3), size(rng, 1, 4), size(rng, 1, 5)
    heads = groups * size(rng, 1, 3)
    tensors, scenario = _given(rng, heads, groups, (n, m))
    return _outputs(tensors, scenario, enable_gqa=True)


ATTENTION: tuple[Family, ...] = (
    self_attention, cross_attention, separate_inputs, cached_attention, scaled_dot_product,
    grouped_queries,
)  # fmt: skip
