"""The marks of a class as the gradebooks of learning platforms import them: rows of texts.

Moodle finds a student by the ID number, Canvas by the SIS User ID, the SIS Login ID, or the name.
Of papers by number, without an ID, or of which a student has two, they find nobody and say so.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal

from attncli.classroom.exercises.class_tables import grade_in_words, remarks_on
from attncli.classroom.exercises.report import blanks_called
from attncli.classroom.marking.classes import GradedClass, wrong_answers
from attncli.classroom.marking.exam_parts import MarkedExam
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
    grade where there is a scale. Who has no marks has neither."""
    graded_papers = _with_names(graded)
    scale = any(paper.exam.scheme.grades for paper in graded.papers)
    rows: list[tuple[str, str, str, Word | str]] = [
        (name, id_, points_text(paper.points), grade_in_words(paper))
        for paper, name, id_ in graded_papers
    ]
    rows += [(u.sheet.student, u.sheet.id, "", "") for u in graded.unmarked if u.sheet.student]
    width = 4 if scale else 3
    yield ("name", "ID", "points", "grade")[:width]
    for name, id_, points, grade in sorted(rows, key=lambda row: (row[0].casefold(), row[1])):
        yield (Word(name), Word(id_), points, grade)[:width]


def moodle_rows(graded: GradedClass) -> CsvRows:
    """Yields the rows of Moodle's grade import: the points of each part and in all, and what went
    wrong. There a row without an ID would go to the student of the row before it, so the name
    stands instead."""
    yield ("ID number", *_titles(graded), f"{graded.title} (Feedback)")
    for paper, name, id_ in _with_names(graded):
        yield (id_ or name, *_with_the_whole(paper.points_of_parts, paper.points), _feedback(paper))


def _titles(graded: GradedClass) -> list[str]:
    """Returns the titles of the points of each part, where there are several, and of those in
    all."""
    parts = graded.papers[0].exam.parts if graded.papers[:1] else ()
    numbered = enumerate(parts, start=1)
    each = [f"{graded.title}: {k}. {part.title}".rstrip(". ") for k, part in numbered]
    return [*(each if len(parts) > 1 else []), graded.title]


def _with_the_whole(parts: Sequence[Decimal], whole: Decimal) -> Iterator[str]:
    yield from map(points_text, (*(parts if len(parts) > 1 else ()), whole))


def _feedback(paper: MarkedExam) -> str:
    """Writes what went wrong in a paper, and what a teacher changed, in the HTML that Moodle
    shows."""
    found: dict[str, list[str]] = {}
    for wrong in wrong_answers(paper):
        found.setdefault(raw_text(wrong.why).removesuffix("."), []).append(wrong.id)
    each = ((text_of_spans(blanks_called(paper.exam, ids), raw), why) for why, ids in found.items())
    texts = [f"{blanks}: {why}." for blanks, why in each]
    texts += map(raw_text, remarks_on(paper))
    return "<br>".join(html.escape(text, quote=False) for text in texts)


def canvas_rows(graded: GradedClass) -> CsvRows:
    """Yields the rows of Canvas' gradebook import: the points of each part and in all, and how many
    there are. A number in round brackets at the end of a title would name an assignment."""
    titles = (re.sub(r"\((\d+)\)$", r"[\1]", title) for title in _titles(graded))
    yield ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", *titles)
    for paper in graded.papers[:1]:
        of = _with_the_whole([part.points for part in paper.exam.parts], paper.of)
        yield ("Points Possible", "", "", "", "", *of)
    for paper, name, id_ in _with_names(graded):
        yield (name, "", id_, id_, "", *_with_the_whole(paper.points_of_parts, paper.points))
