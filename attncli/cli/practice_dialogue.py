"""Asking and hearing in a terminal, or from a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from attncli.building.exercise_file import LARGEST_SEED
from attncli.errors import Complaints, UserError
from attncli.library.arguments import whole_number
from attncli.library.output import page_for
from attncli.library.paper_files import variants
from attncli.output_files import write_out

if TYPE_CHECKING:
    from attncli.building.exercise_file import ExerciseFile
    from attncli.document.blocks import Document, Spans
    from attncli.equations.tree import Location
    from attncli.library.exercise_arguments import PracticeArguments
    from attncli.practice.session import Session, Task
    from attncli.trace import Trace


_PROMPT = "> "
_STOP = ("quit", "exit", ":q")
_SHOW = ("skip", "??", "=")


class Over(Exception):  # noqa: N818  (an end, not a fault)
    """Nobody goes on."""


@dataclass
class Turn:
    """One task until it is answered, shown, or gone on with: how many hints were given, the last
    numbers that don't follow, and the mistakes in them."""

    session: Session
    task: Task
    hints: int = 0
    last: Sequence[str] = ()
    mistakes: dict[Location, str] = field(default_factory=dict)

    def run(self) -> None:
        while not self.is_settled_by(_heard()):
            pass

    def is_settled_by(self, text: str) -> bool:
        """Whether an answer, or what else was said, ends the turn."""
        if text.casefold() in _STOP:
            raise Over
        if text == "?":
            _show(self.hint())
            self.hints += 1
            return False
        if text.casefold() in _SHOW:
            _show(self.answer())
            self.session.keep_shown(self.task)
            return True
        if not text and self.last:
            return self.keep(self.last)
        given = self.numbers_of(text)
        return given is not None and self.is_right(given)

    def is_right(self, given: Sequence[str]) -> bool:
        """Says what there is to say of an answer; whether to go on, since it is right, or nobody is
        there to try again."""
        is_right, is_readable = self.says(given)
        if is_right or not _is_there():
            write_out("\n")
            return self.keep(given)
        if is_readable:
            self.last = given
            write_out("Try again, or press Enter to keep the answer.\n")
        return False

    def begin(self) -> Self:
        """Asks."""
        from attncli.practice.feedback import question

        _say(question(self.session, self.task))
        return self

    def hint(self) -> Document:
        from attncli.practice.feedback import hint

        return hint(self.session, self.task, with_numbers=self.hints > 0)

    def answer(self) -> Document:
        from attncli.practice.feedback import answer

        return answer(self.session, self.task)

    def keep(self, given: Sequence[str]) -> bool:
        self.session.keep(self.task, given, self.mistakes)
        return True

    def numbers_of(self, text: str) -> list[str] | None:
        """The numbers of an answer, one a cell; None where there are not so many."""
        count = len(self.task.cells)
        given = [text] if count == 1 else text.replace(";", " ").split()
        if len(given) == count:
            return given
        write_out(f"{count} numbers are asked for, with spaces between.\n")
        return None if _is_there() else [*given, *[""] * count][:count]

    def says(self, given: Sequence[str]) -> tuple[bool, bool]:
        """Says what is right and wrong; whether all is right, and whether all can be read."""
        from attncli.marking.verdicts import FOLLOW
        from attncli.practice import feedback

        verdicts = self.session.verdicts_on(self.task, given)
        for verdict in verdicts:
            _say(feedback.verdict_on(self.session, verdict))
        wrong = [verdict for verdict in verdicts if verdict.judgement not in FOLLOW]
        self.mistakes.update({v.cell: feedback.mistake_in_words(v) for v in wrong})
        return not wrong, all(verdict.given.number is not None for verdict in verdicts)


@dataclass
class TurnInWords(Turn):
    """A question that is answered in words, until it is."""

    missed: bool = False

    def begin(self) -> Self:
        from attncli.practice.feedback import question_in_words

        _show(question_in_words(self.session, self.task))
        return self

    def hint(self) -> Document:
        from attncli.practice.feedback import hint_in_words

        return hint_in_words(self.task)

    def answer(self) -> Document:
        from attncli.practice.feedback import answer_in_words

        return answer_in_words(self.session, self.task)

    def keep(self, given: Sequence[str]) -> bool:
        wrong = ("An answer in words that doesn't follow.",) if self.missed else ()
        self.session.keep_words(self.task, given[0], wrong)
        return True

    def numbers_of(self, text: str) -> list[str] | None:
        return [text]

    def says(self, given: Sequence[str]) -> tuple[bool, bool]:
        from attncli.marking.verdicts import FOLLOW
        from attncli.practice.feedback import verdict_in_words

        marked = self.session.marked_words(self.task, given[0])
        _say(verdict_in_words(marked))
        right = marked.judgement in FOLLOW
        self.missed = self.missed or not right
        return right, True


def _is_there() -> bool:
    """Whether somebody sits there, who may try again."""
    return sys.stdin.isatty()


def _heard() -> str:
    """What somebody answers; what comes from a pipe is shown, too."""
    if _is_there():
        return input(_PROMPT).strip()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    write_out(f"{_PROMPT}{line.strip()}\n")
    return line.strip()


def _show(page: Document) -> None:
    from attncli.formats import render

    write_out(render(page, "terminal", page_for(None)) + "\n")


def _say(spans: Spans) -> None:
    from attncli.document.blocks import Paragraph
    from attncli.formats import render
    from attncli.practice.feedback import page_of

    write_out(render(page_of(Paragraph(spans)), "terminal", page_for(None)))


def practise(typed: PracticeArguments) -> bool:
    """Asks until all is answered or nobody goes on; whether all that was answered is right."""
    session, place = _begun(typed)
    practice = _Practice(session, place)
    practice.run()
    return session.all_right


def _begun(typed: PracticeArguments) -> tuple[Session, Path | None]:
    """The session with what was kept, and where it is kept. Raises UserError."""
    from attncli.exercises.requests import request_of
    from attncli.practice.session import Lesson, Session, mark_of, read

    exercise = _exercise_in(typed)
    trace = _worked(typed, exercise.scenario)
    request = request_of(trace, exercise)
    if typed.seed is not None:
        seed = whole_number("--seed", typed.seed, 0, LARGEST_SEED)
        ((_, trace),) = variants(trace, request, 1, seed, ())
    lesson = Lesson(trace, request, typed.rows)
    assert lesson.tasks
    mark = mark_of(trace)
    place = _place(typed, mark)
    session = Session(lesson)
    if place is not None and place.is_file() and not typed.fresh:
        session.settled.update(read(_text_of(place), str(place), mark))
    return session, place


def _exercise_in(typed: PracticeArguments) -> ExerciseFile:
    """The exercise of a file, which says itself what is asked, or of the options. Raises
    UserError."""
    from attncli.building.exercise_file import ExerciseFile, is_exercise, load_exercise
    from attncli.library.exercises import asks_of

    if not is_exercise(typed.scenario):
        return ExerciseFile(typed.scenario, asks_of(typed.part, typed.cell, typed.ask))
    texts = [option for option, value in typed.part.options() if value]
    texts += ["--cell"] * bool(typed.cell) + ["--ask"] * bool(typed.ask)
    if texts:
        option = texts[0]
        right = f"leave {option} out, or practise its scenario"
        raise UserError.of(option, "an exercise file says itself what is asked", right)
    return load_exercise(typed.scenario)


def _worked(typed: PracticeArguments, source: str) -> Trace:
    from attncli.pages.parts.selection import check_steps

    complaints = Complaints()
    complaints.hear(check_steps, typed.part.steps)
    with complaints.heard():
        trace = typed.allowed.worked_alone(source, typed.changed.changes())
    complaints.stop_if_any()
    return trace


def _place(typed: PracticeArguments, mark: str) -> Path | None:
    """Where to keep how far somebody is: in a file that is named, or, in a terminal, in the folder
    for what programs keep (XDG Base Directory)."""
    if typed.place is not None:
        return Path(typed.place)
    if not sys.stdin.isatty():
        return None
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "attncli" / "practice" / f"{mark}.json"


def _text_of(place: Path) -> str:
    try:
        return place.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        right = "name another file with --place, or begin anew with --fresh"
        raise UserError.of(str(place), f"can't be read ({type(error).__name__})", right) from None


@dataclass(frozen=True)
class _Practice:
    """A session, and where it is kept."""

    session: Session
    place: Path | None

    def run(self) -> None:
        """Asks for all that isn't answered yet, and says how it went."""
        from attncli.practice import feedback

        _show(feedback.greeting(self.session))
        section = None
        try:
            for task in self.session.waiting:
                if task.section != section:
                    section = task.section
                    _show(feedback.section_opening(self.session, section))
                turn = Turn if task.words is None else TurnInWords
                turn(self.session, task).begin().run()
                self.keep()
        except (Over, EOFError, KeyboardInterrupt):
            write_out("\n")
        _show(feedback.closing(self.session))

    def keep(self) -> None:
        """Writes down how far somebody is, where that is kept."""
        from attncli.output_files import write_file
        from attncli.practice.session import mark_of, written

        if self.place is None:
            return
        text = written(mark_of(self.session.lesson.trace), self.session.settled)
        _make_folder(self.place.parent)
        write_file(str(self.place), text, force=True)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        wrong = f"can't be made ({error.strerror})"
        raise UserError.of(str(folder), wrong, "name a file with --place") from None
