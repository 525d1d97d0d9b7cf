"""The responses to a quiz as Moodle exports them (Results, Responses, download as CSV): a row a
student, a column a question, `part 1: 0.42; part 2: 0.5` in each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
    columns = [k for k, name in enumerate(headings) if _RESPONSE.fullmatch(name)]
    wrong: list[Problem] = []
    sheets = []
    for line, cells in rows[1:]:
        if _student(headings, cells).lower().startswith(_AVERAGE):
            continue
        told = [given for k in columns for given in _given(cells[k], f"{source}:{line}")]
        if len(told) == len(asked):
            answers = dict(zip(asked, told, strict=True))
            student = _student(headings, cells) or f"line {line}"
            sheets.append(AnswerSheet(student, "", _mark(headings, cells), answers, source))
        elif told:
            said = f"{len(told)} answers are given, where {len(asked)} are asked"
            wrong.append(Problem(Where(source, line, 1), said, "give the sheet of this quiz"))
    if wrong and not sheets:
        raise Refusal(wrong)
    return tuple(sheets)


def _given(response: str, where: str) -> Iterator[Given]:
    """The answers in a response; nothing where there is none."""
    for _, text in _PART.findall(response.strip()):
        yield read_number("" if text.strip() == "-" else text, where)


def _student(headings: Sequence[str], cells: Sequence[str]) -> str:
    """The name, first name first; else an ID or an address."""
    told = {name: cells[k].strip() for k, name in enumerate(headings) if k < len(cells)}
    names = [told[name] for name in _NAMES if told.get(name)]
    return " ".join(names) or next((told[name] for name in _IDS if told.get(name)), "")


def _mark(headings: Sequence[str], cells: Sequence[str]) -> str:
    """The hash in the text of a question, where that is exported too."""
    questions = (cells[k] for k, name in enumerate(headings) if _QUESTION.fullmatch(name))
    found = (match for text in questions if (match := _MARK.search(text)) is not None)
    return next((match[0] for match in found), "")
