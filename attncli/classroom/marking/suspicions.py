"""What is worth a second look: numbers perhaps typed wrongly, and papers that share slips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import combinations
from typing import NamedTuple

from attncli.classroom.marking.answers import AnswerSheet
from attncli.classroom.marking.classes import without_doubtful, wrong_answers
from attncli.classroom.marking.exam_parts import MarkedExam
from attncli.classroom.marking.marked_papers import MarkedPaper
from attncli.judging.slips import OF_THE_PEN
from attncli.judging.verdicts import FOLLOW, RIGHT, UNEARNED, Given, Verdict
from attncli.maths.equations.tree import Location
from attncli.maths.numbers import decimals
from attncli.maths.numbers.decimals import round_to

_FAR = 100
"""How many times the largest right number of its quantity a number is that nobody works out."""
_HUNDRED = 2
"""The power of ten of a hundred."""
_FEWEST_SHARED = 3
"""Wrong numbers without a known reason that two papers don't have alike by chance."""
_MOST_SHARING = 3
"""Papers that may copy from each other. What more papers have alike, they may have been told."""


class Mistyped(NamedTuple):
    """A number that was perhaps typed wrongly."""

    id: str
    """Its id in the exam."""
    given: Given
    right: str
    continues: bool
    """Whether the paper continues from the right number; else the number is far too large."""


def mistyped(paper: MarkedExam) -> list[Mistyped]:
    """Finds the wrong numbers of a paper that its author probably wrote rightly: what the paper
    works from them is right, or they are larger than any honest slip makes them. Of a paper in
    doubt none are named."""
    if paper.is_doubtful:
        return []
    pairs = zip(paper.exam.prefixes, paper.parts, strict=True)
    return [
        Mistyped(f"{prefix}{part.exam.results[v.cell].id}", v.given, right, continues)
        for prefix, part in pairs
        if isinstance(part, MarkedPaper)
        for v, continues in _in_part(part)
        for right in [str(_meant(v))]
    ]


def _in_part(paper: MarkedPaper) -> Iterator[tuple[Verdict, bool]]:
    """Yields the numbers of a part that were perhaps typed wrongly, each with whether the paper
    continues from the right ones."""
    slips = [v for v in paper.verdicts if _may_be_typed(v)]
    if not slips:
        return
    judge, next_to = paper.exam.judge, dict[Location, list[Verdict]]()
    for verdict in paper.verdicts:
        if verdict.given.number is not None:
            for source in judge.sources(verdict.cell):
                next_to.setdefault(source, []).append(verdict)
    largest = _largest(paper.verdicts)
    for slip in slips:
        assert slip.given.number is not None
        following = next_to.get(slip.cell, [])
        if following and (_go_on(following) or _go_on_if_mended(paper, slip, following)):
            yield slip, True
        elif abs(slip.given.number) > _FAR * largest[slip.cell.quantity] or _lacks_its_point(slip):
            yield slip, False


def _go_on(following: Sequence[Verdict]) -> bool:
    """Tells whether all numbers that are worked from a wrong one come of the right one."""
    return all(v.judgement in (*RIGHT, "rounding") for v in following)


def _go_on_if_mended(paper: MarkedPaper, wrong: Verdict, following: Sequence[Verdict]) -> bool:
    """Tells whether all numbers that are worked from one that was written down wrongly follow if
    it is what its author meant. This tells something where that isn't the key's number."""
    if wrong.judgement != "known mistake" or wrong.follows is None:
        return False
    meant = _meant(wrong)
    answers = {v.cell: v.given for v in paper.verdicts}
    answers[wrong.cell] = wrong.given._replace(number=meant, places=decimals.places(meant))
    after = {v.cell: v.judgement for v in paper.exam.judge.verdicts(answers)}
    return all(after[v.cell] in FOLLOW for v in following)


def _meant(wrong: Verdict) -> Decimal:
    """Returns the number that is right where a wrong one stands: of what its author wrote before,
    or else the key's."""
    right = wrong.expected.shown
    if wrong.follows is None:
        return right
    low, high = wrong.follows
    return round_to(Decimal(repr((low + high) / 2)), decimals.places(right))


def _may_be_typed(verdict: Verdict) -> bool:
    """Tells whether a wrong number may be one of whoever typed the paper: nothing that is a habit
    or a mistake of its author gives it, except by the pen."""
    cause = verdict.cause
    if verdict.judgement == "known mistake":
        return cause is not None and cause.name in OF_THE_PEN
    return verdict.judgement == "slip" and cause != UNEARNED and not _is_coarse(verdict)


def _lacks_its_point(verdict: Verdict) -> bool:
    """Tells whether a number has the digits of the right one, to all or to fewer decimals, and is
    at least a hundred times as large: 62.7 or 63 for 0.627."""
    number, right = verdict.given.number, verdict.expected
    assert number is not None
    asked = decimals.places(right.shown)
    exact = (round_to(right.full, places) for places in range(1, asked + 1))
    return any(number == n.scaleb(k) for n in exact if n for k in range(_HUNDRED, asked + 2))


def _is_coarse(verdict: Verdict) -> bool:
    """Tells whether a number is the right one with fewer decimals."""
    places = verdict.given.places
    return places is not None and verdict.given.number == round_to(verdict.expected.full, places)


def _largest(verdicts: Sequence[Verdict]) -> Mapping[str, Decimal]:
    """Returns the size of the largest right number of each quantity, or 1 where all are smaller."""
    found: dict[str, Decimal] = {}
    for verdict in verdicts:
        if (number := verdict.expected.shown).is_finite():
            name = verdict.cell.quantity
            found[name] = max(abs(number), found.get(name, Decimal(1)))
        else:
            found.setdefault(verdict.cell.quantity, Decimal(1))
    return found


class SharedNumbers(NamedTuple):
    """Two papers of a form that have the same wrong numbers without a known reason."""

    sheets: tuple[AnswerSheet, AnswerSheet]
    ids: tuple[str, ...]
    """The ids of these numbers."""


def alike(papers: Sequence[MarkedExam]) -> list[SharedNumbers]:
    """Finds papers of which one may be copied from the other: at least three numbers, and half of
    those that one of them has wrong without a known reason, are wrong in the same way."""
    of_papers: list[int] = []
    found: dict[tuple[str, str, Decimal], list[int]] = {}
    kept = without_doubtful(papers)
    for k, paper in enumerate(kept):
        wrong = [*_unexplained(paper)]
        of_papers.append(len(wrong))
        for id_, number in wrong:
            found.setdefault((paper.exam.form, id_, number), []).append(k)
    shared: dict[tuple[int, int], list[str]] = {}
    for (_, id_, _), places in found.items():
        if len(places) <= _MOST_SHARING:
            for pair in combinations(places, 2):
                shared.setdefault(pair, []).append(id_)
    return [
        SharedNumbers((kept[a].sheet, kept[b].sheet), tuple(ids))
        for (a, b), ids in sorted(shared.items(), key=lambda pair: -len(pair[1]))
        if len(ids) >= max(_FEWEST_SHARED, min(of_papers[a], of_papers[b]) / 2)
        and not _is_same_student(kept[a].sheet, kept[b].sheet)
    ]


def _unexplained(paper: MarkedExam) -> Iterator[tuple[str, Decimal]]:
    """Yields the wrong numbers of a paper that no known mistake gives, by their ids."""
    for wrong in wrong_answers(paper):
        verdict = wrong.verdict
        if verdict is not None and wrong.judgement == "slip" and wrong.cause != UNEARNED:
            assert verdict.given.number is not None
            yield wrong.id, verdict.given.number


def _is_same_student(one: AnswerSheet, other: AnswerSheet) -> bool:
    """Tells whether two papers are of the same student, who may have handed in twice."""
    return (one.id or one.student) == (other.id or other.student)
