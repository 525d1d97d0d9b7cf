"""Points that a teacher gives instead of the program: of which student, for what, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple, TypeVar

from attncli.classroom.files.ids import id_meant
from attncli.classroom.marking.answers import (
    MORE_CELLS,
    AnswerSheet,
    TableRow,
    cell_starts,
    rows_of,
    separator_of,
    text_of,
)
from attncli.classroom.marking.exam import Exam, MarkedTerm, first_cell_of, line_of
from attncli.classroom.marking.exam_parts import (
    BETWEEN_PARTS,
    MarkedExam,
    MarkedOwn,
    OwnQuestions,
    PointsSet,
    WholeExam,
)
from attncli.classroom.marking.headings import ID, STUDENT, meaning_of
from attncli.classroom.marking.marked_papers import MarkedPaper, PointedVerdict
from attncli.classroom.marking.word_answers import MarkedWords
from attncli.document.questions import Item, points_text
from attncli.errors import Complaints, Problem, UserError, Where, listed, quote
from attncli.judging.verdicts import Verdict, read_number
from attncli.maths.equations.tree import Location
from attncli.names import Name, Word, WordedText, composed
from attncli.scenario.file.problems import almost, nearest

_COLUMNS = ("student", "cell", "points", "reason")


class Override(NamedTuple):
    """Points that a teacher gives instead of those earned."""

    student: str
    """The name or the ID of the student."""
    cell: str
    """What they are for: one item, or all items of a quantity, of a step or of a part."""
    points: Decimal
    reason: str
    places: Mapping[str, Where]
    """Where each of its columns stands in the file."""

    def wrong(self, column: str, says: str, right: str) -> UserError:
        """Makes the error of what one of its columns says."""
        return UserError([Problem(self.places[column], says, right)])


def read_overrides(path: str) -> tuple[Override, ...]:
    """Reads the overrides of a table. Raises UserError that names everything wrong."""
    text = text_of(Path(path), path)
    rows = [*rows_of(text, path)]
    names = [_name_of(cell) for cell in rows[0].cells] if rows else []
    missing = [name for name in _COLUMNS if name not in names]
    if missing:
        wrong = f"no column says the {' or the '.join(missing)}"
        raise UserError.of(path, wrong, f"begin with the line {','.join(_COLUMNS)}")
    wrong_rows: list[Problem] = []
    lines, separator = text.split("\n"), separator_of(text)
    found = []
    for row in rows[1:]:
        starts = cell_starts(lines[row.line - 1], separator)
        if any(row.cells[len(names) :]):
            where = Where(path, row.line, starts[min(len(names), len(starts) - 1)])
            wrong_rows.append(Problem(where, "there are more cells than columns", MORE_CELLS))
            continue
        places = {name: Where(path, row.line, at) for name, at in _places(row, names, starts)}
        found.append(_override(row, names, places, wrong_rows))
    if wrong_rows:
        raise UserError(wrong_rows)
    return tuple(entry for entry in found if entry is not None)


def _name_of(heading: str) -> str:
    """Returns the column that a heading is of; a student may be named by an ID as well."""
    name = meaning_of(heading) or heading.strip().lower()
    return STUDENT if name == ID else name


def _places(
    row: TableRow, names: Sequence[str], starts: Sequence[int]
) -> Iterator[tuple[str, int]]:
    """Yields where each column stands in a row, or the end of one that is too short. Of two columns
    for the student it is the first that says something."""
    for name in _COLUMNS:
        columns = [k for k, other in enumerate(names) if other == name]
        filled = (k for k in columns if k < len(row.cells) and row.cells[k])
        yield name, starts[min(next(filled, columns[0]), len(starts) - 1)]


def _override(
    row: TableRow, names: Sequence[str], places: Mapping[str, Where], wrong: list[Problem]
) -> Override | None:
    each: dict[str, str] = {}
    for name, text in zip(names, row.cells, strict=False):
        each[name] = each.get(name) or text
    texts = [each.get(name, "") for name in _COLUMNS]
    given = read_number(texts[2])
    points = Decimal(0) if given.is_dash else given.number
    if points is None or not points.is_finite() or points < 0:
        right = "give a number from 0 on"
        wrong.append(Problem(places["points"], f"{quote(texts[2])} are no points", right))
        return None
    empty = [name for name, text in zip(_COLUMNS, texts, strict=True) if not text]
    if empty:
        wrong.append(
            Problem(places[empty[0]], f"there is no {' and no '.join(empty)}", "say it, too")
        )
        return None
    cell = texts[1] if texts[1].isdecimal() else id_meant(texts[1])  # a number is a part
    return Override(composed(texts[0]), composed(cell), points, texts[3], places)


def overridden(papers: Sequence[MarkedExam], overrides: Iterable[Override]) -> list[MarkedExam]:
    """Returns the papers with the points that are given instead, and what the teacher set. Raises
    UserError for an unknown student, for what isn't asked, for too many points, and for points
    given twice."""
    marked, complaints, done = [*papers], Complaints(), set[tuple[int, int, str]]()
    for entry in overrides:
        with complaints.heard():
            k = _whose(entry, [paper.sheet for paper in marked])
            meant = _meant(marked[k].exam, entry)
            items = {(k, meant.part, item.id) for item in meant.items}
            most = Decimal(sum(item.points for item in meant.items))
            if entry.points > most:
                right = f"it has {points_text(most)} at most"
                raise entry.wrong("points", f"{points_text(entry.points)} points", right)
            if not done.isdisjoint(items):
                raise entry.wrong("cell", f"{quote(entry.cell)} twice", "give its points once")
            done |= items
            marked[k] = _with(marked[k], entry, meant)
    complaints.stop_if_any()
    return marked


def _whose(entry: Override, sheets: Sequence[AnswerSheet]) -> int:
    """Returns the number of the paper of which an override is, from 0. Raises UserError."""
    of = [k for k, sheet in enumerate(sheets) if entry.student in (sheet.student, sheet.id)]
    if len(of) > 1:
        says = f"there are {len(of)} papers of {quote(entry.student)}"
        raise entry.wrong(STUDENT, says, "name the student by the ID")
    if not of:
        known = [name for sheet in sheets for name in (sheet.student, sheet.id) if name]
        says = f"there is no paper of {quote(entry.student)}"
        raise entry.wrong(STUDENT, says, nearest(entry.student, known))
    return of[0]


class _Meant(NamedTuple):
    """What an override is for."""

    part: int
    """The part, from 0."""
    name: str
    """The full name: `1/heads[1].scaled`."""
    items: tuple[Item, ...]


def _meant(exam: WholeExam, entry: Override) -> _Meant:
    """Returns what an override names: by the full name of a blank, a quantity, a step or a part, or
    without its part, head or layer where that is unique. Raises UserError."""
    found: dict[str, _Meant] = {}
    short: dict[str, dict[str, None]] = {}
    for k, name, shorter, item in _names_of_items(exam):
        before = found.get(name, _Meant(k, name, ()))
        found[name] = before._replace(items=(*before.items, item))
        for other in shorter:
            short.setdefault(other, {})[name] = None
    text = entry.cell
    if text in found:
        return found[text]
    each = {
        (meant.part, meant.items): meant for name in short.get(text, ()) for meant in [found[name]]
    }
    if len(each) == 1:
        return next(iter(each.values()))
    if each:
        full = listed([meant.name for meant in each.values()])
        raise entry.wrong("cell", f"{quote(text)} is in several places", f"say one of {full}")
    near = almost(text, [*found, *short])
    right = f"{f'did you mean {near}? Or ' if near else ''}name {_ways_to_name(exam)}"
    raise entry.wrong("cell", f"{quote(text)} isn't asked", right)


def _names_of_items(exam: WholeExam) -> Iterator[tuple[int, str, Sequence[str], Item]]:
    """Yields for each item and all that it is a part of: the part, from 0, the full name, and the
    names that are shorter."""
    for k, (prefix, part) in enumerate(zip(exam.prefixes, exam.parts, strict=True)):
        for item in part.exam.items:
            if prefix:
                yield k, prefix.removesuffix(BETWEEN_PARTS), (), item
            quantity = _quantity_of(part.exam, item)
            names = dict.fromkeys((item.id, *_belongs_to(part.exam, quantity)))
            for name in names:
                within = [name]
                if quantity is not None and name.startswith(quantity):
                    places, rest = quantity.path.places, name.removeprefix(quantity)
                    within += (f"{quantity.seen_from(place)}{rest}" for place in places)
                shorter = [*within, *(f"{prefix}{own}" for own in within)]
                yield k, composed(f"{prefix}{name}"), [*map(composed, shorter)], item


def _quantity_of(exam: Exam | OwnQuestions, item: Item) -> Name | None:
    """Returns the quantity of a number, or of the line that it stands in; None for other items."""
    line = line_of(item.id)
    if isinstance(exam, OwnQuestions) or (item.cell is None and line is None):
        return None
    cell = item.cell if line is None else first_cell_of(exam.trace, line)
    assert cell is not None
    return exam.trace[cell.quantity].name


def _belongs_to(exam: Exam | OwnQuestions, quantity: Name | None) -> Iterator[str]:
    """Yields a quantity and the step that makes it."""
    if quantity is not None and isinstance(exam, Exam):
        part = exam.trace.part_of(quantity)
        yield from (quantity, *(() if part is None else (part.step, part.called)))


def _ways_to_name(exam: WholeExam) -> str:
    """Says what can be named, with examples of an exam: `a blank (1/exp[I, AI]), a quantity
    (1/exp), a step (1/softmax) or a part (1)`."""
    ways = [f"a blank ({exam.ids[0]})"]
    for prefix, part in zip(exam.prefixes, exam.parts, strict=True):
        quantity = _quantity_of(part.exam, part.exam.items[0])
        if quantity is not None:
            quantity_, step = [*_belongs_to(part.exam, quantity)][:2]
            ways += [f"a quantity ({prefix}{quantity_})", f"a step ({prefix}{step})"]
            break
    ways += ["a part (1)"] * (len(exam.parts) > 1)
    return " or ".join(filter(None, (", ".join(ways[:-1]), ways[-1])))


def _with(paper: MarkedExam, entry: Override, meant: _Meant) -> MarkedExam:
    """Returns the paper with the override: the points go to the items in order, up to the points of
    each."""
    k, name, items = meant
    part = paper.parts[k]
    waits = isinstance(part, MarkedOwn) and {term.asked.id for term in part.waiting}
    was = sum((part.points_of[item.id] for item in items), Decimal(0))
    parts, given, left = [*paper.parts], dict[str, Decimal](), entry.points
    for item in items:
        given[item.id] = min(left, Decimal(item.points))
        left -= given[item.id]
    parts[k] = _with_points(part, given)
    before = None if waits and waits.issuperset(given) else was
    told = PointsSet(_called(paper.exam, k, name), entry.points, before, entry.reason)
    return paper._replace(parts=tuple(parts), settled=(*paper.settled, told))


def _called(exam: WholeExam, k: int, name: str) -> WordedText:
    """Returns what points are set for, as papers call it: `Part 2`, `Part 1, softmax`, `Part 5,
    question 2`."""
    prefix, part = exam.prefixes[k], exam.parts[k].exam
    local = name.removeprefix(prefix)
    if isinstance(part, OwnQuestions) and local in part.ids:
        local = f"question {local.removeprefix('q')}"
    if not prefix:
        return (Word(local[:1].upper() + local[1:] if isinstance(part, OwnQuestions) else local),)
    whole = name == prefix.removesuffix(BETWEEN_PARTS)
    return (f"Part {k + 1}",) if whole else (f"Part {k + 1}, ", Word(local))


def _without_charges(number: PointedVerdict, given: Collection[Location]) -> PointedVerdict:
    """Returns a number without what it is charged with for mistakes in cells to which a person
    gives points: these say what the mistakes cost."""
    back = sum((points for cell, points in number.charged if cell in given), Decimal(0))
    kept = tuple(pair for pair in number.charged if pair[0] not in given)
    return number._replace(points=number.points + back, charged=kept)


_Answer = TypeVar("_Answer", MarkedTerm, MarkedWords)


def _settled(verdict: Verdict) -> Verdict:
    """Returns the verdict on a number whose points a person gives, who has reasons of their own."""
    return verdict._replace(judgement="by hand", cause=None, others=(), follows_from=())


def _with_points(
    part: MarkedPaper | MarkedOwn, given: Mapping[str, Decimal]
) -> MarkedPaper | MarkedOwn:
    """Returns a part in which a person gives points to some items, by their ids."""

    def by_hand(answer: _Answer) -> _Answer:
        points = given.get(answer.asked.id)
        if points is None:
            return answer
        by_hand = answer._replace(judgement="by hand", points=points)
        if isinstance(by_hand, MarkedWords):
            return by_hand._replace(causes=())
        if by_hand.asked.by_hand:  # what is given for it are points
            return by_hand._replace(given=read_number(points_text(points)))
        return by_hand

    terms = tuple(map(by_hand, part.terms))
    if isinstance(part, MarkedOwn):
        waiting = tuple(term for term in part.waiting if term.asked.id not in given)
        return part._replace(terms=terms, waiting=waiting)
    results = part.exam.results
    numbers = tuple(
        PointedVerdict(_settled(v.verdict), given[id_])
        if (id_ := results[v.verdict.cell].id) in given
        else _without_charges(v, {cell for cell, item in results.items() if item.id in given})
        for v in part.numbers
    )
    words = tuple(map(by_hand, part.words))
    # who has looked at it needn't be told to
    return part._replace(numbers=numbers, terms=terms, words=words, doubt=None)
