"""Given matrices: rows, named rows, random ones and those of files."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from tests.oracle.figures import Book, round_half_away

Record = Mapping[str, Any]
Shape = tuple[int, int]


def is_source(value: Any) -> bool:
    """Whether a map says where figures come from, rather than naming rows."""
    return isinstance(value, Mapping) and bool({"random", "file"} & value.keys())


def matrix(book: Book, value: Any, shape: Shape | None = None) -> Any:
    """A matrix of the book's numbers; `shape` is for random ones that don't say their own."""
    if is_source(value):
        drawn = _stored(book, value) if "file" in value else _random(book, value, shape)
        return drawn if drawn.ndim > 1 else drawn[None, :]
    if isinstance(value, Mapping):
        value = list(value.values())
    figures = book.numbers(value)
    return figures if figures.ndim > 1 else figures[None, :]


def weight(book: Book, record: Record, name: str, rows: int, columns: int) -> Any:
    """A matrix W that is used as x W, whichever way round the scenario holds it."""
    if record.get("weights_layout") == "linear":
        return matrix(book, record[name], (columns, rows)).T
    return matrix(book, record[name], (rows, columns))


def linear(book: Book, record: Record, names: tuple[str, str], x: Any, columns: int) -> Any:
    """x W + b, where b may be left out."""
    result = x @ weight(book, record, names[0], x.shape[1], columns)
    if names[1] in record:
        result = result + matrix(book, record[names[1]], (1, columns))
    return result


def _random(book: Book, source: Record, shape: Shape | None) -> Any:
    state = np.random.RandomState(int(source["seed"]))
    size = tuple(int(x) for x in source["shape"]) if "shape" in source else shape
    if source["random"] == "normal":
        drawn = state.normal(float(source.get("mean", 0)), float(source["std"]), size)
    else:
        drawn = state.uniform(float(source["low"]), float(source["high"]), size)
    if not book.carry:
        return drawn
    round_one = np.vectorize(
        lambda x: round_half_away(Decimal(float(x)), book.decimals), otypes=[object]
    )
    return round_one(drawn)


def _stored(book: Book, source: Record) -> Any:
    stored = np.load(book.folder / str(source["file"]))
    return book.numbers(stored[source["key"]] if "key" in source else stored)
