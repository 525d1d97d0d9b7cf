"""Telling people what is wrong with their input: all of it at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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

    def say(self) -> None:
        """Says everything on standard error."""
        for line in written_out(self.problems):
            typer.echo(line, err=True)

    def stop_if_any(self) -> None:
        """Says everything and exits with status 2, if there is anything."""
        self.say()
        if self.problems:
            raise typer.Exit(BAD_INPUT)


@contextmanager
def complaining() -> Iterator[None]:
    """Says what is wrong with the input of a block, and exits with status 2."""
    complaints = Complaints()
    with complaints.heard():
        yield
    complaints.stop_if_any()
