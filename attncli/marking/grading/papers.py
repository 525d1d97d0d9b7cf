"""A paper with its verdicts and points."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import NamedTuple

from attncli.marking.answers.sheets import AnswerSheet
from attncli.marking.grading.exam import Exam
from attncli.marking.grading.remarks import answers_taken
from attncli.marking.grading.terms import MarkedTerm, marked_term
from attncli.marking.grading.word_causes import OwnAnswers
from attncli.marking.grading.words import MarkedWords, marked_words, meanings
from attncli.marking.grading.worked import Doubt, ShownWorking
from attncli.marking.verdicts import FOLLOW, Given, Verdict
from attncli.word import Phrase


class PointedVerdict(NamedTuple):
    """A verdict, and the points that its number earns."""

    verdict: Verdict
    points: Decimal


class MarkedPaper(NamedTuple):
    """A student's answers with what is said of each, in the order of the working; by which
    exam, and whether it is in `doubt` that they were worked; `terms` are numbers inside lines,
    `words` answers in words; `remarks` tell what else doesn't fit."""

    sheet: AnswerSheet
    exam: Exam
    numbers: tuple[PointedVerdict, ...]
    doubt: Doubt | None = None
    terms: tuple[MarkedTerm, ...] = ()
    words: tuple[MarkedWords, ...] = ()
    remarks: tuple[Phrase, ...] = ()

    @property
    def of(self) -> Decimal:
        """The points of the whole exam."""
        return self.exam.points

    @property
    def points(self) -> Decimal:
        numbers = (*(one.points for one in self.numbers), *(one.points for one in self.terms))
        return sum((*numbers, *(one.points for one in self.words)), Decimal(0))

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return tuple(one.verdict for one in self.numbers)

    @property
    def judgements(self) -> list[str]:
        """Those of all numbers, in the order of the working, then of those inside lines, and of
        answers in words."""
        terms = (one.judgement for one in self.terms)
        words = (one.judgement for one in self.words)
        return [*(verdict.judgement for verdict in self.verdicts), *terms, *words]

    @property
    def counts(self) -> Counter[str]:
        return Counter(self.judgements)

    @property
    def follows(self) -> bool:
        """Whether every answer is there and right."""
        return all(judgement in FOLLOW[:2] for judgement in self.judgements)


def all_follow(verdicts: tuple[Verdict, ...]) -> bool:
    """Whether all numbers follow from the given ones, or from earlier ones of their author."""
    return all(verdict.judgement in FOLLOW for verdict in verdicts)


def marked(exam: Exam, sheet: AnswerSheet) -> MarkedPaper:
    """What a student's answers are worth; what is asked and isn't answered is blank."""
    nothing = Given("")
    taken, remarks = answers_taken(exam, sheet)
    answers = {one.cell: taken.get(one.id, nothing) for one in exam.asked}
    judged, theirs = exam.judge.judged(answers)
    verdicts, doubt = ShownWorking(exam.judge, judged).judged()
    scheme = exam.scheme
    if doubt is not None and doubt.too_few:
        scheme = scheme._replace(carry=False)
    shares = scheme.shares(verdicts)
    numbers = tuple(
        PointedVerdict(verdict, share * exam.by_cell[verdict.cell].points)
        for verdict, share in zip(verdicts, shares, strict=True)
    )
    terms = tuple(
        marked_term(one, taken.get(one.id, nothing), answers, carry=scheme.carry)
        for one in exam.terms
    )
    said = [(one, taken.get(one.id, nothing)) for one in exam.words]
    judge = exam.judge
    own = OwnAnswers(judge.right, theirs, answers, judge.hypotheses, [*meanings(said)])
    words = tuple(marked_words(*one, own, carry=scheme.carry) for one in said)
    return MarkedPaper(sheet, exam, numbers, doubt, terms, words, remarks)
