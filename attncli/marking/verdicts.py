"""What is said of a number that somebody gives for a cell."""

import math
from decimal import Decimal
from typing import Literal, NamedTuple

from attncli.arithmetic.expression import Location, Number
from attncli.notation.words import is_hidden

Judgement = Literal[
    "correct", "worked otherwise", "carried forward", "not worked", "rounding", "known mistake",
    "slip", "blank", "unreadable",
]  # fmt: skip
FOLLOW: tuple[Judgement, ...] = ("correct", "worked otherwise", "carried forward")
"""What is said of numbers that follow."""


NOISE = 1e-12
"""What floats are off by beside a number, or beside 1, is of no account."""


class Given(NamedTuple):
    """A number as somebody wrote it; `number` is None where nothing, or nothing readable, is said.

    `places` are the decimals that it was written with, None of a fraction, which is kept in full.
    `where` says in which file and line.
    """

    text: str
    number: Decimal | None = None
    places: int | None = 0
    where: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing, or only what nobody sees."""
        return all(character.isspace() or is_hidden(character) for character in self.text)

    @property
    def shown(self) -> str:
        """The text as it is shown beside the right number."""
        return "" if self.is_empty else self.text.strip()

    def half(self, asked: int) -> float:
        """By how much the memory of a calculator may differ from what is written: half a unit of
        the last decimal, where at least as many are written as `asked` for; else the number is
        gone on with as it is to so many."""
        return 0.0 if self.places is None else 0.5 * 10.0 ** -max(self.places, asked)


class Cause(NamedTuple):
    """Why a number is what it is: a name for programs, a sentence for people. `quantity` is what
    was made otherwise, where that isn't the number's own."""

    name: str
    says: str
    quantity: str = ""


UNWORKABLE = "unworkable"
"""The cause of a number that can't be worked from its author's earlier ones."""


class Accepted(NamedTuple):
    """The numbers that are right for a cell: from `low` to `high`, both included."""

    low: float
    high: float

    def takes(self, number: Decimal) -> bool:
        """Whether a number is among them; what floats are off by is of no account."""
        value = float(number)
        if not math.isfinite(value):
            return value in (self.low, self.high)
        noise = NOISE * max(1.0, abs(value))
        return self.low - noise <= value <= self.high + noise


class Verdict(NamedTuple):
    """What is said of the number of a cell.

    `expected` is the program's own number; `follows` what the right working gives from the same
    author's earlier numbers, of a wrong number, where that differs. `cause` is the cause that
    explains most, `others` are those that explain the number as well; `follows_from` are earlier
    wrong cells.
    """

    cell: Location
    given: Given
    expected: Number
    accepted: Accepted
    judgement: Judgement
    cause: Cause | None = None
    others: tuple[Cause, ...] = ()
    follows_from: tuple[Location, ...] = ()
    follows: Accepted | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """Which number it is on: its cell, what is given, and where."""
        return self.cell, self.given.number, self.given.where
