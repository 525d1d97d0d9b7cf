"""Norms of queries and keys (Henry et al. 2020, arXiv:2010.04245): of each head by itself or of all
together, before or after the rotation."""

from __future__ import annotations

from tests.oracle.book import Book, Record
from tests.oracle.norms import Named, normed
from tests.oracle.numerals import Numbers


def is_together(record: Record) -> bool:
    """Whether one norm is taken over the columns of all heads."""
    return bool(record.get("qk_norm", {}).get("heads") == "together")


def is_due(record: Record, heads: int, when: str) -> bool:
    """Whether a head normalizes its own queries and keys at a moment."""
    told = record.get("qk_norm")
    own = heads == 1 or not is_together(record)
    return told is not None and own and told.get("when", "before") == when


def normed_pair(book: Book, record: Record, Q: Numbers, K: Numbers) -> tuple[Numbers, Numbers]:
    """Queries and keys, normalized. [n, d], [m, d] -> [n, d], [m, d]"""
    value = record["qk_norm"]
    return _normed(book, value, "Q", Q), _normed(book, value, "K", K)


def _normed(book: Book, told: Record, name: str, x: Numbers) -> Numbers:
    record = {"kind": "rms", **told}
    return book.keep(f"normed_{name}", *normed(book, record, x, Named(f"{name}_", f"_{name}")))
