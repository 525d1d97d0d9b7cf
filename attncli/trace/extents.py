"""Extents that must be equal, or add up: a small solver for the shapes of matrices."""

from collections.abc import Callable
from typing import NamedTuple

from attncli.name import Name

Node = tuple[str, int]
"""A side of a quantity: its full name, and 0 for rows or 1 for columns."""

Reason = Name | tuple[Name, int]
"""What says that sides are so long: the making of a quantity, or the tokens along a given one's
side."""


SIDES = ("rows", "columns")


def sized(size: int, side: int) -> str:
    """`2 rows`, `1 column`."""
    noun = SIDES[side]
    return f"{size} {noun if size != 1 else noun.removesuffix('s')}"


class Extent(NamedTuple):
    """How long a side is, and the given thing and its side that make it so.

    `derived` says that the size is only worked out from that side, as a part or a sum."""

    size: int
    given: Name
    side: int
    derived: bool = False


class SumOfExtents(NamedTuple):
    """A side that is as long as others together, and the quantity whose definition says so."""

    total: Node
    parts: tuple[tuple[Node, int], ...]
    constant: int
    made: Reason


Conflict = Callable[[Extent, Extent, Reason], None]
Uneven = Callable[[Extent, int, Reason], None]


class Extents:
    """Sides of quantities, joined where they are equally long.

    `conflict(left, right, made)` hears of two extents that disagree where `made` is made,
    `uneven(extent, parts, made)` of one that can't be cut into so many equal parts.
    """

    def __init__(self, conflict: Conflict, uneven: Uneven) -> None:
        self.conflict, self.uneven = conflict, uneven
        self._parents: dict[Node, Node] = {}
        self._sizes: dict[Node, Extent] = {}
        self._sums: list[SumOfExtents] = []

    def of(self, node: Node) -> Extent | None:
        """How long a side is, if it is known."""
        return self._sizes.get(self._root(node))

    def know(self, node: Node, extent: Extent, made: Reason) -> None:
        """A side has an extent."""
        root = self._root(node)
        known = self._sizes.setdefault(root, extent)
        if known.size != extent.size:
            self.conflict(known, extent, made)

    def join(self, left: Node, right: Node, made: Reason) -> None:
        """Two sides are equally long, as the making of `made` needs."""
        a, b = self._root(left), self._root(right)
        if a == b:
            return
        one, other = self._sizes.get(a), self._sizes.get(b)
        if one is not None and other is not None and one.size != other.size:
            self.conflict(one, other, made)
            return
        self._parents[b] = a
        if one is None and other is not None:
            self._sizes[a] = other

    def add_up(self, sum_: SumOfExtents) -> None:
        """A side is as long as others together."""
        self._sums.append(sum_)

    def settle(self) -> None:
        """Works out what follows from the sums, as far as it goes."""
        waiting = list(self._sums)
        progress = True
        while progress:
            left = [one for one in waiting if not self._settled(one)]
            progress = len(left) < len(waiting)
            waiting = left
        self._sums = waiting

    def _settled(self, sum_: SumOfExtents) -> bool:
        """Whether a sum has told all that it can."""
        total = self.of(sum_.total)
        unknown = {self._root(node): 0 for node, _ in sum_.parts if self.of(node) is None}
        for node, count in sum_.parts:
            if self._root(node) in unknown:
                unknown[self._root(node)] += count
        known = sum_.constant + sum(
            extent.size * count for node, count in sum_.parts if (extent := self.of(node))
        )
        if not unknown:
            first = next((e for node, _ in sum_.parts if (e := self.of(node))), None)
            origin = first or total
            if origin is not None:
                derived = Extent(known, origin.given, origin.side, derived=True)
                self.know(sum_.total, derived, sum_.made)
            return True
        if total is None or len(unknown) > 1:
            return False
        ((node, count),) = unknown.items()
        rest = total.size - known
        if rest <= 0 or rest % count:
            self.uneven(total, count, sum_.made)
        else:
            part = Extent(rest // count, total.given, total.side, derived=True)
            self.know(node, part, sum_.made)
        return True

    def _root(self, node: Node) -> Node:
        while node in self._parents:
            node = self._parents[node]
        return node
