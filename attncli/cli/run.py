"""`attn run`: the whole worked trace, or a part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncli.cli import options
from attncli.cli.changes import changes_of
from attncli.cli.output import Complaints, check_output, deliver

if TYPE_CHECKING:
    from attncli.document import Document
    from attncli.trace import Trace


def run(
    scenario: options.ScenarioArgument,
    step: options.Steps = None,
    token: options.Token = None,
    cell: options.Cells = None,
    decimals: options.Decimals = None,
    rounding: options.RoundingOption = None,
    set_: options.Sets = None,
    detail: options.DetailOption = "full",
    form: options.FormatOption = None,
    output: options.Output = None,
    force: options.Force = False,
) -> None:
    """Work a scenario out, every step as tables and as arithmetic.

    Examples:

      attn run i_love_ai

      attn run scenarios/i_love_ai.yaml --step softmax --token love

      attn run i_love_ai --cell 'weights[love, AI]'

      attn run my.yaml --rounding exact --decimals 4 --set scale=none -o page.md
    """
    from attncli.pipeline import work
    from attncli.scenario import load
    from attncli.telling.selection import check_detail, check_steps

    complaints = Complaints()
    with complaints.heard():
        check_steps(step or ())
    with complaints.heard():
        check_detail(detail)
    with complaints.heard():
        check_output(form, output, force=force)
    with complaints.heard():
        trace = work(load(scenario, changes_of(set_, decimals, rounding)))
    complaints.stop_if_any()
    with complaints.heard():
        document = _document(trace, step or [], token, cell or [], detail)
        deliver(document, form, output, force=force)
    complaints.stop_if_any()


def _document(
    trace: Trace, steps: list[str], token: str | None, cells: list[str], detail: str
) -> Document:
    from attncli.telling import selection, walkthrough

    if cells:
        return walkthrough.cells(trace, selection.find_cells(trace, cells, steps))
    chosen = selection.select(trace, steps, token, detail)
    walkthrough.check_told(trace, chosen)
    return walkthrough.walkthrough(trace, chosen)
