"""Draws the matrices between the width of embeddings and that of the model."""

from __future__ import annotations

from typing import NamedTuple

from tests.drawing.pen import Pen, Tree


class Widths(NamedTuple):
    """How wide embeddings are, what is added to them, and the model."""

    embedded: int
    added: int
    model: int


def widths(pen: Pen, d: int) -> tuple[Widths, Tree]:
    """Those in a model of a width, and what is said of a projection between, without its matrix."""
    if not pen.coin(5):
        return Widths(d, d, d), {}
    width, after = pen.size(1, 4), pen.coin()
    when = {"when": "after" if after else "before"} if after or pen.coin() else {}
    return Widths(width, width if after else d, d), {"project_in": when}


def projection(pen: Pen, rows: int, columns: int, *, turned: bool) -> Tree:
    """A matrix, and now and then a bias."""
    tree: Tree = {"W": pen.weight(rows, columns, turned=turned)}
    return tree | ({"b": pen.cells(columns)} if pen.coin() else {})
