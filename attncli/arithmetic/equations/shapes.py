"""The shapes of an equation's operands, and where its indices go along them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from attncli.arithmetic.expression import Expression, Operand, leaves
from attncli.records import dataclass


@dataclass(frozen=True)
class Shapes:
    """The rows and columns of the operands and of the result, by letters; `1` has no index."""

    operands: tuple[tuple[str, str], ...]
    result: tuple[str, str]

    @property
    def indices(self) -> str:
        """The indices of the result: i down its rows, j along its columns."""
        return "".join(index for index, side in zip("ij", self.result, strict=True) if side != "1")

    def kept(self, place: int) -> list[int]:
        """The axes of an operand that have an index."""
        return [axis for axis, side in enumerate(self.operands[place]) if side != "1"]

    def along(self, operand: Operand) -> tuple[str, str]:
        """The indices along an operand's rows and columns; 1 where it has none."""
        indices, sides = iter(operand.indices), self.operands[operand.place]
        rows, columns = ("1" if side == "1" else next(indices) for side in sides)
        return rows, columns

    def extents(self, operands: Sequence[tuple[int, ...]]) -> dict[str, int]:
        """How much each letter is. Raises ValueError where shapes don't go together."""
        sizes = {"1": 1}
        for (rows, columns), shape in zip(self.operands, operands, strict=True):
            n, m = shape[:2]  # candidates have a third axis
            if sizes.setdefault(rows, n) != n or sizes.setdefault(columns, m) != m:
                told = ", ".join(map(str, operands))
                raise ValueError(f"these don't go together, but have the shapes {told}")
        return sizes


@cache
def parsed(text: str) -> Shapes:
    """The shapes that a signature such as `n m, n 1 -> n m` tells."""
    before, _, after = text.partition(" -> ")
    return Shapes(tuple(map(_sides, before.split(", "))), _sides(after))


def _sides(text: str) -> tuple[str, str]:
    rows, columns = text.split()
    return rows, columns


def operands_in(tree: Expression) -> Iterator[Operand]:
    """The cells of operands that an equation has."""
    return (leaf for leaf in leaves(tree) if isinstance(leaf, Operand))


@lru_cache(maxsize=256)
def axes_of(tree: Expression, shapes: Shapes) -> Mapping[str, tuple[int, int]]:
    """For each index of an equation an operand and its axis that it goes along."""
    indices = {index for operand in operands_in(tree) for index in operand.indices}
    return {index: axis_of(index, tree, shapes) for index in indices}


def axis_of(index: str, tree: Expression, shapes: Shapes) -> tuple[int, int]:
    """An operand and its axis that an index goes along."""
    for operand in operands_in(tree):
        if index in operand.indices:
            return operand.place, shapes.kept(operand.place)[operand.indices.index(index)]
    raise ValueError(f"no operand has the index {index}")
