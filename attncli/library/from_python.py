"""The commands as functions of a program: `attncli.run("i_love_ai", step="softmax")`.

They take what the command takes, by the same names (`set_` for `--set`, `form` for `--format`), as
texts or as numbers, and give what it writes: a page, which shows itself and has `page(format)`, a
text, or files by their names. Only where there is an `output` is anything written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

from attncli.commands.arguments import FilesOutput, Output, PageOutput, TextOutput
from attncli.commands.declaring import REQUIRED, Field, command_named
from attncli.errors import UserError
from attncli.library.notebook import ShownPart


def function_of(name: str) -> Callable[..., Any]:
    """Makes a function of a command."""
    command = command_named(name)
    fields = {field.name: field for field in command.fields if field.option is not None}
    signature = Signature([_parameter(field) for field in fields.values()])

    def function(*given: Any, **data: Any) -> Any:  # noqa: ANN401
        typed = signature.bind(*given, **data).arguments
        texts = {key: _as_typed(typed[key], fields[key].kind) for key in typed}
        return _given(command(command.asked(texts)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{command.help}\n\nTakes what `attn {name}` takes, by the same names."
    vars(function)["__signature__"] = signature
    return function


def _parameter(field: Field) -> Parameter:
    """Returns what a function takes: by its place what is typed without an option, all else by
    name."""
    is_required = field.default is REQUIRED
    is_placed = field.option is not None and not field.option.flags
    return Parameter(
        field.name,
        Parameter.POSITIONAL_OR_KEYWORD if is_placed else Parameter.KEYWORD_ONLY,
        default=Parameter.empty if is_required else field.default,
    )


def _as_typed(value: Any, kind: type) -> Any:  # noqa: ANN401
    """Returns a value as somebody types it: numbers and paths as texts, what may be repeated as a
    list."""
    if value is None or isinstance(value, bool | Mapping):
        return value
    if kind is list:
        return [str(value)] if isinstance(value, str | Path) else [str(data) for data in value]
    return str(value)


def _given(made: Output) -> Any:  # noqa: ANN401
    """Returns what a program gets, and writes it where it has a place. Raises UserError of what
    couldn't be done."""
    if _place_of(made):
        made.write()
    if made.wrong:
        raise UserError([p for problems in made.wrong for p in problems])
    if isinstance(made, PageOutput):
        return ShownPart(made.page, made.status)
    return made.text if isinstance(made, TextOutput) else dict(made.texts)


def _place_of(made: Output) -> str | None:
    """Returns the file or the folder that an output is for; None where a command would print it."""
    match made:
        case PageOutput():
            return made.options.output
        case TextOutput():
            return made.output
        case FilesOutput():
            return made.folder
