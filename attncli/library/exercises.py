"""Making an exercise: everything about it is checked, then it is worked and written, in a folder of
its own where it is a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from attncli import __version__
from attncli.building.exercise_file import (
    FILE,
    FormMade,
    Manifest,
    TermMade,
    has_manifest,
    load_manifest,
)
from attncli.errors import Complaints, Problem, listed
from attncli.library.arguments import Excerpt, FilesOutput
from attncli.library.exercise_arguments import command_line, set_by_file, typed_options
from attncli.library.output import watched
from attncli.library.paper_files import (
    Counts,
    PaperSettings,
    answers_files,
    blank_sheet,
    check_targets,
    distinct_names,
    page_of,
    paper_files,
    papers_of,
    parse_counts,
    parse_language,
    parse_layout,
    parse_manner,
    parse_paper,
    parse_room,
    safe_name,
    variants,
)
from attncli.output_files import Contents, OutputError, check_folder, encoded

if TYPE_CHECKING:
    from attncli.building.exercise_file import Ask, ExerciseFile
    from attncli.document.blocks import Document
    from attncli.document.questions import Item
    from attncli.exercises.requests import ExerciseRequest
    from attncli.library.arguments import Output
    from attncli.library.exercise_arguments import ExerciseArguments
    from attncli.marking.answers import Student
    from attncli.trace import Trace


_SAID_BY_A_FILE = (
    *("step", "layer", "head", "token", "cell", "ask", "blank", "points", "forms", "seed", "allow"),
    *("mistakes", "decimals", "rounding", "set_", "detail", "layout", "room", "paper", "language"),
)
"""Options that an exercise file has keys for, or that belong into its scenario."""


class Ordered(NamedTuple):
    """An exercise, and the numbers that were said with it."""

    exercise: ExerciseFile
    counts: Counts


def _ordered(order: ExerciseArguments, complaints: Complaints) -> Ordered | None:
    """The exercise that is ordered; None having heard what is wrong."""
    from attncli.building.exercise_file import is_exercise

    by_file = complaints.hear(is_exercise, order.scenario)
    if by_file is None:
        return None
    ordered = (_by_file if by_file else _by_options)(order, complaints)
    if allow := order.allow or () if ordered is None else ordered.exercise.allow:
        from attncli.nice_numbers.rules import check_names

        complaints.problems += check_names(allow)
    return ordered


def _by_file(order: ExerciseArguments, complaints: Complaints) -> Ordered:
    from attncli.building.exercise_file import load_exercise

    pairs = typed_options(order.context)
    complaints.problems += [
        set_by_file(option) for name, option in pairs if name in _SAID_BY_A_FILE
    ]
    counts = complaints.hear(parse_counts, order)
    exercise = complaints.hear(load_exercise, order.scenario)
    complaints.stop_if_any()  # it says which scenario is to be read
    assert exercise is not None
    assert counts is not None
    counts = counts._replace(forms=exercise.forms, seed=exercise.seed, share=exercise.mistakes)
    return Ordered(exercise, counts)


def _by_options(order: ExerciseArguments, complaints: Complaints) -> Ordered | None:
    from attncli.building.exercise_file import ExerciseFile, Frame
    from attncli.exercises.asking import parse_blanking, parse_points
    from attncli.pages.parts.selection import check_detail, check_steps

    complaints.hear(check_steps, order.part.steps)
    complaints.hear(check_detail, order.detail or "full")
    blanking = complaints.hear(parse_blanking, order.blank)
    points = complaints.hear(parse_points, order.points or ())
    layout = complaints.hear(parse_layout, order)
    room = complaints.hear(parse_room, order)
    paper = complaints.hear(parse_paper, order)
    language = complaints.hear(parse_language, order)
    counts = complaints.hear(parse_counts, order)
    if blanking is None or points is None or counts is None or language is None or paper is None:
        return None
    exercise = ExerciseFile(
        order.scenario,
        asks_of(order.part, order.cell, order.ask),
        Frame(language=language, paper=paper),
        blank=blanking,
        points=points,
        layout=layout,
        room=room,
        detail=order.detail,
        forms=counts.forms,
        seed=counts.seed,
        allow=tuple(order.allow or ()),
        mistakes=counts.share,
    )
    return Ordered(exercise, counts)


def asks_of(
    part: Excerpt, cells: Sequence[str] | None, questions: Sequence[str] | None
) -> tuple[Ask, ...]:
    """What options ask for: steps, or cells, and what is answered in words; without any, all."""
    from attncli.building.exercise_file import Ask

    asked = Ask(**part.within)
    steps = [asked._replace(step=step) for step in part.steps]
    asks = [asked._replace(cell=cell) for cell in cells or ()]
    if steps and asks:  # which don't go together, as is told when they are looked for
        asks = [cell._replace(step=steps[0].step) for cell in asks]
        steps = []
    words = [asked.asking(text) for text in questions or ()]
    return (*steps, *asks, *words) or (asked,)


class CheckedOrder(NamedTuple):
    """An order that nothing is wrong with: the exercise, how and where it is written, the worked
    scenario, what the forms are called, and whose sheets are made."""

    exercise: ExerciseFile
    manner: PaperSettings
    trace: Trace
    names: list[str]
    students: tuple[Student, ...] = ()


def exercise(order: ExerciseArguments) -> Output:
    """The student's sheet, the key, hints; of an exercise file a folder. Raises UserError."""
    from attncli.exercises.papers import exercises
    from attncli.exercises.requests import request_of

    job = _checked(order)
    command = _signed(command_line(order.context, leave_out=("output", "force")), job.exercise)
    request, it = request_of(job.trace, job.exercise), job.exercise
    if it.path is not None and job.manner.folder:
        return folder_of(order, job, request, command)
    made = variants(job.trace, request, it.forms, it.seed, it.allow)
    tell = partial(exercises, request=request, command=command, frame=it.frame)
    return papers_of(order, job.manner, made, tell, it.forms or 1)


def _signed(command: str, exercise: ExerciseFile) -> str:
    """The command with what else made the papers of a key, as a comment of the shell's."""
    seed = "" if exercise.path is None else f", seed {exercise.seed}"
    return f"{command} # attncli {__version__}{seed}"


def _checked(order: ExerciseArguments) -> CheckedOrder:
    """The terms of the order and the worked scenario. Raises UserError of all that is wrong."""
    complaints = Complaints()
    ordered = _ordered(order, complaints)
    manner = complaints.hear(_manner, order, ordered)
    scenario = order.scenario if ordered is None else ordered.exercise.scenario
    students = complaints.hear(_students, order, ordered, manner)
    trace = complaints.hear(order.allowed.worked_alone, scenario, order.changed.changes())
    complaints.stop_if_any()
    assert ordered is not None
    assert manner is not None
    assert trace is not None
    exercise = ordered.exercise._replace(mistakes=manner.share)
    counts = ordered.counts
    return CheckedOrder(exercise, manner, trace, counts.names, students or ())


def _students(
    order: ExerciseArguments, ordered: Ordered | None, manner: PaperSettings | None
) -> tuple[Student, ...]:
    """Those of the list that is named, if one is. Raises UserError."""
    if order.students is None or ordered is None or manner is None:
        return ()

    by_file = ordered.exercise.path is not None
    return students_of(order, manner, ordered.counts.names, by_file=by_file)


def _manner(order: ExerciseArguments, ordered: Ordered | None) -> PaperSettings:
    """How and where it is to be written. Raises OutputError where it can't go there."""
    by_file = ordered is not None and ordered.exercise.path is not None
    manner = parse_manner(order, None if ordered is None else ordered.counts, by_file=by_file)
    if ordered is not None and not (manner.folder and by_file):
        check_targets(order, manner, ordered.counts.names)
    return manner


# --------------------------------------------------------------------------------------------------
# The folder of an exercise file: papers, answers files, each form as a scenario, a manifest. A
# form that is there as a scenario keeps its numbers: what somebody mended in it is taken over, and
# only what comes of it is made anew.

_STUDENTS, _ANSWERS = "students", "answers"


class PersonalSheets(NamedTuple):
    """The files, by their names, and what the manifest says of each student."""

    files: Mapping[str, Contents]
    students: tuple[Mapping[str, str], ...]


def students_of(
    order: ExerciseArguments, manner: PaperSettings, forms: Sequence[str], *, by_file: bool
) -> tuple[Student, ...]:
    """The students of the list that is ordered, if one is. Raises UserError."""
    from attncli.marking.answers import read_students

    if order.students is None:
        return ()
    wrong = []
    if not (by_file and manner.folder):
        right = "say it like attn exercise exam.yaml -o exam/ --students list.csv"
        text = "it is for an exercise file that is made into a folder"
        wrong.append(Problem.of("--students", text, right))
    if not _has_sheets(manner.format):
        right = f"choose {listed([name for name in _formats() if _has_sheets(name)], ' or ')}"
        text = f"the format {manner.format} has no sheets"
        wrong.append(Problem.of("--students", text, right))
    if wrong:
        raise OutputError(wrong)
    return read_students(order.students, forms)


def _has_sheets(form: str) -> bool:
    from attncli.formats import info_of

    return "none" in info_of(form).keys


def _formats() -> list[str]:
    from attncli.formats import paper_format_names

    return paper_format_names()


def _personal_sheets(
    order: ExerciseArguments,
    form: str,
    students: Sequence[Student],
    exercises: Mapping[str, Document],
    before: Manifest | None,
) -> PersonalSheets:
    """The sheets of students; who had a form `before` keeps it, if the list says no other."""
    from attncli.exercises.papers import sheet_for
    from attncli.formats import contents_of, info_of, render, render_together, suffixes_of
    from attncli.marking.answers import with_forms

    if not students:
        return PersonalSheets({}, ())
    had = {} if before is None else {s["id"]: s["form"] for s in before.students}
    named = with_forms(students, [*exercises], had)
    blank = {name: blank_sheet(whole, form) for name, whole in exercises.items()}
    sheets = [sheet_for(blank[s.form], s.name, s.id) for s in named]
    page, suffix = page_of(order), suffixes_of(form)[0]
    stems = distinct_names([s.id for s in named], ())
    names = [f"{_STUDENTS}/{stem}_sheet{suffix}" for stem in stems]
    answers = [f"{_ANSWERS}/{stem}.yaml" for stem in stems]
    each = zip(names, answers, watched(sheets, len(sheets), "Students"), strict=True)
    files: dict[str, Contents] = {}
    for name, place, sheet in each:
        files[name] = contents_of(sheet, form, page)
        files[place] = render(sheet, "yaml", page)
    if info_of(form).together:
        stem = safe_name(Path(order.scenario).stem)
        files[f"{stem}_print{suffix}"] = render_together(sheets, form, page)
    whose = zip(named, names, answers, strict=True)
    rows = ({**s._asdict(), "sheet": sheet, "answers": own} for s, sheet, own in whose)
    return PersonalSheets(files, tuple(rows))


FORMS = "forms"


class FormWorked(NamedTuple):
    """A form: the text of its scenario, which it is worked from, and its exercise."""

    text: str
    trace: Trace
    whole: Document


def folder_of(
    order: ExerciseArguments, job: CheckedOrder, request: ExerciseRequest, command: str
) -> FilesOutput:
    """The folder of an exercise, or what was edited of it again; it says what changed."""
    assert order.output is not None
    folder = Path(order.output)
    before = load_manifest(folder) if has_manifest(folder) else None
    kept = _kept(order, job, before)
    forms = _forms(order, job, request, command, kept)
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
    return FilesOutput({**files, FILE: made.text()}, str(folder), True, _told(folder, made, before))


def _forms(
    order: ExerciseArguments,
    job: CheckedOrder,
    request: ExerciseRequest,
    command: str,
    kept: Mapping[str, Path],
) -> dict[str, FormWorked]:
    """Each form, worked from the text that is written of it."""
    from attncli.exercises.papers import exercise as worked_exercise
    from attncli.exercises.requests import request_of

    found: dict[str, FormWorked] = {}
    for name, text, trace in _worked(order, job, request, kept):
        asked = request_of(trace, job.exercise)
        found[name] = FormWorked(
            text, trace, worked_exercise(trace, asked, name, command, job.exercise.frame)
        )
    return found


def _worked(
    order: ExerciseArguments, job: CheckedOrder, request: ExerciseRequest, kept: Mapping[str, Path]
) -> Iterator[tuple[str, str, Trace]]:
    """The name, the text and the trace of each form: those that are kept as they are in the
    folder, others with new numbers."""
    from attncli.building.plain_scenario import exported

    names, it = job.names, job.exercise
    drawn = iter(variants(job.trace, request, it.forms, it.seed, it.allow))
    missing = [name for name in names if name not in kept]
    with TemporaryDirectory() as scratch:
        for name, text in _texts_beside(job).items():
            (Path(scratch) / name).write_text(text, "utf-8")
        traces = {name: trace for name, trace in drawn if name in missing} if missing else {}
        for name in names:
            path = kept.get(name, Path(scratch) / f"{name}.yaml")
            if name not in kept:
                path.write_bytes(encoded(exported(it.scenario, (), traces[name].scenario)))
            trace = order.allowed.worked_alone(str(path))
            yield name, path.read_text("utf-8"), trace


def _texts_beside(job: CheckedOrder) -> dict[str, str]:
    from attncli.building.plain_scenario import texts_beside

    return texts_beside(job.exercise.scenario)


def _place(form: str) -> str:
    return f"{FORMS}/{form}.yaml"


def _manifest(
    job: CheckedOrder,
    forms: Mapping[str, FormWorked],
    files: Mapping[str, Contents],
    personal: PersonalSheets,
) -> Manifest:
    from attncli.names import raw

    it = job.exercise
    first = next(iter(forms.values()))
    return Manifest(
        __version__,
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
    from attncli.exercises.fingerprint import numbers_mark

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
    from attncli.building.plain_scenario import settings_that_differ

    differ = settings_that_differ(next(iter(kept.values())), job.exercise.scenario)
    which = f"other settings ({listed(differ)})" if differ else "other numbers"
    wrong = f"the forms {listed(kept)} were made with {which} than {job.exercise.scenario} has now"
    right = f"make them anew with `attn exercise {order.scenario} -o {order.output} --force`"
    raise OutputError.of(order.output, wrong, right)


def _form(name: str, form: FormWorked, files: Mapping[str, Contents]) -> FormMade:
    from attncli.building.plain_scenario import numbers_of
    from attncli.document.questions import plain_points
    from attncli.exercises.fingerprint import numbers_mark

    paper, scenario = form.whole.paper, form.trace.scenario
    assert paper is not None
    given = {name: numbers_of(scenario, name) for name in scenario.given}
    return FormMade(
        _place(name),
        numbers_mark(form.trace),
        {key: [[str(number) for number in row] for row in rows] for key, rows in given.items()},
        paper.hash,
        plain_points(paper.points),
        {question.id: plain_points(question.points) for question in form.whole.items},
        tuple(file for file in files if f"_{name}_" in file),
        dict(_terms(form.trace, form.whole.items)),
    )


def _terms(trace: Trace, asked: Sequence[Item]) -> Iterator[tuple[str, TermMade]]:
    """The keys of numbers inside lines, which depend on all that a sheet asks and tells."""
    from attncli.marking.exam import address_of

    for id_, _, key, _, result in asked:
        if key is None or result is not None:
            continue
        cell = key.number.cell
        known = cell is not None and cell.quantity in trace
        whose = address_of(trace, cell) if cell is not None and known else ""
        low, high = map(str, key.accepted)
        yield id_, TermMade(str(key.number.shown), low, high, whose)


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
    from attncli.exercises.fingerprint import what_changed

    written = f"{folder} has {len(made.files) + 1} files: {len(made.forms)} forms, and {FILE}\n"
    return f"{written}{what_changed(before, made)}"
