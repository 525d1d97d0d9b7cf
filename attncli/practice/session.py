"""Somebody who practises: what is asked one after the other, which numbers were given, what became
of each, and where they stopped, as a text to keep."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

from attncli.document.blocks import Block, Paragraph, Section, Table, each, parts_of
from attncli.document.tables import MatrixBlock
from attncli.equations.tree import Location
from attncli.errors import UserError
from attncli.exercises.fingerprint import fingerprint
from attncli.exercises.line_blanks import Blankable
from attncli.exercises.requests import AskedInWords, ExerciseRequest
from attncli.exercises.workable_sections import StepSection
from attncli.file.problems import ScenarioError
from attncli.marking.judging import Judge
from attncli.marking.verdicts import FOLLOW, Given, Verdict, read_number
from attncli.marking.word_answers import MarkedWords, OwnAnswers, marked_words
from attncli.pages.parts.selection import SelectionError
from attncli.pages.parts.sentences import printed_roots
from attncli.trace import PlannedStep, Trace


class Task(NamedTuple):
    """What is asked at once: some cells, of one row, that a part of the story makes; or a question
    that is answered in `words`."""

    section: int
    part: PlannedStep
    cells: tuple[Location, ...]
    words: AskedInWords | None = None


@dataclass(frozen=True)
class Lesson:
    """All that is asked of a trace: by cells, or by rows."""

    trace: Trace
    request: ExerciseRequest
    by_rows: bool = False

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """What is asked, in the order of the working. Raises SelectionError where there is
        nothing."""
        tasks = tuple(self._tasks())
        if not tasks:
            right = "ask for a step that makes numbers"
            raise SelectionError.of("practice", "there is nothing to ask", right)
        return tasks

    def _tasks(self) -> Iterator[Task]:
        known: set[Location] = set()
        for k, section in enumerate(self.sections):
            made = {definition.name for definition in section.part.definitions}
            cells = [cell for cell in self._cells(k) if cell.quantity in made and cell not in known]
            known.update(cells)
            rows = groupby(cells, lambda cell: cell[:2] if self.by_rows else cell)
            yield from (Task(k, section.part, tuple(row)) for _, row in rows)
            yield from (Task(k, section.part, (), q) for q in self._in_words(section.part))

    def _in_words(self, part: PlannedStep) -> list[AskedInWords]:
        """What a part is asked besides numbers."""
        asked = self.request.in_words(self.trace)
        return [q for q in asked if q.question.part == part]

    def _cells(self, section: int) -> list[Location]:
        page, places = self._asked[section]
        asked = (p for p in places if self.request.asking_for(self.trace, page.part, p) is not None)
        return [place.cell for place in asked if place.cell is not None]

    @property
    def sections(self) -> Sequence[StepSection]:
        return [s for s, _ in self._asked]

    @cached_property
    def _asked(self) -> list[tuple[StepSection, list[Blankable]]]:
        page = self.request.page(self.trace)
        return page.asking(page.everything())

    @cached_property
    def shown(self) -> frozenset[str]:
        """The quantities that are shown to start from, and are neither given nor asked for."""
        asked = {cell.quantity for task in self.tasks for cell in task.cells}
        blocks = (block for s in self.sections for block in s.section.blocks)
        names = {
            table.quantity for entry in blocks for table in parts_of(entry, MatrixBlock)
        } - asked
        return frozenset(name for name in names if not self.trace[name].given)

    def opening_of(self, section: int) -> Section:
        """A section with what its working starts from, tables and words, and nothing that is
        asked."""
        page = self.sections[section]
        if page.only_asked:
            return page.section._replace(number=None)
        made = {definition.name for definition in page.part.definitions}
        hidden = made | {cell.quantity for task in self.tasks for cell in task.cells}
        happens, *others = page.section.blocks
        blocks = [*([happens] if not isinstance(happens, Paragraph) else []), *others]
        kept = tuple(block for block in each(blocks) if _starts_from(block, hidden))
        return page.section._replace(number=None, blocks=kept, questions=(), solution=())


def _starts_from(block: Block, hidden: Collection[str]) -> bool:
    """Whether a block is shown before anything is asked: words, and tables but for some."""
    if isinstance(block, MatrixBlock):
        return block.quantity not in hidden
    return isinstance(block, Paragraph | Table)


class SettledCell(NamedTuple):
    """What is gone on with for a cell: a number as somebody wrote it, or as it was shown, and the
    mistakes that were made before."""

    text: str
    mistakes: tuple[str, ...] = ()
    shown: bool = False


@dataclass
class Session:
    """What was given so far, by the addresses of cells."""

    lesson: Lesson
    settled: dict[str, SettledCell] = field(default_factory=dict)

    @cached_property
    def judge(self) -> Judge:
        trace = self.lesson.trace
        return Judge(trace, self.lesson.shown, self.lesson.request.tolerance, printed_roots(trace))

    def address(self, cell: Location) -> str:
        """What a cell is called: `weights[love, AI]`."""
        return self.lesson.trace[cell.quantity].address(cell.row, cell.column)

    @property
    def waiting(self) -> list[Task]:
        """What is still to be asked."""
        return [task for task in self.lesson.tasks if not self.is_done(task)]

    def is_done(self, task: Task) -> bool:
        if task.words is not None:
            return task.words.question.id in self.settled
        return all(self.address(cell) in self.settled for cell in task.cells)

    def verdicts_on(self, task: Task, texts: Sequence[str]) -> list[Verdict]:
        """What is said of new numbers for a task."""
        new = {c: read_number(text) for c, text in zip(task.cells, texts, strict=True)}
        verdicts = self.judge.verdicts({**self.numbers, **new})
        return [verdict for verdict in verdicts if verdict.cell in new]

    def marked_words(self, task: Task, text: str) -> MarkedWords:
        """What is said of an answer in words."""
        assert task.words is not None
        _, theirs = self.judge.judged(self.numbers)
        own = OwnAnswers(self.judge.right, theirs, self.numbers, self.judge.hypotheses)
        asked, points, given = task.words.question, task.words.points, read_number(text)
        return marked_words(asked, points, given, own, carry=True)

    def keep_words(self, task: Task, text: str, mistakes: tuple[str, ...] = ()) -> None:
        """Goes on with an answer in words."""
        assert task.words is not None
        self.settled[task.words.question.id] = SettledCell(text, mistakes)

    def right_words(self, task: Task) -> str:
        """The right answer in words."""
        assert task.words is not None
        asked = task.words.question
        return asked.asked.options[asked.right_on(self.judge.right)[0]]

    def keep(self, task: Task, texts: Sequence[str], mistakes: Mapping[Location, str]) -> None:
        """Goes on with these numbers."""
        for cell, text in zip(task.cells, texts, strict=True):
            found = (mistakes[cell],) if cell in mistakes else ()
            self.settled[self.address(cell)] = SettledCell(text, found)

    def keep_shown(self, task: Task) -> None:
        """Goes on with the answers."""
        if task.words is not None:
            self.settled[task.words.question.id] = SettledCell(self.right_words(task), shown=True)
            return
        quantity = self.leading_to(task)[task.cells[0].quantity]
        for cell in task.cells:
            text = str(quantity.number(cell.row, cell.column).shown)
            self.settled[self.address(cell)] = SettledCell(text, shown=True)

    @property
    def cells(self) -> Mapping[str, Location]:
        """What is asked, by addresses."""
        return {self.address(cell): cell for task in self.lesson.tasks for cell in task.cells}

    @property
    def numbers(self) -> dict[Location, Given]:
        """The numbers that are gone on with."""
        cells = self.cells
        return {
            cells[address]: read_number(cell.text)
            for address, cell in self.settled.items()
            if address in cells
        }

    def leading_to(self, task: Task) -> Trace:
        """The trace with somebody's own numbers before a task; ours, where these can't be worked
        with."""
        trace, asked = self.lesson.trace, task.cells[0].quantity
        rows: dict[str, list[list[Decimal]]] = {}
        for (name, i, j), given in self.numbers.items():
            if given.number is None or name == asked:
                continue
            n, m = trace[name].matrix.shape
            number = trace[name].matrix.number
            rows.setdefault(name, [[number(a, b).full for b in range(m)] for a in range(n)])
            rows[name][i][j] = given.number
        try:
            return trace.replay(rows)
        except (ScenarioError, ArithmeticError):
            return trace

    def results(self) -> dict[str, list[tuple[Verdict | MarkedWords | None, SettledCell]]]:
        """What became of each cell and question that was asked, by steps: its verdict, None where
        the answer was shown."""
        by_name = {verdict.cell: verdict for verdict in self.judge.verdicts(self.numbers)}
        found: dict[str, list[tuple[Verdict | MarkedWords | None, SettledCell]]] = {}
        for task in self.lesson.tasks:
            own = None if task.words is None else self.settled.get(task.words.question.id)
            if own is not None:
                marked = None if own.shown else self.marked_words(task, own.text)
                found.setdefault(task.part.step, []).append((marked, own))
            for cell in task.cells:
                settled = self.settled.get(self.address(cell))
                if settled is not None:
                    verdict = None if settled.shown else by_name[cell]
                    found.setdefault(task.part.step, []).append((verdict, settled))
        return found

    @property
    def all_right(self) -> bool:
        """Whether all that was given is right at once, or follows."""
        each = [pair for rows in self.results().values() for pair in rows]
        return all(is_right(verdict, cell) for verdict, cell in each)

    @property
    def mistakes(self) -> Counter[str]:
        """The mistakes that were made, in sentences."""
        return Counter(says for cell in self.settled.values() for says in cell.mistakes)


def is_right(verdict: Verdict | MarkedWords | None, cell: SettledCell) -> bool:
    """Whether a number was right, or followed, at the first go."""
    return verdict is not None and verdict.judgement in FOLLOW and not cell.mistakes


def mark_of(trace: Trace) -> str:
    """What tells the numbers of a scenario from those of others."""
    return fingerprint(trace, ())


def written(mark: str, by_name: Mapping[str, SettledCell]) -> str:
    """What was told, as JSON."""
    answers = {address: cell._asdict() for address, cell in by_name.items()}
    return json.dumps({"practice": mark, "answers": answers}, ensure_ascii=False, indent=1) + "\n"


def read(text: str, file: str, mark: str) -> dict[str, SettledCell]:
    """What was told before. Raises UserError for what is no kept place, or one of other numbers."""
    try:
        kept = json.loads(text)
        answers = kept["answers"].items()
        cells = {str(address): _told(value) for address, value in answers}
    except (ValueError, KeyError, TypeError, AttributeError):
        right = "name another file with --place, or begin anew with --fresh"
        raise UserError.of(file, "is no place that a practice was left at", right) from None
    if kept.get("practice") != mark:
        right = "name another file with --place, or begin anew with --fresh"
        raise UserError.of(file, "was kept for other numbers", right)
    return cells


def _told(data: Mapping[str, Any]) -> SettledCell:
    return SettledCell(str(data["text"]), tuple(map(str, data["mistakes"])), bool(data["shown"]))
