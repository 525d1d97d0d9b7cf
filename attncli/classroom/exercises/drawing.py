"""Questions drawn from pools: each form has other ones, for as many points, of as many kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from random import Random
from typing import NamedTuple

from attncli.classroom.exercises.requests import request_of
from attncli.classroom.files.exam_file import ExamFile, ExamPart, OwnQuestion
from attncli.classroom.files.exercise_file import Ask
from attncli.document.questions import points_text
from attncli.errors import Problem, UserError, Where
from attncli.pages.parts.selection import SelectionError
from attncli.scenario.file.address import parse_pattern
from attncli.trace import Trace

_TRIES = 60
"""Draws for a form, of which the one is taken that repeats least."""


class PoolEntry(NamedTuple):
    """A question of a pool, as far as drawing goes by it."""

    points: Decimal
    kind: str
    """What it asks: a step, a quantity, a way to answer."""


def with_draws(exam: ExamFile, traces: Sequence[Trace | None], names: Sequence[str]) -> ExamFile:
    """Returns an exam that knows what each of its forms, by their names, has drawn from its pools.
    Raises UserError where no draws have the same points."""
    if not any(part.pool for part in exam.parts):
        return exam
    each = [
        [*_draws(part, trace, f"{exam.seed}/{k}", len(names))] if part.pool else [()] * len(names)
        for k, (part, trace) in enumerate(zip(exam.parts, traces, strict=True), start=1)
    ]
    drawn = dict(zip(names, zip(*each, strict=True), strict=True))
    return exam._replace(draws=drawn)


def _draws(part: ExamPart, trace: Trace | None, seed: str, count: int) -> Iterator[tuple[int, ...]]:
    """Yields the places in a pool of what each of some forms asks."""
    entries = [*_entries(part, trace)]
    ways = _Ways(tuple(entry.points for entry in entries))
    total = _fairest(part, ways)
    if total is None:
        points = ", ".join(points_text(entry.points) for entry in entries)
        wrong = f"no two choices of {part.take} questions have the same points: {points}"
        right = "give them the same points, or say points: 10 for the whole part"
        raise UserError([Problem(part.where or Where("pool"), wrong, right)])
    used: Counter[int] = Counter()
    for k in range(count):
        random = Random(f"{seed}/{k}")
        tried = [ways.drawn(len(entries), part.take, total, random) for _ in range(_TRIES)]
        order = sorted(dict.fromkeys(tried), key=lambda own: _repeats(own, entries, used))
        best = _first_to_ask(part, trace, order)
        used.update(best)
        yield best


def _first_to_ask(
    part: ExamPart, trace: Trace | None, order: Sequence[tuple[int, ...]]
) -> tuple[int, ...]:
    """Returns the first of some draws that can be asked together. Raises SelectionError where none
    can."""
    if trace is None or part.exercise is None:
        return order[0]
    refused: SelectionError | None = None
    for draw in order:
        try:
            request_of(trace, part.drawing(draw).exercise or part.exercise)
        except SelectionError as error:
            refused = refused or error
        else:
            return draw
    assert refused is not None
    raise refused


def _repeats(
    drawn: Sequence[int], entries: Sequence[PoolEntry], used: Counter[int]
) -> tuple[int, int]:
    """Counts how often a draw asks the same kind again, and how often others asked what it asks."""
    kinds = Counter(entries[place].kind for place in drawn)
    return sum(n * n for n in kinds.values()), sum((used[place] + 1) ** 2 for place in drawn)


def _fairest(part: ExamPart, ways: _Ways) -> Decimal | None:
    """Chooses the points of each draw: those that most draws have, near the middle; None where
    there is no choice."""
    count = len(ways.points)
    if count == part.take:
        return sum(ways.points, Decimal(0))
    mean = sum(ways.points, Decimal(0)) * part.take / count
    found = ways.counts(count, part.take)
    best = max(found, key=lambda total: (found[total], -abs(total - mean)))
    return best if found[best] > 1 else None


class _Ways:
    """The ways to draw so many questions for so many points."""

    def __init__(self, points: tuple[Decimal, ...]) -> None:
        self.points = points
        self.counts = cache(self._counts)

    def _counts(self, first: int, take: int) -> Mapping[Decimal, int]:
        """Counts the ways to draw `take` of the `first` questions, by their points together."""
        if take == 0:
            return {Decimal(0): 1}
        if first < take:
            return {}
        found = Counter(self.counts(first - 1, take))
        for total, ways in self.counts(first - 1, take - 1).items():
            found[total + self.points[first - 1]] += ways
        return found

    def drawn(self, first: int, take: int, total: Decimal, random: Random) -> tuple[int, ...]:
        """Draws one of the ways, each as likely as any other."""
        if take == 0:
            return ()
        rest = total - self.points[first - 1]
        taken = self.counts(first - 1, take - 1).get(rest, 0)
        others = self.counts(first - 1, take).get(total, 0)
        if random.randrange(taken + others) < taken:
            return (*self.drawn(first - 1, take - 1, rest, random), first - 1)
        return self.drawn(first - 1, take, total, random)


def _entries(part: ExamPart, trace: Trace | None) -> Iterator[PoolEntry]:
    """Yields the questions of a pool. Where the points of the whole part are said, all are alike.
    Raises SelectionError."""
    for entry in part.pool:
        if isinstance(entry, OwnQuestion):
            way = "choice" if entry.options else "words" if entry.by_hand else "number"
            yield PoolEntry(entry.points, way)
            continue
        assert part.exercise is not None
        assert trace is not None
        if part.exercise.points.total is not None:
            yield PoolEntry(Decimal(0), _kind(entry))
            continue
        request = request_of(trace, part.exercise._replace(ask=(entry,)))
        in_words = (q.points for q in request.in_words(trace))
        numbers = request.all_points(trace) if request.asks else Decimal(0)
        yield PoolEntry(sum(in_words, numbers), _kind(entry))


def _kind(ask: Ask) -> str:
    """Returns what an entry asks about: a step, the quantity of a cell, or a question."""
    if ask.cell is not None:
        return parse_pattern(ask.cell).name
    return ask.step or (ask.question or "").partition("[")[0]


def drawn_part(exam: ExamFile, form: str, k: int) -> ExamPart:
    """Returns a part, counted from 0, as a form has it: with what is drawn from its pool."""
    part = exam.parts[k]
    return part.drawing(exam.draws[form][k]) if part.pool else part
