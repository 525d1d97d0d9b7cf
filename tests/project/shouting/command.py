"""A command: how often a scenario's sentence shouts."""

from typing import Annotated, NamedTuple

from attncli.commands.arguments import SCENARIO, TextOutput
from attncli.commands.declaring import command, text
from attncli.pipeline import load


class ShoutArguments(NamedTuple):
    """A request to shout."""

    scenario: Annotated[str, SCENARIO]
    times: Annotated[str, text("--times", "N", "How often.")] = "1"


@command(ShoutArguments)
def shout(asked: ShoutArguments) -> TextOutput:
    """Shout what a scenario reads.

    Example:

      attn shout i_love_ai
    """
    return TextOutput(f"{load(asked.scenario).title.upper()}!\n" * int(asked.times))
