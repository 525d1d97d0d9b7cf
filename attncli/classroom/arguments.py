"""The options of commands about exercises, answers and sites, as typed and as read."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from attncli.errors import Problem


def command_line(context: Any, leave_out: Container[str] = ()) -> str:  # noqa: ANN401
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


def typed_options(context: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    """Yields the options that were typed, each by the name of its value and as it is written."""
    return ((parameter.name, parameter.opts[0]) for parameter in _typed(context))


def _typed(context: Any) -> Iterator[Any]:  # noqa: ANN401
    for parameter in () if context is None else context.command.params:
        source = context.get_parameter_source(parameter.name)
        if source is not None and source.name == "COMMANDLINE":
            yield parameter


def _said(parameter: Any, value: Any) -> Iterator[str]:  # noqa: ANN401
    if parameter.param_type_name == "argument":
        yield value
    elif parameter.is_flag:
        yield parameter.opts[0]
    else:
        for data in value if parameter.multiple else (value,):
            yield from (parameter.opts[0], data)
