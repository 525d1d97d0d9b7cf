"""An exercise as it is ordered on the command line: each option is said here, and nowhere else."""

# no lazy annotations here: Typer reads them
from typing import TYPE_CHECKING, Annotated

import typer

from attncli.choices import BLANKS, DETAILS, KEYS
from attncli.cli import options
from attncli.cli.arguments import Excerpt, changes_of
from attncli.records import NamedTuple

if TYPE_CHECKING:
    from attncli.file.changes import Change


class ExerciseArguments(NamedTuple):
    """What was typed."""

    context: typer.Context
    scenario: options.ScenarioArgument
    step: options.Steps = None
    layer: options.LayerOption = None
    head: options.HeadOption = None
    token: options.Token = None
    cell: Annotated[
        list[str] | None,
        typer.Option(
            "--cell",
            metavar="CELL",
            help="Ask only for this cell, 'weights[love, AI]' or a given one; may be repeated.",
        ),
    ] = None
    blank: Annotated[
        str,
        options.choice(
            "--blank",
            lambda: BLANKS,
            "What is taken out: results, the terms inside lines of working, both, a share.",
            "|".join((*BLANKS[:-1], "random:SHARE")),
        ),
    ] = BLANKS[0]
    points: Annotated[
        list[str] | None,
        typer.Option(
            "--points",
            metavar="[STEP=]N",
            help="Points of a blank, of all steps or of one: softmax=2; may be repeated.",
        ),
    ] = None
    key: Annotated[
        str | None,
        options.choice(
            "--key",
            lambda: KEYS,
            "Where the key goes; by default into a file of its own in a folder, else behind"
            " the sheet.",
        ),
    ] = None
    hints: Annotated[bool, typer.Option("--hints", help="A sheet of hints as well.")] = False
    forms: Annotated[
        str | None,
        typer.Option(
            "--forms", metavar="N", help="So many forms, A to Z and on, each with other numbers."
        ),
    ] = None
    seed: Annotated[
        str, typer.Option("--seed", metavar="N", help="Chooses the forms and random blanks.")
    ] = "1"
    allow: options.Allow = None
    mistakes: Annotated[
        str | None,
        typer.Option(
            "--mistakes",
            metavar="PERCENT",
            help="Tell known mistakes by what they give: in the key, and for this share of the"
            " points in Moodle (50 there if nothing is said).",
        ),
    ] = None
    stress: Annotated[
        str | None,
        typer.Option(
            "--stress",
            metavar="N",
            help="Write nothing, but make N variants and derive each key again independently.",
        ),
    ] = None
    decimals: options.Decimals = None
    rounding: options.RoundingOption = None
    set_: options.Sets = None
    detail: Annotated[
        str | None,
        options.choice(
            "--detail",
            lambda: DETAILS,
            "Tables only (for results the default), one line a row, or every cell.",
        ),
    ] = None
    form: options.ExerciseFormatOption = None
    fragment: options.Fragment = False
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE|FOLDER", help="A file, or a folder for several."
        ),
    ] = None
    files_outside: options.FilesOutside = False
    large: options.Large = False
    force: options.Force = False

    @property
    def changes(self) -> "list[str | Change]":
        """What is changed in the scenario."""
        return changes_of(self.set_, self.decimals, self.rounding)

    @property
    def part(self) -> Excerpt:
        """The part of the trace that is asked about, besides its steps."""
        return Excerpt(self.token, self.layer, self.head)
