"""A sheet and an answers file for each student of a list, and all sheets in one file to print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attncli.cli.exercising.papers import blank_sheet, distinct_names, page_of, safe_name
from attncli.cli.progress import watched
from attncli.refusals import Problem, listed
from attncli.writing import Contents, OutputError

if TYPE_CHECKING:
    from attncli.building.manifest import Manifest
    from attncli.cli.exercising.arguments import ExerciseArguments
    from attncli.cli.exercising.checks import PaperSettings
    from attncli.document import Document
    from attncli.marking.answers.students import Student

STUDENTS, ANSWERS = "students", "answers"


class PersonalSheets(NamedTuple):
    """The files, by their names, and what the manifest says of each student."""

    files: Mapping[str, Contents]
    students: tuple[Mapping[str, str], ...]


def students_of(
    order: ExerciseArguments, manner: PaperSettings, forms: Sequence[str], *, by_file: bool
) -> tuple[Student, ...]:
    """The students of the list that is ordered, if one is. Raises Refusal."""
    from attncli.marking.answers.students import read_students

    if order.students is None:
        return ()
    wrong = []
    if not (by_file and manner.folder):
        right = "say it like attn exercise exam.yaml -o exam/ --students list.csv"
        said = "it is for an exercise file that is made into a folder"
        wrong.append(Problem.of("--students", said, right))
    if not _has_sheets(manner.format):
        right = f"choose {listed([name for name in _formats() if _has_sheets(name)], ' or ')}"
        said = f"the format {manner.format} has no sheets"
        wrong.append(Problem.of("--students", said, right))
    if wrong:
        raise OutputError(wrong)
    return read_students(order.students, forms)


def _has_sheets(form: str) -> bool:
    from attncli.render import abilities_of

    return "none" in abilities_of(form).keys


def _formats() -> list[str]:
    from attncli.render import paper_format_names

    return paper_format_names()


def personal_sheets(
    order: ExerciseArguments,
    form: str,
    students: Sequence[Student],
    exercises: Mapping[str, Document],
    before: Manifest | None,
) -> PersonalSheets:
    """The sheets of students; who had a form `before` keeps it, if the list says no other."""
    from attncli.marking.answers.students import with_forms
    from attncli.render import abilities_of, contents_of, render, render_together, suffixes_of
    from attncli.telling.exercise.papers import sheet_for

    if not students:
        return PersonalSheets({}, ())
    had = {} if before is None else {one["id"]: one["form"] for one in before.students}
    told = with_forms(students, [*exercises], had)
    blank = {name: blank_sheet(whole, form) for name, whole in exercises.items()}
    sheets = [sheet_for(blank[one.form], one.name, one.id) for one in told]
    page, suffix = page_of(order), suffixes_of(form)[0]
    stems = distinct_names([one.id for one in told], ())
    names = [f"{STUDENTS}/{stem}_sheet{suffix}" for stem in stems]
    answers = [f"{ANSWERS}/{stem}.yaml" for stem in stems]
    each = zip(names, answers, watched(sheets, len(sheets), "Students"), strict=True)
    files: dict[str, Contents] = {}
    for name, place, sheet in each:
        files[name] = contents_of(sheet, form, page)
        files[place] = render(sheet, "yaml", page)
    if abilities_of(form).together:
        stem = safe_name(Path(order.scenario).stem)
        files[f"{stem}_print{suffix}"] = render_together(sheets, form, page)
    whose = zip(told, names, answers, strict=True)
    rows = ({**one._asdict(), "sheet": sheet, "answers": own} for one, sheet, own in whose)
    return PersonalSheets(files, tuple(rows))
