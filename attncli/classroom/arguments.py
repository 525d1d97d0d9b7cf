"""The options of commands about exercises, answers and sites, as typed and as read."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Protocol

from attncli.errors import Problem


class CommandOption(Protocol):
    """An option or an argument, as Typer knows it."""

    name: str
    opts: Sequence[str]
    param_type_name: str
    is_flag: bool
    multiple: bool


class TypedCommand(Protocol):
    """A command, as Typer knows it."""

    params: Sequence[CommandOption]


class CommandLine(Protocol):
    """A context of Typer: what was typed."""

    command_path: str
    command: TypedCommand
    params: Mapping[str, object]

    def get_parameter_source(self, name: str) -> Enum | None: ...


def command_line(context: CommandLine | None, leave_out: Container[str] = ()) -> str:
    """Writes the command that was typed, with all that was said but for some of its options."""
    import shlex

    if context is None:
        return "attncli.exercise"
    words = context.command_path.split()
    for parameter in _typed(context):
        if parameter.name not in leave_out:
            words += _said(parameter, context.params[parameter.name])
    return " ".join(map(shlex.quote, words))


def set_by_file(option: str) -> Problem:
    """Makes the problem of an option for what an exercise file says."""
    right = "leave it out, or change the file"
    return Problem.of(option, "the exercise file says what is asked", right)


def typed_options(context: CommandLine | None) -> Iterator[tuple[str, str]]:
    """Yields the options that were typed, each by the name of its value and as it is written."""
    return ((parameter.name, parameter.opts[0]) for parameter in _typed(context))


def _typed(context: CommandLine | None) -> Iterator[CommandOption]:
    if context is None:
        return
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name)
        if source is not None and source.name == "COMMANDLINE":
            yield parameter


def _said(parameter: CommandOption, value: Any) -> Iterator[str]:  # noqa: ANN401
    if parameter.param_type_name == "argument":
        yield value
    elif parameter.is_flag:
        yield parameter.opts[0]
    else:
        for data in value if parameter.multiple else (value,):
            yield from (parameter.opts[0], data)
