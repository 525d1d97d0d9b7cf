"""Making an exercise: everything about it is checked, then it is worked and written.

The folder of an exercise file has papers, answers files, each form as a scenario, a manifest. A
form that is there as a scenario keeps its numbers: what somebody mended in it is taken over, and
only what comes of it is made anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import starmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from attncli import __version__
from attncli.classroom.exercise_orders import CheckedOrder, FirstForm, LostToRounding, checked
from attncli.classroom.files.manifest import (
    FILE,
    ChoiceMade,
    FormMade,
    Manifest,
    PartMade,
    StudentMade,
    TermMade,
    has_manifest,
    load_manifest,
)
from attncli.classroom.paper_files import (
    answers_files,
    blank_sheet,
    paper_files,
    papers_of,
    traces_of_forms,
)
from attncli.commands.arguments import FilesOutput
from attncli.commands.progress import watched
from attncli.errors import counted, listed
from attncli.output_files import (
    Contents,
    OutputError,
    check_folder,
    distinct_names,
    encoded,
    put_right,
    safe_name,
)

if TYPE_CHECKING:
    from attncli.classroom.commands import ExerciseArguments
    from attncli.classroom.exercises.exam_papers import ExamForm
    from attncli.classroom.files.exam_file import ExamPart
    from attncli.classroom.marking.class_list import Student
    from attncli.commands.arguments import Output
    from attncli.document.blocks import Document
    from attncli.document.questions import Item
    from attncli.trace import Trace


def exercise_of(order: ExerciseArguments) -> Output:
    """Makes a student's sheet, the key, hints; of a file a folder. Raises UserError."""
    from attncli.classroom.exercises.exam_papers import exam_forms, requests_of

    job = checked(order)
    if job.exam.path is not None and job.manner.folder:
        return folder_of(job, lambda *_: {})
    requests = requests_of(job.exam, job.traces)
    made = traces_of_forms(job.exam, job.traces, requests, job.hidden)
    formats = [job.manner.format]
    lost, first = LostToRounding(formats), FirstForm()
    forms = (
        first.heard(lost.heard(form)) for form in exam_forms(job.exam, requests, made, job.command)
    )
    papers = papers_of(order, job.manner, forms, len(job.names))
    files = papers.texts.values() if isinstance(papers, FilesOutput) else (papers.text,)
    papers = papers._replace(notes=first.notes([*files], formats))
    told = papers._replace(says=papers.says + job.says + lost.says)
    return papers if order.page.output in (None, "-") else told


def _personal_sheets(
    job: CheckedOrder, students: Sequence[Student], exercises: Mapping[str, Document]
) -> tuple[dict[str, Contents], tuple[StudentMade, ...]]:
    """Makes the sheets of students, by their files, and tells whose each is."""
    from attncli.classroom.exercises.papers import sheet_for
    from attncli.formats import contents_of, info_of, render, render_together, suffixes_of

    files: dict[str, Contents] = {}
    if not students:
        return files, ()
    form = job.manner.format
    blank = {name: blank_sheet(whole, form) for name, whole in exercises.items()}
    sheets = [sheet_for(blank[s.form], s.name, s.id) for s in students]
    page, suffix = job.order.page.rendering, suffixes_of(form)[0]
    stems = distinct_names([s.id for s in students], ())
    made = tuple(
        StudentMade(*student, f"students/{stem}_sheet{suffix}", f"answers/{stem}.yaml")
        for student, stem in zip(students, stems, strict=True)
    )
    for own, sheet in zip(made, watched(sheets, len(sheets), "Students"), strict=True):
        files[own.sheet] = contents_of(sheet, form, page)
        files[own.answers] = render(sheet, "yaml", page)
    if info_of(form).papers.together:
        stem = safe_name(Path(job.order.scenario).stem)
        each = [files[own.sheet] for own in made]
        files[f"{stem}_print{suffix}"] = render_together(sheets, each, form, page)
    return files, made


FORMS = "forms"


class FormWorked(NamedTuple):
    """A form that is worked."""

    texts: tuple[str, ...]
    """The texts of the scenarios of its parts, which they are worked from."""
    form: ExamForm
    """Its papers."""


Beside = Callable[[Mapping[str, "FormWorked"], Sequence["Student"]], Mapping[str, Contents]]
"""What else goes into a folder, made of all forms, and for its students."""


def folder_of(job: CheckedOrder, beside: Beside, formats: Sequence[str] = ()) -> FilesOutput:
    """Makes the folder of an exam, or again what was edited of it. It says what changed, and what
    is lost in its own format, or in some others. Raises UserError."""
    order = job.order
    assert order.page.output is not None
    folder = Path(order.page.output)
    put_right(order.page.output)
    before = load_manifest(folder) if has_manifest(folder) else None
    forms, others = _worked(job, folder, before)
    formats = [*dict.fromkeys((job.manner.format, *formats))]
    lost, first = LostToRounding(formats), FirstForm()
    heard = (first.heard(lost.heard(form.form)) for form in forms.values())
    papers = watched(heard, len(forms), "Forms")
    files: dict[str, Contents] = paper_files(order, job.manner, papers)
    notes = first.notes([*files.values()], formats)
    exercises = {name: form.form.whole for name, form in forms.items()}
    files |= answers_files(order, exercises)
    students = _with_forms(job, [*forms], before)
    files |= beside(forms, students)
    personal, whose = _personal_sheets(job, students, exercises)
    for name, form in forms.items():
        files |= dict(zip(_places(job, name), form.texts, strict=True))
    files |= {f"{FORMS}/{name}": text for name, text in _texts_beside(job).items()}
    if job.manner.format == "latex":  # which has no pictures in itself
        files |= _pictures(job)
    made = _manifest(job, forms, files, personal)._replace(students=whose)
    files |= personal
    if not order.page.force:
        _check_edited(order, folder, files, before)
    check_folder(str(folder), [*files, FILE], force=True)
    said = _whose_numbers(job, forms) + _what_is_not_nice(job) if before is None else ""
    says = (
        _summary(folder, made, _marked_anew(before, forms))
        + others
        + said
        + _to_be_marked_by_hand(job, forms)
        + job.says
        + lost.says
    )
    return FilesOutput({**files, FILE: made.text()}, str(folder), True, says, notes=notes)


def _to_be_marked_by_hand(job: CheckedOrder, forms: Mapping[str, FormWorked]) -> str:
    """Says which questions have nothing that a person could mark them by."""
    every = (question for part in job.exam.parts for question in part.own_questions)
    bare = {q.ask for q in every if q.by_hand and not q.answer}
    numbers = dict.fromkeys(
        str(section.number)
        for form in forms.values()
        for section in form.form.whole.sections
        if any(item.asks in bare for item in section.questions)
    )
    if not numbers:
        return ""
    which = "question" if len(numbers) == 1 else "questions"
    has = "has" if len(numbers) == 1 else "have"
    right = "give an answer to mark by, or write it on the key, which has room for it"
    return f"{which} {listed([*numbers], ' and ')} {has} no model answer; {right}\n"


def _with_forms(
    job: CheckedOrder, forms: Sequence[str], before: Manifest | None
) -> tuple[Student, ...]:
    """Gives the students their forms; without a list, those of `before`. Who had a form keeps it,
    unless the list names another."""
    from attncli.classroom.marking.class_list import Student, with_forms

    was = () if before is None else before.students
    same = tuple(Student(s.name, s.id) for s in was)
    return with_forms(job.students or same, forms, {s.id: s.form for s in was})


def _worked(
    job: CheckedOrder, folder: Path, before: Manifest | None
) -> tuple[dict[str, FormWorked], str]:
    """Works the forms of a folder, and says which keep other numbers than the exam says; with
    --force all get new ones then. Raises UserError."""
    forms = _forms(job, _kept(job, folder, before))
    other = [] if before is None else [*_other_numbers(job, before, forms)]
    if other and job.order.page.force:
        return _forms(job, {}), ""
    return forms, "".join(f"{says}; --force gives it new ones\n" for says in other)


def _forms(job: CheckedOrder, kept: Mapping[str, Sequence[Path]]) -> dict[str, FormWorked]:
    """Works each form from the texts that are written of it: those that are kept as they are in the
    folder, others with new numbers."""
    from attncli.classroom.exercises.exam_papers import exam_forms, requests_of

    requests = requests_of(job.exam, job.traces)
    drawn = traces_of_forms(job.exam, job.traces, requests, job.hidden)
    found: dict[str, FormWorked] = {}
    with TemporaryDirectory() as scratch:
        for name, text in _texts_beside(job).items():
            (Path(scratch) / name).write_text(text, "utf-8")
        missing = {*job.names} - kept.keys()
        fresh = {name: own for name, own in drawn if name in missing} if missing else {}
        for name in job.names:
            paths = (
                kept[name]
                if name in kept
                else _write_scenarios(job, Path(scratch), name, fresh[name])
            )
            left = iter([job.order.page.allowed.worked_alone(str(path)) for path in paths])
            traces = tuple(None if trace is None else next(left) for trace in job.traces)
            own = requests_of(job.exam, traces)
            (form,) = exam_forms(job.exam, own, [(name, traces)], job.command)
            found[name] = FormWorked(tuple(path.read_text("utf-8") for path in paths), form)
    return found


def _write_scenarios(
    job: CheckedOrder, folder: Path, name: str, traces: Sequence[Trace | None]
) -> list[Path]:
    """Writes the scenarios of a form into a folder, and returns their paths."""
    from attncli.pipeline.exporting import exported

    paths = [folder / Path(place).name for place in _places(job, name)]
    each = (trace for trace in traces if trace is not None)
    for path, scenario, trace in zip(paths, job.scenarios, each, strict=True):
        path.write_bytes(encoded(exported(scenario, (), trace.scenario)))
    return paths


def _texts_beside(job: CheckedOrder) -> dict[str, str]:
    from attncli.pipeline.exporting import texts_beside

    return {name: t for own in job.scenarios for name, t in texts_beside(own).items()}


def _places(job: CheckedOrder, form: str) -> list[str]:
    """Returns the files of a form's scenarios: one for each part that has one."""
    if len(job.scenarios) == 1 == len(job.exam.parts):
        return [f"{FORMS}/{form}.yaml"]
    numbers = (k for k, part in enumerate(job.exam.parts, start=1) if part.exercise is not None)
    return [f"{FORMS}/{form}_{k}.yaml" for k in numbers]


def _manifest(
    job: CheckedOrder,
    forms: Mapping[str, FormWorked],
    files: Mapping[str, Contents],
    personal: Mapping[str, Contents],
) -> Manifest:
    from attncli.names import raw

    first = next(iter(forms.values()))
    return Manifest(
        __version__,
        raw(first.form.whole.title),
        job.scenarios,
        job.exam.seed,
        {name: _form(job, name, form, files) for name, form in forms.items()},
        {name: _digest(contents) for name, contents in {**files, **personal}.items()},
        made_of=_made_of(job),
        scheme=job.exam.scheme,
    )


def _made_of(job: CheckedOrder) -> tuple[str, ...]:
    from attncli.classroom.exercises.fingerprint import numbers_mark

    return tuple(numbers_mark(trace) for trace in job.traces if trace is not None)


def _kept(job: CheckedOrder, folder: Path, before: Manifest | None) -> dict[str, list[Path]]:
    """Finds the forms that are there, by their files.

    With --force none are kept that were made of scenarios which say something else now. Raises
    OutputError for those without it.
    """
    from attncli.classroom.exercises.fingerprint import has_numbers_mark

    places = {name: [folder / place for place in _places(job, name)] for name in job.names}
    kept = {name: paths for name, paths in places.items() if all(p.is_file() for p in paths)}
    was = () if before is None else before.made_of
    same = [*map(has_numbers_mark, filter(None, job.traces), was)]
    if not (kept and was) or (all(same) and len(was) == len(_made_of(job))):
        return kept
    order = job.order
    if order.page.force:
        return {}
    from attncli.pipeline.exporting import settings_that_differ

    first = next(iter(kept.values()))
    pairs = zip(first, job.scenarios, same, strict=False)
    path, scenario = next(((p, s) for p, s, is_same in pairs if not is_same), (None, ""))
    differ = settings_that_differ(path, scenario) if path else ()
    which = f"other settings ({listed(differ)})" if differ else "other numbers"
    of = scenario or "the exam"
    wrong = f"the forms {listed(kept)} were made with {which} than {of} has now"
    again = f"attn {'exam' if job.exam.is_exam else 'exercise'} {order.scenario}"
    right = f"make them anew with `{again} -o {order.page.output} --force`"
    raise OutputError.of(str(order.page.output), wrong, right)


def _other_numbers(
    job: CheckedOrder, before: Manifest, forms: Mapping[str, FormWorked]
) -> Iterator[str]:
    """Says which forms keep numbers, as they were made before, that aren't what the exam says now:
    not the scenario's own, or others in parts that have the same."""
    from attncli.classroom.exercises.between_parts import sharing
    from attncli.classroom.exercises.fingerprint import has_numbers_mark, numbers_mark

    shared = sharing(job.exam, job.traces)
    for name, form in forms.items():
        was = before.forms.get(name)
        own, traces = job.exam.keeps_own and name == job.names[0], form.form.traces
        if was is None or not all(
            trace is None or has_numbers_mark(trace, part.numbers)
            for trace, part in zip(traces, was.parts, strict=False)
        ):
            continue  # it is new, or somebody mended it
        marks = [trace and numbers_mark(trace) for trace in traces]
        of_own = [trace and numbers_mark(trace) for trace in job.traces]
        firsts = [s.places[0] for s in shared if s.is_first]
        apart = next((s.places for s in shared if len({marks[k] for k in s.places}) > 1), None)
        if apart is not None:
            parts = listed([str(k + 1) for k in apart], " and ")
            yield f"form {name} keeps different numbers in parts {parts}, which have the same now"
        elif own and any(marks[k] != of_own[k] for k in firsts):
            yield f"form {name} keeps other numbers than the scenario's own"
        elif name == job.names[0] and not own and any(marks[k] == of_own[k] for k in firsts):
            yield f"form {name} keeps the scenario's own numbers"


def _form(
    job: CheckedOrder, name: str, worked: FormWorked, files: Mapping[str, Contents]
) -> FormMade:
    from attncli.document.questions import plain_points

    form, places = worked.form, iter(_places(job, name))
    paper = form.whole.paper
    assert paper is not None
    parts = tuple(
        _part(part, whole, trace, "" if trace is None else next(places))
        for part, whole, trace in zip(job.exam.parts, form.wholes, form.traces, strict=True)
    )
    if len(parts) == 1:  # it is called as the whole is
        parts = (parts[0]._replace(title=""),)
    papers = tuple(file for file in files if f"_{name}_" in file)
    return FormMade(paper.hash, plain_points(paper.points), parts, papers)


def _part(part: ExamPart, whole: Document, trace: Trace | None, place: str) -> PartMade:
    from attncli.classroom.exercises.fingerprint import numbers_mark
    from attncli.document.questions import plain_points
    from attncli.names import raw
    from attncli.pipeline.plain_data import numbers_of

    title = part.title or raw(whole.title)
    asked = {item.id: plain_points(item.points) for item in whole.items}
    most = None if part.most is None else plain_points(part.most)
    assert whole.paper is not None
    mark = whole.paper.hash
    made = PartMade(title, asked, terms=dict(_terms(trace, whole.items)), hash=mark)
    if trace is None or part.exercise is None:
        asks = {item.id: item.asks for item in whole.items}
        choices = {
            item.id: ChoiceMade(tuple(map(raw, item.words.options)), raw(item.words.answer))
            for item in whole.items
            if item.words is not None
        }
        return made._replace(choices=choices, most=most, asks=asks)
    scenario, tolerance = trace.scenario, part.exercise.tolerance
    given = {key: numbers_of(scenario, key) for key in scenario.given.matrices}
    return made._replace(
        file=place,
        numbers=numbers_mark(trace),
        given={key: [[str(n) for n in row] for row in rows] for key, rows in given.items()},
        tolerance={key: Decimal(much) for key, much in tolerance.items()},
        most=most,
    )


def _terms(trace: Trace | None, asked: Sequence[Item]) -> Iterator[tuple[str, TermMade]]:
    """Yields the keys of numbers that are in no cell: inside lines, where they depend on all that a
    sheet asks and tells, and in a teacher's own questions."""
    from attncli.classroom.marking.exam import address_of

    for id_, key in ((item.id, item.key) for item in asked if item.cell is None):
        if key is None:
            continue
        cell = key.number.cell
        known = trace is not None and cell is not None and cell.quantity in trace
        whose = address_of(trace, cell) if trace is not None and cell is not None and known else ""
        yield id_, TermMade(key.number.shown, *key.accepted, whose)


def _digest(contents: Contents) -> str:
    return hashlib.sha256(encoded(contents)).hexdigest()[:16]


def _check_edited(
    order: ExerciseArguments, folder: Path, files: Mapping[str, Contents], before: Manifest | None
) -> None:
    """Raises OutputError where a file is in the way that isn't as this program wrote it. Who names
    a list of students perhaps only wants to mark by it."""
    made = {} if before is None else before.files
    edited = [
        name
        for name, contents in files.items()
        if (folder / name).is_file()
        and _digest((folder / name).read_bytes()) not in (made.get(name), _digest(contents))
    ]
    if not edited:
        return
    wrong = "isn't as it was made" if edited[0] in made else "exists already"
    right = "move it away, or write over it with --force"
    if before is not None and order.students is not None:
        table = next((str(folder / name) for name in edited if name.endswith(".csv")), "ANSWERS")
        marking = f"attn grade {folder} {table} --students {order.students}"
        right = f"to mark by this list alone: `{marking}`; to make it anew, {right}"
    raise OutputError.of(str(folder / edited[0]), wrong, right)


def _marked_anew(before: Manifest | None, forms: Mapping[str, FormWorked]) -> Manifest | None:
    """Returns a manifest with today's hashes for the same numbers; None without one."""
    from attncli.classroom.exercises.fingerprint import has_numbers_mark, numbers_mark

    def anew(made: PartMade, trace: Trace | None) -> PartMade:
        same = trace is not None and has_numbers_mark(trace, made.numbers)
        return made._replace(numbers=numbers_mark(trace)) if trace is not None and same else made

    if before is None:
        return None
    made = dict(before.forms)
    for name in made.keys() & forms.keys():
        pairs = zip(made[name].parts, forms[name].form.traces, strict=False)
        made[name] = made[name]._replace(parts=tuple(starmap(anew, pairs)))
    return before._replace(forms=made)


def _what_is_not_nice(job: CheckedOrder) -> str:
    """Says what of the numbers of forms isn't nice, and why."""
    if job.exam.forms is None:
        return ""
    from attncli.classroom.exercises.exam_papers import requests_of
    from attncli.classroom.forms.niceness import not_nice

    said: dict[str, None] = {}
    for request, trace in zip(requests_of(job.exam, job.traces), job.traces, strict=True):
        if request is not None and trace is not None:
            asked = request.quantities(trace)
            said |= dict.fromkeys(not_nice(trace, [name for name in trace if name in asked]))
    return "".join(f"{sentence}\n" for sentence in said)


def _pictures(job: CheckedOrder) -> dict[str, Contents]:
    """Returns the pictures of questions by the names of their files."""
    from attncli.classroom.files.exam_file import OwnQuestion

    asked = (entry for part in job.exam.parts for entry in (*part.questions, *part.pool))
    shown = (q.shown for q in asked if isinstance(q, OwnQuestion) and q.shown is not None)
    return {figure.name.raw: figure.data for figure in shown}


def _whose_numbers(job: CheckedOrder, forms: Mapping[str, FormWorked]) -> str:
    """Says whether the first form has the scenario's own numbers, where there are forms, what these
    cost beside the others, and which parts have other numbers."""
    from attncli.classroom.exercises.between_parts import sharing
    from attncli.classroom.exercises.exam_papers import requests_of
    from attncli.classroom.exercises.form_costs import form_cost, unlike_own

    if job.exam.forms is None or not job.scenarios:
        return ""
    first, keeps = job.names[0], job.exam.keeps_own
    if keeps:
        says = f"form {first} has the scenario's own numbers; own: false gives it others\n"
    else:
        says = f"no form has the scenario's own numbers; own: true gives them to form {first}\n"
    for shared in sharing(job.exam, job.traces):
        if shared.why:
            part = f"part {shared.places[0] + 1} has numbers of its own in each form"
            says += f"{part}: {shared.why}\n"
        elif not shared.is_first and keeps:
            says += (
                f"part {shared.places[0] + 1} has other numbers than the scenario: its own seed\n"
            )
    if keeps and len(forms) > 1:
        costs = {
            name: form_cost(form.form.traces, requests_of(job.exam, form.form.traces))
            for name, form in forms.items()
        }
        if unlike := unlike_own(costs):
            says += f"{unlike}; `{job.table}` has a table of costs\n"
    return says


def _summary(folder: Path, made: Manifest, before: Manifest | None) -> str:
    """Tells what was done, in a line or two."""
    from attncli.classroom.exercises.fingerprint import what_changed

    forms = counted(len(made.forms), "form")
    written = f"{folder}: {len(made.files) + 1} files are written, {forms} and {FILE}\n"
    return f"{written}{what_changed(before, made)}"
