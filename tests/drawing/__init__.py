"""Draws whole scenarios at random: nested maps and lists of texts, and the YAML of them."""

from __future__ import annotations

from tests.drawing.norms import norm
from tests.drawing.pen import Pen, RandomPen, Tree, written
from tests.drawing.recurrent import recurrent
from tests.drawing.stack import GATED, Stack
from tests.drawing.started import started
from tests.drawing.tokenizing import tokenizing
from tests.drawing.training import training

__all__ = [
    "Pen",
    "RandomPen",
    "Tree",
    "recurrent",
    "started",
    "tokenizing",
    "training",
    "transformer",
    "written",
]


def transformer(pen: Pen) -> Tree:
    """A Transformer's scenario without its rounding."""
    top = Stack(pen, pen.choice("attention", "encoder", "decoder", "decoder"))
    inner = top
    if top.block != "encoder" and pen.coin():
        if pen.coin():
            inner = Stack(pen, "encoder", longest=2)
            fill(inner)
            if pen.coin(6):
                inner.projects_out(pen.size(1, 3))
            top.memory, top.tree["encoder"] = (inner.tokens, inner.d), inner.tree
        else:
            names = [f"m{i}" for i in range(pen.size(1, 3))]
            width = pen.size(1, 3)
            rows = pen.matrix(len(names), width)
            top.memory = names, width
            top.tree["memory"] = dict(zip(names, rows, strict=True)) if pen.coin() else rows
    fill(top)
    if "encoder" in top.tree and not _can_be_inherited(top.tree.get("positions"), inner):
        inner.tree.setdefault("positions", "none")
    if "encoder" in top.tree:
        _keep_from_inheriting(inner, top.tree)
    if (top.block != "attention" or "W_O" in top.tree) and pen.coin():
        top.prediction()
    for stack in dict.fromkeys((inner, top)):
        stack.project()
    return top.tree


def _keep_from_inheriting(inner: Stack, top: Tree) -> None:
    """Says of an encoder what its matrices are drawn for, where it would take it from the top."""
    if inner.rope:
        inner.tree.setdefault("heads", inner.settings.get("heads", 1))
    for key, plain in (("heads", 1), ("weights_layout", "row"), ("average_heads", "false")):
        if key in top:
            inner.tree.setdefault(key, inner.settings.get(key, plain))
    for layer in inner.tree.get("layers", [inner.tree]) if "gated" in top else ():
        if layer["activation"] not in GATED:
            layer.setdefault("gated", "false")


def _can_be_inherited(positions: object, inner: Stack) -> bool:
    """Whether an encoder can have the positions of the stack that reads it: waves go in pairs, a
    slope is for a head, and rotary pairs are of its heads' columns."""
    waves = positions == "sinusoidal" or (isinstance(positions, dict) and "base" in positions)
    turned = isinstance(positions, dict) and positions.get("kind") != "sinusoidal"
    slopes = positions == "alibi" and inner.settings.get("heads", 3) != 3
    return slopes or (waves and not turned and inner.widths.added % 2 == 0)


def fill(stack: Stack) -> None:
    """Input, layers and the last norm, in the order in which people write them."""
    stack.embedded()
    stack.layers()
    if stack.block != "attention" and stack.pen.coin(3):
        stack.tree["final_norm"] = norm(stack.pen, stack.d)
