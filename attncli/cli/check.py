"""`attn check`: whether the numbers follow that the source of a scenario prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncli.cli.arguments import Arguments, Told, taking
from attncli.refusals import Refusal

if TYPE_CHECKING:
    from attncli.trace import Trace

SOMETHING_WRONG = 1


_WITHOUT = (
    "step",
    "layer",
    "head",
    "token",
    "cell",
    "detail",
    "pictures",
    "fragment",
)


@taking(Arguments, without=_WITHOUT)
def command(typed: Arguments) -> Told:
    """Check the numbers that a scenario's source prints.

    Each number of its `published:`, and of its variants', is judged: whether it follows, from the
    given numbers or from earlier ones of the source, and if not, which mistake gives it. Exits with
    0 if all of them follow, with 1 if one doesn't.

    Examples:

      attn check alice_met_bob

      attn check mine.yaml --format json
    """
    from attncli.telling.marked.report import checked

    trace = typed.work()
    _check_printed(typed.scenario, trace)
    page, follows = checked(trace)
    return Told(page, typed.page, 0 if follows else SOMETHING_WRONG)


def _check_printed(scenario: str, trace: Trace) -> None:
    """Raises Refusal where there is nothing to check."""
    told = (trace, *trace.variants.values())
    if not any(one.scenario.published for one in told):
        right = "write what its source prints under published:, like {weights: …}"
        raise Refusal.of(scenario, "it has no published numbers", right)
