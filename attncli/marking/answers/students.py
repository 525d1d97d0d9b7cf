"""The list of a class: a table with a name, an ID and perhaps a form of each student."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from attncli.file.problems import nearest
from attncli.marking.answers.reading import text_of
from attncli.marking.answers.tables import TableRow, rows_of
from attncli.notation.words import unguarded
from attncli.refusals import Problem, Refusal, Where, listed, quote

_COLUMNS = ("name", "id", "form")
_LIKE = "begin with the line name,ID or name,ID,form"


class Student(NamedTuple):
    """Whose sheet it is, and of which form, empty where the list doesn't say."""

    name: str
    id: str
    form: str = ""


def read_students(path: str, forms: Sequence[str]) -> tuple[Student, ...]:
    """The students of a list, in its order. Raises Refusal, naming all that is wrong."""
    rows = [*rows_of(text_of(Path(path), path), path)]
    if not rows:
        raise Refusal.of(path, "there are no students", _LIKE)
    columns = _columns(rows[0], path)
    wrong: list[Problem] = []
    seen: dict[str, int] = {}
    students = []
    for row in rows[1:]:
        student = _student(row, columns)
        told = [*_problems(student, forms), *_id_again(student, seen), *_too_long(row, rows[0])]
        wrong += (Problem(Where(path, row.line, 1), *problem) for problem in told)
        seen.setdefault(student.id, row.line)
        students.append(student)
    if not students:
        wrong.append(Problem(Where(path, rows[0].line, 1), "there are no students", "list some"))
    if wrong:
        raise Refusal(wrong)
    return tuple(students)


def _columns(headings: TableRow, path: str) -> Mapping[str, int]:
    """Where each column stands. Raises Refusal for one that is missing, twice, or unknown."""
    names = [cell.strip().lower() for cell in headings.cells]
    while names and not names[-1]:
        names.pop()
    told = [(f"{quote(name)} is no column of a list of students", nearest(name, _COLUMNS))
            for name in names if name not in _COLUMNS]  # fmt: skip
    missing = [name for name in ("name", "id") if name not in names]
    if missing:
        told.append((f"no column says the {' or the '.join(missing)}", _LIKE))
    twice = [name for name in _COLUMNS if names.count(name) > 1]
    told += ((f"there are {names.count(name)} columns {name}", "keep one") for name in twice)
    if told:
        raise Refusal([Problem(Where(path, headings.line, 1), *problem) for problem in told])
    return {name: names.index(name) for name in names}


def _student(row: TableRow, columns: Mapping[str, int]) -> Student:
    each = dict(enumerate(row.cells))
    return Student(**{name: unguarded(each.get(k, "").strip()) for name, k in columns.items()})


def _problems(student: Student, forms: Sequence[str]) -> Iterator[tuple[str, str]]:
    if not student.name:
        yield "there is no name", "write one"
    if not student.id:
        yield "there is no ID", "write one"
    if student.form and student.form not in forms:
        yield f"there is no form {quote(student.form)}", f"the exercise has {listed(forms)}"


def _id_again(student: Student, seen: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    if student.id and student.id in seen:
        first = f"the ID {quote(student.id)} is that of line {seen[student.id]}, too"
        yield first, "give each student another"


def _too_long(row: TableRow, headings: TableRow) -> Iterator[tuple[str, str]]:
    if any(map(str.strip, row.cells[len(headings.cells) :])):
        yield "there are more cells than columns", "put a name with a comma in quotes"


def with_forms(
    students: Sequence[Student], forms: Sequence[str], before: Mapping[str, str]
) -> tuple[Student, ...]:
    """The students with a form each: the one that the list says; of the others those that they had
    `before`, by their IDs, and without one these are dealt out in turn."""
    turn = cycle(forms)
    found = []
    for student in students:
        dealt = student.form or next(turn)
        had = before.get(student.id, "")
        form = had if had in forms and not student.form else dealt
        found.append(student._replace(form=form))
    return tuple(found)
