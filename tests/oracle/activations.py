"""Activations as quantities: what they make, and their way back."""

from __future__ import annotations

from tests.oracle import slopes
from tests.oracle.book import Book
from tests.oracle.numerals import Numbers, apply


def activated(book: Book, name: str, kind: str, z: Numbers, step: str = "") -> Numbers:
    """g(z), written down; ∂z = G ⊙ g′(z)."""
    return book.keep(name, apply(kind, z), lambda a: [(z, slopes.activated(kind, z, a))], step=step)
