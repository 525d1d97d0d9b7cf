"""Making an exercise: everything about it is checked, then it is worked and written."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import starmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from attncli import __version__
from attncli.classroom.arguments import command_line, set_by_file, typed_options
from attncli.classroom.files.exercise_file import LARGEST_SEED, MOST_FORMS
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
    PaperSettings,
    answers_files,
    blank_sheet,
    form_names,
    paper_files,
    papers_of,
    parse_choice,
    parse_manner,
    traces_of_forms,
)
from attncli.commands.arguments import Excerpt, FilesOutput, whole_number
from attncli.commands.progress import watched
from attncli.errors import Complaints, Problem, listed
from attncli.maths.notation import plain
from attncli.option_values import LANGUAGES, LAYOUTS, MOST_ROOM, PAPER_SIZES
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
    from attncli.classroom.files.exam_file import ExamFile, ExamPart
    from attncli.classroom.files.exercise_file import Ask
    from attncli.classroom.marking.answers import Student
    from attncli.classroom.nice_numbers.candidate_quantity import Attempt
    from attncli.commands.arguments import Output
    from attncli.document.blocks import Document
    from attncli.document.questions import Item
    from attncli.trace import Trace


_SAID_BY_A_FILE = (
    *("step", "layer", "head", "token", "cell", "ask", "blank", "points", "forms", "seed", "allow"),
    *("mistakes", "decimals", "rounding", "set_", "detail", "layout", "room", "paper", "language"),
)
"""Options that an exercise file has keys for, or that belong into its scenario."""


_COUNTS = (
    ("forms", 1, MOST_FORMS),
    ("seed", 0, LARGEST_SEED),
    ("mistakes", 0, 99),
    ("room", 0, MOST_ROOM),
)
_CHOICES = (("layout", LAYOUTS), ("paper", PAPER_SIZES), ("language", LANGUAGES))


def ordered_exam(order: ExerciseArguments, complaints: Complaints) -> ExamFile | None:
    """Reads the exam that is ordered, or an exercise as an exam of a single part; None where
    something is wrong, which `complaints` hears."""
    from attncli.classroom.files.exam_file import is_ordered

    by_file = complaints.hear(is_ordered, order.scenario)
    if by_file is None:
        return None
    exam = (_by_file if by_file else _by_options)(order, complaints)
    each = [order.allow or ()] if exam is None else [e.allow for e in exam.exercises]
    if any(each):
        from attncli.classroom.nice_numbers.rules import check_names

        complaints.problems += check_names([name for allow in each for name in allow])
    return exam


def _by_file(order: ExerciseArguments, complaints: Complaints) -> ExamFile:
    from attncli.classroom.files.exam_file import load_exam

    pairs = typed_options(order.context)
    complaints.problems += [
        set_by_file(option) for name, option in pairs if name in _SAID_BY_A_FILE
    ]
    exam = complaints.hear(load_exam, order.scenario)
    complaints.stop_if_any()  # it says which scenarios are to be read
    assert exam is not None
    return exam


def _by_options(order: ExerciseArguments, complaints: Complaints) -> ExamFile | None:
    from attncli.classroom.exercises.asking import parse_blanking, parse_points
    from attncli.classroom.files.exam_file import ExamFile
    from attncli.classroom.files.exercise_file import ExerciseFile, Frame
    from attncli.pages.parts.selection import check_detail, check_steps
    from attncli.scenario.file.keys import typed

    hear = complaints.hear
    hear(check_steps, order.part.steps)
    hear(check_detail, order.detail or "full")
    before = len(complaints.problems)
    said: dict[str, Any] = {
        "blank": hear(parse_blanking, order.blank),
        "points": hear(parse_points, order.points or ()),
        "detail": order.detail,
        "allow": tuple(order.allow or ()),
    }
    for name, known in _CHOICES:
        said[name] = hear(parse_choice, f"--{name}", getattr(order, name), known)
    for name, least, most in _COUNTS:
        text = getattr(order, name)
        option = f"--{name}"
        said[name] = None if text is None else hear(whole_number, option, text, least, most)
    if len(complaints.problems) > before:
        return None
    asks = asks_of(order.part, order.cell, order.ask)
    exercise = typed(ExerciseFile, said, scenario=order.scenario, ask=asks)
    return ExamFile.of(exercise)._replace(frame=typed(Frame, said))


def asks_of(
    part: Excerpt, cells: Sequence[str] | None, questions: Sequence[str] | None
) -> tuple[Ask, ...]:
    """Returns what options ask for: steps, or cells, and what is answered in words; without any,
    all."""
    from attncli.classroom.files.exercise_file import Ask

    asked = Ask(**part.within)
    steps = [asked._replace(step=step) for step in part.steps]
    asks = [asked._replace(cell=cell) for cell in cells or ()]
    if steps and asks:  # which don't go together, as is told when they are looked for
        asks = [cell._replace(step=steps[0].step) for cell in asks]
        steps = []
    words = [asked.asking(text) for text in questions or ()]
    return (*steps, *asks, *words) or (asked,)


class CheckedOrder(NamedTuple):
    """An order that nothing is wrong with."""

    order: ExerciseArguments
    exam: ExamFile
    manner: PaperSettings
    """How and where it is written."""
    traces: Sequence[Trace | None]
    """The worked scenario of each part that has one."""
    students: tuple[Student, ...]
    """The students whose sheets are made."""
    hidden: list[Attempt]
    """The mistakes that forms turn out to be hardly able to show."""

    @property
    def says(self) -> str:
        """Tells which known mistakes needn't show in each form; empty where there are none."""
        each = dict.fromkeys(f"{a.definition.name}: {a.mistake.name}" for a in self.hidden)
        told = f"known mistakes that needn't show in each form: {', '.join(each)}\n"
        return told if each else ""

    @property
    def scenarios(self) -> tuple[str, ...]:
        return tuple(exercise.scenario for exercise in self.exam.exercises)

    @property
    def names(self) -> list[str]:
        """Returns the names of the forms."""
        return form_names(self.exam.forms)

    @property
    def command(self) -> str:
        """Writes the command, with what else made the papers of a key as a comment of the
        shell's."""
        command = command_line(self.order.context, leave_out=("output", "force"))
        seed = "" if self.exam.path is None else f", seed {self.exam.seed}"
        return f"{command} # attncli {__version__}{seed}"


def exercise_of(order: ExerciseArguments) -> Output:
    """Makes a student's sheet, the key, hints; of a file a folder. Raises UserError."""
    from attncli.classroom.exercises.exam_papers import exam_forms, requests_of

    job = checked(order)
    if job.exam.path is not None and job.manner.folder:
        return folder_of(job, lambda *_: {})
    requests = requests_of(job.exam, job.traces)
    made = traces_of_forms(job.exam, job.traces, requests, job.hidden)
    forms, lost = exam_forms(job.exam, requests, made, job.command), _Lost((job.manner.format,))
    papers = papers_of(order, job.manner, map(lost.heard, forms), len(job.names))
    told = papers._replace(says=papers.says + job.says + lost.says)
    return papers if order.page.output in (None, "-") else told


class _Lost:
    """A collector of answers that platforms of some formats round to what is no longer right."""

    def __init__(self, formats: Sequence[str]) -> None:
        from attncli.formats import info_of

        known = ((name, info_of(name).decimals) for name in formats)
        self._decimals = {name: places for name, places in known if places is not None}
        self._found: dict[str, dict[str, Item]] = {name: {} for name in self._decimals}

    def heard(self, form: ExamForm) -> ExamForm:
        """Looks at a form's answers, and returns the form."""
        for name, places in self._decimals.items():
            lost = (q for q in form.whole.items if q.key and not q.key.is_kept(places))
            self._found[name].update({item.id: item for item in lost})
        return form

    @property
    def says(self) -> str:
        """Tells which answers are lost to rounding; empty where none are."""
        lines = (
            f"{name.capitalize()} rounds what is typed to {self._decimals[name]} decimals, so the"
            f" right answer is marked wrong for {self._listed_items([*items.values()])};"
            " give the numbers another scale, or ask for fewer decimals\n"
            for name, items in self._found.items()
            if items
        )
        return "".join(lines)

    def _listed_items(self, items: Sequence[Item]) -> str:
        some = [f"{item.id} = {plain(item.right.number)}" for item in items[:_MOST_NAMED]]
        more = len(items) - len(some)
        return listed([*some, *((f"{more} more",) if more else ())])


_MOST_NAMED = 3


def checked(order: ExerciseArguments) -> CheckedOrder:
    """Checks an order and works its scenarios. Raises UserError of all that is wrong."""
    complaints = Complaints()
    exam = ordered_exam(order, complaints)
    manner = complaints.hear(parse_manner, order, exam)
    allowed = order.page.allowed
    if exam is not None:
        complaints.hear(allowed.check_count, exam.forms or 1, "forms", order.scenario)
    students: tuple[Student, ...] | None = ()
    if order.students is not None and exam is not None and manner is not None:
        students = complaints.hear(_students, order.students, exam, manner)
        if students is not None:
            complaints.hear(allowed.check_count, len(students), "students", order.students)
    scenarios = (order.scenario,) if exam is None else exam.scenarios
    traces = allowed.worked_each(scenarios, order.changed.changes(), complaints)
    complaints.stop_if_any()
    assert exam is not None
    assert manner is not None
    assert students is not None
    return CheckedOrder(order, exam.each(mistakes=manner.share), manner, traces, students, [])


def _students(listed_in: str, exam: ExamFile, manner: PaperSettings) -> tuple[Student, ...]:
    """Reads the students of a list. Raises UserError."""
    from attncli.classroom.marking.answers import read_students
    from attncli.formats import info_of, paper_format_names

    wrong = []
    if exam.path is None or not manner.folder:
        right = "say it like attn exercise exam.yaml -o exam/ --students list.csv"
        text = "it is for an exercise file that is made into a folder"
        wrong.append(Problem.of("--students", text, right))
    having = [name for name in paper_format_names() if "none" in info_of(name).keys]
    if manner.format not in having:
        text = f"the format {manner.format} has no sheets"
        wrong.append(Problem.of("--students", text, f"choose {listed(having, ' or ')}"))
    if wrong:
        raise OutputError(wrong)
    return read_students(listed_in, form_names(exam.forms))


# --------------------------------------------------------------------------------------------------
# The folder of an exercise file: papers, answers files, each form as a scenario, a manifest. A
# form that is there as a scenario keeps its numbers: what somebody mended in it is taken over, and
# only what comes of it is made anew.


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
    if info_of(form).together:
        stem = safe_name(Path(job.order.scenario).stem)
        files[f"{stem}_print{suffix}"] = render_together(sheets, form, page)
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
    forms = _forms(job, _kept(job, folder, before))
    lost = _Lost([*dict.fromkeys((job.manner.format, *formats))])
    papers = watched((lost.heard(form.form) for form in forms.values()), len(forms), "Forms")
    files: dict[str, Contents] = paper_files(order, job.manner, papers)
    exercises = {name: form.form.whole for name, form in forms.items()}
    files |= answers_files(order, exercises)
    students = _with_forms(job, [*forms], before)
    files |= beside(forms, students)
    personal, whose = _personal_sheets(job, students, exercises)
    for name, form in forms.items():
        files |= dict(zip(_places(job, name), form.texts, strict=True))
    files |= {f"{FORMS}/{name}": text for name, text in _texts_beside(job).items()}
    made = _manifest(job, forms, files, personal)._replace(students=whose)
    files |= personal
    _check_edited(folder, files, before, force=order.page.force)
    check_folder(str(folder), [*files, FILE], force=True)
    says = _summary(folder, made, _marked_anew(before, forms)) + job.says + lost.says
    return FilesOutput({**files, FILE: made.text()}, str(folder), True, says)


def _with_forms(
    job: CheckedOrder, forms: Sequence[str], before: Manifest | None
) -> tuple[Student, ...]:
    """Gives the students their forms; without a list, those of `before`. Who had a form keeps it,
    unless the list names another."""
    from attncli.classroom.marking.answers import Student, with_forms

    was = () if before is None else before.students
    same = tuple(Student(s.name, s.id) for s in was)
    return with_forms(job.students or same, forms, {s.id: s.form for s in was})


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
    right = f"make them anew with `attn exercise {order.scenario} -o {order.page.output} --force`"
    raise OutputError.of(str(order.page.output), wrong, right)


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
    given = {key: numbers_of(scenario, key) for key in scenario.given}
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
    folder: Path, files: Mapping[str, Contents], before: Manifest | None, *, force: bool
) -> None:
    """Raises OutputError where a file is in the way that isn't as this program wrote it."""
    made = {} if before is None else before.files
    for name, contents in files.items():
        there = folder / name
        if force or not there.is_file():
            continue
        if _digest(there.read_bytes()) not in (made.get(name), _digest(contents)):
            wrong = "isn't as it was made" if name in made else "exists already"
            right = "move it away, or write over it with --force"
            raise OutputError.of(str(there), wrong, right)


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


def _summary(folder: Path, made: Manifest, before: Manifest | None) -> str:
    """Tells what was done, in a line or two."""
    from attncli.classroom.exercises.fingerprint import what_changed

    written = f"{folder} has {len(made.files) + 1} files: {len(made.forms)} forms, and {FILE}\n"
    return f"{written}{what_changed(before, made)}"
