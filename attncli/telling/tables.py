"""Tables of words, the middle of a long one left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attncli.arithmetic.elision import MOST_PARTS, elided
from attncli.arithmetic.expression import Omitted
from attncli.document import Block, Prose, Table
from attncli.tables import Branch
from attncli.word import Word

Row = tuple[Word | str | Omitted | Branch, ...]

MOST_ROWS = 4 * MOST_PARTS
"""What a table of words that is looked things up in may have."""

_TO_FOLD = 6


def table(headings: tuple[Word | str, ...], rows: Iterable[Row], most: int = MOST_PARTS) -> Table:
    """A table; the middle of a long one is left out."""
    every = list(rows)
    places = elided(len(every), most)
    shown = ((Omitted(),) * len(headings) if k is None else every[k] for k in places)
    return Table(headings, tuple(shown))


def folded(whole: Block) -> Block:
    """A table of two columns as one of four, which takes half the room, unless it is short."""
    if not isinstance(whole, Table) or len(whole.headings) != 2 or len(whole.rows) < _TO_FOLD:  # noqa: PLR2004
        return whole
    half = -(-len(whole.rows) // 2)
    right = [*whole.rows[half:], ("", "")][:half]
    rows = tuple((*a, *b) for a, b in zip(whole.rows[:half], right, strict=True))
    return Table(whole.headings * 2, rows, folded=True)


def rounds_between(own: int, told: Sequence[int]) -> list[Block]:
    """A word on the rounds that aren't told, after one that is."""
    after = [number for number in told if number > own]
    if not after or after[0] == own + 1:
        return []
    last = after[0] - 1
    which = f"Rounds {own + 1} to {last} go" if last > own + 1 else f"Round {last} goes"
    return [Prose((f"{which} the same way.",))]
