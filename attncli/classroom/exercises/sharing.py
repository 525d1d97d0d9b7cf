"""Points of a whole part, shared out over what it asks in units that are easy to add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from decimal import Decimal
from itertools import product

_UNITS = tuple(map(Decimal, ("1", "0.5", "0.25")))
_FINER = tuple(map(Decimal, ("0.1", "0.05", "0.01")))
"""What points are multiples of, if they can be, and if they can't."""
LEAST = Decimal("0.25")
"""The points of a blank that make it worth asking."""
_WAYS = tuple(map(Decimal, ("1.5", "2")))
"""How many times the points of another a blank may have: at best first."""

_APART = 3
"""The most units that blanks of two kinds may be apart."""


def shared(total: Decimal, kinds: Sequence[Hashable]) -> list[Decimal]:
    """Shares points out over some blanks, of which each has a kind: in the largest unit that is
    easy to add up, those of a kind alike where that adds up, and otherwise evenly."""
    if not kinds:
        return []
    counts = Counter(kinds)
    for units in (_UNITS, _FINER):
        for even, unit in product(_WAYS, units):
            worths = None if total % unit else _alike(int(total / unit), [*counts.values()], even)
            if worths is not None:
                by_kind = dict(zip(counts, worths, strict=True))
                return [unit * by_kind[kind] for kind in kinds]
        if fitting := [u for u in units if total % u == 0 and u * len(kinds) <= total]:
            return _in_order(total, len(kinds), fitting)
    return _in_order(total, len(kinds), _FINER[-1:])


def _alike(total: int, counts: Sequence[int], even: Decimal) -> Sequence[int] | None:
    """Finds how many units each blank of some kinds has, of which there are so many: as much as
    can be alike, and more for the last kinds. Returns None where they don't add up."""
    mean = total // sum(counts)
    for more in range(_APART + 1):
        for least in range(mean, max(0, mean - more - 1), -1):
            if least + more <= least * even:
                found = _adding_up(total, counts, range(least + more, least - 1, -1))
                if found is not None:
                    return found
    return None


def _adding_up(total: int, counts: Sequence[int], worths: Sequence[int]) -> Sequence[int] | None:
    """Chooses one of some worths for the blanks of each kind, so that they add up."""
    reached: dict[int, tuple[int, ...]] = {0: ()}
    for count in reversed(counts):
        new: dict[int, tuple[int, ...]] = {}
        for (n, own), worth in product(reached.items(), worths):
            if n + count * worth <= total:
                new.setdefault(n + count * worth, (worth, *own))
        reached = new
    return reached.get(total)


def _in_order(total: Decimal, count: int, units: Sequence[Decimal]) -> list[Decimal]:
    """Shares points out where those of a kind can't be alike: more for what comes last."""
    unit = next((unit for unit in units if unit * 2 * count <= total), units[-1])
    base, rest = divmod(int(total / unit), count)
    each = [unit * (base + (k >= count - rest)) for k in range(count)]
    each[-1] += total - sum(each)
    return each
