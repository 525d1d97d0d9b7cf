"""The answers of students, read from files by their endings: tables, and YAML.

YAML has `form`, `hash` and `answers`, a cell a line. CSV has a student a file (`cell,answer`), a
column a student, a row a student, or a row an answer of a student; separated by commas, semicolons
or tabs.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from attncli.classroom.files.ids import id_meant
from attncli.classroom.marking.headings import (
    ANSWER,
    CELL,
    FORM,
    HASH,
    ID,
    STUDENT,
    is_cell,
    meaning_of,
    meanings_of,
)
from attncli.errors import Problem, UserError, Where, quote
from attncli.judging.verdicts import Given, read_number
from attncli.maths.notation.escaping import unguarded
from attncli.names import composed
from attncli.scenario.file.nodes import Map, Node, Scalar, describe
from attncli.scenario.file.problems import Diagnostics
from attncli.scenario.file.reading import read_value

__all__ = ["AnswerSheet", "AnswersError", "files_in", "others_in", "read_answers"]


class AnswerSheet(NamedTuple):
    """The answers of one student. What the file doesn't say is empty."""

    student: str
    form: str
    mark: str
    """The hash of the exercise that the answers are to."""
    answers: Mapping[str, Given]
    """Each answer by the address of its cell, as it is written."""
    source: str = ""
    id: str = ""
    """The ID of the student."""
    wrong: tuple[Problem, ...] = ()
    """The problems that keep the sheet from being marked."""
    unread: tuple[str, ...] = ()
    """The headings of columns that aren't read."""
    absent: bool = False
    """Whether a table names the student and has no answers in that row."""

    def answers_alike(self, other: AnswerSheet) -> bool:
        """Tells whether another sheet gives the same answers to the same form."""
        own, others = ({k: given.text.strip() for k, given in sheet.answers.items()}
                       for sheet in (self, other))  # fmt: skip
        return own == others and (self.form, self.mark) == (other.form, other.mark)

    @property
    def without_places(self) -> AnswerSheet:
        """Returns the sheet without the file and line of each answer, since names of files may hold
        names of students."""
        answers = {id_: given._replace(where="", column="") for id_, given in self.answers.items()}
        return self._replace(answers=answers)


LARGEST_FILE = 16 * 2**20
MOST_ROWS = 50_000
"""The most rows of a table, which take some five seconds."""
SUFFIXES = (".yaml", ".yml", ".csv", ".tsv", ".txt")


class AnswersError(UserError):
    """The error of answers that can't be read. It holds every problem of a file."""


def files_in(path: str) -> list[str]:
    """Lists the files with answers in a folder and those below it, sorted; for a file, the file
    alone."""
    folder = Path(path)
    return _in(folder, with_answers=True) if folder.is_dir() else [path]


def others_in(path: str) -> list[str]:
    """Lists the files in a folder and below it whose endings aren't those of answers."""
    folder = Path(path)
    return _in(folder, with_answers=False) if folder.is_dir() else []


def _in(folder: Path, *, with_answers: bool) -> list[str]:
    """Lists the files of a folder, without those of the system, whose names begin with a dot or a
    tilde."""
    found = (path for path in folder.rglob("*") if not path.name.startswith((".", "~")))
    files = (path for path in found if path.is_file())
    return sorted(str(file) for file in files if (file.suffix.lower() in SUFFIXES) == with_answers)


def read_answers(path: str | Path, asked: Sequence[str] = ()) -> tuple[AnswerSheet, ...]:
    """Reads the answers of a file, which may be of one student or of several. `asked` are the ids
    of what is asked, in order, for files that only number their answers. Raises AnswersError."""
    source = str(path)
    text = text_of(Path(path), source)
    if Path(path).suffix.lower() in (".yaml", ".yml"):
        return (_sheet_of(text, source),)

    return sheets_of(text, source, asked)


def text_of(path: Path, source: str) -> str:
    """Reads the text of a file: UTF-8, UTF-16 with its byte order mark, or Windows-1252. Raises
    AnswersError."""
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
    """Returns the student's name that the name of a file stands for. The file is still opened by
    the name that it has on disk."""
    return composed(Path(source).stem)


_TEXTS = ("student", "id", "form", "hash")


def _sheet_of(text: str, source: str) -> AnswerSheet:
    """Reads the answers of one YAML file. Raises ScenarioError for any other text."""
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
    """Reports keys beside `answers` that an answers file doesn't have."""
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
    """Reads each answer by its cell. A value that isn't a number becomes an unreadable answer."""
    if isinstance(node, Scalar) and not node.text.strip():
        return {}
    if not isinstance(node, Map):
        problems.add(node.where, f"the answers are {describe(node)}", _LIKE_YAML)
        return {}
    found: dict[str, Given] = {}
    for key, value in node.entries:
        name = id_meant(key.text)
        if name in found:
            problems.add(key.where, f"{name} is answered twice", "keep one of the two")
        elif key.text not in _TEXTS:
            found[name] = _given(value)
    return found


def _given(node: Node) -> Given:
    where = f"{node.where.source}:{node.where.line}"
    if isinstance(node, Scalar):
        empty = not node.quoted and node.text in ("~", "null")
        return read_number("" if empty else node.text, where)
    return Given(describe(node), None, where=where)


_BELONGS = (FORM, HASH, ID)


class TableRow(NamedTuple):
    """A row of a table and the line that it stands on."""

    line: int
    cells: Sequence[str]


@dataclass
class _Sheet:
    """The answers of a student while they are gathered."""

    belongs: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Given] = field(default_factory=dict)
    wrong: list[Problem] = field(default_factory=list)

    def take(self, name: str, given: Given) -> None:
        """Takes an answer or a fact about the sheet (form, hash, ID). A second answer for a cell
        becomes a problem."""
        if name in _BELONGS:
            self.belongs.setdefault(name, composed(given.text))
            return
        name = id_meant(name)
        if name in self.answers:
            first = self.answers[name].where.rpartition(":")[2]
            wrong = f"{name} is answered twice (first on line {first})"
            self.mind(given.where, wrong, "keep one of the two")
        elif name:
            self.answers[name] = given
        elif given.text.strip():
            self.mind(given.where, "an answer stands behind no cell", "write its cell before it")

    def mind(self, where: str, wrong: str, right: str) -> None:
        """Records a problem at a file and line."""
        source, _, line = where.rpartition(":")
        self.wrong.append(Problem(Where(source, int(line), 1), wrong, right))


def sheets_of(text: str, source: str, asked: Sequence[str]) -> tuple[AnswerSheet, ...]:
    """Reads the sheets of a table, whichever of the known layouts it has. Raises UserError for a
    text that is no table of answers."""
    rows = [*rows_of(text, source)]
    if not rows:
        raise UserError.of(source, "there are no answers", _LIKE)
    headings = [cell.strip().lower() for cell in rows[0].cells]
    if any(map(_RESPONSE.fullmatch, headings)):
        return _sheets_of_export(rows, source, asked)
    if sum(map(is_cell, headings)) > 1 and not {*map(meaning_of, headings)} & {STUDENT, ID}:
        problem = Problem(Where(source, rows[0].line, 1), _NOBODYS, _LIKE_CLASS)
        raise UserError([problem])
    if "[" in headings[0]:  # no headings
        headings, rows = [CELL, ANSWER], [rows[0], *rows]
    _check_headings(rows[0], source)
    meanings = meanings_of(headings)
    if CELL not in meanings:
        if STUDENT in meanings or ID in meanings:
            return _sheets_of_class(rows, meanings, source)
        problem = Problem(Where(source, rows[0].line, 1), "no column says which cell", _LIKE)
        raise UserError([problem])
    columns = _columns(meanings, rows)
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
    """Returns the sheets of a table. Raises UserError where none of them can be marked."""
    sheets = tuple(each)
    if sheets and all(sheet.wrong for sheet in sheets):
        raise UserError([problem for sheet in sheets for problem in sheet.wrong])
    return sheets


def _check_headings(row: TableRow, source: str) -> None:
    """Raises UserError where headings are cut in two, as commas that aren't in quotes cut them."""
    cut = next((name for name in row.cells if name.count("[") > name.count("]")), None)
    if cut is not None:
        wrong = f"the heading {quote(cut)} ends at a comma"
        right = "put headings with commas in quotes, or separate columns by semicolons"
        raise UserError([Problem(Where(source, row.line, 1), wrong, right)])


def _sheets_of_class(
    rows: Sequence[TableRow], meanings: Sequence[str], source: str
) -> tuple[AnswerSheet, ...]:
    """Reads a table with a row for each student: columns for the name, the ID, the form and the
    like, and for each thing that is asked. Rows of nobody without answers are skipped. Raises
    UserError where no row has any answers."""
    headings = rows[0].cells
    each = (_sheet_of_row(row, headings, meanings, source) for row in rows[1:])
    sheets = tuple(sheet for sheet in each if sheet is not None)
    if all(sheet.absent for sheet in sheets):
        raise UserError.of(source, "there are no answers", "type those of a student into a row")
    return sheets


def _sheet_of_row(
    row: TableRow, headings: Sequence[str], meanings: Sequence[str], source: str
) -> AnswerSheet | None:
    """Reads the sheet of a row. Who has no answers, not even a dash, is absent. Returns None where
    nobody is named either."""
    sheet, where, whose = _Sheet(), f"{source}:{row.line}", ""
    each = zip(headings, meanings, row.cells, strict=False)
    for k, (name, meaning, text) in enumerate(each):
        if meaning == STUDENT:
            whose = whose or composed(text)
        elif meaning in _BELONGS:
            sheet.belongs.setdefault(meaning, composed(text))
        else:
            sheet.take(name, read_number(text, where, letters_of(k)))
    if any(map(str.strip, row.cells[len(headings) :])):
        sheet.mind(where, "there are more cells than columns", MORE_CELLS)
    form, mark, number = (sheet.belongs.get(name, "") for name in _BELONGS)
    student, wrong = whose or number, tuple(sheet.wrong)
    if any(not given.is_empty or given.is_dash for given in sheet.answers.values()):
        name = student or f"line {row.line}"
        return AnswerSheet(name, form, mark, sheet.answers, source, number, wrong)
    return AnswerSheet(student, form, mark, {}, "", number, absent=True) if student else None


_LETTERS = 26


def letters_of(column: int) -> str:
    """Returns what spreadsheets call a column, for its number from 0: `A`, `Z`, `AA`."""
    before, k = divmod(column, _LETTERS)
    return (letters_of(before - 1) if before else "") + chr(ord("A") + k)


_NOBODYS = "no column says whose the answers are"
_LIKE_CLASS = "begin each row with the student's name or ID, under the heading student or id"
MORE_CELLS = 'put a cell with a comma in quotes, as "0,5", or separate columns by semicolons'
_LIKE = (
    "begin with the line cell,answer, with cell and a column for each student, or with student and"
    " a column for each cell"
)


def rows_of(text: str, source: str) -> Iterator[TableRow]:
    """Yields the rows that hold something. Cells that were guarded against a spreadsheet's formulas
    lose the guard. Raises UserError for broken CSV and for too many rows."""
    said, separator = _SEPARATOR.match(text), separator_of(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    if said:
        next(reader)
    line, count = 1 + bool(said), 0
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


def separator_of(text: str) -> str:
    """Returns what separates the cells of a table."""
    said, first = _SEPARATOR.match(text), _TOGETHER.sub("", text.partition("\n")[0])
    return said[1] if said else max(",;\t", key=first.count)


def cell_starts(line: str, separator: str) -> list[int]:
    """Returns where each cell of a line of a table begins, in characters from 1."""
    found, quoted = [1], False
    for k, character in enumerate(line, start=2):
        quoted ^= character == '"'
        if character == separator and not quoted:
            found.append(k)
    return found


_SEPARATOR = re.compile(r'"?sep=([,;\t])"?\s*?\n', re.IGNORECASE)
"""A first line by which some spreadsheets say what separates cells."""
_TOGETHER = re.compile(r'"[^"]*"|\[[^\[\]\n]*\]')
"""Parts of a line in which commas separate nothing: in quotes, and in brackets of an address."""


def _check_rows(count: int, where: Where) -> None:
    if count > MOST_ROWS:
        right = f"split it into tables of at most {MOST_ROWS:,} rows"
        raise UserError([Problem(where, "the table has too many rows to be read at once", right)])


class _Columns(NamedTuple):
    """The columns of a table in which each row names its cell."""

    cell: int
    """Where the address of the cell stands."""
    own: int | None
    """Where the student stands, if a column says it."""
    answers: Mapping[int, str]
    """Where answers stand, each with the student of its heading, or empty."""
    belongs: Mapping[int, str]
    """Where the form, the hash and the ID stand."""
    width: int
    """How many columns there are."""
    unread: tuple[str, ...]
    """The headings of columns that aren't read."""


def _columns(meanings: Sequence[str], rows: Sequence[TableRow]) -> _Columns:
    own = meanings.index(STUDENT) if STUDENT in meanings else None
    belongs = {k: name for k, name in enumerate(meanings) if name in _BELONGS}
    cell = meanings.index(CELL)
    known = {cell, *belongs, *(() if own is None else (own,))}
    first = rows[0].cells
    others = {k: composed(first[k]) for k in range(len(meanings)) if k not in known}
    numbers = [k for k in others if meanings[k] == ANSWER]
    if numbers:
        unread = [name for k, name in others.items() if k != numbers[0] and name]
        return _Columns(cell, own, {numbers[0]: ""}, belongs, len(meanings), tuple(unread))
    used = {k for row in rows[1:] for k, text in enumerate(row.cells) if text.strip()}
    answers = {k: name or f"column {k + 1}" for k, name in others.items() if name or k in used}
    return _Columns(cell, own, answers, belongs, len(meanings), ())


def _take_row(row: TableRow, columns: _Columns, source: str, sheets: dict[str, _Sheet]) -> None:
    """Adds the answers of a row to the sheets of their students."""
    each, where = dict(enumerate(row.cells)), f"{source}:{row.line}"
    whose = "" if columns.own is None else composed(each.get(columns.own, ""))
    whose = whose or next(
        (composed(each.get(k, "")) for k, n in columns.belongs.items() if n == ID), ""
    )
    name = each.get(columns.cell, "")
    for column, student in columns.answers.items():
        sheet = sheets.setdefault(whose or student or named_by(source), _Sheet())
        sheet.take(name, read_number(each.get(column, ""), where, letters_of(column)))
        for k, heading in columns.belongs.items():
            sheet.take(heading, Given(each.get(k, "")))
        if any(map(str.strip, row.cells[columns.width :])):
            sheet.mind(where, "there are more cells than columns", MORE_CELLS)


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
    """Reads a Moodle export. It only numbers its answers: `asked` are the ids of the blanks in the
    order of the questions. Raises UserError where they are missing."""
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
    """The responses of a student: the parts of each question, by their numbers."""

    def __init__(self, row: TableRow, columns: Sequence[int], source: str) -> None:
        self.where = Where(source, row.line, 1)
        cells = dict(enumerate(row.cells))
        self.parts = [
            {int(part): text.strip() for part, text in _PART.findall(cells.get(k, "").strip())}
            for k in columns
        ]

    @property
    def counts(self) -> list[int]:
        """Returns how many parts each question has, as far as this student's last response
        shows."""
        return [max(parts, default=0) for parts in self.parts]

    def given(self, counts: Sequence[int], asked: int) -> tuple[list[Given], tuple[Problem, ...]]:
        """Returns the answers in the order of what is asked, and the problems with them. Where some
        student answered everything, `counts` tell which parts this one left blank."""
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
    """Finds the student's name in a row, first name first, or else an ID or an address."""
    names = [told[name] for name in _NAMES if told.get(name)]
    return composed(" ".join(names) or next((told[name] for name in _IDS if told.get(name)), ""))
