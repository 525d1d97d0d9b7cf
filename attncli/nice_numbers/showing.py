"""Which known mistakes show in a form: those that give some blank a number that no honest rounding
gives. What a key accepts says so; where that is clear from rougher bounds, these are enough, for
many forms at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attncli.equations.enclosures import Enclosure
from attncli.marking.honest_paths import (
    Paths,
    Tolerance,
    as_one,
    paths_from,
    ranges,
    taken,
)
from attncli.names import Name
from attncli.nice_numbers.candidate_quantity import Attempt, Flags, shown_rows, units
from attncli.nice_numbers.costs import Cells
from attncli.nice_numbers.plan import Plan
from attncli.nice_numbers.sieve import Batch, BatchMaker, CandidateValues, Quantities, unfit
from attncli.numbers.rounding import Array, Unworkable
from attncli.trace import Trace


class Blanks(NamedTuple):
    """What a sheet asks for, whatever its numbers: its cells, the quantities that it shows to start
    from besides given ones, the roots that it gives in figures, and what a key lets pass."""

    cells: Cells = MappingProxyType({})
    shown: Collection[str] = ()
    printed: Mapping[Decimal, Decimal] = MappingProxyType({})
    tolerance: Tolerance = Tolerance()


@np.errstate(all="ignore")  # a mistake may make any numbers
def shows(traces: Sequence[Trace], slips: Sequence[Attempt], blanks: Blanks) -> list[Flags | None]:
    """For each of some mistakes in which of the traces, which tell one story, it shows. [b]

    None for a mistake that can't be made with such shapes."""
    forms = _Forms(traces, blanks)
    return [forms.show(slip) for slip in slips]


@dataclass(frozen=True)
class _Forms:
    traces: Sequence[Trace]
    blanks: Blanks
    _held: dict[str, Enclosure] = field(default_factory=dict)

    def show(self, slip: Attempt) -> Flags | None:
        name, right = slip.definition.name, self.traces[0][slip.definition.name].matrix
        for needed in (name, *slip.definition.operands):
            self._hold(needed)
        try:
            wrong = self._maker.numbers(self._batch, slip.definition).values
        except (ValueError, Unworkable):
            return None
        if wrong.shape[:2] != right.shape:
            return None
        cells, own = self._cells(name), self._batch.made[name].values
        apart = (units(wrong, right.decimals) != units(own, right.decimals)) & cells
        found = np.zeros(len(self.traces), dtype=np.bool_)
        unsure = 0.0 if slip.definition.operation.copies else 10.0**-right.decimals
        found |= (self._is_beyond(name, wrong, unsure) & cells).any(axis=(0, 1)) & ~unfit(wrong)
        for k in np.flatnonzero(apart.any(axis=(0, 1)) & ~found).tolist():
            found[k] = self._shows_in(k, slip)
        return found

    def _is_beyond(self, name: str, wrong: Array, unsure: float) -> Flags:
        """Which numbers no honest rounding gives, whatever is unsure about them: plain floats may
        round to the next unit of the last place. [n, m, b]"""
        if self._rough is None:
            return np.zeros(wrong.shape, dtype=np.bool_)
        if name not in self._held:
            self._held[name] = ranges(self._rough, name, self.blanks.tolerance)
        low, high = self._held[name]
        return np.asarray((wrong < low - unsure) | (wrong > high + unsure))

    def _shows_in(self, k: int, slip: Attempt) -> bool:
        """Whether a mistake shows in one of the traces, as a key has it."""
        trace, definition = self.traces[k], slip.definition
        rounding = trace.rounding.of_quantity(definition.step, definition.name)
        try:
            made = definition.operation.make(rounding, definition.step, *trace.operands(definition))
        except Unworkable:
            return False
        held = ranges(self._alone[k], definition.name, self.blanks.tolerance)
        beyond = ~taken(held, made.values) & ~np.isnan(made.values)
        return bool((beyond & self._cells(definition.name)[:, :, 0]).any())

    def _hold(self, name: Name) -> None:
        """Puts the numbers of a quantity in all traces beside each other."""
        if name not in self._batch.made.keys():  # noqa: SIM118 - it isn't a mapping
            first = self.traces[0][name].matrix
            values = np.stack([trace[name].values for trace in self.traces], axis=-1)
            self._batch.made[name] = CandidateValues(values, first.places, first.decimals)

    def _cells(self, name: str) -> Flags:
        """The cells that are asked for, or that a page shows. [n, m, 1]"""
        if name in self.blanks.cells:
            return self.blanks.cells[name][:, :, np.newaxis]
        quantity = self.traces[0][name]
        rows = shown_rows(self.traces[0])(quantity)
        cells = np.ones((*quantity.matrix.shape, 1), dtype=np.bool_)
        if rows is not None:
            cells[np.setdiff1d(np.arange(len(cells)), rows)] = False
        return cells

    @cached_property
    def _maker(self) -> BatchMaker:
        return BatchMaker(self.traces[0], Plan((), (), frozenset()))

    @cached_property
    def _batch(self) -> Batch:
        return Batch(len(self.traces), Quantities({}), np.arange(len(self.traces)))

    @cached_property
    def _alone(self) -> list[Paths]:
        return [paths_from(t, self.blanks.shown, self.blanks.printed) for t in self.traces]

    @cached_property
    def _rough(self) -> Paths | None:
        """Where honest paths lead at most, for all traces at once; None where these differ."""
        return as_one([replace(paths, roughly=True) for paths in self._alone])
