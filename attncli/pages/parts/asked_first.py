"""What tells who is asked for a number before it is shown: ranges, and what known mistakes give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from attncli.document.tables import WrongWorking
from attncli.maths.equations.tree import Location
from attncli.names import worded
from attncli.pages.parts.sentences import gives_it, printed_roots
from attncli.pages.parts.working import Workings
from attncli.steps.mistakes import mistaken
from attncli.trace import Definition, Trace

if TYPE_CHECKING:
    from attncli.judging.judging import Judge


class WrongWorkings(Mapping[str, Sequence[WrongWorking]]):
    """A mapping of the quantities of a trace, by their full names, to the known mistakes that are
    made in working just them. Nothing is worked before somebody asks."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    @cached_property
    def _ways(self) -> Mapping[str, Sequence[tuple[str, Definition]]]:
        from attncli.judging.wrong_ways import declared_ways

        ways: dict[str, list[tuple[str, Definition]]] = {}
        for part in self._trace.story:
            for way in declared_ways(self._trace, part):
                for definition in way.definitions:
                    ways.setdefault(definition.name, []).append((way.says, definition))
        return ways

    def __getitem__(self, name: str) -> Sequence[WrongWorking]:
        return tuple(self._workings(name, self._ways[name]))

    def _workings(
        self, name: str, ways: Sequence[tuple[str, Definition]]
    ) -> Iterator[WrongWorking]:
        made: list[Definition] = []
        for says, definition in ways:
            wrong = mistaken(self._trace, (definition,), {name})
            if wrong is not None and definition not in made:
                made.append(definition)
                yield WrongWorking(gives_it(worded(says)), Workings(wrong)[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._ways)

    def __len__(self) -> int:
        return len(self._ways)


class AcceptedRanges(Mapping[Location, tuple[float, float]]):
    """A mapping of cells to the range of numbers that are right for them, whichever of the numbers
    that round to those before one goes on with."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    @cached_property
    def _judge(self) -> Judge:
        from attncli.judging.judging import Judge

        return Judge(self._trace, printed=printed_roots(self._trace))

    def __getitem__(self, cell: Location) -> tuple[float, float]:
        ends = self._judge.accepted(cell)
        return ends.low, ends.high

    def __iter__(self) -> Iterator[Location]:
        for name, quantity in self._trace.quantities.items():
            rows, columns = quantity.matrix.shape
            yield from (Location(name, i, j) for i in range(rows) for j in range(columns))

    def __len__(self) -> int:
        return sum(quantity.matrix.size for quantity in self._trace.quantities.values())
