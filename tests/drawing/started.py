"""Draws a head that starts from a quantity in its middle."""

from __future__ import annotations

from tests.drawing.pen import NAMES, Pen, Tree

_FROM = ("X", "QKV", "scores", "scaled", "weights", "output")


def started(pen: Pen) -> Tree:
    """A head that is given its X, its Q, K and V, or what comes of them, without its rounding."""
    n, m, d = pen.size(1, 4), pen.size(1, 4), pen.size(1, 3)
    start = pen.choice(*_FROM)
    tree: Tree = {"block": "attention"}
    if start == "QKV":
        tree |= {"Q": _rows(pen, n, d), "K": _rows(pen, m, d)}
        return tree | ({} if pen.coin(4) else {"V": _rows(pen, m, pen.size(1, 3))})
    if start in {"X", "output"}:
        tree |= {start: _rows(pen, n, d)}
        return tree | ({"projection": "none"} if start == "X" else {})
    tree |= {"tokens": pen.tokens(n, n), start: pen.matrix(n, n)}
    return tree | ({"V": pen.matrix(n, d)} if pen.coin() else {})


def _rows(pen: Pen, n: int, d: int) -> Tree | list[list[str]]:
    """Rows with names, or without."""
    rows = pen.matrix(n, d)
    return dict(zip(NAMES, rows, strict=False)) if pen.coin() and n <= len(NAMES) else rows
