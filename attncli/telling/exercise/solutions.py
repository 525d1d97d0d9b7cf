"""The worked solution of what a section asks for: its lines as `attn run` prints them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from attncli.arithmetic.expression import Expression, Omitted, numbers_in
from attncli.document import Addition, Block, Line, Section, Working
from attncli.telling.exercise.lines import Place, address_of


def solution_of(section: Section, places: Sequence[Place]) -> tuple[Block, ...]:
    """The lines of a fully told section that have something to do with what is asked."""
    asked = _Wanted(places)
    return tuple(block for one in section.blocks for block in asked.of(one))


class _Wanted:
    """Which lines are wanted: those whose results, or whose terms, are asked for."""

    def __init__(self, places: Sequence[Place]) -> None:
        self.cells = {place.cell for place in places if place.cell is not None}
        terms = (place.id for place in places if place.cell is None)
        self.addresses = {id_.rpartition(".working[")[0] for id_ in terms}

    def of(self, block: Block) -> Iterator[Block]:
        if isinstance(block, Working):
            lines = _without_loose_ends([line for line in block.lines if self.keeps(line)])
            if lines:
                yield Working(tuple(lines))
        elif isinstance(block, Addition) and self.is_about(block, block.total):
            yield block

    def keeps(self, line: Line | Omitted) -> bool:
        return isinstance(line, Omitted) or self.is_about(line, line.parts[-1][1])

    def is_about(self, line: Line | Addition, result: Expression) -> bool:
        told = (number.cell for number in numbers_in(result))
        return address_of(line) in self.addresses or _meets(self.cells, told)


def _meets(wanted: Collection[object], found: Iterator[object]) -> bool:
    return any(one in wanted for one in found)


def _without_loose_ends(lines: Sequence[Line | Omitted]) -> list[Line | Omitted]:
    """The lines without marks for those left out at either end, or twice in a row."""
    kept: list[Line | Omitted] = []
    for line in lines:
        if isinstance(line, Line) or (kept and isinstance(kept[-1], Line)):
            kept.append(line)
    return kept[:-1] if kept and isinstance(kept[-1], Omitted) else kept
