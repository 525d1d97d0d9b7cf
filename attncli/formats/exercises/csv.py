"""Spreadsheets: an answers file with one row a blank, and the table of a class. Lines are ended as
RFC 4180 has it.

Spreadsheets take a cell that begins with `=`, `+`, `-` or `@` for a formula, and one such as
`12e45` for a number, quoted or not. Such a text gets an apostrophe before it, and so does one that
begins with an apostrophe. What is hidden in somebody's words is an escape. The reader of answers
takes both off again, so that each text comes back whole. Quantities have names that begin with a
letter, so no id of theirs is ever changed.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from attncli.document.blocks import Document
from attncli.document.questions import Item
from attncli.formats import FormatInfo, RenderOptions
from attncli.formats.exercises.yaml import asking, entries, paper_of
from attncli.names import raw
from attncli.notation.escaping import guarded

SUFFIXES = (".csv",)
ABILITIES = FormatInfo(keys=("none", "separate"), hints="none")

HEADINGS = ("form", "hash", "id", "answer")
OF_STUDENT = ("student", "student_id")


def render(document: Document, page: RenderOptions) -> str:  # noqa: ARG001
    """The blanks of a sheet, empty; those of an exercise or a key with what is right."""
    paper = paper_of(document, "csv")
    form, made_from = guarded(paper.form), guarded(paper.hash)
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    whose = () if paper.owner is None else paper.owner
    rows.writerow((*(OF_STUDENT if whose else ()), *HEADINGS))
    before = (*(guarded(raw(word)) for word in whose), form, made_from)
    for section in asking(document):
        for entry in entries(section, paper):
            rows.writerow((*before, guarded(entry.id), _answer(entry)))
    return text.getvalue()


def _answer(entry: Item) -> str:
    return guarded(entry.answer) if entry.words else entry.answer


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Rows as CSV, lines ended as RFC 4180 has it. In the first and the last column are
    somebody's words, which no spreadsheet is to obey."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(
        (guarded(name), *others, guarded(last)) for name, *others, last in rows
    )
    return text.getvalue()


def table_text(rows: Iterable[Sequence[str]], *, numbers: bool = True) -> str:
    """Rows as CSV in which any cell may be somebody's words; for programs that import them,
    `numbers`, such as IDs and points, stay as they are."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(
        tuple(guarded(cell, numbers=numbers) for cell in row) for row in rows
    )
    return text.getvalue()
