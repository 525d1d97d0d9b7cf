"""Points that a teacher gives instead of the program: of which student, for what, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from attncli.document.questions import points_text
from attncli.errors import Problem, UserError, Where, quote
from attncli.file.problems import nearest
from attncli.marking.answers import TableRow, rows_of, text_of
from attncli.marking.exam_parts import MarkedExam, MarkedOwn
from attncli.marking.marked_papers import MarkedPaper
from attncli.marking.verdicts import read_number
from attncli.names import Phrase, Word
from attncli.notation.escaping import unguarded

_COLUMNS = ("student", "cell", "points", "reason")


class Override(NamedTuple):
    """The points of something that is asked, of a student by name or ID, and the reason; `where` it
    is said."""

    student: str
    cell: str
    points: Decimal
    reason: str
    where: Where


def read_overrides(path: str) -> tuple[Override, ...]:
    """The overrides of a table. Raises UserError, naming all that is wrong."""
    rows = [*rows_of(text_of(Path(path), path), path)]
    names = [cell.strip().lower() for cell in rows[0].cells] if rows else []
    missing = [name for name in _COLUMNS if name not in names]
    if missing:
        wrong = f"no column says the {' or the '.join(missing)}"
        raise UserError.of(path, wrong, f"begin with the line {','.join(_COLUMNS)}")
    wrong_rows: list[Problem] = []
    found = [_override(row, names, path, wrong_rows) for row in rows[1:]]
    if wrong_rows:
        raise UserError(wrong_rows)
    return tuple(entry for entry in found if entry is not None)


def _override(
    row: TableRow, names: Sequence[str], path: str, wrong: list[Problem]
) -> Override | None:
    where = Where(path, row.line, 1)
    each = dict(zip(names, (unguarded(cell.strip()) for cell in row.cells), strict=False))
    texts = [each.get(name, "") for name in _COLUMNS]
    points = read_number(texts[2]).number
    if points is None or not points.is_finite() or points < 0:
        right = "give a number from 0 on"
        wrong.append(Problem(where, f"{quote(texts[2])} are no points", right))
        return None
    empty = [name for name, text in zip(_COLUMNS, texts, strict=True) if not text]
    if empty:
        wrong.append(Problem(where, f"there is no {' and no '.join(empty)}", "say it, too"))
        return None
    return Override(texts[0], texts[1], points, texts[3], where)


def overridden(papers: Sequence[MarkedExam], overrides: Iterable[Override]) -> list[MarkedExam]:
    """The papers with the points that are given instead; each says so. Raises UserError for
    overrides of nobody, of what isn't asked, and by more points than there are, or twice."""
    marked = [*papers]
    wrong: list[Problem] = []
    done: set[tuple[int, str]] = set()
    for entry in overrides:
        of = [k for k, paper in enumerate(marked) if _is_by(paper, entry.student)]
        if len(of) != 1:
            says = "there is no paper of" if not of else f"there are {len(of)} papers of"
            known = [name for p in papers for name in (p.sheet.student, p.sheet.id) if name]
            right = nearest(entry.student, known) if not of else "name the student by the ID"
            wrong.append(Problem(entry.where, f"{says} {quote(entry.student)}", right))
        elif entry.cell not in marked[of[0]].exam.ids:
            right = nearest(entry.cell, marked[of[0]].exam.ids)
            wrong.append(Problem(entry.where, f"{quote(entry.cell)} isn't asked", right))
        elif entry.points > (most := _most(marked[of[0]], entry.cell)):
            right = f"it has {points_text(most)} at most"
            wrong.append(Problem(entry.where, f"{points_text(entry.points)} points", right))
        elif (of[0], entry.cell) in done:
            wrong.append(Problem(entry.where, f"{quote(entry.cell)} twice", "give its points once"))
        else:
            done.add((of[0], entry.cell))
            marked[of[0]] = _with(marked[of[0]], entry)
    if wrong:
        raise UserError(wrong)
    return marked


def _is_by(paper: MarkedExam, student: str) -> bool:
    return student in (paper.sheet.id, paper.sheet.student)


def _most(paper: MarkedExam, cell: str) -> Decimal:
    k, id_ = paper.exam.place_of(cell)
    return Decimal(next(i.points for i in paper.exam.parts[k].exam.items if i.id == id_))


def _with(paper: MarkedExam, entry: Override) -> MarkedExam:
    k, id_ = paper.exam.place_of(entry.cell)
    was = paper.parts[k].points_of[id_]
    parts = [*paper.parts]
    parts[k] = _with_points(parts[k], id_, entry.points)
    told: Phrase = (
        Word(entry.cell),
        f" has {points_text(entry.points)} points by the teacher instead of {points_text(was)}: ",
        Word(entry.reason),
    )  # fmt: skip
    return paper._replace(parts=tuple(parts), remarks=(*paper.remarks, told))


def _with_points(
    part: MarkedPaper | MarkedOwn, id_: str, points: Decimal
) -> MarkedPaper | MarkedOwn:
    terms = tuple(m._replace(points=points) if m.asked.id == id_ else m for m in part.terms)
    if isinstance(part, MarkedOwn):
        return part._replace(terms=terms)
    items: Mapping[object, str] = {cell: item.id for cell, item in part.exam.results.items()}
    numbers = tuple(
        v._replace(points=points) if items[v.verdict.cell] == id_ else v for v in part.numbers
    )
    words = tuple(m._replace(points=points) if m.asked.id == id_ else m for m in part.words)
    return part._replace(numbers=numbers, terms=terms, words=words)
