"""`attn run`: the whole worked trace, or a part of it."""

# no lazy annotations here: Typer reads them
from typing import TYPE_CHECKING, NamedTuple

from attncli.cli import options
from attncli.cli.arguments import Arguments, Told, taking
from attncli.cli.output import default_detail

if TYPE_CHECKING:
    from attncli.document import Document
    from attncli.trace import Trace


class _Run(NamedTuple):
    """What is worked out and told, and whether its gradients are checked."""

    told: Arguments
    gradient_check: options.GradientCheck = False


@taking(_Run)
def command(typed: _Run) -> Told:
    """Work a scenario out, every step as tables and as arithmetic.

    Examples:

      attn run i_love_ai

      attn run scenarios/i_love_ai.yaml --step softmax --token love

      attn run i_love_ai --cell 'weights[love, AI]'

      attn run three_tokens_two_heads --head 2 --step softmax

      attn run my.yaml --gradient-check

      attn run my.yaml --rounding exact --decimals 4 --set scale=none -o page.md
    """
    told = typed.told
    trace = told.work()
    page = _document(trace, told)
    if typed.gradient_check:
        from attncli.telling.way_back import gradient_check

        page = page._replace(closing=(*page.closing, *gradient_check(trace)))
    return Told(page, told.page)


def _document(trace: "Trace", typed: Arguments) -> "Document":
    if typed.cell:
        from attncli.telling.cells import cells_page, find_cells

        return cells_page(trace, find_cells(trace, typed.cell, typed.part.options()))
    from attncli.telling import selection, walkthrough

    detail = typed.detail or default_detail(typed.page.form, typed.page.output)
    chosen = selection.select(trace, typed.part.steps, detail=detail or "full", **typed.part.within)
    chosen = chosen.illustrated(typed.pictured)
    selection.check_told(trace, chosen)
    if detail is None:
        return walkthrough.as_it_fits(trace, chosen)
    return walkthrough.walkthrough(trace, chosen)
