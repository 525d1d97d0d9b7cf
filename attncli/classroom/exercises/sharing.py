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
_EVEN = tuple(map(Decimal, ("1.5", "2")))
"""How many times the points of another a blank may have: at best, and if that can't be."""


def shared(total: Decimal, kinds: Sequence[Hashable]) -> list[Decimal]:
    """Shares points out over some blanks, of which each has a kind: evenly, in the largest unit
    that allows it, and blanks of a kind alike where that adds up."""
    if not kinds:
        return []
    count = len(kinds)
    units = [u for u in _UNITS if total % u == 0 and u * count <= total]
    units = units or [u for u in _FINER if total % u == 0 and u * count <= total] or [_FINER[-1]]
    for even, unit in product(_EVEN, units):
        base, rest = divmod(int(total / unit), count)
        more = _kinds_of(Counter(kinds), rest)
        if more is not None and base and (not more or base + 1 <= base * even):
            return [unit * (base + (kind in more)) for kind in kinds]
    unit = next((u for u in units if u * 2 * count <= total), units[-1])
    base, rest = divmod(int(total / unit), count)
    each = [unit * (base + (k >= count - rest)) for k in range(count)]  # more for what comes last
    each[-1] += total - sum(each)
    return each


def _kinds_of(counts: Counter[Hashable], rest: int) -> set[Hashable] | None:
    """Finds kinds of which there are just so many, the last ones first; None where there are
    none."""
    reached: dict[int, tuple[Hashable, ...]] = {0: ()}
    for kind, count in reversed(counts.items()):
        new = {n + count: (*own, kind) for n, own in reached.items() if n + count <= rest}
        reached = {**new, **reached}
    found = reached.get(rest)
    return None if found is None else set(found)
