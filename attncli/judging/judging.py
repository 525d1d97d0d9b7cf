"""Judging numbers: which ones are right for the cells of a trace, whoever gives them.

A written number stands for whatever rounds to it and can come of the numbers written before it. A
number is right if it can come of these, to the decimals asked, or to its own if it has more. Where
one of them is wrong, the key's counts as well, and what comes only of the wrong one follows.

One author's numbers, from the first to the last: each cell is worked by its own operation only,
from two sets of operands: `own`, as their author wrote them, and `mended`, where the key's stand
for wrong ones. What comes of the mended ones is right; what comes only of the own ones follows;
what comes of neither is looked for among what known mistakes give.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attncli.judging.causes import CauseSearch, Explained, GivenNumbers
from attncli.judging.honest_paths import (
    SLACK,
    Decimals,
    Paths,
    Roots,
    Tolerance,
    Written,
    at_cell,
    paths_from,
    ranges,
    rounded,
    taken,
)
from attncli.judging.one_way import OneWayWorkings
from attncli.judging.verdicts import RIGHT, UNWORKABLE, Accepted, Cause, Given, Judgement, Verdict
from attncli.maths.equations.enclosures import Enclosure
from attncli.maths.equations.tree import Location, Number, numbers_in
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array, Flags
from attncli.maths.operations.softmax import Exponential
from attncli.names import Word
from attncli.trace import Definition, Trace

if TYPE_CHECKING:
    from attncli.judging.known_mistakes import KnownMistakes


__all__ = ["Answers", "Judge", "Tolerance", "beyond_reach"]

Answers = Mapping[Location, Given]
"""Somebody's answers, by cells."""


@dataclass(frozen=True, eq=False, repr=False)
class Judge:
    """A judge of the numbers that somebody gives for the cells of a trace. What is the same for all
    papers is worked once."""

    trace: Trace
    shown: Collection[str] = ()
    """The quantities that the sheet shows to start from, besides the given ones."""
    tolerance: Tolerance = Tolerance()
    printed: Roots = field(default_factory=dict)
    """The roots that the sheet gives in figures."""
    literally: bool = False
    """Whether numbers are judged by the decimals that they are written with, few or many, as a
    publication's are."""
    _ranges: dict[str, Enclosure] = field(default_factory=dict)
    _sources: dict[Location, tuple[Location, ...]] = field(default_factory=dict)

    @cached_property
    def unwritten(self) -> Paths:
        """Returns the paths from what the sheet shows, whatever anybody writes."""
        return paths_from(self.trace, self.shown, self.printed)

    @cached_property
    def key(self) -> Paths:
        """Returns the paths from the key's numbers, each of which stands for all that rounds to
        it."""
        paths = paths_from(self.trace, self.shown, self.printed)
        with np.errstate(all="ignore"):
            for name in self.trace:
                if self.trace[name].definition is not None and name not in self.shown:
                    asked = paths.decimals(name)
                    places = np.full(self.trace[name].matrix.shape, asked)
                    written = Written(rounded(self.trace[name].values, asked), places, places)
                    within = paths.unwritten(name)
                    half = np.where(within.low == within.high, 0.0, SLACK * 10.0**-asked)
                    paths.go_on_with(name, _stands_for(written, half, asked, within))
        return paths

    def accepted(self, cell: Location) -> Accepted:
        """Returns the range that is right for a cell if the numbers before are the key's."""
        return at_cell(self.ranges(cell.quantity), cell)

    def ranges(self, name: str) -> Enclosure:
        """Returns the range that is right for each cell of a quantity if the numbers before are the
        key's."""
        if name not in self._ranges:
            self._ranges[name] = ranges(self.key, name, self.tolerance)
        return self._ranges[name]

    def verdicts(self, answers: Answers) -> tuple[Verdict, ...]:
        """Returns a verdict for each number that is given, in the order of the working."""
        return self.judged(answers).verdicts

    def judged(self, answers: Answers) -> Submission:
        """Returns somebody's numbers as a submission, whose verdicts are worked when asked for."""
        return Submission(self, answers)

    @cached_property
    def hypotheses(self) -> KnownMistakes:
        """Returns the known mistakes of the trace."""
        from attncli.judging.known_mistakes import KnownMistakes

        return KnownMistakes(self.trace, self.tolerance)

    def sources(self, cell: Location) -> tuple[Location, ...]:
        """Returns the cells that a cell is worked from."""
        if cell not in self._sources:
            self._sources[cell] = tuple(_sources(self.trace, cell))
        return self._sources[cell]


_MANY_COLUMNS = 100
"""The number of columns from which a page leaves most of a row out."""
_MOST_UNITS = 100
"""Units of the last place. A number whose range is wider, for numbers that nobody writes, tells
nothing."""


@lru_cache(maxsize=64)
def beyond_reach(trace: Trace) -> frozenset[str]:
    """Returns the names of quantities that depend on hundreds of numbers nobody writes, as products
    of rows of 512 do where a page shows four columns. They aren't asked for, but stand on a sheet
    as given."""
    sizes = {name: trace[name].matrix.shape[1] for name in trace.quantities}
    if max(sizes.values(), default=0) < _MANY_COLUMNS:
        return frozenset()
    found, paths = set(), paths_from(trace, (), {})
    with np.errstate(all="ignore"):
        for name, columns in sizes.items():
            if trace[name].definition is None or columns >= _MANY_COLUMNS:
                continue
            held, unit = paths.unwritten(name), 10.0 ** -paths.decimals(name)
            if (held.high - held.low > _MOST_UNITS * unit).any():
                found.add(name)
            paths.go_on_with(name, Enclosure.of(trace[name].values))
    return frozenset(found)


def _sources(trace: Trace, cell: Location) -> Iterator[Location]:
    definition = trace[cell.quantity].definition
    if definition is None:
        return
    form = definition.operation.first_form(cell.row, cell.column, *trace.operands(definition))
    for number in numbers_in(form):
        if number.cell is not None and number.cell.quantity:
            yield number.cell


_DIGITS = 2
"""The fewest units of its last place with which a number of too few decimals stands for all that
rounds to it. Smaller ones, 0 above all, would stand for too much."""
_FINE = 0.1
"""The share of a unit asked for below which a number is so fine that it may be rounded again."""
_IN_FULL = 15
"""The decimals of a number that is known in full, as a fraction is."""
_STABLE = Cause("maximum_subtracted", "with the row's maximum subtracted.")


class _Judged(NamedTuple):
    """The numbers of a quantity, compared with what would be right."""

    numbers: GivenNumbers
    right: Flags
    """Which numbers are right, [n, m]."""
    follows: Flags
    """Which of the others follow from what their author wrote before, [n, m]."""
    coarse: Flags
    """Which of the rest are right but for their few decimals, [n, m]."""
    coarsely_follows: Flags
    """Which of the rest follow but for their few decimals, [n, m]."""
    accepted: Enclosure
    """The range that is right where the numbers before are."""
    own: Enclosure
    """The range that follows from the author's own numbers before."""

    def with_open(self, cells: Flags) -> _Judged:
        """Returns the same where some numbers of few decimals are taken as written, and open."""
        numbers = self.numbers._replace(open=self.numbers.open | cells)
        return self._replace(numbers=numbers, coarse=self.coarse & ~cells)


class Submission:
    """The numbers of one author, judged in the order of the working.

    `mended` are the paths from the right numbers, with the key's in the place of wrong ones. `own`
    are the paths from all of the author's numbers, and from mistakes in what isn't asked for, which
    have `shown` in some cells of later quantities. Both are the same until something is wrong.
    """

    def __init__(self, judge: Judge, answers: Answers) -> None:
        self.judge, self.answers = judge, answers
        self.mended = self.own = paths_from(judge.trace, judge.shown, judge.printed)
        self.wrong: dict[Location, Given] = {}
        self.shown: dict[str, frozenset[Location]] = {}
        self.few_decimals: set[int] = set()
        self.made: set[str] = set()
        self.otherwise: dict[str, Flags] = {}
        self._roots: dict[Location, frozenset[Location]] = {}
        self.one_way: dict[Paths, OneWayWorkings] = {}
        if judge.literally:
            places = {name: self.mended.decimals(name) for name in judge.trace.quantities}
            self.one_way[self.mended] = OneWayWorkings(judge.trace, places)

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Judges each number that is given, in the order of the working."""
        with np.errstate(all="ignore"):  # what follows from wild numbers may be none
            names = (name for name in self.judge.trace if name in self.cells)
            return tuple(verdict for name in names for verdict in self.of_quantity(name))

    @cached_property
    def cells(self) -> Mapping[str, list[Location]]:
        """Returns the cells that are given, row by row, by quantity."""
        found: dict[str, list[Location]] = {}
        for cell in sorted(self.answers):
            found.setdefault(cell.quantity, []).append(cell)
        return found

    @cached_property
    def written(self) -> dict[str, Written]:
        """Returns the numbers that are given, by quantity in the order of the working."""
        return {
            name: self._answers_written(name) for name in self.judge.trace if name in self.cells
        }

    def _answers_written(self, name: str) -> Written:
        asked = self.mended.decimals(name)
        numbers = np.full(self.judge.trace[name].matrix.shape, np.nan)
        own = np.full(numbers.shape, asked)
        for cell in self.cells[name]:
            given = self.answers[cell]
            if given.number is not None:
                numbers[cell.row, cell.column] = float(given.number)
                own[cell.row, cell.column] = self._decimals(given, asked)
        judged_by = own if self.judge.literally else np.maximum(own, asked)
        return Written(numbers, own, np.where(own == _IN_FULL, asked, judged_by))

    def _decimals(self, given: Given, asked: int) -> int:
        """Counts the decimals of a number as it is written. Zeros behind the decimals asked for
        don't count, unless numbers are taken literally."""
        assert given.number is not None
        if given.places is None:
            return _IN_FULL
        if self.judge.literally or given.places <= asked:
            return given.places
        return min(max(asked, decimals.places(given.number.normalize())), _IN_FULL)

    @cached_property
    def values(self) -> Mapping[str, Array]:
        """Returns the numbers that are given as arrays [n, m], nan where there is none, by
        quantity."""
        return {name: written.numbers for name, written in self.written.items()}

    def of_quantity(self, name: str) -> list[Verdict]:
        self.take_softmax(name)
        judged = self.compared(name)
        explained = Explained({})
        if judged.numbers.open.any() or judged.coarse.any():
            inquiry = self.inquiry(judged.numbers)
            exact = inquiry.given_by_mistakes(judged.coarse)
            if exact.any():
                judged = judged.with_open(exact)
                inquiry = self.inquiry(judged.numbers)
            few = inquiry.few_decimals(judged.coarse)
            explained = inquiry.explained()
            explained = explained._replace(found={**few, **explained.found})
        found = [self.verdict(cell, judged, explained) for cell in self.cells[name]]
        self.wrong.update({v.cell: v.given for v in found if self._is_wrong(v)})
        self.go_on_from(name, judged)
        if explained.way is not None:
            self.go_on_with(name, explained)
        return found

    @staticmethod
    def _is_wrong(verdict: Verdict) -> bool:
        return verdict.given.number is not None and verdict.judgement not in RIGHT

    def compared(self, name: str) -> _Judged:
        """Compares the numbers of a quantity with what is right, and with what follows from the
        author's own earlier ones."""
        written, asked = self.written[name], self.mended.decimals(name)
        right = self._taken(self.mended, name, written.places)
        follows = self._only_own(name, written.places, right)
        coarse = few = np.zeros_like(right)
        if not self.judge.literally and (written.own < asked).any():
            open_ = ~right & ~follows & (written.own < asked)  # nan is never taken
            written = self._with_zeros(name, open_)
            fits = self._coarsely(self.mended, name) & open_
            open_ &= self._is_told_from_0(name, fits)
            coarse = fits & open_
            few = self._coarsely(self.own, name) & open_ & ~coarse
        open_ = ~np.isnan(written.numbers) & ~right & ~follows & ~coarse & ~few
        numbers = {cell: self.answers[cell] for cell in self.cells[name]}
        shown = written.places if self.judge.literally else None
        accepted = own = ranges(self.mended, name, self.judge.tolerance, shown)
        if self.own is not self.mended:
            own = ranges(self.own, name, self.judge.tolerance, shown)
        given = GivenNumbers(name, numbers, written, open_)
        return _Judged(given, right, follows, coarse, few, accepted, own)

    def _with_zeros(self, name: str, open_: Flags) -> Written:
        """Takes numbers with as many decimals as others of the `open_` ones have where they are
        right with these: a spreadsheet drops zeros at the end."""
        written = self.written[name]
        most = written.own[open_].max(initial=0)
        padded = np.where(open_, most, written.own)
        right = self._taken(self.mended, name, padded) | self._taken(self.own, name, padded)
        self.written[name] = written._replace(own=np.where(right & open_, padded, written.own))
        return self.written[name]

    def _taken(self, paths: Paths, name: str, places: Decimals) -> Flags:
        written, tolerance = self.written[name], self.judge.tolerance
        held = ranges(paths, name, tolerance, places)
        found = taken(held, written.numbers)
        workings = self.one_way.get(paths)
        with np.errstate(invalid="ignore"):
            several = found & (held.high - held.low > (1 + SLACK) * written.unit)
        if workings is None or not several.any():
            return found
        given = workings.gives(name, written, tolerance)
        if (several & ~given).any():
            given |= workings.many().gives(name, written, tolerance)
        return found & (~several | given)

    def _only_own(self, name: str, places: Decimals, right: Flags) -> Flags:
        """Tells which numbers follow only from what their author wrote before. [n, m]"""
        if self.own is self.mended:
            return np.zeros_like(right)
        return self._taken(self.own, name, places) & ~right

    def _is_told_from_0(self, name: str, fits: Flags) -> Flags:
        """Tells which numbers with few decimals have enough of them: two units of their last place
        or more, or unlike any other in their table; one unit will do where other fitting numbers
        have as few decimals. [n, m]"""
        written, asked = self.written[name], self.mended.decimals(name)
        numbers, own, _ = written
        found = _has_digits(written) | _is_alone(written, self.judge.trace[name].values, asked)
        self.few_decimals.update(own[found & fits & (own < asked)].tolist())
        habit = np.isin(own, [*self.few_decimals]) & (numbers != 0)
        return np.asarray(found | habit)

    def _coarsely(self, paths: Paths, name: str) -> Flags:
        """Tells which numbers are right on some paths but for their few decimals, to which
        unwritten numbers may have been rounded too. [n, m]"""
        written, asked = self.written[name], paths.decimals(name)
        found = self._taken(paths, name, written.own)
        definition = paths.definition(name)
        if definition is None or all(o in paths.known for o in definition.operands):
            return found
        for fewer in {asked - places for places in np.unique(written.own).tolist()} - {0}:
            if fewer > 0:
                coarser = self._taken(paths.from_here(fewer=fewer), name, written.own)
                found = found | coarser & (written.own == asked - fewer)
        return found

    def inquiry(self, numbers: GivenNumbers) -> CauseSearch:
        """Returns the search for causes of the numbers that nothing explains yet."""
        names = [*self.values]
        k = names.index(numbers.name)
        earlier, later = (
            {name: self.values[name] for name in some if not np.isnan(self.values[name]).all()}
            for some in (names[:k], names[k + 1 :])
        )
        return CauseSearch(
            self.judge.hypotheses, self.own, numbers, earlier, later, frozenset(self.made),
            self.one_way.get(self.own),
        )  # fmt: skip

    def verdict(self, cell: Location, judged: _Judged, explained: Explained) -> Verdict:
        name = cell.quantity
        judgement, causes = explained.found.get(cell) or self.at_once(cell, judged)
        expected, right = self._expected(self.mended, judged, cell)
        follows = None
        if judgement != "correct" and self.own is not self.mended:
            _, follows = self._expected(self.own, judged, cell)
        if judgement == "slip" and self.own.is_unworkable(name):
            causes = [self.unworkable(cell), *causes]
        return Verdict(
            cell, self.answers[cell], expected, right, judgement,
            cause=causes[0] if causes else None,
            others=tuple(causes[1:]),
            follows_from=self.followed(cell) if judgement == "carried forward" else (),
            follows=None if follows == right else follows,
        )  # fmt: skip

    def _expected(self, paths: Paths, judged: _Judged, cell: Location) -> tuple[Number, Accepted]:
        """Returns the key's number for a cell, and the range that is right or follows. For a
        publication's number with more decimals than the key, both are worked in full."""
        (name, i, j), places = cell, int(judged.numbers.written.own[cell.indices])
        if paths not in self.one_way or places <= paths.decimals(name):
            held = judged.accepted if paths is self.mended else judged.own
            return self.judge.trace[name].number(i, j), at_cell(held, cell)
        value = self.one_way[paths].in_full(name)[i, j]
        number = Number.written(decimals.round_to(Decimal(repr(float(value))), places))
        half = 0.5 * 10.0**-places
        return number, Accepted(float(number.full) - half, float(number.full) + half)

    def unworkable(self, cell: Location) -> Cause:
        """Returns the cause of a number that is judged by the key, since the author's earlier
        numbers lead to none."""
        trace = self.judge.trace
        own = (
            f"{trace[entry.quantity].address(entry.row, entry.column)} = {self.answers[entry].text}"
            for entry in self.followed(cell)
        )
        text = ", ".join(own)
        numbers = Word(text) if text else "earlier numbers"
        says = ("It can't be worked from your ", numbers, ": the key's numbers count.")
        return Cause(UNWORKABLE, says)

    def at_once(self, cell: Location, judged: _Judged) -> tuple[Judgement, list[Cause]]:
        """Judges a number that is missing, right, or follows from earlier ones."""
        given, (name, i, j) = self.answers[cell], cell
        if given.number is None:
            return "blank" if given.is_empty else "unreadable", []
        if not judged.right[i, j]:
            return "carried forward", []
        otherwise = self.otherwise.get(name)
        if otherwise is not None and otherwise[i, j]:
            return "worked otherwise", [_STABLE]
        return "correct", []

    def go_on_from(self, name: str, judged: _Judged) -> None:
        """Continues both paths from what the numbers of a quantity stand for."""
        written, asked = judged.numbers.written, self.mended.decimals(name)
        given = ~np.isnan(written.numbers)
        if not given.any():
            return  # as it might have been
        right = judged.right | judged.coarse
        if self.own is self.mended and not right[given].all():
            self.own = self._apart(self.mended)
        within = self.mended.unwritten(name)
        half = self._half(judged, asked, within)
        stands, key = _stands_for(written, half, asked, within), self._key(name, asked)
        if self.own is not self.mended:
            theirs = _stands_for(written, half, asked, self.own.unwritten(name))
            wide = Enclosure(np.full(given.shape, -np.inf), np.full(given.shape, np.inf))
            as_written = _stands_for(written, half, asked, wide)
            fits_own = self._fits(self.own, name, judged.coarse | judged.coarsely_follows)
            mine = theirs.where(fits_own, stands.where(right, as_written))
            self.own.go_on_with(name, mine.where(given, _NOTHING))
        self.mended.go_on_with(name, stands.where(right, key).where(given, _NOTHING))
        for paths, workings in self.one_way.items():
            workings.go_on_with(name, written, given if paths is not self.mended else right & given)
        self._roots.clear()

    def _apart(self, paths: Paths, instead: Mapping[str, Definition] | None = None) -> Paths:
        """Returns independent copies of the paths, and of their workings if they have some."""
        own, workings = paths.apart(instead or {}), self.one_way.get(paths)
        if workings is not None:
            others = workings.apart((instead or {}).values())
            self.one_way = {self.mended: self.one_way[self.mended], own: others}
        return own

    def _fits(self, paths: Paths, name: str, few: Flags) -> Flags:
        """Tells which numbers come of some paths; for those in `few`, but for their few decimals.
        [n, m]"""
        found = self._taken(paths, name, self.written[name].places)
        if few.any() and not self.judge.literally:
            found = found | (self._coarsely(paths, name) & few)
        return found

    def _half(self, judged: _Judged, asked: int, within: Enclosure) -> Array:
        """Returns how far what the numbers stand for may lie from them: half a unit of their last
        place, or 0 for fractions, choices and counts. [n, m]"""
        written, coarse = judged.numbers.written, judged.coarse | judged.coarsely_follows
        numbers, own, _ = written
        few = (own < asked) & (_has_digits(written) | coarse | self.judge.literally)
        places = np.where(few, own, np.maximum(own, asked))
        whole = (within.low == within.high) & (within.low % 1 == 0) & (numbers % 1 == 0)
        exact = whole | (places >= _IN_FULL)
        return np.where(exact, 0.0, SLACK * 10.0 ** -places.astype(float))

    def _key(self, name: str, asked: int) -> Enclosure:
        """Returns what the key's numbers stand for. Where that can't come of what is right before,
        as after a softmax worked in another right way, it is what can."""
        values, half = self.judge.trace[name].values, 0.5 * 10.0**-asked
        held, low, high = self.mended.unwritten(name), values - half, values + half
        inner = Enclosure(np.maximum(held.low, low), np.minimum(held.high, high))
        return inner.where(inner.low <= inner.high, held)

    def take_softmax(self, name: str) -> None:
        """Has the powers of e worked with the row's maximum subtracted, in rows of which only that
        explains more than half of the numbers: of the powers, or if none is written, of their
        sum."""
        source = name if self._is_power(name) else self._power_in(name)
        if source is None or self.judge.trace[source].given:
            return
        if source != name and not np.isnan(self.values.get(source, np.nan)).all():
            if source in self.otherwise:
                told = self.otherwise[source].any(axis=1, keepdims=True)
                self.otherwise[name] = np.asarray(told)
            return
        made = self.judge.trace[source].definition
        assert made is not None
        assert isinstance(made.operation, Exponential)
        stable = made._replace(operation=replace(made.operation, always=True))
        for paths in {id(p): p for p in (self.mended, self.own)}.values():
            self._take_softmax(paths, name, stable)

    def _take_softmax(self, paths: Paths, name: str, stable: Definition) -> None:
        if stable.name in paths.instead:
            return
        other, written = paths.from_here(instead={stable.name: stable}), self.written[name]
        few = _has_digits(written) & (written.own < paths.decimals(name))
        plain, shifted = (self._fits(p, name, few) for p in (paths, other))
        assert isinstance(stable.operation, Exponential)
        axis = stable.operation.axis if name == stable.name or written.numbers.shape[1] == 1 else 1
        given = ~np.isnan(written.numbers)

        def count(flags: Flags) -> Array:
            return np.asarray(flags.sum(axis=axis, keepdims=True, dtype=float))

        tells = shifted & (written.numbers != 1)  # which the largest power is by it
        taken_so: Flags = (count(shifted) > count(plain)) & (2 * count(shifted) > count(given))
        if not (tells & taken_so).any():
            return
        rows = np.broadcast_to(taken_so, self.judge.trace[stable.name].matrix.shape)
        paths.make_partly(stable, rows)
        if paths in self.one_way:
            self.one_way[paths].make(stable, rows)
        told = np.broadcast_to(taken_so, given.shape) & shifted
        self.otherwise[name] = self.otherwise.get(name, np.zeros_like(told)) | told

    def _power_in(self, name: str) -> str | None:
        """Returns the name of the powers of e that a quantity is the sum of, or None."""
        definition = self.judge.trace[name].definition
        operands = () if definition is None else definition.operands
        return operands[0] if len(operands) == 1 and self._is_power(operands[0]) else None

    def _is_power(self, name: str) -> bool:
        definition = self.judge.trace[name].definition
        return definition is not None and isinstance(definition.operation, Exponential)

    def go_on_with(self, name: str, explained: Explained) -> None:
        """Continues the author's own paths with a mistake that was found. Where it is made again in
        what is asked for, that is judged by itself."""
        way = explained.way
        assert way is not None
        made: list[dict[str, Definition]] = [
            {d.name: d for d in place.definitions} for place in way.all or (way,)
        ]
        instead: dict[str, Definition] = {}
        for each in made:
            if len(made) == 1 or name in each or each.keys().isdisjoint(self.cells):
                instead |= each
        self.made.add(way.name)
        if not self.own.from_here(instead=instead).is_circular:
            self.shown.update({text: explained.cells for text in instead if text != name})
            self.own = self._apart(self.own, instead)

    def followed(self, cell: Location) -> tuple[Location, ...]:
        """Returns the earlier cells that a number follows from: wrong ones, or where all are right
        but inexact, those that are given."""
        given = (source for source in self.judge.sources(cell) if source in self.answers)
        return tuple(sorted(self.roots(cell) or dict.fromkeys(given)))

    def roots(self, cell: Location) -> frozenset[Location]:
        """Returns the nearest earlier wrong numbers that a cell is worked from, and those in which
        a mistake has shown."""
        if cell not in self._roots:
            self._roots[cell] = frozenset(self._found_roots(cell)) - {cell}
        return self._roots[cell]

    def _found_roots(self, cell: Location) -> Iterator[Location]:
        yield from self.shown.get(cell.quantity, ())
        for source in self.judge.sources(cell):
            if source in self.wrong:
                yield source
            elif source not in self.answers or self.answers[source].number is None:
                yield from self.roots(source)


_NOTHING = Enclosure.of(np.array(np.nan))
"""The range of a number that nobody wrote."""


def _has_digits(written: Written) -> Flags:
    """Tells which numbers have at least two units of their last place, so that they can stand for
    all that rounds to them. [n, m]"""
    return np.asarray(np.abs(written.numbers) >= _DIGITS * 10.0 ** -written.own.astype(float))


def _is_alone(written: Written, values: Array, asked: int) -> Flags:
    """Tells which numbers with few decimals are unlike 0 and all other right numbers of their
    table. [n, m]"""
    found = np.zeros(written.numbers.shape, dtype=np.bool_)
    for own in np.unique(written.own[written.own < asked]).tolist():
        full, short = rounded(values, asked), rounded(values, own)
        pairs = np.unique(np.stack([short.ravel(), full.ravel()]), axis=1)
        short_ones, counts = np.unique(pairs[0], return_counts=True)
        alone = np.isin(short, short_ones[counts == 1]) & (short != 0)
        found |= alone & (written.own == own)
    return found


@np.errstate(invalid="ignore")
def _stands_for(written: Written, half: Array, asked: int, within: Enclosure) -> Enclosure:
    """Returns what numbers stand for: whatever rounds to them and can come of what was written
    before. A student who writes more decimals than asked for may continue from those asked for."""
    numbers = written.numbers
    ends = Enclosure(numbers - half, numbers + half)
    low = np.minimum(np.maximum(ends.low, within.low), numbers)
    high = np.maximum(np.minimum(ends.high, within.high), numbers)
    held, fine = Enclosure(low, high), half < _FINE * 10.0**-asked
    again = Enclosure(*(rounded(end, asked) for end in ends))
    return held.with_(again).where(fine & np.isfinite(numbers), held)
