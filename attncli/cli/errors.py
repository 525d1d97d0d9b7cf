"""Errors of the command line, all at once; and commands whose arguments are texts and flags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from attncli.commands.declaring import Command
from attncli.errors import BAD_INPUT, Complaints, Problem, UserError, problem_lines

T = TypeVar("T")


@contextmanager
def complaining() -> Iterator[None]:
    """Says what is wrong with the input of a block on standard error, and exits with status 2."""
    complaints = Complaints()
    with complaints.heard():
        yield
    say(complaints.problems)
    if complaints.problems:
        raise typer.Exit(BAD_INPUT)


def say(problems: Sequence[Problem]) -> None:
    """Says problems on standard error."""
    for line in problem_lines(problems):
        typer.echo(line, err=True)


class _AsTyped:
    """A type that takes a value as it was typed."""

    def coerce(self, value: object, param: Any, ctx: object) -> object:  # noqa: ANN401, ARG002
        several = param.multiple or param.nargs == -1
        return () if value is None and several else value


def _as_typed(parameters: list[T]) -> list[T]:
    """Returns the parameters, spared Typer's conversion of values.

    Typer 0.29 converts with pydantic, whose import alone takes half as long as everything that a
    run needs. Our options are texts, read by our own parts with their own messages, so there
    is nothing to convert. `_runtime_param` is what converts there; a Typer without one just
    converts.
    """
    for parameter in parameters:
        if hasattr(parameter, "_runtime_param"):
            parameter._runtime_param = _AsTyped()
    return parameters


@contextmanager
def _refusing(context: Any) -> Iterator[None]:  # noqa: ANN401
    """Says what is wrong with the arguments as everything is said that is wrong."""
    try:
        yield
    except _UsageError as error:
        value = error.format_message().rstrip(".")  # type: ignore[attr-defined]
        path = context.command_path
        with complaining():
            wrong = f"{value[:1].lower()}{value[1:]}"
            raise UserError.of(path, wrong, _what_helps(error, path)) from None


def _what_helps(error: Exception, path: str) -> str:
    """Says what helps with a wrong use of the command at a path."""
    parameter = getattr(error, "param", None)
    if parameter is not None and parameter.name == "scenario":
        return f"name one, like `{path} i_love_ai`; `attn list` shows them"
    return f"`{path} --help` says what it takes"


_UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""What a wrong use of the command line raises. Typer 0.29 has it in a private module, an older
one takes click's; in both the public BadParameter is one."""


class TextCommand(TyperCommand):
    """A command whose arguments are texts and flags."""

    declared: Command[Any]
    """What it was made of."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        with _refusing(ctx):
            return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401
        return _as_typed(super().get_params(ctx))

    def get_help(self, ctx: Any) -> str:  # noqa: ANN401
        """Writes the help, with the names that options choose from."""
        self.list_names()
        return str(super().get_help(ctx))

    def list_names(self) -> None:
        """Lets each option list the names that it chooses from: who asks for no help needn't wait
        until they are known."""
        chosen = {field.name: field.option for field in self.declared.fields if field.option}
        for parameter in self.params:
            option = chosen.get(parameter.name)
            if option and option.flags and option.names and option.metavar is None:
                parameter.metavar = "|".join(option.names())


class TextGroup(TyperGroup):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        with _refusing(ctx):
            return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        with _refusing(ctx):
            return super().resolve_command(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401
        return _as_typed(super().get_params(ctx))
