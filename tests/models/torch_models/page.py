"""Tensors by the names of quantities, and the gradients that autograd leaves in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import torch

Tensor = Any
Tree = Mapping[str, Any]


class Quantity(NamedTuple):
    """A tensor and its full name, `layers[1].heads[2].weights`."""

    name: str
    tensor: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        n, d = self.tensor.shape
        return n, d


class Use(NamedTuple):
    """A copy of a quantity, by which it goes into the making of another one."""

    of: str
    made: str
    copy: Tensor


@dataclass(frozen=True)
class Page:
    """What was given and made so far; `path` is the place that is worked just now."""

    known: dict[str, Quantity] = field(default_factory=dict)
    uses: list[Use] = field(default_factory=list)
    path: str = ""

    def at(self, place: str) -> Page:
        return replace(self, path=f"{self.path}{place}.")

    def given(self, tree: Tree, key: str, name: str = "") -> Quantity:
        """What a record of this place gives, which is learned."""
        full = self.path + (name or key)
        if full not in self.known:
            self.known[full] = Quantity(full, numbers(tree[key]).requires_grad_())
        return self.known[full]

    def make(self, name: str, formula: Callable[..., Tensor], *of: Quantity | None) -> Quantity:
        """A quantity of this place by a formula of others, of which None aren't there."""
        full = self.path + name
        used = [q if q is None else self._used(q, full) for q in of]
        tensor = formula(*used)
        if tensor.requires_grad:
            tensor.retain_grad()
        self.known[full] = Quantity(full, tensor)
        return self.known[full]

    def _used(self, quantity: Quantity, made: str) -> Tensor:
        copy = quantity.tensor.clone()
        if copy.requires_grad:
            copy.retain_grad()
        self.uses.append(Use(quantity.name, made, copy))
        return copy

    def gradients(self) -> Iterator[tuple[str, Tensor]]:
        """Those of all that the loss hangs on; of what is used several times that by each use, too:
        `X.Q` is what comes to X by Q."""
        for name, quantity in self.known.items():
            if quantity.tensor.requires_grad and quantity.tensor.grad is not None:
                yield name, quantity.tensor.grad
        used = [use for use in self.uses if use.copy.requires_grad and use.copy.grad is not None]
        several = Counter(use.of for use in used)
        twice = Counter((use.of, use.made) for use in used)
        so_far = Counter[tuple[str, str]]()
        for of, made, copy in used:
            so_far[of, made] += 1
            number = f"[{so_far[of, made]}]" if twice[of, made] > 1 else ""
            if several[of] > 1:
                yield f"{of}.{made}{number}", copy.grad


def numbers(value: Any) -> Tensor:
    """A matrix of float64: rows, rows with names, or random ones of NumPy's RandomState."""
    if isinstance(value, Mapping) and "random" in value:
        return torch.tensor(_random(value))
    rows = list(value.values()) if isinstance(value, Mapping) else value
    return torch.tensor(np.atleast_2d(np.array(rows, dtype=float)))


def _random(tree: Tree) -> Any:
    state, shape = np.random.RandomState(int(tree["seed"])), tuple(map(int, tree["shape"]))
    if tree["random"] == "normal":
        return state.normal(float(tree.get("mean", 0)), float(tree.get("std", 0.02)), shape)
    return state.uniform(float(tree["low"]), float(tree["high"]), shape)


def there(quantity: Quantity | None) -> Quantity:
    """What a model can't do without."""
    if quantity is None:
        raise ValueError("something isn't given that is needed")
    return quantity


def truths(value: Any) -> Tensor:
    """A table of true and false, or of 1 and 0."""
    entries = [[str(data).lower() in ("true", "1", "1.0") for data in row] for row in value]
    return torch.tensor(entries)


def is_true(value: Any) -> bool:
    return str(value).lower() == "true"
