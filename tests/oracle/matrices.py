"""Given matrices: rows, named rows, arrays, random ones and those of files."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TypeGuard

import numpy as np

from tests.oracle.book import Book, Record
from tests.oracle.numerals import Numbers, round_half_away
from tests.oracle.slopes import over_tokens, product
from tests.oracle.tape import Backs, Made
from tests.oracle.written import part

Shape = tuple[int, int]


def is_source(value: object) -> TypeGuard[Record]:
    """Whether a map says where numbers come from, rather than naming rows."""
    if not isinstance(value, Mapping):
        return False
    return any(isinstance(value.get(key), str) for key in ("random", "file"))


def matrix(book: Book, value: object, shape: Shape | None = None) -> Numbers:
    """A matrix of the book's numbers; `shape` is for random ones that don't say their own."""
    data = value
    if is_source(value):
        value = _stored(book, value) if "file" in value else _random(value, shape)
    if isinstance(value, np.ndarray):
        numbers = _unwritten(book, value.astype(float))
    else:
        numbers = book.numbers(list(value.values()) if isinstance(value, Mapping) else value)
    return book.tape.reads(numbers if numbers.ndim > 1 else numbers[None, :], data)


def times(book: Book, record: Record, name: str, x: Numbers, columns: int) -> tuple[Numbers, Backs]:
    """x W, whichever way round the scenario holds W: ∂x = G Wᵀ, ∂W = xᵀ G, or of a W that is held
    as [columns, rows] its transpose, Gᵀ x."""
    rows = x.shape[1]
    if record.get("weights_layout") != "linear":
        W = matrix(book, record[name], (rows, columns))
        return x @ W, product(x, W)
    held = matrix(book, record[name], (columns, rows))
    return x @ held.T, [(x, lambda G: G @ held), (held, lambda G: G.T @ x)]


def linear(book: Book, record: Record, names: tuple[str, str], x: Numbers, columns: int) -> Made:
    """x W + b, where b may be left out; ∂b = Σ_i G[i]."""
    result, backs = times(book, record, names[0], x, columns)
    if names[1] not in record:
        return result, backs
    b = matrix(book, record[names[1]], (1, columns))
    return result + b, [*backs, (b, over_tokens)]


def _unwritten(book: Book, array: Numbers) -> Numbers:
    """Numbers that nobody wrote: rounded under `carry` as they come in."""
    numbers = book.numbers(array)
    if not book.rounds:
        return numbers
    rounded = (round_half_away(Decimal(x), book.decimals) for x in numbers.flat)
    return np.array([*rounded], dtype=object).reshape(numbers.shape)


def _random(source: Record, shape: Shape | None) -> Numbers:
    """Numbers of NumPy's `RandomState`, whose streams never change."""
    state = np.random.RandomState(int(source["seed"]))
    size = tuple(int(x) for x in source["shape"]) if "shape" in source else shape
    if source["random"] == "normal":
        return state.normal(float(source.get("mean", 0)), float(source.get("std", "0.02")), size)
    return state.uniform(float(source["low"]), float(source["high"]), size)


def _stored(book: Book, source: Record) -> Numbers:
    path = book.folder / str(source["file"])
    if path.suffix == ".safetensors":
        from safetensors.numpy import load_file

        stored = load_file(path)
    elif path.suffix == ".npz":
        stored = dict(np.load(path))
    else:
        stored = {"": np.load(path)}
    key = source.get("key", next(iter(stored)))
    return part(np.asarray(stored[str(key)]), source)
