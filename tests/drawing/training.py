"""Draws a loss for a model, and how it is trained by that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests import oracle
from tests.drawing.pen import Pen, Tree, written
from tests.helpers.plain import read

_ADAM = {"beta1": ("0.5", "0.8"), "beta2": ("0.9", "0.99"), "epsilon": ("0.001", "0.1")}
_OPTIMIZERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "sgd": {},
    "momentum": {"momentum": ("0.5", "0.8")},
    "nesterov": {"momentum": ("0.5", "0.8")},
    "rmsprop": {"alpha": ("0.5", "0.9"), "epsilon": ("0.001", "0.1")},
    "adafactor": {
        "beta2_decay": ("-0.5", "-1"),
        "epsilon": ("0.001", "0.1"),
        "epsilon2": ("0.1", "1"),
        "clip_threshold": ("0.5", "1.5"),
    },
    "amsgrad": _ADAM,
    "adam": _ADAM,
    "adamw": _ADAM,
}
_LOSSES = {
    "sigmoid": ("binary_cross_entropy", "mse"),
    "softmax": ("cross_entropy", "mse"),
    "none": ("mse",),
}
_PARTS = ("0", "1", "0.5", "0.25")
_NO_ENDS = ("factor", "factor_norm", "factor_norms", "slope", "step_factor")


def training(pen: Pen, tree: Tree) -> Tree:
    """A model that is trained, by a loss of whatever it comes to."""
    tree = _with_loss(pen, tree)
    train = _train(pen, tree)
    for key in ("loss", "label_smoothing", "reduction"):
        if key in tree and pen.coin():
            train[key] = tree.pop(key)
    return tree | {"train": train}


def _with_loss(pen: Pen, tree: Tree) -> Tree:
    tree = {key: value for key, value in tree.items() if key not in ("targets", "next")}
    last = tree.get("layers", [tree])[-1]
    if "unembedding" in tree:
        kind, width = "softmax", len(tree.get("embeddings") or tree["vocabulary"])
        rows = _counted(tree)
    elif "W_ya" in last:
        kind, rows = last["readout"], 1 if last["readout_from"] == "last" else _counted(tree)
        width = len(last["W_ya"][0] if last["weights_layout"] == "row" else last["W_ya"])
    else:
        kind, (rows, width) = "none", _shape(tree)
    if kind == "none" and "W_ya" not in last and pen.coin(3):
        turned = tree.get("weights_layout") == "linear"
        tree["unembedding"] = pen.matrix(3, width) if turned else pen.matrix(width, 3)
        kind, width = "softmax", 3
    if "W_ya" not in last:
        tree["predict_from"] = pen.choice("every", "every", "first", "last")
        rows = rows if tree["predict_from"] == "every" else 1
    return tree | _targets(pen, kind, rows, width)


def _targets(pen: Pen, kind: str, rows: int, width: int) -> Tree:
    """Classes or numbers, and the loss of these."""
    loss = pen.choice(*_LOSSES[kind])
    tree: Tree = {"loss": loss}
    if loss == "cross_entropy" and pen.coin():
        classes = [f"c{k}" for k in range(width)]
        tree |= {"labels": classes, "targets": [pen.choice(*classes) for _ in range(rows)]}
        if rows > 1 and pen.coin(3):
            tree |= {"targets": [*tree["targets"][1:], "_"], "ignored_target": "_"}
    elif loss == "cross_entropy":
        tree["targets"] = [_shares(pen, width) for _ in range(rows)]
    else:
        tree["targets"] = pen.matrix(rows, width, *_PARTS)
    if loss == "mse" and pen.coin():
        tree["reduction"] = pen.choice("mean", "mean_of_rows", "sum", "half_sum")
    if loss == "cross_entropy" and pen.coin():
        tree["label_smoothing"] = pen.choice("0.1", "0.3")
    return tree


def _shares(pen: Pen, width: int) -> list[str]:
    """A row of numbers that add up to 1, of one class or of two."""
    first, second = pen.size(0, width - 1), pen.size(0, width - 1)
    parts = {first: "1"} if first == second else {first: "0.25", second: "0.75"}
    return [parts.get(k, "0") for k in range(width)]


def _counted(tree: Tree) -> int:
    return len(tree.get("X", tree.get("sentence", "").split()))


def _shape(tree: Tree) -> tuple[int, int]:
    """The rows and columns of what a model without a loss comes to."""
    made = oracle.work(read("".join(f"{key}: {written(value)}\n" for key, value in tree.items())))
    local = {name: name.rpartition(".")[2].partition("[")[0] for name in made}
    last = [name for name in made if local[name] not in _NO_ENDS][-1]
    rows, width = made[last].shape
    return rows, width


def _train(pen: Pen, tree: Tree) -> Tree:
    """An optimizer with some of its settings."""
    optimizer = pen.choice(*_OPTIMIZERS)
    said: Tree = {"learning_rate": pen.choice("0.1", "0.5", "0.01"), "steps": pen.size(1, 3)}
    if optimizer != "sgd" or pen.coin():
        said["optimizer"] = optimizer
    said |= pen.some(2, **_OPTIMIZERS[optimizer])
    said |= pen.some(3, weight_decay=("0.1", "0.05"), clip=("0.1", "1"))
    said |= pen.some(4, warmup=("1", "2"), schedule=("linear", "cosine"), least_rate=("0", "0.01"))
    if "schedule" in said:
        said["steps"] = 3  # more than any warm-up
    names = sorted({*_parameters(tree)})
    if pen.coin(3):
        said["of"] = [*dict.fromkeys(pen.choice(*names) for _ in range(pen.size(1, 3)))]
    return said


def _parameters(tree: Tree) -> Iterator[str]:
    """The last names of the matrices that belong to the model itself."""
    for part in (tree, *tree.get("layers", ())):
        for name, value in part.items():
            if name.startswith(("W", "b_", "embeddings", "unembedding")) and _is_table(value):
                yield name


def _is_table(value: Any) -> bool:
    return isinstance(value, list | dict)
