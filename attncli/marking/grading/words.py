"""Answers in words: `attends_most[love]: AI`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from attncli.marking.grading.word_causes import MeantOption, OwnAnswers
from attncli.marking.inquiries import WordQuestion
from attncli.marking.verdicts import Cause, Given, Judgement
from attncli.marking.wording import chosen


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
    that are right, `causes` what may have led to a wrong answer."""

    asked: AskedWords
    given: Given
    judgement: Judgement
    points: Decimal
    right: tuple[str, ...]
    causes: tuple[Cause, ...] = ()


def marked_words(asked: AskedWords, given: Given, own: OwnAnswers, *, carry: bool) -> MarkedWords:
    """What is said of an answer in words. It is carried forward where it is what the author's own
    numbers tell, a known mistake where that is what gives it."""
    right = asked.question.right_on(own.right)
    judgement = _judgement(asked, given, right, own)
    causes: tuple[Cause, ...] = ()
    if judgement == "slip":
        causes = own.causes(*meanings([(asked, given)]))
        judgement = "known mistake" if causes else "slip"
    earns = judgement == "correct" or (carry and judgement == "carried forward")
    options = tuple(asked.question.asked.options[k] for k in right)
    points = asked.points if earns else Decimal(0)
    return MarkedWords(asked, given, judgement, points, options, causes)


def meanings(answers: Iterable[tuple[AskedWords, Given]]) -> Iterator[MeantOption]:
    """What is meant by answers in words, where that can be told."""
    for asked, given in answers:
        meant = asked.meant(given.text)
        if meant is not None:
            yield MeantOption(asked.question, meant)


def _judgement(
    asked: AskedWords, given: Given, right: tuple[int, ...], own: OwnAnswers
) -> Judgement:
    if given.is_empty:
        return "blank"
    meant = asked.meant(given.text)
    if meant is None:
        return "unreadable"
    if meant in right:
        return "correct"
    with np.errstate(all="ignore"):  # what follows from wild numbers may be none
        follows = asked.question.right_for(own.held(asked.question.reads))
    return "carried forward" if meant in follows else "slip"
