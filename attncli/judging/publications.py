"""The numbers that a source prints, judged by their decimals, and by its own numbers before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from attncli.judging.judging import Judge
from attncli.judging.verdicts import RIGHT, Given, Verdict
from attncli.maths.equations.tree import Location
from attncli.maths.numbers import decimals
from attncli.trace import Quantity, Trace
from attncli.trace.published import PublishedNumber, published_numbers


@lru_cache(maxsize=8)
def published_verdicts(trace: Trace) -> tuple[Judge, tuple[Verdict, ...]]:
    """Judges each number that the source of a trace works out, and returns the judge as well.
    Numbers that the source assumes are continued from; of numbers printed twice for a cell, the
    last ones are."""
    printed = published_numbers(trace)
    more: dict[str, Quantity] = {f.quantity.name: f.quantity for f in printed}
    known = {name: q for name, q in more.items() if name not in trace.quantities}
    all_known = replace(trace, quantities={**known, **trace.quantities})  # IDs are no quantities
    judge = Judge(all_known, literally=True)
    assumed = {f.key for f in printed if f.assumed}
    each = _each(judge, _leading(judge, printed))
    return judge, tuple(v for v in each if v.key not in assumed)


def follow(trace: Trace) -> dict[tuple[object, ...], bool]:
    """Tells of each number that the source works out, by its key, whether it is right."""
    _, verdicts = published_verdicts(trace)
    return {v.key: v.judgement in RIGHT for v in verdicts}


def _each(judge: Judge, printed: Sequence[PublishedNumber]) -> list[Verdict]:
    """Returns the verdicts in the order of the working. Earlier numbers for a cell are judged as if
    they stood in the last one's place, and come before it."""
    pairs = [(Location(*f.cell), _given(f)) for f in printed]
    last = dict(pairs)
    found = {v.cell: [v] for v in judge.verdicts(last)}
    for cell, given in pairs:
        if given is last[cell]:
            continue
        verdict, same = found[cell][-1], last[cell].number == given.number
        if same and verdict.judgement in RIGHT:  # which is as right
            found[cell].insert(-1, verdict._replace(given=given))
            continue
        again = judge.verdicts({**last, cell: given})
        found[cell].insert(-1, next(v for v in again if v.cell == cell))
    return [v for verdicts in found.values() for v in verdicts]


def _leading(judge: Judge, printed: Sequence[PublishedNumber]) -> list[PublishedNumber]:
    """Keeps the numbers that the source works out, and those assumed before the last of them."""
    order = [*judge.trace]
    last = max((order.index(f.quantity.name) for f in printed if not f.assumed), default=-1)
    return [f for f in printed if order.index(f.quantity.name) <= last]


def _given(figure: PublishedNumber) -> Given:
    return Given(
        decimals.text(figure.theirs), figure.theirs, decimals.places(figure.theirs), figure.at
    )
