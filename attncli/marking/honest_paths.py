"""Where honest paths lead: how numbers may be rounded on the way, and between which numbers each
cell may therefore lie."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from attncli.equations.enclosures import Enclosure
from attncli.equations.matrix import Matrix
from attncli.equations.tree import Location, Number, Quotient, Root
from attncli.marking.verdicts import NOISE, Accepted
from attncli.numbers.rounding import Array, Unworkable
from attncli.operations.activations import DivideBy
from attncli.operations.attention import Exponential
from attncli.operations.equation import Indexed, ListOfEquations
from attncli.operations.intervals import enclosing, exponential_of, goes_over_many
from attncli.operations.operation import Operation
from attncli.operations.rearranging import Moved
from attncli.trace import Definition, Quantity, Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray


_NOISE = 1e-9
"""What floats may be off by, in units of the last place, with 1e-13 of the number itself: a half
that they hold a hair too small goes away from zero all the same."""
_MORE = 2
"""Decimals beyond the stated ones to which rounding is followed; more changes no more than half a
unit of the last of these."""


@np.errstate(invalid="ignore")
def rounded(values: Array, places: int) -> Array:
    """Numbers to so many decimals, half away from zero."""
    return _rounded(values, np.array(10.0**places))


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


@np.errstate(invalid="ignore")
def on_the_way(made: Enclosure, places: int, fewer: int = 0) -> Enclosure:
    """What holds numbers in full, and rounded to so many decimals or to more."""
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


class Halfway(NamedTuple):
    """What lies halfway between numbers in full and rounded: `share` of the number itself, with
    what is `shared` by all of its uses; and how far `apart` from there each use may be."""

    share: Array
    shared: Enclosure
    apart: Enclosure


@np.errstate(invalid="ignore")
def halfway(made: Enclosure, places: int, fewer: int = 0) -> Halfway:
    """Halfway between numbers and what they are rounded to, which is known, or one of two, of those
    that are held so narrowly.

    Rounding to more decimals leads to between the two, or a twentieth of a unit beyond the number
    itself, where that is nearly half a unit from what it is rounded to at most.
    """
    scale = _scales(places, fewer, made.low.ndim)[0]
    low, high = each = _rounded(np.array(made), scale)
    half = 0.5 / scale[0]
    known = np.isfinite(made.low) & np.isfinite(made.high)
    is_near = (high - low < 3 * half) & known
    far = np.where(low == high, np.abs(np.array(made) - each).max(axis=0), half)
    off = np.minimum(far / 2 + 0.1 * half, 0.55 * half)
    down, up = _shifts(made, places, fewer)
    sure = (low == high) & known
    less = np.where(sure, np.maximum(-off, down - (low - made.low) / 2), -off)
    more = np.where(sure, np.minimum(off, up - (low - made.high) / 2), off)
    shared = (
        np.where(is_near, end / 2, side)
        for end, side in zip(each, (-half / 2, half / 2), strict=True)
    )
    return Halfway(
        np.where(is_near, 0.5, 1.0),
        Enclosure(*(np.where(known, value, 0.0) for value in shared)),
        Enclosure(*(np.where(known, value, 0.0) for value in (less, more))),
    )


@np.errstate(invalid="ignore")
def _shifts(made: Enclosure, places: int, fewer: int = 0) -> Enclosure:
    """How far such rounding may move numbers, from below 0 to above: by what is known where all of
    them round to the same, by half a unit where they don't."""
    scales = _scales(places, fewer, made.low.ndim)
    low, high = _rounded(np.array(made), scales).swapaxes(0, 1)
    half, alike = 0.5 / scales[:, 0], low == high
    down = np.where(alike, low - made.high, -half).min(axis=0)
    up = np.where(alike, low - made.low, half).max(axis=0)
    return Enclosure(np.minimum(down, 0.0), np.maximum(up, 0.0))


# --------------------------------------------------------------------------------------------------
# Where honest paths lead: between which numbers each cell may lie, whichever way one rounds. On
# the way to a number a student may have kept each earlier number in full, rounded it to the stated
# decimals or to more, and may have done so now here, now there, as a calculator's memory is used.
# Each quantity is therefore known between two numbers, the hull of all these paths, and what is
# made of it is worked by interval arithmetic over the same equations.

Known = Mapping[str, Enclosure]
Made = Mapping[str, Definition]
Roots = Mapping[Decimal, Decimal]
"""Square roots as a sheet prints them, by what they are of: 1.414 by 2."""

Together = Callable[[str, str], Enclosure | None]
"""What is known of a quantity, by what is asked of it (`made`, `on`, `written`) and its name."""

_MANY = 5
"""Units of the last place; within so many, intervals hold hardly more than they must."""


@dataclass(frozen=True, eq=False, repr=False)
class Paths:
    """Where the honest paths of a trace lead.

    `known` are the quantities that are gone on with as they are; `instead` ways in which some are
    made other than in the trace; `fewer` is how many decimals fewer than stated one may round to
    on the way. Cells of `known` that are nan are worked. What depends on none of these is known
    from the `base`. What is known `roughly` is by intervals alone, which may hold too much. Who
    divides by a root may take it as it is `printed`. What is worked `together` with other traces is
    taken from there.
    """

    trace: Trace
    known: Known = field(default_factory=dict)
    instead: Made = field(default_factory=dict)
    fewer: int = 0
    base: Paths | None = None
    roughly: bool = False
    printed: Roots = field(default_factory=dict)
    together: Together | None = None
    _told: dict[tuple[str, str], Enclosure] = field(default_factory=dict)
    _unworkable: set[str] = field(default_factory=set)

    def from_here(
        self,
        known: Known = MappingProxyType({}),
        instead: Made = MappingProxyType({}),
        fewer: int = 0,
        *,
        roughly: bool = False,
    ) -> Paths:
        """The paths on which some more is known, made otherwise, or rounded to fewer decimals."""
        more = {**self.known, **known}, {**self.instead, **instead}
        return Paths(self.trace, *more, fewer, self, roughly, self.printed)

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
        return self._once("made", name)

    def carried(self, name: str) -> Enclosure:
        """What the working goes on with: in full, rounded, or rounded to more decimals."""
        return self._once("on", name)

    def written(self, name: str) -> Enclosure:
        """What is written down: rounded to the stated decimals."""
        return self._once("written", name)

    def is_unworkable(self, name: str) -> bool:
        """Whether a quantity can't be worked from what is known, and is taken from where all paths
        come from."""
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

    def _once(self, what: str, name: str) -> Enclosure:
        if self.base is not None and name not in self.changed:
            return self.base._once(what, name)
        bounds = self._told.get((what, name))
        if bounds is None and self.together is not None:
            bounds = self.together(what, name)
        if bounds is None:
            find = {"made": self._made, "on": self._gone_on_with, "written": self._written}[what]
            bounds = find(name)
        self._told[what, name] = bounds
        return bounds

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

    @cached_property
    def apart(self) -> frozenset[str]:
        """The quantities that may be others than those of the paths that all come from."""
        return frozenset() if self.base is None else self.changed | self.base.apart

    def _made(self, name: str) -> Enclosure:
        definition = self.definition(name)
        if definition is None:
            return self.given(name)
        operands = [self.carried(operand) for operand in definition.operands]
        try:
            made = self.enclosing(definition, operands)
        except Unworkable:
            if self.base is None or name in self.instead:
                raise
            self._unworkable.add(name)
            return self._first.made(name)
        printed = self.as_printed(definition, made)
        made = made if printed is made else made.with_(printed)
        endless = _has_no_end(made)
        if endless.any():  # divided by what may be rounded to 0, with which nobody goes on
            full = [
                self.known.get(operand) or self.made(operand) for operand in definition.operands
            ]
            made = self.enclosing(definition, full).where(endless, made)
        return made if self.roughly else self._closer(name, definition, made, endless)

    def _closer(
        self, name: str, definition: Definition, made: Enclosure, endless: NDArray[np.bool_]
    ) -> Enclosure:
        """The same, where it is worth while to look closer at a matrix."""
        wide = _is_wide(made, self.decimals(name)) & ~np.asarray(endless.any(axis=(0, 1)))
        if not wide.any():
            return made
        return made.within(self.linear.of(name, definition, made)).where(wide, made)

    def given(self, name: str) -> Enclosure:
        """A given quantity as it is, or as a sheet shows it."""
        return as_given(self.trace[name])

    def enclosing(self, definition: Definition, operands: Sequence[Enclosure]) -> Enclosure:
        """Between which numbers what is made of some others lies."""
        numbers = [self.numbers(name) for name in definition.operands]
        return enclosing(definition.operation, numbers, operands)

    def as_printed(self, definition: Definition, made: Enclosure) -> Enclosure:
        """The same, where it is divided by a root that is printed."""
        match definition.operation:
            case DivideBy(tree=Quotient(divisor=Root(Number() as square))):
                about = self.printed.get(square.full)
                share = 1.0 if about is None else float(square.full) ** 0.5 / float(about)
                return Enclosure(*(end * share for end in made))
        return made

    @cached_property
    def linear(self) -> FirstOrder:
        """The same by first order, which knows what goes together."""

        return FirstOrder(self) if self.base is None else self._first.linear.extended_to(self)

    @property
    def _first(self) -> Paths:
        return self if self.base is None else self.base._first

    def _gone_on_with(self, name: str) -> Enclosure:
        made = self.made(name)
        if self.rounds(name):
            made = on_the_way(made, self.decimals(name) - self.fewer, self.fewer)
        known = self.known.get(name)
        if known is None:
            return made
        pairs = zip(known, made, strict=True)
        return Enclosure(*(np.where(np.isnan(own), other, own) for own, other in pairs))

    def _written(self, name: str) -> Enclosure:
        made, places = self.made(name), self.decimals(name)
        return Enclosure(*(rounded(end, places) for end in made))

    def numbers(self, name: str) -> Matrix:
        """Numbers of a quantity by which is decided what is chosen: the trace's own, if they may
        be had."""
        return chosen_by(self.trace[name].matrix, self.carried(name))


def paths_from(trace: Trace, shown: Collection[str], printed: Roots) -> Paths:
    """Where honest paths lead from the quantities that a sheet shows, besides given ones, and the
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


def _is_wide(made: Enclosure, places: int) -> NDArray[np.bool_]:
    """Whether what holds a matrix is so wide that it is worth while to look closer. [] or [b]"""
    with np.errstate(invalid="ignore"):
        return np.asarray(((made.high - made.low) * 10.0**places > _MANY).any(axis=(0, 1)))


def _has_no_end(made: Enclosure) -> NDArray[np.bool_]:
    """Which numbers may be any."""
    with np.errstate(invalid="ignore"):
        return np.asarray((made.low != made.high) & ~np.isfinite(made.low + made.high))


Flags: TypeAlias = "NDArray[np.bool_]"


class Tolerance(NamedTuple):
    """What is let pass beside what follows by itself: so many units of the last place, an absolute
    and a relative difference, and numbers that are given with so many significant digits."""

    units: Decimal = Decimal(0)
    absolute: Decimal = Decimal(0)
    relative: Decimal = Decimal(0)
    digits: int | None = None

    @np.errstate(invalid="ignore")
    def around(self, written: Enclosure, places: int) -> Enclosure:
        """What is accepted for numbers that round to these: half a unit of the last place around
        them, and what is let pass besides; −∞ is only itself."""
        more = (0.5 + float(self.units)) * 10.0**-places + float(self.absolute)
        share, (low, high) = float(self.relative), written
        finite = np.isfinite(low) & np.isfinite(high)
        less, much = (np.maximum(more, self._rounded_off(np.abs(end))) for end in written)
        return Enclosure(
            np.where(finite, low - less - share * np.abs(low), low),
            np.where(finite, high + much + share * np.abs(high), high),
        )

    def _rounded_off(self, sizes: Array) -> Array:
        """The most that numbers of some sizes change when only so many digits of them are given."""
        if self.digits is None:
            return np.zeros_like(sizes)
        known = np.where(np.isfinite(sizes) & (sizes > 0), sizes, 1.0)
        last = np.floor(np.log10(known)) - (self.digits - 1)
        return np.asarray(np.where(sizes > 0, 0.5 * 10.0**last, 0.0))


def ranges(paths: Paths, name: str, tolerance: Tolerance) -> Enclosure:
    """What is right for each cell of a quantity on some paths."""
    return tolerance.around(paths.written(name), paths.decimals(name))


def accepted(paths: Paths, cell: Location, tolerance: Tolerance) -> Accepted:
    """What is right for a cell on some paths."""
    return at_cell(ranges(paths, cell.quantity, tolerance), cell)


def at_cell(held: Enclosure, cell: Location) -> Accepted:
    """What is right for one of the cells."""
    return Accepted(*(float(end[cell.row, cell.column]) for end in held))


@np.errstate(invalid="ignore")
def taken(held: Enclosure, numbers: Array) -> Flags:
    """Which numbers are among those that are right; nan is not."""
    noise = np.where(np.isfinite(numbers), NOISE * np.maximum(1.0, np.abs(numbers)), 0.0)
    return np.asarray((held.low - noise <= numbers) & (numbers <= held.high + noise))


def together(alone: Sequence[Paths]) -> list[Paths]:
    """The same paths, which are worked all at once as soon as something is asked of one of them,
    where the traces tell one story."""
    many = as_one(alone) if len(alone) > 1 else None
    if many is None:
        return [*alone]
    return [replace(paths, together=partial(many.of, k), _told={}) for k, paths in enumerate(alone)]


def as_one(alone: Sequence[Paths]) -> _ManyPaths | None:
    """The paths of several traces as one, [n, m, b]; None where they don't tell one story."""
    first = alone[0]
    if not all(_are_alike(first, paths) for paths in alone[1:]):
        return None
    known = {name: _stacked([paths.known[name] for paths in alone]) for name in first.known}
    many = _ManyPaths(first.trace, known, printed=first.printed, alone=tuple(alone))
    return replace(many, roughly=True) if first.roughly else many


def _are_alike(paths: Paths, other: Paths) -> bool:
    """Whether paths go the same way, but for the numbers."""
    return (
        paths.trace.story is other.trace.story
        and paths.trace.rounding == other.trace.rounding
        and paths.printed == other.printed
        and paths.known.keys() == other.known.keys()
        and all(
            paths.trace[name].matrix.decimals == other.trace[name].matrix.decimals
            and paths.trace[name].matrix.shape == other.trace[name].matrix.shape
            for name in paths.trace
        )
    )


@dataclass(frozen=True, eq=False, repr=False)
class _ManyPaths(Paths):
    """The paths of several traces; all arrays have a last axis for these. [n, m, b]"""

    alone: tuple[Paths, ...] = ()
    _too_many: list[bool] = field(default_factory=list)

    def of(self, k: int, what: str, name: str) -> Enclosure | None:
        """What is known of a quantity of the k-th trace; nothing where that takes too much."""

        if self._too_many:
            return None
        try:
            low, high = self._once(what, name)
        except TooManyNumbersError:
            self._too_many.append(True)
            return None
        return Enclosure(low[:, :, k], high[:, :, k])

    def given(self, name: str) -> Enclosure:
        return _stacked([as_given(paths.trace[name]) for paths in self.alone])

    def enclosing(self, definition: Definition, operands: Sequence[Enclosure]) -> Enclosure:
        operation = definition.operation
        if isinstance(operation, Exponential):
            return exponential_of(operation, self.chosen(definition.operands[0]), operands[0])
        if not goes_over_many(operation):
            return self.one_by_one(definition, operands)
        made = enclosing(operation, (), operands)
        return made if made.low.ndim == operands[0].low.ndim else _stacked([made] * len(self.alone))

    def chosen(self, name: str) -> Array:
        """Numbers by which is decided what is chosen. [n, m, b]"""
        return np.stack([m.values for m in self.each_chosen(name)], axis=-1)

    def each_chosen(self, name: str) -> list[Matrix]:
        """The same, a matrix for each trace."""
        on = _apart(self.carried(name), len(self.alone))
        return [
            chosen_by(paths.trace[name].matrix, own)
            for paths, own in zip(self.alone, on, strict=True)
        ]

    def one_by_one(self, definition: Definition, operands: Sequence[Enclosure]) -> Enclosure:
        """What is made of some others, trace by trace; or of nothing, which is one for all."""
        if not operands:
            return _stacked([enclosing(definition.operation, (), ())] * len(self.alone))
        numbers = zip(*map(self.each_chosen, definition.operands), strict=True)
        own = zip(*(_apart(b, len(self.alone)) for b in operands), strict=True)
        return _stacked(
            [enclosing(definition.operation, *pair) for pair in zip(numbers, own, strict=True)]
        )


def _stacked(each: Iterable[Enclosure]) -> Enclosure:
    """Those of several traces as one; numbers that are what they are stay so."""
    each = [*each]
    low = np.stack([b.low for b in each], axis=-1)
    if all(b.low is b.high for b in each):
        return Enclosure.of(low)
    return Enclosure(low, np.stack([b.high for b in each], axis=-1))


def _apart(many: Enclosure, count: int) -> list[Enclosure]:
    """Those of each trace, of what is one for all."""
    return [Enclosure(many.low[:, :, k], many.high[:, :, k]) for k in range(count)]


# --------------------------------------------------------------------------------------------------
# Where honest paths lead, to first order: affine arithmetic (Comba & Stolfi 1993). Interval
# arithmetic forgets that the numbers of a residual and of what is added to it go up and down
# together, which widens the numbers of a whole block a hundredfold. Here each number is kept as
# its middle and what each single rounding before it changes of it, so that what cancels does. Who
# rounds a number may do so now here, now there: each use of it lies between the number in full and
# what it is rounded to. All uses therefore go up and down with what is halfway between these two;
# how far they are from there is each one's own, and cancels nowhere.

_SLACK = 1.02
"""What is of second order is little beside all roundings at their worst at once."""
_MOST = 400_000
"""Numbers that are kept for a quantity; of one that takes more, intervals are all that is known."""


class _Affine(NamedTuple):
    """The middle of each number [n, m], what each rounding changes of it [n, m, s], and how far
    apart from that it may be by itself, at each use anew; each with a last axis [b] more where b
    traces are worked together."""

    middle: Array
    parts: Array
    apart: Enclosure

    @classmethod
    def of(cls, middle: Array, parts: Array) -> _Affine:
        """Numbers that are the same at each use."""
        return cls(middle, parts, Enclosure.of(np.zeros_like(middle)))

    @property
    def near(self) -> Enclosure:
        """Between which numbers each lies while all that is shared is in the middle."""
        return Enclosure(*(self.middle + end for end in self.apart))

    @property
    def bounds(self) -> Enclosure:
        radius, near = np.abs(self.parts).sum(axis=2) * _SLACK, self.near
        return Enclosure(near.low - radius, near.high + radius)

    def of_length(self, count: int) -> Array:
        """The parts of so many roundings, a new array."""
        parts = _no_parts(self.middle, count)
        parts[:, :, : self.parts.shape[2]] = self.parts
        return parts

    def replaced(self, known: Enclosure) -> _Affine:
        """With what is known of some of the numbers instead."""
        array, middle = ~np.isnan(known.low), known.middle
        ends = zip(_terms_apart(known, middle), self.apart, strict=True)
        return _Affine(
            np.where(array, middle, self.middle),
            np.where(array[:, :, np.newaxis], 0.0, self.parts),
            Enclosure(*(np.where(array, own, other) for own, other in ends)),
        )


class TooManyNumbersError(Exception):
    """More than are kept for a quantity, of several traces together."""


def _no_parts(middle: Array, count: int) -> Array:
    """No change by so many roundings. [n, m, s] or [n, m, s, b]"""
    return np.zeros((*middle.shape[:2], count, *middle.shape[2:]))


@dataclass(frozen=True)
class FirstOrder:
    """The quantities of some paths to first order; None of those that take too many numbers. What
    is no other than on the `base` is known from there."""

    paths: Paths
    base: FirstOrder | None = None
    _known: dict[str, _Affine | None] = field(default_factory=dict)
    _uses: dict[str, _Affine | None] = field(default_factory=dict)
    _count: list[int] = field(default_factory=lambda: [0])

    @cached_property
    def whole(self) -> FirstOrder:
        """The same, with all that a trace makes, so that no more roundings come to be counted."""
        for name in self.paths.trace:
            self._used(name)
        return self

    def extended_to(self, paths: Paths) -> FirstOrder:
        """Other paths, on which the roundings of these have their places, and some more."""
        return FirstOrder(paths, self.whole, _count=[self._count[0]])

    def of(self, name: str, definition: Definition, made: Enclosure) -> Enclosure:
        """Between which numbers a quantity lies before it is rounded; `made` where nothing more
        is known than intervals say."""
        if name not in self._known:
            self._known[name] = self._made(definition, made)
        affine = self._known[name]
        if affine is None:
            return made
        found = affine.bounds
        apart = (found.low > made.high) | (found.high < made.low) | np.isnan(found.low + found.high)
        return Enclosure(*(np.where(apart, a, b) for a, b in zip(made, found, strict=True)))

    def _affine(self, name: str) -> _Affine | None:
        """A quantity before it is rounded."""
        if self.base is not None and name not in self.paths.apart:
            return self.base._affine(name)
        if name not in self._known:
            definition, made = self.paths.definition(name), self.paths.made(name)
            if definition is None:
                self._known[name] = self._alone(made)
            else:
                self.of(name, definition, made)
        return self._known[name]

    def _made(self, definition: Definition, made: Enclosure) -> _Affine | None:
        used = [self._used(name) for name in definition.operands]
        if not used:
            return self._alone(made)
        operands = [a for a in used if a is not None]
        if len(operands) < len(used) or self._is_too_much(made.low):
            return None
        tried = [(a.middle, a.of_length(self._count[0])) for a in operands]
        found = _through(definition.operation, tried)
        if found is None:
            return self._alone(made)
        try:
            apart = _terms_apart(self._near(definition, operands), found.middle)
        except Unworkable:
            return self._alone(made)
        if definition.operation.copies:
            return found._replace(apart=apart)
        return self._moved(found, apart)

    def _near(self, definition: Definition, operands: Sequence[_Affine]) -> Enclosure:
        """What is made of numbers each use of which is apart by itself."""
        near = self.paths.enclosing(definition, [a.near for a in operands])
        printed = self.paths.as_printed(definition, near)
        return near if printed is near else near.with_(printed)

    def _used(self, name: str) -> _Affine | None:
        """A quantity as it is gone on with: at each use in full, rounded, or to more decimals."""
        if self.base is not None and name not in self.paths.apart:
            return self.base._used(name)
        if name not in self._uses:
            affine, known = self._affine(name), self.paths.known.get(name)
            if affine is not None and self.paths.rounds(name):
                affine = self._rounded(name, affine)
            self._uses[name] = affine if affine is None or known is None else affine.replaced(known)
        return self._uses[name]

    def _rounded(self, name: str, affine: _Affine) -> _Affine | None:
        paths = self.paths
        way = halfway(paths.made(name), paths.decimals(name) - paths.fewer, paths.fewer)
        parts = way.share[:, :, np.newaxis] * affine.parts
        moved = self._moved(_Affine.of(way.share * affine.middle, parts), way.shared)
        return moved if moved is None else moved._replace(apart=way.apart)

    def _alone(self, made: Enclosure) -> _Affine | None:
        """Numbers of which it isn't known what they go together with."""
        middle = made.middle
        return self._moved(_Affine.of(middle, _no_parts(middle, 0)), _terms_apart(made, middle))

    def _moved(self, affine: _Affine, by: Enclosure) -> _Affine | None:
        """Numbers each of which may be moved by something of its own, the same at each use."""
        radius, count = (by.high - by.low) / 2, self._count[0]
        rows, columns = np.nonzero((radius > 0).reshape(*radius.shape[:2], -1).any(axis=2))
        self._count[0] += len(rows)
        if self._is_too_much(radius):
            self._count[0] = count
            return None
        parts = affine.of_length(self._count[0])
        parts[rows, columns, np.arange(count, self._count[0])] = radius[rows, columns]
        return _Affine.of(affine.middle + (by.high + by.low) / 2, parts)

    def _is_too_much(self, of: Array) -> bool:
        """Whether all roundings of an array are too many numbers. Raises TooManyNumbersError where
        single traces might not have so many."""
        if of.size * self._count[0] <= _MOST:
            return False
        if of.ndim > 2:  # noqa: PLR2004
            raise TooManyNumbersError
        return True


@np.errstate(invalid="ignore")
def _terms_apart(ends: Enclosure, middle: Array) -> Enclosure:
    """How far from others numbers may be."""
    return Enclosure(*(_finite(end - middle) for end in ends))


def _finite(values: Array) -> Array:
    """The same as `nan_to_num`, which takes long where there is nothing to do."""
    return values if np.isfinite(values).all() else np.nan_to_num(values)


@np.errstate(all="ignore")
def _through(operation: Operation, operands: Sequence[tuple[Array, Array]]) -> _Affine | None:
    """What an operation makes: its value in the middle, and half of what it changes between either
    end of each part; None of operations that don't go over many candidates."""
    if not isinstance(operation, Indexed | ListOfEquations | Moved):
        return None
    tried = [_either_way(*operand) for operand in operands]
    goes = operation.arranged(*tried) if isinstance(operation, Moved) else operation.arrays(tried)
    made = np.asarray(goes)
    middle, parts = operands[0]
    count, traces = parts.shape[2], middle.shape[2:]
    if made.shape[2] == 1:  # the same, whichever way
        value = made.reshape(made.shape[:2]) if not traces else made * np.ones(traces)
        return _Affine.of(value, _no_parts(value, count))
    made = made.reshape(*made.shape[:2], 1 + 2 * count, *traces)
    value, plus, minus = made[:, :, :1], made[:, :, 1 : count + 1], made[:, :, count + 1 :]
    bent = _finite(np.abs(plus + minus - 2 * value)) / 2
    parts = _finite((plus - minus) / 2)
    return _Affine.of(value[:, :, 0], np.copysign(np.abs(parts) + bent, parts))


def _either_way(middle: Array, parts: Array) -> Array:
    """The middle of each number, and what it is at either end of each part. [n, m, 1 + 2 s], or
    [n, m, (1 + 2 s) b]"""
    count = parts.shape[2]
    tried = _no_parts(middle, 1 + 2 * count)
    tried[...] = middle[:, :, np.newaxis]
    tried[:, :, 1 : count + 1] += parts
    tried[:, :, count + 1 :] -= parts
    return tried.reshape(*middle.shape[:2], -1)
