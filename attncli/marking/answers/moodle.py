"""The responses to a quiz as Moodle exports them (Results, Responses, download as CSV): a row a
student, a column a question, `part 1: 0.42; part 2: 0.5` in each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attncli.marking.answers.sheets import AnswerSheet
from attncli.marking.numerals import read_number
from attncli.marking.verdicts import Given
from attncli.refusals import Problem, Refusal, Where

if TYPE_CHECKING:
    from attncli.marking.answers.tables import TableRow

_RESPONSE = re.compile(r"(?:response|antwort|réponse|respuesta|risposta|resposta|antwoord) (\d+)")
_QUESTION = re.compile(r"(?:question|frage|pregunta|domanda|questão|vraag) (\d+)")
_PART = re.compile(r"(?:^|; ?)[^\W\d]+ (\d+): ?(.*?)(?=; ?[^\W\d]+ \d+:|$)", re.DOTALL)
_MARK = re.compile(r"\b[g-v][0-9a-f]{7}\b")
_NAMES = ("first name", "vorname", "last name", "surname", "nachname", "full name", "name")
_IDS = ("id number", "id-nummer", "email address", "e-mail-adresse", "e-mail address")
_AVERAGE = ("overall average", "gesamtdurchschnitt")


def is_export(headings: Sequence[str]) -> bool:
    """Whether a table is one of responses, by its headings in small letters."""
    return any(map(_RESPONSE.fullmatch, headings))


def sheets_of(
    rows: Sequence[TableRow], source: str, asked: Sequence[str]
) -> tuple[AnswerSheet, ...]:
    """The answers of each student; `asked` are the ids of the blanks in the order of the questions,
    which the export only counts. Raises Refusal."""
    if not asked:
        right = "add --asked FILE, the answers file that `attn exercise … --format yaml` writes"
        raise Refusal.of(source, "a Moodle export doesn't say which cells are asked", right)
    headings = [cell.strip().lower() for cell in rows[0].cells]
    rows = [row for row in rows[1:] if not _is_average(_student(headings, row.cells))]
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


def _is_average(student: str) -> bool:
    return student.lower().startswith(_AVERAGE)


def _mark(headings: Sequence[str], cells: Sequence[str]) -> str:
    """The hash in the text of a question, where that is exported too."""
    questions = (cells[k] for k, name in enumerate(headings) if _QUESTION.fullmatch(name))
    found = (match for text in questions if (match := _MARK.search(text)) is not None)
    return next((match[0] for match in found), "")
