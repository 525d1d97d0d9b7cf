"""`attn list`: the shipped scenarios, or the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from attncli.cli import options
from attncli.cli.complaints import complaining
from attncli.cli.output import deliver
from attncli.writing import OutputError

if TYPE_CHECKING:
    from attncli.document import Document


WHAT = ("scenarios", "steps")


def command(
    what: Annotated[
        str,
        typer.Argument(
            metavar="[scenarios|steps]",
            help="What to list.",
            autocompletion=options.beginning(lambda: WHAT),
        ),
    ] = WHAT[0],
) -> None:
    """List the shipped scenarios, or the steps with their formulas.

    Examples:

      attn list

      attn list steps
    """
    with complaining():
        if what not in WHAT:
            raise OutputError.of(what, "there is no such list", f"say {' or '.join(WHAT)}")
        deliver(_document(what), "terminal", None, force=False)


def _document(what: str) -> Document:
    if what == "steps":
        from attncli.telling.catalogue import steps_catalogue

        return steps_catalogue()
    from attncli.telling.shipped import scenarios_catalogue

    return scenarios_catalogue()
