"""Masks: which keys a query sees, and what stands in the place of the scores it doesn't see."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from attncli.arithmetic import decimals
from attncli.arithmetic.equations.bounds import EPSILON
from attncli.arithmetic.expression import Apply, Equation, Number, Sum, Symbol, constant
from attncli.arithmetic.formula import at, define
from attncli.arithmetic.matrix import Matrix, Written
from attncli.arithmetic.operations.base import (
    Operation,
    Working,
    ZeroOne,
    cells_of_row,
    most_places,
)
from attncli.arithmetic.operations.softmax import all_masked
from attncli.arithmetic.rounding import Array, Error, Rounding, largest
from attncli.records import dataclass

MINUS_INFINITY = Number.written(Decimal("-Infinity"))
"""What hides a score: e^(−∞) is 0."""

Places = NDArray[np.int_]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Causal:
    """No key after the query."""


@dataclass(frozen=True)
class Window:
    """Only keys less than `width` away."""

    width: int


@dataclass(frozen=True)
class Padding:
    """None of these keys, counted from 0."""

    keys: tuple[int, ...]


@dataclass(frozen=True)
class TableRule:
    """What a given table says, where 0 is no: which keys are `allowed`, or which are not."""

    allowed: bool


@dataclass(frozen=True)
class Finite:
    """No key for which a given table, which is added to the scores, has −∞."""


Rule = Causal | Window | Padding | TableRule | Finite


@dataclass(frozen=True)
class Seen(ZeroOne):
    """1 where a query sees a key by every rule, else 0. The first operand gives the shape, the
    others are the tables of the rules that go by one, in their order.
    [n, m], [n, m], … -> [n, m]

    The last query is at the last key: query i is at key i + (m − n), as behind a cache.
    """

    rules: tuple[Rule, ...]
    must_see: bool = True
    """Whether it is refused that a query sees nothing."""

    def signature(self) -> str:
        tables = sum(_has_table(rule) for rule in self.rules)
        return ", ".join(["n m"] * (1 + tables)) + " -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        tables = iter(operands[1:])
        words = (_words(rule, next(tables) if _has_table(rule) else "") for rule in self.rules)
        return define(name, Symbol("seen", tuple(words) or ("every key",)))

    def values(self, *operands: Matrix) -> Array:
        n, m = operands[0].shape
        tables = [table.values for table in operands[1:]]
        if any(table.shape != (n, m) for table in tables):
            raise ValueError(f"a mask of scores [{n}, {m}] has another shape")
        queries = np.arange(m - n, m)[:, np.newaxis]
        return self._seen(queries, np.arange(m)[np.newaxis], tables).astype(np.float64)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        n, m = operands[0].shape
        tables = [table.values[i : i + 1, j : j + 1] for table in operands[1:]]
        seen = self._seen(np.array([[i + m - n]]), np.array([[j]]), tables)
        return (constant(int(seen[0, 0])),)

    def check(self, result: Matrix, *operands: Matrix) -> None:  # noqa: ARG002
        blind = ~result.values.any(axis=1)
        if self.must_see and blind.any():
            raise all_masked(int(blind.argmax()))

    def _seen(self, queries: Places, keys: Places, tables: Sequence[Array]) -> Flags:
        """Which of the keys [1, b] the queries [a, 1] see, both by their places. -> [a, b]"""
        seen = np.ones((queries.shape[0], keys.shape[1]), dtype=np.bool_)
        left = iter(tables)
        for rule in self.rules:
            table = next(left) if _has_table(rule) else np.empty((0, 0))
            seen &= _allows(rule, queries, keys, table)
        return seen


def _has_table(rule: Rule) -> bool:
    return isinstance(rule, TableRule | Finite)


def _allows(rule: Rule, queries: Places, keys: Places, table: Array) -> Flags:
    match rule:
        case Causal():
            return keys <= queries
        case Window(width):
            return np.asarray(np.abs(queries - keys) < width)
        case Padding(hidden):
            return np.isin(keys, hidden, invert=True)
        case TableRule(allowed):
            return np.asarray((table != 0) == allowed)
        case Finite():
            return ~np.isneginf(table)


def _words(rule: Rule, table: str) -> str:
    match rule:
        case Causal():
            return "no key after the query"
        case Window(width):
            return f"keys less than {width} away"
        case Padding():
            return "no padding"
        case TableRule(allowed):
            return table if allowed else f"not {table}"
        case Finite():
            return f"finite {table}"


@dataclass(frozen=True)
class Masked(Operation):
    """The score where it is seen, else `value`: −∞, or something finite. Nothing is rounded.
    [n, m], [n, m] -> [n, m]"""

    layout = "rows"
    copies = True

    value: Number = MINUS_INFINITY

    def signature(self) -> str:
        return "n m, n m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        scores, seen = (at(operand, "i", "j") for operand in operands)
        return define(at(name, "i", "j"), Apply("where", (seen, scores, self.value)))

    def made(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        scores = operands[0]
        places = decimals.places(self.value.full)
        known = None if scores.places is None else max(scores.places, places)
        most = max(scores.decimals, places)
        return Matrix(self.values(*operands), known, most, self._written(*operands))

    def values(self, *operands: Matrix) -> Array:
        scores, seen = operands
        if scores.shape != seen.shape:
            raise ValueError(f"a mask of scores {scores.shape} has the shape {seen.shape}")
        return np.where(seen.values != 0, scores.values, float(self.value.full))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        scores, seen = operands
        return (scores.number(i, j) if seen.values[i, j] else self.value,)

    def _written(self, *operands: Matrix) -> Written | None:
        scores, seen = operands
        if scores.written is None:
            return None
        pairs = zip(scores.written, seen.values, strict=True)
        return tuple(
            tuple(score if sees else self.value.full for score, sees in zip(*pair, strict=True))
            for pair in pairs
        )


class AddFinite(Operation):
    """Scores and a table added up, but for the table's −∞, which hide a score rather than
    change it. [n, m], [n, m] -> [n, m]"""

    def signature(self) -> str:
        return "n m, n m -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        scores, table = (at(operand, "i", "j") for operand in operands)
        return define(at(name, "i", "j"), Sum((scores, Apply("finite", (table,)))))

    def values(self, *operands: Matrix) -> Array:
        scores, table = operands
        if scores.shape != table.shape:
            raise ValueError(f"{table.shape} can't be added to scores {scores.shape}")
        return np.asarray(scores.values + _finite(table))

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        scores, table = operands
        if table.values[i, j] == -math.inf:
            return (scores.number(i, j),)
        return (Sum((scores.number(i, j), table.number(i, j))),)

    def row(self, i: int, names: tuple[str, ...], *operands: Matrix) -> Working:  # noqa: ARG002
        return (cells_of_row(self, i, operands[0].shape[1], *operands),)

    def places(self, *operands: Matrix) -> int | None:
        return most_places(*operands)

    def error(self, *operands: Matrix) -> Error:
        return Error(4 * EPSILON * sum(largest(operand.values) for operand in operands))

    def sizes(self, *operands: Matrix) -> Array:
        return np.asarray(np.abs(operands[0].values) + np.abs(_finite(operands[1])))


def _finite(table: Matrix) -> Array:
    """The table with 0 for −∞."""
    return np.where(np.isneginf(table.values), 0.0, table.values)
