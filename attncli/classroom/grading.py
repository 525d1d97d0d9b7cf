"""Marking answers files: everything is checked, then each is marked and told."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attncli.classroom.arguments import set_by_file
from attncli.classroom.paper_files import is_folder
from attncli.commands.arguments import PageOptions, PageOutput, TextOutput
from attncli.commands.output import (
    check_binary,
    check_target,
    chosen_format,
)
from attncli.commands.progress import watched
from attncli.errors import BAD_INPUT, Complaints, Problem, UserError, Where, agreed, counted, quote
from attncli.output_files import Contents

if TYPE_CHECKING:
    from decimal import Decimal

    from attncli.classroom.commands import GradeArguments
    from attncli.classroom.exercises.exams import AskedForms, Asking
    from attncli.classroom.files.scheme import Scheme
    from attncli.classroom.marking.answers import AnswerSheet
    from attncli.classroom.marking.classes import GradedClass, Unmarked
    from attncli.classroom.marking.exam_parts import MarkedExam, WholeExam
    from attncli.classroom.marking.overrides import Override
    from attncli.names import Word, WordedText

    Marker = Asking | AskedForms

Names = Sequence[Sequence["Word"]]
"""Rows that tell whose papers they are, where the class is anonymous."""

_CSV = "csv"
_ALL = "all"
"""The name of the file with all marked papers."""
_TAKEN = {_ALL, "class", "next_lesson", "moodle", "canvas", "grades", "names"}
_MARKED = "markdown"
"""The format of marked papers in a folder, where none is said."""


class GradeOutput(NamedTuple):
    """A place for the marks: a folder for the papers, which have a format, a file, or the terminal.
    A file or the terminal gets a page, or the table of the class."""

    page: PageOptions
    folder: bool
    csv: bool
    papers: str = _MARKED


def _output_of(order: GradeArguments) -> GradeOutput:
    """Reads where and how the marks are written. Raises OutputError."""
    from attncli.formats import page_format_names

    text = order.page.output
    folder = text is not None and is_folder(text, many=order.page.form is None)
    known = [*(name for name in page_format_names() if name != "svg"), _CSV]
    by_name = order.page.form is None and (text or "").lower().endswith(".csv")
    is_csv = order.page.form == _CSV or by_name
    form = _CSV if is_csv else chosen_format(order.page.form, None if folder else text, known[:-1])
    order.page.check_form(form)
    if not is_csv:
        check_binary(form, text)
    if not folder:
        check_target(text, force=order.page.force)
    return GradeOutput(order.page, folder, is_csv)


def _format_of_papers(order: GradeArguments, marker: Marker) -> str:
    """Returns the format of marked papers in a folder: the one that is said, or else that of the
    papers that were handed out."""
    from attncli.classroom.exercises.exams import AskedForms
    from attncli.formats import page_format_names, suffixes_of

    if order.page.form not in (None, _CSV):
        return str(order.page.form)
    suffix = Path(marker.paper).suffix if isinstance(marker, AskedForms) else ""
    return next((name for name in page_format_names() if suffix in suffixes_of(name)), _MARKED)


def _report(
    output: GradeOutput, graded: GradedClass, names: Names, *, alone: bool
) -> PageOutput | TextOutput:
    """Makes the report on a paper that is `alone`, or the table of a class; into a folder it also
    writes a marked paper for each student, and all that goes with it. Raises OutputError."""
    from attncli.classroom.exercises.class_tables import (
        class_page,
        class_rows,
        marked_paper,
        remarks_on,
    )
    from attncli.classroom.formats.csv import csv_text
    from attncli.document.blocks import text_of_spans
    from attncli.maths.notation.escaping import printed

    if output.folder:
        graded, written = _write_folder(output, graded, names)
        return PageOutput(class_page(graded), PageOptions(), says=_told_of_files(output, written))
    if output.csv:
        return TextOutput(csv_text(class_rows(graded)), output.page.output, output.page.force)
    if not alone:
        return PageOutput(class_page(graded), output.page)
    (paper,) = graded.papers
    if output.page.output in (None, "-") or output.page.chosen() == "json":
        return PageOutput(marked_paper(paper), output.page)
    says = "".join(f"{text_of_spans(remark, printed)}\n" for remark in remarks_on(paper))
    return PageOutput(marked_paper(paper, given_back=True), output.page, says=says)


def _told_of_files(output: GradeOutput, files: Collection[str]) -> str:
    """Says how many files are written into a folder, and which one has all papers."""
    from attncli.maths.notation.escaping import printed
    from attncli.names import Word

    are_written = f"{agreed(len(files), 'is', 'are')} written"
    folder = printed(Word(str(Path(str(output.page.output)))))
    told = f"{folder}: {counted(len(files), 'file')} {are_written}"
    together = next((file for file in files if Path(file).stem == _ALL), None)
    return f"{told}; {together} has all marked papers, to print\n" if together else f"{told}\n"


def _write_folder(
    output: GradeOutput, graded: GradedClass, names: Names
) -> tuple[GradedClass, Collection[str]]:
    """Writes a marked paper for each student, and beside them all of these as one file, the class
    as a page and as tables, and the page for the next lesson. Removes papers that an earlier
    grading wrote for others, and returns the class with a remark on these, and the names of all
    files. Raises OutputError."""
    from attncli.classroom.exercises.class_tables import class_page, marked_paper
    from attncli.classroom.exercises.next_lesson import next_lesson
    from attncli.classroom.marking.earlier import left_over, told_of_removed
    from attncli.formats import (
        contents_of,
        info_of,
        page_format_names,
        render_together,
        suffixes_of,
    )
    from attncli.output_files import distinct_names, write_files

    assert output.page.output is not None
    form, page = output.papers, output.page.rendering
    of_whom = distinct_names([paper.sheet.student for paper in graded.papers], _TAKEN)
    known = [suffix for name in page_format_names() for suffix in suffixes_of(name)]
    old = left_over(Path(output.page.output), of_whom, _TAKEN, known)
    if old:
        told = told_of_removed(old, anonymous=bool(names))
        graded = graded._replace(remarks=(*graded.remarks, told))
    papers = [marked_paper(paper, given_back=True) for paper in graded.papers]
    pages = dict(zip(of_whom, papers, strict=True))
    pages |= {"class": class_page(graded), "next_lesson": next_lesson(graded)}
    suffix = suffixes_of(form)[0]
    texts: dict[str, Contents] = {
        f"{name}{suffix}": contents_of(document, form, page) for name, document in pages.items()
    }
    if papers and info_of(form).papers.together:
        made = [texts[f"{name}{suffix}"] for name in of_whom]
        texts[f"{_ALL}{suffix}"] = render_together(papers, made, form, page)
    texts |= _tables(graded, names)
    write_files(output.page.output, texts, force=output.page.force)
    for file in old:
        file.unlink(missing_ok=True)
    return graded, texts


def _tables(graded: GradedClass, names: Names) -> dict[str, Contents]:
    """Makes the tables of a class, by the names of their files."""
    from attncli.classroom.exercises.class_tables import class_rows
    from attncli.classroom.exercises.gradebooks import canvas_rows, grade_rows, moodle_rows
    from attncli.classroom.formats.csv import csv_text

    tables = {
        "class": class_rows(graded),
        "grades": grade_rows(graded),
        "moodle": moodle_rows(graded),
        "canvas": canvas_rows(graded),
    }
    if names:
        tables["names"] = iter(map(tuple, names))
    return {f"{name}.csv": csv_text(rows) for name, rows in tables.items()}


SOMETHING_WRONG = 1
_BY_A_FILE = (
    "write what the options said into an exercise file, which makes the same forms, like"
    " {scenario: i_love_ai, ask: [{step: softmax}], forms: 3, seed: 1}"
)


def graded(order: GradeArguments) -> PageOutput | TextOutput:
    """Marks what is ordered; with the exit status that tells how it went."""
    from attncli.classroom.marking.overrides import overridden, read_overrides

    complaints = Complaints()
    output = complaints.hear(_output_of, order)
    marker = complaints.hear(_marker, order)
    overrides = order.overrides and complaints.hear(read_overrides, order.overrides)
    asked = complaints.hear(_asked, order)
    complaints.stop_if_any()
    assert output is not None
    assert marker is not None
    output = output._replace(papers=_format_of_papers(order, marker))
    graded = _graded(order, marker, asked or (), complaints)
    if overrides:
        graded = _with_absent(graded, marker, overrides)
        graded = graded._replace(papers=tuple(overridden(graded.papers, overrides)))
    by = Path(order.scheme or "").name
    graded = graded._replace(papers=tuple(p._replace(scheme=by) for p in graded.papers))
    names: Names = ()
    if order.anonymous:
        from attncli.classroom.marking.anonymous import numbered
        from attncli.classroom.marking.classes import Roll

        graded, names = numbered(graded, Roll(marker.students))
    several = len(graded.papers) + len(graded.unmarked) > 1
    of_class = several or any(Path(path).is_dir() for path in order.answers)
    made: PageOutput | TextOutput = TextOutput("")
    if graded.papers or of_class:
        made = _report(output, graded, names, alone=not of_class)
    if complaints.problems:
        return made._replace(status=BAD_INPUT, wrong=(complaints.problems,))
    wrong = graded.unmarked or not all(paper.follows for paper in graded.papers)
    return made._replace(status=SOMETHING_WRONG if wrong else 0)


def _marker(order: GradeArguments) -> Marker:
    """Makes what marks the papers, knowing the students of a list that is named. Raises
    UserError."""
    marker = _unlisted(order)
    return marker if order.students is None else _listed(order.students, marker)


def _listed(path: str, marker: Marker) -> Marker:
    """Returns what marks the papers with the students of a list: each has the form that the list
    states, else the one that was given before. Raises UserError."""
    from attncli.classroom.exercises.exams import AskedForms
    from attncli.classroom.marking.class_list import read_students

    if not isinstance(marker, AskedForms):
        students = read_students(path, None)
        return replace(marker, students=[s._replace(form="") for s in students])
    had = {s.id: s.form for s in marker.students}
    students = read_students(path, [exam.form for exam in marker.exams])
    known = [s._replace(form=s.form or had.get(s.id, "")) for s in students]
    return replace(marker, students=known)


def _unlisted(order: GradeArguments) -> Marker:
    """Makes what marks the papers: of a scenario, or of the forms of an exercise, as its file says
    them or as they were made into a folder. Raises UserError."""
    from attncli.classroom.files.kinds import is_ordered
    from attncli.classroom.files.manifest import is_manifest

    if is_manifest(Path(order.scenario)):
        return _made_forms(order)
    if order.scenario.lower().endswith(f".{_CSV}"):
        wrong = "this is a table, and what it answers stands first"
        right = "name the exam before it, like attn grade exam/ class.csv"
        raise UserError.of(order.scenario, wrong, right)
    if near := _folder_near(Path(order.scenario)):
        raise UserError.of(order.scenario, "no such file or folder", f"did you mean {near}?")
    if Path(order.scenario).is_dir():
        wrong = "this folder doesn't say what its forms ask, as options made them"
        raise UserError.of(order.scenario, wrong, f"{_BY_A_FILE}, and name that")
    return _forms(order) if is_ordered(order.scenario) else _asking(order)


def _folder_near(path: Path) -> str | None:
    """Returns the folder of an exam that a path probably means at which there is nothing."""
    from attncli.classroom.files.manifest import is_manifest
    from attncli.scenario.file.problems import almost

    if path.exists() or not path.parent.is_dir():
        return None
    return almost(path.name, [one.name for one in path.parent.iterdir() if is_manifest(one)])


def _scheme(order: GradeArguments, said: Scheme | None = None) -> Scheme:
    """Reads how marks are given: as a file says that is named, else as the exam does; by
    `--no-carry` each number by itself. Raises UserError."""
    from attncli.classroom.files.scheme import Scheme, load_scheme
    from attncli.output_files import OutputError

    if order.scheme is None:
        scheme = Scheme() if said is None else said
        return scheme._replace(carry=False) if order.no_carry else scheme
    if order.no_carry:
        wrong, right = "the scheme says how marks are given", "leave the other option out"
        raise OutputError.of("--scheme", wrong, right)
    scheme = load_scheme(order.scheme)
    grades = said.grades if said is not None and not scheme.grades else scheme.grades
    return scheme._replace(grades=grades)


def _asking(order: GradeArguments) -> Asking:
    """Works the scenario and reads the points and the scheme. Raises UserError."""
    from attncli.classroom.exercises.asking import parse_points
    from attncli.classroom.exercises.exams import Asking
    from attncli.classroom.exercises.requests import check_names_in_points

    points, scheme = parse_points(order.points or ()), _scheme(order)
    trace = order.page.allowed.worked_alone(order.scenario, order.changed.changes())
    check_names_in_points(trace, points)
    return Asking(order.scenario, trace, points, scheme)


def _forms(order: GradeArguments) -> AskedForms:
    """Works all forms of an exam. Raises UserError."""
    from attncli.classroom.exercises.drawing import with_draws
    from attncli.classroom.exercises.exam_papers import exam_forms, requests_of
    from attncli.classroom.exercises.exams import AskedForms, form_exam
    from attncli.classroom.files.exam_file import load_exam
    from attncli.classroom.paper_files import form_names, traces_of_forms

    _check_unchanged(order)
    exam = load_exam(order.scenario)
    scheme = _scheme(order, exam.scheme)
    complaints = Complaints()
    traces = order.page.allowed.worked_each(exam.scenarios, (), complaints)
    complaints.stop_if_any()
    exam = with_draws(exam, traces, form_names(exam.forms))
    requests = requests_of(exam, traces)
    made = traces_of_forms(exam, traces, requests)
    forms = [form_exam(form, requests, scheme) for form in exam_forms(exam, requests, made, "")]
    return AskedForms(order.scenario, forms)


def _made_forms(order: GradeArguments) -> AskedForms:
    """Works the forms that were made into a folder, with their numbers there. Raises UserError."""
    from attncli.classroom.exercises.exams import AskedForms, made_form
    from attncli.classroom.files.manifest import folder_of, load_manifest
    from attncli.classroom.marking.class_list import Student

    _check_unchanged(order)
    place = Path(order.scenario)
    manifest, folder = load_manifest(place), folder_of(place)
    scheme = _scheme(order, manifest.scheme)
    forms, wrong = [], Complaints()
    for form, made in manifest.forms.items():
        with wrong.heard():
            files = [str(folder / part.file) if part.file else None for part in made.parts]
            named = zip(made.parts, files, strict=True)
            here = made._replace(parts=tuple(p._replace(file=file or "") for p, file in named))
            traces = order.page.allowed.worked_each(files, (), wrong)
            forms.append(made_form(traces, form, here, scheme, manifest.exercise))
    wrong.stop_if_any()
    students = tuple(Student(s.name, s.id, s.form) for s in manifest.students)
    paper = next((file for made in manifest.forms.values() for file in made.papers), "")
    return AskedForms(order.scenario, forms, students, paper)


def _check_unchanged(order: GradeArguments) -> None:
    """Raises OutputError for what is said otherwise than by the exercise."""
    from attncli.output_files import OutputError

    for option, value in (("--points", order.points), *order.changed.options()):
        if value:
            raise OutputError([set_by_file(option)])


def _asked(order: GradeArguments) -> tuple[str, ...]:
    """Reads what is asked, where a file is named that says so. Raises UserError."""
    from attncli.classroom.marking.answers import read_answers

    if order.asked is None:
        return ()
    sheets = [sheet for sheet in read_answers(order.asked) if not sheet.absent]
    return tuple(text for sheet in sheets[:1] for text in sheet.answers)


def _graded(
    order: GradeArguments, marker: Marker, asked: Sequence[str], complaints: Complaints
) -> GradedClass:
    """Marks all that was handed in: what each paper is worth, or why it has no marks."""
    from attncli.classroom.marking.classes import GradedClass, Roll, files_left, with_the_roll

    handed_in = _handed_in(order, asked or marker.asked, complaints)
    order.page.allowed.check_count(len(handed_in.sheets), "papers", order.answers[0])
    knowing = marker.knowing(asked, handed_in.sheets)
    papers, unmarked = _marked(
        knowing, handed_in.sheets, complaints, restore_commas=order.restore_commas
    )
    graded = GradedClass(
        marker.title, marker.traces, (*papers,), (*handed_in.unmarked, *unmarked),
        (*files_left(handed_in.others),),
    )  # fmt: skip
    several = len(order.answers) > 1 or Path(order.answers[0]).is_dir()
    return with_the_roll(graded, Roll(marker.students), whole=several or len(papers) > 1)


def _with_absent(graded: GradedClass, marker: Marker, overrides: Sequence[Override]) -> GradedClass:
    """Adds to a class an empty paper of each who handed nothing in and is given points."""
    papers, left, named = [*graded.papers], [], {entry.student for entry in overrides}
    for absent in graded.unmarked:
        if absent.sheet.source or named.isdisjoint((absent.sheet.student, absent.sheet.id)):
            left.append(absent)
        else:
            papers.append(_paper(marker, absent.sheet)._replace(remarks=(absent.why,)))
    return graded._replace(papers=tuple(papers), unmarked=tuple(left))


class _HandedIn(NamedTuple):
    """A set of files that were handed in: papers that can be read, those that can't, and other
    files."""

    sheets: list[AnswerSheet]
    unmarked: list[Unmarked]
    others: list[str]


def _handed_in(order: GradeArguments, asked: Sequence[str], complaints: Complaints) -> _HandedIn:
    """Reads all files that are named, or that are in a folder that is."""
    from attncli.classroom.marking.answers import AnswerSheet, files_in, others_in, read_answers
    from attncli.classroom.marking.classes import NOTHING, Unmarked

    found, absent = _HandedIn([], [], []), list[AnswerSheet]()
    for path in dict.fromkeys(order.answers):
        files = files_in(path)
        if not files:
            wrong = "there are no answers files in this folder"
            complaints.problems.append(Problem.of(path, wrong, "put YAML or CSV files into it"))
        found.others.extend(others_in(path))
        for file in files:
            before = len(complaints.problems)
            read = complaints.hear(read_answers, file, asked) or ()
            sheets = [s.without_places if order.anonymous else s for s in read]
            found.sheets.extend(s for s in sheets if not s.absent)
            absent += (s for s in sheets if s.absent)
            if unread := complaints.problems[before:]:
                sheet = AnswerSheet(Path(file).stem, "", "", {}, file)
                found.unmarked.append(_without_marks(sheet, unread))
    there = {s.id or s.student for s in found.sheets}
    found.unmarked.extend(Unmarked(s, NOTHING) for s in absent if (s.id or s.student) not in there)
    return found


def _without_marks(sheet: AnswerSheet, problems: Sequence[Problem]) -> Unmarked:
    from attncli.classroom.marking.classes import Unmarked
    from attncli.names import Word

    return Unmarked(sheet, (Word(" ".join(map(str, problems))),))


def _marked(
    marker: Marker,
    sheets: Sequence[AnswerSheet],
    complaints: Complaints,
    *,
    restore_commas: bool,
) -> tuple[list[MarkedExam], list[Unmarked]]:
    """Marks each paper that belongs to the exercise; returns these, and those that don't or that
    can't be read whole."""
    papers: list[MarkedExam] = []
    unmarked: list[Unmarked] = []
    for sheet in watched(sheets, len(sheets), "Papers"):
        before = len(complaints.problems)
        complaints.problems += sheet.wrong
        if not sheet.wrong:
            with complaints.heard():
                papers.append(_paper(marker, sheet, restore_commas=restore_commas))
        if wrong := complaints.problems[before:]:
            unmarked.append(_without_marks(sheet, wrong))
    return papers, unmarked


def _paper(marker: Marker, sheet: AnswerSheet, *, restore_commas: bool = False) -> MarkedExam:
    """Marks a paper, with its lost commas put back where that is wanted. Raises UserError for one
    of another exercise."""
    from attncli.classroom.marking.classes import of_forms
    from attncli.classroom.marking.exam_parts import marked_exam
    from attncli.classroom.marking.lost_commas import (
        commas_lost,
        restored,
        told_of_lost,
        told_of_restored,
    )

    exam, named = marker.exam_of(sheet), marker.named_by(sheet)
    lost = commas_lost(exam, sheet)
    mended = restored(exam, sheet) if lost else sheet
    if lost and not restore_commas:
        points = marked_exam(exam, mended, marker.exams).points
        paper = marked_exam(exam, sheet, marker.exams)
        remarks = (*of_forms(exam, sheet, None), *paper.remarks)
        return paper._replace(remarks=remarks, lost=told_of_lost(exam, sheet, lost, points))
    sheet = mended
    paper = marked_exam(exam, sheet, marker.exams)
    if paper.is_of_another:
        raise _of_another(paper)
    other = None if named is None or named is exam else _earned_as(marker, sheet, exam, named)
    told = [told_of_restored(lost)] * bool(lost)
    by_named = None if other is None else other.says
    remarks = (*of_forms(exam, sheet, by_named), *told, *paper.remarks)
    return paper._replace(remarks=remarks, copied=(*_of_another_form(marker, sheet, paper),))


def _of_another(paper: MarkedExam) -> UserError:
    """Makes the error of a paper that answers nothing that is asked, with what its first answer may
    be to."""
    from attncli.classroom.marking.exam import Exam
    from attncli.classroom.marking.unknown_cells import hint_on

    text, first = next((k, g) for k, g in paper.sheet.answers.items() if not g.is_empty)
    source, _, line = first.where.rpartition(":")
    where = Where(source, int(line), 1) if source else Where(paper.sheet.source)
    right = f"give answers to what it asks, such as {paper.exam.ids[0]}, or grade by another exam"
    for prefix, part in zip(paper.exam.prefixes, paper.exam.parts, strict=True):
        trace = part.exam.trace if isinstance(part.exam, Exam) else None
        hint = hint_on(text.removeprefix(prefix), part.exam.ids, trace)
        if text.startswith(prefix) and hint.startswith("did you mean"):
            right = f"{text}: {hint} Or {right}"
    wrong = f"nothing of what is answered is asked in {quote(paper.exam.title)}"
    return UserError([Problem(where, wrong, right)])


def _of_another_form(marker: Marker, sheet: AnswerSheet, paper: MarkedExam) -> Iterator[WordedText]:
    """Tells which other form's numbers a paper has that shows no working, if they are one's."""
    from attncli.classroom.marking.exam_parts import numbers_right_in, read_as

    if not paper.is_doubtful or marker.exams is None:
        return
    others = [exam for exam in marker.exams if exam is not paper.exam]
    right = [numbers_right_in(exam, read_as(paper.exam, exam, sheet)[0]) for exam in others]
    if not others:
        return
    best = others[right.index(max(right))]
    earned = _earned_as(marker, sheet, paper.exam, best)
    if earned.points > paper.points:
        yield (f"Its numbers fit form {best.form}, by which it would earn {earned.says}.",)


class _Earned(NamedTuple):
    """What a paper of one form would earn as one of another."""

    points: Decimal
    says: str
    """The points, or that they are the least, where the other form asks for more than was
    written."""


def _earned_as(marker: Marker, sheet: AnswerSheet, own: WholeExam, other: WholeExam) -> _Earned:
    from attncli.classroom.marking.exam_parts import marked_exam, read_as
    from attncli.document.questions import points_text

    as_other, whole = read_as(own, other, sheet)
    points = marked_exam(other, as_other, marker.exams).points
    return _Earned(points, f"{'' if whole else 'at least '}{points_text(points)}")
