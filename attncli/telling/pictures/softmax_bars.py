"""What a softmax makes of a row: its scores and its shares as bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from attncli.pictures import Bars, Series
from attncli.telling.parts import definitions_of
from attncli.telling.pictures.places import called_by, cut
from attncli.telling.selection import Selection
from attncli.trace import Definition, PlannedStep, Quantity, Trace

MOST_BARS = 12
"""So many labels have bars, those of the largest shares."""


def pictures(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[Bars]:
    """The last query that is shown; under a causal mask it is the one that sees every key."""
    made = softmax_of(trace, part)
    if made is None:
        return
    scores, shares = trace[made[0].operands[0]], trace[made[-1].name]
    i = shown_row(shares, selection)
    places = largest(shares, i)
    told = [(part.place.here(one.name), one) for one in (scores, shares)]
    series = tuple(Series(name, tuple(one.number(i, j) for j in places)) for name, one in told)
    title = called_by(part, "What softmax makes of {}" + cut_of_bars(shares), scores, i)
    yield Bars(title, tuple(shares.columns.words[j] for j in places), series)


def softmax_of(trace: Trace, part: PlannedStep) -> tuple[Definition, ...] | None:
    """How a part made its exponentials, their sums and the shares."""
    made = {one.name.local: one for one in definitions_of(trace, part)}
    result = made.get("weights") or made.get("probabilities")
    if "exp" not in made or "exp_sum" not in made or result is None:
        return None
    return made["exp"], made["exp_sum"], result


def shown_row(shares: Quantity, selection: Selection) -> int:
    """The last row that is shown."""
    return selection.rows(shares)[-1]


def cut_of_bars(shares: Quantity) -> str:
    """What has no bars, for a title."""
    return cut(MOST_BARS, shares.matrix.shape[1], "shares", "largest")


def largest(shares: Quantity, i: int) -> Sequence[int]:
    """The places of a row's largest shares, in the order of the row."""
    row = shares.values[i]
    return sorted(np.argsort(-row, kind="stable")[:MOST_BARS].tolist())
