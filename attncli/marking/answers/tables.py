"""Answers in CSV: a student a file (`id,answer`), a column a student, or a row an answer of a
student; separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from attncli.marking.answers import moodle
from attncli.marking.answers.sheets import AnswerSheet
from attncli.marking.numerals import read_number
from attncli.marking.verdicts import Given
from attncli.notation.words import hidden_again
from attncli.records import NamedTuple, dataclass, field
from attncli.refusals import Problem, Refusal, Where

_CELLS = ("id", "cell", "blank", "question")
_ANSWERS = ("answer", "answers", "response", "value")
_STUDENTS = ("student", "name")
_BELONGS = ("form", "hash", "student_id")
_GUARD = "'"


class TableRow(NamedTuple):
    """A row of a table and the line that it stands on."""

    line: int
    cells: Sequence[str]


@dataclass
class _Sheet:
    """The answers of a student, as they are gathered."""

    belongs: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Given] = field(default_factory=dict)


def sheets_of(text: str, source: str, asked: Sequence[str]) -> tuple[AnswerSheet, ...]:
    """The answers of a file. Raises Refusal for what is no table of answers."""
    rows = [*rows_of(text, source)]
    if not rows:
        raise Refusal.of(source, "there are no answers", _LIKE)
    headings = [cell.strip().lower() for cell in rows[0].cells]
    if moodle.is_export(headings):
        return moodle.sheets_of(rows, source, asked)
    if "[" in headings[0]:  # no headings
        headings, rows = ["id", "answer"], [rows[0], *rows]
    wrong: list[Problem] = []
    sheets: dict[str, _Sheet] = {}
    for student, name, given in _answers(headings, rows, source, wrong):
        sheet = sheets.setdefault(student, _Sheet())
        _take(sheet, name, given, wrong)
    if wrong:
        raise Refusal(wrong)
    return tuple(
        AnswerSheet(student, form, mark, one.answers, source, number)
        for student, one in sheets.items()
        for form, mark, number in [[one.belongs.get(name, "") for name in _BELONGS]]
    )


_LIKE = "begin with the line id,answer, or with id and a column for each student"


def rows_of(text: str, source: str) -> Iterator[TableRow]:
    """The rows that hold something."""
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    reader = csv.reader(text.splitlines(keepends=True), delimiter=separator)
    line = 1
    try:
        for cells in reader:
            if any(map(str.strip, cells)):
                yield TableRow(line, cells)
            line = reader.line_num + 1
    except csv.Error as error:
        problem = Problem(Where(source, line, 1), f"broken CSV: {error}", "look for open quotes")
        raise Refusal([problem]) from None


def _answers(
    headings: Sequence[str], rows: Sequence[TableRow], source: str, wrong: list[Problem]
) -> Iterator[tuple[str, str, Given]]:
    """Each answer: whose it is, of which cell, and what it says."""
    cell = next((k for k, name in enumerate(headings) if name in _CELLS), None)
    if cell is None:
        problem = Problem(Where(source, rows[0].line, 1), "no column says which cell", _LIKE)
        wrong.append(problem)
        return
    students = _students(headings, rows[0].cells, cell)
    own = next((k for k, name in enumerate(headings) if name in _STUDENTS), None)
    for line, cells in rows[1:]:
        each = dict(enumerate(cells))
        whose = unguarded(each.get(own, "").strip()) if own is not None else ""
        name = unguarded(each.get(cell, "").strip())
        for column, student in students.items():
            told = whose or student or Path(source).stem
            yield told, name, read_number(each.get(column, ""), f"{source}:{line}")
            for k in (k for k, heading in enumerate(headings) if heading in _BELONGS):
                yield told, headings[k], Given(unguarded(each.get(k, "").strip()))


def _students(headings: Sequence[str], names: Sequence[str], cell: int) -> Mapping[int, str]:
    """The columns of answers, and whose they are where they say so."""
    answers = [k for k, name in enumerate(headings) if name in _ANSWERS]
    if answers:
        return {answers[0]: ""}
    others = (*_BELONGS, *_STUDENTS)
    told = ((k, name.strip()) for k, name in enumerate(names) if headings[k] not in others)
    return {k: name for k, name in told if k != cell and name}


def unguarded(cell: str) -> str:
    """The text that was written as a cell, which a spreadsheet might have obeyed."""
    return hidden_again(cell.removeprefix(_GUARD)).raw


def _take(sheet: _Sheet, name: str, given: Given, wrong: list[Problem]) -> None:
    """Takes an answer, or what a sheet belongs to, once."""
    if name in _BELONGS:
        sheet.belongs.setdefault(name, given.text.strip())
    elif name in sheet.answers:
        source, _, line = given.where.rpartition(":")
        first = sheet.answers[name].where.rpartition(":")[2]
        said = f"{name} is answered twice (first on line {first})"
        wrong.append(Problem(Where(source, int(line), 1), said, "keep one of the two"))
    elif name:
        sheet.answers[name] = given
