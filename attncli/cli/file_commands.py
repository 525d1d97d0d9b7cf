"""`attn design`, `new`, `validate`, `schema`, `site`: files; `list`, `help`: what there is."""

from typing import Any

import typer

from attncli.classroom.arguments import SiteArguments
from attncli.classroom.designs import DesignArguments
from attncli.cli import options
from attncli.cli.calling import taking
from attncli.cli.errors import complaining
from attncli.commands import files as scenario_files
from attncli.commands.arguments import Output, PageOptions
from attncli.commands.files import (
    LISTS,
    SCHEMAS,
    HelpArguments,
    ListArguments,
    NewArguments,
    SchemaArguments,
    ValidateArguments,
)
from attncli.commands.pages import WITHOUT
from attncli.efforts import SHEETS, WORKING, Effort

_DESIGN = {
    "context": typer.Context,
    "scenario": options.one_of(
        "[SCENARIO]",
        options.scenarios,
        "A scenario file or a shipped one, or an exercise file, to make forms of; without one, a"
        " new scenario is made.",
    ),
    "forms": options.text(
        "--forms", "N", "So many forms that cost the same, and a table of what they cost."
    ),
    "tokens": options.text("--tokens", "N", "How many words, 2 to 8."),
    "d_model": options.text("--d-model", "N", "The dimensions of the embeddings, 1 to 8."),
    "heads": options.text("--heads", "N", "How many heads share these dimensions equally."),
    "seed": options.text("--seed", "N", "Chooses the numbers; the same seed gives the same bytes."),
    "decimals": options.text("--decimals", "N", "The decimals of every step."),
    "output": options.output(
        "FILE|FOLDER", "A file for the scenario or the table; a folder for forms and the table."
    ),
}


@taking(DesignArguments, WITHOUT["design"], own=_DESIGN, effort=SHEETS)
def design(typed: DesignArguments) -> Output:
    """Make a new scenario, or forms that cost the same.

    The table of forms says what each is worth, how much there is to multiply, and which known
    mistakes show in it. The forms of a scenario are those of `attn exercise` with the same seed.

    Examples:

      attn design --tokens 3 --d-model 2 --heads 1 --seed 7 -o mine.yaml

      attn design --tokens 7 --d-model 4 --heads 2 --allow sums

      attn design i_love_ai --forms 4 --step scores --step softmax

      attn design --forms 4 -o forms/
    """
    from attncli.classroom import designs

    return designs.design(typed)


_NEW = {
    "file": options.argument("FILE", "The file to write."),
    "from_": options.text(
        "--from",
        "FOLDER",
        "The scenario of a checkpoint: of a folder with `config.json` and"
        " `model.safetensors` (or several, with their index).",
    ),
    "tokens": options.text(
        "--tokens",
        "IDS",
        "With `--from`: the IDs of its tokens, `5,17,2`; or a text, where a"
        " `tokenizer.json` stands beside it.",
    ),
    "encoder_tokens": options.text(
        "--encoder-tokens",
        "IDS",
        "With `--from` a model that has an encoder: the IDs of what that reads, or a text.",
    ),
    "encoder_states": options.text(
        "--encoder-states",
        "FILE",
        "With `--from` a model that has an encoder: what that made, [m, d_model], in a"
        " file, `.npy`, `.npz` or `.safetensors`; the encoder itself is left out.",
    ),
    "picture": options.text(
        "--picture",
        "FILE",
        "With `--from` a model that sees: the file of a picture's pixels, `.npy` or"
        " `.npz`, [channels, height, width].",
    ),
    "spectrogram": options.text(
        "--spectrogram",
        "FILE",
        "With `--from` a model that hears: the file of a sound's log-mel spectrogram, `.npy` or"
        " `.npz`, [channels, frames].",
    ),
}


@taking(NewArguments, own=_NEW)
def new(typed: NewArguments) -> Output:
    """Write a scenario to start from, or that of a checkpoint.

    Examples:

      attn new mine.yaml && attn run mine.yaml

      attn new model.yaml --from checkpoint/ --tokens 5,17,2

      attn new model.yaml --from checkpoint/ --tokens "I love AI"

      attn new model.yaml --from bart/ --encoder-tokens 5,17,2 --tokens 2,0

      attn new model.yaml --from whisper/ --spectrogram mel.npy --tokens 2,0
    """
    return scenario_files.new(typed)


_VALIDATE = {"files": options.arguments("FILE...", "Scenario files.")}


@taking(ValidateArguments, own=_VALIDATE, effort=WORKING)
def validate(typed: ValidateArguments) -> Output:
    """Check scenario files, and say every problem of each.

    A file without problems gets a line saying what it holds.

    Example:

      attn validate scenarios/*.yaml
    """
    return scenario_files.validate(typed)


_SCHEMA = {
    "which": options.one_of(
        "[scenario|output]",
        lambda: SCHEMAS,
        "Of scenario files, or of what `--format json` writes.",
    )
}


@taking(SchemaArguments, own=_SCHEMA)
def schema(typed: SchemaArguments) -> Output:
    """Print the JSON Schema of scenario files, for editors.

    Or that of what is written as JSON.

    Examples:

      attn schema > attn.schema.json

      attn schema output
    """
    return scenario_files.schema(typed)


_LIST = {"what": options.one_of("[scenarios|steps]", lambda: LISTS, "What to list.")}


@taking(ListArguments, own=_LIST)
def list_(typed: ListArguments) -> Output:
    """List the shipped scenarios, or the steps with what they do.

    Examples:

      attn list

      attn list steps
    """
    return scenario_files.list_(typed)


_LONGEST = 100
"""The characters of a sentence on a command that is told whole."""


def welcome(commands: Any) -> None:  # noqa: ANN401
    """Shows where to start, the scenarios and the commands, which a group has."""
    from attncli.document.blocks import DefinitionList, Subheading
    from attncli.pages.catalogue import scenarios_catalogue

    each = commands.commands.items()
    rows = [(f"attn {name}", (value.get_short_help_str(_LONGEST),)) for name, value in each]
    with complaining():
        page = scenarios_catalogue(Subheading(("Commands",)), DefinitionList(tuple(rows)))
        PageOptions().deliver(page)


def _names() -> list[str]:
    from attncli.pages.catalogue import topics

    return [*topics()]


_HELP = {
    "topic": options.one_of(
        "[TOPIC]", _names, "A topic, a key, a step, an option or a value; without one, the topics."
    )
}


@taking(HelpArguments, own=_HELP)
def help_(typed: HelpArguments) -> Output:
    """Print the reference, or what it says of a word.

    It tells of scenario files, rounding, exercises and options.

    Examples:

      attn help

      attn help scenario

      attn help softcap
    """
    return scenario_files.help_(typed)


_SITE = {
    "folder": options.argument("FOLDER", "The folder to write."),
    "from_": options.text(
        "--from", "FOLDER", "The scenario files of this folder, in place of the shipped ones."
    ),
}


@taking(SiteArguments, own=_SITE, effort=Effort(steps=3, numbers=20, memory=8))
def site(typed: SiteArguments) -> Output:
    """Write scenarios as a small website with lessons and sheets.

    It needs no server: begin at its index.html.

    Examples:

      attn site course/

      attn site course/ --from my_scenarios/
    """
    from attncli.web import site

    return site.site(typed)
