"""`attn new`: a scenario to start from."""

from __future__ import annotations

from typing import Annotated

import typer

from attncli.cli import options
from attncli.cli.complaints import complaining
from attncli.cli.output import say_written
from attncli.writing import write_file, write_out


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write.")],
    force: options.Force = False,
) -> None:
    """Write a commented scenario that runs as it is.

    Example:

      attn new mine.yaml && attn run mine.yaml
    """
    from attncli.scenario import starter

    with complaining():
        if file == "-":
            write_out(starter.text())
        else:
            write_file(file, starter.text(), force=force)
            say_written(file)
