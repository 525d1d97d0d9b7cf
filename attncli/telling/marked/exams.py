"""From answers files to exams: what is asked, and whether the answers belong to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property

from attncli.arithmetic.expression import Location
from attncli.document import Section
from attncli.file.address import AddressError
from attncli.marking.answers import AnswerSheet
from attncli.marking.answers.students import Student
from attncli.marking.grading.addresses import AskedTerm, cell_of, first_cell_of, line_of
from attncli.marking.grading.exam import AskedNumber, Exam, Scheme
from attncli.marking.grading.words import AskedWords, question_at
from attncli.questions import OWN_FORM, Question, Worth
from attncli.refusals import Problem, Refusal, Where
from attncli.scenario.exercise import Points
from attncli.steps.order import is_question
from attncli.telling.exercise.fingerprint import fingerprint
from attncli.telling.facts import printed_roots
from attncli.telling.marked.terms import accepted_by, keys_of_terms
from attncli.trace import Trace

_FORMS = (
    "forms are marked by an exercise file: name it, or the folder that was made of it; one that"
    " says what options did makes the same forms"
)
_ANY = "take its line with the hash out to have it marked all the same"


@dataclass(frozen=True)
class Asking:
    """The numbers that answers to a scenario are marked by, and for how many points."""

    scenario: str
    trace: Trace
    points: Points = Points()
    scheme: Scheme = Scheme()
    named: tuple[str, ...] = ()
    _marks: dict[tuple[str, ...], str] = field(default_factory=dict)
    _exams: dict[tuple[str, ...], Exam] = field(default_factory=dict)

    def exam_of(self, sheet: AnswerSheet) -> Exam:
        """What a paper is marked by: all that is `named`, else all that it answers itself. Raises
        Refusal."""
        asked = self.named or tuple(sheet.answers)
        if asked not in self._exams:
            self._exams[asked] = self.exam(asked, sheet.source)  # which tells what isn't there
        self.check(sheet, asked)
        return self._exams[asked]

    @property
    def title(self) -> str:
        return self.trace.scenario.title

    @property
    def students(self) -> tuple[Student, ...]:
        """None: a scenario has no list of a class."""
        return ()

    def named_by(self, sheet: AnswerSheet) -> Exam | None:  # noqa: ARG002
        """The form that a paper names: there are none."""
        return None

    @property
    def asked(self) -> tuple[str, ...]:
        """What is asked, where that is named."""
        return self.named

    def knowing(self, asked: Sequence[str], sheets: Sequence[AnswerSheet]) -> Asking:
        """The same, knowing all that is asked: what is named, else what is in any of the sheets
        that belong to it."""
        if asked:
            return replace(self, named=tuple(asked))
        return replace(self, named=asked_in(one for one in sheets if self._belongs(one)))

    def _belongs(self, sheet: AnswerSheet) -> bool:
        try:
            self.exam_of(sheet)
        except Refusal:
            return False
        return True

    def exam(self, ids: Sequence[str], source: str) -> Exam:
        """The exam that asks for some cells. Raises Refusal, naming all that aren't there."""
        wrong: list[Problem] = []
        cells: dict[str, Location] = {}
        words: list[AskedWords] = []
        for text in ids:
            try:
                if is_question(text):
                    words.append(
                        AskedWords(question_at(self.trace, text), Decimal(self.points_of(text)))
                    )
                else:
                    cells[text] = self.cell(text)
            except AddressError as error:
                wrong.append(Problem.of(source, f"{text}: {error.wrong}", error.right))
        if wrong:
            raise Refusal(wrong)
        asked = tuple(
            AskedNumber(text, cell, Decimal(self.points_of(text)))
            for text, cell in cells.items()
            if line_of(text) is None
        )
        terms = tuple(self._terms([text for text in cells if line_of(text)], source))
        printed = printed_roots(self.trace)
        return Exam(self.trace, asked, terms, self.scheme, printed=printed, words=tuple(words))

    def cell(self, text: str) -> Location:
        """The cell that an id is of; of a number inside a line, one that the line works out. Raises
        AddressError."""
        line = line_of(text)
        return cell_of(self.trace, text) if line is None else first_cell_of(self.trace, line)

    def _terms(self, ids: Sequence[str], source: str) -> Iterator[AskedTerm]:
        """The numbers inside lines that are asked for. Raises Refusal for those that aren't."""
        parts = (self.trace.part_of(self.cell(text).quantity) for text in ids)
        steps = tuple(dict.fromkeys(part.step for part in parts if part is not None))
        keys = keys_of_terms(self.trace, steps, ids)
        wrong = [text for text in ids if text not in keys]
        if wrong:
            why = "no sheet asks for this number of the line"
            right = "name it as the answers file of the exercise does"
            raise Refusal([Problem.of(source, f"{text}: {why}", right) for text in wrong])
        for text in ids:
            points = Decimal(self.points_of(text))
            yield AskedTerm(text, keys[text].number, accepted_by(keys[text]), points)

    def points_of(self, text: str) -> Worth:
        """What a cell is worth, by the step that makes it, or that first uses it."""
        if is_question(text):
            question = question_at(self.trace, text)
            return self.points.of(question.part.step, question.name.local)
        name = self.cell(text).quantity
        part = self.trace.part_of(name)
        if part is None:
            uses = (p for p in self.trace.story if any(name in d.operands for d in p.definitions))
            part = next(uses, None)
        return self.points.of("" if part is None else part.step, self.trace[name].name.local)

    def check(self, sheet: AnswerSheet, asked: Sequence[str]) -> None:
        """Raises Refusal for answers of another form, or of another exercise."""
        if not sheet.mark:
            self._check_form(sheet)
        else:
            own = tuple(sheet.answers)
            if sheet.mark not in map(self.mark, (own, tuple(asked), self.in_order(own))):
                raise Refusal([self._of_another(sheet)])

    def in_order(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Ids in the order of the working, in which an exercise asks for them, whatever order
        they were answered in."""
        try:
            return tuple(sorted(ids, key=self._place_in_order))
        except AddressError:
            return tuple(ids)

    def _place_in_order(self, text: str) -> tuple[int, bool, int, int, int, bool, int]:
        """A number inside a line stands before what the line comes to, a question behind all of
        its step. Raises AddressError."""
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

    def _check_form(self, sheet: AnswerSheet) -> None:
        if sheet.form not in ("", OWN_FORM):
            wrong = f"these are answers of form {sheet.form}, whose numbers {self.scenario} hasn't"
            right = f"name the scenario of form {sheet.form}, or the exercise that it is a form of"
            raise Refusal([Problem(Where(sheet.source), wrong, right)])

    def _of_another(self, sheet: AnswerSheet) -> Problem:
        if sheet.form in ("", OWN_FORM):
            wrong = f"its hash {sheet.mark} isn't that of these cells of {self.scenario}"
            return Problem(Where(sheet.source), wrong, _ANY)
        wrong = f"these are answers of form {sheet.form} ({sheet.mark}), not of {self.scenario}"
        return Problem(Where(sheet.source), wrong, _FORMS)

    def mark(self, ids: tuple[str, ...]) -> str:
        """The hash of an exercise that asks for some cells, none where they aren't there."""
        if ids not in self._marks:
            try:
                questions = tuple(Question(text, self.points_of(text)) for text in ids)
            except AddressError:
                return ""
            section = Section("", None, (), (), (), questions=questions)
            self._marks[ids] = fingerprint(self.trace, [section])
        return self._marks[ids]


def asked_in(sheets: Iterable[AnswerSheet]) -> tuple[str, ...]:
    """All cells that answers files ask for, in the order of the fullest file."""
    order = sorted(sheets, key=lambda sheet: -len(sheet.answers))
    return tuple(dict.fromkeys(text for sheet in order for text in sheet.answers))
