"""Marking answers files: everything is checked, then each is marked and told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attncli.cli.complaints import BAD_INPUT, Complaints, complaining
from attncli.cli.grade_output import output_of, write_graded
from attncli.cli.progress import watched
from attncli.refusals import Problem, Refusal

if TYPE_CHECKING:
    from attncli.cli.grade import GradeArguments
    from attncli.marking.answers import AnswerSheet
    from attncli.marking.grading.papers import MarkedPaper
    from attncli.marking.grading.scheme import Scheme
    from attncli.telling.marked.exams import Asking
    from attncli.telling.marked.forms import AskedForms

    Marker = Asking | AskedForms

SOMETHING_WRONG = 1
_BY_A_FILE = (
    "write what the options said into an exercise file, which makes the same forms, like"
    " {scenario: i_love_ai, ask: [{step: softmax}], forms: 3, seed: 1}"
)


def grade(order: GradeArguments) -> None:
    """Marks what is ordered, and ends with the exit status that tells how it went."""
    complaints = Complaints()
    output = complaints.hear(output_of, order)
    marker = complaints.hear(_marker, order)
    asked = complaints.hear(_asked, order)
    complaints.stop_if_any()
    assert output is not None
    assert marker is not None
    sheets = _sheets(order, asked or marker.asked, complaints)
    papers = _marked(marker, sheets, asked, complaints)
    if papers:
        with complaining():
            write_graded(output, papers)
    complaints.say()
    if complaints.problems:
        raise typer.Exit(BAD_INPUT)
    if not all(paper.follows for paper in papers):
        raise typer.Exit(SOMETHING_WRONG)


def _marker(order: GradeArguments) -> Marker:
    """What marks the papers: a scenario, or the forms of an exercise, as its file says them or as
    they were made into a folder. Raises Refusal."""
    from attncli.building.exercise_file import is_exercise
    from attncli.building.manifest import is_manifest

    if is_manifest(Path(order.scenario)):
        return _made_forms(order)
    if Path(order.scenario).is_dir():
        wrong = "this folder doesn't say what its forms ask, as options made them"
        raise Refusal.of(order.scenario, wrong, f"{_BY_A_FILE}, and name that")
    return _forms(order) if is_exercise(order.scenario) else _asking(order)


def _scheme(order: GradeArguments) -> Scheme:
    from attncli.choices import MARKS
    from attncli.marking.grading.scheme import Scheme
    from attncli.writing import OutputError

    marks = next((one for one in MARKS if one == order.marks), None)
    if marks is None:
        right = f"say {' or '.join(MARKS)}"
        raise OutputError.of(f"--marks {order.marks}", "no such choice", right)
    return Scheme(marks, not order.no_carry)


def _asking(order: GradeArguments) -> Asking:
    """The worked scenario, the points and the marks. Raises Refusal."""
    from attncli.telling.exercise.choice import parse_points
    from attncli.telling.marked.exams import Asking

    points, scheme = parse_points(order.points or ()), _scheme(order)
    return Asking(
        order.scenario,
        order.allowed.worked_alone(order.scenario, order.changed.changes()),
        points,
        scheme,
    )


def _forms(order: GradeArguments) -> AskedForms:
    """All forms of an exercise. Raises Refusal."""
    from attncli.building.exercise_file import load_exercise
    from attncli.cli.exercising.variants import variants
    from attncli.telling.exercise.requests import request_of
    from attncli.telling.marked.forms import AskedForms, form_exam

    _check_unchanged(order)
    it, scheme = load_exercise(order.scenario), _scheme(order)
    trace = order.allowed.worked_alone(it.scenario, order.changed.changes())
    wish = request_of(trace, it)
    made = variants(trace, wish, it.forms, it.seed, it.allow)
    forms = [form_exam(one, wish, form, scheme, it.frame) for form, one in made]
    return AskedForms(order.scenario, forms)


def _made_forms(order: GradeArguments) -> AskedForms:
    """The forms that were made into a folder, with their numbers there. Raises Refusal."""
    from attncli.building.manifest import folder_of, load_manifest
    from attncli.telling.marked.forms import AskedForms, made_form

    _check_unchanged(order)
    place, scheme = Path(order.scenario), _scheme(order)
    manifest, folder = load_manifest(place), folder_of(place)
    forms, wrong = [], Complaints()
    for form, made in manifest.forms.items():
        with wrong.heard():
            here = made._replace(file=str(folder / made.file))
            trace = order.allowed.worked_alone(here.file, order.changed.changes())
            forms.append(made_form(trace, form, here, scheme, manifest))
    if wrong.problems:
        raise Refusal(wrong.problems)
    return AskedForms(order.scenario, forms)


def _check_unchanged(order: GradeArguments) -> None:
    """Raises OutputError for what is said otherwise than by the exercise."""
    from attncli.writing import OutputError

    for option, value in (("--points", order.points), *order.changed.options()):
        if value:
            right = "leave it out, or change the file"
            raise OutputError.of(option, "the exercise file says what is asked", right)


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
    marker: Marker,
    sheets: Sequence[AnswerSheet],
    asked: Sequence[str] | None,
    complaints: Complaints,
) -> list[MarkedPaper]:
    """Each paper that belongs to the exercise."""
    from attncli.marking.grading.papers import marked

    marker = marker.knowing(asked or (), sheets)
    papers = []
    for sheet in watched(sheets, len(sheets), "Papers"):
        with complaints.heard():
            papers.append(marked(marker.exam_of(sheet), sheet))
    return papers
