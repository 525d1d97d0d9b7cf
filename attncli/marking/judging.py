"""Judging numbers: which ones are right for the cells of a trace, whoever gives them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.expression import Location, numbers_in
from attncli.marking.paths import Paths, Roots, Tolerance, accepted, at_cell, paths_from, ranges
from attncli.marking.verdicts import Accepted, Given, Verdict
from attncli.trace import Quantity, Trace
from attncli.trace.published import PublishedNumber, published_numbers

if TYPE_CHECKING:
    from attncli.marking.hypotheses import Hypotheses


__all__ = ["Answers", "Judge", "Tolerance", "accepted"]

Answers = Mapping[Location, Given]
"""What somebody gives, by cells."""


@dataclass(frozen=True, eq=False, repr=False)
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


def published_verdicts(trace: Trace) -> tuple[Judge, tuple[Verdict, ...]]:
    """A verdict for each number that the source works out, and who judges them. What it assumes is
    gone on with, and of numbers that it prints twice for a cell those that it prints last."""
    printed = published_numbers(trace)
    more: dict[str, Quantity] = {one.quantity.name: one.quantity for one in printed}
    known = {name: one for name, one in more.items() if name not in trace.quantities}
    judge = Judge(replace(trace, quantities={**known, **trace.quantities}))  # IDs are no quantities
    leading = _leading(judge, printed)
    fewer = {one.key for one in printed if one.follows}
    assumed = {one.key for one in printed if one.assumed}
    told = [one for one in _each(judge, leading) if one.key not in assumed]
    return judge, tuple(_as_printed(one, one.key in fewer) for one in told)


def _each(judge: Judge, printed: Sequence[PublishedNumber]) -> list[Verdict]:
    """The verdicts in the order of the working; those on earlier numbers for a cell, each judged in
    the place of the last one, stand before that."""
    told = [(Location(*one.cell), _given(one)) for one in printed]
    last = dict(told)
    found = {one.cell: [one] for one in judge.verdicts(last)}
    for cell, given in told:
        if given is last[cell]:
            continue
        one = found[cell][-1]
        if one.judgement == "correct" and one.given.number == given.number:  # which is as right
            found[cell].insert(-1, one._replace(given=given))
            continue
        again = judge.verdicts({**last, cell: given})
        found[cell].insert(-1, next(one for one in again if one.cell == cell))
    return [one for verdicts in found.values() for one in verdicts]


def _leading(judge: Judge, printed: Sequence[PublishedNumber]) -> list[PublishedNumber]:
    """Those that the source works out, and what it assumes before the last of them."""
    order = [*judge.trace]
    last = max((order.index(one.quantity.name) for one in printed if not one.assumed), default=-1)
    return [one for one in printed if order.index(one.quantity.name) <= last]


def _given(one: PublishedNumber) -> Given:
    return Given(decimals.text(one.theirs), one.theirs, decimals.places(one.theirs), one.at)


def _as_printed(verdict: Verdict, follows: bool) -> Verdict:
    """A number that a source prints with fewer decimals than are worked here is right where it is
    rounded from ours."""
    cause = verdict.cause
    if follows and verdict.judgement == "rounding" and cause is not None:
        return verdict._replace(judgement="correct", cause=None, others=())
    return verdict
