"""Earlier answers that make later work trivial: all zeros, all ones, all alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from attncli.marking.verdicts import Verdict
from attncli.name import Name
from attncli.records import NamedTuple
from attncli.trace import Trace

_LEAST = 2
"""Numbers of a quantity from which on it counts as trivial that they are alike."""


class Degenerate(NamedTuple):
    """A quantity for which somebody gave one number throughout, where others are right, and how
    many later numbers follow from that."""

    quantity: Name
    number: Decimal
    later: int


def degenerate(trace: Trace, verdicts: Sequence[Verdict]) -> Iterator[Degenerate]:
    """The quantities whose numbers, all of them alike, are gone on with."""
    for name in dict.fromkeys(one.cell.quantity for one in verdicts):
        own = [one for one in verdicts if one.cell.quantity == name]
        given = {one.given.number for one in own}
        right = {trace[name].number(*one.cell[1:]).shown for one in own}
        number = next(iter(given))
        if len(own) < _LEAST or len(given) > 1 or number is None or len(right) == 1:
            continue
        later = sum(any(cell.quantity == name for cell in one.follows_from) for one in verdicts)
        if later:
            yield Degenerate(trace[name].name, number, later)
