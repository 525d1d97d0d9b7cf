"""Draws one or two recurrent layers over a short sentence."""

from __future__ import annotations

from typing import NamedTuple

from tests.drawing.pen import Pen, Tree

_LETTERS = {"rnn": "a", "lstm": "ufco", "gru": "ruc"}


def recurrent(pen: Pen) -> Tree:
    """A scenario of recurrent layers without its rounding."""
    d, h, count = pen.size(1, 3), pen.size(1, 2), pen.size(1, 2)
    tokens = pen.tokens(1, 3)
    tree: Tree = {"sentence": " ".join(tokens)}
    tree["embeddings"] = {token: pen.cells(d) for token in dict.fromkeys(tokens)}
    tree["layers"] = []
    for k in range(count):
        layer, d = _layer(pen, d, h, last=k == count - 1)
        tree["layers"].append(layer)
    return tree


def _layer(pen: Pen, d: int, h: int, *, last: bool) -> tuple[Tree, int]:
    """What a layer says, and how wide its states are."""
    cell, layout = pen.choice("gru", "lstm", "rnn"), pen.choice("linear", "row", "torch")
    direction = pen.choice("forward", "backward", "both")
    tree: Tree = {"cell": cell, "weights_layout": layout, "direction": direction}
    if cell == "gru":
        tree |= {"reset": pen.choice("before", "after"), "update": pen.choice("new", "old")}
    if cell == "rnn":
        tree["activation"] = pen.choice("tanh", "relu")
        if direction != "both" and pen.coin():
            tree["gradient"] = "true"
    way = _Way(pen, cell, layout, d, h)
    tree |= way.record()
    if direction == "both":
        tree["backward"] = way.record()
    width = 2 * h if direction == "both" else h
    if last and pen.coin():
        tree |= _readout(pen, width, turned=layout == "row")
    return tree, width


def _readout(pen: Pen, width: int, *, turned: bool) -> Tree:
    k = pen.size(1, 2)
    tree: Tree = {"W_ya": pen.matrix(width, k) if turned else pen.matrix(k, width)}
    if pen.coin():
        tree["b_y"] = pen.cells(k)
    tree["readout"] = pen.choice("sigmoid", "softmax", "none")
    tree["readout_from"] = pen.choice("every", "last")
    return tree


class _Way(NamedTuple):
    """One way over the sentence: its matrices, some of the biases, and where it begins."""

    pen: Pen
    cell: str
    layout: str
    d: int
    h: int

    def record(self) -> Tree:
        data = self._stacked() if self.layout == "torch" else self._single()
        starts = ["initial_state", "initial_cell"] if self.cell == "lstm" else ["initial_state"]
        return data | {name: self.pen.cells(self.h) for name in starts if self.pen.coin()}

    def _stacked(self) -> Tree:
        pen, data = self.pen, Tree()
        rows = len(_LETTERS[self.cell]) * self.h
        for name, width in (("ih", self.d), ("hh", self.h)):
            data[f"W_{name}"] = pen.matrix(rows, width)
            if pen.coin():
                data[f"b_{name}"] = pen.cells(rows)
        return data

    def _single(self) -> Tree:
        pen, h, data = self.pen, self.h, Tree()
        for letter in _LETTERS[self.cell]:
            for source, width in (("x", self.d), ("a", h)):
                shape = (width, h) if self.layout == "row" else (h, width)
                data[f"W_{letter}{source}"] = pen.matrix(*shape)
            if pen.coin():
                data[f"b_{letter}"] = pen.cells(h)
        return data
