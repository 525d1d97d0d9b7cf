"""Telling people what is wrong with their input: all of it at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

import typer

from attncli.refusals import Problem, Refusal, written_out

BAD_INPUT = 2

P = ParamSpec("P")
T = TypeVar("T")


class Complaints:
    """Gathers what is wrong with the input, so that all of it is said at once."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Keeps an error of the input (or a lack of memory) for later, and leaves the block."""
        try:
            yield
        except Refusal as refusal:
            self.problems += refusal.problems
        except MemoryError:
            less = "give fewer tokens, layers or dimensions, or ask for less of the page"
            self.problems.append(Problem.of("attn", "there is not enough memory for it", less))

    def hear(self, act: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T | None:
        """What comes of something; None having kept what is wrong with the input."""
        with self.heard():
            return act(*arguments, **named)
        return None

    def stop_if_any(self) -> None:
        """Raises a Refusal of everything, if there is anything."""
        if self.problems:
            raise Refusal(self.problems)


@contextmanager
def complaining() -> Iterator[None]:
    """Says what is wrong with the input of a block on standard error, and exits with status 2."""
    complaints = Complaints()
    with complaints.heard():
        yield
    say(complaints.problems)
    if complaints.problems:
        raise typer.Exit(BAD_INPUT)


def say(problems: Sequence[Problem]) -> None:
    """Says problems on standard error."""
    for line in written_out(problems):
        typer.echo(line, err=True)
