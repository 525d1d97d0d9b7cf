"""Answers that honest ways of rounding spread over many units of the last place, and mistakes that
hide among them; each with the decimals that would help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from math import ceil, isfinite, log10

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Number
from attncli.design.mistakes import Attempt
from attncli.design.quantity import Flags, shown_rows, units
from attncli.document import Spans, Term
from attncli.marking.judging import Judge
from attncli.trace import Quantity, Trace

_MANY = 5.001
"""Units of the last place, and what floats are off by."""
_LEFT = _MANY - 2
"""What more decimals may leave of them, beside the rounding of the answer itself."""
_MOST = 10
"""More decimals than this are nobody's."""


def wide(judge: Judge, names: Sequence[str]) -> Iterator[Spans]:
    """The cells of these quantities for which a key accepts too much to tell, and how many
    decimals of what they are made of would help; the widest of each quantity first."""
    each = [[*_wide(judge, name)] for name in names]
    firsts, others = [told[:1] for told in each], [told[1:] for told in each]
    yield from chain(*firsts, *others)


def _wide(judge: Judge, name: str) -> Iterator[Spans]:
    if not judge.right.rounds(name):
        return
    (low, high), places = judge.ranges(name), judge.right.decimals(name)
    with np.errstate(invalid="ignore"):
        many = (high - low) * 10.0**places
    cells = [*_shown(judge.trace, judge.trace[name], np.isfinite(many) & (many > _MANY))]
    cells.sort(key=lambda cell: -many[cell])
    if not cells:
        return
    more = min(_MOST, max(1, ceil(log10(many[cells[0]] / _LEFT))))
    known = f'"{name}"' if "[" in name else name  # as YAML takes it
    instead = f"rounding.decimals={places + more} with rounding.quantities={{{known}: {places}}}"
    for i, j in cells:
        ends = (decimals.shown(float(end[i, j]), places + 1) for end in (low, high))
        least, most = map(Number.written, ends)
        cell = Term(judge.trace[name].symbol(i, j))
        yield cell, " is right from ", least, " to ", most, f"; {instead} would tell more"


def hiding(judge: Judge, slip: Attempt, wrong: Trace) -> Spans | None:
    """Where a mistake gives a number that a key accepts, though it isn't the right one, and how
    many decimals would tell it apart; None where it does so nowhere."""
    name = slip.definition.name
    if not judge.right.rounds(name):
        return None
    (low, high), places = judge.ranges(name), judge.right.decimals(name)
    right, other = judge.trace[name], wrong[name]
    apart = units(other.values, places) != units(right.values, places)
    cells = [*_shown(judge.trace, right, apart & (low <= other.values) & (other.values <= high))]
    if not cells:
        return None
    gap = min(abs(other.values[cell] - right.values[cell]) for cell in cells)
    widest = max((high - low)[cell] for cell in cells)
    i, j = cells[0]
    also = f", and so at {len(cells) - 1} more" if len(cells) > 1 else ""
    return (
        "It gives ",
        other.matrix.number(i, j),
        " at ",
        Term(right.symbol(i, j)),
        ", which is ",
        right.matrix.number(i, j),
        f"{also}; {_apart(places, widest / max(gap, 10.0**-_MOST))}",
    )


def _apart(places: int, times: float) -> str:
    """How many decimals tell numbers apart that lie in a range so many times as wide as what is
    between them; none where a key has no bound, as of a quotient by what may be 0."""
    if not isfinite(times):
        return "a key has no bound there, whatever the decimals"
    more = min(_MOST, max(1, ceil(log10(times))))
    return f"rounding.decimals={places + more} would tell them apart"


def _shown(trace: Trace, quantity: Quantity, found: Flags) -> Iterator[tuple[int, int]]:
    """The cells that a page shows, of those that were found."""
    rows = shown_rows(trace)(quantity)
    return ((i, j) for i, j in np.argwhere(found).tolist() if rows is None or i in rows)
