"""`attn run`: the whole worked trace, or a part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncli.cli import options
from attncli.cli.request import Excerpt, Request, changes_of

if TYPE_CHECKING:
    from attncli.document import Document
    from attncli.trace import Trace


def command(
    scenario: options.ScenarioArgument,
    step: options.Steps = None,
    layer: options.LayerOption = None,
    head: options.HeadOption = None,
    token: options.Token = None,
    cell: options.Cells = None,
    decimals: options.Decimals = None,
    rounding: options.RoundingOption = None,
    set_: options.Sets = None,
    detail: options.DetailOption = "full",
    form: options.FormatOption = None,
    fragment: options.Fragment = False,
    output: options.Output = None,
    files_outside: options.FilesOutside = False,
    large: options.Large = False,
    force: options.Force = False,
) -> None:
    """Work a scenario out, every step as tables and as arithmetic.

    Examples:

      attn run i_love_ai

      attn run scenarios/i_love_ai.yaml --step softmax --token love

      attn run i_love_ai --cell 'weights[love, AI]'

      attn run three_tokens_two_heads --head 2 --step softmax

      attn run my.yaml --rounding exact --decimals 4 --set scale=none -o page.md
    """
    changes = changes_of(set_, decimals, rounding)
    request = Request(
        scenario, changes, step or [], detail, form, output, force, files_outside, fragment, large
    )
    trace = request.work()
    part = Excerpt(token, layer, head)
    request.deliver(lambda: _document(trace, request, part, cell or []))


def _document(trace: Trace, request: Request, part: Excerpt, cells: list[str]) -> Document:
    if cells:
        from attncli.telling.cells import cells_page, find_cells

        others = [("--step", request.steps), ("--token", part.token)]
        others += [("--layer", part.layer), ("--head", part.head)]
        return cells_page(trace, find_cells(trace, cells, others))
    from attncli.telling import selection, walkthrough

    chosen = selection.select(
        trace, request.steps, part.token, request.detail, layer=part.layer, head=part.head
    )
    walkthrough.check_told(trace, chosen)
    return walkthrough.walkthrough(trace, chosen)
