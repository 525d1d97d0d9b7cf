"""Points that a teacher gives instead of the program: of which student, for what, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple, TypeVar

from attncli.classroom.files.ids import id_meant
from attncli.classroom.marking.answers import TableRow, rows_of, text_of
from attncli.classroom.marking.exam import Exam, MarkedTerm, first_cell_of, line_of
from attncli.classroom.marking.exam_parts import (
    BETWEEN_PARTS,
    MarkedExam,
    MarkedOwn,
    OwnQuestions,
    WholeExam,
)
from attncli.classroom.marking.headings import ID, STUDENT, meaning_of
from attncli.classroom.marking.marked_papers import MarkedPaper, PointedVerdict
from attncli.classroom.marking.word_answers import MarkedWords
from attncli.document.languages import words_of
from attncli.document.questions import Item, counted_points, points_text
from attncli.errors import Problem, UserError, Where, quote
from attncli.judging.verdicts import read_number
from attncli.maths.equations.tree import Location
from attncli.names import Word, WordedText, composed
from attncli.scenario.file.problems import nearest

_COLUMNS = ("student", "cell", "points", "reason")


class Override(NamedTuple):
    """Points that a teacher gives instead of those earned."""

    student: str
    """The name or the ID of the student."""
    cell: str
    """What they are for: one item, or all items of a quantity, of a step or of a part."""
    points: Decimal
    reason: str
    where: Where
    """The file and line that say so."""


def read_overrides(path: str) -> tuple[Override, ...]:
    """Reads the overrides of a table. Raises UserError that names everything wrong."""
    rows = [*rows_of(text_of(Path(path), path), path)]
    names = [_name_of(cell) for cell in rows[0].cells] if rows else []
    missing = [name for name in _COLUMNS if name not in names]
    if missing:
        wrong = f"no column says the {' or the '.join(missing)}"
        raise UserError.of(path, wrong, f"begin with the line {','.join(_COLUMNS)}")
    wrong_rows: list[Problem] = []
    found = [_override(row, names, path, wrong_rows) for row in rows[1:]]
    if wrong_rows:
        raise UserError(wrong_rows)
    return tuple(entry for entry in found if entry is not None)


def _name_of(heading: str) -> str:
    """Returns the column that a heading is of; a student may be named by an ID as well."""
    name = meaning_of(heading) or heading.strip().lower()
    return STUDENT if name == ID else name


def _override(
    row: TableRow, names: Sequence[str], path: str, wrong: list[Problem]
) -> Override | None:
    where = Where(path, row.line, 1)
    each: dict[str, str] = {}
    for name, text in zip(names, row.cells, strict=False):
        each[name] = each.get(name) or text
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
    cell = texts[1] if texts[1].isdecimal() else id_meant(texts[1])  # a number is a part
    return Override(composed(texts[0]), cell, points, texts[3], where)


def overridden(papers: Sequence[MarkedExam], overrides: Iterable[Override]) -> list[MarkedExam]:
    """Returns the papers with the points that are given instead, each with a remark. Raises
    UserError for an unknown student, for what isn't asked, for too many points, and for points
    given twice."""
    marked = [*papers]
    wrong: list[Problem] = []
    done: set[tuple[int, int, str]] = set()
    for entry in overrides:
        names = [(paper.sheet.student, paper.sheet.id) for paper in marked]
        of = [k for k, whose in enumerate(names) if entry.student in whose]
        if len(of) != 1:
            says = "there is no paper of" if not of else f"there are {len(of)} papers of"
            known = [name for whose in names for name in whose if name]
            right = nearest(entry.student, known) if not of else "name the student by the ID"
            wrong.append(Problem(entry.where, f"{says} {quote(entry.student)}", right))
            continue
        k, items = _meant(marked[of[0]].exam, entry.cell)
        most, each = Decimal(sum(i.points for i in items)), {(of[0], k, i.id) for i in items}
        if not items:
            right = nearest(entry.cell, marked[of[0]].exam.ids)
            wrong.append(Problem(entry.where, f"{quote(entry.cell)} isn't asked", right))
        elif entry.points > most:
            right = f"it has {points_text(most)} at most"
            wrong.append(Problem(entry.where, f"{points_text(entry.points)} points", right))
        elif not done.isdisjoint(each):
            wrong.append(Problem(entry.where, f"{quote(entry.cell)} twice", "give its points once"))
        else:
            done |= each
            marked[of[0]] = _with(marked[of[0]], entry, k, items)
    if wrong:
        raise UserError(wrong)
    return marked


def _meant(exam: WholeExam, text: str) -> tuple[int, list[Item]]:
    """Returns the part, from 0, and the items in it that an override is for; no items where it
    means none."""
    for k, (prefix, part) in enumerate(zip(exam.prefixes, exam.parts, strict=True)):
        if prefix and text == prefix.removesuffix(BETWEEN_PARTS):
            return k, [*part.exam.items]
        local = text.removeprefix(prefix)
        alone = [item for item in part.exam.items if composed(item.id) == composed(local)]
        found = alone or [i for i in part.exam.items if local in _belongs_to(part.exam, i)]
        if text.startswith(prefix) and found:
            return k, found
    return 0, []


def _belongs_to(exam: Exam | OwnQuestions, item: Item) -> Iterator[str]:
    """Yields the quantity of a number and the step that makes it."""
    line = line_of(item.id)
    if isinstance(exam, OwnQuestions) or (item.cell is None and line is None):
        return
    cell = item.cell if line is None else first_cell_of(exam.trace, line)
    assert cell is not None
    part = exam.trace.part_of(cell.quantity)
    yield from (cell.quantity, *(() if part is None else (part.step, part.called)))


def _with(paper: MarkedExam, entry: Override, k: int, items: Sequence[Item]) -> MarkedExam:
    """Returns the paper with the override: the points go to the items in order, up to the points of
    each."""
    was = sum((paper.parts[k].points_of[item.id] for item in items), Decimal(0))
    parts, given, left = [*paper.parts], dict[str, Decimal](), entry.points
    for item in items:
        given[item.id] = min(left, Decimal(item.points))
        left -= given[item.id]
    parts[k] = _with_points(parts[k], given)
    told: WordedText = (
        Word(entry.cell),
        f" has {counted_points(entry.points, words_of('en'))} by the teacher instead of"
        f" {points_text(was)}: ",
        Word(entry.reason),
    )  # fmt: skip
    return paper._replace(parts=tuple(parts), remarks=(*paper.remarks, told))


def _without_charges(number: PointedVerdict, given: Collection[Location]) -> PointedVerdict:
    """Returns a number without what it is charged with for mistakes in cells to which a person
    gives points: these say what the mistakes cost."""
    back = sum((points for cell, points in number.charged if cell in given), Decimal(0))
    kept = tuple(pair for pair in number.charged if pair[0] not in given)
    return number._replace(points=number.points + back, charged=kept)


_Answer = TypeVar("_Answer", MarkedTerm, MarkedWords)


def _with_points(
    part: MarkedPaper | MarkedOwn, given: Mapping[str, Decimal]
) -> MarkedPaper | MarkedOwn:
    """Returns a part in which a person gives points to some items, by their ids."""

    def by_hand(answer: _Answer) -> _Answer:
        points = given.get(answer.asked.id)
        return answer if points is None else answer._replace(judgement="by hand", points=points)

    terms = tuple(map(by_hand, part.terms))
    if isinstance(part, MarkedOwn):
        waiting = tuple(term for term in part.waiting if term.asked.id not in given)
        return part._replace(terms=terms, waiting=waiting)
    results = part.exam.results
    numbers = tuple(
        PointedVerdict(v.verdict._replace(judgement="by hand"), given[id_])
        if (id_ := results[v.verdict.cell].id) in given
        else _without_charges(v, {cell for cell, item in results.items() if item.id in given})
        for v in part.numbers
    )
    words = tuple(map(by_hand, part.words))
    # who has looked at it needn't be told to
    return part._replace(numbers=numbers, terms=terms, words=words, doubt=None)
