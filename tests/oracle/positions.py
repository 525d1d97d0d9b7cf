"""Positions: added sines, rotations of queries and keys, distances that are held against keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mpmath
import numpy as np

from tests.oracle.figures import Book
from tests.oracle.matrices import Record, is_source, matrix


def kinds(positions: Any) -> list[Any]:
    """What `positions` says as a list of records and matrices."""
    if isinstance(positions, list) and not isinstance(positions[0], list):
        return [kind for one in positions for kind in kinds(one)]
    if isinstance(positions, str):
        return [{"kind": positions}]
    return [positions]


def of_kind(positions: list[Any], kind: str) -> Record | None:
    """The record of a kind, if the scenario has it."""
    for one in positions:
        if isinstance(one, Mapping) and one.get("kind") == kind:
            return one
    return None


def added(book: Book, positions: list[Any], n: int, d_model: int) -> Any | None:
    """What is added to the embeddings: [n, d_model], the sines rounded and given rows not."""
    for one in positions:
        if not isinstance(one, Mapping) or is_source(one):
            return book.copy("P", matrix(book, one)[:n])
        if one["kind"] == "sinusoidal":
            return book.keep("P", _sinusoidal(book, one, n, d_model))
    return None


def _sinusoidal(book: Book, record: Record, n: int, d_model: int) -> Any:
    """PE(pos, 2k) = sin(pos / base^(2k/d)), PE(pos, 2k+1) = cos(the same): Vaswani et al., 3.5."""
    rows = range(int(record.get("start", 0)), int(record.get("start", 0)) + n)
    angles = _Angles(book, record, d_model)
    return np.array(
        [
            [angles.of(mpmath.cos if j % 2 else mpmath.sin, pos, j // 2) for j in range(d_model)]
            for pos in rows
        ]
    )


class _Angles:
    """Functions of pos / base^(2k/width)."""

    def __init__(self, book: Book, record: Record, width: int) -> None:
        self.book, self.width = book, width
        self.base = mpmath.mpf(str(record.get("base", 10000)))

    def of(self, function: Callable[[Any], Any], position: int, pair: int) -> Any:
        angle = position / self.base ** (mpmath.mpf(2 * pair) / self.width)
        return self.book.from_mpmath(function(angle))


def rotated(book: Book, record: Record, name: str, x: Any, first: int) -> Any:
    """Each pair of columns turned by its position's angle: Su et al., RoFormer, 3.4.

    `first` is how many positions came before the first row: those of a cache.
    """
    width = int(record.get("dimensions", x.shape[1]))
    start = int(record.get("start", 0)) + first
    angles = _Angles(book, record, width)
    cosine, sine = (
        book.keep(
            f"{name}_{word}",
            np.array(
                [
                    [angles.of(function, start + i, k) for k in range(width // 2)]
                    for i in range(len(x))
                ]
            ),
        )
        for word, function in (("cosine", mpmath.cos), ("sine", mpmath.sin))
    )
    if record.get("pairs", "interleaved") == "half":
        left, right = np.arange(width // 2), np.arange(width // 2, width)
    else:
        left, right = np.arange(0, width, 2), np.arange(1, width, 2)
    turned = x.copy()
    turned[:, left] = x[:, left] * cosine - x[:, right] * sine
    turned[:, right] = x[:, left] * sine + x[:, right] * cosine
    return book.keep(f"rotated_{name}", turned)


def alibi(book: Book, record: Record, head: int, heads: int, shape: tuple[int, int]) -> Any:
    """−slope × distance, the slopes 2^(−8j/h): Press et al., Train Short, Test Long, 3."""
    n, m = shape
    if "slopes" in record:
        slope = book.number(record["slopes"][head])
    else:
        slope = book.from_mpmath(mpmath.mpf(2) ** (mpmath.mpf(-8 * (head + 1)) / heads))
    distance = [[abs(i + m - n - j) for j in range(m)] for i in range(n)]
    return -slope * book.numbers(distance)
