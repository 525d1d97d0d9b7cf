"""What a number was worked from, and that in turn, down to what is given."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from attncli.arithmetic.elision import MOST_FOLLOWED
from attncli.arithmetic.expression import (
    INNER,
    Expression,
    Location,
    Number,
    Omitted,
    each,
    numbers_in,
)
from attncli.document import Line
from attncli.telling.origins import Origins
from attncli.trace import Trace


class Ancestor(NamedTuple):
    """A number on the way back: its level, 1 for the one that was asked for; the number through
    which it was met first; its line, and the cells whose numbers stand in that, in their order."""

    level: int
    met_in: Location | None
    line: Line
    made_of: tuple[Location, ...]

    @property
    def is_copy(self) -> bool:
        """Whether its line is nothing but another cell's number."""
        return len(self.line.parts) == 1 and len(self.made_of) == 1

    @property
    def is_elided(self) -> bool:
        """Whether its line leaves terms out."""
        return any(any(each(part, Omitted)) for _, part in self.line.parts)


class Ancestry(NamedTuple):
    """A cell and all that it comes from, each once, at the level nearest to it; of given cells
    only itself, since those that others are made of have no working. Of a very large trace only
    the nearest are followed."""

    trace: Trace
    cell: Location
    ancestors: Mapping[Location, Ancestor]

    @classmethod
    def of(cls, trace: Trace, cell: Location) -> Ancestry:
        return cls(trace, cell, dict(_met(trace, cell)))

    @property
    def is_whole(self) -> bool:
        """Whether all were followed."""
        return len(self.ancestors) < MOST_FOLLOWED

    @property
    def deepest(self) -> int:
        """The level of the last working."""
        return max(one.level for one in self.ancestors.values())

    def is_given(self, cell: Location) -> bool:
        return self.trace[cell.quantity].given

    def number(self, cell: Location) -> Number:
        return self.trace[cell.quantity].number(cell.row, cell.column)

    def given(self) -> list[Location]:
        """The given numbers that it comes from."""
        met = [self.cell, *(cell for one in self.ancestors.values() for cell in one.made_of)]
        return [cell for cell in dict.fromkeys(met) if self.is_given(cell)]


def _met(trace: Trace, cell: Location) -> Iterator[tuple[Location, Ancestor]]:
    """The numbers level by level, so that each is met where it is nearest."""
    origins = Origins(trace)
    waiting: deque[tuple[Location, int, Location | None]] = deque([(cell, 1, None)])
    known = {cell}
    for _ in range(MOST_FOLLOWED):
        if not waiting:
            return
        one, level, met_in = waiting.popleft()
        line = origins[one]
        made_of = tuple(dict.fromkeys(other for other in _cells_of(line) if other != one))
        yield one, Ancestor(level, met_in, line, made_of)
        for other in made_of:
            if other not in known and not trace[other.quantity].given:
                known.add(other)
                waiting.append((other, level + 1, one))


def _cells_of(line: Line) -> Iterator[Location]:
    for _, part in line.parts:
        yield from _cells_in(part)


def _cells_in(node: Expression) -> Iterator[Location]:
    """The cells whose numbers stand in an expression, or in what these were worked from there."""
    for number in numbers_in(node):
        if number.cell == INNER:
            yield from () if number.form is None else _cells_in(number.form)
        elif number.cell is not None:
            yield number.cell
