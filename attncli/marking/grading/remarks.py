"""What a teacher is told before all marks: what doesn't fit about a paper, or about a class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from attncli.file.problems import nearest
from attncli.marking.answers.sheets import AnswerSheet
from attncli.marking.answers.students import Student
from attncli.marking.grading.addresses import known_id
from attncli.marking.grading.exam import Exam
from attncli.marking.verdicts import Given
from attncli.word import Phrase, Word


class AnswersTaken(NamedTuple):
    """The answers of a paper by the ids of what an exam asks, and what is to be said of others."""

    by_id: Mapping[str, Given]
    remarks: tuple[Phrase, ...]


def answers_taken(exam: Exam, sheet: AnswerSheet) -> AnswersTaken:
    """The answers to what is asked, however its address is written."""
    asked = {*exam.ids}
    taken = {text: given for text, given in sheet.answers.items() if text in asked}
    remarks: list[Phrase] = []
    lost = []
    for text, given in sheet.answers.items():
        id_ = text if text in asked else known_id(exam.trace, text)
        if id_ not in asked:
            lost.append((text, given))
        elif text != id_ and taken.setdefault(id_, given) is not given:
            said = (" is answered a second time, as ", Word(text), ". The first answer counts.")
            remarks.append((Word(id_), *said))
    told = [(text, given) for text, given in lost if given.text.strip()]
    if told:
        remarks.append(_not_asked(told, exam.ids))
    if sheet.unread:
        columns = _listed(sheet.unread)
        remarks.append(("What stands in the table under ", *columns, " isn't read."))
    return AnswersTaken(taken, tuple(remarks))


def _not_asked(told: Sequence[tuple[str, Given]], asked: Sequence[str]) -> Phrase:
    """`wieghts[I, I]: 0.422 is the answer to nothing that is asked; did you mean …`"""
    each = _listed([f"{text}: {given.text.strip()}" for text, given in told])
    if len(told) > 1:
        return (*each, " are answers to nothing that is asked, and earn nothing.")
    right = nearest(told[0][0], asked)
    if not right.startswith("did you"):
        return (*each, " is the answer to nothing that is asked, and earns nothing.")
    return (*each, " is the answer to nothing that is asked, and earns nothing: ", Word(right))


def of_forms(exam: Exam, sheet: AnswerSheet, by_named: Decimal | None) -> Iterator[Phrase]:
    """Where a paper names another form than it carries the hash of; what it would earn by that, if
    there is one."""
    if exam.form and sheet.form not in ("", exam.form):
        points = (
            ""
            if by_named is None
            else f" By form {sheet.form} it would earn {by_named.normalize():f}."
        )
        yield (
            "It says form ", Word(sheet.form), ", but its hash ", Word(sheet.mark),
            f" is that of form {exam.form}, by which it is marked.{points}",
        )  # fmt: skip


class Roll(NamedTuple):
    """The list of a class, by which papers are matched with their students."""

    students: Sequence[Student]

    def student_of(self, sheet: AnswerSheet) -> Student | None:
        """Whose paper it is: by the ID, else by the name, which may be that of the file, as long
        as no two of the list have it."""
        if sheet.id:
            return next((one for one in self.students if one.id == sheet.id), None)
        names = {sheet.student.casefold(), Path(sheet.source).stem.casefold()}
        found = [one for one in self.students if one.name.casefold() in names]
        found = found or [one for one in self.students if one.id.casefold() in names]
        return found[0] if len(found) == 1 else None

    def remarks(self, sheet: AnswerSheet, form: str) -> Iterator[Phrase]:
        """Where a paper, which is of a form, isn't as the list says."""
        student = self.student_of(sheet)
        if not self.students:
            return
        if student is None:
            yield ("The list of students has nobody of this name or ID.",)
            return
        if sheet.id and sheet.student.casefold() not in (student.name.casefold(), _stem(sheet)):
            yield "The list has ", Word(student.name), " for this ID."
        if student.form and form and student.form != form:
            yield (f"The list gives form {student.form}, the paper is of form {form}.",)

    def named(self, sheet: AnswerSheet) -> AnswerSheet:
        """A sheet with the name and the ID of whose it is, as far as the list tells."""
        one = self.student_of(sheet)
        return sheet if one is None else sheet._replace(student=one.name, id=one.id)

    def missing(self, sheets: Iterable[AnswerSheet]) -> list[Student]:
        """Those of whom there is no paper."""
        handed_in = {one.id for sheet in sheets if (one := self.student_of(sheet))}
        return [one for one in self.students if one.id not in handed_in]


def of_several(sheets: Sequence[AnswerSheet], roll: Roll) -> dict[int, Phrase]:
    """What is said of each of several papers of somebody, by their places."""
    each: dict[str, list[int]] = {}
    for k, sheet in enumerate(sheets):
        student = roll.student_of(sheet)
        each.setdefault(sheet.id or (student.id if student else sheet.student), []).append(k)
    found: dict[int, Phrase] = {}
    for places in (some for some in each.values() if len(some) > 1):
        own = [sheets[k] for k in places]
        alike = all(one.answers_alike(own[0]) for one in own)
        said = " They say the same." if alike else " They don't say the same."
        files = _listed([one.source for one in own])
        told = (f"There are {len(own)} papers: ", *files, f". Each has its marks.{said}")
        found |= dict.fromkeys(places, told)
    return found


def files_left(paths: Sequence[str]) -> Iterator[Phrase]:
    """Files of a folder that aren't read."""
    if len(paths) == 1:
        yield "A file isn't read, as it is no answers file in YAML or CSV: ", Word(paths[0])
    elif paths:
        said = f"{len(paths)} files aren't read, as they are no answers files in YAML or CSV: "
        yield (said, *_listed(paths))


def _stem(sheet: AnswerSheet) -> str:
    return Path(sheet.source).stem.casefold()


def _listed(texts: Sequence[str]) -> Phrase:
    """Somebody's words with commas between them."""
    return tuple(part for text in texts for part in (", ", Word(text)))[1:]
