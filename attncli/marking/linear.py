"""Where honest paths lead, to first order: affine arithmetic (Comba & Stolfi 1993).

Interval arithmetic forgets that the numbers of a residual and of what is added to it go up and
down together, which widens the numbers of a whole block a hundredfold. Here each number is kept as
its middle and what each single rounding before it changes of it, so that what cancels does.

Who rounds a number may do so now here, now there: each use of it lies between the number in full
and what it is rounded to. All uses therefore go up and down with what is halfway between these two;
how far they are from there is each one's own, and cancels nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.operations.base import Operation
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.lists import ListOfEquations
from attncli.arithmetic.operations.moved import Moved
from attncli.arithmetic.rounding import Array, Unworkable
from attncli.marking.rounds import halfway
from attncli.trace import Definition

if TYPE_CHECKING:
    from attncli.marking.paths import Paths

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
        said, middle = ~np.isnan(known.low), known.middle
        ends = zip(_apart(known, middle), self.apart, strict=True)
        return _Affine(
            np.where(said, middle, self.middle),
            np.where(said[:, :, np.newaxis], 0.0, self.parts),
            Enclosure(*(np.where(said, own, other) for own, other in ends)),
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

    def beside(self, paths: Paths) -> FirstOrder:
        """Other paths, on which the roundings of these have their places, and some more."""
        return FirstOrder(paths, self.whole, _count=[self._count[0]])

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
        if not used:
            return self._alone(made)
        operands = [one for one in used if one is not None]
        if len(operands) < len(used) or self._is_too_much(made.low):
            return None
        tried = [(one.middle, one.of_length(self._count[0])) for one in operands]
        found = _through(definition.operation, tried)
        if found is None:
            return self._alone(made)
        try:
            apart = _apart(self._near(definition, operands), found.middle)
        except Unworkable:
            return self._alone(made)
        if definition.operation.copies:
            return found._replace(apart=apart)
        return self._moved(found, apart)

    def _near(self, definition: Definition, operands: Sequence[_Affine]) -> Enclosure:
        """What is made of numbers each use of which is apart by itself."""
        near = self.paths.enclosing(definition, [one.near for one in operands])
        printed = self.paths.as_printed(definition, near)
        return near if printed is near else near.with_(printed)

    def _used(self, name: str) -> _Affine | None:
        """A quantity as it is gone on with: at each use in full, rounded, or to more decimals."""
        if self.base is not None and name not in self.paths.apart:
            return self.base._used(name)
        if name not in self._uses:
            one, known = self._affine(name), self.paths.known.get(name)
            if one is not None and self.paths.rounds(name):
                one = self._rounded(name, one)
            self._uses[name] = one if one is None or known is None else one.replaced(known)
        return self._uses[name]

    def _rounded(self, name: str, one: _Affine) -> _Affine | None:
        paths = self.paths
        way = halfway(paths.made(name), paths.decimals(name) - paths.fewer, paths.fewer)
        parts = way.share[:, :, np.newaxis] * one.parts
        moved = self._moved(_Affine.of(way.share * one.middle, parts), way.shared)
        return moved if moved is None else moved._replace(apart=way.apart)

    def _alone(self, made: Enclosure) -> _Affine | None:
        """Numbers of which it isn't known what they go together with."""
        middle = made.middle
        return self._moved(_Affine.of(middle, _no_parts(middle, 0)), _apart(made, middle))

    def _moved(self, one: _Affine, by: Enclosure) -> _Affine | None:
        """Numbers each of which may be moved by something of its own, the same at each use."""
        radius, count = (by.high - by.low) / 2, self._count[0]
        rows, columns = np.nonzero((radius > 0).reshape(*radius.shape[:2], -1).any(axis=2))
        self._count[0] += len(rows)
        if self._is_too_much(radius):
            self._count[0] = count
            return None
        parts = one.of_length(self._count[0])
        parts[rows, columns, np.arange(count, self._count[0])] = radius[rows, columns]
        return _Affine.of(one.middle + (by.high + by.low) / 2, parts)

    def _is_too_much(self, of: Array) -> bool:
        """Whether all roundings of an array are too many numbers. Raises TooManyNumbersError where
        single traces might not have so many."""
        if of.size * self._count[0] <= _MOST:
            return False
        if of.ndim > 2:  # noqa: PLR2004
            raise TooManyNumbersError
        return True


@np.errstate(invalid="ignore")
def _apart(ends: Enclosure, middle: Array) -> Enclosure:
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
