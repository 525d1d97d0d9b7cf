"""Which keys a query sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from tests.models.torch_models.page import Tensor, Tree, numbers, truths


def rules(tree: Tree, *, causal: bool) -> list[Any]:
    """One after the other; a decoder that says none is causal."""
    value = tree.get("mask", "causal" if causal else "none")
    return [data for data in (value if isinstance(value, list) else [value]) if data != "none"]


def tables(anies: Sequence[Any]) -> list[Tensor]:
    """What masks of numbers add, −∞ left to what hides."""
    added = (
        numbers(value["add"]) for value in anies if isinstance(value, Mapping) and "add" in value
    )
    return [table.masked_fill(table.isinf(), 0) for table in added]


def seen(anies: Sequence[Any], keys: Sequence[str], n: int, m: int) -> Tensor:
    """[n, m]; the last query stands at the last key."""
    visible = torch.ones(n, m, dtype=torch.bool)
    for data in anies:
        rule = {"causal": "bottom-right"} if data == "causal" else data
        for key, value in rule.items():
            visible &= _of_rule(key, value, keys, (n, m))
    return visible


def _of_rule(kind: str, value: Any, keys: Sequence[str], shape: tuple[int, int]) -> Tensor:
    n, m = shape
    every = torch.ones(n, m, dtype=torch.bool)
    if kind == "causal":
        return every.tril(0 if value == "top-left" else m - n)
    if kind == "window":
        return every.tril(m - n + int(value) - 1).triu(m - n - int(value) + 1)
    if kind == "padding":
        return ~torch.tensor([[_is_named(value, keys, j) for j in range(m)]])
    if kind == "add":
        return numbers(value) != -torch.inf
    data = truths(value)
    return data if kind == "allowed" else ~data


def _is_named(value: Sequence[Any], keys: Sequence[str], j: int) -> bool:
    """By its token; or, where no key is called so, by its place from 1."""
    names = [str(name) for name in value]
    places = [int(name) - 1 for name in names if name not in keys]
    return j in places or (j < len(keys) and keys[j] in names)
