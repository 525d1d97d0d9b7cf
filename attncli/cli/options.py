"""Arguments and options that commands share, and their completion in a shell."""

from __future__ import annotations

from typing import Annotated

import typer

from attncli.choices import BLANKS, DETAILS, KEYS, POLICIES
from attncli.render import exercise_format_names, format_names


def complete_scenario(incomplete: str) -> list[str]:
    """The shipped scenarios whose names begin so."""
    from attncli.scenario import shipped

    return [name for name in shipped.names() if name.startswith(incomplete)]


def complete_step(incomplete: str) -> list[str]:
    """The steps whose names begin so."""
    from attncli.steps.order import STORY

    return [name for name in STORY if name.startswith(incomplete)]


def complete_detail(incomplete: str) -> list[str]:
    """The details whose names begin so."""
    return [name for name in DETAILS if name.startswith(incomplete)]


def complete_policy(incomplete: str) -> list[str]:
    """The rounding policies whose names begin so."""
    return [name for name in POLICIES if name.startswith(incomplete)]


def complete_blank(incomplete: str) -> list[str]:
    """What can be taken out, as far as it begins so."""
    return [name for name in BLANKS if name.startswith(incomplete)]


def complete_key(incomplete: str) -> list[str]:
    """The places of a key that begin so."""
    return [name for name in KEYS if name.startswith(incomplete)]


def complete_exercise_format(incomplete: str) -> list[str]:
    """The formats of exercises whose names begin so."""
    names = [*format_names(), *exercise_format_names()]
    return [name for name in names if name.startswith(incomplete)]


def complete_format(incomplete: str) -> list[str]:
    """The formats whose names begin so."""
    return [name for name in format_names() if name.startswith(incomplete)]


ScenarioArgument = Annotated[
    str,
    typer.Argument(
        metavar="SCENARIO",
        help="A scenario file, or the name of a shipped one.",
        autocompletion=complete_scenario,
    ),
]
ScenarioOrUsual = Annotated[
    str,
    typer.Argument(
        metavar="[SCENARIO]",
        help="A scenario file, or the name of a shipped one.",
        autocompletion=complete_scenario,
        show_default=True,
    ),
]
Steps = Annotated[
    list[str] | None,
    typer.Option(
        "--step",
        metavar="NAME",
        help="Only this step; may be repeated. `attn list steps` names them.",
        autocompletion=complete_step,
    ),
]
Token = Annotated[
    str | None, typer.Option("--token", metavar="TOKEN", help="Only the rows of this query.")
]
LayerOption = Annotated[
    str | None,
    typer.Option("--layer", metavar="N", help="Only this layer: 2, or encoder.1."),
]
HeadOption = Annotated[
    str | None, typer.Option("--head", metavar="N", help="Only this head, counted from 1.")
]
FilesOutside = Annotated[
    bool,
    typer.Option("--files-outside", help="Read matrices from outside the scenario's folder too."),
]
Large = Annotated[
    bool,
    typer.Option("--large", help="Do what takes long or much memory too."),
]
Cells = Annotated[
    list[str] | None,
    typer.Option(
        "--cell",
        metavar="CELL",
        help="Only the working of this cell, 'weights[love, AI]'; may be repeated.",
    ),
]
Decimals = Annotated[
    str | None,
    typer.Option("--decimals", metavar="N", help="Decimals of every step, for this run."),
]
RoundingOption = Annotated[
    str | None,
    typer.Option(
        "--rounding",
        metavar="|".join(POLICIES),
        help="The rounding policy, for this run.",
        autocompletion=complete_policy,
    ),
]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Another value for this run: scale=none, 'W_K[1,2]=0'; may be repeated.",
    ),
]
DetailOption = Annotated[
    str,
    typer.Option(
        "--detail",
        metavar="|".join(DETAILS),
        help="Tables only, one line a row, or every cell.",
        autocompletion=complete_detail,
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="|".join(format_names()),
        help="The output format; by default terminal, or as -o's suffix says.",
        autocompletion=complete_format,
    ),
]
ExerciseFormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="|".join([*format_names(), *exercise_format_names()]),
        help="The output format; by default terminal, or as -o's suffix says.",
        autocompletion=complete_exercise_format,
    ),
]
Allow = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        metavar="RULE",
        help="Numbers needn't keep this rule; may be repeated. The README lists them.",
    ),
]
Output = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to a file, whole or not at all."),
]
Force = Annotated[bool, typer.Option("--force", help="Write over an existing file.")]
Fragment = Annotated[
    bool,
    typer.Option("--fragment", help="Without preamble, to be read into a document of your own."),
]
