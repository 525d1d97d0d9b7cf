"""What sentences are put together from, and the one that says who attends most to whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from attncli.arithmetic import decimals
from attncli.arithmetic.elision import MOST_PARTS, elided
from attncli.arithmetic.expression import Number
from attncli.document import Span, Spans
from attncli.trace import Quantity
from attncli.word import Word


def counted(count: int, noun: str) -> str:
    """`1 token`, `3 tokens`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def put_in(template: str, **parts: Spans | str) -> Spans:
    """A sentence with what is put in for each `{name}` of it."""
    spans: list[Span] = []
    for text, name in _fields(template):
        part = parts[name] if name else ()
        for span in (text, *((part,) if isinstance(part, str) else part)):
            if spans and isinstance(span, str) and isinstance(spans[-1], str):
                spans[-1] += span
            elif span != "":
                spans.append(span)
    return tuple(spans)


@lru_cache(maxsize=512)
def _fields(template: str) -> tuple[tuple[str, str], ...]:
    """The texts of a template, each with the name of what comes after it."""
    parts = [part.partition("{")[::2] for part in template.split("}")]
    return tuple(part for part in parts if any(part))


def joined(parts: Iterable[Spans], by: str = ", ") -> Spans:
    """Some running texts as one, with a comma between them or whatever else."""
    spans: list[Span] = []
    for part in parts:
        spans += [by, *part] if spans else part
    return tuple(spans)


def enumerated(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), *names[-1:]] if names[1:] else names)


def words_enumerated(names: Sequence[str]) -> Spans:
    """The same of somebody's words, each one by itself."""
    *others, last = (Word(name) for name in names)
    return (*joined((other,) for other in others), *((" and ",) if others else ()), last)


def in_turns(names: Sequence[str]) -> Iterator[str]:
    """Names one after the other, those that come several times in turn once: `a, 3 × (b, c)`."""
    start = 0
    while start < len(names):
        size, times = max(_turns(names[start:]), key=lambda one: one[0] * (one[1] - 1))
        told = " → ".join(names[start : start + size])
        yield told if times == 1 else f"{times} × {told}" if size == 1 else f"{times} × ({told})"
        start += size * times


def _turns(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """How often the first names come in turn, for each number of them."""
    yield 1, 1
    for size in range(1, len(names) // 2 + 1):
        times = 1
        while names[times * size : (times + 1) * size] == names[:size]:
            times += 1
        yield size, times


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


def contrasted(one: Number, other: Number) -> tuple[Number, Number] | None:
    """Two numbers as they are shown, or where these are alike with as many more decimals as it
    takes; None where no digit tells them apart."""
    if one.shown != other.shown:
        return one, other
    first = decimals.places(one.shown) + 1
    for places in range(first, first + decimals.SIGNIFICANT):
        a, b = (decimals.shown(float(number.full), places) for number in (one, other))
        if a != b:
            return Number.written(a), Number.written(b)
    return None
