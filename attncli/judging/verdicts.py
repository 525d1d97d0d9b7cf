"""Verdicts on the numbers that somebody gives for cells."""

import math
import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal, localcontext
from typing import Literal, NamedTuple

from attncli.maths.equations.tree import Location, Number
from attncli.maths.notation.escaping import is_hidden
from attncli.maths.numbers import decimals
from attncli.names import WordedText, worded

Judgement = Literal[
    "correct", "worked otherwise", "carried forward", "not worked", "rounding", "known mistake",
    "slip", "by hand", "blank", "unreadable",
]  # fmt: skip
RIGHT: tuple[Judgement, ...] = ("correct", "worked otherwise")
"""The judgements on numbers that are right."""
FOLLOW: tuple[Judgement, ...] = (*RIGHT, "carried forward")
"""The judgements on numbers that follow."""


NOISE = 1e-12
"""The error of floats that is ignored, relative to a number, or to 1."""


_NO_ANSWER = ("", "-", "–", "—")


class Given(NamedTuple):
    """A number as somebody wrote it."""

    text: str
    number: Decimal | None = None
    """None where nothing, or nothing readable, is written."""
    places: int | None = 0
    """The decimals that it is written with; None for a fraction, which is kept in full."""
    where: str = ""
    """The file and line."""
    column: str = ""
    """The column of a table, by a spreadsheet's letters."""

    @property
    def is_empty(self) -> bool:
        """Tells whether nothing is written: only invisible characters, or a dash."""
        seen = (c for c in self.text if not (c.isspace() or is_hidden(c)))
        return "".join(seen) in _NO_ANSWER

    @property
    def shown(self) -> str:
        """Returns the text as it is shown beside the right number."""
        return "" if self.is_empty else self.text.strip()


class Cause(NamedTuple):
    """A reason why a number is what it is."""

    name: str
    """A name for programs."""
    says: str | WordedText
    """A sentence for people."""
    quantity: str = ""
    """The quantity that was made otherwise, where that isn't the number's own."""

    @property
    def worded(self) -> WordedText:
        """Returns the sentence, in which words that somebody wrote are kept apart."""
        return worded(self.says)


UNWORKABLE = "unworkable"
"""The cause of a number that can't be worked from its author's earlier ones."""

UNEARNED = Cause("follows", "It follows from an earlier wrong number, and earns nothing.")
"""The cause of a number that follows, where a scheme has it count as wrong."""


class Accepted(NamedTuple):
    """The range of numbers that are right for a cell, both ends included."""

    low: float
    high: float

    def takes(self, number: Decimal) -> bool:
        """Tells whether a number is in the range; the error of floats is ignored."""
        value = float(number)
        if not math.isfinite(value):
            return value in (self.low, self.high)
        noise = NOISE * max(1.0, abs(value))
        return self.low - noise <= value <= self.high + noise


class Verdict(NamedTuple):
    """A judgement on the number of a cell, with its reasons."""

    cell: Location
    given: Given
    expected: Number
    """The program's own number."""
    accepted: Accepted
    """The range that is right."""
    judgement: Judgement
    cause: Cause | None = None
    """The cause that explains most."""
    others: tuple[Cause, ...] = ()
    """Other causes that explain the number as well."""
    follows_from: tuple[Location, ...] = ()
    """The earlier wrong cells that it follows from."""
    follows: Accepted | None = None
    """The range that follows from the author's own earlier numbers, where that differs."""

    @property
    def key(self) -> tuple[object, ...]:
        """Returns what tells this verdict from others: the cell, the number that is given, and
        where."""
        return self.cell, self.given.number, self.given.where


_NUMBER = re.compile(r"([+-]?)(\d*(?:[.,]\d*)?)(?:(?:e|×10\^)([+-]?\d{1,4}))?(%?)")
_FRACTION = re.compile(r"([+-]?)(\d{1,60})/(\d{1,60})(%?)")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:(?:,\d{3})+\.\d*|(?:\.\d{3})+,\d*)")
"""Thousands by commas before a point, or by points before a comma."""
_SPACE = re.compile(r"(?<=\d) +(?=\d(?!\d\d(?!\d)))")
"""A space that keeps two numbers apart: no three digits follow it."""
_ENDLESS = re.compile(r"([+-]?)(?:inf|infinity|∞)")
_ASIDE = str.maketrans(dict.fromkeys("\u066b", ".")) | str.maketrans(dict.fromkeys("'’_", None))
"""Another decimal point, and separators of thousands."""
_LONGEST = 200
"""The most characters of an answer that is read."""
_LARGEST = 300
"""The largest exponent of a number that can be worked with."""
_FRACTION_DIGITS = 50


def read_number(text: str, where: str = "", column: str = "") -> Given:
    """Reads the number that somebody wrote, in the file and line of `where` and in a column of a
    table. Text that is no number is unreadable."""
    found = _number(_plainly(text)) if len(text) <= _LONGEST else None
    if found is None or (found[0].is_finite() and found[0].adjusted() > _LARGEST):
        return Given(text, None, where=where, column=column)
    return Given(text, *found, where, column)


def _plainly(text: str) -> str:
    """Returns the text without spaces and a leading `=`, with its digits and signs as on a
    keyboard."""
    known = unicodedata.normalize("NFKC", decimals.with_plain_signs(text))
    known = decimals.with_plain_signs(known).translate(_ASIDE)
    known = known.replace("\u2044", "/")
    parts = _SPACE.split(" ".join(known.split()).lower().removeprefix("="))
    joined = "|".join(part.replace(" ", "") for part in parts)
    return joined.replace("·10^", "×10^").replace("*10^", "×10^")


def _number(text: str) -> tuple[Decimal, int | None] | None:
    """Reads a number and the decimals that it is written with, None for a fraction. Returns None
    for other text."""
    if match := _ENDLESS.fullmatch(text):
        return Decimal(f"{match[1]}Infinity"), 0
    if match := _FRACTION.fullmatch(text):
        return _fraction(match)
    if _GROUPED.fullmatch(text):
        point = max(text.rfind("."), text.rfind(","))
        text = f"{text[:point].replace(',', '').replace('.', '')}.{text[point + 1 :]}"
    match = _NUMBER.fullmatch(text)
    if match is None or not any(map(str.isdigit, match[2])):
        return None
    sign, digits, exponent, percent = match.groups()
    shift = int(exponent or 0) - (2 if percent else 0)
    number = Decimal(f"{sign}{digits.replace(',', '.')}E{shift}")
    places = number.as_tuple().exponent
    assert isinstance(places, int)
    return number, max(0, -places)


def _fraction(match: re.Match[str]) -> tuple[Decimal, None] | None:
    sign, above, below, percent = match.groups()
    if not int(below):
        return None
    with localcontext() as context:
        context.prec = _FRACTION_DIGITS
        number = Decimal(f"{sign}{above}") / (Decimal(below) * (100 if percent else 1))
    return number, None


def all_follow(verdicts: Iterable[Verdict]) -> bool:
    """Tells whether all numbers follow from the given ones, or from earlier ones of their
    author."""
    return all(verdict.judgement in FOLLOW for verdict in verdicts)
