"""Answers that honest ways of rounding spread over many units of the last place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Number
from attncli.design.shares import shown_rows
from attncli.document import Spans, Term
from attncli.marking.judging import Judge
from attncli.telling.facts import printed_roots
from attncli.trace import Trace

_MANY = 5.001
"""Units of the last place, and what floats are off by."""


def wide(trace: Trace, names: Sequence[str]) -> Iterator[Spans]:
    """The cells of these quantities for which a key accepts too much to tell, and what would
    help."""
    judge = Judge(trace, printed=printed_roots(trace))
    for name in names:
        if not judge.right.rounds(name):
            continue
        (low, high), places = judge.ranges(name), judge.right.decimals(name)
        with np.errstate(invalid="ignore"):
            found = np.isfinite(low + high) & ((high - low) * 10.0**places > _MANY)
        rows = shown_rows(trace)(trace[name])
        instead = f"rounding.decimals={places + 1} with rounding.quantities={{{name}: {places}}}"
        for i, j in np.argwhere(found).tolist():
            if rows is None or i in rows:
                ends = (decimals.shown(float(end[i, j]), places + 1) for end in (low, high))
                least, most = map(Number.written, ends)
                cell = Term(trace[name].symbol(i, j))
                yield cell, " is right from ", least, " to ", most, f"; {instead} would tell more"
