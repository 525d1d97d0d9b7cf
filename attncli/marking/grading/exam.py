"""What is asked, of which numbers, and for how many points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from attncli.arithmetic.expression import Location
from attncli.marking.grading.addresses import shown_for
from attncli.marking.grading.scheme import Scheme
from attncli.marking.grading.terms import AskedTerm
from attncli.marking.grading.words import AskedWords
from attncli.marking.judging import Judge, Tolerance
from attncli.marking.paths import Roots
from attncli.trace import Trace


class AskedNumber(NamedTuple):
    """A number that is asked for: the cell by its address as it is written, and its points."""

    id: str
    cell: Location
    points: Decimal = Decimal(1)


@dataclass(frozen=True)
class Exam:
    """A form of an exercise, to mark papers by; `printed` are the roots that its sheet gives in
    figures; `form` is what it is called. What is the same for all of them is worked once."""

    trace: Trace
    asked: tuple[AskedNumber, ...]
    terms: tuple[AskedTerm, ...] = ()
    scheme: Scheme = Scheme()
    tolerance: Tolerance = Tolerance()
    printed: Roots = field(default_factory=dict)
    words: tuple[AskedWords, ...] = ()
    name: str = ""
    form: str = ""

    @property
    def title(self) -> str:
        """What it is called: as the exercise says, or else the scenario."""
        return self.name or self.trace.scenario.title

    @cached_property
    def judge(self) -> Judge:
        reads = (one.question.reads for one in self.words)
        names = (*(one.cell.quantity for one in self.asked), *reads)
        shown = shown_for(self.trace, names)
        return Judge(self.trace, shown, self.tolerance, self.printed)

    @cached_property
    def by_cell(self) -> Mapping[Location, AskedNumber]:
        return {one.cell: one for one in self.asked}

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """All that is asked, by its ids."""
        numbers = (*(one.id for one in self.asked), *(one.id for one in self.terms))
        return (*numbers, *(one.id for one in self.words))

    @property
    def points(self) -> Decimal:
        """Those of all that is asked."""
        numbers = (*(one.points for one in self.asked), *(one.points for one in self.terms))
        return sum((*numbers, *(one.points for one in self.words)), Decimal(0))
