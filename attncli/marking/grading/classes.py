"""Many papers: the commonest mistakes, the hardest cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from attncli.arithmetic.expression import Location
from attncli.marking.grading.papers import MarkedPaper
from attncli.records import NamedTuple

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
        counts.update(cell for cell, said in told if said not in ("correct", "carried forward"))
    return [HardCell(cell, count) for cell, count in counts.most_common()]


def average(papers: Sequence[MarkedPaper]) -> Decimal:
    """The points of a paper on average."""
    return sum((paper.points for paper in papers), Decimal(0)) / max(1, len(papers))
