"""Asking and hearing in a terminal, or from a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import gmtime, strftime, time
from typing import TYPE_CHECKING

from attncli.classroom.files.exercise_file import LARGEST_SEED
from attncli.commands.arguments import AskedScenario, check_steps_of, whole_number
from attncli.commands.output import page_for
from attncli.errors import Complaints, UserError
from attncli.output_files import write_file, write_out
from attncli.scenario.file.named_files import RefusedFileError, text_in

if TYPE_CHECKING:
    from attncli.classroom.commands import PracticeArguments
    from attncli.classroom.exercises.requests import ExerciseRequest
    from attncli.classroom.files.exercise_file import ExerciseFile
    from attncli.classroom.practice.memory import Memory, Outcome
    from attncli.classroom.practice.session import Course, Session, Task
    from attncli.document.blocks import Document
    from attncli.judging.verdicts import Cause
    from attncli.trace import Trace


_PROMPT = "> "
_STOP = ("quit", "exit", ":q")
_SHOW = ("skip", "??", "=")
_MOST_MINUTES = 600
_DATE = "%Y-%m-%dT%H:%M:%SZ"


class Over(Exception):  # noqa: N818  (an end, not a fault)
    """An end that is raised where nobody goes on."""


@dataclass
class Turn:
    """A task until it is answered, shown, or gone on with."""

    course: Course
    """What is asked in the sitting."""
    session: Session
    """The session that the task is of."""
    task: Task
    """What is asked."""
    hints: int = 0
    """How many hints were given."""
    others: int = 0
    """How many other lines were shown."""
    last: Sequence[str] = ()
    """The last answers that don't follow."""
    mistakes: dict[str, list[Cause]] = field(default_factory=dict)
    """The mistakes that were made, by the addresses of cells and the ids of questions."""

    def run(self) -> None:
        from attncli.classroom.practice.feedback import question

        _show(question(self.session, self.task), "")
        while not self.is_settled_by(_heard()):
            pass

    def is_settled_by(self, text: str) -> bool:
        """Takes an answer, or what else was said, and tells whether it ends the turn."""
        from attncli.classroom.practice import feedback

        said = text.casefold()
        if said in _STOP:
            raise Over
        if said == "?" and (page := feedback.hint(self.session, self.task, self.hints)):
            _show(page)
            self.hints += 1
        elif said == "?":
            write_out("There are no more hints. Type show for another line, skip for the answer.\n")
        elif said == "show":
            _show(feedback.another(self.course, self.session, self.task))
            self.others += 1
        elif said in _SHOW:
            _show(feedback.answer(self.session, self.task))
            self.session.keep(self.task, self.mistakes)
            return True
        elif not text and self.last:
            return self.keep(self.last)
        else:
            given = self.answers_of(text)
            return given is not None and self.is_right(given)
        return False

    def is_right(self, given: Sequence[str]) -> bool:
        """Says what there is to say of an answer, and tells whether to go on, since it is right,
        or nobody is there to try again."""
        from attncli.classroom.practice import feedback
        from attncli.judging.verdicts import FOLLOW

        marked = self.session.marked(self.task, given)
        for each in marked:
            _show(feedback.verdict_on(self.session, each), "")
        judged = dict(zip(self.session.ids(self.task), marked, strict=True))
        wrong = {name: each for name, each in judged.items() if each.judgement not in FOLLOW}
        is_read = not any(each.judgement in ("blank", "unreadable") for each in wrong.values())
        if is_read or not _is_there():
            for name, each in wrong.items():
                self.mistakes.setdefault(name, []).append(feedback.mistake_of(each))
        if not wrong or not _is_there():
            write_out("\n")
            return self.keep(given)
        if is_read:
            self.last = given
            write_out("Try again, or press Enter to keep the answer.\n")
        return False

    def keep(self, given: Sequence[str]) -> bool:
        self.session.keep(self.task, self.mistakes, given, self.hints + self.others)
        return True

    def answers_of(self, text: str) -> list[str] | None:
        """Splits a text into the answers that were given, one a cell; None where there are not so
        many."""
        count = len(self.session.ids(self.task))
        given = [text] if count == 1 else text.replace(";", " ").split()
        if len(given) == count:
            return given
        write_out(f"{count} numbers are asked for, with spaces between.\n")
        return None if _is_there() else [*given, *[""] * count][:count]

    @property
    def found(self) -> list[tuple[Outcome, Sequence[str]]]:
        """Lists what is to be remembered of it, with the names of mistakes: nothing where nobody
        answered."""
        settled, names = self.session.settled, self.session.ids(self.task)
        return [
            (settled[name].outcome if name in settled else "wrong",
             [*dict.fromkeys(m.name for m in self.mistakes.get(name, ()) if m.name)])
            for name in names if name in settled or name in self.mistakes
        ]  # fmt: skip


def _is_there() -> bool:
    """Tells whether somebody sits there, who may try again."""
    return sys.stdin.isatty()


def _heard() -> str:
    """Reads what somebody answers; what comes from a pipe is shown, too. Raises EOFError at its
    end."""
    if _is_there():
        return input(_PROMPT).strip()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    write_out(f"{_PROMPT}{line.strip()}\n")
    return line.strip()


def _show(page: Document, after: str = "\n") -> None:
    from attncli.formats import render

    write_out(render(page, "terminal", page_for(None)) + after)


def practise(typed: PracticeArguments, now: Callable[[], float] = time) -> bool:
    """Asks until all is answered, the time is over (`now` says what time it is, in seconds since
    1970) or nobody goes on; tells whether all that was answered is right."""
    practice = _begun(typed, now)
    practice.run()
    outcomes = {cell.outcome for s in practice.course.begun for _, cell in s.results()}
    return not outcomes & {"wrong", "shown"}


def _begun(typed: PracticeArguments, now: Callable[[], float]) -> _Practice:
    """Returns the sitting, with what was kept before. Raises UserError."""
    from attncli.classroom.exercises.requests import request_of
    from attncli.classroom.practice.other_numbers import others_of
    from attncli.classroom.practice.session import Course, Lesson, Session, marks_of, read

    minutes = _minutes(typed)
    remembered = _Remembered(_kept(typed.memory, "practised.json"))
    seed = 1 + remembered.now().answers
    if typed.seed is not None:
        seed = whole_number("--seed", typed.seed, 0, LARGEST_SEED)
    exercise = _exercise_in(typed)
    trace = _worked(typed, exercise.scenario)
    request = request_of(trace, exercise)
    if typed.seed is not None and minutes is None:
        trace = _with_seed(trace, request, seed)
    lesson = Lesson(trace, request, typed.by_row)
    assert lesson.tasks
    session, place = Session(lesson), None
    if minutes is None:
        place = _place(typed.place, marks_of(trace))
    if place is not None and place.is_file() and not typed.fresh:
        right = "name another file with --place, or begin anew with --fresh"
        session.settled.update(read(_text_of(place, right), str(place), marks_of(trace)))
    course = Course(
        session, others_of(trace, request, seed), lambda: remembered.now().due(), minutes
    )
    return _Practice(course, place, remembered, now)


def _with_seed(trace: Trace, request: ExerciseRequest, seed: int) -> Trace:
    """Returns the scenario with the other numbers of a seed. Raises UserError where there are
    none."""
    from attncli.classroom.paper_files import variants
    from attncli.classroom.practice.other_numbers import others_of

    return next(others_of(trace, request, seed), None) or next(
        variants(trace, request, 1, seed, ())
    )


def _minutes(typed: PracticeArguments) -> int | None:
    """Returns how many minutes to go on, where that is said; else None. Raises UserError."""
    if typed.minutes is None:
        return None
    if typed.place is not None:
        wrong = "where you stop isn't kept of numbers that go on for some minutes"
        raise UserError.of("--place", wrong, "leave out --place or --minutes")
    return whole_number("--minutes", typed.minutes, 1, _MOST_MINUTES)


def _exercise_in(typed: PracticeArguments) -> ExerciseFile:
    """Returns the exercise of a file, which says itself what is asked, or of the options. Raises
    UserError."""
    from attncli.classroom.exercise_orders import asks_of
    from attncli.classroom.files.exam_file import load_exam
    from attncli.classroom.files.exercise_file import ExerciseFile
    from attncli.classroom.files.kinds import is_ordered

    if not is_ordered(typed.scenario):
        return ExerciseFile(typed.scenario, asks_of(typed.part, typed.cell, typed.ask))
    texts = [option for option, value in typed.part.options() if value]
    texts += ["--cell"] * bool(typed.cell) + ["--ask"] * bool(typed.ask)
    if texts:
        option = texts[0]
        right = f"leave {option} out, or practise its scenario"
        raise UserError.of(option, "an exercise file says itself what is asked", right)
    exercises = load_exam(typed.scenario).exercises
    if len(exercises) == 1:
        return exercises[0]
    return ExerciseFile(typed.scenario)  # and hear that it is an exam, and no scenario


def _worked(typed: PracticeArguments, source: str) -> Trace:
    complaints, changes = Complaints(), typed.changed.changes()
    trace = complaints.hear(typed.allowed.worked_alone, source, changes)
    asked = AskedScenario(source, changes, trace)
    complaints.hear(check_steps_of, typed.part.steps, [asked])
    complaints.stop_if_any()
    assert trace is not None
    return trace


def _kept(named: str | None, usual: str) -> Path | None:
    """Finds where something is kept: in a file that is named, or, in a terminal, in the folder for
    what programs keep (XDG Base Directory). None where it isn't kept."""
    if named is not None:
        return Path(named)
    if not _is_there():
        return None
    try:
        state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    except RuntimeError:  # the system knows of no home
        return None
    return Path(state) / "attncli" / usual


def _place(named: str | None, marks: Iterator[str]) -> Path | None:
    """Finds where it is kept how far a practice is: in a file that is named, else in that of the
    first of some marks which there is one of. None where it isn't kept."""
    place = _kept(named, f"practice/{next(marks)}.json")
    if named is not None or place is None or place.is_file():
        return place
    others = (place.with_name(f"{mark}.json") for mark in marks)
    return next(filter(Path.is_file, others), place)


def _text_of(place: Path, right: str) -> str:
    try:
        return text_in(place)
    except RefusedFileError as refused:
        raise UserError.of(str(place), refused.wrong, right) from None
    except OSError as error:
        raise UserError.of(str(place), f"can't be read ({type(error).__name__})", right) from None


def _keep(place: Path, text: str, option: str) -> None:
    """Writes a file, whole or not at all, and makes its folder. Raises UserError."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        wrong = f"can't be made ({error.strerror})"
        raise UserError.of(str(place.parent), wrong, f"name a file with {option}") from None
    write_file(str(place), text, force=True)


@dataclass
class _Remembered:
    """A record of what somebody practised before, and in which file that is kept, if it is."""

    file: Path | None
    memory: Memory | None = None

    def now(self) -> Memory:
        """Reads what is remembered, also by another window meanwhile. Raises UserError."""
        from attncli.classroom.practice.memory import Memory, memory_of

        if self.file is not None and os.path.lexists(self.file):
            right = "name another file with --memory, or move this one away"
            self.memory = memory_of(_text_of(self.file, right), str(self.file))
        self.memory = self.memory or Memory()
        return self.memory

    def note(self, turn: Turn, now: float) -> None:
        """Remembers what became of a task."""
        if not turn.found:
            return
        memory, session = self.now(), turn.session
        is_first, when = not session.done_like(turn.task), strftime(_DATE, gmtime(now))
        memory.note(session.lesson.kind_of(turn.task), turn.found, when, is_first=is_first)
        if self.file is not None:
            _keep(self.file, memory.written(), "--memory")


@dataclass(frozen=True)
class _Practice:
    """A sitting: what is asked, and where it is kept."""

    course: Course
    place: Path | None
    remembered: _Remembered
    now: Callable[[], float]

    def run(self) -> None:
        """Asks for all that isn't answered yet, and says how it went."""
        from attncli.classroom.practice import feedback

        _show(feedback.greeting(self.course))
        end = self.now() + 60 * (self.course.minutes or 0)
        try:
            for session in self.course.sessions():
                self.go_through(session, end)
            if self.course.minutes:
                write_out("There are no other numbers of the same difficulty.\n")
        except (Over, EOFError, KeyboardInterrupt):
            write_out("\n")
        _show(feedback.closing(self.course, remembers=self.remembered.file is not None))

    def go_through(self, session: Session, end: float) -> None:
        """Asks for all of a session. Raises Over when the time is over."""
        from attncli.classroom.practice.feedback import section_opening
        from attncli.classroom.practice.session import mark_of, written

        section = None
        for task in session.waiting:
            if self.course.minutes and self.now() >= end:
                write_out("The time is over.\n")
                raise Over
            if task.section != section:
                section = task.section
                _show(section_opening(session, section))
            turn = Turn(self.course, session, task)
            try:
                turn.run()
            finally:
                session.leave(turn.mistakes)
                self.remembered.note(turn, self.now())
            if session is self.course.own and self.place is not None:
                text = written(mark_of(session.lesson.trace), session.settled)
                _keep(self.place, text, "--place")
