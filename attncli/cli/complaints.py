"""Telling people what is wrong with their input: all of it at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import typer

from attncli.refusals import BAD_INPUT, Complaints, Problem, written_out


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
