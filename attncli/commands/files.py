"""Scenarios as files, lists and the reference, each a function of a command."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from attncli.commands.arguments import Allowed, PageOptions, PageOutput, TextOutput
from attncli.commands.output import is_written, page_for
from attncli.errors import BAD_INPUT, Complaints, UserError
from attncli.output_files import OutputError

if TYPE_CHECKING:
    from attncli.document.blocks import Document


class NewArguments(NamedTuple):
    """A request for a scenario file: its place, and the checkpoint that it is of, with what that
    reads."""

    file: str
    from_: str | None = None
    tokens: str = "0,1,2"
    encoder_tokens: str | None = None
    encoder_states: str | None = None
    picture: str | None = None
    spectrogram: str | None = None
    force: bool = False


def new(typed: NewArguments) -> TextOutput:
    """Write a scenario to start from, or that of a checkpoint. Raises UserError."""
    from attncli.scenario import starter

    text, large = (starter.text(), False) if typed.from_ is None else _of_checkpoint(typed)
    made = TextOutput(text, typed.file, typed.force, is_written(typed.file, large=large))
    file = Path(typed.file)
    if typed.file == "-" or (file.exists() and not file.is_file()):
        return made  # a stream or a device has nothing beside it
    made = made._replace(text=_MODELINE + text)
    current = schema_text(SCHEMAS[0])
    if _says(file.parent / _SCHEMA, current):
        return made
    says = f"{made.says}{_SCHEMA} is written beside it; editors check and complete it by that\n"
    return made._replace(says=says, beside={_SCHEMA: current})


_SCHEMA = "attncli.schema.json"
_MODELINE = f"# yaml-language-server: $schema=./{_SCHEMA}\n"
"""Where YAML language servers find the schema; they take a path from the file's folder."""


def _says(file: Path, text: str) -> bool:
    """Tells whether a file is there and says a text."""
    try:
        return file.is_file() and file.read_text("utf-8") == text
    except (OSError, ValueError):
        return False


def _of_checkpoint(typed: NewArguments) -> tuple[str, bool]:
    """Writes the scenario of a checkpoint, and tells whether it has more numbers than are read
    without being asked for. Raises UserError."""
    from attncli.models.checkpoints import scenario_of_model
    from attncli.models.checkpoints.model_folder import Checkpoint
    from attncli.models.checkpoints.scenario_of_model import Inputs, reading_of
    from attncli.scenario.file.emitting import emitted
    from attncli.scenario.scenario import MOST_NUMBERS

    assert typed.from_ is not None
    checkpoint = Checkpoint.of(typed.from_)
    place = Path() if typed.file == "-" else Path(typed.file).parent
    folder = checkpoint.file.parent
    by_name = {"--tokens": typed.tokens, "--encoder-tokens": typed.encoder_tokens}
    read, of_encoder = (
        None if text is None else reading_of(option, text, folder, place)
        for option, text in by_name.items()
    )
    assert read is not None
    heard = (typed.encoder_states, typed.picture, typed.spectrogram)
    inputs = Inputs(read, of_encoder, *heard)
    text = emitted(scenario_of_model.scenario_of(checkpoint, place, inputs))
    return text, checkpoint.size > MOST_NUMBERS


class ValidateArguments(NamedTuple):
    """A request to check scenario files, and what these may read and cost."""

    files: Sequence[str]
    allowed: Allowed = Allowed()


def validate(typed: ValidateArguments) -> TextOutput:
    """Find every problem of scenario files; of one without any tell what it holds."""
    from attncli.formats import summary_line
    from attncli.names import Word
    from attncli.pages.parts.closing import ending_in_short
    from attncli.pages.parts.sentences import published_in_short, summary
    from attncli.pipeline import work
    from attncli.trace.trace import outline_of

    complaints = [Complaints() for _ in typed.files]
    lines = []
    for file, heard in zip(typed.files, complaints, strict=True):
        with heard.heard():
            trace = work(typed.allowed.load(file))
            words = (*summary(outline_of(trace)), published_in_short(trace), ending_in_short(trace))
            lines.append(f"{summary_line(Word(file), words)}\n")
    wrong = [heard.problems for heard in complaints if heard.problems]
    return TextOutput("".join(lines), status=BAD_INPUT if wrong else 0, wrong=wrong)


LISTS = ("scenarios", "steps")


class ListArguments(NamedTuple):
    """A request for a list."""

    what: str = LISTS[0]


def list_(typed: ListArguments) -> PageOutput:
    """List the shipped scenarios, or the steps with what they do. Raises UserError."""
    if typed.what not in LISTS:
        raise OutputError.of(typed.what, "there is no such list", f"say {' or '.join(LISTS)}")
    return PageOutput(_catalogue(typed.what), PageOptions())


def _catalogue(what: str) -> Document:
    if what == "steps":
        from attncli.pages.lesson import steps_catalogue

        return steps_catalogue()
    from attncli.pages.catalogue import scenarios_catalogue

    return scenarios_catalogue()


SCHEMAS = ("scenario", "output")

_LINE = 120
"""Characters: what fits in a line has no more of them."""


class SchemaArguments(NamedTuple):
    """A request for a schema, and what that is of."""

    which: str = SCHEMAS[0]


def schema(typed: SchemaArguments) -> TextOutput:
    """Return the JSON Schema of scenario files, or of what is written as JSON. Raises UserError."""
    if typed.which not in SCHEMAS:
        right = f"say {' or '.join(SCHEMAS)}"
        raise OutputError.of(typed.which, "there is no such schema", right)
    return TextOutput(schema_text(typed.which))


@cache
def schema_text(which: str) -> str:
    return _laid_out(_schema_of(which)) + "\n"


def _schema_of(which: str) -> dict[str, Any]:
    if which == "output":
        from attncli.formats.output_schema import output_schema

        return output_schema()
    from attncli.steps.schema import json_schema

    return json_schema()


def _laid_out(value: Any, indent: str = "") -> str:  # noqa: ANN401
    """Writes JSON in which only what is too long for a line has a line for each of its parts."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= _LINE or not isinstance(value, dict | list):
        return line
    deeper = indent + "  "
    if isinstance(value, list):
        parts, brackets = [_laid_out(part, deeper) for part in value], "[]"
    else:
        parts = [f"{json.dumps(key)}: {_laid_out(part, deeper)}" for key, part in value.items()]
        brackets = "{}"
    inside = f",\n{deeper}".join(parts)
    return f"{brackets[0]}\n{deeper}{inside}\n{indent}{brackets[1]}"


class HelpArguments(NamedTuple):
    """A request for the reference, or for what it says of a topic."""

    topic: str | None = None


def help_(typed: HelpArguments) -> PageOutput | TextOutput:
    """List the reference's topics, or tell what it says of one or of a word. Raises UserError."""
    if typed.topic is not None:
        return TextOutput(_reference(typed.topic))
    from attncli.pages.catalogue import topics_page

    return PageOutput(topics_page(), PageOptions())


def _reference(topic: str) -> str:
    from attncli.formats.reference import reference_text
    from attncli.models.checkpoints.told import told_of_models
    from attncli.pages.catalogue import entries, topics

    found = topics()
    text = found[topic].text if topic in found else entries(topic) or told_of_models(topic)
    if not text:
        raise UserError.of(f"attn help {topic}", *_unknown(topic, found))
    return reference_text(text, page_for(None))


def _unknown(word: str, found: Iterable[str]) -> tuple[str, str]:
    """Tells what is wrong with a word that the reference has nothing about, and what would be
    right."""
    from attncli.steps.schema import step_meant

    meant = step_meant(word)
    if meant is not None:
        return "there is no such topic, key or option", meant
    right = f"say one of {', '.join(found)}, or `attn COMMAND --help` for a command"
    return "there is no such topic, key, step or option", right
