"""`attn lint`: what is weak about the numbers of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncli.cli.arguments import Arguments, Told, taking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from attncli.document import Document
    from attncli.trace import Trace


@taking(
    Arguments,
    without=("layer", "head", "cell", "detail", "pictures", "fragment"),
)
def command(typed: Arguments) -> Told:
    """Tell what is weak about a scenario's numbers.

    Ambiguous roundings, ties, trivial cells, rows that don't add up, hidden mistakes.

    Examples:

      attn lint i_love_ai

      attn lint mine.yaml --step softmax --decimals 4

      attn lint i_love_ai --token love
    """
    trace = typed.work()
    return Told(_document(trace, typed.part.steps, typed.part.token), typed.page)


def _document(trace: Trace, steps: Sequence[str], token: str | None) -> Document:
    from dataclasses import replace

    from attncli.telling.selection import check_told, select
    from attncli.telling.weaknesses import weaknesses

    check_told(trace, select(trace, steps, token))
    if token is not None:
        show = trace.scenario.show._replace(queries=(token,))
        trace = trace.retold(replace(trace.scenario, show=show))
    return weaknesses(trace, steps)
