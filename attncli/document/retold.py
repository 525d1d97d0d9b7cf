"""Marks, empty texts, around the part of a sentence that is said otherwise when its numbers change.

No format but a live one sees them: which of a row is the largest, how large that is, what becomes
of it.
"""

# no lazy annotations here, as in `blocks`
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from attncli.maths.equations import deciding
from attncli.maths.equations.tree import Apply, Expression, Number, minus

if TYPE_CHECKING:
    from attncli.document.blocks import Span, Spans

NumberSource = Callable[[], Sequence[Number]]
"""A function that makes the numbers when somebody asks for them."""
Looks = Literal["", "size", "percent", "whole percent", "short"]


class Pick(NamedTuple):
    """The one of several numbers that a sentence speaks of, the largest or one of the next. Its
    parts are made when somebody asks."""

    of: int
    """How many numbers there are."""
    numbers: NumberSource
    name: "Callable[[int], Spans]" = lambda _: ()
    """Names the number at a place."""
    ties: bool = False
    """Whether all that look alike are told."""
    again: str = ""
    """What stands before each of these but the first."""
    rank: int = 1
    """Which it is from the largest on, from 1."""


class Value(NamedTuple):
    """The number that was picked."""

    pick: Pick | None = None
    """Its own pick; None for the last one of the sentence."""
    each: bool = False
    """Whether it is said of several."""
    looks: Looks = ""
    """How it is written: as its size, as a percentage, or without zeros at its end (`short`)."""
    unit: str = ""
    """What stands behind it."""


class Cases(NamedTuple):
    """A choice of what is said: the first whose condition isn't 0, from the digits shown; None
    always holds."""

    cases: "Sequence[tuple[Expression | None, Spans]]"


class Verb(NamedTuple):
    """The verb before a pick: to several of which one alone, or to all alike."""

    most: str
    only: str
    alike: str


class Followed(NamedTuple):
    """A mark of numbers that are just what they are, or of a sentence that is true of all."""


Told = Pick | Value | Verb | Cases | Followed


class Mark(str):
    """An empty text before something that may be told otherwise, which says what that is; behind
    it, one that says nothing."""

    told: Told | None

    def __new__(cls, told: Told | None = None) -> "Mark":
        mark = super().__new__(cls)
        mark.told = told
        return mark


def retold(told: Told, *spans: "Span") -> "Spans":
    """Marks spans as telling this of the numbers."""
    return (Mark(told), *spans, Mark())


def as_it_was(spans: "Spans") -> "Spans":
    """Removes the marks from spans whose numbers no page works again, such as those of a
    variant."""
    return tuple(span for span in spans if not isinstance(span, Mark))


def is_less(left: Expression, right: Expression) -> Expression:
    """Writes a condition: 1 where `left` is less than `right`, and 0 elsewhere."""
    return Apply("step", (minus(right, left),))


def by_case(*cases: "tuple[Expression | None, Spans]") -> "Spans":
    """Chooses what is said under the first condition that is met; nothing where none is."""
    for condition, spans in cases:
        if condition is None or deciding.shown(condition):
            return retold(Cases(cases), *spans)
    return ()


def value_of(number: Number, looks: Looks, shown: Number) -> "Spans":
    """Marks a number that is shown in another form."""
    return retold(Value(Pick(1, lambda: (number,)), looks=looks), shown)
