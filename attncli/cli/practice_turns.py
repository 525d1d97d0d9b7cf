"""One question after the other in a terminal, or from a pipe: asked, heard, met."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from attncli.cli.output import page_for
from attncli.writing import write_out

if TYPE_CHECKING:
    from attncli.arithmetic.expression import Location
    from attncli.document import Document, Spans
    from attncli.telling.practice.session import Session, Task

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
    missed: bool = False

    def begin(self) -> Self:
        """Asks."""
        from attncli.telling.practice.words import question

        _say(question(self.session, self.task))
        return self

    def run(self) -> None:
        while not self.is_settled_by(_heard()):
            pass

    def is_settled_by(self, text: str) -> bool:
        """Whether an answer, or what else was said, ends the turn."""
        if text.casefold() in _STOP:
            raise Over
        if text == "?":
            return self.hint()
        if text.casefold() in _SHOW:
            return self.show()
        if not text and self.last:
            return self.keep(self.last)
        given = self.numbers_of(text)
        return given is not None and self.is_right(given)

    def hint(self) -> bool:
        from attncli.telling.practice.words import hint

        show(hint(self.session, self.task, with_numbers=self.hints > 0))
        self.hints += 1
        return False

    def show(self) -> bool:
        """Shows the answer, and goes on with it."""
        from attncli.telling.practice.words import answer

        show(answer(self.session, self.task))
        self.session.keep_shown(self.task)
        return True

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

    def is_right(self, given: Sequence[str]) -> bool:
        """Says what there is to say of numbers; whether to go on, since all are right, or nobody is
        there to try again."""
        from attncli.marking.verdicts import FOLLOW
        from attncli.telling.practice import words

        verdicts = self.session.verdicts_on(self.task, given)
        for verdict in verdicts:
            _say(words.verdict_on(self.session, verdict))
        wrong = [verdict for verdict in verdicts if verdict.judgement not in FOLLOW]
        self.mistakes.update({one.cell: words.mistake_in_words(one) for one in wrong})
        if not wrong or not _is_there():
            write_out("\n")
            return self.keep(given)
        if all(verdict.given.number is not None for verdict in verdicts):
            self.last = given
            write_out("Try again, or press Enter to go on with it.\n")
        return False


class TurnInWords(Turn):
    """A question that is answered in words, until it is."""

    def begin(self) -> Self:
        from attncli.telling.practice.in_words import question

        show(question(self.session, self.task))
        return self

    def hint(self) -> bool:
        from attncli.telling.practice.in_words import hint

        show(hint(self.task))
        return False

    def show(self) -> bool:
        from attncli.telling.practice.in_words import answer

        show(answer(self.session, self.task))
        self.session.keep_shown(self.task)
        return True

    def keep(self, given: Sequence[str]) -> bool:
        wrong = ("An answer in words that doesn't follow.",) if self.missed else ()
        self.session.keep_words(self.task, given[0], wrong)
        return True

    def numbers_of(self, text: str) -> list[str] | None:
        return [text]

    def is_right(self, given: Sequence[str]) -> bool:
        from attncli.marking.verdicts import FOLLOW
        from attncli.telling.practice.in_words import verdict_on

        marked = self.session.marked_words(self.task, given[0])
        _say(verdict_on(marked))
        right = marked.judgement in FOLLOW
        self.missed = self.missed or not right
        if right or not _is_there():
            write_out("\n")
            return self.keep(given)
        self.last = given
        write_out("Try again, or press Enter to go on with it.\n")
        return False


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


def show(page: Document) -> None:
    from attncli.render import render

    write_out(render(page, "terminal", page_for(None)) + "\n")


def _say(spans: Spans) -> None:
    from attncli.document import Prose
    from attncli.render import render
    from attncli.telling.practice.words import page_of

    write_out(render(page_of(Prose(spans)), "terminal", page_for(None)))
