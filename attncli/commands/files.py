"""Scenarios as files, lists and the reference, each a function of a command."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from attncli.commands.arguments import Allowed, PageOptions, PageOutput, TextOutput, saved_models
from attncli.commands.declaring import argument, command, flag, text
from attncli.commands.file_kinds import SCENARIO, FileKind, file_kinds, kind_called
from attncli.commands.output import is_written, page_for
from attncli.commands.progress import show_no_more
from attncli.efforts import WORKING
from attncli.errors import BAD_INPUT, Complaints, UserError, listed, problem_lines
from attncli.names import Word
from attncli.output_files import OutputError, check_free
from attncli.plugins import COMMANDS, MODELS, plugins

if TYPE_CHECKING:
    from attncli.document.blocks import Document


class NewArguments(NamedTuple):
    """A request for a scenario file: its place, and the checkpoint that it is of, with what that
    reads."""

    what: Annotated[
        str,
        argument(
            "[scenario|exercise|exam] FILE",
            "The file to write, perhaps behind what it is to be. A file that is called so is one: "
            "`exam.yaml`, `midterm_exam.yaml`; any other is a scenario.",
            shows_default=False,
        ),
    ] = ""
    second: Annotated[
        str, argument("[FILE]", "The file, where it stands second.", shows_default=False)
    ] = ""
    from_: Annotated[
        str | None,
        text(
            "--from",
            "FOLDER",
            "The scenario of a checkpoint: of a folder with `config.json` and"
            " `model.safetensors` (or several, with their index).",
        ),
    ] = None
    tokens: Annotated[
        str,
        text(
            "--tokens",
            "IDS",
            "With `--from`: the IDs of its tokens, `5,17,2`; or a text, where a"
            " `tokenizer.json` stands beside it.",
        ),
    ] = "0,1,2"
    encoder_tokens: Annotated[
        str | None,
        text(
            "--encoder-tokens",
            "IDS",
            "With `--from` a model that has an encoder: the IDs of what that reads, or a text.",
        ),
    ] = None
    encoder_states: Annotated[
        str | None,
        text(
            "--encoder-states",
            "FILE",
            "With `--from` a model that has an encoder: what that made, [m, d_model], in a"
            " file, `.npy`, `.npz` or `.safetensors`; the encoder itself is left out.",
        ),
    ] = None
    picture: Annotated[
        str | None,
        text(
            "--picture",
            "FILE",
            "With `--from` a model that sees: the file of a picture's pixels, `.npy` or"
            " `.npz`, [channels, height, width].",
        ),
    ] = None
    spectrogram: Annotated[
        str | None,
        text(
            "--spectrogram",
            "FILE",
            "With `--from` a model that hears: the file of a sound's log-mel spectrogram, `.npy`"
            " or `.npz`, [channels, frames].",
        ),
    ] = None
    force: Annotated[bool, flag("--force", "Write over an existing file.")] = False


@command(NewArguments)
def new(typed: NewArguments) -> TextOutput:
    """Write a scenario, an exercise or an exam to start from.

    Each is commented and runs as it is. Or the scenario of a checkpoint. In a terminal, `attn new`
    alone offers what there is.

    Examples:

      attn new mine.yaml && attn run mine.yaml

      attn new exam midterm.yaml && attn exam midterm.yaml -o midterm/

      attn new model.yaml --from checkpoint/ --tokens 5,17,2

      attn new model.yaml --from checkpoint/ --tokens "I love AI"

      attn new model.yaml --from bart/ --encoder-tokens 5,17,2 --tokens 2,0

      attn new model.yaml --from whisper/ --spectrogram mel.npy --tokens 2,0
    """
    kinds = file_kinds()
    name, target = _wanted(typed, kinds)
    kind, large = kinds[name], False
    text = kind.text()
    if typed.from_ is not None:
        if name != SCENARIO:
            right = "leave --from out, or write a scenario"
            raise UserError.of(f"attn new {name}", "a checkpoint is a scenario", right)
        text, large = _of_checkpoint(typed, target)
    made = TextOutput(text, target, typed.force, _written(kind, name, target, large=large))
    file = Path(target)
    if target == "-" or (file.exists() and not file.is_file()):
        return made  # a stream or a device has nothing beside it
    beside = _SCHEMA if name == SCENARIO else f"attncli.{name}.schema.json"
    made = made._replace(text=_MODELINE.format(beside) + text)
    current = schema_text(name)
    if _says(file.parent / beside, current):
        return made
    says = f"{made.says}{beside} is written beside it; editors check and complete it by that\n"
    return made._replace(says=says, beside={beside: current})


_SCHEMA = "attncli.schema.json"
_MODELINE = "# yaml-language-server: $schema=./{}\n"
"""Where YAML language servers find the schema; they take a path from the file's folder."""


def _wanted(typed: NewArguments, kinds: Mapping[str, FileKind]) -> tuple[str, str]:
    """Returns the kind of file that is wanted, and its place. Raises UserError."""
    if typed.second:
        if typed.what not in kinds:
            raise UserError.of(typed.what, "no such kind of file", f"say {listed(kinds, ' or ')}")
        return typed.what, typed.second
    if typed.what in kinds:
        right = f"name one, like `attn new {typed.what} mine.yaml`"
        raise UserError.of(f"attn new {typed.what}", "which file to write isn't said", right)
    if typed.what:
        return kind_called(typed.what), typed.what
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        right = "name one, like `attn new mine.yaml`, or `attn new exam midterm.yaml`"
        raise UserError.of("attn new", "missing argument 'FILE'", right)
    return _chosen(kinds, force=typed.force)


def _chosen(kinds: Mapping[str, FileKind], *, force: bool) -> tuple[str, str]:
    """Offers the kinds of files to somebody in a terminal, and returns the one that is chosen, with
    its place. Asks again where an answer won't do. Raises UserError where somebody leaves."""
    show_no_more()
    for number, kind in enumerate(kinds.values(), start=1):
        print(f"{number}  {kind.says}")
    numbers = {str(number): name for number, name in enumerate(kinds, start=1)}
    while (said := _answered(f"Which one? [1 to {len(kinds)}] ")) not in {*numbers, *kinds}:
        print(f"Say a number from 1 to {len(kinds)}, or {listed(kinds)}.")
    name = numbers.get(said, said)
    usual = _usual("mine" if name == SCENARIO else name, force=force)
    while True:
        target = os.path.expanduser(_answered(f"File? [{usual}] ") or usual)  # noqa: PTH111 - a name too long is none
        try:
            _check_place(target, force=force)
        except OutputError as error:
            print(*problem_lines(error.problems), sep="\n")
        else:
            return name, target


def _usual(stem: str, *, force: bool) -> str:
    """Returns a name for a new file, with a number where the plain one is taken."""
    names = (f"{stem}{'' if k == 1 else f'_{k}'}.yaml" for k in count(1))
    return next(name for name in names if force or not os.path.lexists(name))


def _check_place(target: str, *, force: bool) -> None:
    """Raises OutputError where no file can be written to a place."""
    if target == "-":
        return
    check_free(target, force=force)
    folder = Path(target).parent
    if not folder.is_dir():
        raise OutputError.of(target, f"there is no folder {folder}", "choose another place")


def _answered(question: str) -> str:
    """Asks a question. Raises UserError at the end of the input, and KeyboardInterrupt."""
    try:
        return input(question).strip()
    except KeyboardInterrupt:
        print()
        raise
    except EOFError:
        print()
        right = "say which file, or name one like `attn new mine.yaml`"
        raise UserError.of("attn new", "nothing is written", right) from None


def _written(kind: FileKind, name: str, target: str, *, large: bool) -> str:
    """Tells that a file is written, and what can be done with it."""
    if name == SCENARIO or target == "-":
        return is_written(target, large=large)
    from attncli.maths.notation.escaping import printed
    from attncli.pages.parts.next_commands import typed

    file, stem = printed(Word(target)), printed(Word(Path(target).stem))
    then = kind.then.format(file=typed(file), stem=typed(stem))
    return f"{file} is written; {then}\n"


def _says(file: Path, text: str) -> bool:
    """Tells whether a file is there and says a text."""
    try:
        return file.is_file() and file.read_text("utf-8") == text
    except (OSError, ValueError):
        return False


def _of_checkpoint(typed: NewArguments, target: str) -> tuple[str, bool]:
    """Writes the scenario of a checkpoint, and tells whether it has more numbers than are read
    without being asked for. Raises UserError."""
    from attncli.scenario.file.emitting import emitted

    assert typed.from_ is not None
    place = Path() if target == "-" else Path(target).parent
    read = {"--tokens": typed.tokens, "--encoder-tokens": typed.encoder_tokens}
    files = {name: getattr(typed, name) for name in ("encoder_states", "picture", "spectrogram")}
    made = saved_models().scenario(typed.from_, place, read, files)
    return emitted(made.entries), made.is_large


class ValidateArguments(NamedTuple):
    """A request to check scenario files, and what these may read and cost."""

    files: Annotated[Sequence[str], argument("FILE...", "Scenario files, exams, exercises.")]
    allowed: Allowed = Allowed()


@command(ValidateArguments, effort=WORKING)
def validate(typed: ValidateArguments) -> TextOutput:
    """Check scenarios, exams and exercises: every problem of each.

    A file without problems gets a line saying what it holds.

    Example:

      attn validate scenarios/*.yaml
    """
    from attncli.commands.file_kinds import checked_by_kind
    from attncli.formats import summary_line
    from attncli.names import Word
    from attncli.pages.parts.sentences import published_in_short, summary
    from attncli.pages.parts.unused import ending_in_short
    from attncli.pipeline import work
    from attncli.trace.trace import outline_of

    complaints = [Complaints() for _ in typed.files]
    lines = []
    for file, heard in zip(typed.files, complaints, strict=True):
        with heard.heard():
            said = checked_by_kind(file, typed.allowed)
            if said is not None:
                lines.append(f"{file}: ok: {said}\n")
                continue
            trace = work(typed.allowed.load(file))
            words = (*summary(outline_of(trace)), published_in_short(trace), ending_in_short(trace))
            lines.append(f"{summary_line(Word(file), words)}\n")
    wrong = [heard.problems for heard in complaints if heard.problems]
    return TextOutput("".join(lines), status=BAD_INPUT if wrong else 0, wrong=wrong)


LISTS = ("scenarios", "steps")


class ListArguments(NamedTuple):
    """A request for a list."""

    what: Annotated[str, argument("[scenarios|steps]", "What to list.", lambda: LISTS)] = LISTS[0]


@command(ListArguments)
def list_(typed: ListArguments) -> PageOutput:
    """List the shipped scenarios, or the steps with what they do.

    Examples:

      attn list

      attn list steps
    """
    if typed.what not in LISTS:
        raise OutputError.of(typed.what, "there is no such list", f"say {' or '.join(LISTS)}")
    return PageOutput(_catalogue(typed.what), PageOptions())


def _catalogue(what: str) -> Document:
    if what == "steps":
        from attncli.pages.lesson import steps_catalogue

        return steps_catalogue()
    from attncli.pages.catalogue import scenarios_catalogue

    return scenarios_catalogue()


OUTPUT = "output"

_LINE = 120
"""Characters: what fits in a line has no more of them."""


class SchemaArguments(NamedTuple):
    """A request for a schema, and what that is of."""

    which: Annotated[
        str,
        argument(
            "[scenario|exercise|exam|output]",
            "Of scenario files, of exercises and exams, or of what `--format json` writes.",
            lambda: (*file_kinds(), OUTPUT),
        ),
    ] = SCENARIO


@command(SchemaArguments)
def schema(typed: SchemaArguments) -> TextOutput:
    """Print the JSON Schema of scenario files, for editors.

    Or that of exercises, of exams, or of what is written as JSON.

    Examples:

      attn schema > attn.schema.json

      attn schema exam

      attn schema output
    """
    known = (*file_kinds(), OUTPUT)
    if typed.which not in known:
        right = f"say {listed(known, ' or ')}"
        raise OutputError.of(typed.which, "there is no such schema", right)
    return TextOutput(schema_text(typed.which))


@cache
def schema_text(which: str) -> str:
    return _laid_out(_schema_of(which)) + "\n"


def _schema_of(which: str) -> dict[str, object]:
    if which == OUTPUT:
        from attncli.formats.output_schema import output_schema

        return output_schema()
    found = file_kinds()[which].schema()
    return found if "$schema" in found else {"$schema": _DRAFT, **found}


_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def _laid_out(value: object, indent: str = "") -> str:
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


def _topics() -> Iterable[str]:
    from attncli.pages.catalogue import topics

    return topics()


class HelpArguments(NamedTuple):
    """A request for the reference, or for what it says of a topic."""

    topic: Annotated[
        str | None,
        argument(
            "[TOPIC]",
            "A topic, a key, a step, an option or a value; without one, the topics.",
            _topics,
        ),
    ] = None


@command(HelpArguments)
def help_(typed: HelpArguments) -> PageOutput | TextOutput:
    """Print the reference, or what it says of a word.

    It tells of scenario files, rounding, exercises and options.

    Examples:

      attn help

      attn help scenario

      attn help softcap
    """
    if typed.topic is not None:
        return TextOutput(_reference(typed.topic))
    from attncli.pages.catalogue import topics_page

    return PageOutput(topics_page(), PageOptions())


def _reference(topic: str) -> str:
    from attncli.formats.reference import reference_text
    from attncli.pages.catalogue import topics

    found = topics()
    text = found[topic].text if topic in found else _said_of(topic)
    if topic in plugins(COMMANDS):
        text += f"\n`attn {topic} --help` lists what this command takes.\n"
    if not text:
        raise UserError.of(f"attn help {topic}", *_unknown(topic, found))
    return reference_text(text, page_for(None))


def _said_of(word: str) -> str:
    """Returns what the reference says of a word, and which questions about it are answered; else
    what is said of a family of models, or what is called nearly so and where it is spoken of."""
    from attncli.pages.catalogue import (
        entries,
        in_other_number,
        near_entries,
        spoken_of,
        topic_about,
        topics,
    )
    from attncli.pages.questions import questions_about

    said, about = entries(word), topic_about(word)
    if not said and topics().keys() & in_other_number(word):
        return ""
    if about is not None:
        more = f"\n`attn help {about.name}` tells more: {about.says}.\n"
        return f"{said}{more}" if said else about.text
    asked = "".join(
        f"* {question.title} `attn explain {question.key}`\n" for question in questions_about(word)
    )
    if said:
        return said + asked
    sought = f"attn {word}" if word in plugins(COMMANDS) else word
    return _told_of_models(word) or near_entries(word) + asked + spoken_of(sought)


def _told_of_models(topic: str) -> str:
    return saved_models().told(topic) if plugins(MODELS) else ""


def _unknown(word: str, found: Iterable[str]) -> tuple[str, str]:
    """Tells what is wrong with a word that the reference has nothing about, and what would be
    right."""
    from attncli.pages.catalogue import in_other_number, names
    from attncli.scenario.file.problems import almost
    from attncli.steps.schema import step_meant

    meant = step_meant(word)
    if meant is not None:
        return "there is no such topic, key or option", meant
    topics = [*found]
    near = next((topic for topic in topics if topic in in_other_number(word)), None)
    near = near or almost(word, [*topics, *names()])
    right = f"say one of {', '.join(topics)}, or `attn COMMAND --help` for a command"
    return "there is no such topic, key, step or option", f"did you mean {near}?" if near else right
