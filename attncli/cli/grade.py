"""`attn grade`: what answers files are worth, and what went wrong."""

# no lazy annotations here: Typer reads them
from typing import Annotated, NamedTuple

import typer

from attncli.choices import MARKS
from attncli.cli import options
from attncli.cli.arguments import Allowed, ForThisRun, Made, taking


class GradeArguments(NamedTuple):
    """What was typed."""

    scenario: Annotated[
        str,
        typer.Argument(
            metavar="EXERCISE|SCENARIO",
            help="The exercise file, with all of its forms, or the folder that was made of it, or "
            "this folder's manifest; or a scenario, where what is asked is read from the answers.",
        ),
    ]
    answers: Annotated[
        list[str],
        typer.Argument(
            metavar="ANSWERS...",
            help="Answers files: YAML, CSV, or the responses that Moodle exports; or a folder of "
            "them.",
        ),
    ]
    asked: Annotated[
        str | None,
        typer.Option(
            "--asked",
            metavar="FILE",
            help="An answers file with all that is asked, where the answers don't name it all; "
            "Moodle's responses need it.",
        ),
    ] = None
    points: Annotated[
        list[str] | None,
        typer.Option(
            "--points",
            metavar="[STEP=]N",
            help="Points of a blank, of all steps or of one, as for `attn exercise`; may be "
            "repeated.",
        ),
    ] = None
    marks: Annotated[
        str,
        options.choice(
            "--marks",
            lambda: MARKS,
            "`single`: a number has all its points or none; `method`: half of them for the "
            "method, where only the rounding or the writing down went wrong.",
        ),
    ] = MARKS[0]
    no_carry: Annotated[
        bool,
        typer.Option(
            "--no-carry",
            help="Each wrong number costs its points, also where it only follows from another or "
            "repeats a mistake.",
        ),
    ] = False
    otherwise: Annotated[
        float,
        typer.Option(
            "--otherwise",
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="The share of its points that a number earns which was worked in another right "
            "way, such as an exponential with the row's maximum subtracted: `0.5`.",
        ),
    ] = 1.0
    changed: ForThisRun = ForThisRun()
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="The output format, as of `attn run`; `csv` for the table of a class.",
        ),
    ] = None
    values_only: options.ValuesOnly = False
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|FOLDER",
            help="A file for the report or the table; a folder for a marked paper of each student "
            "as well.",
        ),
    ] = None
    allowed: Allowed = Allowed()
    force: options.Force = False


@taking(GradeArguments)
def command(order: GradeArguments) -> Made:
    """Mark answers: what each file is worth, and what went wrong.

    An answers file says which form of the exercise it belongs to. A wrong number costs once: what
    follows from it by the right working keeps its points. Of a folder, or of several papers, there
    is a table, with those that can't be marked and students of the list who handed nothing in.
    Exits with 0 if all is right, with 1 if something isn't, with 2 on bad input.

    Examples:

      attn grade i_love_ai answers.yaml

      attn grade exam.yaml answers/ -o marked/

      attn grade exam/ answers/ --format csv

      attn grade i_love_ai answers/ --format csv -o table.csv
    """
    from attncli.cli.grading import grade

    return grade(order)
