"""Tensors whose numbers say which quantities they are, where their names don't."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

import numpy as np

from attncli.maths.numbers.rounding import Array
from attncli.models.dumps.departures import Close, Comparison
from attncli.models.dumps.floats import Floats, Grain, tells_apart
from attncli.models.dumps.meanings import OUTPUT, Meant, each_head, together
from attncli.models.dumps.tensors import Dump, Ours, apart, as_said, fits, is_near
from attncli.names import GRADIENTS
from attncli.scenario.file.dump_files import Dumped
from attncli.trace import Trace


def compared(
    trace: Trace,
    tensors: Mapping[str, Dumped],
    taken_as: Callable[[Mapping[str, Ours]], Dump],
    sure: Collection[str],
    close: Close | None,
    seek: float,
) -> Comparison:
    """Compares tensors with what follows. Where the first that departs is known by its name alone,
    and no bug gives its numbers or the end is right, such tensors are taken for what their numbers
    say. `sure` are the names that are beyond doubt, and `taken_as` makes the dump once it is said
    what other tensors are. Raises UserError."""
    comparison = Comparison(trace, taken_as({}), close, seek)
    if not _is_refuted(comparison, sure):
        return comparison
    by_numbers = dict(_by_numbers(comparison, tensors, sure))

    def again(named: Mapping[str, Ours], seconds: float) -> Comparison:
        return Comparison(trace, taken_as(named)._replace(by_numbers=named), close, seconds)

    if by_numbers and again(by_numbers, 0).first is None:
        return again(by_numbers, seek)
    others = {called: ours for called, ours in by_numbers.items() if ours}
    has_name = comparison.first is not None and comparison.first.causes
    return comparison if has_name or not others else again(others, seek)


def _is_refuted(comparison: Comparison, sure: Collection[str]) -> bool:
    """Tells whether a name may be wrong rather than a module: no bug gives the numbers, or what
    comes out is right all the same. Only what comes out, whose name is sure, can be red then: of a
    dump without it, names decide."""
    if OUTPUT not in comparison.dump.taken:
        return False
    if any(m.called not in sure for m in comparison.misshapen):
        return True
    first = comparison.first
    if first is None or first.called in {*sure, OUTPUT}:
        return False
    return not first.causes or _is_right(comparison)


def _is_right(comparison: Comparison) -> bool:
    """Tells whether what comes out is near to what is right."""
    trace, dump = comparison.trace, comparison.dump
    ours = dump.taken.get(OUTPUT)
    if not isinstance(ours, str):
        return False
    names = each_head(ours, trace) or (trace[ours].name,)
    pieces = {name: dump.tensors[name].values for name in names}
    return is_near(pieces, Floats(trace, Grain("float64")))


def _by_numbers(
    comparison: Comparison, tensors: Mapping[str, Dumped], sure: Collection[str]
) -> Iterator[tuple[str, Ours]]:
    """Yields the tensors whose numbers aren't what their names say, each with what it is by its
    numbers: another quantity, or none, which is only known where what comes out is right."""
    trace, dump = comparison.trace, comparison.dump
    names = [called for called in dump.taken if called not in {*sure, OUTPUT}]
    names += [m.called for m in dump.left_out.misshapen if m.called not in sure]
    right = Floats(trace, Grain("float64"))
    wrong = [called for called in names if not _is_what_it_says(called, dump, right)]
    is_right = _is_right(comparison)
    quantities = dict.fromkeys(
        together(d.name, trace)
        for d in trace.plan
        if d.name in trace and not d.name.inside(GRADIENTS)
    )
    for called in wrong:
        shape = tensors[called].shape
        alike = [meant for meant in quantities if fits(shape, meant, trace)]
        found = _nearest(tensors[called].values, alike, right) if alike else None
        if found is not None or is_right:
            yield called, "" if found is None else as_said(found, trace)


def _is_what_it_says(called: str, dump: Dump, right: Floats) -> bool:
    found = {x: t.values for x, t in dump.tensors.items() if t.called == called}
    return bool(found) and is_near({right.trace[x].name: y for x, y in found.items()}, right)


def _nearest(values: Array, quantities: Collection[Meant], right: Floats) -> Meant | None:
    """Finds the quantity whose numbers a tensor has. Returns None where there is none."""
    far: dict[Meant, float] = {}
    for meant in quantities:
        parts = apart(values, meant, right.trace)
        if parts is None:
            continue
        pieces = dict(zip(meant.names, parts, strict=True))
        if is_near(pieces, right):
            far[meant] = sum(_distance(part, right.value(name)) for name, part in pieces.items())
    return min(far, key=lambda meant: far[meant], default=None)


@np.errstate(invalid="ignore")
def _distance(values: Array, right: Array) -> float:
    return float(np.nansum(np.abs(values - right) / (tells_apart(right) + np.finfo(float).tiny)))
