"""The folder of an exercise file: papers, answers files, each form as a scenario, a manifest.

A form that is there as a scenario keeps its numbers: what somebody mended in it is taken over, and
only what comes of it is made anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from attncli.building.exercise_file import (
    FILE,
    FormMade,
    Manifest,
    TermMade,
    has_manifest,
    load_manifest,
)
from attncli.cli.arguments import Files
from attncli.cli.exercising.papers import (
    answers_files,
    blank_sheet,
    distinct_names,
    page_of,
    paper_files,
    safe_name,
)
from attncli.cli.exercising.variants import variants
from attncli.cli.progress import watched
from attncli.refusals import Problem, listed
from attncli.writing import Contents, OutputError, check_folder, encoded

if TYPE_CHECKING:
    from attncli.cli.exercise import ExerciseArguments
    from attncli.cli.exercising.checks import PaperSettings
    from attncli.cli.exercising.writing import CheckedOrder
    from attncli.document import Document
    from attncli.marking.answers.students import Student
    from attncli.questions import Question
    from attncli.telling.exercise.requests import ExerciseRequest
    from attncli.trace import Trace


_STUDENTS, _ANSWERS = "students", "answers"


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


def _personal_sheets(
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
    names = [f"{_STUDENTS}/{stem}_sheet{suffix}" for stem in stems]
    answers = [f"{_ANSWERS}/{stem}.yaml" for stem in stems]
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


FORMS = "forms"


class FormWorked(NamedTuple):
    """A form: the text of its scenario, which it is worked from, and its exercise."""

    text: str
    trace: Trace
    whole: Document


def folder_of(
    order: ExerciseArguments, job: CheckedOrder, wish: ExerciseRequest, command: str
) -> Files:
    """The folder of an exercise, or what was edited of it again; it says what changed."""
    assert order.output is not None
    folder = Path(order.output)
    before = load_manifest(folder) if has_manifest(folder) else None
    kept = _kept(order, job, before)
    forms = _forms(order, job, wish, command, kept)
    papers = ((name, form.trace, form.whole) for name, form in forms.items())
    files: dict[str, Contents] = paper_files(
        order, job.manner, watched(papers, len(forms), "Forms")
    )
    exercises = {name: form.whole for name, form in forms.items()}
    files |= answers_files(order, exercises)
    personal = _personal_sheets(order, job.manner.format, job.students, exercises, before)
    files |= {_place(name): form.text for name, form in forms.items()}
    files |= {f"{FORMS}/{name}": text for name, text in _texts_beside(job).items()}
    made = _manifest(job, forms, files, personal)
    files |= personal.files
    _check_edited(folder, files, before, force=order.force)
    check_folder(str(folder), [*files, FILE], force=True)
    return Files({**files, FILE: made.text()}, str(folder), True, _told(folder, made, before))


def _forms(
    order: ExerciseArguments,
    job: CheckedOrder,
    wish: ExerciseRequest,
    command: str,
    kept: Mapping[str, Path],
) -> dict[str, FormWorked]:
    """Each form, worked from the text that is written of it."""
    from attncli.telling.exercise.papers import exercise
    from attncli.telling.exercise.requests import request_of

    found: dict[str, FormWorked] = {}
    for name, text, trace in _worked(order, job, wish, kept):
        asked = request_of(trace, job.exercise)
        found[name] = FormWorked(
            text, trace, exercise(trace, asked, name, command, job.exercise.frame)
        )
    return found


def _worked(
    order: ExerciseArguments, job: CheckedOrder, wish: ExerciseRequest, kept: Mapping[str, Path]
) -> Iterator[tuple[str, str, Trace]]:
    """The name, the text and the trace of each form: those that are kept as they are in the
    folder, others with new numbers."""
    from attncli.building.plain import pinned

    names, it = job.names, job.exercise
    drawn = iter(variants(job.trace, wish, it.forms, it.seed, it.allow))
    missing = [name for name in names if name not in kept]
    with TemporaryDirectory() as scratch:
        for name, text in _texts_beside(job).items():
            (Path(scratch) / name).write_text(text, "utf-8")
        traces = {name: trace for name, trace in drawn if name in missing} if missing else {}
        for name in names:
            path = kept.get(name, Path(scratch) / f"{name}.yaml")
            if name not in kept:
                path.write_bytes(encoded(pinned(it.scenario, (), traces[name].scenario)))
            trace = order.allowed.worked_alone(str(path))
            yield name, path.read_text("utf-8"), trace


def _texts_beside(job: CheckedOrder) -> dict[str, str]:
    from attncli.building.plain import texts_beside

    return texts_beside(job.exercise.scenario)


def _place(form: str) -> str:
    return f"{FORMS}/{form}.yaml"


def _manifest(
    job: CheckedOrder,
    forms: Mapping[str, FormWorked],
    files: Mapping[str, Contents],
    personal: PersonalSheets,
) -> Manifest:
    import attncli
    from attncli.word import raw

    it = job.exercise
    first = next(iter(forms.values()))
    return Manifest(
        attncli.__version__,
        raw(first.whole.title),
        it.scenario,
        it.seed,
        {name: _form(name, form, files) for name, form in forms.items()},
        {name: _digest(contents) for name, contents in {**files, **personal.files}.items()},
        {name: str(much) for name, much in it.tolerance.items()},
        personal.students,
        _made_of(job),
    )


def _made_of(job: CheckedOrder) -> str:
    from attncli.telling.exercise.fingerprint import numbers_mark

    return numbers_mark(job.trace)


def _kept(order: ExerciseArguments, job: CheckedOrder, before: Manifest | None) -> dict[str, Path]:
    """The forms that are there, by their files; with --force none that were made of a scenario
    which says something else now. Raises OutputError for those without it."""
    assert order.output is not None
    places = {name: Path(order.output) / _place(name) for name in job.names}
    kept = {name: path for name, path in places.items() if path.is_file()}
    was = "" if before is None else before.made_of
    if not kept or was in ("", _made_of(job)):
        return kept
    if order.force:
        return {}
    from attncli.building.plain import settings_that_differ

    differ = settings_that_differ(next(iter(kept.values())), job.exercise.scenario)
    which = f"other settings ({listed(differ)})" if differ else "other numbers"
    wrong = f"the forms {listed(kept)} were made with {which} than {job.exercise.scenario} has now"
    right = f"make them anew with `attn exercise {order.scenario} -o {order.output} --force`"
    raise OutputError.of(order.output, wrong, right)


def _form(name: str, form: FormWorked, files: Mapping[str, Contents]) -> FormMade:
    from attncli.building.plain import numbers_of
    from attncli.questions import plain_points
    from attncli.telling.exercise.fingerprint import numbers_mark

    paper, scenario = form.whole.paper, form.trace.scenario
    assert paper is not None
    asked = [q for section in form.whole.sections for q in section.questions]
    given = {name: numbers_of(scenario, name) for name in scenario.given}
    return FormMade(
        _place(name),
        numbers_mark(form.trace),
        {key: [[str(number) for number in row] for row in rows] for key, rows in given.items()},
        paper.hash,
        plain_points(paper.points),
        {question.id: plain_points(question.points) for question in asked},
        tuple(file for file in files if f"_{name}_" in file),
        dict(_terms(form.trace, asked)),
    )


def _terms(trace: Trace, asked: Sequence[Question]) -> Iterator[tuple[str, TermMade]]:
    """The keys of numbers inside lines, which depend on all that a sheet asks and tells."""
    from attncli.marking.grading.addresses import address_of, line_of

    for id_, _, key, _ in asked:
        if key is None or line_of(id_) is None:
            continue
        cell = key.number.cell
        known = cell is not None and cell.quantity in trace
        whose = address_of(trace, cell) if cell is not None and known else ""
        yield id_, TermMade(str(key.number.shown), str(key.low), str(key.high), whose)


def _digest(contents: Contents) -> str:
    return hashlib.sha256(encoded(contents)).hexdigest()[:16]


def _check_edited(
    folder: Path, files: Mapping[str, Contents], before: Manifest | None, *, force: bool
) -> None:
    """Raises OutputError where a file is in the way that isn't as this program wrote it."""
    made = {} if before is None else before.files
    for name, contents in files.items():
        there = folder / name
        if force or not there.is_file():
            continue
        digest = hashlib.sha256(there.read_bytes()).hexdigest()[:16]
        if digest not in (made.get(name), _digest(contents)):
            wrong = "isn't as it was made" if name in made else "exists already"
            right = "move it away, or write over it with --force"
            raise OutputError.of(str(there), wrong, right)


def _told(folder: Path, made: Manifest, before: Manifest | None) -> str:
    """What was done, in a line or two."""
    from attncli.telling.exercise.fingerprint import what_changed

    written = f"{folder} has {len(made.files) + 1} files: {len(made.forms)} forms, and {FILE}\n"
    return f"{written}{what_changed(before, made)}"
