"""Judging numbers: in the order of the working each is compared with what honest paths lead to,
then with what follows from the same author's earlier numbers, then with what known mistakes give.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from functools import cached_property

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.expression import Location, numbers_in
from attncli.marking.causes import explained
from attncli.marking.paths import Paths
from attncli.marking.verdicts import Accepted, Given, Judgement, Verdict
from attncli.records import NamedTuple, dataclass, field
from attncli.trace import Trace

Answers = Mapping[Location, Given]
"""What somebody gives, by cells."""


class Tolerance(NamedTuple):
    """What is let pass beside what follows by itself: so many units of the last place, an absolute
    and a relative difference."""

    units: Decimal = Decimal(0)
    absolute: Decimal = Decimal(0)
    relative: Decimal = Decimal(0)

    def around(self, low: float, high: float, places: int) -> Accepted:
        """What is accepted for numbers that round to these: half a unit of the last place around
        them, and what is let pass besides."""
        unit = 10.0**-places
        more = (0.5 + float(self.units)) * unit + float(self.absolute)
        down, up = (float(self.relative) * abs(end) for end in (low, high))
        return Accepted(low - more - down, high + more + up)


@dataclass(frozen=True)
class Judge:
    """Judges what somebody gives for the cells of a trace; `shown` are the quantities that the
    sheet shows to start from, besides the given ones."""

    trace: Trace
    shown: Collection[str] = ()
    tolerance: Tolerance = Tolerance()

    @cached_property
    def right(self) -> Paths:
        """Where honest paths lead."""
        return Paths(self.trace, {name: _as_shown(self.trace, name) for name in self.shown})

    def accepted(self, cell: Location) -> Accepted:
        """The numbers that are right for a cell."""
        return accepted(self.right, cell, self.tolerance)

    def verdicts(self, answers: Answers) -> tuple[Verdict, ...]:
        """A verdict for each number that is given, in the order of the working."""
        return tuple(_Paper(self, answers).verdicts())


def accepted(paths: Paths, cell: Location, tolerance: Tolerance) -> Accepted:
    """What is right for a cell on some paths; −∞ is only itself."""
    name, i, j = cell
    low, high = (float(end[i, j]) for end in paths.written(name))
    if not (np.isfinite(low) and np.isfinite(high)):
        return Accepted(low, high)
    return tolerance.around(low, high, paths.decimals(name))


def _as_shown(trace: Trace, name: str) -> Enclosure:
    """A quantity as a sheet prints it."""
    matrix = trace[name].matrix
    shown = np.array(
        [
            [float(matrix.number(i, j).shown) for j in range(matrix.shape[1])]
            for i in range(matrix.shape[0])
        ]
    )
    return Enclosure.of(shown)


@dataclass(frozen=True)
class _Paper:
    """One author's numbers, judged from the first to the last."""

    judge: Judge
    answers: Answers
    wrong: dict[Location, Given] = field(default_factory=dict)
    known: dict[str, Enclosure] = field(default_factory=dict)
    _roots: dict[Location, frozenset[Location]] = field(default_factory=dict)

    def verdicts(self) -> Iterator[Verdict]:
        for name in self.judge.trace:
            cells = self.cells.get(name)
            if cells:
                yield from self.of_quantity(name, cells)

    @cached_property
    def cells(self) -> Mapping[str, list[Location]]:
        """The cells that are given, by quantities, row by row."""
        found: dict[str, list[Location]] = {}
        for cell in sorted(self.answers):
            found.setdefault(cell.quantity, []).append(cell)
        return found

    def of_quantity(self, name: str, cells: list[Location]) -> list[Verdict]:
        theirs = self.paths() if self.known else self.judge.right
        judged = {cell: self.at_once(cell, theirs) for cell in cells}
        open_ = [cell for cell, verdict in judged.items() if verdict is None]
        if open_:
            given = {cell: self.answers[cell] for cell in cells}
            right = {cell for cell, verdict in judged.items() if verdict is not None}
            for cell, (judgement, causes) in explained(
                theirs, name, given, right, self.judge.tolerance
            ).items():
                judged[cell] = self.verdict(cell, judgement, theirs)._replace(
                    cause=causes[0] if causes else None, others=tuple(causes[1:])
                )
        found = [verdict for verdict in judged.values() if verdict is not None]
        self.remember(name, found)
        return found

    def paths(self) -> Paths:
        """Where honest paths lead from the author's own numbers."""
        return self.judge.right.from_here(self.known)

    def at_once(self, cell: Location, theirs: Paths) -> Verdict | None:
        """The verdict on a number that is missing, right, or follows from earlier ones."""
        given = self.answers[cell]
        if given.number is None:
            return self.verdict(cell, "unreadable" if given.text.strip() else "blank", theirs)
        if self.judge.accepted(cell).takes(given.number):
            return self.verdict(cell, "correct", theirs)
        if theirs is self.judge.right or not self.roots(cell):
            return None
        if not accepted(theirs, cell, self.judge.tolerance).takes(given.number):
            return None
        found = self.verdict(cell, "carried forward", theirs)
        return found._replace(follows_from=tuple(sorted(self.roots(cell))))

    def verdict(self, cell: Location, judgement: Judgement, theirs: Paths) -> Verdict:
        name, i, j = cell
        expected = self.judge.trace[name].number(i, j)
        right, follows = self.judge.accepted(cell), None
        if theirs is not self.judge.right and self.roots(cell):
            follows = accepted(theirs, cell, self.judge.tolerance)
        return Verdict(
            cell, self.answers[cell], expected, right, judgement,
            follows=None if follows == right else follows,
        )  # fmt: skip

    def remember(self, name: str, found: list[Verdict]) -> None:
        """Goes on with the author's own numbers where these are no right ones."""
        wrong = [one for one in found if one.judgement not in ("correct", "blank", "unreadable")]
        if not wrong:
            return
        self.wrong.update({one.cell: one.given for one in wrong})
        low = np.full(self.judge.trace[name].matrix.shape, np.nan)
        high = low.copy()
        for (_, i, j), given in ((one.cell, one.given) for one in wrong):
            assert given.number is not None
            low[i, j] = float(given.number) - given.half
            high[i, j] = float(given.number) + given.half
        self.known[name] = Enclosure(low, high)

    def roots(self, cell: Location) -> frozenset[Location]:
        """The nearest earlier wrong numbers that a cell is worked from."""
        if cell not in self._roots:
            self._roots[cell] = frozenset(self._found_roots(cell))
        return self._roots[cell]

    def _found_roots(self, cell: Location) -> Iterator[Location]:
        trace = self.judge.trace
        definition = trace[cell.quantity].definition
        if definition is None or not self.wrong:
            return
        form = definition.operation.first_form(cell.row, cell.column, *trace.operands(definition))
        for number in numbers_in(form):
            if number.cell in self.wrong:
                yield number.cell
            elif number.cell is not None and number.cell.quantity:
                yield from self.roots(number.cell)
