"""What follows in floats of some precision, from tensors that somebody's program made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from attncli.equations.bounds import EPSILON
from attncli.equations.enclosures import EXACT, Enclosure, Roundoffs
from attncli.equations.matrix import Matrix, Stored
from attncli.equations.tree import Length, each, operands_in
from attncli.file.array_files import ROUNDOFFS
from attncli.marking.honest_paths import Flags
from attncli.numbers.rounding import Array
from attncli.operations.attention import Exponential, ProductOfMatrices
from attncli.operations.equation import Indexed, is_a
from attncli.operations.intervals import enclosing
from attncli.operations.norms import RowMean
from attncli.operations.operation import Operation
from attncli.operations.positions import BlendFrequencies, ByColumn, RampOfTurns, TurnsTable, Waves
from attncli.operations.rearranging import JoinColumns, Moved, Same, TakeColumns
from attncli.trace import Definition, Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


def is_decided(right: Array, follows: Enclosure) -> bool:
    """Whether a verdict can be given on a tensor: no more than a tenth of its numbers is open."""
    return bool(open_numbers(right, follows).mean() <= _MOST_OPEN)


class _Bits(NamedTuple):
    """The bits of a type of floats, as those of one that NumPy has: the last so many are 0."""

    floats: str
    bits: str
    unused: int = 0

    def of(self, values: Array) -> NDArray[Any] | None:
        """Those of numbers that the type keeps as they are, without the unused; None of others."""
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
    """The numbers of an array of any shape, some at a time."""
    flat = np.ravel(values)
    return (flat[at : at + _PART] for at in range(0, flat.size, _PART))


def holds(kind: str, values: Array) -> bool:
    """Whether a type of floats keeps numbers as they are."""
    return kind == "float64" or all(_BITS[kind].of(x) is not None for x in _parts(values))


def fills(kind: str, *tensors: Array) -> bool:
    """Whether a type of floats keeps numbers as they are, and they need all of its digits, as what
    is worked in it does: a fourth of those that aren't 0 has an odd last digit."""
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
_LEAST = {"float16": 2.0**-25}
"""By what each number is rounded however small it is, where types have few small ones."""
_DECIMALS = 17


class Grain(NamedTuple):
    """How finely numbers are kept: the type of floats that each is rounded to, and where they are
    written with so many decimals, half a unit of the last."""

    type: str
    half: float = 0.0

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
    """Bounds that are made when they are asked for, of which only the last few are kept."""

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

    def coarser(self, kind: str) -> Floats:
        """The same in floats of another type."""
        return Floats(self.trace, self.grain._replace(type=kind), self.known, self.instead)

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

    def forget(self, names: Iterable[str]) -> None:
        """Frees what quantities come to, which is worked again should it be asked for."""
        for name in names:
            self._made.pop(name, None)
            self._values.pop(name, None)

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
                return self.trace[name].values
            operands = [self._numbers(x) for x in definition.operands]
            self._values[name] = definition.operation.values(*operands)
        return self._values[name]

    @np.errstate(all="ignore")
    def rows(self, name: str, rows: Sequence[int]) -> Array:
        """Some rows of that, worked of as few rows of what it is made of as there need be."""
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
        """What operations are given of their tensor, or of what follows; the many numbers of a
        weight stay where they are kept."""
        if self._is_stored(name):
            return self.trace[name].matrix
        values = self.known[name].middle if name in self.known else self.value(name)
        return Matrix(values, None, _DECIMALS)

    def _is_stored(self, name: str) -> bool:
        is_given = name not in self.known and self.definition(name) is None
        return is_given and self.trace[name].matrix.is_stored

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
        made = self._of_stored(name, definition)
        if made is not None:
            return made
        operands = [self.carried(operand) for operand in definition.operands]
        numbers = [Matrix(bounds.middle, None, _DECIMALS) for bounds in operands]
        operation = definition.operation
        if isinstance(operation, Waves):
            return self._waves(operation, numbers)
        return enclosing(operation, numbers, operands, self._rounded(operation))

    def _of_stored(self, name: str, definition: Definition) -> Enclosure | None:
        """What is made of weights with many numbers, some of these at a time; None of others."""
        operation, operands = definition.operation, definition.operands
        if isinstance(operation, Moved) and all(map(self._is_stored, operands)):
            return self.grain.of_given(self.value(name))
        if not isinstance(operation, ProductOfMatrices) or operation.left != "ik":
            return None
        weight = self.trace[operands[1]].matrix
        if not isinstance(weight, Stored) or not self._is_stored(operands[1]):
            return None
        if all(holds(self.grain.type, part) for _, part in weight.kept.parts):
            return self._product(name, definition, weight)
        return None

    def _product(self, name: str, definition: Definition, weight: Stored) -> Enclosure | None:
        """A product with weights that are kept as they are, and a bias: around its value, which is
        worked anyway, so that only one product more is to be made. None of what isn't finite."""
        x, _, *biases = definition.operands
        operation, rounded = definition.operation, self._rounded(definition.operation)
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
        made = Enclosure(value - radius, value + radius)
        for _ in definition.operands[1:]:
            made = rounded.by(made, rounded.each)
        return made

    def _reached(self, name: str) -> tuple[Array, Array]:
        """What a quantity comes to in our floats, and how far from that it may be."""
        (low, high), centre = self.carried(name), self._numbers(name).values
        return centre, np.maximum(high - centre, centre - low)

    def _rounded(self, operation: Operation) -> Roundoffs:
        if operation.copies:
            return EXACT
        is_table = isinstance(operation, ByColumn | TurnsTable)
        ahead = is_table or is_a(operation, BlendFrequencies, RampOfTurns)
        return self.grain.ahead if ahead else self.grain.worked

    def _waves(self, operation: Waves, numbers: list[Matrix]) -> Enclosure:
        error = operation.error(*numbers)
        made = Enclosure.of(operation.values(*numbers))
        off = error.off(np.abs(made.low)) * self.grain.ahead.each / EPSILON
        return self.grain.around(self.grain.ahead.around(made, off))

    def takes(self, held: Enclosure, theirs: Array) -> Flags:
        """Which of their numbers are among those that may come out; nan is not."""
        return taken_by(self.grain.around(held), theirs)


@lru_cache(maxsize=1024)
def _alone(operation: Operation) -> Sequence[bool] | None:
    """Of which operands a row of the result takes the same row alone; None where it isn't made row
    by row."""
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
    """Which of their numbers lie between some others; nan does not."""
    with np.errstate(invalid="ignore"):
        return np.asarray((held.low <= theirs) & (theirs <= held.high))
