"""A sheet that checks itself: it can tell whether an answer is right, and tells none.

What is accepted is cut into decimal cells: from 0.1345 to 0.1355 it is 0.1345…, 0.1346… to
0.1354…, and the end itself; a wide range has larger cells in its middle. A number is in one cell of
each size, however many digits it is given with. The sheet has a salted digest of each cell. That
keeps an answer from whoever looks into the file, and not from whoever tries numbers: there are few.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from fractions import Fraction
from hashlib import sha256
from typing import NamedTuple

from attncli.arithmetic import decimals
from attncli.document import Document
from attncli.marking.grading.words import BETWEEN
from attncli.questions import Question, RightAnswer, RightWords, Seal, SelfCheck
from attncli.telling.exercise.sheets import sheet_of

ROUNDS = 100
"""How often a digest is taken, so that trying many numbers takes its time."""
_DIGEST = 5
"""Bytes of a digest; by chance one number in 10^10 would seem right."""
_MOST_CELLS = 20
"""Cells of one size that a range is cut into at most, before larger ones are taken."""
_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")
"""No digit stands where one looks for a number."""


class Cell(NamedTuple):
    """The numbers that begin with a whole number of units of a decimal, those nearer to −∞ left
    out; or only the `end`, that number itself."""

    level: int
    units: int
    end: bool = False

    @property
    def text(self) -> str:
        return f"{self.level}{'=' if self.end else ':'}{self.units}"


def self_checking(whole: Document) -> Document:
    """The student's sheet of an exercise, with what it takes to check itself."""
    assert whole.paper is not None
    asked = [question for section in whole.sections for question in section.questions]
    numbers = [one.key.number.shown for one in asked if one.key is not None]
    return sheet_of(whole)._replace(
        check=SelfCheck(
            {one.id: _seal(one, f"{whole.paper.hash}/{one.id}") for one in asked},
            max((len(decimals.text(number)) for number in numbers), default=0),
            any(number < 0 for number in numbers),
        )
    )


def _seal(question: Question, made_from: str) -> Seal:
    """The salt is as good as any other, and the same sheet has the same."""
    salt = _digest(made_from, 1)
    if question.words is not None:
        return Seal(salt, _digests(salt, _in_words(question.words)))
    assert question.key is not None
    if not question.key.number.shown.is_finite():
        return Seal(salt, _digests(salt, [decimals.text(question.key.number.shown)]))
    cells = [*cells_of(question.key)]
    levels = sorted({cell.level for cell in cells})
    return Seal(salt, _digests(salt, (cell.text for cell in cells)), tuple(levels))


def cells_of(key: RightAnswer) -> Iterator[Cell]:
    """Cells that have just the numbers that are accepted."""
    level = max(map(decimals.places, (key.low, key.high)))
    low, high = (int(Fraction(end) * 10**level) for end in (key.low, key.high))
    yield Cell(level, high, end=True)
    while high - low > _MOST_CELLS:
        up, down = -(-low // 10), high // 10
        yield from (Cell(level, units) for units in range(low, up * 10))
        yield from (Cell(level, units) for units in range(down * 10, high))
        low, high, level = up, down, level - 1
    yield from (Cell(level, units) for units in range(low, high))


def _in_words(key: RightWords) -> Iterable[str]:
    """What is right by its place where one is chosen, otherwise as it is compared."""
    if key.labels:
        return map(str, key.right)
    return (plainly(answer.raw) for answer in key.answers)


def plainly(text: str) -> str:
    """An answer in words, whatever its letters' case and what stands around and between them."""
    told = unicodedata.normalize("NFKC", text).strip().upper().lower()
    return BETWEEN.sub("", told) or told


def _digests(salt: str, texts: Iterable[str]) -> tuple[str, ...]:
    """In an order that tells nothing."""
    return tuple(sorted({_digest(f"{salt}/{text}", ROUNDS) for text in texts}))


def _digest(text: str, rounds: int) -> str:
    digest = text.encode()
    for _ in range(rounds):
        digest = sha256(digest).digest()
    return digest[:_DIGEST].hex().translate(_LETTERS)
