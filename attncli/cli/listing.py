"""`attn list`: the shipped scenarios, or the steps."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from attncli.cli import options
from attncli.cli.arguments import PageOptions, Told, acting
from attncli.cli.complaints import complaining
from attncli.writing import OutputError

if TYPE_CHECKING:
    from attncli.document import Document


WHAT = ("scenarios", "steps")
_LONGEST_HELP = 100
"""The characters of a sentence on a command that is told whole."""


@acting
def command(
    what: Annotated[
        str,
        typer.Argument(
            metavar="[scenarios|steps]",
            help="What to list.",
            autocompletion=options.beginning(lambda: WHAT),
        ),
    ] = WHAT[0],
) -> Told:
    """List the shipped scenarios, or the steps with what they do.

    Examples:

      attn list

      attn list steps
    """
    if what not in WHAT:
        raise OutputError.of(what, "there is no such list", f"say {' or '.join(WHAT)}")
    return Told(_document(what), PageOptions())


def welcome(commands: Any) -> None:  # noqa: ANN401
    """Shows where to start, the scenarios and the commands, which a group has."""
    from attncli.document import Facts, Subheading
    from attncli.telling.shipped import scenarios_catalogue

    each = commands.commands.items()
    rows = [(f"attn {name}", (one.get_short_help_str(_LONGEST_HELP),)) for name, one in each]
    with complaining():
        page = scenarios_catalogue(Subheading(("Commands",)), Facts(tuple(rows)))
        PageOptions().deliver(page)


def _document(what: str) -> "Document":
    if what == "steps":
        from attncli.telling.lesson import steps_catalogue

        return steps_catalogue()
    from attncli.telling.shipped import scenarios_catalogue

    return scenarios_catalogue()
