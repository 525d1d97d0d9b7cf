"""Draws whole Transformers at random: nested maps and lists of texts, and the YAML of them."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.drawing.pen import Pen, Tree, written
from tests.drawing.stack import Stack

__all__ = ["Tree", "transformer", "written"]


def transformer(draw: st.DrawFn) -> Tree:
    """A scenario without its rounding."""
    pen = Pen(draw)
    top = Stack(pen, pen.choice("attention", "encoder", "decoder", "decoder"))
    if top.block != "encoder" and pen.coin():
        if pen.coin():
            inner = Stack(pen, "encoder", longest=2)
            fill(inner)
            top.memory, top.tree["encoder"] = (inner.tokens, inner.d), inner.tree
        else:
            names = [f"m{i}" for i in range(pen.size(1, 3))]
            width = pen.size(1, 3)
            rows = pen.matrix(len(names), width)
            top.memory = names, width
            top.tree["memory"] = dict(zip(names, rows, strict=True)) if pen.coin() else rows
    fill(top)
    if (top.block != "attention" or "W_O" in top.tree) and pen.coin():
        top.prediction()
    return top.tree


def fill(stack: Stack) -> None:
    """Input, layers and the last norm, in the order in which people write them."""
    stack.embedded()
    stack.layers()
    if stack.block != "attention" and stack.pen.coin(3):
        stack.tree["final_norm"] = stack.norm()
