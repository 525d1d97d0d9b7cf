"""`attn practice`: one number after the other, each met at once."""

# no lazy annotations here: Typer reads them
from typing import TYPE_CHECKING, Annotated

import typer

from attncli.cli import options
from attncli.cli.arguments import Excerpt, changes_of, taking
from attncli.records import NamedTuple

if TYPE_CHECKING:
    from attncli.file.changes import Change


class PracticeArguments(NamedTuple):
    """What was typed."""

    scenario: Annotated[
        str,
        typer.Argument(
            metavar="SCENARIO",
            help="A scenario file, the name of a shipped one, or an exercise file.",
            autocompletion=options.beginning(options.scenarios),
        ),
    ]
    step: options.Steps = None
    layer: options.LayerOption = None
    head: options.HeadOption = None
    token: options.Token = None
    cell: Annotated[
        list[str] | None,
        typer.Option(
            "--cell", metavar="CELL",
            help="Ask only for this cell, `'weights[love, AI]'`; may be repeated.",
        ),
    ] = None  # fmt: skip
    rows: Annotated[
        bool, typer.Option("--rows", help="Ask for the numbers of a row at once, not for each.")
    ] = False
    seed: Annotated[
        str | None,
        typer.Option(
            "--seed", metavar="N", help="Other numbers of the same difficulty, chosen by this."
        ),
    ] = None
    place: Annotated[
        str | None,
        typer.Option(
            "--place", metavar="FILE",
            help="Where to keep how far you are; by default, in a terminal, in your own folder "
            "for such things.",
        ),
    ] = None  # fmt: skip
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew, whatever was answered before.")
    ] = False
    decimals: options.Decimals = None
    rounding: options.RoundingOption = None
    set_: options.Sets = None
    files_outside: options.FilesOutside = False
    large: options.Large = False

    @property
    def changes(self) -> "list[str | Change]":
        """What is changed in the scenario."""
        return changes_of(self.set_, self.decimals, self.rounding)

    @property
    def part(self) -> Excerpt:
        """The part of the trace that is asked about, besides its steps."""
        return Excerpt(self.token, self.layer, self.head)


@taking(PracticeArguments)
def command(typed: PracticeArguments) -> None:
    """Practise number by number, and hear at once what follows.

    A wrong number is told from a known mistake, `?` gives a hint, and you may go on from your own
    number. Answers may come from a file or a pipe too, one a line. Exit status 0 if all that was
    answered is right, 1 if something isn't.

    Examples:

      attn practice i_love_ai --step softmax

      attn practice i_love_ai --step scores --token love --rows

      attn practice yassine_rnn --seed 3 --fresh

      attn practice exam.yaml --place mine.json
    """
    from attncli.cli.practising import practise

    if not practise(typed):
        raise typer.Exit(1)
