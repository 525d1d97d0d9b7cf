"""What is asked, of which numbers, and for how many points; marks by what is said of a number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from attncli.arithmetic.expression import Location
from attncli.choices import Marks
from attncli.marking.grading.addresses import line_of, shown_for
from attncli.marking.grading.words import WordQuestion, question_at
from attncli.marking.judging import Judge, Tolerance
from attncli.marking.paths import Roots
from attncli.marking.slips import OF_THE_PEN
from attncli.marking.verdicts import Judgement, Verdict
from attncli.name import Name
from attncli.questions import Item
from attncli.steps.order import is_question
from attncli.trace import Trace

_NONE, _HALF, _ALL = Decimal(0), Decimal("0.5"), Decimal(1)
_SHARES: Mapping[Marks, Mapping[Judgement, Decimal]] = MappingProxyType(
    {
        "single": {"correct": _ALL, "carried forward": _ALL},
        "method": {"correct": _ALL, "carried forward": _ALL, "rounding": _HALF},
    }
)
"""The share of its points that a number earns. Of method and accuracy marks, half each, one that is
only rounded otherwise, or written down wrongly, has the former."""
_IN_A_TABLE = ("row_and_column", "another_row", "another_column")
"""Causes by which right numbers stand in the wrong places."""


class Scheme(NamedTuple):
    """How marks are given. Without `carry` only a number that is right earns some; one that was
    worked in another right way earns the share `otherwise`."""

    marks: Marks = "single"
    carry: bool = True
    otherwise: Decimal = _ALL

    def shares(self, verdicts: Sequence[Verdict]) -> Iterator[Decimal]:
        """The share of its points that each number of a paper earns. A mistake that is made again
        in other cells costs once."""
        made: set[tuple[str, str]] = set()
        for verdict in verdicts:
            again = _mistake(verdict)
            repeated = self.carry and again is not None and again in made
            if again is not None:
                made.add(again)
            yield _ALL if repeated else self._share(verdict)

    def _share(self, verdict: Verdict) -> Decimal:
        if not self.carry and verdict.judgement == "carried forward":
            return _NONE
        if verdict.judgement == "worked otherwise":
            return self.otherwise
        pen = verdict.cause is not None and verdict.cause.name in OF_THE_PEN
        if pen and self.marks == "method":
            return _HALF
        return _SHARES[self.marks].get(verdict.judgement, _NONE)


def _mistake(verdict: Verdict) -> tuple[str, str] | None:
    """What would be the same mistake in another cell: a way of rounding anywhere, a wrong method
    in all quantities of a kind, such as the masks of several heads, numbers in the wrong places of
    a table in the same one; None of a slip."""
    cause = verdict.cause
    if cause is None or cause.name in OF_THE_PEN:
        return None
    if verdict.judgement == "rounding":
        return cause.name, ""
    if verdict.judgement != "known mistake":
        return None
    made = cause.quantity or verdict.cell.quantity
    if isinstance(made, Name) and cause.name not in _IN_A_TABLE:
        return cause.name, made.local
    return cause.name, made


@dataclass(frozen=True)
class Exam:
    """A form of an exercise, to mark papers by; `printed` are the roots that its sheet gives in
    figures; `form` is what it is called. What is the same for all of them is worked once."""

    trace: Trace
    items: tuple[Item, ...]
    scheme: Scheme = Scheme()
    tolerance: Tolerance = Tolerance()
    printed: Roots = field(default_factory=dict)
    name: str = ""
    form: str = ""

    @property
    def title(self) -> str:
        """What it is called: as the exercise says, or else the scenario."""
        return self.name or self.trace.scenario.title

    @cached_property
    def judge(self) -> Judge:
        reads = (question.reads for _, question in self.words)
        names = (*(cell.quantity for cell in self.results), *reads)
        shown = shown_for(self.trace, names)
        return Judge(self.trace, shown, self.tolerance, self.printed)

    @cached_property
    def results(self) -> Mapping[Location, Item]:
        """The numbers that are asked for, by their cells."""
        return {one.cell: one for one in self.items if one.cell is not None}

    @cached_property
    def terms(self) -> tuple[Item, ...]:
        """The numbers inside lines."""
        return tuple(one for one in self.items if line_of(one.id) is not None)

    @cached_property
    def words(self) -> tuple[tuple[Item, WordQuestion], ...]:
        """What is answered in words, each with what it asks of the trace."""
        asked = (one for one in self.items if is_question(one.id))
        return tuple((one, question_at(self.trace, one.id)) for one in asked)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """All that is asked, by its ids, in the order of the paper."""
        return tuple(one.id for one in self.items)

    @property
    def points(self) -> Decimal:
        """Those of all that is asked."""
        return Decimal(sum(one.points for one in self.items))
