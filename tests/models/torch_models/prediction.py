"""From the last layer to the loss: logits, and what nn.functional says of them and their targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.nn import functional

from tests.models.torch_models.linear import ACTIVATIONS, given, linear
from tests.models.torch_models.norms import norm
from tests.models.torch_models.page import Page, Quantity, Tensor, Tree, numbers

IGNORED = -100
"""PyTorch's `ignore_index`."""


def are_numbers(data: Tree) -> bool:
    """Whether targets are rows of numbers."""
    return isinstance(data["targets"][0], list)


def loss_of(data: Tree) -> str:
    return str(data.get("loss", "mse" if are_numbers(data) else "cross_entropy"))


def predicted(page: Page, data: Tree, x: Quantity) -> Quantity:
    """What a stack puts out, of every token or of one; through a head, and as logits."""
    x = _chosen(page, data, x)
    if "head" in data:
        x = _headed(
            page.at("head"), {**data["head"], "weights_layout": data.get("weights_layout")}, x
        )
    return _logits(page, data, x) if "unembedding" in data else x


def _chosen(page: Page, data: Tree, x: Quantity) -> Quantity:
    which = data.get("predict_from", "every")
    if which == "every":
        return x
    row = 0 if which == "first" else x.shape[0] - 1
    return page.make(which, lambda x: x[[row]], x)


def _headed(page: Page, tree: Tree, x: Quantity) -> Quantity:
    """norm(g(x W + b)) (arXiv:1810.04805)."""
    x = linear(page, "hidden", x, given(page, tree, "W", "b"), tree)
    if tree.get("activation", "none") != "none":
        x = page.make("activated", ACTIVATIONS[tree["activation"]], x)
    return norm(page.at("norm"), tree["norm"] or {}, x) if "norm" in tree else x


def _logits(page: Page, data: Tree, x: Quantity) -> Quantity:
    (b,) = given(page, data, "b_U")
    if data["unembedding"] == "tied":
        table = page.given(data, "embeddings")
        x = linear(page, "logits", x, (table, b), {"weights_layout": "linear"})
    else:
        x = linear(page, "logits", x, (page.given(data, "unembedding"), b), data)
    if "logit_scale" in data:
        by = float(data["logit_scale"])
        x = page.make("scaled_logits", lambda x: by * x, x)
    if "logit_softcap" in data:
        c = float(data["logit_softcap"])
        x = page.make("capped_logits", lambda x: c * torch.tanh(x / c), x)
    return x


_REDUCED: dict[str, tuple[str, Callable[[Tensor, Tensor], Tensor]]] = {
    "mean": ("mse", functional.mse_loss),
    "mean_of_rows": ("mse", lambda x, y: ((x - y) ** 2).sum(1).mean()),
    "sum": ("sse", lambda x, y: functional.mse_loss(x, y, reduction="sum")),
    "half_sum": ("half_sse", lambda x, y: functional.mse_loss(x, y, reduction="sum") / 2),
}
"""What the loss of squared errors is called and is."""


def lost(page: Page, data: Tree, x: Quantity, classes: Sequence[str]) -> Quantity:
    """The mean loss of rows of numbers or logits."""
    kind = loss_of(data)
    if kind == "mse":
        name, reduced = _REDUCED[data.get("reduction", "mean")]
        return page.make(name, lambda x: reduced(x, numbers(data["targets"]))[None, None], x)
    if kind == "binary_cross_entropy":
        return _binary(page, numbers(data["targets"]), x)
    y = _targets(data, classes)
    epsilon = float(data.get("label_smoothing", 0))

    def losses(x: Tensor) -> Tensor:
        each = functional.cross_entropy(x, y, reduction="none", label_smoothing=epsilon)
        return each[_counted(y)][:, None]

    return _mean(page, "cross_entropy", page.make("loss", losses, x))


def of_probabilities(page: Page, data: Tree, p: Quantity, classes: Sequence[str]) -> Quantity:
    """−ln of the probabilities of targets, which are given themselves."""
    y = _targets(data, classes)
    counted = _counted(y)
    if not counted.all():
        p = page.make("with_target", lambda p: p[counted], p)
    quantity = page.make(
        "loss", lambda p: functional.nll_loss(p.log(), y[counted], reduction="none")[:, None], p
    )
    return _mean(page, "cross_entropy", quantity)


def _binary(page: Page, y: Tensor, x: Quantity) -> Quantity:
    loss = page.make(
        "binary_loss",
        lambda x: functional.binary_cross_entropy_with_logits(x, y, reduction="none"),
        x,
    )
    return _mean(page, "binary_cross_entropy", loss)


def _mean(page: Page, name: str, x: Quantity) -> Quantity:
    return page.make(name, lambda x: x.mean()[None, None], x)


def _targets(data: Tree, classes: Sequence[str]) -> Tensor:
    """Places of classes, or shares of each."""
    if are_numbers(data):
        return numbers(data["targets"])
    ignored: Any = data.get("ignored_target")
    texts = [str(value) for value in data["targets"]]
    return torch.tensor(
        [IGNORED if text == str(ignored) else classes.index(text) for text in texts]
    )


def _counted(y: Tensor) -> Tensor:
    return y != IGNORED if y.ndim == 1 else torch.ones(len(y), dtype=torch.bool)
