"""The marks of a class as the gradebooks of learning platforms import them: rows of texts.

Moodle finds a student by the ID number, Canvas by the SIS User ID, the SIS Login ID, or the name.
Of papers by number, without an ID, or of which a student has two, they find nobody and say so.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from attncli.classroom.exercises.class_tables import told_to_student
from attncli.classroom.exercises.report import blanks_called
from attncli.classroom.marking.classes import GradedClass, wrong_answers
from attncli.classroom.marking.exam_parts import MarkedExam, MarkedOwn
from attncli.document.blocks import text_of_spans
from attncli.document.questions import points_text
from attncli.names import Word, raw, raw_text

CsvRows = Iterator[tuple[Word | str, ...]]
"""Rows of a CSV file, each with the texts of its cells."""


def _with_names(graded: GradedClass) -> Iterator[tuple[MarkedExam, str, str]]:
    """Yields the papers, each with the name and the ID that a platform is to know."""
    counts = Counter(paper.sheet.id or paper.sheet.student for paper in graded.papers)
    for paper in graded.papers:
        name, id_ = paper.sheet.student, paper.sheet.id
        several = f" ({count} papers)" if (count := counts[id_ or name]) > 1 else ""
        yield paper, f"{name}{several}", f"{id_}{several}" if id_ else ""


def grade_rows(graded: GradedClass) -> CsvRows:
    """Yields the rows of a list to hand in, by names: whose each paper is, its points, and its
    grade where there is a scale. Who has no marks has neither, nor has a paper that isn't fully
    marked, of which a last column says what is still to be marked."""
    scale = any(paper.exam.scheme.grades for paper in graded.papers)
    rows = [
        _GradeRow(name, id_, _unless_waiting(paper), paper.grade, _waiting(paper))
        for paper, name, id_ in _with_names(graded)
    ]
    rows += [_GradeRow(u.sheet.student, u.sheet.id) for u in graded.unmarked if u.sheet.student]
    waits = any(row.waits_for for row in rows)
    yield ("name", "ID", "points", *["grade"] * scale, *["still to be marked"] * waits)
    for row in sorted(rows, key=lambda row: (row.name.casefold(), row.id)):
        more = (*[Word(row.grade)] * scale, *[Word(row.waits_for)] * waits)
        yield (Word(row.name), Word(row.id), row.points, *more)


class _GradeRow(NamedTuple):
    """A row of a list to hand in."""

    name: str
    id: str
    points: str = ""
    grade: str = ""
    waits_for: str = ""
    """The questions that are still to be marked."""


def _waiting(paper: MarkedExam) -> str:
    """Lists the questions of a paper that are still to be marked."""
    return ", ".join(id_ for id_, _ in paper.waiting)


def _unless_waiting(paper: MarkedExam) -> str:
    """Writes the points of a paper that is fully marked."""
    return "" if _waiting(paper) else points_text(paper.points)


def moodle_rows(graded: GradedClass) -> CsvRows:
    """Yields the rows of Moodle's grade import: the points of each part and in all, and what went
    wrong. There a row without an ID would go to the student of the row before it, so the name
    stands instead."""
    yield ("ID number", *_titles(graded), f"{graded.title} (Feedback)")
    for paper, name, id_ in _with_names(graded):
        yield (id_ or name, *_points_in(paper), _feedback(paper))


def _titles(graded: GradedClass) -> list[str]:
    """Returns the titles of the points of each part, where there are several, and of those in
    all."""
    parts = graded.papers[0].exam.parts if graded.papers[:1] else ()
    numbered = enumerate(parts, start=1)
    each = [f"{graded.title}: {k}. {part.title}".rstrip(". ") for k, part in numbered]
    return [*(each if len(parts) > 1 else []), graded.title]


def _points_in(paper: MarkedExam) -> Iterator[str]:
    """Yields the points of each part, where there are several, and those in all; nothing for what
    isn't fully marked."""
    if len(paper.parts) > 1:
        for part, points in zip(paper.parts, paper.points_of_parts, strict=True):
            waits = isinstance(part, MarkedOwn) and part.waiting
            yield "" if waits else points_text(points)
    yield _unless_waiting(paper)


def _feedback(paper: MarkedExam) -> str:
    """Writes what went wrong in a paper, and what a teacher changed, in the HTML that Moodle
    shows."""
    found: dict[str, list[str]] = {}
    for wrong in wrong_answers(paper):
        found.setdefault(raw_text(wrong.why).removesuffix("."), []).append(wrong.id)
    each = ((text_of_spans(blanks_called(paper.exam, ids), raw), why) for why, ids in found.items())
    texts = [f"{blanks}: {why}." for blanks, why in each]
    texts += map(raw_text, told_to_student(paper))
    return "<br>".join(html.escape(text, quote=False) for text in texts)


def canvas_rows(graded: GradedClass) -> CsvRows:
    """Yields the rows of Canvas' gradebook import: the points of each part and in all, and how many
    there are. A number in round brackets at the end of a title would name an assignment."""
    titles = (re.sub(r"\((\d+)\)$", r"[\1]", title) for title in _titles(graded))
    yield ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", *titles)
    for paper in graded.papers[:1]:
        parts = [part.points for part in paper.exam.parts] if len(paper.parts) > 1 else []
        yield ("Points Possible", "", "", "", "", *map(points_text, (*parts, paper.of)))
    for paper, name, id_ in _with_names(graded):
        yield (name, "", id_, id_, "", *_points_in(paper))
