"""Commands whose arguments are texts and flags, so that none needs converting."""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterator
from typing import Any

from typer.core import TyperCommand, TyperGroup


class _AsTyped:
    """Takes a value as it was typed."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ANN401, ARG002
        several = param.multiple or param.nargs == -1
        return () if value is None and several else value


def _as_typed(parameters: list[Any]) -> list[Any]:
    """The parameters, spared Typer's conversion of values.

    Typer converts with pydantic, whose import alone takes half as long as everything that a
    run needs. Our options are texts, read by our own parts with their own messages, so there
    is nothing to convert. Where Typer has no such hook, it just converts.
    """
    for parameter in parameters:
        if hasattr(parameter, "_runtime_param"):
            parameter._runtime_param = _AsTyped()
    return parameters


class TextCommand(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401
        return _as_typed(super().get_params(ctx))


class TextGroup(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401
        return _as_typed(super().get_params(ctx))


def command_line(context: Any, leave_out: Container[str] = ()) -> str:  # noqa: ANN401
    """The command that was typed, with all that was said but for some of its options."""
    words = context.command_path.split()
    for parameter in context.command.params:
        value = context.params.get(parameter.name)
        said = context.get_parameter_source(parameter.name)
        if said is not None and said.name == "COMMANDLINE" and parameter.name not in leave_out:
            words += _said(parameter, value)
    return " ".join(map(shlex.quote, words))


def _said(parameter: Any, value: Any) -> Iterator[str]:  # noqa: ANN401
    if parameter.param_type_name == "argument":
        yield value
    elif parameter.is_flag:
        yield parameter.opts[0]
    else:
        for one in value if parameter.multiple else (value,):
            yield from (parameter.opts[0], one)
