"""The forms of an exercise, to mark answers by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from attncli.arithmetic.expression import Location, Number
from attncli.building.exercise_file import FormMade, Manifest
from attncli.file.address import AddressError
from attncli.marking.answers import AnswerSheet
from attncli.marking.answers.students import Student
from attncli.marking.grading.addresses import AskedTerm, cell_of, line_of
from attncli.marking.grading.exam import AskedNumber, Exam, Scheme
from attncli.marking.grading.words import AskedWords, question_at
from attncli.marking.verdicts import Accepted
from attncli.questions import Question
from attncli.refusals import Problem, Refusal, Where, listed
from attncli.scenario.exercise import Frame
from attncli.steps.order import is_question
from attncli.telling.exercise.fingerprint import numbers_mark
from attncli.telling.exercise.papers import exercise
from attncli.telling.exercise.request import ExerciseRequest
from attncli.telling.exercise.requests import tolerance_of
from attncli.telling.facts import printed_roots
from attncli.telling.marked.terms import accepted_by
from attncli.trace import Trace


class FormExam(NamedTuple):
    """A form by its name and its hash, and what papers of it are marked by."""

    form: str
    mark: str
    exam: Exam


def form_exam(
    trace: Trace, wish: ExerciseRequest, form: str, scheme: Scheme, frame: Frame
) -> FormExam:
    """What a form of an exercise asks for. Raises SelectionError where that is nothing."""
    document = exercise(trace, wish, form, "", frame)
    every = [one for section in document.sections for one in section.questions]
    questions = [one for one in every if one.words is None]
    words = tuple(
        AskedWords(question_at(trace, one.id), Decimal(one.points))
        for one in every
        if one.words is not None
    )
    asked = tuple(
        AskedNumber(one.id, cell_of(trace, one.id), Decimal(one.points))
        for one in questions
        if line_of(one.id) is None
    )
    terms = tuple(_term(one) for one in questions if line_of(one.id) is not None)
    roots = printed_roots(trace)
    exam = Exam(trace, asked, terms, scheme, wish.tolerance, roots, words, frame.title, form)
    assert document.paper is not None
    return FormExam(form, document.paper.hash, exam)


def made_form(
    trace: Trace, form: str, made: FormMade, scheme: Scheme, manifest: Manifest
) -> FormExam:
    """What a form that was made into a folder asks for. Raises Refusal where its numbers aren't
    those of its papers any more."""
    if numbers_mark(trace) != made.numbers:
        wrong = f"its numbers aren't those that the papers of form {form} were made from"
        right = "put the old ones back, or make the exercise again"
        raise Refusal.of(made.file, wrong, right)
    tolerance = tolerance_of({name: Decimal(much) for name, much in manifest.tolerance.items()})
    asked = tuple(_asked_numbers(trace, made))
    terms, words = tuple(_made_terms(trace, made)), tuple(_asked_words(trace, made))
    exam = Exam(
        trace, asked, terms, scheme, tolerance, printed_roots(trace), words, manifest.exercise,
        form,
    )  # fmt: skip
    return FormExam(form, made.hash, exam)


def _asked_numbers(trace: Trace, made: FormMade) -> Iterator[AskedNumber]:
    """The cells that a form asks for. Raises Refusal for one that isn't there."""
    for id_, points in made.asked.items():
        if id_ not in made.terms and not is_question(id_):
            yield AskedNumber(id_, _cell(trace, id_, made.file), Decimal(str(points)))


def _asked_words(trace: Trace, made: FormMade) -> Iterator[AskedWords]:
    """What a form asks in words. Raises Refusal for a question that isn't there."""
    for id_, points in made.asked.items():
        if id_ not in made.terms and is_question(id_):
            try:
                yield AskedWords(question_at(trace, id_), Decimal(str(points)))
            except AddressError as error:
                raise Refusal.of(made.file, f"{id_}: {error.wrong}", error.right) from None


def _made_terms(trace: Trace, made: FormMade) -> Iterator[AskedTerm]:
    """The numbers inside lines that a form asks for. Raises Refusal for one of no cell."""
    for id_, term in made.terms.items():
        answer, low, high = map(Decimal, (term.answer, term.low, term.high))
        cell = _cell(trace, term.cell, made.file) if term.cell else None
        accepted = Accepted(float(low), float(high))
        points = Decimal(str(made.asked[id_]))
        yield AskedTerm(id_, Number(answer, answer, cell), accepted, points)


def _cell(trace: Trace, id_: str, source: str) -> Location:
    try:
        return cell_of(trace, id_)
    except AddressError as error:
        raise Refusal.of(source, f"{id_}: {error.wrong}", error.right) from None


def _term(question: Question) -> AskedTerm:
    assert question.key is not None
    key = question.key
    return AskedTerm(question.id, key.number, accepted_by(key), Decimal(question.points))


@dataclass(frozen=True)
class AskedForms:
    """All forms of an exercise, and the students that they were made for."""

    source: str
    forms: Sequence[FormExam]
    students: Sequence[Student] = ()

    @property
    def title(self) -> str:
        return self.forms[0].exam.title

    @property
    def trace(self) -> Trace:
        """The first form's."""
        return self.forms[0].exam.trace

    @property
    def asked(self) -> tuple[str, ...]:
        """What the first form asks for, for files that only count."""
        return self.forms[0].exam.ids

    @cached_property
    def _by_mark(self) -> dict[str, Exam]:
        return {one.mark: one.exam for one in self.forms}

    @cached_property
    def _by_form(self) -> dict[str, Exam]:
        return {one.form: one.exam for one in self.forms}

    def knowing(self, asked: Sequence[str], sheets: Sequence[AnswerSheet]) -> AskedForms:  # noqa: ARG002
        """The same; what is asked is known."""
        return self

    def exam_of(self, sheet: AnswerSheet) -> Exam:
        """What a paper is marked by: the form of its hash, or without one of its name. Raises
        Refusal for answers of no form of the exercise."""
        if sheet.mark:
            found = self._by_mark.get(sheet.mark)
        elif not sheet.form and len(self.forms) == 1:
            found = self.forms[0].exam
        else:
            found = self._by_form.get(sheet.form)
        if found is None:
            right = f"it has {listed(f'{one.form} ({one.mark})' for one in self.forms)}"
            raise Refusal([Problem(Where(sheet.source), self._wrong(sheet), right)])
        return found

    def named_by(self, sheet: AnswerSheet) -> Exam | None:
        """The form that a paper names, if it is one."""
        return self._by_form.get(sheet.form)

    def _wrong(self, sheet: AnswerSheet) -> str:
        if not (sheet.form or sheet.mark):
            return f"it doesn't say to which form of {self.source} it belongs"
        mark = f" ({sheet.mark})" if sheet.mark else ""
        return f"these are answers of form {sheet.form or '?'}{mark}, which {self.source} hasn't"
