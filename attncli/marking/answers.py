"""What students answered, read from files.

sheets     an answers file as data
reading    files and folders, by their endings; YAML as `attn exercise … --format yaml` writes it
tables     CSV: a student a file, a column a student, or a row an answer; what Moodle exports
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from attncli.errors import Problem, UserError, Where, listed, quote
from attncli.file.nodes import Map, Node, Scalar, describe
from attncli.file.problems import Diagnostics, nearest
from attncli.file.reading import read_value
from attncli.marking.verdicts import Given, read_number
from attncli.names import composed
from attncli.notation.escaping import unguarded

__all__ = ["AnswerSheet", "AnswersError", "files_in", "others_in", "read_answers"]


# --------------------------------------------------------------------------------------------------
# An answers file as data.


class AnswerSheet(NamedTuple):
    """What a student answered, by the addresses of cells as they are written; of which form, and
    by its `mark`, the hash, of which exercise; `id` is the student's. What the file doesn't say
    is empty. `wrong` is what keeps it from being marked, `unread` are columns of its table that
    aren't read."""

    student: str
    form: str
    mark: str
    answers: Mapping[str, Given]
    source: str = ""
    id: str = ""
    wrong: tuple[Problem, ...] = ()
    unread: tuple[str, ...] = ()

    def answers_alike(self, other: AnswerSheet) -> bool:
        """Whether another sheet says the same, of the same form."""
        own, others = ({k: given.text.strip() for k, given in sheet.answers.items()}
                       for sheet in (self, other))  # fmt: skip
        return own == others and (self.form, self.mark) == (other.form, other.mark)

    @property
    def without_places(self) -> AnswerSheet:
        """The same without where each answer was read, as files have the names of students."""
        answers = {id_: given._replace(where="") for id_, given in self.answers.items()}
        return self._replace(answers=answers)


# --------------------------------------------------------------------------------------------------
# Reading answers from files, by their endings: tables, and YAML with `form`, `hash` and `answers`,
# a cell a line.

LARGEST_FILE = 16 * 2**20
MOST_ROWS = 50_000
"""Rows of a table, which take some five seconds."""
SUFFIXES = (".yaml", ".yml", ".csv", ".tsv", ".txt")


class AnswersError(UserError):
    """Answers that can't be read: all that is wrong with a file."""


def files_in(path: str) -> list[str]:
    """The files with answers in a folder and those below it, in order; of a file itself."""
    folder = Path(path)
    return _in(folder, with_answers=True) if folder.is_dir() else [path]


def others_in(path: str) -> list[str]:
    """The files in a folder and below it that are no answers files by their endings."""
    folder = Path(path)
    return _in(folder, with_answers=False) if folder.is_dir() else []


def _in(folder: Path, *, with_answers: bool) -> list[str]:
    """Files of a folder; those that begin with a dot or a tilde are the system's."""
    found = (path for path in folder.rglob("*") if not path.name.startswith((".", "~")))
    files = (path for path in found if path.is_file())
    return sorted(str(file) for file in files if (file.suffix.lower() in SUFFIXES) == with_answers)


def read_answers(path: str | Path, asked: Sequence[str] = ()) -> tuple[AnswerSheet, ...]:
    """The answers of a file, of one student or of several; `asked` are the ids of what is asked,
    in order, for files that only count. Raises AnswersError."""
    source = str(path)
    text = text_of(Path(path), source)
    if Path(path).suffix.lower() in (".yaml", ".yml"):
        return (_sheet_of(text, source),)

    return sheets_of(text, source, asked)


def text_of(path: Path, source: str) -> str:
    """What a file says: UTF-8, UTF-16 with its mark, or what old spreadsheets write."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise AnswersError.of(source, "no such file", "name one that is there") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise AnswersError.of(source, f"can't be read ({reason})", "give another") from None
    if len(data) > LARGEST_FILE:
        most = f"answers have at most {LARGEST_FILE // 2**20} MiB"
        raise AnswersError.of(source, "the file is too large", most)
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise AnswersError.of(source, "this is no text", "save it as CSV or YAML, in UTF-8")
    for encoding in ("utf-16",) if b"\0" in data else ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise AnswersError([Problem.of(source, "this is no text in UTF-8", "save it as UTF-8")])


def named_by(source: str) -> str:
    """Whose a file is by its name. The file itself is opened by the name that it has on disk."""
    return composed(Path(source).stem)


_TEXTS = ("student", "id", "form", "hash")


def _sheet_of(text: str, source: str) -> AnswerSheet:
    """The answers of a file. Raises ScenarioError for what is no answers file."""
    problems = Diagnostics()
    start = Where(source, 1, 1)
    node = read_value(text, start, problems)
    if not isinstance(node, Map):
        problems.add(start, "there are no answers", _LIKE_YAML)
        problems.stop_if_any()
        node = Map((), start)
    by_name = {key.text: value for key, value in node.entries}
    entries = {name: _text(by_name.get(name), name, problems) for name in _TEXTS}
    answers = _answers(by_name.get("answers", node), problems)
    _check_keys(node, problems)
    problems.stop_if_any()
    student = entries["student"] or named_by(source)
    return AnswerSheet(student, entries["form"], entries["hash"], answers, source, entries["id"])


_LIKE_YAML = "write them as `attn exercise SCENARIO --format yaml --key none` does"


def _check_keys(node: Map, problems: Diagnostics) -> None:
    """A file that has `answers` has nothing beside but what it belongs to."""
    if node.get("answers") is None:
        return
    for key, _ in node.entries:
        if key.text not in (*_TEXTS, "answers"):
            problems.add(key.where, f"{key.text} is no key of an answers file", _LIKE_YAML)


def _text(node: Node | None, name: str, problems: Diagnostics) -> str:
    if node is None:
        return ""
    if not isinstance(node, Scalar):
        problems.add(node.where, f"{name} is {describe(node)}", "write a text")
        return ""
    return composed(node.text)


def _answers(node: Node, problems: Diagnostics) -> dict[str, Given]:
    """Each answer by its cell; what is no text is unreadable, as is what is no number."""
    if isinstance(node, Scalar) and not node.text.strip():
        return {}
    if not isinstance(node, Map):
        problems.add(node.where, f"the answers are {describe(node)}", _LIKE_YAML)
        return {}
    pairs = ((key.text, value) for key, value in node.entries if key.text not in _TEXTS)
    return {name: _given(value) for name, value in pairs}


def _given(node: Node) -> Given:
    where = f"{node.where.source}:{node.where.line}"
    if isinstance(node, Scalar):
        empty = not node.quoted and node.text in ("~", "null")
        return read_number("" if empty else node.text, where)
    return Given(describe(node), None, where=where)


# --------------------------------------------------------------------------------------------------
# Answers in CSV: a student a file (`id,answer`), a column a student, or a row an answer of a
# student; separated by commas, semicolons or tabs.

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
            self.belongs.setdefault(name, composed(given.text))
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
    """The answers of a file. Raises UserError for what is no table of answers."""
    rows = [*rows_of(text, source)]
    if not rows:
        raise UserError.of(source, "there are no answers", _LIKE)
    headings = [cell.strip().lower() for cell in rows[0].cells]
    if any(map(_RESPONSE.fullmatch, headings)):
        return _sheets_of_export(rows, source, asked)
    if "[" in headings[0]:  # no headings
        headings, rows = ["id", "answer"], [rows[0], *rows]
    if headings[0] in _STUDENTS and not any(name in _CELLS for name in headings):
        return _sheets_of_class(rows, source)
    if not any(name in _CELLS for name in headings):
        problem = Problem(Where(source, rows[0].line, 1), "no column says which cell", _LIKE)
        raise UserError([problem])
    columns = _columns(headings, rows)
    sheets: dict[str, _Sheet] = {}
    for row in rows[1:]:
        _take_row(row, columns, source, sheets)
    return _unless_all_wrong(
        AnswerSheet(
            student, form, mark, sheet.answers, source, number, tuple(sheet.wrong), columns.unread
        )
        for student, sheet in sheets.items()
        for form, mark, number in [[sheet.belongs.get(name, "") for name in _BELONGS]]
    )


def _unless_all_wrong(each: Iterable[AnswerSheet]) -> tuple[AnswerSheet, ...]:
    """The sheets of a table. Raises UserError where none can be read."""
    sheets = tuple(each)
    if sheets and all(sheet.wrong for sheet in sheets):
        raise UserError([problem for sheet in sheets for problem in sheet.wrong])
    return sheets


def _sheets_of_class(rows: Sequence[TableRow], source: str) -> tuple[AnswerSheet, ...]:
    """The answers of a class, a row a student: a column for whose they are, for the form and the
    like, and for each thing that is asked; rows without an answer are nobody's."""
    names = rows[0].cells
    sheets = []
    for row in rows[1:]:
        sheet, where = _Sheet(), f"{source}:{row.line}"
        whose = composed(row.cells[0])
        for name, text in zip(names[1:], row.cells[1:], strict=False):
            own = name.lower() if name.lower() in _BELONGS else name
            sheet.take(own, read_number(text, where))
        if any(map(str.strip, row.cells[len(names) :])):
            sheet.mind(
                where, "there are more cells than columns", "put a cell with a comma in quotes"
            )
        if all(given.is_empty for given in sheet.answers.values()):
            continue
        form, mark, number = (sheet.belongs.get(name, "") for name in _BELONGS)
        student = whose or number or f"line {row.line}"
        wrong = tuple(sheet.wrong)
        sheets.append(AnswerSheet(student, form, mark, sheet.answers, source, number, wrong))
    if not sheets:
        raise UserError.of(source, "there are no answers", "type those of a student into a row")
    return tuple(sheets)


_LIKE = "begin with the line id,answer, or with id and a column for each student"


def rows_of(text: str, source: str) -> Iterator[TableRow]:
    """The rows that hold something; their cells as they were before a spreadsheet was kept from
    obeying them. Raises UserError for more than are read at once."""
    first = re.sub('"[^"]*"', "", text.partition("\n")[0])
    separator = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    line, count = 1, 0
    try:
        for cells in reader:
            if any(map(str.strip, cells)):
                count += 1
                _check_rows(count, Where(source, line, 1))
                yield TableRow(line, [unguarded(cell.strip()) for cell in cells])
            line = reader.line_num + 1
    except csv.Error as error:
        problem = Problem(Where(source, line, 1), f"broken CSV: {error}", "look for open quotes")
        raise UserError([problem]) from None


def _check_rows(count: int, where: Where) -> None:
    if count > MOST_ROWS:
        right = f"split it into tables of at most {MOST_ROWS:,} rows"
        raise UserError([Problem(where, "the table has too many rows to be read at once", right)])


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
    others = {k: composed(first[k]) for k in range(len(headings)) if k not in known}
    numbers = [k for k in others if headings[k] in _ANSWERS]
    if numbers:
        unread = [name for k, name in others.items() if k != numbers[0] and name]
        return _Columns(cell, own, {numbers[0]: ""}, belongs, len(headings), tuple(unread))
    used = {k for row in rows[1:] for k, text in enumerate(row.cells) if text.strip()}
    answers = {k: name or f"column {k + 1}" for k, name in others.items() if name or k in used}
    return _Columns(cell, own, answers, belongs, len(headings), ())


def _take_row(row: TableRow, columns: _Columns, source: str, sheets: dict[str, _Sheet]) -> None:
    """Takes the answers of a row, each to the sheet of whose it is."""
    each, where = dict(enumerate(row.cells)), f"{source}:{row.line}"
    whose = "" if columns.own is None else composed(each.get(columns.own, ""))
    name = each.get(columns.cell, "")
    for column, student in columns.answers.items():
        sheet = sheets.setdefault(whose or student or named_by(source), _Sheet())
        sheet.take(name, read_number(each.get(column, ""), where))
        for k, heading in columns.belongs.items():
            sheet.take(heading, Given(each.get(k, "")))
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


def _sheets_of_export(
    rows: Sequence[TableRow], source: str, asked: Sequence[str]
) -> tuple[AnswerSheet, ...]:
    """The answers of each student; `asked` are the ids of the blanks in the order of the questions,
    which the export only counts. Raises UserError."""
    if not asked:
        right = "add --asked FILE, the answers file that `attn exercise … --format yaml` writes"
        raise UserError.of(source, "a Moodle export doesn't say which cells are asked", right)
    headings = [cell.strip().lower() for cell in rows[0].cells]
    cells_of = [dict(zip(headings, map(str.strip, row.cells), strict=False)) for row in rows]
    kept = [
        (row, told)
        for row, told in zip(rows[1:], cells_of[1:], strict=True)
        if not _student(told).lower().startswith(_AVERAGE)
    ]
    numbers = {k: int(m[1]) for k, name in enumerate(headings) if (m := _RESPONSE.fullmatch(name))}
    order = sorted(numbers, key=numbers.__getitem__)
    each = [_Responses(row, order, source) for row, _ in kept]
    counts = [max(most) for most in zip(*(r.counts for r in each), strict=True)]
    sheets = []
    for (row, told), responses in zip(kept, each, strict=True):
        givens, wrong = responses.given(counts, len(asked))
        answers = dict(zip(asked, givens, strict=False))
        student = _student(told) or f"line {row.line}"
        number = composed(told.get(_IDS[0]) or told.get(_IDS[1], ""))
        # the hash is in the text of a question, where that is exported too
        questions = (text for name, text in told.items() if _QUESTION.fullmatch(name))
        marks = (match[0] for text in questions if (match := _MARK.search(text)))
        sheets.append(AnswerSheet(student, "", next(marks, ""), answers, source, number, wrong))
    return _unless_all_wrong(sheets)


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
            line = f"{sum(self.counts)} answers are given, where {asked} are asked"
            return [], (Problem(self.where, line, "give the sheet of this quiz"),)
        where = f"{self.where.source}:{self.where.line}"
        texts = (
            p.get(k + 1, "") for p, n in zip(self.parts, counts, strict=True) for k in range(n)
        )
        return [read_number("" if text == "-" else text, where) for text in texts], ()


def _student(told: Mapping[str, str]) -> str:
    """The name, first name first, of a row by its headings; else an ID or an address."""
    names = [told[name] for name in _NAMES if told.get(name)]
    return composed(" ".join(names) or next((told[name] for name in _IDS if told.get(name)), ""))


# --------------------------------------------------------------------------------------------------
# The list of a class: a table with a name, an ID and perhaps a form of each student.

_COLUMNS = ("name", "id", "form")
_LIKE_CLASS = "begin with the line name,ID or name,ID,form"


class Student(NamedTuple):
    """Whose sheet it is, and of which form, empty where the list doesn't say."""

    name: str
    id: str
    form: str = ""


def read_students(path: str, forms: Sequence[str]) -> tuple[Student, ...]:
    """The students of a list, in its order. Raises UserError, naming all that is wrong."""
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
    """Where each column stands. Raises UserError for one that is missing, twice, or unknown."""
    names = [cell.strip().lower() for cell in headings.cells]
    while names and not names[-1]:
        names.pop()
    pairs = [(f"{quote(name)} is no column of a list of students", nearest(name, _COLUMNS))
            for name in names if name not in _COLUMNS]  # fmt: skip
    missing = [name for name in ("name", "id") if name not in names]
    if missing:
        pairs.append((f"no column says the {' or the '.join(missing)}", _LIKE_CLASS))
    twice = [name for name in _COLUMNS if names.count(name) > 1]
    pairs += ((f"there are {names.count(name)} columns {name}", "keep one") for name in twice)
    if pairs:
        raise UserError([Problem(Where(path, headings.line, 1), *problem) for problem in pairs])
    return {name: names.index(name) for name in names}


def _student_of(row: TableRow, columns: Mapping[str, int]) -> Student:
    each = dict(enumerate(row.cells))
    return Student(**{name: composed(each.get(k, "")) for name, k in columns.items()})


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
