"""The paths of honest working: the range of each cell, however unwritten numbers were rounded.

Of a quantity that its author wrote down is known what each number stands
for; what nobody wrote down may have been kept in full, rounded to the stated decimals or to more,
now here, now there, as a calculator's memory is used. Each quantity is therefore known between two
numbers, and what is made of it is worked by interval arithmetic over the same equations.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from attncli.judging.verdicts import NOISE, Accepted
from attncli.maths.equations.enclosures import Enclosure
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import Location, Number, Quotient, Root
from attncli.maths.numbers.rounding import Array, Flags, Unworkable
from attncli.maths.operations.activations import DivideBy
from attncli.maths.operations.intervals import enclosing
from attncli.trace import Definition, Quantity, Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

Decimals: TypeAlias = "int | NDArray[np.int_]"
"""Decimals, of all numbers of an array or of each."""

_NOISE = 1e-9
"""The error of floats, in units of the last place, besides 1e-13 of the number itself. A half that
is held a hair too small still rounds away from zero."""
_MORE = 2
"""Decimals beyond the stated ones to which rounding is followed; more changes no more than half a
unit of the last of these."""
_HALF = 0.5
SLACK = 0.5556
"""Units of the last place by which what is written may differ from what it stands for: a half, and
what rounding twice, 0.4446 to 0.445 to 0.45, may add to it."""


@np.errstate(invalid="ignore")
def rounded(values: Array, places: Decimals) -> Array:
    """Rounds numbers to so many decimals, half away from zero."""
    return _rounded(values, np.asarray(10.0**places))


def _rounded(values: Array, scale: Array) -> Array:
    """Rounds numbers to multiples of 1 / scale, half away from zero. Infinite ones stay."""
    units = np.abs(values) * scale
    whole = np.floor(units + 0.5 + _NOISE + units * 1e-13)
    made = np.copysign(whole, values) / scale + 0.0
    finite = np.isfinite(values)
    return made if finite.all() else np.where(finite, made, values)


@lru_cache(maxsize=64)
def _scales(places: int, fewer: int, axes: int) -> Array:
    """Returns the scales that are rounded to on the way, from the fewest decimals on, shaped for
    enclosures with so many axes. -> [p, 1, 1, 1]"""
    followed = range(places, places + _MORE + fewer + 1)
    return np.array([10.0**place for place in followed]).reshape(-1, *[1] * (axes + 1))


_PART = 2**16
"""How many numbers are rounded in all ways at once, which takes a dozen times their memory."""


def on_the_way(made: Enclosure, places: int, fewer: int = 0) -> Enclosure:
    """Encloses numbers both in full and rounded to so many decimals (or `fewer` less) or more."""
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
    below, above = _beyond(ends, each[-1], 0.5 / scales[-1].item())
    low = np.minimum(made.low - below, each[:, 0].min(axis=0))
    high = np.maximum(made.high + above, each[:, 1].max(axis=0))
    return Enclosure(low, high)


def _beyond(values: Array, rounded_: Array, half: float) -> Array:
    """Bounds what rounding to still more decimals may change. Numbers that have no more decimals
    don't change."""
    ends = np.abs(values - rounded_) <= 1e-13 * np.abs(values)
    return np.where(ends | ~np.isfinite(values), 0.0, half)


Made = Mapping[str, Definition]
Roots = Mapping[Decimal, Decimal]
"""Square roots as a sheet prints them, by their squares: 1.414 by 2."""


@dataclass(frozen=True, eq=False, repr=False)
class Paths:
    """A map of where the working of a trace may lead: an enclosure of each quantity. What no change
    affects is looked up in the `base`."""

    trace: Trace
    known: dict[str, Enclosure] = field(default_factory=dict)
    """The quantities that the working continues from as they are. Cells that are nan are worked."""
    instead: Made = field(default_factory=dict)
    """The definitions that differ from the trace's."""
    fewer: int = 0
    """How many decimals fewer than stated numbers may be rounded to on the way."""
    base: Paths | None = None
    printed: Roots = field(default_factory=dict)
    """The roots as the sheet prints them, by which a student may divide."""
    partly: dict[str, tuple[Definition, Flags]] = field(default_factory=dict)
    """Other right definitions, with the rows in which they hold."""
    _made: dict[str, Enclosure] = field(default_factory=dict)
    _used: dict[str, Enclosure] = field(default_factory=dict)
    _unworkable: set[str] = field(default_factory=set)

    def from_here(
        self,
        known: Mapping[str, Enclosure] = MappingProxyType({}),
        instead: Made = MappingProxyType({}),
        fewer: int = 0,
    ) -> Paths:
        """Returns paths on which more is known, made otherwise, or rounded to fewer decimals, based
        on these."""
        more = {**self.known, **known}, {**self.instead, **instead}
        return Paths(self.trace, *more, fewer, self, self.printed, dict(self.partly))

    def apart(self, instead: Made = MappingProxyType({})) -> Paths:
        """Returns an independent copy of the paths, with some quantities made otherwise."""
        changed = self.from_here(instead=instead).changed
        made, used = (
            {n: e for n, e in told.items() if n not in changed} for told in (self._made, self._used)
        )
        return Paths(
            self.trace, dict(self.known), {**self.instead, **instead}, self.fewer, self.base,
            self.printed, dict(self.partly), made, used, self._unworkable - changed,
        )  # fmt: skip

    def go_on_with(self, name: str, held: Enclosure) -> None:
        """Continues the working from what the numbers of a quantity stand for, nan where none is
        written."""
        self.known[name] = held
        self._used.pop(name, None)

    def make_partly(self, definition: Definition, rows: Flags) -> None:
        """Makes some rows of a quantity in another right way."""
        self.partly[definition.name] = definition, rows
        for name in self.from_here(instead={definition.name: definition}).changed:
            self._made.pop(name, None)
            self._used.pop(name, None)

    @cached_property
    def is_circular(self) -> bool:
        """Tells whether something would be made of itself, as by mistakes that exclude each
        other."""
        order = self._order
        if all(
            order.get(o, -1) < order.get(d.name, -1)
            for d in self.instead.values()
            for o in d.operands
        ):
            return False  # as nearly always: the trace's own order does
        from graphlib import CycleError, TopologicalSorter

        made = {**self._planned, **self.instead}
        try:
            TopologicalSorter({name: d.operands for name, d in made.items()}).prepare()
        except CycleError:
            return True
        return False

    def made(self, name: str) -> Enclosure:
        """Returns the enclosure of a quantity before it is rounded."""
        if self.base is not None and name not in self.changed:
            return self.base.made(name)
        if name not in self._made:
            self._made[name] = self._work(name)
        return self._made[name]

    def used(self, name: str) -> Enclosure:
        """Returns the enclosure that the working continues from: what is written stands for, or
        else what is made in full, rounded, or rounded to more decimals."""
        if self.base is not None and name not in self.changed:
            return self.base.used(name)
        if name not in self._used:
            self._used[name] = self._gone_on_with(name)
        return self._used[name]

    def unwritten(self, name: str) -> Enclosure:
        """Returns what the working would continue from if nothing of a quantity were written
        down."""
        made = self.made(name)
        if not self.rounds(name):
            return made
        return on_the_way(made, self.decimals(name) - self.fewer, self.fewer)

    def written(self, name: str) -> Enclosure:
        """Returns what is written down of a quantity: rounded to the stated decimals."""
        made, places = self.made(name), self.decimals(name)
        return Enclosure(*(rounded(end, places) for end in made))

    def is_unworkable(self, name: str) -> bool:
        """Tells whether a quantity can't be worked from what is known, so that the key's numbers
        are taken."""
        if self.base is not None and name not in self.changed:
            return self.base.is_unworkable(name)
        self.made(name)
        return name in self._unworkable

    def decimals(self, name: str) -> int:
        """Returns the decimals that a quantity is rounded to; for a copy, those of what it
        copies."""
        definition = self.definition(name)
        if definition is None or not self.rounds(name):
            return self.trace[name].matrix.decimals
        made = self.trace[name].definition or definition  # whichever step the other way is of
        return self.trace.rounding.decimals_of(made.step, self.trace[name].name)

    def rounds(self, name: str) -> bool:
        """Tells whether a quantity is worked out, and not just copied, in the trace or on these
        paths."""
        made = (self.definition(name), self.trace[name].definition)
        return any(d is not None and not d.operation.copies for d in made)

    def definition(self, name: str) -> Definition | None:
        """Returns how a quantity is made on these paths, or None where it is given."""
        return self.instead.get(name, self.trace[name].definition)

    @cached_property
    def changed(self) -> frozenset[str]:
        """Returns the names of the quantities that may differ from those of the base."""
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
        """Returns the trace's definitions by the quantities that they make, in order."""
        if self.base is not None:
            return self.base._planned
        return {d.name: d for d in self.trace.plan if d.name in self.trace}

    @cached_property
    def _order(self) -> Mapping[str, int]:
        """Returns the places in the order in which the trace makes its quantities."""
        if self.base is not None:
            return self.base._order
        return {name: k for k, name in enumerate(self._planned)}

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
        """Works a definition from what is used. The key's numbers stand in where nothing bounds the
        result, as where the divisor may be 0. Raises Unworkable."""
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
        """Returns the result of a division by a root as it is with the root that the sheet prints;
        any other result as it is."""
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
    """Returns the paths that start from the quantities that a sheet shows, besides given ones, and
    from the roots that it gives in figures."""
    return Paths(trace, {name: _as_shown(trace, name) for name in shown}, printed=printed)


def _as_shown(trace: Trace, name: str) -> Enclosure:
    """Encloses a quantity as a sheet prints it and as the sheet's own answers continue from it."""
    matrix = trace[name].matrix
    shown = np.array(
        [
            [float(matrix.number(i, j).shown) for j in range(matrix.shape[1])]
            for i in range(matrix.shape[0])
        ]
    )
    return Enclosure.of(shown).with_(Enclosure.of(matrix.values))


def chosen_by(matrix: Matrix, on: Enclosure) -> Matrix:
    """Returns a matrix that lies in an enclosure: the given one if it does, else its middle."""
    fits = matrix.shape == on.low.shape
    if fits and ((on.low <= matrix.values) & (matrix.values <= on.high)).all():
        return matrix
    return Matrix.of_array(on.middle, matrix.decimals, carry=False)


def as_given(quantity: Quantity) -> Enclosure:
    """Encloses given numbers as they are and as a sheet shows them."""
    matrix = quantity.matrix
    if matrix.written is not None or matrix.places is not None:
        return Enclosure.of(matrix.values)
    shown = rounded(matrix.values, matrix.decimals)
    return Enclosure.of(matrix.values).with_(Enclosure.of(shown))


def _has_no_end(made: Enclosure) -> Flags:
    """Tells which enclosures are unbounded."""
    with np.errstate(invalid="ignore"):
        return np.asarray((made.low != made.high) & ~np.isfinite(made.low + made.high))


class Written(NamedTuple):
    """The numbers that somebody wrote for a quantity."""

    numbers: Array
    """The numbers [n, m], nan where there is none."""
    own: NDArray[np.int_]
    """The decimals that each is written with, [n, m]."""
    places: NDArray[np.int_]
    """The decimals that each is judged by, [n, m]."""

    @property
    def unit(self) -> Array:
        """Returns a unit of the last place that each number is judged by. [n, m]"""
        return np.asarray(10.0 ** -self.places.astype(float))


class Tolerance(NamedTuple):
    """A rule of how far numbers may be off and still count as right."""

    units: Decimal = Decimal(0)
    """Units of the last place asked for."""
    absolute: Decimal = Decimal(0)
    """An absolute difference."""
    relative: Decimal = Decimal(0)
    """A difference relative to the right number."""
    digits: int | None = None
    """Significant digits: what agrees to so many is right."""

    @np.errstate(invalid="ignore")
    def around(self, made: Enclosure, asked: int, places: Decimals) -> Enclosure:
        """Returns the range that is accepted for numbers written with `places` decimals where
        `asked` ones are asked for: half a unit of the last place around what the result rounds to
        (even if rounded twice), and the tolerance besides. −∞ is only itself."""
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
        """Returns the lower (`way` −1) or upper (1) end of all that rounds to the same significant
        digits."""
        assert self.digits is not None
        sizes = np.abs(values)
        known = np.where(np.isfinite(sizes) & (sizes > 0), sizes, 1.0)
        last = (np.floor(np.log10(known)) - (self.digits - 1)).astype(int)
        return np.asarray(rounded(values, -last) + way * _HALF * 10.0**last)


def ranges(
    paths: Paths, name: str, tolerance: Tolerance, places: Decimals | None = None
) -> Enclosure:
    """Returns the range that is accepted for each cell of a quantity on some paths, for numbers of
    so many decimals."""
    asked = paths.decimals(name)
    return tolerance.around(paths.made(name), asked, asked if places is None else places)


def at_cell(held: Enclosure, cell: Location) -> Accepted:
    """Returns the range of one cell."""
    return Accepted(*(float(end[cell.row, cell.column]) for end in held))


@np.errstate(invalid="ignore")
def taken(held: Enclosure, numbers: Array) -> Flags:
    """Tells which numbers lie in their ranges; nan never does."""
    noise = np.where(np.isfinite(numbers), NOISE * np.maximum(1.0, np.abs(numbers)), 0.0)
    return np.asarray((held.low - noise <= numbers) & (numbers <= held.high + noise))
