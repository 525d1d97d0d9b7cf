"""Tensors worked on from those of somebody's program, in floats of their precision.

In float32 and float64 it is told by bounds, which no rounding passes. In coarser floats these would
take in nearly anything. There the working is done a few times more, with each result off at random
by as much as its rounding may be (Monte Carlo arithmetic: Parker 1997, *Monte Carlo Arithmetic:
exploiting randomness in floating-point arithmetic*), and how far these runs come apart is the
yardstick by which a tensor is measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple
from zlib import crc32

import numpy as np

from attncli.maths.equations.bounds import EPSILON
from attncli.maths.equations.enclosures import EXACT, Enclosure, Roundoffs, some_rows
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.stored_matrix import Stored
from attncli.maths.equations.tree import Length, each, operands_in
from attncli.maths.numbers.rounding import AnyArray, Array, Flags
from attncli.maths.operations.activations import Activate
from attncli.maths.operations.attention import ProductOfMatrices
from attncli.maths.operations.equation import Indexed, is_a
from attncli.maths.operations.intervals import enclosing
from attncli.maths.operations.norms import RowMean
from attncli.maths.operations.operation import Operation, WholeNumbers
from attncli.maths.operations.positions import (
    BlendFrequencies,
    ByColumn,
    RampOfTurns,
    TurnsTable,
    Waves,
)
from attncli.maths.operations.rearranging import JoinColumns, Moved, Same, TakeColumns
from attncli.maths.operations.softmax import Exponential
from attncli.scenario.file.dump_files import ROUNDOFFS
from attncli.trace import Definition, Trace

_DEVIATION = 1.4826
"""Times the median distance from the median is the standard deviation of numbers that are normally
distributed, which a few large ones among them don't change (Hampel 1974)."""
_SHARE = 0.1
_MOST_OPEN = 0.1
"""The share of a tensor's numbers that may be open where a verdict is given on the tensor."""


@np.errstate(invalid="ignore")
def tells_apart(right: Array) -> Array:
    """Returns how far a number must be from each right one to be told from it as another: as far as
    that is from the median of its tensor, or as the numbers of the tensor are spread, or a tenth of
    its size, whichever is most [n, m]. Zeros and what isn't finite have no part in median and
    spread."""
    return _apart_from(right, *_middle_and_spread(right))


def _apart_from(right: Array, middle: float, spread: float) -> Array:
    return np.fmax(np.fmax(np.abs(right - middle), spread), _SHARE * np.abs(right))


def _middle_and_spread(right: Array) -> tuple[float, float]:
    """Returns the median of numbers, and how far they are spread around it. Of very many numbers,
    some are taken from all rows and columns."""
    known = right.ravel()[:: _step(right)]
    known = known[np.isfinite(known) & (known != 0)]
    if not known.size:
        return 0.0, 0.0
    middle = float(np.median(known))
    return middle, float(_DEVIATION * np.median(np.abs(known - middle)))


def _step(array: Array) -> int:
    """Returns the step by which one goes through the numbers of an array to take some of each
    column."""
    step = 1 + array.size // _PART
    while math.gcd(step, array.shape[-1]) > 1:
        step += 1
    return step


@np.errstate(invalid="ignore")
def open_numbers(right: Array, follows: Enclosure) -> Flags:
    """Returns which numbers are open [n, m]: the bounds around what is right take in what is told
    apart from it, so that nothing can be said of them."""
    middle, spread = _middle_and_spread(right)
    found = np.empty(right.shape, dtype=np.bool_)
    for some in some_rows(*right.shape):
        (low, high), value = follows.rows(some), right[some]
        reach = np.maximum(high - value, value - low)
        exact = (low == value) & (value == high)
        found[some] = ~exact & ~(reach <= _apart_from(value, middle, spread))
    return found


class _Bits(NamedTuple):
    """A type of floats, as the bits of one that NumPy has."""

    floats: str
    bits: str
    unused: int = 0
    """How many of the last bits are always 0."""

    def of(self, values: Array) -> AnyArray | None:
        """Returns the bits of numbers, without the unused ones, and None where the type doesn't
        keep all numbers as they are."""
        with np.errstate(over="ignore", invalid="ignore"):
            kept = values.astype(self.floats)
        bits = kept.view(self.bits)
        is_short = not self.unused or not (bits & ((1 << self.unused) - 1)).any()
        same = is_short and np.array_equal(kept, values, equal_nan=True)
        return bits >> self.unused if same else None


_BITS = {
    "float64": _Bits("f8", "u8"),
    "float32": _Bits("f4", "u4"),
    "float16": _Bits("f2", "u2"),
    "bfloat16": _Bits("f4", "u4", 16),
}
_PART = 2**16
"""Numbers that are looked at together: other types have other numbers soon."""


def _parts(values: Array) -> Iterator[Array]:
    """Yields the numbers of an array of any shape in lists, some at a time."""
    flat = np.ravel(values)
    return (flat[at : at + _PART] for at in range(0, flat.size, _PART))


def holds(kind: str, values: Array) -> bool:
    """Tells whether a type of floats keeps numbers as they are."""
    bits = _BITS[kind]
    if kind == "float64" or (values.dtype == bits.floats and not bits.unused):
        return True
    return all(bits.of(x) is not None for x in _parts(values))


def fills(kind: str, *tensors: Array) -> bool:
    """Tells whether a type of floats keeps numbers as they are, and they need all of its digits, as
    what is computed in it does: a fourth of those that aren't 0 has an odd last digit."""
    odd = known = 0
    for values in (part for tensor in tensors for part in _parts(tensor)):
        bits = _BITS[kind].of(values)
        if bits is None:
            return False
        finite = np.isfinite(values)
        odd += int(np.count_nonzero(bits[finite] & 1))
        known += int(np.count_nonzero(values[finite]))
    return 4 * odd >= max(known, 1)


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
    """A precision: how finely numbers are kept."""

    type: str
    """The type of floats that each number is rounded to."""
    half: float = 0.0
    """Half a unit of the last decimal, where numbers are written with so many decimals."""
    factors: str = ""
    """The type that the factors of products are rounded to, where that is a coarser one."""

    @classmethod
    def of(cls, kind: str, half: float = 0.0) -> Grain:
        """Makes the grain of a type of floats, or of float32 with the factors of `tf32`."""
        return cls("float32", half, "float16") if kind == TF32 else cls(kind, half)

    @property
    def called(self) -> str:
        """Returns the name of the floats, as `--precision` takes it."""
        return TF32 if self.factors else self.type

    @property
    def is_coarse(self) -> bool:
        """Tells whether rounding is so much that bounds on it say little: the type is coarser than
        float32."""
        return ROUNDOFFS[self.factors or self.type] > ROUNDOFFS["float32"]

    @property
    def kept(self) -> Roundoffs:
        """Returns how numbers are rounded to be kept."""
        share = ROUNDOFFS[self.type]
        return Roundoffs(share, share, _LEAST.get(self.type, 0.0))

    @property
    def worked(self) -> Roundoffs:
        """Returns how operations round. The terms of a sum, and what a function computes on its
        way, are kept as float32 at least, as in the kernels of all libraries."""
        share = ROUNDOFFS[self.type]
        inside = min(share, ROUNDOFFS["float32"])
        return Roundoffs(_WAYS * share, _WAYS * inside, _LEAST.get(self.type, 0.0))

    @property
    def ahead(self) -> Roundoffs:
        """Returns how tables that are made once, before all else, are rounded: as the terms of a
        sum."""
        inside = self.worked.inside
        return Roundoffs(inside, inside)

    def around(self, bounds: Enclosure) -> Enclosure:
        """Bounds numbers as they may have been before they were rounded to be kept."""
        return self.kept.around(self.kept.by(bounds, self.kept.each), self.half)

    def holds(self, weight: Stored) -> bool:
        """Tells whether weights are kept as they are."""
        return all(holds(self.type, part) for _, part in weight.kept.parts)

    def of_given(self, values: Array) -> Enclosure:
        """Bounds numbers that are given in full, which are kept as they are or rounded."""
        if holds(self.type, values):
            return self.kept.by(Enclosure.of(values), 0.0)
        mantissa, exponent = np.frexp(values)
        unit = ROUNDOFFS[self.type]
        rounded = np.ldexp(np.rint(mantissa / unit) * unit, exponent)
        both = Enclosure.of(values).with_(
            Enclosure.of(np.where(np.isfinite(values), rounded, values))
        )
        return self.kept.by(both, 0.0)


_AT_HAND = 32


class Lazily(Mapping[str, Enclosure]):
    """A mapping of bounds that are made when they are asked for. Only the last few are kept."""

    def __init__(self, names: Collection[str], make: Callable[[str], Enclosure]) -> None:
        self._names, self._made = names, lru_cache(_AT_HAND)(make)

    def __getitem__(self, name: str) -> Enclosure:
        if name not in self._names:
            raise KeyError(name)
        return self._made(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


@dataclass(frozen=True)
class Floats:
    """A working in floats, from the given numbers and from known tensors: what each quantity may
    be."""

    trace: Trace
    grain: Grain
    known: Mapping[str, Enclosure] = field(default_factory=dict)
    """The tensors that are used in place of what follows."""
    instead: Mapping[str, Definition] = field(default_factory=dict)
    """Other ways in which some quantities are made."""
    base: Floats | None = None
    """The working that knows all that doesn't depend on these."""
    _made: dict[str, Enclosure] = field(default_factory=dict)
    _values: dict[str, Array] = field(default_factory=dict)
    _changed: dict[str, bool] = field(default_factory=dict)
    _spreads: dict[str, Spread] = field(default_factory=dict)

    def coarser(self, kind: str) -> Floats:
        """Returns the same working in floats of another type."""
        grain = Grain.of(kind, self.grain.half)
        return Floats(self.trace, grain, self.known, self.instead)

    def otherwise(self, definitions: tuple[Definition, ...]) -> Floats:
        """Returns the same working with some quantities made in other ways."""
        instead: dict[str, Definition] = {d.name: d for d in definitions}
        return Floats(self.trace, self.grain, self.known, instead, self)

    def made(self, name: str) -> Enclosure:
        """Bounds a quantity as its operands give it, whatever tensor is known. Raises what
        operations raise, and RecursionError for what would be made of itself."""
        if self.base is not None and not self.is_changed(name):
            return self.base.made(name)
        if name not in self._made:
            self._made[name] = self._worked(name)
        return self._made[name]

    def forget(self, names: Iterable[str]) -> None:
        """Frees the results of quantities, which are worked out again should they be asked for."""
        freed = [*names]
        for known in (self._made, self._values, self._spreads):
            for name in freed:
                known.pop(name, None)
        for run in vars(self).get("runs", ()):
            run.forget(freed)

    def carried(self, name: str) -> Enclosure:
        """Returns the bounds of the known tensor, or else of what follows from the known ones."""
        known = self.known.get(name)
        return self.made(name) if known is None else known

    def value(self, name: str) -> Array:
        """Computes a quantity [n, m] from its operands in our own floats, which is quicker than
        bounds."""
        if self.base is not None and not self.is_changed(name):
            return self.base.value(name)
        if name not in self._values:
            definition = self.definition(name)
            if definition is None:
                return self._given(name, self.trace[name].values)
            operands = [self._numbers(x) for x in definition.operands]
            with np.errstate(all="ignore"):
                self._values[name] = self._result(definition, operands)
        return self._values[name]

    def _given(self, _name: str, values: Array) -> Array:
        """Returns numbers that aren't computed here as the working takes them."""
        return values

    def _result(self, definition: Definition, operands: list[Matrix]) -> Array:
        """Computes the result of an operation."""
        return definition.operation.values(*operands)

    @np.errstate(all="ignore")
    def rows(self, name: str, rows: Sequence[int]) -> Array:
        """Computes some rows of a quantity, from as few rows of its operands as these need."""
        if self.base is not None and not self.is_changed(name):
            return self.base.rows(name, rows)
        definition = self.definition(name)
        if definition is None:
            return self.trace[name].matrix.taken(rows)
        alone = None if name in self._values else _alone(definition.operation)
        if alone is None:
            return np.asarray(self.value(name)[list(rows)])
        operands = [
            self._some_numbers(x, rows) if is_alone else self._numbers(x)
            for x, is_alone in zip(definition.operands, alone, strict=True)
        ]
        return definition.operation.values(*operands)

    def _some_numbers(self, name: str, rows: Sequence[int]) -> Matrix:
        if name in self.known:
            low, high = self.known[name]
            values = Enclosure(low[list(rows)], high[list(rows)]).middle
        else:
            values = self.rows(name, rows)
        return Matrix(values, None, _DECIMALS)

    def _numbers(self, name: str) -> Matrix:
        """Returns a quantity as operations take it: the known tensor, or else what follows. The
        many numbers of a weight stay where they are kept."""
        if self._is_stored(name):
            return self.trace[name].matrix
        known = self.known.get(name)
        values = self.value(name) if known is None else self._given(name, known.middle)
        return Matrix(values, None, _DECIMALS)

    def _is_stored(self, name: str) -> bool:
        is_given = name not in self.known and self.definition(name) is None
        return is_given and self.trace[name].matrix.is_stored

    def definition(self, name: str) -> Definition | None:
        """Returns how a quantity is made here, and None for what is given."""
        return self.instead.get(name) or self.trace[name].definition

    def is_changed(self, name: str) -> bool:
        """Tells whether a quantity may differ from that of the base."""
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
        made = self._of_stored(name, definition)
        if made is not None:
            return made
        operands = [self.carried(operand) for operand in definition.operands]
        numbers = [Matrix(bounds.middle, None, _DECIMALS) for bounds in operands]
        operation = definition.operation
        if isinstance(operation, Waves):
            return self._waves(operation, numbers)
        return enclosing(operation, numbers, operands, self._rounded(definition))

    def _of_stored(self, name: str, definition: Definition) -> Enclosure | None:
        """Bounds what is made of weights with many numbers, some of these at a time. Returns None
        for anything else."""
        operation, operands = definition.operation, definition.operands
        if isinstance(operation, Moved) and all(map(self._is_stored, operands)):
            return self.grain.of_given(self.value(name))
        if not isinstance(operation, ProductOfMatrices) or operation.left != "ik":
            return None
        weight = self.trace[operands[1]].matrix if self._is_stored(operands[1]) else None
        if isinstance(weight, Stored) and self.grain.holds(weight):
            return self._product(name, definition, weight)
        return None

    def _product(self, name: str, definition: Definition, weight: Stored) -> Enclosure | None:
        """Bounds a product with weights that are kept as they are, and a bias. The bounds lie
        around its value, which is computed anyway, so that only one product more is needed. Returns
        None for what isn't finite."""
        x, _, *biases = definition.operands
        operation, rounded = definition.operation, self._rounded(definition)
        centre, reach = self._reached(x)
        if not np.isfinite(reach).all():
            return None
        assert isinstance(operation, ProductOfMatrices)
        off = rounded.each + weight.shape[operation.right == "jk"] * rounded.inside
        radius = operation.of_sizes(reach + off * (np.abs(centre) + reach), weight)
        for bias in biases:  # the sum is rounded before it is added, and behind
            own, more = self._reached(bias)
            radius += more + rounded.each * (np.abs(own) + more)
        value = self.value(name)
        made = Enclosure(np.empty_like(value), radius)  # which takes the place of what was there
        for some in some_rows(*value.shape):
            part = Enclosure(value[some] - radius[some], value[some] + radius[some])
            for _ in definition.operands[1:]:
                part = rounded.by(part, rounded.each)
            made.low[some], made.high[some] = part
        return made

    def _reached(self, name: str) -> tuple[Array, Array]:
        """Returns a quantity in our floats, and how far from that it may be."""
        (low, high), centre = self.carried(name), self._numbers(name).values
        return centre, np.maximum(high - centre, centre - low)

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
        """Returns how far waves may be off: the later a position, the more its angle is."""
        error = operation.error(*numbers)
        return np.asarray(error.off(np.abs(made)) * self.grain.ahead.each / EPSILON)

    @cached_property
    def runs(self) -> tuple[Floats, ...]:
        """Returns several more of the same working, each with its results off at random by what
        rounding may do to them."""
        known, instead, others = self.known, self.instead, self.base.runs if self.base else ()
        bases = others or (None,) * _RUNS
        return tuple(
            _Run(self.trace, self.grain, known, instead, base, _changed=self._changed, seed=seed)
            for seed, base in enumerate(bases)
        )

    def spread(self, name: str) -> Spread:
        """Returns a quantity, and how far rounding moves it."""
        if self.base is not None and not self.is_changed(name):
            return self.base.spread(name)
        if name not in self._spreads:
            right = self.value(name)
            made = [run.value(name) for run in self.runs]
            self._spreads[name] = Spread.of_runs(right, np.stack(made), self.grain)
        return self._spreads[name]

    def judged(self, name: str, theirs: Array) -> Judged:
        """Returns how a tensor stands to what follows, by bounds, or by what rounding does at
        random."""
        if not self.grain.is_coarse:
            follows = self.made(name)
            off = ~self.takes(follows, theirs)
            by_bounds = Judged(follows, off, open_numbers(self.value(name), follows))
            if by_bounds.departs or by_bounds.is_decided:
                return by_bounds
        return self.spread(name).judged(theirs)

    def takes_all(self, name: str, theirs: Array) -> bool:
        """Tells whether a tensor doesn't depart from what follows."""
        if not self.grain.is_coarse:
            follows = self.made(name)
            return follows.low.shape == theirs.shape and bool(self.takes(follows, theirs).all())
        spread = self.spread(name)
        return spread.right.shape == theirs.shape and spread.takes_all(theirs)

    def takes(self, held: Enclosure, theirs: Array) -> Flags:
        """Returns which numbers of a tensor are within bounds once these are rounded. What is nan
        is not."""
        taken = np.empty(theirs.shape, dtype=np.bool_)
        for some in some_rows(*theirs.shape):
            taken[some] = taken_by(self.grain.around(held.rows(some)), theirs[some])
        return taken


@lru_cache(maxsize=1024)
def _alone(operation: Operation) -> Sequence[bool] | None:
    """Tells of each operand whether a row of the result takes the same row of it alone. Returns
    None where the result isn't made row by row."""
    if type(operation) in (Same, TakeColumns, JoinColumns):
        return [True] * (operation.count if isinstance(operation, JoinColumns) else 1)
    if not isinstance(operation, Indexed) or type(operation).values not in _ROW_BY_ROW:
        return None
    if "i" not in operation.sides.indices or any(n.axis == 0 for n in each(operation.tree, Length)):
        return None
    found: list[bool] = []
    for place in range(len(operation.sides.operands)):
        used = {o.indices for o in operands_in(operation.tree) if o.place == place}
        is_alone = all(indices.index("i") == 0 for indices in used if "i" in indices)
        uses = {indices.count("i") for indices in used}
        if not is_alone or len(uses) > 1 or not uses <= {0, 1}:
            return None
        found.append(uses == {1} and operation.sides.operands[place][0] != "1")
    return found


_ROW_BY_ROW = {Indexed.values, ProductOfMatrices.values, Exponential.values, RowMean.values}
"""How operations are worked that take a row of what goes along `i`, if their equations do."""


def taken_by(held: Enclosure, theirs: Array) -> Flags:
    """Returns which numbers lie within bounds. What is nan does not."""
    with np.errstate(invalid="ignore"):
        return np.asarray((held.low <= theirs) & (theirs <= held.high))


_RUNS = 4
"""How often the working is done anew: of some dozen numbers, enough to tell how far they spread."""


@dataclass(frozen=True)
class _Run(Floats):
    """A working in which each result is off at random, in the same way for the same seed."""

    seed: int = 0

    @np.errstate(all="ignore")
    def _given(self, name: str, values: Array) -> Array:
        """Moves numbers that are kept in full, which a coarser type may round before it takes
        them."""
        rounded = self.grain.of_given(values)
        if rounded.low is rounded.high:
            return values
        away = self._moved(values, self.grain.kept.by_size(values), crc32(name.encode()))
        return np.where(rounded.low == rounded.high, values, away)

    def _is_stored(self, name: str) -> bool:
        weight = self.trace[name].matrix if super()._is_stored(name) else None
        return isinstance(weight, Stored) and self.grain.holds(weight)

    def _result(self, definition: Definition, operands: list[Matrix]) -> Array:
        operation = definition.operation
        exact = operation.copies or isinstance(operation, WholeNumbers)
        if exact:
            return super()._result(definition, operands)
        salt = crc32(definition.name.encode())
        made = super()._result(definition, self._operands(operation, operands, salt))
        if isinstance(operation, Waves):
            made = self._moved(made, self._off_of_waves(operation, made, operands), salt)
            return self._moved(made, self.grain.kept.by_size(made), salt + 1)
        rounded = self._rounded(definition)
        off = rounded.by_size(made)
        if isinstance(
            operation, Activate
        ):  # x (1 + erf x) and its like: 1 and −1 cancel each other
            off = off + rounded.inside * np.abs(operands[0].values)
        return self._moved(made, off, salt)

    def _operands(self, operation: Operation, on: list[Matrix], salt: int) -> list[Matrix]:
        """Moves the operands of an operation by what is rounded on its way. Scores are off by their
        distance from the row's maximum, which many subtract in the same floats. Factors of products
        that are summed are off by the rounding of these and of the sums, whose errors add up as √k
        of k products (Higham & Mary 2019)."""
        if isinstance(operation, Exponential):
            scores = on[0].values
            apart = scores.max(axis=operation.axis, keepdims=True) - scores
            off = self.grain.kept.each * apart
            return [Matrix(self._moved(scores, off, salt + 2), None, _DECIMALS)]
        inside = self.grain.worked.inside
        moved = [*on]
        for place, (at, count) in enumerate(sorted(operation.factors_summed(*on).items())):
            share = inside * count**0.5 if place == 0 else 0.0
            share += ROUNDOFFS[self.grain.factors] if self.grain.factors else 0.0
            if share:
                values = on[at].values
                made = self._moved(values, share * np.abs(values), salt + 2 + place)
                moved[at] = Matrix(made, None, _DECIMALS)
        return moved

    def _moved(self, array: Array, off: Array, salt: int) -> Array:
        """Moves numbers at random, by `off` at most. What isn't finite stays."""
        drawn = np.random.default_rng((self.seed, salt)).uniform(-1, 1, array.shape)
        moved = array + np.where(np.isfinite(off), off, 0.0) * drawn
        return np.where(np.isfinite(moved), moved, array)


FOLLOWS, DEPARTS = (1.6, 16.0), (2.5, 25.0)
"""How far the numbers of a tensor may be off, as a root mean square and at most, and from where on
they are others, in standard deviations of what rounding does at random. They were told by right
modules and by wrong ones of some seeds, and hold for others
(`python -m tests.models.torch_bugs`)."""
REACH = 4.0
"""Standard deviations that numbers hardly ever are off."""
_VAGUE = 0.25
"""The share of how numbers vary from which on their rounding hides what they are."""
_TINY = 1e-300


class Judged(NamedTuple):
    """A judgement of how a tensor stands to what follows."""

    follows: Enclosure
    """The bounds of what follows."""
    off: Flags
    """The numbers of the tensor that are not within the bounds."""
    open: Flags
    """The numbers of which nothing can be said."""
    distance: float | None = None
    """The root mean square of the errors in standard deviations, where they were measured by what
    rounding does at random."""

    @property
    def departs(self) -> bool:
        """Tells whether a number can't come of rounding."""
        return bool(self.off.any())

    @property
    def is_decided(self) -> bool:
        """Tells whether a verdict can be given: no more than a tenth of the numbers is open."""
        return bool(self.open.mean() <= _MOST_OPEN)


class Spread(NamedTuple):
    """A tensor as it should be, with the standard deviation of each number as rounding moves it."""

    right: Array
    deviation: Array

    @classmethod
    @np.errstate(all="ignore")
    def of_runs(cls, right: Array, runs: Array, grain: Grain) -> Spread:
        """Makes the spread of several runs [r, n, m]. The square of a number is its row's mean
        times its column's, over the mean of all: a row or a column that is loud hides no other. It
        is no less than what one rounding gives."""
        moved = np.where(np.isfinite(right) & np.isfinite(runs), runs - right, 0.0)
        kept = (grain.kept.by_size(right) ** 2 + grain.half**2) / 3
        kept = np.where(np.isfinite(kept), kept, 0.0)
        square = np.maximum((moved**2).mean(axis=0), kept) + _TINY
        by_row, by_column = (square.mean(axis=axis, keepdims=True) for axis in (1, 0))
        return cls(right, np.sqrt(np.maximum(by_row * by_column / square.mean(), kept)))

    @np.errstate(all="ignore")
    def distances(self, theirs: Array) -> Array:
        """Returns how far each number is off, in standard deviations [n, m], and infinity where
        only one of both is finite."""
        apart = np.nan_to_num(np.abs(theirs - self.right) / self.deviation, nan=np.inf)
        return np.where(theirs == self.right, 0.0, apart)

    @np.errstate(over="ignore")
    def distance(self, theirs: Array) -> float:
        """Returns the root mean square of the distances."""
        return float(np.sqrt((self.distances(theirs) ** 2).mean()))

    def hides(self, other: Array) -> bool:
        """Tells whether other numbers wouldn't be seen to depart."""
        return not bool((self.distances(other) > DEPARTS[1]).any()) and (
            self.distance(other) <= DEPARTS[0]
        )

    def takes_all(self, theirs: Array) -> bool:
        """Tells whether all numbers may come of rounding."""
        return self.distance(theirs) <= FOLLOWS[0] and bool(
            (self.distances(theirs) <= FOLLOWS[1]).all()
        )

    def judged(self, theirs: Array) -> Judged:
        """Judges a tensor. All is open where the errors are between what follows and what departs,
        or where rounding does so much that wrong numbers would look the same."""
        reach = REACH * self.deviation
        follows = EXACT.around(Enclosure.of(self.right), reach)
        distance = self.distance(theirs)
        limit = DEPARTS[0] if distance > DEPARTS[0] else DEPARTS[1]
        off = self.distances(theirs) > limit
        is_between = not off.any() and not self.takes_all(theirs)
        return Judged(follows, off, np.full(off.shape, is_between or self.is_vague), distance)

    @property
    def is_vague(self) -> bool:
        """Tells whether rounding moves numbers by more than a fourth of how far these vary, or of a
        tenth of their size, whichever is more."""
        known = self.right[np.isfinite(self.right)]
        if not known.size:
            return False
        vary = max(known.std(), _SHARE * np.sqrt((known**2).mean()))
        return bool(np.sqrt((self.deviation**2).mean()) > _VAGUE * vary)
