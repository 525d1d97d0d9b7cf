"""The shapes of an equation's operands, and where its indices go along them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from attncli.arithmetic.expression import Expression, Operand, leaves
from attncli.arithmetic.matrix import Matrix
from attncli.records import dataclass


@dataclass(frozen=True)
class Shapes:
    """The rows and columns of the operands and of the result, by letters; `1` has no index."""

    operands: tuple[tuple[str, ...], ...]
    result: tuple[str, ...]

    @property
    def indices(self) -> str:
        """The indices of the result: i down its rows, j along its columns."""
        return "".join(index for index, side in zip("ij", self.result, strict=True) if side != "1")

    def kept(self, place: int) -> list[int]:
        """The axes of an operand that have an index."""
        return [axis for axis, side in enumerate(self.operands[place]) if side != "1"]

    def cell(self, operand: Operand, at: Mapping[str, int]) -> tuple[int, int]:
        """The row and the column of an operand's cell."""
        indices = iter(operand.indices)
        row, column = (0 if side == "1" else at[next(indices)] for side in self._sides(operand))
        return row, column

    def _sides(self, operand: Operand) -> tuple[str, ...]:
        return self.operands[operand.place]

    def extents(self, operands: Sequence[tuple[int, ...]]) -> dict[str, int]:
        """How much each letter is. Raises ValueError where shapes don't go together."""
        sizes = {"1": 1}
        for sides, shape in zip(self.operands, operands, strict=True):
            for side, size in zip(sides, shape, strict=False):
                if sizes.setdefault(side, size) != size:
                    told = ", ".join(str(one) for one in operands)
                    raise ValueError(f"these don't go together, but have the shapes {told}")
        return sizes


@cache
def parsed(text: str) -> Shapes:
    """The shapes that a signature such as `n m, n 1 -> n m` tells."""
    before, _, after = text.partition(" -> ")
    return Shapes(tuple(tuple(one.split()) for one in before.split(", ")), tuple(after.split()))


def operands_in(tree: Expression) -> Iterator[Operand]:
    """The cells of operands that an equation has."""
    return (leaf for leaf in leaves(tree) if isinstance(leaf, Operand))


def axis_of(index: str, tree: Expression, shapes: Shapes) -> tuple[int, int]:
    """An operand and its axis that an index goes along."""
    for operand in operands_in(tree):
        if index in operand.indices:
            return operand.place, shapes.kept(operand.place)[operand.indices.index(index)]
    raise ValueError(f"no operand has the index {index}")


def sizes_of(tree: Expression, shapes: Shapes, operands: Sequence[Matrix]) -> dict[str, int]:
    """How many cells each index goes over."""
    sizes: dict[str, int] = {}
    for operand in operands_in(tree):
        kept = shapes.kept(operand.place)
        for index, axis in zip(operand.indices, kept, strict=True):
            sizes[index] = operands[operand.place].shape[axis]
    return sizes
