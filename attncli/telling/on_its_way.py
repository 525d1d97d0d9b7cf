"""What becomes of a gradient on its way back: it shrinks, it grows, or neither."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from attncli.arithmetic.elision import MOST_PARTS, elided
from attncli.arithmetic.expression import Number
from attncli.document import Spans
from attncli.telling.sentences import joined


def on_its_way(numbers: Sequence[Number], what: str) -> Spans:
    """How large something is on its way back, and what becomes of it:
    `0.834 → 2.014 → 4.199 → 8.369: it grows at every step; the gradient explodes.`"""
    shown = elided(len(numbers), MOST_PARTS)
    sequence = joined((("…",) if k is None else (numbers[k],) for k in shown), " → ")
    steps = [
        (after.shown > before.shown) - (after.shown < before.shown)
        for before, after in pairwise(numbers)
    ]
    verdict = _verdict(steps, float(numbers[0].shown), float(numbers[-1].shown))
    return (f"{what} goes ", *sequence, f": {verdict}.")


def _verdict(steps: Sequence[int], first: float, last: float) -> str:
    """What becomes of a gradient whose size shrinks (−1) or grows (1) at steps, or ends at 0."""
    if last == 0:
        return "nothing is left of it; the gradient vanishes"
    (way,) = set(steps) if len(set(steps)) == 1 else (None,)
    if last < first / _MUCH:
        outcome = "; the gradient vanishes"
    else:
        outcome = "; the gradient explodes" if last > first * _MUCH else ""
    return _WAYS.get(way, "it neither shrinks nor grows at every step") + outcome * bool(way)


_MUCH = 2
"""Times that a gradient is smaller or larger in the end before one says that it vanishes or
explodes."""
_WAYS: Mapping[int | None, str] = {
    -1: "it shrinks at every step",
    0: "it stays the same at every step",
    1: "it grows at every step",
}
