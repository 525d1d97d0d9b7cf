"""The marks of a class as the gradebooks of learning platforms import them: rows of texts.

Moodle finds a student by the ID number. A row without one goes to the student of the row before it,
and a row of nobody ends the whole import. So only papers with an ID of their own stand in its file.
Canvas looks for the SIS User ID, then the SIS Login ID, then the name; its first column with a
number in brackets at its end would mean the assignment of that number.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from attncli.exercises.class_tables import points_text, remarks_on
from attncli.exercises.report import raw_text
from attncli.marking.classes import GradedClass, wrong_answers
from attncli.marking.exam_parts import MarkedExam
from attncli.marking.marked_papers import in_a_row
from attncli.names import Phrase

Rows = Iterator[tuple[str, ...]]


class Entry(NamedTuple):
    """A paper, and by what a platform is to find its student; of anonymous ones nobody is found
    before a teacher has put the names in, whatever IDs others have."""

    paper: MarkedExam
    student: str
    id: str


def entries_of(graded: GradedClass, *, anonymous: bool) -> list[Entry]:
    """The papers of students that have one paper."""
    counts = Counter(paper.sheet.id or paper.sheet.student for paper in graded.papers)
    sheets = ((paper, paper.sheet.student, paper.sheet.id) for paper in graded.papers)
    alone = (Entry(*entry) for entry in sheets if counts[entry[2] or entry[1]] == 1)
    return [e._replace(student=f"number {e.student}") if anonymous else e for e in alone]


def moodle_rows(graded: GradedClass, *, anonymous: bool = False) -> Rows:
    """For Moodle's grade import: the points of each part and in all, and what went wrong."""
    parts = graded.papers[0].exam.parts if graded.papers else ()
    each = [f"{graded.title}: {k}. {part.title}" for k, part in enumerate(parts, start=1)]
    named = tuple(each if len(parts) > 1 else ())
    yield ("ID number", *named, graded.title, f"{graded.title} (Feedback)")
    for paper, student, id_ in entries_of(graded, anonymous=anonymous):
        if id_ or anonymous:
            points = map(points_text, paper.points_of_parts if named else ())
            yield (id_ or student, *points, points_text(paper.points), feedback(paper))


def feedback(paper: MarkedExam) -> str:
    """What went wrong in a paper, and what a teacher changed, as Moodle shows it: in HTML."""
    found: dict[str, list[str]] = {}
    for wrong in wrong_answers(paper):
        found.setdefault(wrong.why.removesuffix("."), []).append(wrong.id)
    texts = [f"{', '.join(ids)}: {why}." for why, ids in found.items()]
    texts += (raw_text(remark) for remark in remarks_on(paper))
    return "<br>".join(html.escape(text, quote=False) for text in texts)


def canvas_rows(graded: GradedClass, *, anonymous: bool = False) -> Rows:
    """For Canvas' gradebook import: the points in all, and how many there are."""
    title = re.sub(r"\((\d+)\)$", r"[\1]", graded.title)
    of = points_text(graded.papers[0].of) if graded.papers else ""
    yield ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", title)
    yield ("Points Possible", "", "", "", "", of)
    for paper, student, id_ in entries_of(graded, anonymous=anonymous):
        yield (student, "", id_, id_, "", points_text(paper.points))


def left_out(graded: GradedClass) -> Iterator[Phrase]:
    """Whose marks aren't in the file for Moodle."""
    there = {entry.student for entry in entries_of(graded, anonymous=False) if entry.id}
    names = dict.fromkeys(paper.sheet.student for paper in graded.papers)
    missing = [name for name in names if name not in there]
    if missing:
        yield "Not in moodle.csv, without an ID or with several papers: ", *in_a_row(missing)
