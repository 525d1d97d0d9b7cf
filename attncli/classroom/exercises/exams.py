"""Exams of answers files: the forms that they are marked by, and whether they belong to these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from attncli.classroom.exercises.blanked import taken
from attncli.classroom.exercises.exam_papers import ExamForm
from attncli.classroom.exercises.fingerprint import (
    HashedPart,
    MadeFrom,
    asked_of,
    earlier,
    earlier_marks,
    fingerprint,
    has_numbers_mark,
)
from attncli.classroom.exercises.requests import ExerciseRequest, PartAsked, tolerance_of
from attncli.classroom.files.exercise_file import Blanking, Points
from attncli.classroom.files.manifest import FormMade, PartMade, TermMade
from attncli.classroom.files.scheme import Scheme
from attncli.classroom.marking.answers import AnswerSheet
from attncli.classroom.marking.class_list import Student
from attncli.classroom.marking.classes import Roll
from attncli.classroom.marking.exam import Exam, cell_of, first_cell_of, line_of
from attncli.classroom.marking.exam_parts import OwnQuestions, PartExam, WholeExam
from attncli.classroom.marking.word_answers import question_at
from attncli.document.blocks import Document, Section
from attncli.document.questions import (
    OWN_FORM,
    Interval,
    Item,
    RightAnswer,
    RightWords,
    Worth,
    labels_of,
    plain_points,
)
from attncli.errors import Problem, UserError, Where, listed, quote
from attncli.maths.equations.tree import Location, Number
from attncli.names import raw, words
from attncli.pages.parts.selection import select
from attncli.pages.parts.sentences import printed_roots
from attncli.scenario.file.address import AddressError
from attncli.steps.order import is_question
from attncli.trace import Trace


def keys_of_terms(
    trace: Trace, steps: Sequence[str], ids: Sequence[str]
) -> Mapping[str, RightAnswer]:
    """Returns the keys of numbers inside lines of some steps, by their ids: of those that a sheet
    asks for beside results, or else of those that it asks for alone."""
    found: dict[str, RightAnswer] = {}
    for kind in ("all", "working"):
        if not found.keys() >= set(ids):
            request = ExerciseRequest((PartAsked(select(trace, steps), blanking=Blanking(kind)),))
            found = {**taken(trace, request, "").keys(), **found}
    return found


_FORMS = (
    "forms are marked by an exercise file: name the file, or the folder made from it. A file that"
    " says what the options said makes the same forms"
)


@dataclass(frozen=True)
class Asking:
    """A scenario that answers are marked by, with the points."""

    scenario: str
    trace: Trace
    points: Points = Points()
    scheme: Scheme = Scheme()
    named: tuple[str, ...] = ()
    """The cells that are asked for, where they are named."""
    students: Sequence[Student] = ()
    """The students of a list that is named beside it."""
    _marks: dict[tuple[int, tuple[str, ...]], str] = field(default_factory=dict)
    _exams: dict[tuple[str, ...], WholeExam] = field(default_factory=dict)

    def exam_of(self, sheet: AnswerSheet) -> WholeExam:
        """Returns what a paper is marked by: all that is `named`, or else all that it answers
        itself. Raises UserError."""
        asked = self.named or tuple(sheet.answers)
        if asked not in self._exams:  # making one tells what isn't there
            self._exams[asked] = WholeExam.of(self.exam(asked, sheet.source))
        self.check(sheet, asked)
        return self._exams[asked]

    @property
    def title(self) -> str:
        return self.trace.scenario.title

    @property
    def traces(self) -> tuple[Trace, ...]:
        return (self.trace,)

    @property
    def exams(self) -> None:
        """Returns None: the forms of a scenario aren't known."""
        return None

    def named_by(self, sheet: AnswerSheet) -> WholeExam | None:  # noqa: ARG002
        """Returns None: a paper names no form of a scenario."""
        return None

    @property
    def asked(self) -> tuple[str, ...]:
        """Returns what is asked, where that is named."""
        return self.named

    def knowing(self, asked: Sequence[str], sheets: Sequence[AnswerSheet]) -> Asking:
        """Returns the same, knowing all that is asked: what is named, or else what is in any of the
        sheets that belong to it."""
        if asked:
            return replace(self, named=tuple(asked))
        return replace(self, named=asked_in(sheet for sheet in sheets if self._belongs(sheet)))

    def _belongs(self, sheet: AnswerSheet) -> bool:
        try:
            self.exam_of(sheet)
        except UserError:
            return False
        return True

    def exam(self, ids: Sequence[str], source: str) -> Exam:
        """Makes the exam that asks for some cells. Raises UserError, naming all that aren't
        there."""
        wrong: list[Problem] = []
        items: list[Item] = []
        for text in ids:
            result = line_of(text) is None and not is_question(text)
            try:
                cell = self.cell(text) if result else None
                items.append(Item(text, Decimal(self.points_of(text)), cell=cell))
            except AddressError as error:
                wrong.append(Problem.of(source, f"{text}: {error.wrong}", error.right))
        if wrong:
            raise UserError(wrong)
        keys = self._keys([text for text in ids if line_of(text)], source)
        known = tuple(item._replace(key=keys.get(item.id)) for item in items)
        return Exam(self.trace, known, self.scheme, printed=printed_roots(self.trace))

    def cell(self, text: str) -> Location:
        """Finds the cell of an id. For a number inside a line it is one that the line works out.
        Raises AddressError."""
        line = line_of(text)
        return cell_of(self.trace, text) if line is None else first_cell_of(self.trace, line)

    def _keys(self, ids: Sequence[str], source: str) -> Mapping[str, RightAnswer]:
        """Returns the keys of numbers inside lines. Raises UserError for those that aren't asked
        for."""
        parts = (self.trace.part_of(self.cell(text).quantity) for text in ids)
        steps = tuple(dict.fromkeys(part.called for part in parts if part is not None))
        keys = keys_of_terms(self.trace, steps, ids)
        wrong = [text for text in ids if text not in keys]
        if wrong:
            why = "no sheet asks for this number of the line"
            right = "name it as the answers file of the exercise does"
            raise UserError([Problem.of(source, f"{text}: {why}", right) for text in wrong])
        return keys

    def points_of(self, text: str) -> Worth:
        """Returns what a cell is worth, by the step that makes it, or that first uses it."""
        if is_question(text):
            question = question_at(self.trace, text)
            return self.points.of(question.part.called, question.name.local)
        name = self.cell(text).quantity
        part = self.trace.part_of(name)
        if part is None:
            uses = (p for p in self.trace.story if any(name in d.operands for d in p.definitions))
            part = next(uses, None)
        return self.points.of("" if part is None else part.called, self.trace[name].name.local)

    def check(self, sheet: AnswerSheet, asked: Sequence[str]) -> None:
        """Raises UserError for answers of another form, or of another exercise."""
        own, of_own = tuple(sheet.answers), sheet.form in ("", OWN_FORM)
        orders = (own, tuple(asked), self.in_order(own)) if sheet.mark else ()
        if self._is_marked(sheet.mark, orders) if sheet.mark else of_own:
            return
        if of_own:
            wrong = f"its hash {sheet.mark} isn't that of these cells of {self.scenario}"
            right = "take its line with the hash out to have it marked all the same"
        elif sheet.mark:
            wrong = f"these are answers of form {sheet.form} ({sheet.mark}), not of {self.scenario}"
            right = _FORMS
        else:
            wrong = f"these are answers of form {sheet.form}, whose numbers {self.scenario} hasn't"
            right = f"name the scenario of form {sheet.form}, or the exercise that it is a form of"
        raise UserError([Problem(Where(sheet.source), wrong, right)])

    def in_order(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Sorts ids in the order of the working, in which an exercise asks for them, whatever order
        they were answered in. Returns them as they are where one isn't there."""
        try:
            return tuple(sorted(ids, key=self._place_in_order))
        except AddressError:
            return tuple(ids)

    def _place_in_order(self, text: str) -> tuple[int, bool, int, int, int, bool, int]:
        """Returns the key that sorts ids. A number inside a line stands before what the line comes
        to, a question behind all of its step. Raises AddressError."""
        if is_question(text):
            question = question_at(self.trace, text)
            row = question.asked.row or 0
            return self.trace.story.index(question.part), True, 0, row, 0, False, 0
        cell, line = self.cell(text), line_of(text)
        part = self.trace.part_of(cell.quantity)
        step = -1 if part is None else self.trace.story.index(part)
        number = 0 if line is None else int(text.rpartition("[")[2].rstrip("]"))
        quantity = self._order[cell.quantity]
        return step, False, quantity, cell.row, cell.column, line is None, number

    @cached_property
    def _order(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.trace)}

    def _is_marked(self, mark: str, orders: Sequence[tuple[str, ...]]) -> bool:
        """Tells whether a hash is that of an exercise which asks for some cells in one of some
        orders, or was before."""
        marks = (self._mark(ids, k, made) for k, made in self._ways() for ids in orders)
        return mark in marks

    def _ways(self) -> Iterator[tuple[int, MadeFrom | None]]:
        """Yields the ways in which its hash is made: today's, and those of papers made before."""
        yield 0, None
        yield from enumerate(self._made_before, start=1)

    @cached_property
    def _made_before(self) -> tuple[MadeFrom, ...]:
        return tuple(earlier(self.trace.scenario))

    def _mark(self, ids: tuple[str, ...], way: int, made_from: MadeFrom | None) -> str:
        """Returns the hash of an exercise that asks for some cells, and an empty text where they
        aren't there."""
        if (way, ids) not in self._marks:
            try:
                questions = tuple(Item(text, self.points_of(text)) for text in ids)
            except AddressError:
                return ""
            section = Section("", None, (), (), (), questions=questions)
            self._marks[way, ids] = fingerprint(self.trace, [section], made_from)
        return self._marks[way, ids]


def asked_in(sheets: Iterable[AnswerSheet]) -> tuple[str, ...]:
    """Returns all cells that answers files ask for, in the order of the fullest file."""
    order = sorted(sheets, key=lambda sheet: -len(sheet.answers))
    return tuple(dict.fromkeys(text for sheet in order for text in sheet.answers))


class FormExam(NamedTuple):
    """A form of an exam that papers are marked by."""

    form: str
    mark: str
    """The hash of the form."""
    exam: WholeExam
    made: tuple[HashedPart, ...] = ()
    """Its parts as they were made, by which papers with an older hash are known."""

    @property
    def earlier_marks(self) -> tuple[str, ...]:
        """Returns the hashes that the form had before."""
        return earlier_marks(self.mark, self.made)


def form_exam(
    made: ExamForm, requests: Sequence[ExerciseRequest | None], scheme: Scheme
) -> FormExam:
    """Returns what a form of an exam asks for."""
    each = zip(made.exam.parts, requests, made.traces, made.wholes, strict=True)
    parts = tuple(
        PartExam(part.title or raw(whole.title), _exam(whole, request, trace, scheme), part.most)
        for part, request, trace, whole in each
    )
    assert made.whole.paper is not None
    exam = WholeExam(raw(made.whole.title), parts, made.name, scheme)
    each_made = tuple(map(_as_made, made.traces, made.wholes))
    return FormExam(made.name, made.whole.paper.hash, exam, each_made)


def _as_made(trace: Trace | None, whole: Document) -> HashedPart:
    assert whole.paper is not None
    return HashedPart(trace, asked_of(whole.items), whole.paper.hash)


def _exam(
    whole: Document, request: ExerciseRequest | None, trace: Trace | None, scheme: Scheme
) -> Exam | OwnQuestions:
    if trace is None or request is None:
        return OwnQuestions(whole.items)
    assert whole.paper is not None
    roots, form = printed_roots(trace), whole.paper.form
    return Exam(trace, whole.items, scheme, request.tolerance, roots, raw(whole.title), form)


def made_form(
    traces: Sequence[Trace | None], form: str, made: FormMade, scheme: Scheme, title: str
) -> FormExam:
    """Returns what a form that was made into a folder asks for. Raises UserError where its numbers
    aren't those of its papers any more."""
    pairs = zip(made.parts, traces, strict=True)
    parts = tuple(_made_part(part, trace, form, scheme, title) for part, trace in pairs)
    each_made = tuple(
        HashedPart(
            trace,
            [(id_, plain_points(Decimal(str(p)))) for id_, p in part.asked.items()],
            part.hash,
        )
        for part, trace in zip(made.parts, traces, strict=True)
    )
    return FormExam(form, made.hash, WholeExam(title, parts, form, scheme), each_made)


def _made_part(
    made: PartMade, trace: Trace | None, form: str, scheme: Scheme, title: str
) -> PartExam:
    most = None if made.most is None else Decimal(str(made.most))
    if trace is not None and not has_numbers_mark(trace, made.numbers):
        wrong = f"its numbers aren't those that the papers of form {form} were made from"
        right = "put the old ones back, or make the exercise again"
        raise UserError.of(made.file, wrong, right)
    items = tuple(_made_items(trace, made))
    if trace is None:
        return PartExam(made.title, OwnQuestions(items), most)
    tolerance, roots = tolerance_of(made.tolerance), printed_roots(trace)
    return PartExam(made.title, Exam(trace, items, scheme, tolerance, roots, title, form), most)


def _made_items(trace: Trace | None, made: PartMade) -> Iterator[Item]:
    """Yields what a part of a form asks for. Raises UserError for what isn't there."""
    for id_, points in made.asked.items():
        item = Item(id_, Decimal(str(points)), asks=made.asks.get(id_, ""))
        if id_ in made.choices:
            options, right = made.choices[id_]
            key = RightWords(words(options), (options.index(right),), labels_of(options))
            item = item._replace(words=key)
        term = made.terms.get(id_)
        cell = None if trace is None else _cell(trace, id_ if term is None else term.cell, made)
        yield item._replace(cell=cell) if term is None else item._replace(key=_key(term, cell))


def _cell(trace: Trace, address: str, made: PartMade) -> Location | None:
    """Finds the cell of an address. Returns None for a question. Raises UserError for what isn't
    there."""
    try:
        if is_question(address):
            question_at(trace, address)
            return None
        return cell_of(trace, address) if address else None
    except AddressError as error:
        raise UserError.of(made.file, f"{address}: {error.wrong}", error.right) from None


def _key(term: TermMade, cell: Location | None) -> RightAnswer:
    number = Number(term.answer, term.answer, cell)
    return RightAnswer(number, Interval(term.low, term.high), None, None)


@dataclass(frozen=True)
class AskedForms:
    """All forms of an exercise, that papers are marked by."""

    source: str
    forms: Sequence[FormExam]
    students: Sequence[Student] = ()
    """The students that the forms were made for, or those of a list that is named."""
    paper: str = ""
    """The file of a paper."""

    @property
    def title(self) -> str:
        return self.forms[0].exam.title

    @property
    def exams(self) -> list[WholeExam]:
        """Returns all forms."""
        return [form.exam for form in self.forms]

    @property
    def traces(self) -> tuple[Trace, ...]:
        """Returns the traces of the first form."""
        return self.forms[0].exam.traces

    @property
    def asked(self) -> tuple[str, ...]:
        """Returns what the first form asks for, for files that only count: an LMS asks nothing that
        a person marks."""
        return self.forms[0].exam.ids_of_lms

    @cached_property
    def _by_mark(self) -> dict[str, WholeExam]:
        return {exam.mark: exam.exam for exam in self.forms}

    @cached_property
    def _by_earlier_mark(self) -> dict[str, WholeExam]:
        return {mark: form.exam for form in self.forms for mark in form.earlier_marks}

    @cached_property
    def _by_form(self) -> dict[str, WholeExam]:
        return {exam.form: exam.exam for exam in self.forms}

    def knowing(self, asked: Sequence[str], sheets: Sequence[AnswerSheet]) -> AskedForms:  # noqa: ARG002
        """Returns the same forms: what is asked is known."""
        return self

    def exam_of(self, sheet: AnswerSheet) -> WholeExam:
        """Returns what a paper is marked by: the form of its hash, or without one of its name, or
        else the form that its student was given. Raises UserError for answers of no form of the
        exercise."""
        if sheet.mark:
            found = self._by_mark.get(sheet.mark) or self._by_earlier_mark.get(sheet.mark)
        elif not sheet.form and len(self.forms) == 1:
            found = self.forms[0].exam
        else:
            found = self._by_form.get(sheet.form or self._dealt(sheet))
        if found is None:
            names = listed(f"{exam.form} ({exam.mark})" for exam in self.forms)
            unsaid = not (sheet.form or sheet.mark)
            right = f"say its form, one of {names}" if unsaid else f"it has {names}"
            raise UserError([Problem(Where(sheet.source), self._wrong(sheet), right)])
        return found

    def _dealt(self, sheet: AnswerSheet) -> str:
        """Returns the form that the student of a paper was given; empty where that isn't known."""
        student = self._roll.student_of(sheet)
        return "" if student is None else student.form

    @cached_property
    def _roll(self) -> Roll:
        return Roll(self.students)

    def named_by(self, sheet: AnswerSheet) -> WholeExam | None:
        """Returns the form that a paper names, and None if it is none."""
        return self._by_form.get(sheet.form)

    def _wrong(self, sheet: AnswerSheet) -> str:
        if not (sheet.form or sheet.mark):
            whose = f"the paper of {quote(sheet.student)}" if sheet.student else "it"
            return f"{whose} doesn't say to which form of {self.source} it belongs"
        mark = f" ({sheet.mark})" if sheet.mark else ""
        return f"these are answers of form {sheet.form or '?'}{mark}, which {self.source} hasn't"
