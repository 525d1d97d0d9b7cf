"""`attn lint`: what is weak about the numbers of a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncli.cli import options
from attncli.cli.request import Request, changes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from attncli.document import Document
    from attncli.trace import Trace


def command(
    scenario: options.ScenarioArgument,
    step: options.Steps = None,
    decimals: options.Decimals = None,
    rounding: options.RoundingOption = None,
    set_: options.Sets = None,
    form: options.FormatOption = None,
    output: options.Output = None,
    files_outside: options.FilesOutside = False,
    large: options.Large = False,
    force: options.Force = False,
) -> None:
    """Tell what is weak about a scenario's numbers.

    Ambiguous roundings, ties, trivial cells, rows that don't add up, hidden mistakes.

    Examples:

      attn lint i_love_ai

      attn lint mine.yaml --step softmax --decimals 4
    """
    changes = changes_of(set_, decimals, rounding)
    request = Request(
        scenario, changes, step or [], "full", form, output, force, files_outside, large=large
    )
    trace = request.work()
    request.deliver(lambda: _document(trace, request.steps))


def _document(trace: Trace, steps: Sequence[str]) -> Document:
    from attncli.telling.selection import Selection
    from attncli.telling.walkthrough import check_told
    from attncli.telling.weaknesses import weaknesses

    check_told(trace, Selection(tuple(steps)))
    return weaknesses(trace, steps)
