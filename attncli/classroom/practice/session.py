"""A session of practice: its questions, numbers, verdicts and the place to go on, as a text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from itertools import groupby, islice
from random import Random
from typing import NamedTuple

from attncli.classroom.exercises.fingerprint import earlier, fingerprint
from attncli.classroom.exercises.line_blanks import Blankable
from attncli.classroom.exercises.requests import AskedInWords, ExerciseRequest
from attncli.classroom.exercises.workable_sections import StepSection
from attncli.classroom.marking.word_answers import MarkedWords, OwnAnswers, marked_words
from attncli.classroom.practice.expressions import given_by
from attncli.classroom.practice.memory import Kind, Outcome
from attncli.document.blocks import Block, Paragraph, Section, Table, each, parts_of
from attncli.document.tables import MatrixBlock
from attncli.errors import UserError
from attncli.judging.judging import Judge
from attncli.judging.verdicts import Cause, Given, Verdict, read_number
from attncli.maths.equations.tree import Location
from attncli.maths.notation.escaping import json_text
from attncli.maths.numbers.decimals import round_to
from attncli.names import raw_text
from attncli.pages.parts.blocks import given_blocks
from attncli.pages.parts.selection import Selection, SelectionError
from attncli.pages.parts.sentences import printed_roots
from attncli.scenario.file.named_files import JsonObject, parsed_json
from attncli.scenario.file.problems import ScenarioError
from attncli.trace import PlannedStep, Quantity, Trace


class Task(NamedTuple):
    """A task that is asked at once."""

    section: int
    """The section of the lesson that it belongs to, from 0."""
    part: PlannedStep
    """The part of the story that makes what is asked."""
    cells: tuple[Location, ...]
    """The cells that are asked for, of one row."""
    words: AskedInWords | None = None
    """The question, where the task is answered in words."""


@dataclass(frozen=True)
class Lesson:
    """A lesson: all that is asked of a trace."""

    trace: Trace
    """The trace whose numbers are asked for."""
    request: ExerciseRequest
    """What is asked of it."""
    by_rows: bool = False
    """Whether the cells of a row are asked for at once."""

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """Returns what is asked, in the order of the working. Raises SelectionError where there is
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
            asked = self.request.in_words(self.trace)
            yield from (
                Task(k, section.part, (), q)
                for q in asked
                if section.asks(q.question.part, q.entry)
            )

    def kind_of(self, task: Task) -> Kind:
        """Returns what kind of question a task is."""
        question = task.words and task.words.question.name
        return task.part.called, (question or self.trace[task.cells[0].quantity].name).local

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
        """Finds the quantities that are shown to start from, and are neither given nor asked
        for."""
        asked = {cell.quantity for task in self.tasks for cell in task.cells}
        blocks = (block for s in self.sections for block in s.section.blocks)
        names = {
            table.quantity for entry in blocks for table in parts_of(entry, MatrixBlock)
        } - asked
        return frozenset(name for name in names if not self.trace[name].given)

    def opening_of(self, section: int) -> Section:
        """Returns a section with what its working starts from, tables and words, and nothing that
        is asked."""
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
    """Tells whether a block is shown before anything is asked: words, and tables but for some."""
    if isinstance(block, MatrixBlock):
        return block.quantity not in hidden
    return isinstance(block, Paragraph | Table)


@dataclass(frozen=True)
class Review(Lesson):
    """One task of a kind of those of a lesson, with the tables that it is worked from."""

    kind: Kind = ("", "")

    @cached_property
    def tasks(self) -> tuple[Task, ...]:
        """Returns the one task; none where these numbers have none of its kind."""
        alike = [task for task in self._tasks() if self.kind_of(task) == self.kind]
        return tuple(Random(mark_of(self.trace)).sample(alike, min(1, len(alike))))

    @property
    def _starts_from(self) -> list[Quantity]:
        """Lists the quantities that the number is worked from."""
        (task,) = self.tasks
        definition = self.trace[task.cells[0].quantity].definition if task.cells else None
        return [] if definition is None else [self.trace[n] for n in definition.operands]

    @cached_property
    def shown(self) -> frozenset[str]:
        own = {quantity.name for quantity in self._starts_from if not quantity.given}
        return frozenset(own) if self.tasks[0].cells else super().shown

    def opening_of(self, section: int) -> Section:
        page = self.sections[section]
        if not self.tasks[0].cells:
            return super().opening_of(section)
        tables = given_blocks(self.trace, self._starts_from, Selection(), page.part.path)
        return page.section._replace(number=None, blocks=tuple(tables), questions=(), solution=())


class SettledCell(NamedTuple):
    """A cell or a question that is gone on with."""

    text: str
    """The answer as somebody wrote it, or as it was shown."""
    mistakes: tuple[str, ...] = ()
    """The mistakes that were made before."""
    shown: bool = False
    """Whether the answer was shown."""
    hints: int = 0
    """How many hints were given."""

    @property
    def outcome(self) -> Outcome:
        """Tells what became of it: it was shown, wrong at first, right after hints, or right."""
        if self.shown:
            return "shown"
        return "wrong" if self.mistakes else "hinted" if self.hints else "right"


Marked = Verdict | MarkedWords


@dataclass
class Session:
    """A session: a lesson and the answers that were given so far."""

    lesson: Lesson
    """What is asked."""
    settled: dict[str, SettledCell] = field(default_factory=dict)
    """What was given so far, by the addresses of cells and the ids of questions."""
    left: dict[str, SettledCell] = field(default_factory=dict)
    """What was answered wrongly and left open, by the same names."""

    @cached_property
    def judge(self) -> Judge:
        trace = self.lesson.trace
        return Judge(trace, self.lesson.shown, self.lesson.request.tolerance, printed_roots(trace))

    def address(self, cell: Location) -> str:
        """Returns what a cell is called: `weights[love, AI]`."""
        return self.lesson.trace[cell.quantity].address(cell.row, cell.column)

    def ids(self, task: Task) -> list[str]:
        """Lists what is asked at once, by addresses, or by the id of a question."""
        if task.words is not None:
            return [task.words.question.id]
        return [self.address(cell) for cell in task.cells]

    @property
    def waiting(self) -> list[Task]:
        """Lists the tasks that are still to be asked."""
        return [task for task in self.lesson.tasks if not self.is_done(task)]

    def is_done(self, task: Task) -> bool:
        return all(name in self.settled for name in self.ids(task))

    def done_like(self, task: Task) -> list[Task]:
        """Lists what else of the same kind is answered, the last first."""
        kind, tasks = self.lesson.kind_of(task), reversed(self.lesson.tasks)
        alike = (other for other in tasks if self.lesson.kind_of(other) == kind)
        return [other for other in alike if other != task and self.is_done(other)]

    def marked(self, task: Task, texts: Sequence[str]) -> Sequence[Marked]:
        """Judges new answers to a task."""
        if task.words is not None:
            return [self.marked_words(task.words, texts[0])]
        new = {c: self._given(c, text) for c, text in zip(task.cells, texts, strict=True)}
        verdicts = self.judge.verdicts({**self.numbers, **new})
        return [verdict for verdict in verdicts if verdict.cell in new]

    def marked_words(self, asked: AskedInWords, text: str) -> MarkedWords:
        """Judges an answer in words."""
        paper = self.judge.judged(self.numbers)
        own = OwnAnswers.of(paper)
        return marked_words(asked.question, asked.points, read_number(text), own, carry=True)

    def keep(
        self,
        task: Task,
        mistakes: Mapping[str, Sequence[Cause]],
        texts: Sequence[str] = (),
        hints: int = 0,
    ) -> None:
        """Goes on with these answers, or without any with the right ones, which are shown."""
        for name, text in zip(self.ids(task), texts or self.right_answers(task), strict=True):
            self.settled[name] = SettledCell(text, _said(mistakes.get(name, ())), not texts, hints)

    def leave(self, mistakes: Mapping[str, Sequence[Cause]]) -> None:
        """Records which mistakes were made in answers that nobody went on with."""
        self.left |= {
            name: SettledCell("", _said(causes))
            for name, causes in mistakes.items()
            if name not in self.settled
        }

    def right_answers(self, task: Task) -> list[str]:
        """Returns the right answers; for a number what follows from somebody's own."""
        if task.words is not None:
            asked = task.words.question
            return [asked.asked.options[asked.right_on(self.judge.key)[0]]]
        quantity = self.leading_to(task)[task.cells[0].quantity]
        return [str(quantity.number(cell.row, cell.column).shown) for cell in task.cells]

    def tells(self, task: Task, answers: Sequence[str], number: Decimal) -> bool:
        """Tells whether a number is one of the right answers to a task, or rounds to one."""
        decimals = self.judge.key.decimals(task.cells[0].quantity)
        own = {round_to(Decimal(text), decimals) for text in answers}
        accepted = any(self.judge.accepted(cell).takes(number) for cell in task.cells)
        return accepted or round_to(number, decimals) in own

    @property
    def numbers(self) -> dict[Location, Given]:
        """Returns the numbers that are gone on with."""
        cells = {self.address(cell): cell for task in self.lesson.tasks for cell in task.cells}
        return {
            cells[address]: self._given(cells[address], cell.text)
            for address, cell in self.settled.items()
            if address in cells
        }

    def _given(self, cell: Location, text: str) -> Given:
        """Reads an answer to a cell; an expression counts as its value at the decimals asked."""
        return given_by(text, self.judge.key.decimals(cell.quantity))

    def leading_to(self, task: Task) -> Trace:
        """Returns the trace with somebody's own numbers before a task; ours, where these can't be
        worked with."""
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

    def results(self) -> Iterator[tuple[Kind, SettledCell]]:
        """Yields what became of each cell and question that was asked, in the order of the
        working."""
        for task in self.lesson.tasks:
            told = self.left | self.settled
            names = (name for name in self.ids(task) if name in told)
            yield from ((self.lesson.kind_of(task), told[name]) for name in names)


def _said(causes: Iterable[Cause]) -> tuple[str, ...]:
    """Returns the sentences of mistakes, each once."""
    return tuple(dict.fromkeys(raw_text(cause.worded) for cause in causes))


@dataclass
class Course:
    """A course of what is asked in a sitting: what is due first, with other numbers, then a session
    of one's own. Where it goes by time, sessions follow one after the other, each with other
    numbers, and what has become due between."""

    own: Session
    """The session with the lesson's own numbers."""
    others: Iterator[Trace]
    """The lesson's scenario with other numbers."""
    due: Callable[[], Collection[Kind]]
    """Returns the kinds of questions that are due."""
    minutes: int | None = None
    """How many minutes it goes on; None for a single session."""
    begun: list[Session] = field(default_factory=list)
    """The sessions that were begun."""
    _ahead: list[Trace] = field(default_factory=list)
    """The other numbers that were looked for and not used yet."""
    _shown: list[Session] = field(default_factory=list)
    """The sessions with other numbers that lines are shown of."""

    def sessions(self) -> Iterator[Session]:
        """Yields the sessions one after the other, and keeps them as begun."""
        for session in self._sessions():
            self.begun.append(session)
            yield session

    def _sessions(self) -> Iterator[Session]:
        yield from self._reviews()
        if self.minutes is None:
            yield self.own
            return
        own = self.own.lesson.trace
        trace: Trace | None = self._other() or own  # where nothing can vary, its own once
        while trace is not None:
            yield self._with(trace)
            yield from self._reviews()
            trace = self._other()

    def _with(self, trace: Trace) -> Session:
        return Session(replace(self.own.lesson, trace=trace))

    def _can_vary(self) -> bool:
        """Tells whether there are other numbers, which are looked for once."""
        self._ahead += islice(self.others, not self._ahead)
        return bool(self._ahead)

    def _other(self) -> Trace | None:
        """Takes the next other numbers; None where there are none."""
        return self._ahead.pop() if self._can_vary() else None

    @property
    def due_here(self) -> list[Kind]:
        """Lists what is due of what this lesson asks, as far as it can be asked with other
        numbers."""
        lesson, due = self.own.lesson, self.due()
        kinds = [kind for kind in dict.fromkeys(map(lesson.kind_of, lesson.tasks)) if kind in due]
        return kinds if kinds and self._can_vary() else []

    def _reviews(self) -> Iterator[Session]:
        due = self.due_here
        trace = self._other() if due else None
        if trace is not None:
            reviews = (Review(trace, self.own.lesson.request, kind=kind) for kind in due)
            yield from (Session(review) for review in reviews if review.tasks)

    def _examples(self) -> Iterator[Session]:
        """Yields the same lesson with other numbers, to show lines of, as many as somebody looks
        at."""
        yield from self._shown
        while len(self._shown) < _EXAMPLES and (trace := self._other()) is not None:
            self._shown.append(self._with(trace))
            yield self._shown[-1]

    def another(self, session: Session, task: Task) -> tuple[Session, Task] | None:
        """Finds a task of the same kind whose answer may be shown since it isn't that of a task:
        one that is answered, or one with other numbers; None where there is none."""
        kind, asked = session.lesson.kind_of(task), session.right_answers(task)
        for other in session.done_like(task):
            if not _tells(session, task, asked, session.right_answers(other)):
                return session, other
        for example in self._examples():
            for other in example.lesson.tasks:
                alike = example.lesson.kind_of(other) == kind
                if alike and not _tells(session, task, asked, example.right_answers(other)):
                    return example, other
        return None


_EXAMPLES = 3
"""With how many other numbers a line is looked for that may be shown."""


def _tells(session: Session, task: Task, asked: Sequence[str], shown: Sequence[str]) -> bool:
    """Tells whether right answers to another task would answer a task."""
    numbers = () if task.words is not None else map(Decimal, shown)
    return asked == shown or any(session.tells(task, asked, number) for number in numbers)


def mark_of(trace: Trace) -> str:
    """Returns what tells the numbers of a scenario from those of others."""
    return fingerprint(trace, ())


def marks_of(trace: Trace) -> Iterator[str]:
    """Yields the mark of a scenario's numbers, and those that earlier versions had for them."""
    yield mark_of(trace)
    yield from (fingerprint(trace, (), made_from) for made_from in earlier(trace.scenario))


def written(mark: str, by_name: Mapping[str, SettledCell]) -> str:
    """Writes what was told as JSON."""
    answers = {address: cell._asdict() for address, cell in by_name.items()}
    return json_text({"practice": mark, "answers": answers}, indent=1) + "\n"


def read(text: str, file: str, marks: Iterable[str]) -> dict[str, SettledCell]:
    """Reads what was told before. Raises UserError for what is no kept place, or one of other
    numbers."""
    right = "name another file with --place, or begin anew with --fresh"
    try:
        kept = parsed_json(text)
        answers = kept["answers"].items()
        cells = {str(address): _settled_cell(value) for address, value in answers}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError.of(file, "is no place that a practice was left at", right) from None
    if kept.get("practice") not in marks:
        raise UserError.of(file, "was kept for other numbers", right)
    return cells


def _settled_cell(data: JsonObject) -> SettledCell:
    mistakes, hints = tuple(map(str, data["mistakes"])), int(data.get("hints", 0))
    return SettledCell(str(data["text"]), mistakes, bool(data["shown"]), hints)
