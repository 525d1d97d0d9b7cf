"""Why answers in words are wrong: what misreads the right numbers, or makes them in a known wrong
way, and gives just these words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from attncli.arithmetic.equations.enclosures import Enclosure
from attncli.arithmetic.expression import Location
from attncli.marking.hypotheses import Hypotheses
from attncli.marking.inquiries import WordQuestion
from attncli.marking.paths import Paths
from attncli.marking.verdicts import Cause, Given


class MeantOption(NamedTuple):
    """A question, and the option that somebody means by an answer to it."""

    question: WordQuestion
    option: int


class OwnAnswers(NamedTuple):
    """Where honest paths lead, where they do from an author's own numbers, these, the known
    mistakes, and what is meant by the author's words."""

    right: Paths
    theirs: Paths
    answers: Mapping[Location, Given]
    hypotheses: Hypotheses
    words: Sequence[MeantOption] = ()

    def held(self, name: str) -> Enclosure:
        """Between which numbers a quantity lies that the author goes on with: as they were
        given, where they were."""
        low, high = (end.copy() for end in self.theirs.written(name))
        for (quantity, i, j), given in self.answers.items():
            if quantity == name and given.number is not None:
                low[i, j] = high[i, j] = float(given.number)
        return Enclosure(low, high)

    @property
    def given(self) -> set[str]:
        """The quantities of which there are numbers."""
        return {cell.quantity for cell, one in self.answers.items() if one.number is not None}

    def causes(self, meant: MeantOption) -> tuple[Cause, ...]:
        """What may have led to a wrong answer, and to more of the author's answers to the same
        question than it would have led away from."""
        alike = [one for one in self.words if one.question.name == meant.question.name]
        others = [one for one in alike if one.question.id != meant.question.id]
        with np.errstate(all="ignore"):  # what follows from wild numbers may be none
            found = [way for way in self._ways(meant.question) if way.gives(meant)]
            told = [way.cause for way in found if way.is_supported(others)]
        return tuple(dict.fromkeys(told))

    def _ways(self, question: WordQuestion) -> Iterator[_Explanation]:
        held = self.held(question.reads)
        for one in question.asked.misread:
            yield _Explanation(Cause(one.name, one.says), partial(_misread, one.name, held))
        if question.reads in self.given:
            return
        for k in self.hypotheses.leading_to(question.reads, self.given, ()):
            way = self.hypotheses.ways[k]
            paths = self.hypotheses.paths(k, self.theirs, roughly=False)
            made = self.hypotheses.ranges(paths, question.reads)
            if made is not None:
                is_near = way.definitions[0].step == question.part.step
                cause = way.cause(question.reads)
                yield _Explanation(cause, partial(_told_by, made), 1 if is_near else 2)


def _misread(name: str, held: Enclosure, question: WordQuestion) -> frozenset[int]:
    return question.asked.misread_as(name, *held)


def _told_by(held: Enclosure, question: WordQuestion) -> frozenset[int]:
    return frozenset(question.right_for(held))


class _Explanation(NamedTuple):
    """What may have been done, and the options that it gives; it takes so many answers to be known
    by."""

    cause: Cause
    options: Callable[[WordQuestion], frozenset[int]]
    takes: int = 1

    def gives(self, meant: MeantOption) -> bool:
        return self.options(meant.question) == {meant.option}

    def is_supported(self, others: Sequence[MeantOption]) -> bool:
        """Whether it gives more answers, with the one that it is asked of, than speak against."""
        given = 1 + sum(map(self.gives, others))
        against = sum(one.option not in self.options(one.question) for one in others)
        return given >= self.takes and given > against
