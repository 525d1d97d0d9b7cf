"""Signatures of operations, `n k, k m -> n m`: the shapes of what goes in and what comes out.

`1` is a side that has no index, `3*b`, `a+b` and `4` are extents made of others or fixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from attncli.maths.equations.tree import Expression, Operand, operands_in


class Dim(str):
    """The extent of a side as it is written: a constant, and letters with how often each counts."""

    __slots__ = ("alone", "constant", "letters")

    constant: int
    letters: tuple[tuple[str, int], ...]
    alone: str | None
    """The letter that it is, if it is just one."""

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
    """The rows and columns of an operation's operands and of its result."""

    operands: tuple[Sides, ...]
    result: Sides

    def source_of(self, letter: str) -> tuple[int, int] | None:
        """Finds the first operand, and the side of it, that a letter stands for alone; None if
        there is none."""
        return self._sources.get(letter)

    @cached_property
    def alike(self) -> tuple[tuple[int, int] | None, ...]:
        """Finds, for the rows and the columns of the result, the operand and its side that give
        them their names; None where no letter alone says so."""
        return tuple(self.source_of(dim.alone) if dim.alone else None for dim in self.result)

    @cached_property
    def _sources(self) -> Mapping[str | None, tuple[int, int]]:
        sides = [(k, side) for k in reversed(range(len(self.operands))) for side in (1, 0)]
        return {self.operands[k][side].alone: (k, side) for k, side in sides}

    @property
    def indices(self) -> str:
        """Returns the indices of the result: `ij`, `i`, `j`, or none."""
        return "".join(indices_of(self.result))

    def along(self, operand: Operand) -> Along:
        """Returns the indices of an operand's cell, down its rows and along its columns."""
        indices, sides = iter(operand.indices), self.operands[operand.place]
        rows, columns = ("" if side == "1" else next(indices) for side in sides)
        return rows, columns

    def extents(self, operands: Sequence[tuple[int, ...]]) -> dict[str, int]:
        """Finds how long each side is, by its letter, from the shapes of the operands.

        Raises ValueError where the shapes don't fit together.
        """
        sizes: dict[str, int] = {"1": 1}
        for (rows, columns), shape in zip(self.operands, operands, strict=True):
            n, m = shape[:2]  # candidates have a third axis
            if sizes.setdefault(rows, n) != n or sizes.setdefault(columns, m) != m:
                text = ", ".join(map(str, operands))
                raise ValueError(f"these don't go together, but have the shapes {text}")
        return sizes


@cache
def parse(text: str) -> Signature:
    """Reads the signature that `text` writes, such as `n k, k m -> n m`.

    Raises ValueError for anything else.
    """
    before, arrow, after = text.partition("->")
    if not arrow:
        raise ValueError(f"{text!r} is no signature")
    operands = tuple(map(_sides, before.split(","))) if before.strip() else ()
    return Signature(operands, _sides(after))


def _sides(text: str) -> Sides:
    rows, columns = text.split()
    return Dim(rows), Dim(columns)


def indices_of(sides: Sides) -> Along:
    """Returns the indices of a result with these sides: i down its rows, j along its columns, none
    for a side of 1."""
    rows, columns = sides
    return "" if rows == "1" else "i", "" if columns == "1" else "j"


@lru_cache(maxsize=256)
def axes_of(tree: Expression, shapes: Signature) -> Mapping[str, tuple[int, int]]:
    """Finds, for each index of an equation, an operand and its axis that the index runs along."""
    indices = {index for operand in operands_in(tree) for index in operand.indices}
    return {index: axis_of(index, tree, shapes) for index in sorted(indices)}


def axis_of(index: str, tree: Expression, shapes: Signature) -> tuple[int, int]:
    """Finds an operand and its axis that an index runs along. Raises ValueError if there is
    none."""
    for operand in operands_in(tree):
        if index in operand.indices:
            return operand.place, shapes.along(operand).index(index)
    raise ValueError(f"no operand has the index {index}")
