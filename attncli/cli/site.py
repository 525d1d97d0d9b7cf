"""`attn site`: scenarios as a small website."""

from __future__ import annotations

from typing import Annotated

import typer

from attncli.cli import options
from attncli.cli.arguments import Allowed


def command(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="The folder to write.")],
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FOLDER",
            help="The scenario files of this folder, in place of the shipped ones.",
        ),
    ] = None,
    files_outside: options.FilesOutside = False,
    large: options.Large = False,
    force: options.Force = False,
) -> None:
    """Write scenarios as a small website with lessons and sheets.

    It needs no server: begin at its index.html.

    Examples:

      attn site course/

      attn site course/ --from my_scenarios/
    """
    from attncli.cli.publishing import publish

    publish(folder, from_, Allowed(files_outside, large), force=force)
