"""Spreadsheets as in RFC 4180: answers files with one row a blank, and the tables of a class.

Spreadsheets take a cell that begins with `=`, `+`, `-` or `@` for a formula, quoted or not, and so
one behind a semicolon where this separates cells. They make numbers and dates of texts such as
`0012`, `12e45` and `2/1`. Such a text gets an apostrophe before it, and so does one that begins
with an apostrophe. What is hidden in somebody's words is an escape. The reader of tables takes
both off again, so that each text comes back whole.

A gradebook is read by a platform, which takes an apostrophe for a part of an ID: there only what
would be a formula gets one. The platform then knows nobody of that ID, and says so.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from attncli.classroom.formats.yaml import asking, entries, paper_of
from attncli.document.blocks import Document
from attncli.document.questions import Item
from attncli.formats import FormatInfo, PaperAbilities, RenderOptions
from attncli.maths.notation.escaping import guarded
from attncli.names import Word

SUFFIXES = (".csv",)
ABILITIES = FormatInfo(PaperAbilities(keys=("none", "separate"), hints="none"))

HEADINGS = ("form", "hash", "cell", "answer")
OF_STUDENT = ("student", "id")


def render(document: Document, page: RenderOptions) -> str:  # noqa: ARG001
    """Writes the blanks of a sheet, empty; those of an exercise or a key with what is right."""
    paper = paper_of(document, "csv")
    whose = () if paper.owner is None else paper.owner
    before = (*whose, Word(paper.form), Word(paper.hash))
    asked = (entry for section in asking(document) for entry in entries(section, paper))
    rows = ((*before, Word(entry.id), _answer(entry)) for entry in asked)
    return csv_text([(*(OF_STUDENT if whose else ()), *HEADINGS), *rows])


def _answer(entry: Item) -> Word | str:
    return Word(entry.answer) if entry.words else entry.answer


def csv_text(rows: Iterable[Sequence[Word | str]]) -> str:
    """Writes rows as CSV. No spreadsheet obeys a cell, and words stay as they are in it; numbers of
    ours, and all of a gradebook that is to be imported, are texts."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(map(guarded, row) for row in rows)
    return text.getvalue()
