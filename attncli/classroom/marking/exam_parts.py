"""Exams of several parts: the answers and points of each, and questions in a teacher's words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from attncli.classroom.files.scheme import Scheme
from attncli.classroom.marking.answers import AnswerSheet
from attncli.classroom.marking.costs import Bill
from attncli.classroom.marking.exam import Exam, MarkedTerm, accepted_by, judged_term
from attncli.classroom.marking.marked_papers import MarkedPaper, answers_taken, marked
from attncli.classroom.marking.word_answers import chosen
from attncli.document.questions import Item, points_text
from attncli.judging.verdicts import RIGHT, Given
from attncli.names import Word, WordedText, raw
from attncli.trace import Trace

BETWEEN_PARTS = "/"


def part_prefix(number: int, count: int) -> str:
    """Returns what the ids of a part begin with, for its number from 1; nothing where it is the
    only part."""
    return f"{number}{BETWEEN_PARTS}" if count > 1 else ""


@dataclass(frozen=True)
class OwnQuestions:
    """A part that asks questions in a teacher's own words."""

    items: tuple[Item, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(item.id for item in self.items)

    @property
    def points(self) -> Decimal:
        return Decimal(sum(item.points for item in self.items))


class MarkedOwn(NamedTuple):
    """The marked answers to a teacher's own questions."""

    exam: OwnQuestions
    terms: tuple[MarkedTerm, ...]
    remarks: tuple[WordedText, ...] = ()
    waiting: tuple[MarkedTerm, ...] = ()
    """The answers that a person is still to mark."""

    @property
    def points_of(self) -> dict[str, Decimal]:
        """Returns the points of each answer, by the id of what is asked."""
        return {term.asked.id: term.points for term in self.terms}

    @property
    def points(self) -> Decimal:
        return sum(self.points_of.values(), Decimal(0))

    @property
    def judgements(self) -> list[str]:
        return [term.judgement for term in self.terms]


def marked_own(exam: OwnQuestions, sheet: AnswerSheet, bill: Bill) -> MarkedOwn:
    """Marks the answers to a teacher's own questions. The answer to a question that a person marks
    is the points given; until then it earns none."""
    taken, remarks = answers_taken(None, exam.ids, sheet)
    terms = tuple(_marked(item, taken.get(item.id, Given("")), bill) for item in exam.items)
    by_hand = (m for m in terms if m.asked.by_hand)
    waiting = tuple(m for m in by_hand if _points_given(m.asked, m.given) is None)
    return MarkedOwn(exam, terms, remarks, waiting)


def waiting_for(term: MarkedTerm) -> WordedText:
    """Says that a person still has to give points, or gave points that don't exist."""
    told: WordedText = (
        "question ",
        Word(term.asked.id.removeprefix("q")),
        " is still to be marked.",
    )
    if term.given.is_empty:
        return told
    of = f"” isn't a number of points from 0 to {points_text(term.asked.points)}."
    return (*told, " “", Word(term.given.shown), of)


def _marked(item: Item, given: Given, bill: Bill) -> MarkedTerm:
    if item.key is not None:
        whole = given.text.strip().replace(",", "").replace(".", "")
        number = Decimal(whole) if _THOUSANDS.fullmatch(given.text.strip()) else None
        if number is not None and accepted_by(item.key).takes(number):
            given = given._replace(number=number, places=0)
        return bill.term(judged_term(item, given, {}))
    if item.by_hand:
        return MarkedTerm(item, given, "by hand", _points_given(item, given) or Decimal(0))
    if given.is_empty:
        return MarkedTerm(item, given, "blank", Decimal(0))
    assert item.words is not None
    k = chosen(given.text, [*map(raw, item.words.options)], item.words.labels)
    if k is None:
        return MarkedTerm(item, given, "unreadable", Decimal(0))
    right = k in item.words.right
    points = Decimal(item.points if right else 0)
    return MarkedTerm(item, given, "correct" if right else "slip", points)


_THOUSANDS = re.compile(r"-?\d{1,3}([.,])\d{3}(?:\1\d{3})*")
"""A whole number with separated thousands, which might be one with a decimal point as well."""


def _points_given(item: Item, given: Given) -> Decimal | None:
    """Returns the points that a person gave, or None where there are none from 0 to the item's.
    `1/3` doesn't count: it might mean one of three."""
    number = None if given.places is None else given.number
    return number if number is not None and 0 <= number <= item.points else None


class PartExam(NamedTuple):
    """A part of an exam."""

    title: str
    exam: Exam | OwnQuestions
    most: Decimal | None = None
    """The most points that it can bring, where that is less than all of them."""

    @property
    def points(self) -> Decimal:
        return self.exam.points if self.most is None else min(self.most, self.exam.points)

    def marked(
        self, sheet: AnswerSheet, bill: Bill, others: Sequence[PartExam] | None
    ) -> MarkedPaper | MarkedOwn:
        if isinstance(self.exam, OwnQuestions):
            return marked_own(self.exam, sheet, bill)
        each = [part.exam for part in others or () if isinstance(part.exam, Exam)]
        return marked(self.exam, sheet, None if others is None else each, bill)


@dataclass(frozen=True)
class WholeExam:
    """A form of an exam, to mark papers by."""

    title: str
    parts: tuple[PartExam, ...]
    form: str = ""
    scheme: Scheme = Scheme()

    @classmethod
    def of(cls, exam: Exam) -> WholeExam:
        """Makes an exam of one part from an exercise or a scenario."""
        return cls(exam.title, (PartExam(exam.title, exam),), exam.form, exam.scheme)

    @property
    def traces(self) -> tuple[Trace, ...]:
        return tuple(p.exam.trace for p in self.parts if isinstance(p.exam, Exam))

    @cached_property
    def prefixes(self) -> tuple[str, ...]:
        count = len(self.parts)
        return tuple(part_prefix(k, count) for k in range(1, count + 1))

    @cached_property
    def asked(self) -> Mapping[str, tuple[Exam | OwnQuestions, Item]]:
        """Returns all that is asked by its ids, in the order of the paper, each with the part that
        marks it."""
        pairs = zip(self.prefixes, (part.exam for part in self.parts), strict=True)
        return {f"{prefix}{item.id}": (exam, item) for prefix, exam in pairs for item in exam.items}

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self.asked)

    @property
    def ids_of_lms(self) -> tuple[str, ...]:
        """Lists the ids of all that is asked, without the teacher's questions that a person
        marks."""
        pairs = self.asked.items()
        return tuple(id_ for id_, (of, item) in pairs if isinstance(of, Exam) or not item.by_hand)

    @property
    def points(self) -> Decimal:
        return sum((part.points for part in self.parts), Decimal(0))


def _earned(scheme: Scheme, part: PartExam, paper: MarkedPaper | MarkedOwn) -> Decimal:
    return min(part.points, scheme.in_units(paper.points, part.exam.points))


class MarkedExam(NamedTuple):
    """A student's marked answers to all parts of an exam."""

    sheet: AnswerSheet
    exam: WholeExam
    parts: tuple[MarkedPaper | MarkedOwn, ...]
    remarks: tuple[WordedText, ...] = ()
    """What else doesn't fit."""
    scheme: str = ""
    """The file that says how the exam is marked, where the exam doesn't."""
    copied: tuple[WordedText, ...] = ()
    """Whose numbers the student may have copied."""
    stranger: tuple[WordedText, ...] = ()
    """That the list of the class doesn't know the student."""
    lost: tuple[WordedText, ...] = ()
    """That its numbers have lost their decimal commas."""

    @property
    def of(self) -> Decimal:
        """Returns the points of the whole exam."""
        return self.exam.points

    @property
    def points_of_parts(self) -> list[Decimal]:
        """Lists what each part earns, rounded as the scheme says, and at most what it can bring."""
        scheme, pairs = self.exam.scheme, zip(self.exam.parts, self.parts, strict=True)
        return [_earned(scheme, part, paper) for part, paper in pairs]

    @property
    def grade(self) -> str:
        """Returns the grade that the points bring; empty where there is no scale."""
        return self.exam.scheme.grade(self.points, self.of)

    @property
    def points(self) -> Decimal:
        return sum(self.points_of_parts, Decimal(0))

    @property
    def unrounded(self) -> Decimal:
        """Returns the points as they are before those of parts are rounded."""
        pairs = zip(self.exam.parts, self.parts, strict=True)
        return sum((min(part.points, paper.points) for part, paper in pairs), Decimal(0))

    @property
    def papers(self) -> Iterator[MarkedPaper]:
        """Yields the parts about scenarios."""
        return (part for part in self.parts if isinstance(part, MarkedPaper))

    @property
    def is_doubtful(self) -> bool:
        """Tells whether some part shows too little working, as where another form's key is
        copied, or the numbers have lost their commas."""
        return bool(self.lost) or any(
            part.doubt is not None and part.doubt.too_few for part in self.papers
        )

    @property
    def waiting(self) -> Iterator[tuple[str, MarkedTerm]]:
        """Yields what a person is still to mark, each with its id in the exam."""
        for prefix, part in zip(self.exam.prefixes, self.parts, strict=True):
            if isinstance(part, MarkedOwn):
                yield from ((f"{prefix}{term.asked.id}", term) for term in part.waiting)

    @property
    def counts(self) -> Counter[str]:
        return Counter(chain.from_iterable(part.judgements for part in self.parts))

    @property
    def follows(self) -> bool:
        """Tells whether every answer is there and right."""
        right = all(name in (*RIGHT, "by hand") for name in self.counts)
        return right and ("by hand" not in self.counts or self.points == self.of)


def marked_exam(
    exam: WholeExam, sheet: AnswerSheet, forms: Sequence[WholeExam] | None = None
) -> MarkedExam:
    """Marks a student's answers part by part. `forms` are all forms of the exam, where they are
    known."""
    apart = [form.parts for form in forms or () if form is not exam]
    others = [None if forms is None else [p[k] for p in apart] for k in range(len(exam.parts))]
    if len(exam.parts) == 1:
        return MarkedExam(sheet, exam, _marked_parts(exam, [sheet], others))
    sheets = [_part_of(sheet, prefix) for prefix in exam.prefixes]
    known = {id_ for prefix in exam.prefixes for id_ in sheet.answers if id_.startswith(prefix)}
    other = {id_: given for id_, given in sheet.answers.items() if id_ not in known}
    remarks = answers_taken(None, exam.ids, sheet._replace(answers=other)).remarks
    return MarkedExam(sheet, exam, _marked_parts(exam, sheets, others), remarks)


def read_as(own: WholeExam, other: WholeExam, sheet: AnswerSheet) -> tuple[AnswerSheet, bool]:
    """Returns a sheet of one form as one of another, and whether it tells what is asked there: the
    answers to what the forms drew from a pool are taken in their order."""
    answers, whole, nothing = dict(sheet.answers), True, Given("")
    for prefix, mine, theirs in zip(own.prefixes, own.parts, other.parts, strict=True):
        asked, instead = mine.exam.ids, theirs.exam.ids
        only = [f"{prefix}{id_}" for id_ in asked if id_ not in instead]
        missing = [f"{prefix}{id_}" for id_ in instead if id_ not in asked]
        given = [answers.pop(id_, nothing) for id_ in only]
        if not missing or any(not answers.get(id_, nothing).is_empty for id_ in missing):
            continue
        fits = len(given) == len(missing)
        answers |= dict(zip(missing, given, strict=True)) if fits else {}
        whole = whole and fits and not all(entry.is_empty for entry in given)
    return sheet._replace(answers=answers), whole


def numbers_right_in(exam: WholeExam, sheet: AnswerSheet) -> int:
    """Counts the answers of a sheet that the key of a form accepts, which tells fast whether it may
    be of this form."""
    return sum(
        of.judge.accepted(item.cell).takes(number)
        for id_, (of, item) in exam.asked.items()
        if isinstance(of, Exam) and item.cell is not None and id_ in sheet.answers
        for number in [sheet.answers[id_].number]
        if number is not None
    )


def _marked_parts(
    exam: WholeExam, sheets: Sequence[AnswerSheet], others: Sequence[Sequence[PartExam] | None]
) -> tuple[MarkedPaper | MarkedOwn, ...]:
    """Marks the parts in order, so that what costs once a paper is charged once."""
    bill, found = Bill(exam.scheme), list[MarkedPaper | MarkedOwn]()
    for part, sheet, other in zip(exam.parts, sheets, others, strict=True):
        bill = bill.of_next(part.exam if isinstance(part.exam, Exam) else None)
        found.append(part.marked(sheet, bill, other))
    return tuple(found)


def _part_of(sheet: AnswerSheet, prefix: str) -> AnswerSheet:
    """Returns a sheet with the answers to one part, by their ids there."""
    answers: Mapping[str, Given] = {
        id_.removeprefix(prefix): given
        for id_, given in sheet.answers.items()
        if id_.startswith(prefix)
    }
    return sheet._replace(answers=answers, unread=())
