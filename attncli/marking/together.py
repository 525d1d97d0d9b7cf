"""Where honest paths lead on several traces at once, such as the forms of an exercise, which differ
in their numbers only: the same equations over a last axis of traces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations.enclosing import (
    enclosing,
    exponential_of,
    goes_over_many,
)
from attncli.arithmetic.operations.softmax import Exponential
from attncli.arithmetic.rounding import Array
from attncli.marking.linear import TooManyNumbersError
from attncli.marking.paths import Paths, as_given, chosen_by
from attncli.trace import Definition


def together(alone: Sequence[Paths]) -> list[Paths]:
    """The same paths, which are worked all at once as soon as something is asked of one of them,
    where the traces tell one story."""
    if len(alone) < 2 or not all(_are_alike(alone[0], one) for one in alone[1:]):  # noqa: PLR2004
        return [*alone]
    names = alone[0].known
    known = {name: _stacked([one.known[name] for one in alone]) for name in names}
    many = _ManyPaths(alone[0].trace, known, printed=alone[0].printed, alone=tuple(alone))
    return [replace(one, together=partial(many.of, k), _told={}) for k, one in enumerate(alone)]


def _are_alike(one: Paths, other: Paths) -> bool:
    """Whether paths go the same way, but for the numbers."""
    return (
        one.trace.story is other.trace.story
        and one.trace.rounding == other.trace.rounding
        and one.printed == other.printed
        and one.known.keys() == other.known.keys()
        and all(
            one.trace[name].matrix.decimals == other.trace[name].matrix.decimals
            and one.trace[name].matrix.shape == other.trace[name].matrix.shape
            for name in one.trace
        )
    )


@dataclass(eq=False, repr=False)
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
        return _stacked([as_given(one.trace[name]) for one in self.alone])

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
        return np.stack([one.values for one in self.each_chosen(name)], axis=-1)

    def each_chosen(self, name: str) -> list[Matrix]:
        """The same, a matrix for each trace."""
        on = _apart(self.gone_on_with(name), len(self.alone))
        return [
            chosen_by(one.trace[name].matrix, own) for one, own in zip(self.alone, on, strict=True)
        ]

    def one_by_one(self, definition: Definition, operands: Sequence[Enclosure]) -> Enclosure:
        """What is made of some others, trace by trace; or of nothing, which is one for all."""
        if not operands:
            return _stacked([enclosing(definition.operation, (), ())] * len(self.alone))
        numbers = zip(*map(self.each_chosen, definition.operands), strict=True)
        own = zip(*(_apart(one, len(self.alone)) for one in operands), strict=True)
        return _stacked(
            [enclosing(definition.operation, *pair) for pair in zip(numbers, own, strict=True)]
        )


def _stacked(each: Iterable[Enclosure]) -> Enclosure:
    """Those of several traces as one; numbers that are what they are stay so."""
    each = [*each]
    low = np.stack([one.low for one in each], axis=-1)
    if all(one.low is one.high for one in each):
        return Enclosure.of(low)
    return Enclosure(low, np.stack([one.high for one in each], axis=-1))


def _apart(many: Enclosure, count: int) -> list[Enclosure]:
    """Those of each trace, of what is one for all."""
    return [Enclosure(many.low[:, :, k], many.high[:, :, k]) for k in range(count)]
