"""`attn help`: the reference, a topic or a word at a time."""

from collections.abc import Iterable
from typing import Annotated

import typer

from attncli.cli import options
from attncli.cli.arguments import PageOptions, Text, Told, acting
from attncli.cli.output import page_for
from attncli.refusals import Refusal, listed


def _names() -> list[str]:
    from attncli.telling.shipped import topics

    return [*topics()]


@acting
def command(
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPIC]",
            help="A topic, a key, a step, an option or a value; without one, the topics.",
            autocompletion=options.beginning(_names),
        ),
    ] = None,
) -> Told | Text:
    """Print the reference, or what it says of a word.

    It tells of scenario files, rounding, exercises and options.

    Examples:

      attn help

      attn help scenario

      attn help softcap
    """
    if topic is not None:
        return Text(_text(topic))
    from attncli.telling.shipped import topics_page

    return Told(topics_page(), PageOptions())


def _text(topic: str) -> str:
    from attncli.render.reference import reference_text
    from attncli.telling.shipped import entries, topics

    found = topics()
    text = found[topic].text if topic in found else entries(topic)
    if not text:
        raise Refusal.of(f"attn help {topic}", *_unknown(topic, found))
    return reference_text(text, page_for(None))


def _unknown(word: str, found: Iterable[str]) -> tuple[str, str]:
    """What is wrong with a word that the reference has nothing about, and what would be right."""
    from attncli.steps.terms import step_meant

    meant = step_meant(word)
    if meant is not None:
        return "there is no such topic, key or option", meant
    right = f"say one of {listed(found)}, or `attn COMMAND --help` for a command"
    return "there is no such topic, key, step or option", right
