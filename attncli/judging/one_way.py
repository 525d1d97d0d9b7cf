"""Whole workings of a publication, with every quantity printed, in full, or rounded in one way.

The memory of a student's calculator holds now this, now that. An author works a row alike, so that
two weights of one row can't add up to 1.0001 because each was rounded in a way of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from attncli.judging.honest_paths import SLACK, Decimals, Tolerance, Written, rounded, taken
from attncli.maths.equations.enclosures import Enclosure
from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers.rounding import Array, Flags, Unworkable
from attncli.maths.operations.intervals import enclosing, exponential_of, goes_over_many
from attncli.maths.operations.softmax import Exponential
from attncli.trace import Definition, Trace

_WAYS = 4
"""Ways to go on with a quantity: in full, rounded as stated, as it is printed or to one decimal
more, and to still one more."""
_AT_A_TIME = 4
_HALF = 0.5
AsRounded = Callable[[Array, Decimals], Array]
_WORKINGS = _WAYS**_AT_A_TIME
"""So many workings hold each way of any four quantities that follow each other with each way of the
others."""
_DRAWN = 4096
"""Workings that are drawn where none of these gives a number that bounds don't refuse."""


@dataclass(frozen=True, eq=False)
class OneWayWorkings:
    """A set of workings of a trace, in each of which a quantity is rounded in one way throughout.
    They are the last axis of each array [n, m, b]: all combinations of four ways for any four
    quantities that follow each other, or `drawn` ones."""

    trace: Trace
    decimals: Mapping[str, int]
    printed: dict[str, Written] = field(default_factory=dict)
    """The numbers that the working continues from as they are printed, nan where there is none."""
    instead: dict[str, tuple[Definition, Flags | None]] = field(default_factory=dict)
    """The definitions that differ from the trace's, each with the rows in which they do (None for
    all)."""
    _made: dict[str, Array] = field(default_factory=dict)
    _used: dict[str, Array] = field(default_factory=dict)
    drawn: bool = False
    """Whether the workings are drawn at random instead of listed."""
    order: dict[str, int] = field(default_factory=dict)
    """The places in which quantities came up that can be continued from in several ways."""

    def apart(self, definitions: Iterable[Definition] = ()) -> OneWayWorkings:
        """Returns the same workings as an independent copy, with some quantities made otherwise."""
        known = {**self._made}, {**self._used}
        own = OneWayWorkings(
            self.trace, self.decimals, {**self.printed}, {**self.instead}, *known, self.drawn,
            self.order,
        )  # fmt: skip
        for definition in definitions:
            own.make(definition)
        return own

    def coarser(self) -> OneWayWorkings:
        """Returns the workings in which every quantity is rounded to one decimal fewer."""
        fewer = {name: places - 1 for name, places in self.decimals.items()}
        return OneWayWorkings(self.trace, fewer, {**self.printed}, {**self.instead})

    def many(self) -> OneWayWorkings:
        """Returns many more workings, drawn at random."""
        return OneWayWorkings(
            self.trace, self.decimals, {**self.printed}, {**self.instead}, drawn=True
        )

    def make(self, definition: Definition, rows: Flags | None = None) -> None:
        """Replaces the definition of a quantity, in some rows or in all, and forgets what depends
        on it."""
        self.instead[definition.name] = definition, rows
        changed: set[str] = {definition.name}
        for name in self.trace.quantities:
            planned = self.trace[name].definition
            other, _ = self.instead.get(name, (None, None))
            used = [o for d in (planned, other) if d is not None for o in d.operands]
            if not changed.isdisjoint(used):
                changed.add(name)
        for name in changed:
            self._made.pop(name, None)
            self._used.pop(name, None)

    def go_on_with(self, name: str, written: Written, counts: Flags) -> None:
        """Continues the workings from those printed numbers of a quantity that count."""
        numbers = np.where(counts, written.numbers, np.nan)
        self.printed[name] = written._replace(numbers=numbers)
        self._used.pop(name, None)

    def gives(
        self, name: str, written: Written, tolerance: Tolerance, as_rounded: AsRounded | None = None
    ) -> Flags:
        """Tells which numbers come of one of the workings, to the decimals that they are printed
        with, rounded as they should be or `as_rounded` says. [n, m]"""
        made = self.made(name)
        places = np.broadcast_to(written.places[:, :, np.newaxis], made.shape)
        if as_rounded is None:
            held = tolerance.around(Enclosure.of(made), self.decimals[name], places)
        else:
            held = Enclosure.of(as_rounded(made, places))
        return np.asarray(taken(held, written.numbers[:, :, np.newaxis]).any(axis=2))

    def in_full(self, name: str) -> Array:
        """Returns the value of a quantity where everything is kept in full that isn't printed
        wrongly. [n, m]"""
        return self.made(name)[:, :, 0]

    def made(self, name: str) -> Array:
        """Returns the value of a quantity in full. [n, m, b], or [n, m, 1] where all workings
        agree"""
        if name not in self._made:
            definition = self.trace[name].definition
            if definition is None:
                self._made[name] = self.trace[name].values[:, :, np.newaxis]
            else:
                self._made[name] = self._made_by(name, definition)
        return self._made[name]

    def _made_by(self, name: str, definition: Definition) -> Array:
        other, rows = self.instead.get(name, (None, None))
        if other is None:
            return self._worked(definition)
        if rows is None:
            return self._worked(other)
        return np.where(rows[:, :, np.newaxis], self._worked(other), self._worked(definition))

    def used(self, name: str) -> Array:
        """Returns what each working continues from. [n, m, b]"""
        if name not in self._used:
            self._used[name] = self._gone_on_with(name)
        return self._used[name]

    def _gone_on_with(self, name: str) -> Array:
        full, asked, definition = self.made(name), self.decimals[name], self.trace[name].definition
        ways = [full, full, full, full]
        if definition is not None and not definition.operation.copies:
            ways[1:] = (rounded(full, asked + more) for more in range(_WAYS - 1))
        written = self.printed.get(name)
        if written is not None:
            ways = [*self._as_printed(written, asked, full, ways)]
        if all(way is full for way in ways):
            return full
        place = self.order.setdefault(name, len(self.order))
        if self.drawn:
            way = np.random.RandomState(place).randint(0, _WAYS, _DRAWN)
        else:
            way = (np.arange(_WORKINGS) // _WAYS ** (place % _AT_A_TIME)) % _WAYS
        shape = (*full.shape[:2], len(way))
        return np.asarray(np.choose(way, [np.broadcast_to(each, shape) for each in ways]))

    def _as_printed(
        self, written: Written, asked: int, full: Array, ways: Sequence[Array]
    ) -> Sequence[Array]:
        """Returns the four ways to continue from printed numbers: in full, rounded as stated, as
        printed, and rounded to more decimals. A way that doesn't round to the printed number takes
        the printed one."""
        numbers, places = (x[:, :, np.newaxis] for x in (written.numbers, written.places))
        unit, shape = 10.0 ** -places.astype(float), full.shape[:2]
        fits = np.isnan(numbers) | (np.abs(full - numbers) <= SLACK * unit) | (full == numbers)
        shown = np.isnan(numbers)
        count = _DRAWN if self.drawn else _WORKINGS
        # nobody knows the digits behind those of a wrong number
        random = np.random.RandomState(numbers.size)  # whose streams never change
        behind = random.uniform(-_HALF, _HALF, (*shape, count))
        near = numbers + unit * behind
        finer = rounded(full, np.maximum(asked, places) + 1)
        printed = [full, rounded(full, asked), numbers, finer]
        otherwise = [numbers, near, near, near]
        return [
            np.where(shown, own, np.where(fits, way, other))
            for own, way, other in zip(ways, printed, otherwise, strict=True)
        ]

    def _worked(self, definition: Definition) -> Array:
        operands, operation = [self.used(o) for o in definition.operands], definition.operation
        many = max((x.shape[2] for x in operands), default=1)
        if many > 1:
            operands = [np.broadcast_to(x, (*x.shape[:2], many)) for x in operands]
        bounds = [Enclosure.of(x) for x in operands]
        if isinstance(operation, Exponential):
            return exponential_of(operation, operands[0], bounds[0]).low
        if operands and goes_over_many(operation):
            made = enclosing(operation, (), bounds).low
            return made if made.ndim == operands[0].ndim else made[:, :, np.newaxis]
        return self._one_by_one(definition, operands, many)

    def _one_by_one(self, definition: Definition, operands: Sequence[Array], many: int) -> Array:
        """Works a definition for one working after another, for operations that can't take them all
        at once. Equal operands are worked once. [n, m, b]"""
        made = np.full((*self.trace[definition.name].matrix.shape, many), np.nan)
        known: dict[bytes, Array] = {}
        for k in range(many):
            own = [np.ascontiguousarray(x[:, :, k]) for x in operands]
            key = b"".join(x.tobytes() for x in own)
            if key not in known:
                known[key] = self._one(definition, own)
            made[:, :, k] = known[key]
        return made

    def _one(self, definition: Definition, operands: Sequence[Array]) -> Array:
        pairs = zip(definition.operands, operands, strict=True)
        numbers = [Matrix.of_array(x, self.trace[o].matrix.decimals, carry=False) for o, x in pairs]
        try:
            held = enclosing(definition.operation, numbers, [Enclosure.of(x) for x in operands])
        except Unworkable:
            return self.trace[definition.name].values
        return held.low
