"""Mistakes that show in a form: that give a wrong number however those before it are rounded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attncli.classroom.forms.candidate_quantity import Attempt, shown_rows, units
from attncli.classroom.forms.candidates import Batch, BatchMaker, CandidateValues, Quantities
from attncli.classroom.forms.costs import Cells
from attncli.classroom.forms.plan import Plan
from attncli.classroom.forms.sieve import unfit
from attncli.judging.honest_paths import Tolerance, taken
from attncli.judging.judging import Judge
from attncli.maths.numbers.rounding import Flags, Unworkable
from attncli.names import Name
from attncli.trace import Trace


class Blanks(NamedTuple):
    """The blanks of a sheet, whatever its numbers."""

    cells: Cells = MappingProxyType({})
    """Its cells that are asked for."""
    shown: Collection[str] = ()
    """The quantities that it shows to start from, besides given ones."""
    printed: Mapping[Decimal, Decimal] = MappingProxyType({})
    """The roots that it gives in figures."""
    tolerance: Tolerance = Tolerance()
    """What a key lets pass."""


@np.errstate(all="ignore")  # a mistake may make any numbers
def shows(traces: Sequence[Trace], slips: Sequence[Attempt], blanks: Blanks) -> list[Flags | None]:
    """Finds for each of some mistakes in which of the traces it shows. [b] each

    The result is None for a mistake that can't be made with such shapes.
    """
    if any(trace.story is not traces[0].story for trace in traces):
        apart = zip(*(shows([trace], slips, blanks) for trace in traces), strict=True)
        return [None if None in each else np.concatenate(each) for each in apart]
    judges = [Judge(trace, blanks.shown, blanks.tolerance, blanks.printed) for trace in traces]
    made = {name for slip in slips for name in (slip.definition.name, *slip.definition.operands)}
    beside = Quantities({name: _beside(traces, name) for name in made})
    batch = Batch(len(traces), beside, np.arange(len(traces)))
    return [_in_which(judges, slip, blanks, batch) for slip in slips]


def _beside(traces: Sequence[Trace], name: Name) -> CandidateValues:
    first = traces[0][name].matrix
    values = np.stack([trace[name].values for trace in traces], axis=-1)
    return CandidateValues(values, first.places, first.decimals)


def _in_which(judges: Sequence[Judge], slip: Attempt, blanks: Blanks, batch: Batch) -> Flags | None:
    definition, first = slip.definition, judges[0].trace
    own, cells = batch.made[definition.name], _cells(first, definition.name, blanks)
    wrong = BatchMaker(first, Plan((), (), frozenset())).wrong(batch, definition)
    if wrong is None:
        return None
    each = [judge.ranges(definition.name) for judge in judges]
    low, high = (np.stack(ends, axis=-1) for ends in zip(*each, strict=True))
    # plain floats may be rounded to the next unit of the last place
    unsure = 0.0 if definition.operation.copies else 10.0**-own.decimals
    beyond = ((wrong < low - unsure) | (wrong > high + unsure)) & cells
    apart = (units(wrong, own.decimals) != units(own.values, own.decimals)) & cells
    found = np.array(np.broadcast_to(beyond.any(axis=(0, 1)) & ~unfit(wrong), batch.count))
    for k in np.flatnonzero(apart.any(axis=(0, 1)) & ~found).tolist():
        found[k] = _shows_in(judges[k], slip, cells[:, :, 0])
    return found


def _shows_in(judge: Judge, slip: Attempt, cells: Flags) -> bool:
    """Tells whether a mistake shows in a trace, to who judges it."""
    trace, definition = judge.trace, slip.definition
    rounding = trace.rounding.of_quantity(definition.step, definition.name)
    try:
        made = definition.operation.make(rounding, definition.step, *trace.operands(definition))
    except Unworkable:
        return False
    held = judge.ranges(definition.name)
    return bool((cells & ~taken(held, made.values) & ~np.isnan(made.values)).any())


def _cells(trace: Trace, name: Name, blanks: Blanks) -> Flags:
    """Returns the cells that are asked for, or that a page shows. [n, m, 1]"""
    rows = shown_rows(trace)(trace[name])
    cells = np.zeros(trace[name].matrix.shape, dtype=np.bool_)
    cells[slice(None) if rows is None else [*rows]] = True
    return np.asarray(blanks.cells.get(name, cells)[:, :, np.newaxis])
