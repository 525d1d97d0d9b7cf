"""Judging numbers: which ones are right for the cells of a trace, whoever gives them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.expression import Location, numbers_in
from attncli.marking.paths import Paths, Roots, paths_from
from attncli.marking.tolerance import Tolerance, accepted, at_cell, ranges
from attncli.marking.verdicts import Accepted, Given, Verdict
from attncli.trace import Trace

if TYPE_CHECKING:
    from attncli.marking.hypotheses import Hypotheses

__all__ = ["Answers", "Judge", "Tolerance", "accepted"]

Answers = Mapping[Location, Given]
"""What somebody gives, by cells."""


@dataclass(eq=False, repr=False)
class Judge:
    """Judges what somebody gives for the cells of a trace; `shown` are the quantities that the
    sheet shows to start from, besides the given ones, `printed` the roots that it gives in
    figures. What is the same for all papers is worked once."""

    trace: Trace
    shown: Collection[str] = ()
    tolerance: Tolerance = Tolerance()
    printed: Roots = field(default_factory=dict)
    _ranges: dict[str, Enclosure] = field(default_factory=dict)
    _sources: dict[Location, tuple[Location, ...]] = field(default_factory=dict)

    @cached_property
    def right(self) -> Paths:
        """Where honest paths lead."""
        return paths_from(self.trace, self.shown, self.printed)

    def accepted(self, cell: Location) -> Accepted:
        """The numbers that are right for a cell."""
        return at_cell(self.ranges(cell.quantity), cell)

    def ranges(self, name: str) -> Enclosure:
        """The numbers that are right for each cell of a quantity."""
        if name not in self._ranges:
            self._ranges[name] = ranges(self.right, name, self.tolerance)
        return self._ranges[name]

    def verdicts(self, answers: Answers) -> tuple[Verdict, ...]:
        """A verdict for each number that is given, in the order of the working."""
        return self.judged(answers)[0]

    def judged(self, answers: Answers) -> tuple[tuple[Verdict, ...], Paths]:
        """The verdicts, and where honest paths lead from what is given."""
        from attncli.marking.one_author import AuthorsNumbers

        paper = AuthorsNumbers(self, answers, self.right)
        with np.errstate(all="ignore"):  # what follows from wild numbers may be none
            verdicts = tuple(paper.verdicts())
        return verdicts, paper.theirs

    @cached_property
    def hypotheses(self) -> Hypotheses:
        """The known mistakes."""
        from attncli.marking.hypotheses import Hypotheses

        return Hypotheses(self.right, self.tolerance)

    def sources(self, cell: Location) -> tuple[Location, ...]:
        """The cells that a cell is worked from."""
        if cell not in self._sources:
            self._sources[cell] = tuple(_sources(self.trace, cell))
        return self._sources[cell]


def _sources(trace: Trace, cell: Location) -> Iterator[Location]:
    definition = trace[cell.quantity].definition
    if definition is None:
        return
    form = definition.operation.first_form(cell.row, cell.column, *trace.operands(definition))
    for number in numbers_in(form):
        if number.cell is not None and number.cell.quantity:
            yield number.cell
