"""Verdicts on the numbers that the source of a scenario prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Location
from attncli.marking.judging import Judge
from attncli.marking.verdicts import Given, Verdict
from attncli.trace import Quantity, Trace
from attncli.trace.published import PublishedNumber, published_numbers


def published_verdicts(trace: Trace) -> tuple[Judge, tuple[Verdict, ...]]:
    """A verdict for each number that the source works out, and who judges them. What it assumes is
    gone on with, and of numbers that it prints twice for a cell those that it prints last."""
    printed = published_numbers(trace)
    more: dict[str, Quantity] = {one.quantity.name: one.quantity for one in printed}
    known = {name: one for name, one in more.items() if name not in trace.quantities}
    judge = Judge(replace(trace, quantities={**known, **trace.quantities}))  # IDs are no quantities
    leading = _leading(judge, printed)
    fewer = {one.key for one in printed if one.follows}
    assumed = {one.key for one in printed if one.assumed}
    told = [one for one in _each(judge, leading) if one.key not in assumed]
    return judge, tuple(_as_printed(one, one.key in fewer) for one in told)


def _each(judge: Judge, printed: Sequence[PublishedNumber]) -> list[Verdict]:
    """The verdicts in the order of the working; those on earlier numbers for a cell, each judged in
    the place of the last one, stand before that."""
    told = [(Location(*one.cell), _given(one)) for one in printed]
    last = dict(told)
    found = {one.cell: [one] for one in judge.verdicts(last)}
    for cell, given in told:
        if given is last[cell]:
            continue
        one = found[cell][-1]
        if one.judgement == "correct" and one.given.number == given.number:  # which is as right
            found[cell].insert(-1, one._replace(given=given))
            continue
        again = judge.verdicts({**last, cell: given})
        found[cell].insert(-1, next(one for one in again if one.cell == cell))
    return [one for verdicts in found.values() for one in verdicts]


def _leading(judge: Judge, printed: Sequence[PublishedNumber]) -> list[PublishedNumber]:
    """Those that the source works out, and what it assumes before the last of them."""
    order = [*judge.trace]
    last = max((order.index(one.quantity.name) for one in printed if not one.assumed), default=-1)
    return [one for one in printed if order.index(one.quantity.name) <= last]


def _given(one: PublishedNumber) -> Given:
    return Given(decimals.text(one.theirs), one.theirs, decimals.places(one.theirs), one.at)


def _as_printed(verdict: Verdict, follows: bool) -> Verdict:
    """A number that a source prints with fewer decimals than are worked here is right where it is
    rounded from ours."""
    cause = verdict.cause
    if follows and verdict.judgement == "rounding" and cause is not None:
        return verdict._replace(judgement="correct", cause=None, others=())
    return verdict
