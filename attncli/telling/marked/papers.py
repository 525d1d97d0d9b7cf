"""A student's paper as a document."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from attncli.arithmetic import decimals
from attncli.document import Document, Spans
from attncli.marking.grading.papers import MarkedPaper
from attncli.questions import OWN_FORM
from attncli.telling.marked.report import Report, raw_text, report
from attncli.telling.sentences import enumerated
from attncli.word import Phrase, Word


def marked_paper(paper: MarkedPaper) -> Document:
    """What is said of a student's answers."""
    sheet, exam = paper.sheet, paper.exam
    facts: list[tuple[str, Spans]] = [("Student", (Word(sheet.student),))]
    whose: dict[str, object] = {"student": sheet.student}
    if sheet.id:
        whose["id"] = sheet.id
        facts.append(("ID", (Word(sheet.id),)))
    if sheet.form not in ("", OWN_FORM):
        facts.append(("Form", (Word(sheet.form),)))
    facts.append(("Points", (in_words(paper),)))
    points = {one.verdict.cell: one.points for one in paper.numbers}
    remarks = remarks_on(paper)
    data = {**whose, "points": float(paper.points), "of": float(paper.of), **doubt_data(paper)}
    if remarks:
        data["remarks"] = [*map(raw_text, remarks)]
    told = Report(
        Word(exam.title), tuple(facts), (), data, points, paper.terms, paper.words, remarks
    )
    return report(exam.judge, paper.verdicts, told)


def in_words(paper: MarkedPaper) -> str:
    """`12.5 of 21`"""
    return f"{points_text(paper.points)} of {points_text(paper.of)}"


def points_text(points: Decimal) -> str:
    return decimals.text(points.normalize() + Decimal(0))


def remarks_on(paper: MarkedPaper) -> tuple[Phrase, ...]:
    """What somebody has to look at: numbers that show no working, and what doesn't fit."""
    empty = all(given.is_empty for given in paper.sheet.answers.values())
    return (*[("All answers are empty.",)] * empty, *_doubts(paper), *paper.remarks)


def _doubts(paper: MarkedPaper) -> Iterator[Phrase]:
    """Whether a paper shows working."""
    doubt = paper.doubt
    if doubt is None:
        return
    if doubt.too_few:
        following = f" ({doubt.unearned})" if doubt.unearned else ""
        yield (
            "From ", Word(doubt.first), " on this paper shows no working: "
            f"{doubt.slips} numbers are wrong without a reason, {_showing(doubt.shows)}."
            f" What only follows from wrong numbers{following} earns nothing.",
        )  # fmt: skip
    else:
        names, count = Word(enumerated(doubt.trivial)), doubt.unearned
        what = "1 number follows" if count == 1 else f"{count} numbers follow"
        earns = "earns" if count == 1 else "earn"
        said = f"{what} trivially and {earns} nothing: the same number stands throughout "
        yield (said, names, ".")


def _showing(count: int) -> str:
    which = "only 1 shows how it" if count == 1 else f"only {count} show how they"
    return f"and {which} came about" if count else "and none shows how it came about"


def doubt_data(paper: MarkedPaper) -> dict[str, object]:
    """The same as data."""
    doubt = paper.doubt
    return {} if doubt is None else {"doubt": doubt._asdict()}
