"""Signatures of operations, `n k, k m -> n m`: the shapes of what goes in and what comes out.

`1` is a side that has no index, `3*b`, `a+b` and `4` are extents made of others or fixed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from attncli.arithmetic.expression import Expression, Operand, leaves


class Dim(str):
    """An extent as it is written: a constant, and letters with how often each counts; `alone` is
    the letter that it is, if it is just one."""

    __slots__ = ("alone", "constant", "letters")

    constant: int
    letters: tuple[tuple[str, int], ...]
    alone: str | None

    def __new__(cls, text: str) -> Dim:
        dim = super().__new__(cls, text)
        terms = text.split("+")
        counted = (term.partition("*") for term in terms if not term.isdigit())
        dim.constant = sum(int(term) for term in terms if term.isdigit())
        dim.letters = tuple(
            (letter, int(first)) if star else (first, 1) for first, star, letter in counted
        )
        dim.alone = text if dim.letters == ((text, 1),) else None
        return dim


Sides = tuple[Dim, Dim]
"""How many rows something has, and how many columns."""
Along = tuple[str, str]
"""The index down the rows of a matrix and the one along its columns; empty where it has none."""


@dataclass(frozen=True)
class Signature:
    """The rows and columns of each operand, and of the result."""

    operands: tuple[Sides, ...]
    result: Sides

    def source_of(self, letter: str) -> tuple[int, int] | None:
        """The first operand and its side that a letter stands alone for."""
        return self._sources.get(letter)

    @cached_property
    def alike(self) -> tuple[tuple[int, int] | None, ...]:
        """For the rows and the columns of the result the operand and its side that have their
        names, where one letter says so."""
        return tuple(self.source_of(dim.alone) if dim.alone else None for dim in self.result)

    @cached_property
    def _sources(self) -> Mapping[str | None, tuple[int, int]]:
        sides = [(k, side) for k in reversed(range(len(self.operands))) for side in (1, 0)]
        return {self.operands[k][side].alone: (k, side) for k, side in sides}

    @property
    def indices(self) -> str:
        """The indices of the result."""
        return "".join(indices_of(self.result))

    def along(self, operand: Operand) -> Along:
        """The indices of an operand."""
        indices, sides = iter(operand.indices), self.operands[operand.place]
        rows, columns = ("" if side == "1" else next(indices) for side in sides)
        return rows, columns

    def extents(self, operands: Sequence[tuple[int, ...]]) -> dict[str, int]:
        """How much each letter is. Raises ValueError where shapes don't go together."""
        sizes: dict[str, int] = {"1": 1}
        for (rows, columns), shape in zip(self.operands, operands, strict=True):
            n, m = shape[:2]  # candidates have a third axis
            if sizes.setdefault(rows, n) != n or sizes.setdefault(columns, m) != m:
                told = ", ".join(map(str, operands))
                raise ValueError(f"these don't go together, but have the shapes {told}")
        return sizes


@cache
def parse(text: str) -> Signature:
    """The signature that `text` writes. Raises ValueError for anything else."""
    before, arrow, after = text.partition("->")
    if not arrow:
        raise ValueError(f"{text!r} is no signature")
    operands = tuple(map(_sides, before.split(","))) if before.strip() else ()
    return Signature(operands, _sides(after))


def _sides(text: str) -> Sides:
    rows, columns = text.split()
    return Dim(rows), Dim(columns)


def indices_of(sides: Sides) -> Along:
    """The indices of a result of such sides: i down its rows, j along its columns."""
    rows, columns = sides
    return "" if rows == "1" else "i", "" if columns == "1" else "j"


def operands_in(tree: Expression) -> Iterator[Operand]:
    """The cells of operands that an equation has."""
    return (leaf for leaf in leaves(tree) if isinstance(leaf, Operand))


@lru_cache(maxsize=256)
def axes_of(tree: Expression, shapes: Signature) -> Mapping[str, tuple[int, int]]:
    """For each index of an equation an operand and its axis that it goes along."""
    indices = {index for operand in operands_in(tree) for index in operand.indices}
    return {index: axis_of(index, tree, shapes) for index in indices}


def axis_of(index: str, tree: Expression, shapes: Signature) -> tuple[int, int]:
    """An operand and its axis that an index goes along."""
    for operand in operands_in(tree):
        if index in operand.indices:
            return operand.place, shapes.along(operand).index(index)
    raise ValueError(f"no operand has the index {index}")
