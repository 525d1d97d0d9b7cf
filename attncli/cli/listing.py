"""`attn list`: the shipped scenarios, or the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from attncli.cli.complaints import complaining
from attncli.cli.output import deliver
from attncli.writing import OutputError

if TYPE_CHECKING:
    from attncli.document import Document


WHAT = ("scenarios", "steps")


def complete_what(incomplete: str) -> list[str]:
    """What can be listed, as far as it begins so."""
    return [what for what in WHAT if what.startswith(incomplete)]


def command(
    what: Annotated[
        str,
        typer.Argument(
            metavar="[scenarios|steps]", help="What to list.", autocompletion=complete_what
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
        document = _steps() if what == "steps" else _scenarios()
        deliver(document, "terminal", None, force=False)


def _steps() -> Document:
    from attncli.telling.catalogue import steps_catalogue

    return steps_catalogue()


def _scenarios() -> Document:
    from attncli.pipeline import outline
    from attncli.scenario import shipped
    from attncli.telling.summaries import scenarios_catalogue

    outlines = {name: outline(str(shipped.path_of(name))) for name in shipped.names()}
    return scenarios_catalogue(outlines)
