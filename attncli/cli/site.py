"""`attn site`: scenarios as a small website."""

# no lazy annotations here: Typer reads them
from typing import Annotated, NamedTuple

import typer

from attncli.cli import options
from attncli.cli.arguments import Allowed, taking


class SiteArguments(NamedTuple):
    """What was typed."""

    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="The folder to write.")]
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FOLDER",
            help="The scenario files of this folder, in place of the shipped ones.",
        ),
    ] = None
    allowed: Allowed = Allowed()
    force: options.Force = False


@taking(SiteArguments)
def command(typed: SiteArguments) -> int:
    """Write scenarios as a small website with lessons and sheets.

    It needs no server: begin at its index.html.

    Examples:

      attn site course/

      attn site course/ --from my_scenarios/
    """
    from attncli.cli.publishing import publish

    return publish(typed.folder, typed.from_, typed.allowed, force=typed.force)
