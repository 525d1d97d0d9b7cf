"""Answers in words: `attends_most[love]: AI`."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.expression import Location
from attncli.marking.inquiries import WordQuestion
from attncli.marking.paths import Paths
from attncli.marking.verdicts import Given, Judgement
from attncli.marking.wording import chosen
from attncli.records import NamedTuple


class AskedWords(NamedTuple):
    """A question that is answered in words, and its points."""

    question: WordQuestion
    points: Decimal = Decimal(1)

    @property
    def id(self) -> str:
        return self.question.id

    def meant(self, text: str) -> int | None:
        """The option that somebody means; None where that can't be told."""
        return chosen(text, self.question.asked.options, self.question.asked.labels)


class MarkedWords(NamedTuple):
    """What somebody answered in words, what is said of it, and its points; `right` are the options
    that are right."""

    asked: AskedWords
    given: Given
    judgement: Judgement
    points: Decimal
    right: tuple[str, ...]


class OwnNumbers(NamedTuple):
    """Where honest paths lead, where they do from an author's own numbers, and these."""

    right: Paths
    theirs: Paths
    answers: Mapping[Location, Given]

    def held(self, name: str) -> Enclosure:
        """Between which numbers a quantity lies that the author goes on with: as they were
        given, where they were."""
        low, high = (end.copy() for end in self.theirs.written(name))
        for (quantity, i, j), given in self.answers.items():
            if quantity == name and given.number is not None:
                low[i, j] = high[i, j] = float(given.number)
        return Enclosure(low, high)


def marked_words(asked: AskedWords, given: Given, own: OwnNumbers, *, carry: bool) -> MarkedWords:
    """What is said of an answer in words. It is carried forward where it is what the author's own
    numbers tell."""
    right = asked.question.right_on(own.right)
    judgement = _judgement(asked, given, right, own)
    earns = judgement == "correct" or (carry and judgement == "carried forward")
    options = tuple(asked.question.asked.options[k] for k in right)
    return MarkedWords(asked, given, judgement, asked.points if earns else Decimal(0), options)


def _judgement(
    asked: AskedWords, given: Given, right: tuple[int, ...], own: OwnNumbers
) -> Judgement:
    if not given.text.strip():
        return "blank"
    meant = asked.meant(given.text)
    if meant is None:
        return "unreadable"
    if meant in right:
        return "correct"
    with np.errstate(all="ignore"):  # what follows from wild numbers may be none
        follows = asked.question.right_for(own.held(asked.question.reads))
    return "carried forward" if meant in follows else "slip"
