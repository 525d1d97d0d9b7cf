"""Arguments and options that commands share, and their completion in a shell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import typer

from attncli.choices import DETAILS, POLICIES
from attncli.render import page_format_names, paper_format_names


def beginning(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """What a shell offers to complete: those of the names that begin as what is there."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def scenarios() -> Iterable[str]:
    """The names of shipped scenarios."""
    from attncli.file import shipped

    return shipped.names()


def _steps() -> Iterable[str]:
    from attncli.steps.order import STORY

    return STORY


def choice(
    option: str, names: Callable[[], Iterable[str]], says: str, metavar: str | None = None
) -> Any:  # noqa: ANN401
    """An option for one of some names."""
    shown = metavar or "|".join(names())
    return typer.Option(option, metavar=shown, help=says, autocompletion=beginning(names))


def scenario(says: str, metavar: str = "SCENARIO") -> Any:  # noqa: ANN401
    """An argument for a scenario; one in brackets may be left out."""
    return typer.Argument(
        metavar=metavar,
        help=says,
        autocompletion=beginning(scenarios),
        show_default=not metavar.startswith("["),
    )


SCENARIO_OR_USUAL = Annotated[
    str,
    scenario(
        "A scenario file, or the name of a shipped one; by default i_love_ai, or an example "
        "of the step.",
        "[SCENARIO]",
    ),
]
_BY_SUFFIX = "The output format; by default terminal, or as -o's suffix says."
_PICTURES = (
    " `html` is one file in which every number can be asked where it comes from; `svg` has"
    " the pictures of the page alone; `xlsx` is a workbook whose numbers are formulas; `npz`"
    " and `safetensors` have the quantities alone; `pdf`, `xlsx` and `safetensors` need"
    " `pip install 'attncli[pdf,xlsx,safetensors]'`."
)
EXERCISE_FORMAT = Annotated[str | None, choice("--format", paper_format_names, _BY_SUFFIX)]

OPTIONS: Mapping[str, Any] = {
    "scenario": Annotated[str, scenario("A scenario file, or the name of a shipped one.")],
    "step": Annotated[
        list[str] | None,
        choice(
            "--step",
            _steps,
            "Only this step; may be repeated. `attn list steps` names them.",
            "NAME",
        ),
    ],
    "token": Annotated[
        str | None,
        typer.Option(
            "--token",
            metavar="TOKEN",
            help="Only the rows of this query: `love`, or its position `2`.",
        ),
    ],
    "layer": Annotated[
        str | None,
        typer.Option("--layer", metavar="N", help="Only this layer: `2`, or `encoder.1`."),
    ],
    "head": Annotated[
        str | None, typer.Option("--head", metavar="N", help="Only this head, counted from 1.")
    ],
    "files_outside": Annotated[
        bool,
        typer.Option(
            "--files-outside", help="Read matrices from outside the scenario's folder too."
        ),
    ],
    "large": Annotated[
        bool,
        typer.Option(
            "--large", help="Do what takes more than some five seconds or a gigabyte too."
        ),
    ],
    "cell": Annotated[
        list[str] | None,
        typer.Option(
            "--cell",
            metavar="CELL",
            help="Only the working of this cell, with no term left out: `'weights[love, AI]'`, "
            "`'layers[1].heads[2].weights[love, AI]'`; may be repeated.",
        ),
    ],
    "decimals": Annotated[
        str | None,
        typer.Option("--decimals", metavar="N", help="The decimals of every step, for this run."),
    ],
    "rounding": Annotated[
        str | None,
        choice("--rounding", lambda: POLICIES, "The rounding policy, for this run."),
    ],
    "set_": Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Another value for this run: `scale=none`, `'W_K[1,2]=0'`, "
            "`rounding.steps.softmax=4`; may be repeated.",
        ),
    ],
    "detail": Annotated[
        str | None,
        choice(
            "--detail",
            lambda: DETAILS,
            "`summary`: each head's weights, the result, and what was found; `rows`: one row of "
            "each table worked; `full`: every cell. By default `full`, or `rows` where that would "
            "be long; JSON is always told in full by default.",
        ),
    ],
    "form": Annotated[str | None, choice("--format", page_format_names, _BY_SUFFIX + _PICTURES)],
    "allow": Annotated[
        list[str] | None,
        typer.Option(
            "--allow",
            metavar="RULE",
            help="Numbers needn't keep this rule; may be repeated. `attn help exercise` lists "
            "them.",
        ),
    ],
    "pictures": Annotated[
        bool,
        typer.Option(
            "--pictures",
            help="With the pictures of the page, which `html`, `pdf` and `svg` have anyway.",
        ),
    ],
    "gradient_check": Annotated[
        bool,
        typer.Option(
            "--gradient-check",
            help="The page ends with each gradient beside a central difference of the loss.",
        ),
    ],
    "values_only": Annotated[
        bool,
        typer.Option("--values-only", help="JSON without texts: names, shapes, labels and values."),
    ],
    "output": Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write to a file, whole or not at all."
        ),
    ],
    "force": Annotated[bool, typer.Option("--force", help="Write over an existing file.")],
    "fragment": Annotated[
        bool,
        typer.Option(
            "--fragment",
            help="LaTeX without a preamble, to be read into a document of your own that loads "
            "amsmath and booktabs (of an exercise: an `exam` document).",
        ),
    ],
}
"""What several commands are asked for alike, by the names of its values."""
