"""The command line: one file a command, each load, work, tell, render and nothing else."""

from __future__ import annotations

from typing import Annotated

import typer

from attncli import __version__
from attncli.cli.command import TextCommand, TextGroup
from attncli.cli.design import design
from attncli.cli.exercise import exercise
from attncli.cli.explain import explain
from attncli.cli.lint import lint
from attncli.cli.listing import list_
from attncli.cli.new import new
from attncli.cli.run import run
from attncli.cli.schema import schema
from attncli.cli.validate import validate
from attncli.writing import standard_streams

app = typer.Typer(
    name="attn",
    cls=TextGroup,
    no_args_is_help=True,
    rich_markup_mode=None,  # markup would swallow the [love, AI] of a cell
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(cls=TextCommand)(run)
app.command(cls=TextCommand)(explain)
app.command(cls=TextCommand)(exercise)
app.command("list", cls=TextCommand)(list_)
app.command(cls=TextCommand)(lint)
app.command(cls=TextCommand)(design)
app.command(cls=TextCommand)(validate)
app.command(cls=TextCommand)(new)
app.command(cls=TextCommand)(schema)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"attn {__version__}")
        raise typer.Exit


@app.callback(cls=TextGroup)
def attn(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Self-attention worked out by hand: every step as tables and as arithmetic.

    Examples:

      attn run i_love_ai

      attn explain --step softmax

      attn new mine.yaml
    """


def main() -> None:
    """Runs the command that the arguments name."""
    with standard_streams():
        app(prog_name="attn")
