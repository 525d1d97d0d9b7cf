"""The numbers that a student's sheet shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from attncli.arithmetic.expression import Expression, Number, Omitted, numbers_in
from attncli.document import Addition, Block, Line, Working
from attncli.tables import MatrixBlock, SideBySide

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
    match block:
        case Working(lines):
            parts = (p for line in lines if isinstance(line, Line) for _, p in line.parts)
            yield from (number for part in parts for number in numbers_in(part))
        case Addition():
            yield from (number for part in _added(block) for number in numbers_in(part))
        case MatrixBlock():
            cells = (block.entry(i, j) for i in block.rows for j in range(block.matrix.shape[1]))
            yield from (cell for cell in cells if isinstance(cell, Number))
        case SideBySide():
            for _, table in block.columns:
                yield from _of_block(table)


def _added(block: Addition) -> Iterator[Expression]:
    known = (addend for addend in block.addends if not isinstance(addend, Omitted))
    yield from (part for addend in known for part in addend)
    yield block.total
