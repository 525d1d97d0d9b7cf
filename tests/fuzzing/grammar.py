"""Draws whole scenarios of every kind."""

from __future__ import annotations

from functools import cache

from tests.drawing import Pen, Tree, recurrent, started, tokenizing, transformer
from tests.helpers.pages import LARGE, SHIPPED
from tests.helpers.plain import read

WIDE = "i_can_go_alone"
"""A shipped scenario of 512 dimensions, which takes its time."""

_STEPS = ("scores", "softmax", "norm", "ffn", "gates", "learn", "viterbi", "predict", "embed")
_QUANTITIES = ("exp", "weights", "hidden", "logits", "a", "x", "log_p", "counts")
_VARIED = ("scale", "norm", "norms", "activation", "temperature", "embedding_scale")


def scenario(pen: Pen) -> Tree:
    """A scenario that is meant well: a shipped one, or one that is drawn."""
    draw = pen.choice(transformer, transformer, started, recurrent, tokenizing, _shipped)
    tree: Tree = draw(pen)
    if draw is not _shipped or pen.coin():
        tree["rounding"] = rounding(pen)
    for key, value in (("title", "Of everything"), ("source", "nowhere, p. 3")):
        if pen.coin(4):
            tree[key] = value
    if pen.coin(4):
        tree["show"] = {"graph": pen.choice("true", "false")}
    if pen.coin(4):
        tree["variants"] = {"other": _other(pen, tree), "finer": {"rounding": rounding(pen)}}
    return tree


def rounding(pen: Pen) -> Tree:
    """A policy with 0 to 12 decimals, here and there with others for a step or a quantity."""
    tree: Tree = {"policy": pen.choice("carry", "exact"), "decimals": _decimals(pen)}
    if pen.coin(4):
        tree["steps"] = {pen.choice(*_STEPS): _decimals(pen)}
    if pen.coin(4):
        tree["quantities"] = {pen.choice(*_QUANTITIES): _decimals(pen)}
    return tree


def _decimals(pen: Pen) -> int:
    """Mostly few, which people use; up to the most that there may be."""
    return pen.size(0, 12) if pen.coin(3) else pen.size(2, 4)


def _other(pen: Pen, tree: Tree) -> Tree:
    """What a variant has in another way: some of what the scenario says itself, or its rounding."""
    own = [key for key in _VARIED if key in tree]
    other = transformer(pen)
    return {key: other[key] for key in own if key in other} or {"rounding": rounding(pen)}


def _shipped(pen: Pen) -> Tree:
    names = [name for name in SHIPPED if name not in LARGE or (name == WIDE and pen.coin(4))]
    return dict(_read(pen.choice(*names)))


@cache
def _read(name: str) -> Tree:
    return read(SHIPPED[name])
