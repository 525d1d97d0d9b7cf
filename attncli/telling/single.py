"""Pages of a single step, and of a single quantity."""

from __future__ import annotations

from attncli.document import Document
from attncli.telling.blocks import given_block, matrix_block
from attncli.telling.facts import rounding_facts
from attncli.telling.origins import Origins
from attncli.telling.sections import section_of
from attncli.telling.selection import Selection, check_steps, select
from attncli.telling.told_checks import check_told
from attncli.telling.walkthrough import walkthrough
from attncli.telling.working import working_of
from attncli.trace import Quantity, Trace
from attncli.word import Word

_MOST_IN_FULL = 60
"""A quantity with more cells than this is worked row by row."""


def step_page(
    trace: Trace, name: str, token: str | None, layer: str | None, head: str | None
) -> Document:
    """A step, of a token, a layer and a head if these are said. Raises SelectionError."""
    check_steps([name])
    chosen = select(trace, [name], token, layer=layer, head=head)
    check_told(trace, chosen)
    return walkthrough(trace, chosen)


def quantity_page(trace: Trace, quantity: Quantity) -> Document:
    """The table of a quantity, and of one that was made the working before it."""
    page = Document(
        Word(trace.scenario.title), (), rounding=rounding_facts(trace), origins=Origins(trace)
    )
    part = trace.part_of(quantity.name)
    if part is None:
        return page._replace(opening=(given_block(trace, quantity, Selection()),))
    detail = "full" if quantity.matrix.size <= _MOST_IN_FULL else "rows"
    worked = working_of(trace, quantity, Selection(detail=detail))
    table = matrix_block(quantity, Selection(), part.path)
    return page._replace(sections=(section_of(trace, part, None, [*worked, table]),))
