"""Marked papers that an earlier grading left in a folder, of students who aren't marked now."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from attncli.classroom.marking.answers import AnswersError, rows_of, text_of
from attncli.errors import UserError
from attncli.names import Word, WordedText
from attncli.output_files import distinct_names

TABLE = "class.csv"
"""The table of a class that each grading writes, by which its papers are known."""
_OF_OURS = ("student", "points", "percent", "remarks")


def left_over(
    folder: Path, made: Collection[str], taken: Iterable[str], suffixes: Collection[str]
) -> list[Path]:
    """Finds the marked papers in a folder that an earlier grading wrote for students whose papers
    aren't among those `made` now, named without their `suffixes`. They are known by the table
    beside them."""
    names = [name for name in _written(folder / TABLE, taken) if name not in made]
    files = (folder / f"{name}{suffix}" for name in names for suffix in suffixes)
    return [file for file in files if file.is_file()]


def _written(table: Path, taken: Iterable[str]) -> list[str]:
    """Returns the names of the papers that belong to a table; none where it isn't that of a
    grading."""
    if not table.is_file():
        return []
    try:
        headings, *rows = [row.cells for row in rows_of(text_of(table, str(table)), str(table))]
    except (AnswersError, UserError, ValueError):
        return []
    if not all(name in headings for name in _OF_OURS):
        return []
    student, points = headings.index("student"), headings.index("points")
    marked = (row for row in rows if len(row) == len(headings) and row[student] and row[points])
    return distinct_names([row[student] for row in marked], taken)


def told_of_removed(files: Collection[Path], *, anonymous: bool) -> WordedText:
    """Says which papers of an earlier grading are removed, without the names of an anonymous
    class."""
    what = "Marked papers that an earlier grading wrote and this one doesn't were removed: "
    names = Word(", ".join(file.name for file in files))
    return (what, str(len(files)) if anonymous else names, ".")
