"""A student's paper as a document."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from attncli.arithmetic import decimals
from attncli.arithmetic.expression import Number
from attncli.document import Document, Note, Spans, Term
from attncli.marking.grading.papers import MarkedPaper
from attncli.questions import OWN_FORM
from attncli.telling.marked.report import Report, report
from attncli.telling.sentences import counted
from attncli.word import Word


def marked_paper(paper: MarkedPaper) -> Document:
    """What is said of a student's answers."""
    sheet, exam = paper.sheet, paper.exam
    facts: list[tuple[str, Spans]] = [("Student", (Word(sheet.student),))]
    whose = {"student": sheet.student}
    if sheet.id:
        whose["id"] = sheet.id
        facts.append(("ID", (Word(sheet.id),)))
    if sheet.form not in ("", OWN_FORM):
        facts.append(("Form", (Word(sheet.form),)))
    facts.append(("Points", (in_words(paper),)))
    points = {one.verdict.cell: one.points for one in paper.numbers}
    told = Report(
        Word(exam.title), tuple(facts), tuple(trivial_notes(paper)),
        {**whose, "points": float(paper.points), "of": float(paper.of)}, points,
        paper.terms, paper.words,
    )  # fmt: skip
    return report(exam.judge, paper.verdicts, told)


def in_words(paper: MarkedPaper) -> str:
    """`12.5 of 21`"""
    return f"{points_text(paper.points)} of {points_text(paper.of)}"


def points_text(points: Decimal) -> str:
    return decimals.text(points.normalize() + Decimal(0))


def trivial_notes(paper: MarkedPaper) -> Iterator[Note]:
    """What somebody has to look at: earlier answers that make later work trivial."""
    for one in paper.trivial:
        later = "follows" if one.later == 1 else "follow"
        yield Note(
            (
                "Look at this yourself: all numbers of ", Term(one.quantity), " are given as ",
                Number.written(one.number), f", which makes the {counted(one.later, 'number')}"
                f" trivial that {later} from it.",
            )
        )  # fmt: skip
