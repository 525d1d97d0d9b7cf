"""Matrices with their biases, activations, and the softmax of what isn't hidden."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.nn import functional

from tests.models.torch_models.page import Page, Quantity, Tensor, Tree

ACTIVATIONS: Mapping[str, Callable[[Any], Any]] = {
    "relu": torch.relu,
    "leaky_relu": functional.leaky_relu,
    "relu2": lambda x: functional.relu(x) ** 2,
    "elu": functional.elu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "silu": functional.silu,
    "mish": functional.mish,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
}


def linear(
    page: Page,
    name: str,
    x: Quantity,
    matrices: Sequence[Quantity | None],
    tree: Tree,
) -> Quantity:
    """x W + b, or with the layout of nn.Linear x Wᵀ + b."""
    turned = tree.get("weights_layout") == "linear"

    def formula(x: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
        y = functional.linear(x, W) if turned else x @ W
        return y if b is None else y + b

    return page.make(name, formula, x, *matrices)


def given(page: Page, tree: Tree, *keys: str) -> tuple[Quantity | None, ...]:
    """What a record of this place gives of some matrices."""
    return tuple(page.given(tree, key) if key in tree else None for key in keys)


def activated(page: Page, name: str, kind: str, x: Quantity) -> Quantity:
    return page.make(name, ACTIVATIONS[kind], x)


def softmax(page: Page, name: str, x: Quantity) -> Quantity:
    return page.make(name, lambda x: x.softmax(dim=1), x)
