"""Marking answers files: everything is checked, then each is marked and told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from attncli.cli.arguments import changes_of
from attncli.cli.complaints import BAD_INPUT, Complaints, complaining
from attncli.cli.grade_output import output_of, write_graded
from attncli.cli.progress import watched, watching

if TYPE_CHECKING:
    from attncli.cli.grade import GradeArguments
    from attncli.marking.answers import AnswerSheet
    from attncli.marking.grading.exam import Exam
    from attncli.marking.grading.papers import MarkedPaper
    from attncli.telling.marked.exams import Asking

SOMETHING_WRONG = 1


def grade(order: GradeArguments) -> None:
    """Marks what is ordered, and ends with the exit status that tells how it went."""
    complaints = Complaints()
    output = complaints.hear(output_of, order)
    asking = complaints.hear(_asking, order)
    complaints.stop_if_any()
    assert output is not None
    assert asking is not None
    with complaining():
        asked = _asked(order)
    sheets = _sheets(order, asked, complaints)
    exam, papers = _marked(asking, sheets, asked, complaints)
    if exam is not None and papers:
        with complaining():
            write_graded(output, exam, papers)
    complaints.say()
    if complaints.problems:
        raise typer.Exit(BAD_INPUT)
    if not all(paper.follows for paper in papers):
        raise typer.Exit(SOMETHING_WRONG)


def _asking(order: GradeArguments) -> Asking:
    """The worked scenario, the points and the marks. Raises Refusal."""
    from attncli.choices import MARKS
    from attncli.marking.grading.scheme import Scheme
    from attncli.pipeline import load, work
    from attncli.telling.exercise.choice import parse_points
    from attncli.telling.marked.exams import Asking
    from attncli.writing import OutputError

    points = parse_points(order.points or ())
    marks = next((one for one in MARKS if one == order.marks), None)
    if marks is None:
        right = f"say {' or '.join(MARKS)}"
        raise OutputError.of(f"--marks {order.marks}", "no such choice", right)
    changes = changes_of(order.set_, order.decimals, order.rounding)
    with watching("Learning pieces") as tell:
        scenario = load(
            order.scenario, changes, outside=order.files_outside, large=order.large, progress=tell
        )
        trace = work(scenario.alone())
    return Asking(order.scenario, trace, points, Scheme(marks, not order.no_carry))


def _asked(order: GradeArguments) -> tuple[str, ...]:
    """What is asked, where a file is named that says so. Raises Refusal."""
    from attncli.marking.answers import read_answers

    if order.asked is None:
        return ()
    return tuple(text for sheet in read_answers(order.asked)[:1] for text in sheet.answers)


def _sheets(
    order: GradeArguments, asked: Sequence[str], complaints: Complaints
) -> list[AnswerSheet]:
    """The answers of all files that can be read."""
    from attncli.marking.answers import files_in, read_answers
    from attncli.refusals import Problem

    sheets: list[AnswerSheet] = []
    for path in order.answers:
        files = files_in(path)
        if not files:
            wrong = "there are no answers files in this folder"
            complaints.problems.append(Problem.of(path, wrong, "put YAML or CSV files into it"))
        for file in files:
            sheets += complaints.hear(read_answers, file, asked) or ()
    return sheets


def _marked(
    asking: Asking, sheets: Sequence[AnswerSheet], asked: Sequence[str], complaints: Complaints
) -> tuple[Exam | None, list[MarkedPaper]]:
    """The exam, and each paper that belongs to it."""
    from attncli.marking.grading.papers import marked
    from attncli.telling.marked.exams import asked_in

    belonging = []
    for sheet in sheets:
        with complaints.heard():
            asking.exam(tuple(sheet.answers), sheet.source)
            asking.check(sheet, asked or tuple(sheet.answers))
            belonging.append(sheet)
    if not belonging:
        return None, []
    exam = asking.exam(asked or asked_in(belonging), belonging[0].source)
    papers = []
    for sheet in watched(belonging, len(belonging), "Papers"):
        with complaints.heard():
            papers.append(marked(exam, sheet))
    return exam, papers
