"""`attn help`: the reference, a topic at a time."""

from __future__ import annotations

from typing import Annotated

import typer

from attncli.cli import options
from attncli.cli.complaints import complaining
from attncli.cli.output import deliver, page_for, send
from attncli.refusals import Refusal, listed


def _names() -> list[str]:
    from attncli.telling.reference import topics

    return [*topics()]


def command(
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPIC]",
            help="What to print; without one, the topics.",
            autocompletion=options.beginning(_names),
        ),
    ] = None,
) -> None:
    """Print the reference: scenario files, rounding, exercises, options.

    Examples:

      attn help

      attn help scenario
    """
    with complaining():
        if topic is None:
            from attncli.telling.reference import contents

            deliver(contents(), "terminal", None, force=False)
        else:
            send(_text(topic), None, force=False)


def _text(topic: str) -> str:
    from attncli.render.reference import reference_text
    from attncli.telling.reference import topics

    found = topics()
    if topic not in found:
        right = f"say one of {listed(found)}, or `attn COMMAND --help` for a command"
        raise Refusal.of(f"attn help {topic}", "there is no such topic", right)
    return reference_text(found[topic].text, page_for(None))
