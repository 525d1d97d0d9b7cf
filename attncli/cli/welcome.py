"""The welcome of `attn` without a command."""

from typing import Any

from attncli.cli.errors import complaining
from attncli.commands.arguments import PageOptions

_LONGEST = 100
"""The characters of a sentence on a command that is told whole."""


def welcome(commands: Any) -> None:  # noqa: ANN401
    """Shows where to start, the scenarios and the commands, which a group has."""
    from attncli.document.blocks import DefinitionList, Subheading
    from attncli.pages.catalogue import scenarios_catalogue

    each = commands.commands.items()
    rows = [(f"attn {name}", (value.get_short_help_str(_LONGEST),)) for name, value in each]
    with complaining():
        page = scenarios_catalogue(Subheading(("Commands",)), DefinitionList(tuple(rows)))
        PageOptions().deliver(page)
