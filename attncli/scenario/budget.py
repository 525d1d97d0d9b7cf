"""What may be done without being asked for by `--large`: so much that it ends within some five
seconds and a gigabyte on an ordinary machine. It is counted before it is done.

The seconds were measured over layers of 64 to 4,000 tokens, 2 to 768 dimensions and 1 to 12 heads,
and over thousands of layers and times; what they come to may be off by a factor of 2. Learning a
tokenizer is counted beside it (`tokenizers.cost`). How many numbers floats leave in doubt, of which
there are many with ten decimals or more, is known only when they are rounded (`MOST_SETTLED`).
"""

from __future__ import annotations

from typing import NamedTuple

MOST_VALUES = 150_000
"""Values of a file that are read, those that aliases and variants repeat counted each time."""

MOST_NUMBERS = 2**24
"""Numbers that are drawn, read from files of arrays, or ones and zeros of `one_hot`."""

MOST_PLACES = 6000
"""Steps at all their places: layers, heads and times, of all variants and generated tokens."""

MOST_LINES = 6000
"""Lines of working on one page."""

MOST_PUBLISHED = 10_000
"""Numbers that a source prints, each compared with one that is worked."""

MOST_SETTLED = 500_000
"""Numbers that those of one quantity are worked from which floats leave in doubt, each by itself,
in some microseconds each."""

_MOST_CELLS = 100_000_000
"""Numbers of all quantities, of 8 bytes each."""

_MOST_SECONDS = 3.5
_PER_PLACE, _PER_CELL, _PER_TERM = 4.5e-4, 3e-8, 1e-10


class Cost(NamedTuple):
    """Steps at their places, numbers of quantities, and terms of the sums that make them."""

    places: int = 0
    cells: int = 0
    terms: int = 0

    def plus(self, other: Cost) -> Cost:
        return Cost(*(one + more for one, more in zip(self, other, strict=True)))

    def times(self, factor: int) -> Cost:
        return Cost(*(one * factor for one in self))

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        return self.places * _PER_PLACE + self.cells * _PER_CELL + self.terms * _PER_TERM

    @property
    def is_too_much(self) -> bool:
        return self.places > MOST_PLACES or self.cells > _MOST_CELLS or self.seconds > _MOST_SECONDS

    def told(self) -> str:
        """`7 steps, 300 numbers, 1,200 terms of sums`."""
        counts = zip(self, ("steps", "numbers", "terms of sums"), strict=True)
        return ", ".join(f"{count:,} {what}" for count, what in counts if count)
