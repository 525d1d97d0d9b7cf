"""Telling people what is wrong with their input: all of it at once."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from attncli.cli.output import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator

BAD_INPUT = 2


class Complaints:
    """Gathers what is wrong with the input, so that all of it is said at once."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Keeps an error of the input for later, and leaves the block."""
        from attncli.scenario import ScenarioError
        from attncli.telling.selection import SelectionError

        try:
            yield
        except ScenarioError as error:
            self.messages += map(str, error.problems)
        except (SelectionError, OutputError) as error:
            self.messages += str(error).split("\n")

    def stop_if_any(self) -> None:
        """Says everything on standard error and exits with status 2, if there is anything."""
        from attncli.notation.words import visible

        for message in self.messages:
            typer.echo(visible(message), err=True)
        if self.messages:
            raise typer.Exit(BAD_INPUT)


@contextmanager
def complaining() -> Iterator[None]:
    """Says what is wrong with the input of a block, and exits with status 2."""
    complaints = Complaints()
    with complaints.heard():
        yield
    complaints.stop_if_any()
