"""Norms of queries and keys (Henry et al. 2020, arXiv:2010.04245): of each head by itself or of all
together, before or after the rotation."""

from __future__ import annotations

from attncli.oracle.book import Book, Record
from attncli.oracle.matrices import matrix
from attncli.oracle.numerals import Numbers, apply


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
    told = record["qk_norm"]
    return _normed(book, told, "Q", Q), _normed(book, told, "K", K)


def _normed(book: Book, told: Record, name: str, x: Numbers) -> Numbers:
    n = x.shape[1]
    centered = x
    if told.get("kind", "rms") == "layer":
        mean = book.keep(f"{name}_mean", x.sum(axis=1, keepdims=True) / n)
        centered = book.keep(f"{name}_centered", x - mean)
    squares, deviation = ("mean_square", "rms") if centered is x else ("variance", "deviation")
    over = n - 1 if told.get("over") == "n-1" else n
    spread = (centered * centered).sum(axis=1, keepdims=True) / over
    spread = book.keep(f"{name}_{squares}", spread)
    epsilon = book.number(told.get("epsilon", "0.00001"))
    if told.get("epsilon_in") == "deviation":
        divisor = apply("sqrt", spread) + epsilon
    else:
        divisor = apply("sqrt", spread + epsilon)
    result = centered / book.keep(f"{name}_{deviation}", divisor)
    if f"gamma_{name}" in told:
        result = result * matrix(book, told[f"gamma_{name}"], (1, n))
    if f"beta_{name}" in told:
        result = result + matrix(book, told[f"beta_{name}"], (1, n))
    return book.keep(f"normed_{name}", result)
