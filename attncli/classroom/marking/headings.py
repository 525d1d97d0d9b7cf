"""What the columns of tables are called: one name for one thing, in whichever file it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

STUDENT, ID, FORM, HASH, CELL, ANSWER = "student", "id", "form", "hash", "cell", "answer"

_CALLED = MappingProxyType(
    {
        **dict.fromkeys((STUDENT, "name", "studentname", "fullname"), STUDENT),
        **dict.fromkeys((ID, "studentid", "idnumber", "studentnumber"), ID),
        FORM: FORM,
        **dict.fromkeys((HASH, "papercode"), HASH),
        **dict.fromkeys((CELL, "cells", "blank", "question"), CELL),
        **dict.fromkeys((ANSWER, "answers", "response", "value"), ANSWER),
    }
)
_BESIDE_LETTERS = re.compile(r"[\s_.-]+")


def meaning_of(heading: str) -> str:
    """Returns what a column holds, however its heading is written: `id` for `ID`, `student_id` and
    `Student ID`; empty for what is none of these."""
    return _CALLED.get(_BESIDE_LETTERS.sub("", heading.casefold()), "")


def meanings_of(headings: Sequence[str]) -> list[str]:
    """Returns what each column of a table holds. In a table of answers that says nowhere else which
    cell is meant, `id` is the cell's: so it was written before."""
    found = [*map(meaning_of, headings)]
    if CELL in found or ID not in found or _is_row_a_student(headings, found):
        return found
    found[found.index(ID)] = CELL
    return found


def _is_row_a_student(headings: Sequence[str], found: Sequence[str]) -> bool:
    """Tells whether the table has a row for each student and a column for each cell."""
    if ANSWER in found:
        return False
    return STUDENT in found or any(map(is_cell, headings))


def is_cell(heading: str) -> bool:
    """Tells whether a heading is the address of a cell, or the id of a question."""
    return _IS_CELL.search(heading) is not None


_IS_CELL = re.compile(r"\[|^\d+/")
"""What tells the address of a cell, or the id of a question of an exam's part."""
