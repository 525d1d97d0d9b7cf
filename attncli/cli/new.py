"""`attn new`: a scenario to start from."""

from __future__ import annotations

from typing import Annotated

import typer

from attncli.cli import options
from attncli.cli.complaints import complaining
from attncli.cli.output import send_scenario


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
        send_scenario(starter.text(), file, force=force)
