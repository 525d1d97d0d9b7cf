"""Marks in a sentence around what is said otherwise when its numbers are others: which of a row is
the largest, and how large that is. They are empty texts, which no format but a live one sees."""

# no lazy annotations here, as in `blocks`
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from attncli.equations.tree import Number

if TYPE_CHECKING:
    from attncli.document.blocks import Span, Spans

Numbers = Callable[[], Sequence[Number]]
By = Literal["most", "least", "size", "change"]


class Pick(NamedTuple):
    """The one of so many numbers that is the largest, the smallest, the largest in size, or
    furthest from that of `others`; of those that look alike all, where `ties` can be told, each
    behind `again` but the first. `rank` counts from the first one. All are made when somebody
    asks."""

    of: int
    numbers: Numbers
    name: "Callable[[int], Spans]" = lambda _: ()
    by: By = "most"
    others: Numbers | None = None
    ties: bool = False
    again: str = ""
    rank: int = 1


class Value(NamedTuple):
    """The number that was picked last, or by a pick of its own; `before` what it was of `others`,
    `each` whether of several that is said."""

    pick: Pick | None = None
    before: bool = False
    each: bool = False


class Verb(NamedTuple):
    """What one does to what is picked next, to several of which one alone, or to all alike; without
    its beginning where the sentence has said the same."""

    most: str
    only: str
    alike: str
    goes_on: bool


class Followed(NamedTuple):
    """Numbers that are just what they are."""


class Mark(str):
    """Before something that may be told otherwise what that is; behind it nothing."""

    told: Pick | Value | Verb | Followed | None

    def __new__(cls, told: Pick | Value | Verb | Followed | None = None) -> "Mark":
        mark = super().__new__(cls)
        mark.told = told
        return mark


def retold(told: Pick | Value | Verb | Followed, *spans: "Span") -> "Spans":
    """Spans as what they tell of these numbers."""
    return (Mark(told), *spans, Mark())
