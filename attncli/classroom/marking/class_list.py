"""The list of a class: a table with a name, an ID and perhaps a form of each student."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from attncli.classroom.marking.answers import TableRow, rows_of, text_of
from attncli.classroom.marking.headings import FORM, ID, STUDENT, meaning_of
from attncli.errors import Problem, UserError, Where, listed, quote
from attncli.names import composed
from attncli.scenario.file.problems import nearest

_COLUMNS = {STUDENT: "name", ID: "id", FORM: "form"}
"""The columns of a list, and what each is of a student."""
_LIKE_CLASS = "begin with the line name,ID or name,ID,form"


class Student(NamedTuple):
    """A student of a class list."""

    name: str
    id: str
    form: str = ""
    """The form that the student gets, empty where the list doesn't say."""


def read_students(path: str, forms: Sequence[str] | None) -> tuple[Student, ...]:
    """Reads the students of a list, in its order; their forms are any where `forms` is None. Raises
    UserError that names everything wrong."""
    rows = [*rows_of(text_of(Path(path), path), path)]
    if not rows:
        raise UserError.of(path, "there are no students", _LIKE_CLASS)
    columns = _columns_of_class(rows[0], path)
    wrong: list[Problem] = []
    seen: dict[str, int] = {}
    students = []
    for row in rows[1:]:
        student = _student_of(row, columns)
        pairs = [*_problems(student, forms), *_id_again(student, seen), *_too_long(row, rows[0])]
        wrong += (Problem(Where(path, row.line, 1), *problem) for problem in pairs)
        seen.setdefault(student.id, row.line)
        students.append(student)
    if not students:
        wrong.append(Problem(Where(path, rows[0].line, 1), "there are no students", "list some"))
    if wrong:
        raise UserError(wrong)
    return tuple(students)


def _columns_of_class(headings: TableRow, path: str) -> Mapping[str, int]:
    """Finds the column of each heading of a class list. Raises UserError for a heading that is
    missing, repeated, or unknown."""
    names = [meaning_of(cell) or cell.strip().lower() for cell in headings.cells]
    while names and not names[-1]:
        names.pop()
    pairs = [(f"{quote(name)} is no column of a list of students", nearest(name, _COLUMNS))
            for name in names if name not in _COLUMNS]  # fmt: skip
    missing = [_COLUMNS[name] for name in (STUDENT, ID) if name not in names]
    if missing:
        pairs.append((f"no column says the {' or the '.join(missing)}", _LIKE_CLASS))
    counts = {name: names.count(name) for name in _COLUMNS}
    pairs += ((f"there are {n} columns {_COLUMNS[name]}", "keep one") for name, n in counts.items()
              if n > 1)  # fmt: skip
    if pairs:
        raise UserError([Problem(Where(path, headings.line, 1), *problem) for problem in pairs])
    return {_COLUMNS[name]: names.index(name) for name in names}


def _student_of(row: TableRow, columns: Mapping[str, int]) -> Student:
    each = dict(enumerate(row.cells))
    return Student(**{name: composed(each.get(k, "")) for name, k in columns.items()})


def _problems(student: Student, forms: Sequence[str] | None) -> Iterator[tuple[str, str]]:
    if not student.name:
        yield "there is no name", "write one"
    if not student.id:
        yield "there is no ID", "write one"
    if student.form and forms is not None and student.form not in forms:
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
    """Gives each student a form: the one that the list states, else the one that the student's ID
    had `before`, else the forms in turn."""
    turn = cycle(forms)
    found = []
    for student in students:
        dealt = student.form or next(turn)
        had = before.get(student.id, "")
        form = had if had in forms and not student.form else dealt
        found.append(student._replace(form=form))
    return tuple(found)
