"""Answers in CSV: a student a file (`id,answer`), a column a student, or a row an answer of a
student; separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from attncli.marking.answers import moodle
from attncli.marking.answers.sheets import AnswerSheet
from attncli.marking.numerals import read_number
from attncli.marking.verdicts import Given
from attncli.notation.words import hidden_again
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
    wrong: list[Problem] = field(default_factory=list)

    def take(self, name: str, given: Given) -> None:
        """Takes an answer, or what the sheet belongs to, once."""
        if name in _BELONGS:
            self.belongs.setdefault(name, given.text.strip())
        elif name in self.answers:
            first = self.answers[name].where.rpartition(":")[2]
            wrong = f"{name} is answered twice (first on line {first})"
            self.mind(given.where, wrong, "keep one of the two")
        elif name:
            self.answers[name] = given
        elif given.text.strip():
            self.mind(given.where, "an answer stands behind no cell", "write its cell before it")

    def mind(self, where: str, wrong: str, right: str) -> None:
        """Keeps a problem of a file and line."""
        source, _, line = where.rpartition(":")
        self.wrong.append(Problem(Where(source, int(line), 1), wrong, right))


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
    if not any(name in _CELLS for name in headings):
        problem = Problem(Where(source, rows[0].line, 1), "no column says which cell", _LIKE)
        raise Refusal([problem])
    columns = _columns(headings, rows)
    sheets: dict[str, _Sheet] = {}
    for row in rows[1:]:
        _take_row(row, columns, source, sheets)
    if sheets and all(one.wrong for one in sheets.values()):
        raise Refusal([problem for one in sheets.values() for problem in one.wrong])
    return tuple(
        AnswerSheet(
            student, form, mark, one.answers, source, number, tuple(one.wrong), columns.unread
        )
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


class _Columns(NamedTuple):
    """Where the cells stand, and the names, of a table in which each row has one; the columns of
    answers, and whose they are where they say so; what a sheet belongs to; how many there are, and
    the headings of those that aren't read."""

    cell: int
    own: int | None
    answers: Mapping[int, str]
    belongs: Mapping[int, str]
    width: int
    unread: tuple[str, ...]


def _columns(headings: Sequence[str], rows: Sequence[TableRow]) -> _Columns:
    cell = next(k for k, name in enumerate(headings) if name in _CELLS)
    own = next((k for k, name in enumerate(headings) if name in _STUDENTS), None)
    belongs = {k: name for k, name in enumerate(headings) if name in _BELONGS}
    known = {cell, *belongs, *(() if own is None else (own,))}
    first = rows[0].cells
    others = {k: first[k].strip() for k in range(len(headings)) if k not in known}
    told = [k for k in others if headings[k] in _ANSWERS]
    if told:
        unread = [name for k, name in others.items() if k != told[0] and name]
        return _Columns(cell, own, {told[0]: ""}, belongs, len(headings), tuple(unread))
    used = {k for row in rows[1:] for k, text in enumerate(row.cells) if text.strip()}
    answers = {k: name or f"column {k + 1}" for k, name in others.items() if name or k in used}
    return _Columns(cell, own, answers, belongs, len(headings), ())


def _take_row(row: TableRow, columns: _Columns, source: str, sheets: dict[str, _Sheet]) -> None:
    """Takes the answers of a row, each to the sheet of whose it is."""
    each, where = dict(enumerate(row.cells)), f"{source}:{row.line}"
    whose = "" if columns.own is None else unguarded(each.get(columns.own, "").strip())
    name = unguarded(each.get(columns.cell, "").strip())
    for column, student in columns.answers.items():
        sheet = sheets.setdefault(whose or student or Path(source).stem, _Sheet())
        sheet.take(name, read_number(each.get(column, ""), where))
        for k, heading in columns.belongs.items():
            sheet.take(heading, Given(unguarded(each.get(k, "").strip())))
        if any(map(str.strip, row.cells[columns.width :])):
            right = "put a cell with a comma in it in quotes"
            sheet.mind(where, "there are more cells than columns", right)


def unguarded(cell: str) -> str:
    """The text that was written as a cell, which a spreadsheet might have obeyed."""
    return hidden_again(cell.removeprefix(_GUARD)).raw
