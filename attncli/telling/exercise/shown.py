"""The numbers that a student's sheet shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from attncli.arithmetic.expression import Number
from attncli.document import Block, parts_of
from attncli.tables import MatrixBlock

_TELLING = 3
"""A number of so many digits hardly comes about twice by chance; 0, 1 or 0.5 do."""


def is_telling(number: Number) -> bool:
    """Whether a number can be told from others by its digits."""
    return number.shown.is_finite() and len(number.shown.as_tuple().digits) >= _TELLING


def like(number: Number) -> Decimal:
    """What a number has in common with those that give it away: its size."""
    return abs(number.shown)


def numbers_shown(blocks: Iterable[Block]) -> set[Decimal]:
    """The sizes of all numbers in the tables and lines of some blocks."""
    return {like(number) for block in blocks for number in _of_block(block)}


def _of_block(block: Block) -> Iterator[Number]:
    yield from parts_of(block, Number)
    for table in parts_of(block, MatrixBlock):
        cells = (table.entry(i, j) for i in table.rows for j in range(table.matrix.shape[1]))
        yield from (cell for cell in cells if isinstance(cell, Number))
