"""Marks in a sentence around what is said otherwise when its numbers are others: which of a row is
the largest, how large that is, what becomes of it. They are empty texts, which no format but a live
one sees."""

# no lazy annotations here, as in `blocks`
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from attncli.equations import deciding
from attncli.equations.tree import Apply, Expression, Number, minus

if TYPE_CHECKING:
    from attncli.document.blocks import Span, Spans

Numbers = Callable[[], Sequence[Number]]
By = Literal["most", "least", "size", "steep", "change"]
Looks = Literal["", "size", "percent", "whole percent", "short"]


class Pick(NamedTuple):
    """The one of so many numbers that is the largest, the smallest, the largest in size, in full or
    as it is shown (`steep`), or furthest from that of `others`; of those that look alike all, where
    `ties` can be told, each behind `again` but the first. `rank` counts from the first one; `leads`
    stand before the name of one above 0, and of one below, `signs` behind it. All are made when
    somebody asks."""

    of: int
    numbers: Numbers
    name: "Callable[[int], Spans]" = lambda _: ()
    by: By = "most"
    others: Numbers | None = None
    ties: bool = False
    again: str = ""
    rank: int = 1
    leads: tuple[str, str] = ("", "")
    signs: tuple[str, str] = ("", "")


class Value(NamedTuple):
    """The number that was picked last, or by a pick of its own; `before` what it was of `others`,
    `each` whether of several that is said, behind a `unit`. It may look as its size, as a
    percentage, or without zeros at its end (`short`)."""

    pick: Pick | None = None
    before: bool = False
    each: bool = False
    looks: Looks = ""
    unit: str = ""


class Cases(NamedTuple):
    """What is said where a condition first isn't 0, from the digits shown; None always is so."""

    cases: "Sequence[tuple[Expression | None, Spans]]"


class Verb(NamedTuple):
    """What one does to what is picked next, to several of which one alone, or to all alike; without
    its beginning where the sentence has said the same."""

    most: str
    only: str
    alike: str
    goes_on: bool


class Followed(NamedTuple):
    """Numbers that are just what they are, or a sentence that is true of all."""


Told = Pick | Value | Verb | Cases | Followed


class Mark(str):
    """Before something that may be told otherwise what that is; behind it nothing."""

    told: Told | None

    def __new__(cls, told: Told | None = None) -> "Mark":
        mark = super().__new__(cls)
        mark.told = told
        return mark


def retold(told: Told, *spans: "Span") -> "Spans":
    """Spans as what they tell of these numbers."""
    return (Mark(told), *spans, Mark())


def as_it_was(spans: "Spans") -> "Spans":
    """Spans of numbers that no page works again, such as those of a variant."""
    return tuple(span for span in spans if not isinstance(span, Mark))


def is_less(left: Expression, right: Expression) -> Expression:
    """A condition: 1 where it is so, else 0."""
    return Apply("step", (minus(right, left),))


def by_case(*cases: "tuple[Expression | None, Spans]") -> "Spans":
    """What is said of the first condition that is met; nothing where none is."""
    for condition, spans in cases:
        if condition is None or deciding.shown(condition):
            return retold(Cases(cases), *spans)
    return ()


def value_of(number: Number, looks: Looks, shown: Number) -> "Spans":
    """A number as something else than it is."""
    return retold(Value(Pick(1, lambda: (number,)), looks=looks), shown)
