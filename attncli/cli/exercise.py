"""`attn exercise`: worksheets, keys and hints. Each option is said here, and nowhere else."""

# no lazy annotations here: Typer reads them
from typing import Annotated, NamedTuple

import typer

from attncli.choices import BLANKS, DETAILS, KEYS, LANGUAGES, LAYOUTS
from attncli.cli import options
from attncli.cli.arguments import Allowed, Excerpt, ForThisRun, Made, taking
from attncli.cli.command import command_line


class ExerciseArguments(NamedTuple):
    """What was typed."""

    context: typer.Context
    scenario: Annotated[
        str,
        options.scenario(
            "A scenario file, or the name of a shipped one; or an exercise file, which says by "
            "itself what is asked."
        ),
    ]
    part: Excerpt = Excerpt()
    cell: Annotated[
        list[str] | None,
        typer.Option(
            "--cell",
            metavar="CELL",
            help="Ask only for this cell, `'weights[love, AI]'`; one of a given matrix, "
            "`'W_Q[1, 2]'`, is asked for only so; may be repeated.",
        ),
    ] = None
    ask: Annotated[
        list[str] | None,
        typer.Option(
            "--ask",
            metavar="QUESTION[:written]",
            help="Ask something that is answered in words, chosen from a list, or written: "
            "`attends_most`, or one alone, `'attends_most[love]'`; `merged`, `which_mask`; may be "
            "repeated.",
        ),
    ] = None
    blank: Annotated[
        str,
        options.choice(
            "--blank",
            lambda: BLANKS,
            "What is taken out: `results`, the terms inside the lines of `working`, `all` of "
            "both, or a seeded share of both, `random:0.4`.",
            "|".join((*BLANKS[:-1], "random:SHARE")),
        ),
    ] = BLANKS[0]
    points: Annotated[
        list[str] | None,
        typer.Option(
            "--points",
            metavar="[NAME=]N",
            help="Points of a blank: of all, of those of a step, `softmax=2`, or of a quantity, "
            "`exp=0.5`; 1 if nothing is said; may be repeated.",
        ),
    ] = None
    key: Annotated[
        str | None,
        options.choice(
            "--key",
            lambda: KEYS,
            "Where the key goes: nowhere (`none`), behind the sheet in the same file "
            "(`embedded`, the default), or into a file of its own (`separate`, the default in "
            "a folder). A sheet in `html` checks itself, and no key goes into its file.",
        ),
    ] = None
    hints: Annotated[
        bool,
        typer.Option(
            "--hints",
            help="A sheet of hints as well: each step in words, formulas and names, without a "
            "number; questions for Moodle and QTI have them anyway.",
        ),
    ] = False
    forms: Annotated[
        str | None,
        typer.Option(
            "--forms",
            metavar="N",
            help="So many forms, A to Z, then A1 and on, each with other numbers of the same "
            "difficulty.",
        ),
    ] = None
    students: Annotated[
        str | None,
        typer.Option(
            "--students",
            metavar="LIST",
            help="A sheet for each student of a CSV list with the columns name, ID and perhaps "
            "form, and all of them in one file to print; of an exercise file, into a folder.",
        ),
    ] = None
    seed: Annotated[
        str,
        typer.Option(
            "--seed",
            metavar="N",
            help="Chooses the numbers of forms and random blanks; the same seed gives the same "
            "bytes.",
        ),
    ] = "1"
    allow: options.Allow = None
    mistakes: Annotated[
        str | None,
        typer.Option(
            "--mistakes",
            metavar="PERCENT",
            help="Tell known mistakes by what they give: in the key, and for this share of the "
            "points in Moodle and QTI (50 there if nothing is said).",
        ),
    ] = None
    stress: Annotated[
        str | None,
        typer.Option(
            "--stress",
            metavar="N",
            help="Write nothing, but make N variants, and derive each key again with an "
            "independent oracle: say how difficult they are, and any disagreement (there must "
            "be none).",
        ),
    ] = None
    changed: ForThisRun = ForThisRun()
    detail: Annotated[
        str | None,
        options.choice(
            "--detail",
            lambda: DETAILS,
            "`summary`: tables to fill in, and room for the working (the default for "
            "results); `rows`: one line a row; `full`: every cell.",
        ),
    ] = None
    layout: Annotated[
        str,
        options.choice(
            "--layout",
            lambda: LAYOUTS,
            "How much room there is for the working: none, and smaller print (`compact`), some "
            "`lines` for each question, or `pages`, one at least for each.",
        ),
    ] = LAYOUTS[1]
    language: Annotated[
        str,
        options.choice(
            "--language",
            lambda: LANGUAGES,
            "The language of the program's own words on the papers; numbers keep their points.",
        ),
    ] = LANGUAGES[0]
    form: options.ExerciseFormatOption = None
    fragment: options.Fragment = False
    values_only: options.ValuesOnly = False
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|FOLDER",
            help="A file for one paper, a folder for several; all of them are written or none.",
        ),
    ] = None
    allowed: Allowed = Allowed()
    force: options.Force = False


@taking(ExerciseArguments)
def command(order: ExerciseArguments) -> Made:
    """Write an exercise: the student's sheet, the answer key, hints.

    Examples:

      attn exercise i_love_ai --step softmax

      attn exercise i_love_ai --step softmax --blank all --key none -o sheet.md

      attn exercise i_love_ai --forms 26 --seed 7 --format latex -o forms/

      attn exercise i_love_ai --step softmax --forms 30 --format moodle -o softmax.xml

      attn exercise i_love_ai --step softmax --forms 30 -o softmax.zip

      attn exercise exam.yaml --format latex -o exam/

      attn exercise exam.yaml -o exam/ --students list.csv

      attn exercise i_love_ai --step softmax --stress 1000
    """
    from attncli.cli.exercising.writing import fulfil

    return fulfil(order, command_line(order.context, leave_out=("output", "force")))
