"""The papers of a class: whose each is, what doesn't fit, and the most common mistakes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from attncli.classroom.marking.answers import AnswerSheet, named_by
from attncli.classroom.marking.class_list import Student
from attncli.classroom.marking.exam import address_of
from attncli.classroom.marking.exam_parts import MarkedExam, WholeExam
from attncli.classroom.marking.marked_papers import MarkedPaper, in_a_row
from attncli.judging.verdicts import FOLLOW, UNEARNED, Cause, Given, Verdict
from attncli.maths.numbers import decimals
from attncli.names import Word, WordedText
from attncli.scenario.file.problems import nearest
from attncli.trace import Trace


def of_forms(exam: WholeExam, sheet: AnswerSheet, by_named: str | None) -> Iterator[WordedText]:
    """Yields a remark where a paper names another form than its hash belongs to, with the points
    that it would earn by the named form, if that is known."""
    if exam.form and sheet.form not in ("", exam.form):
        points = "" if by_named is None else f" By form {sheet.form} it would earn {by_named}."
        yield (
            "It says form ", Word(sheet.form), ", but its hash ", Word(sheet.mark),
            f" is that of form {exam.form}, by which it is marked.{points}",
        )  # fmt: skip


@dataclass(frozen=True)
class Roll:
    """The list of a class, by which papers are matched with students."""

    students: Sequence[Student]

    @cached_property
    def _by_id(self) -> Mapping[str, Student]:
        return {s.id: s for s in reversed(self.students)}

    @cached_property
    def _by_word(self) -> tuple[Mapping[str, Sequence[Student]], Mapping[str, Sequence[Student]]]:
        """Indexes the students by name and by ID, regardless of case."""
        names, ids = dict[str, list[Student]](), dict[str, list[Student]]()
        for student in self.students:
            names.setdefault(student.name.casefold(), []).append(student)
            ids.setdefault(student.id.casefold(), []).append(student)
        return names, ids

    def student_of(self, sheet: AnswerSheet) -> Student | None:
        """Finds the student of a paper: by the ID, else by the name on the paper or of the file,
        unless two students share it. Returns None where there is none."""
        if sheet.id:
            return self._by_id.get(sheet.id)
        words = {sheet.student.casefold(), named_by(sheet.source).casefold()}
        each = ([s for word in words for s in known.get(word, ())] for known in self._by_word)
        found = next(filter(None, each), [])
        return found[0] if len(found) == 1 else None

    def stranger(self, sheet: AnswerSheet, missing: Iterable[Student]) -> Iterator[WordedText]:
        """Yields a remark where the list has nobody of a paper's name or ID. It suggests a student
        of whom there is no paper."""
        if not self.students or self.student_of(sheet) is not None:
            return
        named = self._of_the_name(sheet)
        if named is not None:
            yield (
                "The list of students has this name with the ID ", Word(named.id), ", not ",
                Word(sheet.id), ".",
            )  # fmt: skip
            return
        nobody = "The list of students has nobody of this name or ID"
        hint, _ = self._like(sheet, missing)
        yield (nobody, "; ", Word(hint)) if hint else (f"{nobody}.",)

    def meant_by(self, sheet: AnswerSheet, missing: Iterable[Student]) -> Student | None:
        """Returns the student that a paper of nobody on the list is told to be of, or None."""
        if not self.students or self.student_of(sheet) is not None:
            return None
        return self._of_the_name(sheet) or self._like(sheet, missing)[1]

    def _of_the_name(self, sheet: AnswerSheet) -> Student | None:
        """Finds the student that has the name of a paper, but another ID."""
        named = self.student_of(sheet._replace(id=""))
        return named if named is not None and named.id else None

    @staticmethod
    def _like(sheet: AnswerSheet, missing: Iterable[Student]) -> tuple[str, Student | None]:
        """Asks whether a student whose name or ID is nearly that of a paper is meant; returns also
        the student. Nothing is asked where there is none."""
        known = {e: student for student in missing for e in (student.name, student.id) if e}
        hint = nearest(sheet.student, known)
        asked = {nearest(entry, [entry]): student for entry, student in known.items()}
        return (hint, asked[hint]) if hint in asked else ("", None)

    def remarks(self, sheet: AnswerSheet, form: str) -> Iterator[WordedText]:
        """Yields remarks where the list has another name, or another form, for a paper."""
        student = self.student_of(sheet)
        if student is None:
            return
        names = student.name.casefold(), named_by(sheet.source).casefold()
        if sheet.id and sheet.student.casefold() not in (*names, sheet.id.casefold()):
            yield "The list has ", Word(student.name), " for this ID."
        if student.form and form and student.form != form:
            yield (f"The list gives form {student.form}, the paper is of form {form}.",)

    def named(self, sheet: AnswerSheet) -> AnswerSheet:
        """Returns a sheet with the student's name and ID, as far as the list tells them."""
        student = self.student_of(sheet)
        return sheet if student is None else sheet._replace(student=student.name, id=student.id)

    def missing(self, sheets: Iterable[AnswerSheet]) -> list[Student]:
        """Lists the students of whom there is no paper."""
        handed_in = {student.id for sheet in sheets if (student := self.student_of(sheet))}
        return [s for s in self.students if s.id not in handed_in]


def of_several(sheets: Sequence[AnswerSheet], roll: Roll) -> dict[int, WordedText]:
    """Returns a remark for each of several papers of one student, by the places of the papers."""
    each: dict[str, list[int]] = {}
    for k, sheet in enumerate(sheets):
        student = roll.student_of(sheet)
        each.setdefault(sheet.id or (student.id if student else sheet.student), []).append(k)
    found: dict[int, WordedText] = {}
    for places in (some for some in each.values() if len(some) > 1):
        own = [sheets[k] for k in places]
        alike = all(entry.answers_alike(own[0]) for entry in own)
        text = " They say the same." if alike else " They don't say the same."
        files = in_a_row([entry.source for entry in own])
        entries = (f"There are {len(own)} papers: ", *files, f". Each has its marks.{text}")
        found |= dict.fromkeys(places, entries)
    return found


def files_left(paths: Sequence[str]) -> Iterator[WordedText]:
    """Yields a remark about files of a folder that aren't read."""
    if len(paths) == 1:
        yield "A file isn't read, as it is no answers file in YAML or CSV: ", Word(paths[0])
    elif paths:
        text = f"{len(paths)} files aren't read, as they are no answers files in YAML or CSV: "
        yield (text, *in_a_row(paths))


_WRONG = ("rounding", "known mistake", "slip")


class CommonMistake(NamedTuple):
    """A mistake, with the numbers of papers and of answers that it is in."""

    says: WordedText
    judgement: str
    papers: int
    numbers: int
    example: Wrong
    """The first answer that it is in."""
    sheet: AnswerSheet
    """The paper of the example."""


class HardBlank(NamedTuple):
    """A blank that many papers have wrong."""

    id: str
    """Its id in the exam."""
    asked: int
    """How many papers ask for it."""
    wrong: int
    """How many papers have it neither right nor carried forward."""
    reasons: tuple[tuple[WordedText, int], ...]
    """Why, with the number of papers; those of most papers first."""


class Unmarked(NamedTuple):
    """A paper without marks, or a student of the list without a paper, and the reason."""

    sheet: AnswerSheet
    why: WordedText
    told: bool = False
    """Whether the page says so already, of another paper."""


NOTHING: WordedText = ("Nothing was handed in.",)
"""Why who handed nothing in has no marks."""


class GradedClass(NamedTuple):
    """The marked papers of a class, those without marks, and remarks on the whole class."""

    title: str
    traces: tuple[Trace, ...]
    papers: tuple[MarkedExam, ...]
    unmarked: tuple[Unmarked, ...] = ()
    remarks: tuple[WordedText, ...] = ()

    @property
    def sheets(self) -> list[AnswerSheet]:
        """Lists all sheets, those with marks first."""
        return [*(paper.sheet for paper in self.papers), *(u.sheet for u in self.unmarked)]


def with_the_roll(graded: GradedClass, roll: Roll, *, whole: bool) -> GradedClass:
    """Adds to a class what its list tells of the papers, and where the papers are the `whole`
    class, the students of whom there is none."""
    sheets = graded.sheets
    several, missing = of_several(sheets, roll), roll.missing(sheets)
    papers = tuple(
        paper._replace(
            sheet=_as_written(paper.sheet, roll.named(paper.sheet)),
            stranger=(*roll.stranger(paper.sheet, missing),),
            remarks=(
                *paper.remarks,
                *roll.remarks(paper.sheet, paper.exam.form or paper.sheet.form),
                *((several[k],) if k in several else ()),
            ),
        )
        for k, paper in enumerate(graded.papers)
    )
    unmarked = [u._replace(sheet=roll.named(u.sheet)) for u in graded.unmarked]
    meant = {student.id for s in sheets if (student := roll.meant_by(s, missing)) is not None}
    for student in missing if whole else ():
        sheet = AnswerSheet(student.name, student.form, "", {}, "", student.id)
        unmarked.append(Unmarked(sheet, NOTHING, told=student.id in meant))
    return graded._replace(papers=papers, unmarked=tuple(unmarked))


def _as_written(sheet: AnswerSheet, named: AnswerSheet) -> AnswerSheet:
    """Returns the sheet that a list has `named`, with the name that stands on it if one does."""
    return named if sheet.student == sheet.id else named._replace(student=sheet.student)


class Wrong(NamedTuple):
    """An answer that is neither right nor carried forward."""

    id: str
    """Its id in the exam."""
    judgement: str
    cause: Cause | None
    """Why it is wrong, if that is known."""
    part: int = 0
    """The part of the exam, from 0."""
    verdict: Verdict | None = None
    """The verdict, where the answer is a number of a cell."""
    given: Given = Given("")
    """The answer as it was given."""
    right: str = ""
    """The answer that is right."""

    @property
    def why(self) -> WordedText:
        if self.cause is None:
            return (_REASONS.get(self.judgement, _UNKNOWN),)
        return self.cause.worded


_RIGHT = (*FOLLOW, "by hand")
_UNKNOWN = "without a known reason"
_REASONS = {"blank": "left empty", "unreadable": "unreadable", "not worked": "without working"}


def wrong_answers(paper: MarkedExam) -> Iterator[Wrong]:
    """Yields every answer of a paper that is wrong or missing, part by part."""
    for k, (prefix, part) in enumerate(zip(paper.exam.prefixes, paper.parts, strict=True)):
        found: list[Wrong] = []
        if isinstance(part, MarkedPaper):
            trace = part.exam.trace
            found += (
                Wrong(
                    address_of(trace, v.cell), v.judgement, v.cause, k, v, v.given,
                    decimals.text(v.expected.shown),
                )
                for v in part.verdicts
                if v.judgement not in _RIGHT
            )  # fmt: skip
        found += (
            Wrong(m.asked.id, m.judgement, m.cause, given=m.given, right=m.asked.answer)
            for m in part.terms
        )
        if isinstance(part, MarkedPaper):
            found += (
                Wrong(
                    m.asked.id, m.judgement, next(iter(m.causes), None), given=m.given,
                    right=" or ".join(m.right),
                )
                for m in part.words
            )  # fmt: skip
        yield from (w._replace(id=f"{prefix}{w.id}") for w in found if w.judgement not in _RIGHT)


def without_doubtful(papers: Sequence[MarkedExam]) -> list[MarkedExam]:
    """Keeps the papers that tell something of a class, without those that may copy another form's
    key."""
    return [paper for paper in papers if not paper.is_doubtful]


def commonest(papers: Sequence[MarkedExam]) -> list[CommonMistake]:
    """Lists the causes of wrong answers, those of most papers first, then those of most numbers.
    Papers in doubt don't count."""
    of_papers, of_numbers = Counter[tuple[WordedText, str]](), Counter[tuple[WordedText, str]]()
    first: dict[tuple[WordedText, str], tuple[Wrong, AnswerSheet]] = {}
    for paper in without_doubtful(papers):
        found = (w for w in wrong_answers(paper) if w.judgement in _WRONG and w.cause != UNEARNED)
        made = [((w.cause.worded, w.judgement), w) for w in found if w.cause is not None]
        for entry, wrong in made:
            first.setdefault(entry, (wrong, paper.sheet))
        of_papers.update([*dict.fromkeys(entry for entry, _ in made)])
        of_numbers.update(entry for entry, _ in made)
    mistakes = [
        CommonMistake(*entry, n, of_numbers[entry], *first[entry]) for entry, n in of_papers.items()
    ]
    return sorted(mistakes, key=lambda mistake: (-mistake.papers, -mistake.numbers))


def hardest(every: Sequence[MarkedExam]) -> list[HardBlank]:
    """Lists the blanks by how many papers have them wrong or empty, most first, with the mistakes
    behind them. Papers in doubt don't count."""
    papers = without_doubtful(every)
    asked = Counter(id_ for paper in papers for id_ in paper.exam.ids)
    reasons: dict[str, Counter[WordedText]] = {}
    for paper in papers:
        for wrong in wrong_answers(paper):
            reasons.setdefault(wrong.id, Counter())[wrong.why] += 1
    found = (
        HardBlank(id_, asked.get(id_, len(papers)), each.total(), tuple(each.most_common()))
        for id_, each in reasons.items()
    )
    return sorted(found, key=lambda blank: -blank.wrong)
