"""How what is typed becomes what is asked, and what comes of that what is written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import nullcontext
from inspect import Parameter, Signature
from typing import Any, NamedTuple

import typer

from attncli.cli.errors import complaining, say
from attncli.cli.options import OPTIONS
from attncli.cli.pager import paged
from attncli.commands.arguments import REQUIRED, Output, fields_of, recorded
from attncli.commands.progress import lasting
from attncli.efforts import Effort
from attncli.output_files import write_out


def taking(
    record: type[NamedTuple],
    without: Collection[str] = (),
    own: Mapping[str, Any] = {},
    effort: Effort | None = None,
    talks: bool = False,
    **usual: object,
) -> Callable[[Callable[[Any], Output | int]], Callable[..., None]]:
    """Makes a command of a function of what was typed as a record: the fields of this named tuple,
    and of the records among them, are the options, each declared in `OPTIONS` or as the command's
    `own`, with their defaults, or with what is `usual` here; it goes `without` some. What works a
    scenario has `--large`, and says what `effort` that is; raises TypeError where it doesn't.
    What lasts shows that it does, unless it `talks` with somebody itself."""
    fields = {name: value for name, _, value in fields_of(record)}
    asked = {} if fields.pop("effort", None) is None else {"effort": effort}
    if asked and effort is None:
        raise TypeError(f"{record.__name__} has scenarios: say what effort is made with them")
    parameters = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if value is REQUIRED else value,
            annotation=own.get(name) or OPTIONS[name],
        )
        for name, value in (fields | usual).items()
        if name not in without
    ]
    parameters.append(
        Parameter("no_pager", Parameter.KEYWORD_ONLY, default=False, annotation=OPTIONS["no_pager"])
    )

    def command_of(act: Callable[[Any], Output | int]) -> Callable[..., None]:
        def command(*, no_pager: bool, **typed: Any) -> None:  # noqa: ANN401
            request = recorded(record, {**typed, **asked})
            _end(act, request, no_pager=no_pager, talks=talks)

        command.__name__, command.__doc__ = act.__name__, act.__doc__
        # where Typer looks for the options
        command.__annotations__ = {p.name: p.annotation for p in parameters}
        vars(command)["__signature__"] = Signature(parameters)
        return command

    return command_of


def _end(
    act: Callable[[Any], Output | int],
    asked: Any,  # noqa: ANN401
    *,
    no_pager: bool,
    talks: bool,
) -> None:
    """Delivers what is made of what is asked, says all that is wrong, and ends with the status."""
    called = f"attn {act.__name__.rstrip('_')}"
    with complaining(), nullcontext(_nothing) if talks else lasting(called) as stop:
        made = act(asked)
        if not isinstance(made, int):
            if made.is_printed and sys.stdout.isatty():
                stop()
            with paged(off=no_pager):
                made.write()
                stop()
                if made.says:
                    write_out(made.says)
    if not isinstance(made, int):
        for problems in made.wrong:
            say(problems)
        made = made.status
    if made:
        raise typer.Exit(made)


def _nothing() -> None:
    """Takes nothing away, where nothing is shown."""
