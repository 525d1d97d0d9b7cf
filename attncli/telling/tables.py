"""Tables of words, the middle of a long one left out."""

from __future__ import annotations

from collections.abc import Iterable

from attncli.arithmetic.expression import MOST_PARTS, Omitted, elided
from attncli.document import Table, Word

Row = tuple[Word | str | Omitted, ...]


def table(headings: tuple[str, ...], rows: Iterable[Row], most: int = MOST_PARTS) -> Table:
    """A table; the middle of a long one is left out."""
    every = list(rows)
    places = elided(len(every), most)
    shown = ((Omitted(),) * len(headings) if k is None else every[k] for k in places)
    return Table(headings, tuple(shown))
