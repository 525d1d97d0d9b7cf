"""Where the working leads from known numbers: between which numbers each cell lies, however
what nobody wrote down may have been rounded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from attncli.equations.enclosures import Enclosure
from attncli.equations.matrix import Matrix
from attncli.equations.tree import Location, Number, Quotient, Root
from attncli.marking.verdicts import NOISE, Accepted
from attncli.numbers.rounding import Array, Unworkable
from attncli.operations.activations import DivideBy
from attncli.operations.intervals import enclosing
from attncli.trace import Definition, Quantity, Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

Flags: TypeAlias = "NDArray[np.bool_]"
Places: TypeAlias = "int | NDArray[np.int_]"
"""Decimals, of all numbers of an array or of each."""

_NOISE = 1e-9
"""What floats may be off by, in units of the last place, with 1e-13 of the number itself: a half
that they hold a hair too small goes away from zero all the same."""
_MORE = 2
"""Decimals beyond the stated ones to which rounding is followed; more changes no more than half a
unit of the last of these."""
_HALF = 0.5
SLACK = 0.5556
"""Units of the last place by which what is written may differ from what it stands for: a half, and
what rounding twice, 0.4446 to 0.445 to 0.45, may add to it."""


@np.errstate(invalid="ignore")
def rounded(values: Array, places: Places) -> Array:
    """Numbers to so many decimals, half away from zero."""
    return _rounded(values, np.asarray(10.0**places))


def _rounded(values: Array, scale: Array) -> Array:
    """Numbers to so many parts of 1, half away from zero; infinite ones stay."""
    units = np.abs(values) * scale
    whole = np.floor(units + 0.5 + _NOISE + units * 1e-13)
    made = np.copysign(whole, values) / scale + 0.0
    finite = np.isfinite(values)
    return made if finite.all() else np.where(finite, made, values)


@lru_cache(maxsize=64)
def _scales(places: int, fewer: int, axes: int) -> Array:
    """The parts of 1 that are rounded to on the way, from the stated ones on, for two ends of so
    many axes. -> [p, 1, 1, 1]"""
    followed = range(places, places + _MORE + fewer + 1)
    return np.array([10.0**place for place in followed]).reshape(-1, *[1] * (axes + 1))


_PART = 2**16
"""Numbers that are rounded in all ways at once, which takes a dozen times as much memory."""


def on_the_way(made: Enclosure, places: int, fewer: int = 0) -> Enclosure:
    """What holds numbers in full, and rounded to so many decimals or to more."""
    if made.low.size <= _PART:
        return _on_the_way(made, places, fewer)
    found = Enclosure(np.empty_like(made.low), np.empty_like(made.high))
    count = max(1, _PART * len(made.low) // made.low.size)
    for start in range(0, len(made.low), count):
        some = slice(start, start + count)
        part = _on_the_way(Enclosure(made.low[some], made.high[some]), places, fewer)
        found.low[some], found.high[some] = part
    return found


@np.errstate(invalid="ignore")
def _on_the_way(made: Enclosure, places: int, fewer: int) -> Enclosure:
    ends, scales = np.array(made), _scales(places, fewer, made.low.ndim)
    each = _rounded(ends, scales)
    beyond = _beyond(ends, each[-1], 0.5 / scales[-1].item())
    low = np.minimum(ends[0] - beyond[0], each[:, 0].min(axis=0))
    high = np.maximum(ends[1] + beyond[1], each[:, 1].max(axis=0))
    return Enclosure(low, high)


def _beyond(values: Array, rounded_: Array, half: float) -> Array:
    """What rounding to still more decimals may change: nothing of numbers that have no more."""
    ends = np.abs(values - rounded_) <= 1e-13 * np.abs(values)
    return np.where(ends | ~np.isfinite(values), 0.0, half)


# --------------------------------------------------------------------------------------------------
# Where the working leads. Of a quantity that its author wrote down is known what each number stands
# for; what nobody wrote down may have been kept in full, rounded to the stated decimals or to more,
# now here, now there, as a calculator's memory is used. Each quantity is therefore known between
# two numbers, and what is made of it is worked by interval arithmetic over the same equations.

Made = Mapping[str, Definition]
Roots = Mapping[Decimal, Decimal]
"""Square roots as a sheet prints them, by what they are of: 1.414 by 2."""


@dataclass(frozen=True, eq=False, repr=False)
class Paths:
    """Where the working of a trace leads.

    `known` are the quantities that are gone on with as they are, whose cells that are nan are
    worked; `instead` ways in which some are made other than in the trace, and `partly` right ones,
    of which only some rows are; `fewer` is how many decimals fewer than stated one may round to on
    the way. What depends on none of these is known from the `base`. Who divides by a root may take
    it as it is `printed`.
    """

    trace: Trace
    known: dict[str, Enclosure] = field(default_factory=dict)
    instead: Made = field(default_factory=dict)
    fewer: int = 0
    base: Paths | None = None
    printed: Roots = field(default_factory=dict)
    partly: dict[str, tuple[Definition, Flags]] = field(default_factory=dict)
    _made: dict[str, Enclosure] = field(default_factory=dict)
    _used: dict[str, Enclosure] = field(default_factory=dict)
    _unworkable: set[str] = field(default_factory=set)

    def from_here(
        self,
        known: Mapping[str, Enclosure] = MappingProxyType({}),
        instead: Made = MappingProxyType({}),
        fewer: int = 0,
    ) -> Paths:
        """The paths on which some more is known, made otherwise, or rounded to fewer decimals."""
        more = {**self.known, **known}, {**self.instead, **instead}
        return Paths(self.trace, *more, fewer, self, self.printed, dict(self.partly))

    def apart(self, instead: Made = MappingProxyType({})) -> Paths:
        """The same paths, which from here on may lead elsewhere."""
        changed = self.from_here(instead=instead).changed
        made, used = (
            {n: e for n, e in told.items() if n not in changed} for told in (self._made, self._used)
        )
        return Paths(
            self.trace, dict(self.known), {**self.instead, **instead}, self.fewer, self.base,
            self.printed, dict(self.partly), made, used, self._unworkable - changed,
        )  # fmt: skip

    def go_on_with(self, name: str, held: Enclosure) -> None:
        """Goes on with what the numbers of a quantity stand for; nan where none is written."""
        self.known[name] = held
        self._used.pop(name, None)

    def make_partly(self, definition: Definition, rows: Flags) -> None:
        """Has some rows of a quantity made in another right way."""
        self.partly[definition.name] = definition, rows
        for name in self.from_here(instead={definition.name: definition}).changed:
            self._made.pop(name, None)
            self._used.pop(name, None)

    @cached_property
    def is_circular(self) -> bool:
        """Whether something would be made of itself, as by mistakes that don't go together."""
        if not self.instead:
            return False
        from graphlib import CycleError, TopologicalSorter

        made = {**self._planned, **self.instead}
        try:
            TopologicalSorter({name: d.operands for name, d in made.items()}).prepare()
        except CycleError:
            return True
        return False

    def made(self, name: str) -> Enclosure:
        """What a quantity comes to before it is rounded."""
        if self.base is not None and name not in self.changed:
            return self.base.made(name)
        if name not in self._made:
            self._made[name] = self._work(name)
        return self._made[name]

    def used(self, name: str) -> Enclosure:
        """What the working goes on with: what is written stands for, or what is made in full,
        rounded, or rounded to more decimals."""
        if self.base is not None and name not in self.changed:
            return self.base.used(name)
        if name not in self._used:
            self._used[name] = self._gone_on_with(name)
        return self._used[name]

    def unwritten(self, name: str) -> Enclosure:
        """What the working would go on with if nothing were written down of a quantity."""
        made = self.made(name)
        if not self.rounds(name):
            return made
        return on_the_way(made, self.decimals(name) - self.fewer, self.fewer)

    def written(self, name: str) -> Enclosure:
        """What is written down: rounded to the stated decimals."""
        made, places = self.made(name), self.decimals(name)
        return Enclosure(*(rounded(end, places) for end in made))

    def is_unworkable(self, name: str) -> bool:
        """Whether a quantity can't be worked from what is known, and is taken from the key."""
        if self.base is not None and name not in self.changed:
            return self.base.is_unworkable(name)
        self.made(name)
        return name in self._unworkable

    def decimals(self, name: str) -> int:
        """The decimals that a quantity is rounded to; a copy's those of what it copies."""
        definition = self.definition(name)
        if definition is None or not self.rounds(name):
            return self.trace[name].matrix.decimals
        made = self.trace[name].definition or definition  # whichever step the other way is of
        return self.trace.rounding.decimals_of(made.step, self.trace[name].name)

    def rounds(self, name: str) -> bool:
        """Whether a quantity is worked out, and not just put elsewhere. Who leaves out what makes
        it writes it down all the same, and may round what was rounded to more decimals again."""
        made = (self.definition(name), self.trace[name].definition)
        return any(d is not None and not d.operation.copies for d in made)

    def definition(self, name: str) -> Definition | None:
        """How a quantity is made on these paths."""
        return self.instead.get(name, self.trace[name].definition)

    @cached_property
    def changed(self) -> frozenset[str]:
        """The quantities that may be others than those of the base."""
        base = self.base
        if base is None or self.fewer != base.fewer:
            return frozenset(self.trace)
        changed = {n for n, b in self.known.items() if base.known.get(n) is not b}
        changed |= {n for n, d in self.instead.items() if base.instead.get(n) is not d}
        for name, planned in self._planned.items():
            if not changed.isdisjoint(self.instead.get(name, planned).operands):
                changed.add(name)
        return frozenset(changed)

    @cached_property
    def _planned(self) -> Mapping[str, Definition]:
        """How each quantity is made that is made, in order."""
        if self.base is not None:
            return self.base._planned
        return {d.name: d for d in self.trace.plan if d.name in self.trace}

    def _work(self, name: str) -> Enclosure:
        definition = self.definition(name)
        if definition is None:
            return self.known.get(name) or as_given(self.trace[name])
        try:
            made = self.worked(definition)
            if name in self.partly and name not in self.instead:
                other, rows = self.partly[name]
                made = self.worked(other).where(rows, made)
            return made
        except Unworkable:
            if self.base is not None and name in self.instead:
                raise
            self._unworkable.add(name)
            return Enclosure.of(self.trace[name].values)

    def worked(self, definition: Definition) -> Enclosure:
        """What a definition makes of what is used; the key's numbers, where that may be any, as
        where it is divided by what may be 0. Raises Unworkable."""
        used, key = [self.used(o) for o in definition.operands], self.trace[definition.name].values
        made = self._enclosing(definition, used)
        if _has_no_end(made).any():  # nobody goes on with what was rounded to 0
            full = [self.known.get(o) or self.made(o) for o in definition.operands]
            full = [
                other if np.isnan(own.low).any() else own
                for own, other in zip(full, used, strict=True)
            ]
            made = self._enclosing(definition, full).where(_has_no_end(made), made)
        printed = self._as_printed(definition, made)
        made = made if printed is made else made.with_(printed)
        if made.low.shape != key.shape:
            return made
        unknown = np.isnan(made.low + made.high) & np.isfinite(key) | _has_no_end(made)
        return Enclosure.of(key).where(unknown, made) if unknown.any() else made

    def _enclosing(self, definition: Definition, operands: Sequence[Enclosure]) -> Enclosure:
        numbers = [chosen_by(self.trace[o].matrix, self.used(o)) for o in definition.operands]
        return enclosing(definition.operation, numbers, operands)

    def _as_printed(self, definition: Definition, made: Enclosure) -> Enclosure:
        """The same, where it is divided by a root that is printed."""
        match definition.operation:
            case DivideBy(tree=Quotient(divisor=Root(Number() as square))):
                about = self.printed.get(square.full)
                if about is not None:
                    share = float(square.full) ** 0.5 / float(about)
                    return Enclosure(*(end * share for end in made))
        return made

    def _gone_on_with(self, name: str) -> Enclosure:
        known = self.known.get(name)
        if known is not None and not np.isnan(known.low).any():
            return known
        made = self.unwritten(name)
        return made if known is None else made.where(np.isnan(known.low), known)


def paths_from(trace: Trace, shown: Collection[str], printed: Roots) -> Paths:
    """Where the working leads from the quantities that a sheet shows, besides given ones, and the
    roots that it gives in figures."""
    return Paths(trace, {name: _as_shown(trace, name) for name in shown}, printed=printed)


def _as_shown(trace: Trace, name: str) -> Enclosure:
    """A quantity as a sheet prints it, or as the sheet's own answers go on with it."""
    matrix = trace[name].matrix
    shown = np.array(
        [
            [float(matrix.number(i, j).shown) for j in range(matrix.shape[1])]
            for i in range(matrix.shape[0])
        ]
    )
    return Enclosure.of(shown).with_(Enclosure.of(matrix.values))


def chosen_by(matrix: Matrix, on: Enclosure) -> Matrix:
    """Numbers that lie between some others: those of a matrix, if they do."""
    fits = matrix.shape == on.low.shape
    if fits and ((on.low <= matrix.values) & (matrix.values <= on.high)).all():
        return matrix
    return Matrix.of_array(on.middle, matrix.decimals, carry=False)


def as_given(quantity: Quantity) -> Enclosure:
    """A given number as it is, or as a sheet shows it."""
    matrix = quantity.matrix
    if matrix.written is not None or matrix.places is not None:
        return Enclosure.of(matrix.values)
    shown = rounded(matrix.values, matrix.decimals)
    return Enclosure.of(matrix.values).with_(Enclosure.of(shown))


def _has_no_end(made: Enclosure) -> Flags:
    """Which numbers may be any."""
    with np.errstate(invalid="ignore"):
        return np.asarray((made.low != made.high) & ~np.isfinite(made.low + made.high))


# --------------------------------------------------------------------------------------------------
# What written numbers stand for, and which of them can come of what is made.


class Written(NamedTuple):
    """The numbers that somebody wrote of a quantity, [n, m], nan where there is none; the decimals
    that each is written with, and those that it is judged by."""

    numbers: Array
    own: NDArray[np.int_]
    places: NDArray[np.int_]

    @property
    def unit(self) -> Array:
        """A unit of the last place that each number is judged by."""
        return np.asarray(10.0 ** -self.places.astype(float))


class Tolerance(NamedTuple):
    """What is let pass beside what follows by itself: so many units of the last place, an absolute
    and a relative difference, and numbers that are given with so many significant digits."""

    units: Decimal = Decimal(0)
    absolute: Decimal = Decimal(0)
    relative: Decimal = Decimal(0)
    digits: int | None = None

    @np.errstate(invalid="ignore")
    def around(self, made: Enclosure, asked: int, places: Places) -> Enclosure:
        """What is accepted for numbers that are written with some decimals where others are asked
        for: what rounds to what is made, be it by rounding twice, half a unit of the last place
        around it, and what is let pass besides; −∞ is only itself."""
        unit = 10.0 ** -np.asarray(places, dtype=float)
        twice = (SLACK - _HALF) * unit  # which always leads away from 0
        low = rounded(made.low - np.where(made.low < 0, twice, 0.0), places)
        high = rounded(made.high + np.where(made.high > 0, twice, 0.0), places)
        more = _HALF * unit + float(self.units) * 10.0**-asked + float(self.absolute)
        share = float(self.relative)
        finite = np.isfinite(low) & np.isfinite(high)
        least, most = low - more - share * np.abs(low), high + more + share * np.abs(high)
        if self.digits is not None:
            least = np.minimum(least, self._to_digits(made.low, -1))
            most = np.maximum(most, self._to_digits(made.high, 1))
        return Enclosure(np.where(finite, least, low), np.where(finite, most, high))

    def _to_digits(self, values: Array, way: int) -> Array:
        """The end, below or above, of all that rounds to so many digits as numbers do."""
        assert self.digits is not None
        sizes = np.abs(values)
        known = np.where(np.isfinite(sizes) & (sizes > 0), sizes, 1.0)
        last = (np.floor(np.log10(known)) - (self.digits - 1)).astype(int)
        return np.asarray(rounded(values, -last) + way * _HALF * 10.0**last)


def ranges(
    paths: Paths, name: str, tolerance: Tolerance, places: Places | None = None
) -> Enclosure:
    """What is right for each cell of a quantity on some paths, for numbers of so many decimals:
    what rounds to what is made."""
    asked = paths.decimals(name)
    return tolerance.around(paths.made(name), asked, asked if places is None else places)


def at_cell(held: Enclosure, cell: Location) -> Accepted:
    """What is right for one of the cells."""
    return Accepted(*(float(end[cell.row, cell.column]) for end in held))


@np.errstate(invalid="ignore")
def taken(held: Enclosure, numbers: Array) -> Flags:
    """Which numbers are among those that are right; nan is not."""
    noise = np.where(np.isfinite(numbers), NOISE * np.maximum(1.0, np.abs(numbers)), 0.0)
    return np.asarray((held.low - noise <= numbers) & (numbers <= held.high + noise))
