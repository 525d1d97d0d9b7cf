"""From answers files to exams: what is asked, and whether the answers belong to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal

from attncli.document import Section
from attncli.file.address import AddressError
from attncli.marking.answers import AnswerSheet
from attncli.marking.grading.addresses import cell_of
from attncli.marking.grading.exam import AskedNumber, Exam
from attncli.marking.grading.scheme import Scheme
from attncli.questions import OWN_FORM, Question, Worth
from attncli.records import dataclass, field
from attncli.refusals import Problem, Refusal, Where
from attncli.scenario.exercise import Points
from attncli.telling.exercise.fingerprint import fingerprint
from attncli.trace import Trace

_ANY = "take its line with the hash out to have it marked all the same"


@dataclass(frozen=True)
class Asking:
    """The numbers that answers to a scenario are marked by, and for how many points."""

    scenario: str
    trace: Trace
    points: Points = Points()
    scheme: Scheme = Scheme()
    _marks: dict[tuple[str, ...], str] = field(default_factory=dict)

    def exam(self, ids: Sequence[str], source: str) -> Exam:
        """The exam that asks for some cells. Raises Refusal, naming all that aren't there."""
        wrong: list[Problem] = []
        asked: list[AskedNumber] = []
        for text in ids:
            try:
                cell = cell_of(self.trace, text)
            except AddressError as error:
                wrong.append(Problem.of(source, f"{text}: {error.wrong}", error.right))
                continue
            asked.append(AskedNumber(text, cell, Decimal(str(self.points_of(text)))))
        if wrong:
            raise Refusal(wrong)
        return Exam(self.trace, tuple(asked), self.scheme)

    def points_of(self, text: str) -> Worth:
        """What a cell is worth, by the step that makes it, or that first uses it."""
        name = cell_of(self.trace, text).quantity
        part = self.trace.part_of(name)
        if part is None:
            uses = (p for p in self.trace.story if any(name in d.operands for d in p.definitions))
            part = next(uses, None)
        return self.points.of("" if part is None else part.step, self.trace[name].name.local)

    def check(self, sheet: AnswerSheet, asked: Sequence[str]) -> None:
        """Raises Refusal for answers of another form, or of another exercise."""
        if not sheet.mark:
            self._check_form(sheet)
        elif sheet.mark not in (self.mark(tuple(sheet.answers)), self.mark(tuple(asked))):
            raise Refusal([Problem(Where(sheet.source), self._of_another(sheet), _ANY)])

    def _check_form(self, sheet: AnswerSheet) -> None:
        if sheet.form not in ("", OWN_FORM):
            wrong = f"these are answers of form {sheet.form}, whose numbers {self.scenario} hasn't"
            right = f"name the scenario of form {sheet.form}, or the exercise that it is a form of"
            raise Refusal([Problem(Where(sheet.source), wrong, right)])

    def _of_another(self, sheet: AnswerSheet) -> str:
        if sheet.form in ("", OWN_FORM):
            return f"its hash {sheet.mark} isn't that of these cells of {self.scenario}"
        return f"these are answers of form {sheet.form} ({sheet.mark}), not of {self.scenario}"

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
