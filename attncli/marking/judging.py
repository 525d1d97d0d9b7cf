"""Judging numbers: which ones are right for the cells of a trace, whoever gives them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attncli.equations.enclosures import Enclosure
from attncli.equations.tree import Location, numbers_in
from attncli.marking.causes import CauseSearch, Explained, GivenNumbers
from attncli.marking.honest_paths import (
    Flags,
    Paths,
    Roots,
    Tolerance,
    accepted,
    at_cell,
    paths_from,
    ranges,
    taken,
)
from attncli.marking.verdicts import FOLLOW, UNWORKABLE, Accepted, Cause, Given, Judgement, Verdict
from attncli.numbers import decimals
from attncli.numbers.rounding import Array
from attncli.trace import Definition, Quantity, Trace
from attncli.trace.published import PublishedNumber, published_numbers

if TYPE_CHECKING:
    from attncli.marking.causes import KnownMistakes


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

        paper = Submission(self, answers, self.right)
        with np.errstate(all="ignore"):  # what follows from wild numbers may be none
            verdicts = tuple(paper.verdicts())
        return verdicts, paper.theirs

    @cached_property
    def hypotheses(self) -> KnownMistakes:
        """The known mistakes."""
        from attncli.marking.causes import KnownMistakes

        return KnownMistakes(self.right, self.tolerance)

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
    more: dict[str, Quantity] = {f.quantity.name: f.quantity for f in printed}
    known = {name: q for name, q in more.items() if name not in trace.quantities}
    judge = Judge(replace(trace, quantities={**known, **trace.quantities}))  # IDs are no quantities
    leading = _leading(judge, printed)
    fewer = {f.key for f in printed if f.follows}
    assumed = {f.key for f in printed if f.assumed}
    verdicts = [v for v in _each(judge, leading) if v.key not in assumed]
    return judge, tuple(_as_printed(v, v.key in fewer) for v in verdicts)


def _each(judge: Judge, printed: Sequence[PublishedNumber]) -> list[Verdict]:
    """The verdicts in the order of the working; those on earlier numbers for a cell, each judged in
    the place of the last one, stand before that."""
    pairs = [(Location(*f.cell), _given(f)) for f in printed]
    last = dict(pairs)
    found = {v.cell: [v] for v in judge.verdicts(last)}
    for cell, given in pairs:
        if given is last[cell]:
            continue
        verdict = found[cell][-1]
        if (
            verdict.judgement == "correct" and verdict.given.number == given.number
        ):  # which is as right
            found[cell].insert(-1, verdict._replace(given=given))
            continue
        again = judge.verdicts({**last, cell: given})
        found[cell].insert(-1, next(v for v in again if v.cell == cell))
    return [v for verdicts in found.values() for v in verdicts]


def _leading(judge: Judge, printed: Sequence[PublishedNumber]) -> list[PublishedNumber]:
    """Those that the source works out, and what it assumes before the last of them."""
    order = [*judge.trace]
    last = max((order.index(f.quantity.name) for f in printed if not f.assumed), default=-1)
    return [f for f in printed if order.index(f.quantity.name) <= last]


def _given(figure: PublishedNumber) -> Given:
    return Given(
        decimals.text(figure.theirs), figure.theirs, decimals.places(figure.theirs), figure.at
    )


def _as_printed(verdict: Verdict, follows: bool) -> Verdict:
    """A number that a source prints with fewer decimals than are worked here is right where it is
    rounded from ours."""
    cause = verdict.cause
    if follows and verdict.judgement == "rounding" and cause is not None:
        return verdict._replace(judgement="correct", cause=None, others=())
    return verdict


# --------------------------------------------------------------------------------------------------
# One author's numbers: in the order of the working each is compared with what honest paths lead
# to, then with what follows from the same author's earlier numbers, then with what known mistakes
# give.


class _Judged(NamedTuple):
    """Numbers of a quantity, and which of them are right; where some aren't, what follows from
    earlier ones."""

    numbers: GivenNumbers
    right: Flags
    follows: Enclosure | None = None


class Submission:
    """One author's numbers, judged from the first to the last.

    Wrong numbers are gone on with, and so are mistakes in what isn't asked, which have `shown` in
    some cells of later quantities. `theirs` is where honest paths lead from both. What was worked
    `otherwise` in another right way is no wrong number.
    """

    def __init__(self, judge: Judge, answers: Answers, theirs: Paths) -> None:
        self.judge, self.answers, self.theirs = judge, answers, theirs
        self.wrong: dict[Location, Given] = {}
        self.own: set[Location] = set()
        self.known: dict[str, Enclosure] = {}
        self.shown: dict[str, frozenset[Location]] = {}
        self.made: set[str] = set()
        self.otherwise: dict[str, Cause] = {}
        self._roots: dict[Location, frozenset[Location]] = {}

    def verdicts(self) -> Iterator[Verdict]:
        for name in self.judge.trace:
            if name in self.cells:
                yield from self.of_quantity(name)

    @cached_property
    def cells(self) -> Mapping[str, list[Location]]:
        """The cells that are given, by quantities, row by row."""
        found: dict[str, list[Location]] = {}
        for cell in sorted(self.answers):
            found.setdefault(cell.quantity, []).append(cell)
        return found

    @cached_property
    def values(self) -> Mapping[str, Array]:
        """The numbers that are given, [n, m] by quantities, nan where there is none."""
        return {name: self.array(name) for name in self.judge.trace if name in self.cells}

    def array(self, name: str) -> Array:
        values = np.full(self.judge.trace[name].matrix.shape, np.nan)
        for cell in self.cells[name]:
            number = self.answers[cell].number
            if number is not None:
                values[cell.row, cell.column] = float(number)
        return values

    def of_quantity(self, name: str) -> list[Verdict]:
        judged = self.compared(name)
        explained = Explained({})
        if judged.numbers.open.any():
            explained = self.inquiry(judged.numbers).explained()
        found = [self.verdict(cell, judged, explained) for cell in self.cells[name]]
        self.remember(name, found, judged)
        if explained.way is not None:
            self.go_on_with(name, explained)
        return found

    def compared(self, name: str) -> _Judged:
        """Which numbers are right, or follow from the author's own."""
        values = self.values[name]
        right = taken(self.judge.ranges(name), values)
        open_, follows = ~np.isnan(values) & ~right, None
        if name in self.theirs.apart and not np.isnan(values).all():
            follows = ranges(self.theirs, name, self.judge.tolerance)
            open_ &= ~taken(follows, values)
        given = {cell: self.answers[cell] for cell in self.cells[name]}
        return _Judged(GivenNumbers(name, given, values, open_), right, follows)

    def inquiry(self, numbers: GivenNumbers) -> CauseSearch:
        """What is to be found out about the numbers that nothing explains yet."""
        names = [*self.values]
        k = names.index(numbers.name)
        earlier, later = (
            {name: self.values[name] for name in some if not np.isnan(self.values[name]).all()}
            for some in (names[:k], names[k + 1 :])
        )
        return CauseSearch(
            self.judge.hypotheses, self.theirs, numbers, earlier, later, frozenset(self.made)
        )

    def verdict(self, cell: Location, judged: _Judged, explained: Explained) -> Verdict:
        name, i, j = cell
        given = self.answers[cell]
        right, follows = self.judge.accepted(cell), None
        judgement, causes = explained.found.get(cell, (self.at_once(cell, judged), []))
        if judgement == "worked otherwise" and not causes:
            causes = [self.otherwise[name]]
        if judged.follows is not None and judgement != "correct":
            follows = at_cell(judged.follows, cell)
        if judgement == "slip" and self.theirs.is_unworkable(name):
            causes = [self.unworkable(cell), *causes]
        return Verdict(
            cell, given, self.judge.trace[name].number(i, j), right, judgement,
            cause=causes[0] if causes else None,
            others=tuple(causes[1:]),
            follows_from=self.followed(cell) if judgement == "carried forward" else (),
            follows=None if follows == right else follows,
        )  # fmt: skip

    def unworkable(self, cell: Location) -> Cause:
        """Why a number is judged by the key: an earlier one of the author leads to none."""
        trace = self.judge.trace
        own = (
            f"{trace[entry.quantity].address(entry.row, entry.column)} = {self.answers[entry].text}"
            for entry in self.followed(cell)
        )
        text = ", ".join(own) or "earlier numbers"
        return Cause(UNWORKABLE, f"It can't be worked from your {text}: the key's numbers count.")

    def at_once(self, cell: Location, judged: _Judged) -> Judgement:
        """The judgement on a number that is missing, right, or follows from earlier ones."""
        given = self.answers[cell]
        if given.number is None:
            return "blank" if given.is_empty else "unreadable"
        if judged.right[cell.row, cell.column]:
            return "correct"
        if self.otherwise and not self.roots(cell):
            return "worked otherwise" if cell.quantity in self.otherwise else "correct"
        return "carried forward"

    def remember(self, name: str, found: list[Verdict], judged: _Judged) -> None:
        """Goes on with the author's own numbers where these are no right ones, or right ones that
        don't follow from wrong ones before, which were then only written down wrongly."""
        there = [v for v in found if v.given.number is not None]
        wrong = [v for v in there if v.judgement not in FOLLOW[:2]]
        otherwise = any(v.judgement == "worked otherwise" for v in there)
        self.wrong.update({v.cell: v.given for v in wrong})
        if judged.follows is not None:
            own = judged.right & ~taken(judged.follows, judged.numbers.values)
            self.own.update(v.cell for v in there if own[v.cell[1:]])
        # what stands beside another right way is its own
        known = [v for v in there if otherwise or v.cell in self.wrong or v.cell in self.own]
        if not known:
            return
        low = np.full(self.judge.trace[name].matrix.shape, np.nan)
        high, asked = low.copy(), self.theirs.decimals(name)
        for (_, i, j), given in ((v.cell, v.given) for v in known):
            assert given.number is not None
            low[i, j] = float(given.number) - given.half(asked)
            high[i, j] = float(given.number) + given.half(asked)
        self.known[name] = Enclosure(low, high)
        self.theirs = self.theirs.from_here({name: self.known[name]})
        self._roots.clear()

    def go_on_with(self, name: str, explained: Explained) -> None:
        """Goes on with a mistake in what isn't asked, or in more than this quantity; where it is
        made again in what is asked, that is judged by itself."""
        way = explained.way
        assert way is not None
        made: list[dict[str, Definition]] = [
            {d.name: d for d in place.definitions} for place in way.all or (way,)
        ]
        instead: dict[str, Definition] = {}
        for each in made:
            if len(made) == 1 or name in each or each.keys().isdisjoint(self.cells):
                instead |= each
        if way.judgement == "worked otherwise":
            self.otherwise.update({d.name: way.cause(d.name) for d in way.definitions})
        else:
            self.made.add(way.name)
        theirs = self.theirs.from_here(instead=instead)
        if not theirs.is_circular:
            if way.judgement == "known mistake":
                self.shown.update({text: explained.cells for text in instead if text != name})
            self.theirs = theirs

    def followed(self, cell: Location) -> tuple[Location, ...]:
        """The earlier cells that a number follows from: wrong ones, or where all of these are right
        to be sure, but off, those that are given."""
        given = (source for source in self.judge.sources(cell) if source in self.answers)
        return tuple(sorted(self.roots(cell) or dict.fromkeys(given)))

    def roots(self, cell: Location) -> frozenset[Location]:
        """The nearest earlier wrong numbers that a cell is worked from, and those in which a
        mistake has shown."""
        if cell not in self._roots:
            self._roots[cell] = frozenset(self._found_roots(cell)) - {cell}
        return self._roots[cell]

    def _found_roots(self, cell: Location) -> Iterator[Location]:
        yield from self.shown.get(cell.quantity, ())
        for source in self.judge.sources(cell):
            if source in self.wrong:
                yield source
            elif source not in self.own:
                yield from self.roots(source)
