"""The extents of sides: which are equal, or add up, and which of them are known."""

from collections.abc import Callable
from typing import NamedTuple

from attncli.names import Name

Node = tuple[str, int]
"""A side of a quantity: its full name, and 0 for rows or 1 for columns."""

Reason = Name | tuple[Name, int]
"""The reason why sides are equally long: the making of a quantity, or the tokens along a side of a
given one."""


SIDES = ("rows", "columns")


def sized(size: int, side: int) -> str:
    """Writes an extent in words: `2 rows`, `1 column`."""
    noun = SIDES[side]
    return f"{size} {noun if size != 1 else noun.removesuffix('s')}"


class Extent(NamedTuple):
    """The length of a side, and what determines it."""

    size: int
    given: Name
    """The name of the given thing that determines it."""
    side: int
    """Which side of that thing it is: 0 for rows, 1 for columns."""
    derived: bool = False
    """Whether the length is only worked out from that side, as a part or a sum."""


class SumOfExtents(NamedTuple):
    """A statement that one side is as long as others together."""

    total: Node
    parts: tuple[tuple[Node, int], ...]
    """The other sides, each with how many times it is counted."""
    constant: int
    made: Reason
    """The quantity whose definition says so."""


Conflict = Callable[[Extent, Extent, Reason], None]
Uneven = Callable[[Extent, int, Reason], None]


class Extents:
    """The lengths of the sides of quantities. Sides that must be equally long are joined.

    `conflict(left, right, made)` is called for two extents that disagree where `made` is made, and
    `uneven(extent, parts, made)` for one that can't be cut into that many equal parts.
    """

    def __init__(self, conflict: Conflict, uneven: Uneven) -> None:
        self.conflict, self.uneven = conflict, uneven
        self._parents: dict[Node, Node] = {}
        self._sizes: dict[Node, Extent] = {}
        self._sums: list[SumOfExtents] = []

    def of(self, node: Node) -> Extent | None:
        """Returns the extent of a side, or None while it is unknown."""
        return self._sizes.get(self._root(node))

    def know(self, node: Node, extent: Extent, made: Reason) -> None:
        """Records the extent of a side, and reports a conflict with what is known of it."""
        root = self._root(node)
        known = self._sizes.setdefault(root, extent)
        if known.size != extent.size:
            self.conflict(known, extent, made)

    def join(self, left: Node, right: Node, made: Reason) -> None:
        """Records that two sides are equally long, as the making of `made` needs."""
        a, b = self._root(left), self._root(right)
        if a == b:
            return
        extent, other = self._sizes.get(a), self._sizes.get(b)
        if extent is not None and other is not None and extent.size != other.size:
            self.conflict(extent, other, made)
            return
        self._parents[b] = a
        if extent is None and other is not None:
            self._sizes[a] = other

    def add_up(self, sum_: SumOfExtents) -> None:
        """Records that a side is as long as others together."""
        self._sums.append(sum_)

    def settle(self) -> None:
        """Works out all that follows from the recorded sums."""
        waiting = list(self._sums)
        progress = True
        while progress:
            left = [total for total in waiting if not self._settled(total)]
            progress = len(left) < len(waiting)
            waiting = left
        self._sums = waiting

    def _settled(self, sum_: SumOfExtents) -> bool:
        """Draws what follows from a sum, and tells whether it can say nothing more."""
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
