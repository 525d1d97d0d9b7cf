"""The command line: options in, a function of the library called, what it makes written out.

calling  from typed options to a call of a command, and to where its result goes
errors   all errors at once
pager    pages longer than the screen
welcome  `attn` without a command
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer
from typer.main import get_command

from attncli import __version__
from attncli.cli.calling import function_of
from attncli.cli.errors import TextCommand, TextGroup, complaining
from attncli.commands.declaring import command_named
from attncli.errors import UserError
from attncli.plugins import COMMANDS, plugins


class _Commands(Mapping[str, Any]):
    """A mapping of the commands by name; each is imported when it is asked for."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401
        declared = command_named(name)
        alone = typer.Typer(
            add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False
        )
        alone.command(name, cls=TextCommand)(function_of(declared))
        made: Any = get_command(alone)
        made.declared = declared
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(plugins(COMMANDS))

    def __len__(self) -> int:
        return len(plugins(COMMANDS))


class _Attn(TextGroup):
    """A group of all commands."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401
        super().__init__(**{**settings, "commands": _Commands()})

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        """Parses what is typed before a command, of which the completion writes files: those of the
        shell, in the home folder."""
        installs = any(text.startswith(_INSTALL) for text in args)
        try:
            return super().parse_args(ctx, args)
        except (OSError, UnicodeError, RuntimeError) as error:
            if not installs or isinstance(error, typer.Exit | typer.Abort):  # RuntimeErrors, too
                raise
            with complaining():
                raise UserError.of(_INSTALL, *_not_installed(error)) from None
            raise

    def list_commands(self, ctx: object) -> list[str]:  # noqa: ARG002
        return [*plugins(COMMANDS)]


_INSTALL = "--install-completion"


def _not_installed(error: Exception) -> tuple[str, str]:
    """Says what keeps the completion from being installed, and what would be right."""
    place = getattr(error, "filename", None) or "the shell's file"
    wrong = f"{place} can't be read or written ({getattr(error, 'strerror', None) or error})"
    return wrong, "put what `attn --show-completion` prints into that file yourself"


app = typer.Typer(
    name="attn",
    cls=_Attn,
    rich_markup_mode=None,  # markup would swallow the [love, AI] of a cell
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"attn {__version__}")
        raise typer.Exit


@app.callback(cls=_Attn, invoke_without_command=True)
def attn(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Self-attention worked out by hand: every step as tables and as arithmetic.

    Examples:

      attn run i_love_ai

      attn explain --step softmax

      attn new mine.yaml
    """
    if context.invoked_subcommand is None:
        from attncli.cli.welcome import welcome

        welcome(context.command)
