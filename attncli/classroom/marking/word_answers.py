"""Answers in words, `attends_most[love]: AI`, and the mistakes that wrong ones come of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import NamedTuple

import numpy as np

from attncli.document.questions import Worth
from attncli.errors import listed, shortened
from attncli.judging.honest_paths import Paths
from attncli.judging.judging import Submission
from attncli.judging.known_mistakes import KnownMistakes
from attncli.judging.verdicts import Cause, Given, Judgement
from attncli.maths.equations.enclosures import Enclosure
from attncli.maths.equations.tree import Location
from attncli.names import Name, WordedText
from attncli.scenario.file.address import AddressError, Index, parse_address
from attncli.steps.order import inquiries, step_of
from attncli.steps.step import WordsAsked
from attncli.trace import PlannedStep, Trace
from attncli.trace.quantity import meant


class WordQuestion(NamedTuple):
    """A question about a part of the story that is answered in words."""

    id: str
    name: Name
    """The name that all questions of its kind share there."""
    part: PlannedStep
    reads: Name
    """The quantity that tells the answer."""
    asked: WordsAsked
    rule: WordedText = ()
    last: bool = False
    """Whether what comes later in the story may give the answer away."""
    ranked: bool = False
    """Whether rows that the step makes may give it away, in the order that it asks for."""

    def meant(self, text: str) -> int | None:
        """Returns the option that somebody means, from 0, or None where that can't be told."""
        return chosen(text, self.asked.options, self.asked.labels)

    def right_on(self, paths: Paths) -> tuple[int, ...]:
        """Returns the options that are right where honest paths lead, those of the trace's own
        numbers first."""
        own = self.right_for(Enclosure.of(paths.trace[self.reads].values))
        return (*own, *(k for k in self.right_for(paths.written(self.reads)) if k not in own))

    def right_for(self, held: Enclosure) -> tuple[int, ...]:
        """Returns the options that are right for numbers between the ends of an enclosure."""
        return tuple(sorted(self.asked.right(held.low, held.high)))


def _questions_of(trace: Trace, part: PlannedStep) -> Iterator[WordQuestion]:
    """Yields the questions in words that a part can be asked, as far as the trace gets through
    it."""
    for inquiry in step_of(part).inquiries:
        name = part.place.name(inquiry.name)
        made = (part.place.name(local) for local in inquiry.reads)
        reads = next((entry for entry in made if entry in trace and not trace[entry].given), None)
        if reads is None:
            continue
        rule = inquiry.rule(part.place)
        for asked in inquiry.asks(part.place, trace):
            index = "" if asked.row is None else f"[{trace[reads].rows.index(asked.row)}]"
            yield WordQuestion(
                f"{name}{index}", name, part, reads, asked, rule, inquiry.last, inquiry.ranked
            )


def questions_at(trace: Trace, text: str) -> list[WordQuestion]:
    """Lists the questions that an address means: all of a name, or one. Raises AddressError."""
    name, indices = parse_address(text)
    local = name.rpartition(".")[2]
    step = inquiries().get(local)
    parts = [part for part in trace.story if part.step == step]
    known = [q for part in parts for q in _questions_of(trace, part) if q.name.local == local]
    if name != local:
        by_name: dict[str, Name] = {q.name: q.name for q in known}
        own = meant(name, by_name)
        known = [q for q in known if q.name == own]
    found = [q for q in known if not indices or q.asked.row == _row_meant(trace, q, indices[0])]
    if not found:
        right = f"it has {listed([q.id for q in known])}" if known else _knows(trace)
        raise AddressError(f"nothing here is asked by {shortened(text)}", right)
    return found


def question_at(trace: Trace, text: str) -> WordQuestion:
    """Finds the question of an id. Raises AddressError where it means none, or several."""
    found = questions_at(trace, text)
    if len(found) > 1:
        raise AddressError(f"{shortened(text)} is asked more than once", f"say {found[0].id}")
    return found[0]


def _row_meant(trace: Trace, question: WordQuestion, index: Index) -> int | None:
    """Returns the row that an index means. Raises AddressError."""
    return trace[question.reads].rows.find(index, question.name)


def _knows(trace: Trace) -> str:
    names = dict.fromkeys(q.name.local for part in trace.story for q in _questions_of(trace, part))
    return f"ask {listed(names)}" if names else "ask for numbers instead"


_LONGEST = 500
"""The most characters of an answer that is read."""
BETWEEN = re.compile(r"[\s,;+()\[\]{}<>'\"“”‘’«»`→·|/]+")
"""The characters around the parts of a pair, and between them."""


def chosen(text: str, options: Sequence[str], labels: Sequence[str]) -> int | None:
    """Returns the option, from 0, that somebody means by its label, its words, or its parts in
    order; None where it is none or might be several."""
    if len(text) > _LONGEST:
        return None
    ways: tuple[Callable[[str], object], ...] = (str.strip, _plainly, _parts, _joined)
    for way in ways:
        found = [k for k, option in enumerate(options) if way(option) == way(text)]
        if found and way(text):
            return found[0] if len(found) == 1 else None
    label = _joined(text).rstrip(".:)").upper()
    return labels.index(label) if label in labels else None


def _plainly(text: str) -> str:
    """Returns the text as it is compared: normalized, and regardless of case."""
    return unicodedata.normalize("NFKC", text).strip().casefold()


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part for part in BETWEEN.split(_plainly(text)) if part)


def _joined(text: str) -> str:
    return "".join(_parts(text))


class MeantOption(NamedTuple):
    """A question, and the option that somebody means by an answer to it."""

    question: WordQuestion
    option: int


class OwnAnswers(NamedTuple):
    """The numbers and words of one author, and what follows from them."""

    right: Paths
    """The paths from right numbers."""
    theirs: Paths
    """The paths from the author's own numbers."""
    answers: Mapping[Location, Given]
    hypotheses: KnownMistakes
    """The known mistakes."""
    words: Sequence[MeantOption] = ()
    """What the author's answers in words mean."""

    @classmethod
    def of(cls, paper: Submission, words: Sequence[MeantOption] = ()) -> OwnAnswers:
        """Makes the answers of a submission, after all its numbers are judged."""
        assert paper.verdicts is not None  # all is judged before one asks where it leads
        return cls(paper.mended, paper.own, paper.answers, paper.judge.hypotheses, words)

    def held(self, name: str) -> Enclosure:
        """Encloses the numbers of a quantity that the author continues from: as given, where they
        were."""
        low, high = (end.copy() for end in self.theirs.written(name))
        for (quantity, i, j), given in self.answers.items():
            if quantity == name and given.number is not None:
                low[i, j] = high[i, j] = float(given.number)
        return Enclosure(low, high)

    @property
    def given(self) -> set[str]:
        """Returns the names of the quantities of which the author gives numbers."""
        return {cell.quantity for cell, entry in self.answers.items() if entry.number is not None}

    def causes(self, meant: MeantOption) -> tuple[Cause, ...]:
        """Returns what may have led to a wrong answer. A cause has to give more of the author's
        answers to the same question than it contradicts."""
        alike = [o for o in self.words if o.question.name == meant.question.name]
        others = [o for o in alike if o.question.id != meant.question.id]
        with np.errstate(all="ignore"):  # what follows from wild numbers may be none
            found = [way for way in self._ways(meant.question) if way.gives(meant)]
            supported = [way.cause for way in found if way.is_supported(others)]
        return tuple(dict.fromkeys(supported))

    def _ways(self, question: WordQuestion) -> Iterator[_Explanation]:
        held = self.held(question.reads)
        for misreading in question.asked.misread:
            yield _Explanation(
                Cause(misreading.name, misreading.says), partial(_misread, misreading.name, held)
            )
        if question.reads in self.given:
            return
        for k in self.hypotheses.leading_to(question.reads, self.given, ()):
            way = self.hypotheses.ways[k]
            paths = self.hypotheses.paths(k, self.theirs)
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
    """Something that may have been done, and the options that it leads to."""

    cause: Cause
    options: Callable[[WordQuestion], frozenset[int]]
    takes: int = 1
    """How many answers it has to give to be believed."""

    def gives(self, meant: MeantOption) -> bool:
        return self.options(meant.question) == {meant.option}

    def is_supported(self, others: Sequence[MeantOption]) -> bool:
        """Tells whether it gives more answers, with the one in question, than contradict it."""
        given = 1 + sum(map(self.gives, others))
        against = sum(o.option not in self.options(o.question) for o in others)
        return given >= self.takes and given > against


class MarkedWords(NamedTuple):
    """An answer in words, judged, with its points."""

    asked: WordQuestion
    given: Given
    judgement: Judgement
    points: Decimal
    right: tuple[str, ...]
    """The options that are right."""
    causes: tuple[Cause, ...] = ()
    """What may have led to a wrong answer."""


def marked_words(
    asked: WordQuestion, worth: Worth, given: Given, own: OwnAnswers, *, carry: bool
) -> MarkedWords:
    """Judges an answer in words. It is carried forward where the author's own numbers give it, and
    a known mistake where such a mistake does."""
    right = asked.right_on(own.right)
    judgement = _judgement(asked, given, right, own)
    causes: tuple[Cause, ...] = ()
    if judgement == "slip":
        causes = own.causes(*meanings([(asked, given)]))
        judgement = "known mistake" if causes else "slip"
    earns = judgement == "correct" or (carry and judgement == "carried forward")
    options = tuple(asked.asked.options[k] for k in right)
    points = Decimal(worth if earns else 0)
    return MarkedWords(asked, given, judgement, points, options, causes)


def meanings(answers: Iterable[tuple[WordQuestion, Given]]) -> Iterator[MeantOption]:
    """Yields what is meant by answers in words, where that can be told."""
    for asked, given in answers:
        meant = asked.meant(given.text)
        if meant is not None:
            yield MeantOption(asked, meant)


def _judgement(
    asked: WordQuestion, given: Given, right: tuple[int, ...], own: OwnAnswers
) -> Judgement:
    if given.is_empty:
        return "blank"
    meant = asked.meant(given.text)
    if meant is None:
        return "unreadable"
    if meant in right:
        return "correct"
    with np.errstate(all="ignore"):  # what follows from wild numbers may be none
        follows = asked.right_for(own.held(asked.reads))
    return "carried forward" if meant in follows else "slip"
