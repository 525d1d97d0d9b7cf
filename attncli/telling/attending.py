"""Who attends most to whom, in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from attncli.arithmetic import decimals
from attncli.arithmetic.elision import MOST_PARTS, elided
from attncli.arithmetic.expression import Number
from attncli.document import Spans
from attncli.telling.sentences import joined
from attncli.trace import Quantity
from attncli.word import Word

MOST_TIED = 3
"""So many of those that tie are named."""
_MOST, _ONLY, _ALIKE = "attends most to ", "attends only to ", "attends to all alike"


class Attending(NamedTuple):
    """Whom a query attends to most: the places of those keys, as many as the digits shown don't
    tell apart, of how many, the weight of each, and whether the others have none at all."""

    query: int
    keys: tuple[int, ...]
    of: int
    weight: Number
    alone: bool

    @classmethod
    def of_row(cls, weights: Quantity, i: int) -> Attending:
        numbers = [weights.matrix.number(i, j) for j in range(weights.matrix.shape[1])]
        most = max(number.shown for number in numbers)
        keys = tuple(j for j, number in enumerate(numbers) if number.shown == most)
        others = (number for number in numbers if number.shown != most)
        alone = len(keys) == 1 and all(number.full == 0 for number in others)
        return cls(i, keys, len(numbers), numbers[keys[0]], alone)

    @property
    def verb(self) -> str:
        if self.alone:
            return _ONLY
        return _ALIKE if 1 < len(self.keys) == self.of else _MOST

    def told(self, weights: Quantity) -> tuple[object, ...]:
        """What is said of it: how the query attends, to whom, and how much."""
        keys = tuple(weights.columns.names[j] for j in self.keys)
        return self.verb, keys, self.weight.shown


def attended(weights: Quantity, rows: Sequence[int], *, to_itself: bool) -> Spans:
    """`I attends most to itself and to AI (0.422 each); love to AI (0.576).` `to_itself` says that
    the keys are of the same tokens as the queries."""
    shown = [
        None if k is None else Attending.of_row(weights, rows[k])
        for k in elided(len(rows), MOST_PARTS)
    ]
    clauses = [
        ("…",) if one is None else _clause(weights, one, before, to_itself=to_itself)
        for before, one in pairwise((None, *shown))
    ]
    return (*joined(clauses, "; "), ".")


def _clause(
    weights: Quantity, one: Attending, before: Attending | None, *, to_itself: bool
) -> Spans:
    """A query and whom it attends to; the verb is said once for those that have the same."""
    query = weights.rows.names[one.query]
    again = before is not None and before.verb == one.verb
    verb = one.verb.removeprefix("attends ").removeprefix("most ") if again else one.verb
    start = (*called_as(weights.rows.names, one.query), f" {verb}")
    number = (" (", one.weight, " each)" if len(one.keys) > 1 else ")")
    if one.verb == _ALIKE:
        return (*start, *number)
    names = weights.columns.names
    itself = names.index(query) if to_itself and query in names else None
    keys = [("itself",) if j == itself else called_as(names, j) for j in one.keys]
    return (*start, *tied(keys, "to "), *number)


def called_as(names: Sequence[str], place: int) -> Spans:
    """A token by its name: `love`, `“.”`, or `token 1` where it has none."""
    name = names[place]
    if name == str(place + 1):
        return ("token ", Word(name))
    if any(character.isalnum() for character in name):
        return (Word(name),)
    return ("“", Word(name), "”")


def tied(names: Iterable[Spans], again: str = "", many: int = 0) -> Spans:
    """`A`, `A and to B`, `A, to B and to C`, `A, to B, to C and 4 others`; of `many` the first few
    names are enough."""
    every = list(names)
    named, left = every[:MOST_TIED], max(len(every), many) - MOST_TIED
    more: list[Spans] = [] if left <= 0 else [(f"{left} other{'' if left == 1 else 's'}",)]
    parts = [*((() if k == 0 else (again,)) + one for k, one in enumerate(named)), *more]
    *first, last = (*parts,)
    return (*joined(first), " and ", *last) if first else last


def percent(number: Number, places: int | None = None) -> Number:
    """A share of 1 as a percentage, from the digits shown: with all of these, or rounded."""
    hundredfold = decimals.product(number.shown, decimals.counted(100, 0))
    exact = decimals.round_to(hundredfold, max(0, decimals.places(number.shown) - 2))
    rounded = exact if places is None else decimals.round_to(exact, places)
    return Number.written(rounded or exact)
