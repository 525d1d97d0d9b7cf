"""From typed options to a call of a command, and from its result to files or the screen."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from inspect import Parameter, Signature
from typing import Annotated, Any

import typer

from attncli.cli.errors import complaining, say
from attncli.cli.pager import paged
from attncli.commands.arguments import Output
from attncli.commands.declaring import REQUIRED, Command, Field, Names, Option, R, flag
from attncli.commands.progress import lasting
from attncli.output_files import write_out

_PAGER = flag(
    "--no-pager",
    "On a terminal, print pages that are longer than the screen instead of showing them in "
    "`less`, or what `ATTN_PAGER` names.",
)
_CONTEXT = "context"
"""The field of a record that has what was typed as Typer knows it."""


def function_of(command: Command[R]) -> Callable[..., None]:
    """Returns a command as a function for Typer, whose parameters are its options."""
    pager = Field("no_pager", bool, False, _PAGER)
    parameters = [_parameter(f) for f in (*command.fields, pager) if _is_typed(f)]

    texts = {field.name for field in command.fields if field.option and field.option.in_words}

    def function(*, no_pager: bool, **typed: Any) -> None:  # noqa: ANN401
        typed |= {name: " ".join(typed[name] or ()) for name in texts}
        _end(command, command.asked(typed), no_pager=no_pager)

    function.__name__, function.__doc__ = command.name, command.help
    # where Typer looks for the options
    function.__annotations__ = {p.name: p.annotation for p in parameters}
    vars(function)["__signature__"] = Signature(parameters)
    return function


def _is_typed(field: Field) -> bool:
    return field.option is not None or field.name == _CONTEXT


def _parameter(field: Field) -> Parameter:
    default = Parameter.empty if field.default is REQUIRED else field.default
    default = None if field.option and field.option.in_words else default
    return Parameter(
        field.name, Parameter.KEYWORD_ONLY, default=default, annotation=_annotation(field)
    )


def _annotation(field: Field) -> object:
    """Returns what Typer reads of an option: its type, and how it is written."""
    option = field.option
    if option is None:
        return typer.Context
    kind: Any = list[str] if field.kind is list or option.in_words else field.kind
    if field.default is None or option.in_words:
        kind = kind | None
    return Annotated[kind, _typer_option(option)]


def _typer_option(option: Option) -> object:
    completed = None if option.names is None else _beginning(option.names)
    if option.flags:
        return typer.Option(
            *option.flags, metavar=option.metavar, help=option.says, autocompletion=completed
        )
    return typer.Argument(
        metavar=option.metavar,
        help=option.says,
        autocompletion=completed,
        show_default=option.shows_default,
    )


def _beginning(names: Names) -> Callable[[str], list[str]]:
    """Returns what a shell offers to complete: those of the names that begin as what is there."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def _end(command: Command[R], asked: R, *, no_pager: bool) -> None:
    """Delivers what is made of what is asked, says all that is wrong, and ends with the status."""
    shown = nullcontext(_nothing) if command.talks else lasting(f"attn {command.name}")
    with complaining(), shown as stop:
        made: Output | int = command(asked)
        if not isinstance(made, int):
            if made.is_printed and sys.stdout.isatty():
                stop()
            with paged(off=no_pager):
                made.write()
                stop()
                if made.says:
                    write_out(made.says)
    if not isinstance(made, int):
        for problems in (*made.wrong, made.notes):
            say(problems)
        made = made.status
    if made:
        raise typer.Exit(made)


def _nothing() -> None:
    """Takes nothing away, where nothing is shown."""
