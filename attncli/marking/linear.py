"""Where honest paths lead, to first order: affine arithmetic (Comba & Stolfi 1993).

Interval arithmetic forgets that the numbers of a residual and of what is added to it go up and
down together, which widens the numbers of a whole block a hundredfold. Here each number is kept as
its middle and what each single rounding before it changes of it, so that what cancels does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.operations import Operation
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.lists import ListOfEquations
from attncli.arithmetic.operations.moved import Moved
from attncli.arithmetic.rounding import Array
from attncli.marking.rounds import shifts
from attncli.records import NamedTuple, dataclass, field
from attncli.trace import Definition

if TYPE_CHECKING:
    from attncli.marking.paths import Paths

_SLACK = 1.02
"""What is of second order is little beside all roundings at their worst at once."""
_MOST = 400_000
"""Numbers that are kept for a quantity; of one that takes more, intervals are all that is known."""


class _Affine(NamedTuple):
    """The middle of each number [n, m], and what each rounding changes of it [n, m, s]."""

    middle: Array
    parts: Array

    @property
    def bounds(self) -> Enclosure:
        radius = np.abs(self.parts).sum(axis=2) * _SLACK
        return Enclosure(self.middle - radius, self.middle + radius)

    def of_length(self, count: int) -> Array:
        """The parts of so many roundings, a new array."""
        parts = np.zeros((*self.middle.shape, count))
        parts[..., : self.parts.shape[2]] = self.parts
        return parts


@dataclass(frozen=True)
class Linear:
    """The quantities of some paths to first order; None of those that take too many numbers. What
    is no other than on the `base` is known from there."""

    paths: Paths
    base: Linear | None = None
    _known: dict[str, _Affine | None] = field(default_factory=dict)
    _count: list[int] = field(default_factory=lambda: [0])

    @cached_property
    def whole(self) -> Linear:
        """The same, with all that a trace makes, so that no more roundings come to be counted."""
        for name in self.paths.trace:
            self._affine(name)
        return self

    def beside(self, paths: Paths) -> Linear:
        """Other paths, on which the roundings of these have their places, and some more."""
        return Linear(paths, self.whole, _count=[self._count[0]])

    def of(self, name: str, definition: Definition, made: Enclosure) -> Enclosure:
        """Between which numbers a quantity lies before it is rounded; `made` where nothing more
        is known than intervals say."""
        if name not in self._known:
            self._known[name] = self._made(definition, made)
        one = self._known[name]
        if one is None:
            return made
        found = one.bounds
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
        operands = [one for one in used if one is not None]
        if len(operands) < len(used) or not operands or self._is_too_much(made.low.size):
            return None
        tried = [(one.middle, one.of_length(self._count[0])) for one in operands]
        found = _through(definition.operation, tried)
        if found is None:
            return self._alone(made)
        printed = self.paths.as_printed(definition, Enclosure.of(found.middle))
        if printed.low is found.middle:
            return found
        apart = Enclosure.of(printed.low - found.middle)
        return self._moved(found, apart.with_(Enclosure.of(np.zeros_like(found.middle))))

    def _used(self, name: str) -> _Affine | None:
        """A quantity as it is gone on with: each of its numbers rounded by itself, or not."""
        paths, one = self.paths, self._affine(name)
        if one is None:
            return None
        moved = Enclosure.of(np.zeros_like(one.middle))
        if paths.rounds(name):
            moved = shifts(paths.made(name), paths.decimals(name) - paths.fewer, paths.fewer)
        known = paths.known.get(name)
        if known is not None:
            one, moved = _replaced(one, moved, known)
        return self._moved(one, moved)

    def _alone(self, made: Enclosure) -> _Affine | None:
        """Numbers of which it isn't known what they go together with."""
        middle = made.middle
        with np.errstate(invalid="ignore"):
            apart = Enclosure(*(np.nan_to_num(end - middle) for end in made))
        return self._moved(_Affine(middle, np.zeros((*middle.shape, 0))), apart)

    def _moved(self, one: _Affine, by: Enclosure) -> _Affine | None:
        """Numbers each of which may be moved by something of its own."""
        radius, count = (by.high - by.low) / 2, self._count[0]
        free = radius > 0
        self._count[0] += int(np.count_nonzero(free))
        if self._is_too_much(radius.size):
            self._count[0] = count
            return None
        parts = one.of_length(self._count[0])
        rows, columns = np.nonzero(free)
        parts[rows, columns, np.arange(count, self._count[0])] = radius[free]
        return _Affine(one.middle + (by.high + by.low) / 2, parts)

    def _is_too_much(self, size: int) -> bool:
        return size * self._count[0] > _MOST


@np.errstate(invalid="ignore")
def _replaced(one: _Affine, moved: Enclosure, known: Enclosure) -> tuple[_Affine, Enclosure]:
    """Numbers, and how far each may be moved, with what is known of some of them instead."""
    said, middle = ~np.isnan(known.low), known.middle
    ends = zip(known, moved, strict=True)
    apart = Enclosure(*(np.where(said, end - middle, own) for end, own in ends))
    parts = np.where(said[..., np.newaxis], 0.0, one.parts)
    return _Affine(np.where(said, middle, one.middle), parts), apart


@np.errstate(all="ignore")
def _through(operation: Operation, operands: Sequence[tuple[Array, Array]]) -> _Affine | None:
    """What an operation makes: its value in the middle, and half of what it changes between either
    end of each part; None of operations that don't go over many candidates."""
    if not isinstance(operation, Indexed | ListOfEquations | Moved):
        return None
    tried = [_either_way(*operand) for operand in operands]
    goes = operation.arranged(*tried) if isinstance(operation, Moved) else operation.arrays(tried)
    made = np.asarray(goes)
    count = operands[0][1].shape[2]
    if made.shape[2] == 1:
        return _Affine(made[..., 0], np.zeros((*made.shape[:2], count)))
    value, plus, minus = made[..., :1], made[..., 1 : count + 1], made[..., count + 1 :]
    bent = np.nan_to_num(np.abs(plus + minus - 2 * value)) / 2
    parts = np.nan_to_num((plus - minus) / 2)
    return _Affine(value[..., 0], np.copysign(np.abs(parts) + bent, parts))


def _either_way(middle: Array, parts: Array) -> Array:
    """The middle of each number, and what it is at either end of each part. [n, m, 1 + 2 s]"""
    count = parts.shape[2]
    tried = np.empty((*middle.shape, 1 + 2 * count))
    tried[...] = middle[..., np.newaxis]
    tried[..., 1 : count + 1] += parts
    tried[..., count + 1 :] -= parts
    return tried
