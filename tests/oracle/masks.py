"""Masks: which keys each query sees (Vaswani et al. 2017, arXiv:1706.03762, 3.2.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tests.oracle.book import Book, Record
from tests.oracle.matrices import matrix
from tests.oracle.numerals import Numbers, where

Seen = NDArray[np.bool_]
_YES = {"true", "1", "1.0"}


def rules(record: Record, *, causal: bool) -> list[object]:
    """The rules of a mask, one after the other; a decoder's is causal if it says none."""
    value = record.get("mask", "causal" if causal else [])
    return [data for data in (value if isinstance(value, list) else [value]) if data != "none"]


def tables_added(book: Book, entries: Sequence[object]) -> list[Numbers]:
    """The tables that are added to the scores; −∞ in them hides, and adds nothing."""
    tables = (
        matrix(book, value["add"])
        for value in entries
        if isinstance(value, Mapping) and "add" in value
    )
    infinite, zero = book.number("-inf"), book.number(0)
    return [where(table != infinite, table, zero) for table in tables]


def seen(book: Book, entries: Sequence[object], keys: list[str], shape: tuple[int, int]) -> Seen:
    """Which keys each query sees, [n, m], the last query standing at the last key."""
    n, m = shape
    i, j = np.arange(n)[:, None] + (m - n), np.arange(m)[None, :]
    result = np.ones(shape, dtype=bool)
    for value in entries:
        if not isinstance(value, Mapping):
            result &= j <= i
            continue
        corner = {"top-left": j <= i - (m - n), "bottom-right": j <= i}
        result &= corner.get(str(value.get("causal")), True)
        result &= abs(i - j) < int(value.get("window", n + m))
        result &= ~_is_padding(value.get("padding", []), keys, m)
        result &= truths(value["allowed"]) if "allowed" in value else True
        result &= ~truths(value["blocked"]) if "blocked" in value else True
        result &= matrix(book, value["add"]) != book.number("-inf") if "add" in value else True
    return result


def truths(rows: object) -> Seen:
    """A table of true and false, or of 1 and 0."""
    told = np.vectorize(lambda x: str(x).lower() in _YES, otypes=[bool])
    result: Seen = told(np.array(rows, dtype=object))
    return result


def _is_padding(named: Sequence[object], keys: list[str], m: int) -> Seen:
    """[1, m]: keys that are named by their token, or if none is called so by a position from 1."""
    hidden = np.zeros((1, m), dtype=bool)
    for name in map(str, named):
        places = [j for j, key in enumerate(keys) if key == name]
        hidden[0, places or [int(name) - 1]] = True
    return hidden
