"""Masks: which keys a query sees, and what stands in the place of the scores it doesn't see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from attncli.maths.equations.matrix import Matrix, Written
from attncli.maths.equations.tree import (
    Apply,
    Equation,
    Expression,
    Number,
    at,
    constant,
    define,
    minus,
    numbers_in,
)
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array, Flags, IndexArray, Rounding, Unworkable
from attncli.maths.operations.equation import Indexed, equation, read_equation
from attncli.maths.operations.operation import Working, ZeroOne
from attncli.maths.operations.softmax import all_masked
from attncli.names import Word

MINUS_INFINITY = Number.written(Decimal("-Infinity"))
"""What hides a score: e^(−∞) is 0."""


@dataclass(frozen=True)
class Causal:
    """A rule that hides every key after the query."""

    later: int = 0
    """How many places after the query a key may be, which is a mistake if not 0."""
    from_top: bool = False
    """Whether the first query is at the first key, whatever the other rules go by."""


@dataclass(frozen=True)
class Window:
    """A rule that shows only keys less than `width` away."""

    width: int


@dataclass(frozen=True)
class Padding:
    """A rule that hides these keys, counted from 0."""

    keys: tuple[int, ...]


@dataclass(frozen=True)
class TableRule:
    """A rule given by a table, where 0 is no and anything else yes."""

    allowed: bool
    """Whether the table says which keys are seen, or which are hidden."""


@dataclass(frozen=True)
class Finite:
    """A rule that hides each key for which a table, which is added to the scores, has −∞."""


_NO = np.empty((0, 0))
"""The table of a rule that has none."""

Rule = Causal | Window | Padding | TableRule | Finite


HIDING = -9_999.0
"""What stands for −∞ where a score is hidden, or is added to it, is this or less."""


def as_seen(values: Array) -> Array:
    """Converts a mask to ones and zeros where it is written as it is added to the scores: 0 where a
    key is seen, and −∞, or a large negative number, where it isn't."""
    hidden = values <= HIDING
    added = hidden.any() and (hidden | (values == 0)).all()
    return np.where(hidden, 0.0, 1.0) if added else values


@dataclass(frozen=True)
class Seen(ZeroOne):
    """A mask: 1 where a query sees a key by every rule, and 0 elsewhere. [n, m], [n, m], … -> [n,
    m]

    The first operand gives the shape, the others are the tables of the rules that go by one, in
    their order. The last query is at the last key: query i is at key i + (m − n), as behind a
    cache.
    """

    first_for_size = True

    rules: tuple[Rule, ...]
    must_see: bool = True
    """Whether a query that sees nothing is an error."""
    from_top: bool = False
    """Whether the first query is at the first key, which behind a cache is a mistake."""

    def signature(self) -> str:
        tables = sum(_has_table(rule) for rule in self.rules)
        return ", ".join(["n m"] * (1 + tables)) + " -> n m"

    def formula(self, name: str, *operands: str) -> Equation:
        tables = iter(operands[1:])
        words = (_words(rule, next(tables) if _has_table(rule) else "") for rule in self.rules)
        met = tuple(map(Word, words)) or (Word("key j is there"),)
        condition = met[0] if len(met) == 1 else Apply("and", met)
        return define(at(name, "i", "j"), Apply("where", (condition, constant(1), constant(0))))

    def values(self, *operands: Matrix) -> Array:
        n, m = operands[0].shape
        tables = [table.values for table in operands[1:]]
        if any(table.shape != (n, m) for table in tables):
            raise ValueError(f"a mask of scores [{n}, {m}] has another shape")
        ahead = self._ahead(n, m)
        queries, keys = (np.arange(n) + ahead)[:, np.newaxis], np.arange(m)[np.newaxis]
        return self._seen(self._placed(ahead), queries, keys, tables).astype(np.float64)

    def cell(self, i: int, j: int, *operands: Matrix) -> Working:
        n, m = operands[0].shape
        tables = [table.values[i : i + 1, j : j + 1] for table in operands[1:]]
        ahead = self._ahead(n, m)
        seen = self._seen(self._placed(ahead), np.array([[i + ahead]]), np.array([[j]]), tables)
        return (constant(int(seen[0, 0])),)

    def whole_form(self, i: int, j: int, *operands: Matrix) -> Expression:
        """Writes 1 or 0 by the places of query and key, or by what a table's number says."""
        tables = iter(operands[:0:-1])
        form: Expression = constant(1)
        ahead = self._ahead(*operands[0].shape)
        query = i + ahead
        for rule in reversed(self._placed(ahead)):
            if _has_table(rule):
                form = _by_table(rule, next(tables).number(i, j), form)
            else:
                form = _by_places(rule, query, j, form)
        return form

    def _ahead(self, n: int, m: int) -> int:
        """Counts the keys before that of the first query."""
        return 0 if self.from_top else m - n

    def _placed(self, ahead: int) -> tuple[Rule, ...]:
        """Adjusts the rules to queries before which so many keys come."""
        return tuple(
            Causal(rule.later - ahead) if isinstance(rule, Causal) and rule.from_top else rule
            for rule in self.rules
        )

    def check(self, result: Matrix, *operands: Matrix) -> None:  # noqa: ARG002
        blind = ~result.values.any(axis=1)
        if self.must_see and blind.any():
            raise all_masked(int(blind.argmax()))

    @staticmethod
    def _seen(
        rules: Sequence[Rule], queries: IndexArray, keys: IndexArray, tables: Sequence[Array]
    ) -> Flags:
        """Tells which of the keys [1, b] the queries [a, 1] see, both given by their places. -> [a,
        b]"""
        seen = np.ones((queries.shape[0], keys.shape[1]), dtype=np.bool_)
        left = iter(tables)
        for rule in rules:
            table = next(left) if _has_table(rule) else _NO
            seen &= _allows(rule, queries, keys, table)
        return seen


def _has_table(rule: Rule) -> bool:
    return isinstance(rule, TableRule | Finite)


def _allows(rule: Rule, queries: IndexArray, keys: IndexArray, table: Array) -> Flags:
    match rule:
        case Causal(later):
            return keys <= queries + later
        case Window(width):
            return np.asarray(np.abs(queries - keys) < width)
        case Padding(hidden):
            return np.isin(keys, hidden, invert=True)
        case TableRule(allowed):
            return np.asarray((table != 0) == allowed)
        case Finite():
            return ~np.isneginf(table)


def _by_table(rule: Rule, number: Number, seen: Expression) -> Expression:
    """Writes `seen`, on the condition that a number of the rule's table allows it."""
    if isinstance(rule, TableRule) and not rule.allowed:
        return Apply("where", (number, constant(0), seen))
    says = Apply("finite", (number,)) if isinstance(rule, Finite) else number
    return Apply("where", (says, seen, constant(0)))


def _by_places(rule: Rule, query: int, key: int, seen: Expression) -> Expression:
    """Writes `seen`, on the condition that a rule allows it for these places, which are shown from
    1."""
    q, k = constant(query + 1), constant(key + 1)
    match rule:
        case Causal(later):
            allowed = Apply("at_most", (k, constant(query + 1 + later)))
        case Window(width):
            allowed = Apply("less", (Apply("abs", (minus(q, k),)), constant(width)))
        case _:
            is_seen = _allows(rule, np.array([[query]]), np.array([[key]]), _NO).all()
            return seen if is_seen else constant(0)
    return Apply("where", (allowed, seen, constant(0)))


def _words(rule: Rule, table: str) -> str:
    match rule:
        case Causal(0, True):
            return "j is at most i"
        case Causal(later):
            return f"key j is not after query i{f' {later:+}'.replace('-', '−') if later else ''}"
        case Window(width):
            return f"key j is less than {width} away from query i"
        case Padding():
            return "key j is no padding"
        case TableRule(allowed):
            return f"{table}[i, j] is {'not ' if allowed else ''}0"
        case Finite():
            return f"{table}[i, j] is finite"


MET = "a condition that some numbers meet"
"""What would be right where none of them takes part."""


class Masked(Indexed):
    """The scores that are seen, with `value` in the place of the others: −∞, or something finite.
    Nothing is rounded. [n, m], [n, m] -> [n, m]"""

    layout = "rows"
    copies = True

    def __init__(self, value: Number = MINUS_INFINITY, told: Equation | None = None) -> None:
        text = "x[i, j] if seen[i, j] else value"
        read = read_equation(text, {"x": "n m", "seen": "n m"}, numbers={"value": value})
        super().__init__(*read, told=told)

    def round_result(self, rounding: Rounding, step: str, *operands: Matrix) -> Matrix:  # noqa: ARG002
        scores, (hidden,) = operands[0], {number.full for number in numbers_in(self.tree)}
        places = decimals.places(hidden)
        known = None if scores.places is None else max(scores.places, places)
        most = max(scores.decimals, places)
        return Matrix(self.values(*operands), known, most, self._written(hidden, *operands))

    def check(self, result: Matrix, *operands: Matrix) -> None:  # noqa: ARG002
        if self.told is None:  # then the mask says what must be seen
            return
        blind = np.isneginf(result.values).all(axis=1)
        if blind.any():
            raise Unworkable(int(blind.argmax()), "softmax over nothing", MET)

    def _written(self, hidden: Decimal, scores: Matrix, seen: Matrix) -> Written | None:
        if scores.written is None:
            return None
        pairs = zip(scores.written, seen.values, strict=True)
        return tuple(
            tuple(score if sees else hidden for score, sees in zip(*pair, strict=True))
            for pair in pairs
        )


AddFinite = equation(
    "x[i, j] + (table[i, j] if finite(table[i, j]) else 0)",
    shown="x[i, j] + finite(table[i, j])",
    x="n m",
    table="n m",
)
"""Scores and a table added up, but for the table's −∞, which hide a score rather than change it."""
