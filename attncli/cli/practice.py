"""`attn practice`: one number after the other, each met at once."""

# no lazy annotations here: Typer reads them
from typing import Annotated, NamedTuple

import typer

from attncli.cli import options
from attncli.cli.arguments import Allowed, Excerpt, ForThisRun, taking


class PracticeArguments(NamedTuple):
    """What was typed."""

    scenario: Annotated[
        str,
        options.scenario("A scenario file, the name of a shipped one, or an exercise file."),
    ]
    part: Excerpt = Excerpt()
    cell: Annotated[
        list[str] | None,
        typer.Option(
            "--cell", metavar="CELL",
            help="Ask only for this cell, `'weights[love, AI]'`; may be repeated.",
        ),
    ] = None  # fmt: skip
    ask: Annotated[
        list[str] | None,
        typer.Option(
            "--ask", metavar="QUESTION",
            help="Ask something that is answered in words, as `attn exercise` has it: "
            "`attends_most`; may be repeated.",
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
    changed: ForThisRun = ForThisRun()
    allowed: Allowed = Allowed()


@taking(PracticeArguments)
def command(typed: PracticeArguments) -> int:
    """Practise number by number, and hear at once what follows.

    A wrong number is told from a known mistake, `?` gives a hint, and you may go on from your own
    number. Answers may come from a file or a pipe too, one a line. Exit status 0 if all that was
    answered is right, 1 if something isn't.

    Examples:

      attn practice i_love_ai --step softmax

      attn practice i_love_ai --step scores --token love --rows

      attn practice i_love_ai --step softmax --ask attends_most

      attn practice yassine_rnn --seed 3 --fresh

      attn practice exam.yaml --place mine.json
    """
    from attncli.cli.practising import practise

    return 0 if practise(typed) else 1
