"""Tables of words, the middle of a long one left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attncli.arithmetic.elision import MOST_PARTS, elided
from attncli.arithmetic.expression import Omitted
from attncli.document import Block, Prose, Table
from attncli.word import Word

Row = tuple[Word | str | Omitted, ...]

MOST_ROWS = 4 * MOST_PARTS
"""What a table of words that is looked things up in may have."""


def table(headings: tuple[Word | str, ...], rows: Iterable[Row], most: int = MOST_PARTS) -> Table:
    """A table; the middle of a long one is left out."""
    every = list(rows)
    places = elided(len(every), most)
    shown = ((Omitted(),) * len(headings) if k is None else every[k] for k in places)
    return Table(headings, tuple(shown))


def rounds_between(own: int, told: Sequence[int]) -> list[Block]:
    """A word on the rounds that aren't told, after one that is."""
    after = [number for number in told if number > own]
    if not after or after[0] == own + 1:
        return []
    last = after[0] - 1
    which = f"Rounds {own + 1} to {last} go" if last > own + 1 else f"Round {last} goes"
    return [Prose((f"{which} the same way.",))]
