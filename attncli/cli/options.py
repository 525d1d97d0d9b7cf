"""Arguments and options that commands share, and their completion in a shell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import typer

from attncli.formats import page_format_names, paper_format_names
from attncli.option_values import DETAILS, POLICIES


def beginning(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Returns what a shell offers to complete: those of the names that begin as what is there."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def scenarios() -> Iterable[str]:
    """Returns the names of shipped scenarios."""
    from attncli.scenario.file import shipped

    return shipped.names()


def _steps() -> Iterable[str]:
    from attncli.steps.order import STORY

    return STORY


def text(option: str, metavar: str, says: str) -> Any:  # noqa: ANN401
    return Annotated[str | None, typer.Option(option, metavar=metavar, help=says)]


def texts(option: str, metavar: str, says: str) -> Any:  # noqa: ANN401
    """Declares an option for a text that may be repeated."""
    return Annotated[list[str] | None, typer.Option(option, metavar=metavar, help=says)]


def flag(option: str, says: str) -> Any:  # noqa: ANN401
    """Declares an option that is said or not."""
    return Annotated[bool, typer.Option(option, help=says)]


def choice(
    option: str, names: Callable[[], Iterable[str]], says: str, metavar: str | None = None
) -> Any:  # noqa: ANN401
    """Declares an option for one of some names."""
    shown = metavar or "|".join(names())
    asked = typer.Option(option, metavar=shown, help=says, autocompletion=beginning(names))
    return Annotated[str | None, asked]


def output(metavar: str, says: str) -> Any:  # noqa: ANN401
    """Declares the option for where it goes."""
    return Annotated[str | None, typer.Option("--output", "-o", metavar=metavar, help=says)]


def argument(metavar: str, says: str) -> Any:  # noqa: ANN401
    """Declares a text without an option."""
    return Annotated[str, typer.Argument(metavar=metavar, help=says)]


def arguments(metavar: str, says: str) -> Any:  # noqa: ANN401
    """Declares texts without an option, one or more."""
    return Annotated[list[str], typer.Argument(metavar=metavar, help=says)]


def one_of(metavar: str, names: Callable[[], Iterable[str]], says: str) -> Any:  # noqa: ANN401
    """Declares a text without an option, which may be one of some names or left out."""
    asked = typer.Argument(metavar=metavar, help=says, autocompletion=beginning(names))
    return Annotated[str | None, asked]


def scenario(says: str, metavar: str = "SCENARIO") -> Any:  # noqa: ANN401
    """Declares an argument for a scenario; one in brackets may be left out."""
    asked = typer.Argument(
        metavar=metavar,
        help=says,
        autocompletion=beginning(scenarios),
        show_default=not metavar.startswith("["),
    )
    return Annotated[str, asked]


SCENARIO_OR_USUAL = scenario(
    "A scenario file, or the name of a shipped one; by default i_love_ai, or an example "
    "of the step.",
    "[SCENARIO]",
)
SCENARIO_OR_MODEL = scenario(
    "A scenario file, or the name of a shipped one; or none, with --from.", "[SCENARIO]"
)
_BY_SUFFIX = "The output format; by default terminal, or as -o's suffix says."
_PICTURES = (
    " `html` is one file in which every number can be asked where it comes from; `svg` has"
    " the pictures of the page alone; `xlsx` is a workbook whose numbers are formulas; `npz`"
    " and `safetensors` have the quantities alone; `pdf`, `xlsx` and `safetensors` need"
    " `pip install 'attncli[pdf,xlsx,safetensors]'`."
)
DETAILS_SAY = (
    "`summary`: each head's weights, the result, and what was found; `rows`: one row of each table"
    " worked; `full`: every cell. By default `full`, or `rows` where that would be long; JSON is"
    " always told in full by default."
)
EXERCISE_FORMAT = choice("--format", paper_format_names, _BY_SUFFIX)

OPTIONS: Mapping[str, Any] = {
    "scenario": scenario("A scenario file, or the name of a shipped one."),
    "step": Annotated[
        list[str] | None,
        typer.Option(
            "--step",
            metavar="NAME",
            help="Only this step; may be repeated. `attn list steps` names them.",
            autocompletion=beginning(_steps),
        ),
    ],
    "token": text("--token", "TOKEN", "Only the rows of this query: `love`, or its position `2`."),
    "layer": text("--layer", "N", "Only this layer: `2`, or `encoder.1`."),
    "head": text("--head", "N", "Only this head, counted from 1."),
    "files_outside": flag(
        "--files-outside", "Read matrices from outside the scenario's folder too."
    ),
    "large": flag(
        "--large",
        "Do what takes more than some five seconds or a gigabyte too, or is of over a thousand "
        "papers.",
    ),
    "cell": texts(
        "--cell",
        "CELL",
        "Only the working of this cell, with no term left out: `'weights[love, AI]'`, "
        "`'layers[1].heads[2].weights[love, AI]'`; may be repeated.",
    ),
    "decimals": text("--decimals", "N", "The decimals of every step, for this run."),
    "rounding": choice("--rounding", lambda: POLICIES, "The rounding policy, for this run."),
    "set_": texts(
        "--set",
        "KEY=VALUE",
        "Another value for this run: `scale=none`, `'W_K[1,2]=0'`, "
        "`rounding.steps.softmax=4`; may be repeated.",
    ),
    "detail": choice(
        "--detail",
        lambda: DETAILS,
        DETAILS_SAY,
    ),
    "form": choice("--format", page_format_names, _BY_SUFFIX + _PICTURES),
    "allow": texts(
        "--allow",
        "RULE",
        "Numbers needn't keep this rule; may be repeated. `attn help exercise` lists them.",
    ),
    "pictures": flag(
        "--pictures", "With the pictures of the page, which `html`, `pdf` and `svg` have anyway."
    ),
    "no_pager": flag(
        "--no-pager",
        "On a terminal, print pages that are longer than the screen instead of showing them in "
        "`less`, or what `ATTN_PAGER` names.",
    ),
    "gradient_check": flag(
        "--gradient-check",
        "The page ends with each gradient beside a central difference of the loss.",
    ),
    "from_": text(
        "--from",
        "FOLDER",
        "In the place of a scenario a model as `transformers` saves it: a folder with `config.json`"
        " and `model.safetensors`. Only what is shown is read, and worked.",
    ),
    "text": text(
        "--text", "TEXT", "With `--from`: what it reads, a text or the IDs of its tokens, `5,17,2`."
    ),
    "encoder_text": text(
        "--encoder-text",
        "TEXT",
        "With `--from` a model that has an encoder: what that reads, a text or IDs; `--text` is"
        " then the decoder's. By default both read the same, as the page says.",
    ),
    "values_only": flag("--values-only", "JSON without texts: names, shapes, labels and values."),
    "output": output("FILE", "Write to a file, whole or not at all."),
    "force": flag("--force", "Write over an existing file."),
    "fragment": flag(
        "--fragment",
        "LaTeX without a preamble, to be read into a document of your own that loads "
        "amsmath and booktabs (of an exercise: an `exam` document).",
    ),
}
"""What several commands are asked for alike, by the names of its values."""
