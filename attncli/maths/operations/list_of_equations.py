"""Operations that are lists of which each number has an equation of its own, as scores of words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import count
from typing import NamedTuple

import numpy as np

from attncli.maths.equations.formulas import cell
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import (
    Expression,
    Operand,
    with_each,
)
from attncli.maths.numbers.rounding import Array, Error
from attncli.maths.operations.equation import Indexed
from attncli.maths.operations.operation import ByFirstForm, most_of


def number_of(place: int, row: int, column: int = 0) -> Operand:
    """Makes one number of an operand, by its places from 0."""
    return Operand(place, (str(row), str(column)))


class _Alike(NamedTuple):
    """Rows whose equations differ only in which rows and columns they take their numbers from."""

    rows: list[int]
    equation: Indexed
    taken: list[tuple[int, list[int], list[int]]]
    """For each of its operands the place of the whole one, and these rows and columns."""

    def places(self, operands: Sequence[Matrix]) -> int | None:
        return self.equation.places(*(operands[place] for place, _, _ in self.taken))

    def operands(self, arrays: Sequence[Array]) -> list[Array]:
        return [arrays[place][rows, columns][:, np.newaxis] for place, rows, columns in self.taken]


class ListOfEquations(ByFirstForm):
    """An operation whose numbers have an equation each: result[i] = `trees[i]`, with single numbers
    (`number_of`) for operands."""

    @property
    @abstractmethod
    def trees(self) -> Sequence[Expression]:
        """Returns the equation of each number."""

    def values(self, *operands: Matrix) -> Array:
        return self.arrays([operand.values for operand in operands])

    def arrays(self, operands: Sequence[Array]) -> Array:
        """Computes the result of plain arrays [n, m], or of those of many candidates [n, m, b]."""
        made = [group.equation.arrays(group.operands(operands)) for group in self._groups]
        return np.asarray(np.concatenate(made)[self._order])

    def first_form(self, i: int, j: int, *operands: Matrix) -> Expression:  # noqa: ARG002
        def number(node: Operand) -> Expression:
            return operands[node.place].number(*map(int, node.indices))

        return with_each(self._trees[i], Operand, number)

    def places(self, *operands: Matrix) -> int | None:
        return most_of([group.places(operands) for group in self._groups])

    def error(self, *operands: Matrix) -> Error:
        arrays = [operand.values for operand in operands]
        errors = [
            group.equation.error(*(Matrix(array, None, 0) for array in group.operands(arrays)))
            for group in self._groups
        ]
        absolute = max(float(np.max(error.absolute)) for error in errors)
        return Error(absolute, max(error.relative for error in errors))

    @cached_property
    def _trees(self) -> Sequence[Expression]:
        return tuple(self.trees)

    @cached_property
    def _groups(self) -> list[_Alike]:
        found: dict[Expression, tuple[list[int], list[list[Operand]]]] = {}
        for i, tree in enumerate(self._trees):
            taken: list[Operand] = []
            rows, numbers = found.setdefault(_without_places(tree, taken), ([], []))
            rows.append(i)
            numbers.append(taken)
        return [
            _Alike(rows, _over_lists(tree), _taken(numbers))
            for tree, (rows, numbers) in found.items()
        ]

    @cached_property
    def _order(self) -> list[int]:
        """Finds the place of each row in the rows of all groups, one after the other."""
        rows = [row for group in self._groups for row in group.rows]
        return sorted(range(len(rows)), key=rows.__getitem__)


def _without_places(tree: Expression, taken: list[Operand]) -> Expression:
    """Replaces the numbers in a tree by whole operands, and appends them to `taken`."""

    def change(node: Operand) -> Expression:
        taken.append(node)
        return Operand(node.place)

    return with_each(tree, Operand, change)


def _taken(numbers: Sequence[Sequence[Operand]]) -> list[tuple[int, list[int], list[int]]]:
    """Finds, for each number that an equation takes, its operand and the row and the column of it
    for each row.

    An equation without numbers gets one all the same, which tells how many rows there are.
    """
    each = [*zip(*numbers, strict=True)] or [(number_of(0, 0),) * len(numbers)]
    return [
        (alike[0].place, *([int(value.indices[side]) for value in alike] for side in (0, 1)))
        for alike in each
    ]


@lru_cache(maxsize=256)
def _over_lists(tree: Expression) -> Indexed:
    """Makes the equation that has a list in the place of each of its numbers, from left to
    right."""
    lists = count()
    listed = with_each(tree, Operand, lambda _: cell(next(lists), "i"))
    return Indexed(", ".join(["n 1"] * max(1, next(lists))) + " -> n 1", listed)
