"""Many papers: whose they are, the commonest mistakes, the hardest cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from attncli.arithmetic.expression import Location
from attncli.marking.answers.sheets import AnswerSheet
from attncli.marking.grading.papers import MarkedPaper, Roll, of_several
from attncli.marking.verdicts import FOLLOW
from attncli.trace import Trace
from attncli.word import Phrase

_WRONG = ("rounding", "known mistake", "slip")


class CommonMistake(NamedTuple):
    """What went wrong in several papers, and in how many."""

    says: str
    judgement: str
    papers: int


class HardCell(NamedTuple):
    """A cell, and in how many papers it isn't right nor carried forward."""

    cell: Location
    wrong: int


class Unmarked(NamedTuple):
    """A paper without marks, or somebody of the list without a paper, and why there are none."""

    sheet: AnswerSheet
    why: Phrase


class GradedClass(NamedTuple):
    """The papers of a class, who has no marks, and what else is to be said of all of it."""

    title: str
    trace: Trace
    papers: tuple[MarkedPaper, ...]
    unmarked: tuple[Unmarked, ...] = ()
    remarks: tuple[Phrase, ...] = ()

    @property
    def sheets(self) -> list[AnswerSheet]:
        """All that was handed in, first what has marks."""
        return [*(one.sheet for one in self.papers), *(one.sheet for one in self.unmarked)]


def with_the_roll(graded: GradedClass, roll: Roll, *, whole: bool) -> GradedClass:
    """A class with what its list tells of its papers, and where it is the whole class, of papers
    that aren't there."""
    sheets = graded.sheets
    several = of_several(sheets, roll)
    papers = tuple(
        paper._replace(
            remarks=(
                *paper.remarks,
                *roll.remarks(paper.sheet, paper.exam.form or paper.sheet.form),
                *((several[k],) if k in several else ()),
            )
        )
        for k, paper in enumerate(graded.papers)
    )
    unmarked = [one._replace(sheet=roll.named(one.sheet)) for one in graded.unmarked]
    for student in roll.missing(sheets) if whole else ():
        sheet = AnswerSheet(student.name, student.form, "", {}, "", student.id)
        unmarked.append(Unmarked(sheet, ("Nothing was handed in.",)))
    return graded._replace(papers=papers, unmarked=tuple(unmarked))


def commonest(papers: Sequence[MarkedPaper]) -> list[CommonMistake]:
    """The causes of wrong answers, those of most papers first."""
    counts: Counter[tuple[str, str]] = Counter()
    for paper in papers:
        causes = [(one.cause, one.judgement) for one in paper.verdicts if one.judgement in _WRONG]
        causes += [(one.causes[0], one.judgement) for one in paper.words if one.causes]
        counts.update({(cause.says, judgement) for cause, judgement in causes if cause})
    ordered = sorted(counts.items(), key=lambda entry: -entry[1])
    return [CommonMistake(says, judgement, count) for (says, judgement), count in ordered]


def hardest(papers: Sequence[MarkedPaper]) -> list[HardCell]:
    """The cells that most papers have wrong, or haven't at all."""
    counts: Counter[Location] = Counter()
    for paper in papers:
        told = ((one.cell, one.judgement) for one in paper.verdicts)
        counts.update(cell for cell, said in told if said not in FOLLOW)
    return [HardCell(cell, count) for cell, count in counts.most_common()]


def average(papers: Sequence[MarkedPaper]) -> Decimal:
    """The points of a paper on average."""
    return sum((paper.points for paper in papers), Decimal(0)) / max(1, len(papers))
