"""The commands as functions of a program: `attncli.run("i_love_ai", step="softmax")`.

They take what the command takes, by the same names (`set_` for `--set`, `form` for `--format`), as
texts or as numbers, and give what it writes: a page, which shows itself and has `page(format)`, a
text, or files by their names. Only where there is an `output` is anything written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

from attncli.classroom import arguments as exercise_arguments
from attncli.commands.arguments import (
    REQUIRED,
    Arguments,
    FilesOutput,
    Output,
    PageOutput,
    TextOutput,
    fields_of,
    recorded,
)
from attncli.commands.pages import WITHOUT
from attncli.errors import UserError
from attncli.library.notebook import ShownPart

_HOMES = {
    **dict.fromkeys(("new", "validate", "schema", "list", "help"), "scenario_files"),
    "design": "designs",
    "exercise": "exercises",
    "exam": "exams",
    "grade": "grading",
    "site": "site",
}
"""The modules of those that are in others than `commands`."""


def function_of(name: str) -> Callable[..., Any]:
    """Makes a function of a command."""
    module = import_module(f"attncli.library.{_HOMES.get(name, 'commands')}")
    act: Callable[[Any], Output] = getattr(module, name if hasattr(module, name) else f"{name}_")
    asked = f"{name.capitalize()}Arguments"
    record = getattr(module, asked, getattr(exercise_arguments, asked, Arguments))
    optional = ("explain", "run")  # each step has an example of its own, or a model is named
    usual = {"scenario": ""} if name in optional else {}
    known = ((field, kind, usual.get(field, value)) for field, kind, value in fields_of(record))
    without = ("context", *WITHOUT.get(name, ()))
    fields = [e for e in known if e[0] not in without]
    kinds = {field: str(getattr(kind, "__forward_arg__", kind)) for field, kind, _ in fields}
    signature = Signature(
        [
            Parameter(
                field,
                Parameter.POSITIONAL_OR_KEYWORD
                if default is REQUIRED or field == "scenario"
                else Parameter.KEYWORD_ONLY,
                default=Parameter.empty if default is REQUIRED else default,
            )
            for field, _, default in fields
        ]
    )

    def function(*given: Any, **data: Any) -> Any:  # noqa: ANN401
        typed = signature.bind(*given, **data).arguments
        texts = {key: _as_typed(typed[key], kinds[key]) for key in typed}
        made = act(recorded(record, usual | texts))
        return _given(made)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{act.__doc__}\n\nTakes what `attn {name}` takes, by the same names."
    vars(function)["__signature__"] = signature
    return function


def _as_typed(value: Any, kind: str) -> Any:  # noqa: ANN401
    """Returns a value as somebody types it: numbers and paths as texts, what may be repeated as a
    list."""
    if value is None or isinstance(value, bool | Mapping) or kind == "float":
        return value
    if kind.startswith("Sequence"):
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
