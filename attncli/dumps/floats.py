"""What follows in floats of some precision, from tensors that somebody's program made.

In float32 and float64 it is told by bounds, which no rounding passes. In coarser floats these would
take in nearly anything. There the working is done a few times more, with each result off at random
by as much as its rounding may be (Monte Carlo arithmetic: Parker 1997, *Monte Carlo Arithmetic:
exploiting randomness in floating-point arithmetic*), and how far these runs come apart is the
yardstick by which a tensor is measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple
from zlib import crc32

import numpy as np

from attncli.equations.bounds import EPSILON
from attncli.equations.enclosures import EXACT, Enclosure, Roundoffs
from attncli.equations.matrix import Matrix
from attncli.file.array_files import ROUNDOFFS
from attncli.marking.honest_paths import Flags
from attncli.numbers.rounding import Array
from attncli.operations.activations import Activate
from attncli.operations.attention import Exponential
from attncli.operations.equation import is_a
from attncli.operations.intervals import enclosing
from attncli.operations.operation import Operation, WholeNumbers
from attncli.operations.positions import BlendFrequencies, ByColumn, RampOfTurns, TurnsTable, Waves
from attncli.trace import Definition, Trace

_DEVIATION = 1.4826
"""Times the median distance from the median is the standard deviation of numbers that are normally
distributed, which a few large ones among them don't change (Hampel 1974)."""
_SHARE = 0.1
_MOST_OPEN = 0.1
"""The share of a tensor's numbers that may be open where a verdict is given on the tensor."""


@np.errstate(invalid="ignore")
def tells_apart(right: Array) -> Array:
    """How far a number must be from each that is right to be told from it as another one: as far
    as that is from the median of its tensor, or as the tensor's numbers are spread, or a tenth of
    its size, whichever is most. Zeros and what isn't finite are no part of median and spread."""
    known = right[np.isfinite(right) & (right != 0)]
    middle = np.median(known) if known.size else 0.0
    spread = _DEVIATION * np.median(np.abs(known - middle)) if known.size else 0.0
    return np.fmax(np.fmax(np.abs(right - middle), spread), _SHARE * np.abs(right))


@np.errstate(invalid="ignore")
def open_numbers(right: Array, follows: Enclosure) -> Flags:
    """Which numbers are open: the bound around what is right takes in what is told apart from it,
    so that nothing can be said of them."""
    reach = np.maximum(follows.high - right, right - follows.low)
    exact = (follows.low == right) & (right == follows.high)
    return np.asarray(~exact & ~(reach <= tells_apart(right)))


def fills(kind: str, values: Array) -> bool:
    """Whether a type of floats keeps numbers as they are, and they need all of its digits, as what
    is worked in it does: a fourth of those that aren't 0 has an odd last digit."""
    known = values[np.isfinite(values) & (values != 0)]
    mantissa, _ = np.frexp(known)
    scaled = mantissa / ROUNDOFFS[kind]
    whole = np.rint(scaled)
    return bool((scaled == whole).all() and 4 * np.count_nonzero(whole % 2) >= max(known.size, 1))


_WAYS = 2.0
"""Times one rounding that each operation may be off: others write the same working otherwise, a
score scaled before it is added up, say, and round once more on the way."""
_LEAST = {"float16": 2.0**-25, "bfloat16": 2.0**-126, "float32": 2.0**-126}
"""By what each number is rounded however small it is: of the types with an exponent of 8 bits,
what many processors take for 0."""
_INSIDE = frozenset(["exp", "exp_sum"])
"""What no software lets become too small for its floats: it subtracts the row's maximum."""
_DECIMALS = 17
TF32 = "tf32"
"""What float32 is on processors that round the factors of matrix products to 11 bits."""


class Grain(NamedTuple):
    """How finely numbers are kept: the type of floats that each is rounded to, and where they are
    written with so many decimals, half a unit of the last."""

    type: str
    half: float = 0.0
    factors: str = ""
    """The type that the factors of products are rounded to, where that is a coarser one."""

    @classmethod
    def of(cls, kind: str, half: float = 0.0) -> Grain:
        """The grain of a type of floats, or of float32 as `tf32` has it."""
        return cls("float32", half, "float16") if kind == TF32 else cls(kind, half)

    @property
    def called(self) -> str:
        """The name of the floats, as `--precision` takes it."""
        return TF32 if self.factors else self.type

    @property
    def is_coarse(self) -> bool:
        """Whether rounding is so much that bounds on it say little: coarser than float32."""
        return ROUNDOFFS[self.factors or self.type] > ROUNDOFFS["float32"]

    @property
    def kept(self) -> Roundoffs:
        """How numbers are rounded to be kept."""
        share = ROUNDOFFS[self.type]
        return Roundoffs(share, share, _LEAST.get(self.type, 0.0))

    @property
    def worked(self) -> Roundoffs:
        """How operations round: what a sum adds up and a function makes on its way is kept as
        float32 at least, as the kernels of all libraries do."""
        share = ROUNDOFFS[self.type]
        inside = min(share, ROUNDOFFS["float32"])
        return Roundoffs(_WAYS * share, _WAYS * inside, _LEAST.get(self.type, 0.0))

    @property
    def ahead(self) -> Roundoffs:
        """How tables that are made once, ahead of all, are worked: as what is inside a sum."""
        inside = self.worked.inside
        return Roundoffs(inside, inside)

    def around(self, bounds: Enclosure) -> Enclosure:
        """What may have been before it was rounded to be kept."""
        return self.kept.around(self.kept.by(bounds, self.kept.each), self.half)

    def of_given(self, values: Array) -> Enclosure:
        """Numbers that are given in full, which are kept as they are or rounded."""
        mantissa, exponent = np.frexp(values)
        unit = ROUNDOFFS[self.type]
        rounded = np.ldexp(np.rint(mantissa / unit) * unit, exponent)
        both = Enclosure.of(values).with_(
            Enclosure.of(np.where(np.isfinite(values), rounded, values))
        )
        return self.kept.by(both, 0.0)


@dataclass(frozen=True)
class Floats:
    """What each quantity may come to in floats, from the given numbers and from `known` tensors,
    which are gone on with; `instead` are other ways in which some are made. What depends on none of
    these is known from the `base`."""

    trace: Trace
    grain: Grain
    known: Mapping[str, Enclosure] = field(default_factory=dict)
    instead: Mapping[str, Definition] = field(default_factory=dict)
    base: Floats | None = None
    _made: dict[str, Enclosure] = field(default_factory=dict)
    _values: dict[str, Array] = field(default_factory=dict)
    _changed: dict[str, bool] = field(default_factory=dict)
    _spreads: dict[str, Spread] = field(default_factory=dict)

    def coarser(self, kind: str) -> Floats:
        """The same in floats of another type."""
        grain = Grain.of(kind, self.grain.half)
        return Floats(self.trace, grain, self.known, self.instead)

    def otherwise(self, definitions: tuple[Definition, ...]) -> Floats:
        """The same where some quantities are made in other ways."""
        instead: dict[str, Definition] = {d.name: d for d in definitions}
        return Floats(self.trace, self.grain, self.known, instead, self)

    def made(self, name: str) -> Enclosure:
        """What a quantity may come to, made of what its operands are. Raises what operations
        raise, and RecursionError for what would be made of itself."""
        if self.base is not None and not self.is_changed(name):
            return self.base.made(name)
        if name not in self._made:
            self._made[name] = self._worked(name)
        return self._made[name]

    def carried(self, name: str) -> Enclosure:
        """Their tensor, if there is one, else what follows from those that there are."""
        known = self.known.get(name)
        return self.made(name) if known is None else known

    @np.errstate(all="ignore")
    def value(self, name: str) -> Array:
        """What a quantity comes to in our own floats, made of what its operands are; quicker."""
        if self.base is not None and not self.is_changed(name):
            return self.base.value(name)
        if name not in self._values:
            definition = self.definition(name)
            if definition is None:
                return self._given(name, self.trace[name].values)
            on = [
                self._given(x, self.known[x].middle) if x in self.known else self.value(x)
                for x in definition.operands
            ]
            self._values[name] = self._result(definition, on)
        return self._values[name]

    def _given(self, _name: str, values: Array) -> Array:
        """Numbers that aren't worked here, as the working takes them."""
        return values

    def _result(self, definition: Definition, on: list[Array]) -> Array:
        """What an operation makes of numbers."""
        operands = [Matrix.of_array(array, _DECIMALS, carry=False) for array in on]
        return definition.operation.values(*operands)

    def definition(self, name: str) -> Definition | None:
        """How a quantity is made here."""
        return self.instead.get(name) or self.trace[name].definition

    def is_changed(self, name: str) -> bool:
        """Whether a quantity may come to something else than in the base."""
        if name not in self._changed:
            self._changed[name] = False  # of what would be made of itself
            self._changed[name] = self._is_made_otherwise(name)
        return self._changed[name]

    def _is_made_otherwise(self, name: str) -> bool:
        definition = self.definition(name)
        if definition is None or name in self.instead:
            return name in self.instead
        return any(self.is_changed(x) for x in definition.operands if x not in self.known)

    @np.errstate(all="ignore")
    def _worked(self, name: str) -> Enclosure:
        definition = self.definition(name)
        if definition is None:
            return self.grain.of_given(self.trace[name].values)
        operands = [self.carried(operand) for operand in definition.operands]
        numbers = [Matrix.of_array(b.middle, _DECIMALS, carry=False) for b in operands]
        operation = definition.operation
        if isinstance(operation, Waves):
            return self._waves(operation, numbers)
        return enclosing(operation, numbers, operands, self._rounded(definition))

    def _rounded(self, definition: Definition) -> Roundoffs:
        operation = definition.operation
        if operation.copies:
            return EXACT
        if definition.name.local in _INSIDE:
            return self.grain.worked._replace(least=0.0)
        is_table = isinstance(operation, ByColumn | TurnsTable)
        ahead = is_table or is_a(operation, BlendFrequencies, RampOfTurns)
        return self.grain.ahead if ahead else self.grain.worked

    def _waves(self, operation: Waves, numbers: list[Matrix]) -> Enclosure:
        made = operation.values(*numbers)
        off = self._off_of_waves(operation, made, numbers)
        return self.grain.around(self.grain.ahead.around(Enclosure.of(made), off))

    def _off_of_waves(self, operation: Waves, made: Array, numbers: list[Matrix]) -> Array:
        """How far waves may be off: the later a position, the more its angle is."""
        error = operation.error(*numbers)
        return np.asarray(error.off(np.abs(made)) * self.grain.ahead.each / EPSILON)

    @cached_property
    def runs(self) -> tuple[Floats, ...]:
        """The same worked several times more, with each result off at random by what rounding may
        make of it."""
        known, instead, others = self.known, self.instead, self.base.runs if self.base else ()
        bases = others or (None,) * _RUNS
        return tuple(
            _Run(self.trace, self.grain, known, instead, base, _changed=self._changed, seed=seed)
            for seed, base in enumerate(bases)
        )

    def spread(self, name: str) -> Spread:
        """What a quantity comes to, and how far rounding moves it."""
        if self.base is not None and not self.is_changed(name):
            return self.base.spread(name)
        if name not in self._spreads:
            right = self.value(name)
            made = [run.value(name) for run in self.runs]
            self._spreads[name] = Spread.of_runs(right, np.stack(made), self.grain)
        return self._spreads[name]

    def judged(self, name: str, theirs: Array) -> Judged:
        """How a tensor stands to what follows: by bounds, or by what rounding does at random."""
        if self.grain.is_coarse:
            return self.spread(name).judged(theirs)
        follows = self.made(name)
        off = ~self.takes(follows, theirs)
        return Judged(follows, off, open_numbers(self.value(name), follows))

    def takes_all(self, name: str, theirs: Array) -> bool:
        """Whether a tensor doesn't depart from what follows."""
        if not self.grain.is_coarse:
            follows = self.made(name)
            return follows.low.shape == theirs.shape and bool(self.takes(follows, theirs).all())
        spread = self.spread(name)
        return spread.right.shape == theirs.shape and spread.takes_all(theirs)

    def takes(self, held: Enclosure, theirs: Array) -> Flags:
        """Which of their numbers are among those that may come out; nan is not."""
        return taken_by(self.grain.around(held), theirs)


def taken_by(held: Enclosure, theirs: Array) -> Flags:
    """Which of their numbers lie between some others; nan does not."""
    with np.errstate(invalid="ignore"):
        return np.asarray((held.low <= theirs) & (theirs <= held.high))


_RUNS = 4
"""How often the working is done anew: of some dozen numbers, enough to tell how far they spread."""


@dataclass(frozen=True)
class _Run(Floats):
    """A working in which each result is off at random, the same one for the same `seed`."""

    seed: int = 0

    def _given(self, name: str, values: Array) -> Array:
        """Numbers that are kept in full, which a coarser type may round before it takes them."""
        rounded = self.grain.of_given(values)
        away = self._moved(values, self.grain.kept.by_size(values), crc32(name.encode()))
        return np.where(rounded.low == rounded.high, values, away)

    def _result(self, definition: Definition, on: list[Array]) -> Array:
        operation = definition.operation
        exact = operation.copies or isinstance(operation, WholeNumbers)
        if exact:
            return super()._result(definition, on)
        salt = crc32(definition.name.encode())
        made = super()._result(definition, self._operands(operation, on, salt))
        if isinstance(operation, Waves):
            numbers = [Matrix.of_array(array, _DECIMALS, carry=False) for array in on]
            made = self._moved(made, self._off_of_waves(operation, made, numbers), salt)
            return self._moved(made, self.grain.kept.by_size(made), salt + 1)
        rounded = self._rounded(definition)
        off = rounded.by_size(made)
        if isinstance(
            operation, Activate
        ):  # x (1 + erf x) and its like: 1 and −1 cancel each other
            off = off + rounded.inside * np.abs(on[0])
        return self._moved(made, off, salt)

    def _operands(self, operation: Operation, on: list[Array], salt: int) -> list[Array]:
        """What goes into an operation, off by what is rounded on its way: scores by their distance
        from the row's maximum, which many subtract in the same floats; the factors of products that
        are summed by rounding of these and of the sums, whose errors add up as √k of k products
        (Higham & Mary 2019)."""
        if isinstance(operation, Exponential):
            apart = on[0].max(axis=operation.axis, keepdims=True) - on[0]
            return [self._moved(on[0], self.grain.kept.each * apart, salt + 2)]
        numbers = [Matrix.of_array(array, _DECIMALS, carry=False) for array in on]
        inside = self.grain.worked.inside
        moved = [*on]
        for place, (at, count) in enumerate(sorted(operation.factors_summed(*numbers).items())):
            share = inside * count**0.5 if place == 0 else 0.0
            share += ROUNDOFFS[self.grain.factors] if self.grain.factors else 0.0
            moved[at] = self._moved(on[at], share * np.abs(on[at]), salt + 2 + place)
        return moved

    def _moved(self, array: Array, off: Array, salt: int) -> Array:
        """Numbers off at random by so much at most; what isn't finite stays."""
        drawn = np.random.default_rng((self.seed, salt)).uniform(-1, 1, array.shape)
        moved = array + np.where(np.isfinite(off), off, 0.0) * drawn
        return np.where(np.isfinite(moved), moved, array)


FOLLOWS, DEPARTS = (1.6, 16.0), (2.5, 25.0)
"""How far the numbers of a tensor may be off, as a root mean square and at most, and from where on
they are others, in standard deviations of what rounding does at random. They were told by right
modules and by wrong ones of some seeds, and hold for others (`python -m tests.torch_bugs`)."""
REACH = 4.0
"""Standard deviations that numbers hardly ever are off."""
_VAGUE = 0.25
"""The share of how numbers vary from which on their rounding hides what they are."""
_TINY = 1e-300


class Judged(NamedTuple):
    """How a tensor stands to what follows: between which numbers that lies, which of its own aren't
    among them, and of which nothing can be told. Where it was measured by what rounding does at
    random, its `distance` is the root mean square of the errors in standard deviations."""

    follows: Enclosure
    off: Flags
    open: Flags
    distance: float | None = None

    @property
    def departs(self) -> bool:
        """Whether a number can't come of rounding."""
        return bool(self.off.any())

    @property
    def is_decided(self) -> bool:
        """Whether a verdict can be given: no more than a tenth of the numbers is open."""
        return bool(self.open.mean() <= _MOST_OPEN)


class Spread(NamedTuple):
    """What a tensor should be, and the standard deviation of each number as rounding moves it."""

    right: Array
    deviation: Array

    @classmethod
    @np.errstate(all="ignore")
    def of_runs(cls, right: Array, runs: Array, grain: Grain) -> Spread:
        """The spread of several runs [r, n, m]. A number's square is its row's mean times its
        column's over the mean of all: a row or a column that is loud hides no other. It is no less
        than what one rounding gives."""
        moved = np.where(np.isfinite(right) & np.isfinite(runs), runs - right, 0.0)
        kept = (grain.kept.by_size(right) ** 2 + grain.half**2) / 3
        kept = np.where(np.isfinite(kept), kept, 0.0)
        square = np.maximum((moved**2).mean(axis=0), kept) + _TINY
        by_row, by_column = (square.mean(axis=axis, keepdims=True) for axis in (1, 0))
        return cls(right, np.sqrt(np.maximum(by_row * by_column / square.mean(), kept)))

    @np.errstate(all="ignore")
    def distances(self, theirs: Array) -> Array:
        """How far each number is off, in standard deviations; infinite where only one is finite."""
        apart = np.nan_to_num(np.abs(theirs - self.right) / self.deviation, nan=np.inf)
        return np.where(theirs == self.right, 0.0, apart)

    @np.errstate(over="ignore")
    def distance(self, theirs: Array) -> float:
        """The root mean square of these."""
        return float(np.sqrt((self.distances(theirs) ** 2).mean()))

    def hides(self, other: Array) -> bool:
        """Whether other numbers wouldn't be seen to depart."""
        return not bool((self.distances(other) > DEPARTS[1]).any()) and (
            self.distance(other) <= DEPARTS[0]
        )

    def takes_all(self, theirs: Array) -> bool:
        """Whether all numbers may come of rounding."""
        return self.distance(theirs) <= FOLLOWS[0] and bool(
            (self.distances(theirs) <= FOLLOWS[1]).all()
        )

    def judged(self, theirs: Array) -> Judged:
        """Where the errors are between what follows and what departs, or rounding does so much that
        wrong numbers would look the same, all is open."""
        reach = REACH * self.deviation
        follows = EXACT.around(Enclosure.of(self.right), reach)
        distance = self.distance(theirs)
        limit = DEPARTS[0] if distance > DEPARTS[0] else DEPARTS[1]
        off = self.distances(theirs) > limit
        is_between = not off.any() and not self.takes_all(theirs)
        return Judged(follows, off, np.full(off.shape, is_between or self.is_vague), distance)

    @property
    def is_vague(self) -> bool:
        """Whether rounding moves numbers by more than a fourth of how far these vary, or of a tenth
        of their size, whichever is more."""
        known = self.right[np.isfinite(self.right)]
        if not known.size:
            return False
        vary = max(known.std(), _SHARE * np.sqrt((known**2).mean()))
        return bool(np.sqrt((self.deviation**2).mean()) > _VAGUE * vary)
