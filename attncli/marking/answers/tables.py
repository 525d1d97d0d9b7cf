"""Answers in CSV: a student a file (`id,answer`), a column a student, or a row an answer of a
student; separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from attncli.marking.answers.sheets import AnswerSheet
from attncli.marking.verdicts import Given, read_number
from attncli.notation.words import unguarded
from attncli.refusals import Problem, Refusal, Where

_CELLS = ("id", "cell", "blank", "question")
_ANSWERS = ("answer", "answers", "response", "value")
_STUDENTS = ("student", "name")
_BELONGS = ("form", "hash", "student_id")


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
    if _is_export(headings):
        return _sheets_of_export(rows, source, asked)
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


_RESPONSE = re.compile(r"(?:response|antwort|réponse|respuesta|risposta|resposta|antwoord) (\d+)")
_QUESTION = re.compile(r"(?:question|frage|pregunta|domanda|questão|vraag) (\d+)")
_PART = re.compile(r"(?:^|; ?)[^\W\d]+ (\d+): ?(.*?)(?=; ?[^\W\d]+ \d+:|$)", re.DOTALL)
_MARK = re.compile(r"\b[g-v][0-9a-f]{7}\b")
_NAMES = ("first name", "vorname", "last name", "surname", "nachname", "full name", "name")
_IDS = ("id number", "id-nummer", "email address", "e-mail-adresse", "e-mail address")
_AVERAGE = ("overall average", "gesamtdurchschnitt")


def _is_export(headings: Sequence[str]) -> bool:
    """Whether a table is one of responses, by its headings in small letters."""
    return any(map(_RESPONSE.fullmatch, headings))


def _sheets_of_export(
    rows: Sequence[TableRow], source: str, asked: Sequence[str]
) -> tuple[AnswerSheet, ...]:
    """The answers of each student; `asked` are the ids of the blanks in the order of the questions,
    which the export only counts. Raises Refusal."""
    if not asked:
        right = "add --asked FILE, the answers file that `attn exercise … --format yaml` writes"
        raise Refusal.of(source, "a Moodle export doesn't say which cells are asked", right)
    headings = [cell.strip().lower() for cell in rows[0].cells]
    rows = [
        row for row in rows[1:] if not _student(headings, row.cells).lower().startswith(_AVERAGE)
    ]
    numbers = {k: int(m[1]) for k, name in enumerate(headings) if (m := _RESPONSE.fullmatch(name))}
    each = [_Responses(row, sorted(numbers, key=numbers.__getitem__), source) for row in rows]
    counts = [max(most) for most in zip(*(one.counts for one in each), strict=True)]
    sheets = []
    for row, responses in zip(rows, each, strict=True):
        told, wrong = responses.given(counts, len(asked))
        answers = dict(zip(asked, told, strict=False))
        student = _student(headings, row.cells) or f"line {row.line}"
        told_of = _told(headings, row.cells)
        number = told_of.get(_IDS[0]) or told_of.get(_IDS[1], "")
        mark = _mark(headings, row.cells)
        sheets.append(AnswerSheet(student, "", mark, answers, source, number, wrong))
    if sheets and all(one.wrong for one in sheets):
        raise Refusal([problem for one in sheets for problem in one.wrong])
    return tuple(sheets)


class _Responses:
    """What a student responded: the parts of each question, by their numbers."""

    def __init__(self, row: TableRow, columns: Sequence[int], source: str) -> None:
        self.where = Where(source, row.line, 1)
        cells = dict(enumerate(row.cells))
        self.parts = [
            {int(part): text.strip() for part, text in _PART.findall(cells.get(k, "").strip())}
            for k in columns
        ]

    @property
    def counts(self) -> list[int]:
        """How many parts of each question are responded to, all before the last of them."""
        return [max(parts, default=0) for parts in self.parts]

    def given(self, counts: Sequence[int], asked: int) -> tuple[list[Given], tuple[Problem, ...]]:
        """The answers in the order of what is asked, and what is wrong with them. Where all that
        is asked is answered by somebody, what one leaves out is blank."""
        if not any(self.parts):
            return [], ()
        counts = counts if sum(counts) == asked else self.counts
        if sum(counts) != asked:
            said = f"{sum(self.counts)} answers are given, where {asked} are asked"
            return [], (Problem(self.where, said, "give the sheet of this quiz"),)
        where = f"{self.where.source}:{self.where.line}"
        texts = (
            p.get(k + 1, "") for p, n in zip(self.parts, counts, strict=True) for k in range(n)
        )
        return [read_number("" if text == "-" else text, where) for text in texts], ()


def _student(headings: Sequence[str], cells: Sequence[str]) -> str:
    """The name, first name first; else an ID or an address."""
    told = _told(headings, cells)
    names = [told[name] for name in _NAMES if told.get(name)]
    return " ".join(names) or next((told[name] for name in _IDS if told.get(name)), "")


def _told(headings: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """The cells of a row by their headings."""
    return {name: cell.strip() for name, cell in zip(headings, cells, strict=False)}


def _mark(headings: Sequence[str], cells: Sequence[str]) -> str:
    """The hash in the text of a question, where that is exported too."""
    questions = (cells[k] for k, name in enumerate(headings) if _QUESTION.fullmatch(name))
    found = (match for text in questions if (match := _MARK.search(text)) is not None)
    return next((match[0] for match in found), "")
