"""Blocks for quantities: tables of figures, rows side by side, lists of tokens."""

from __future__ import annotations

from attncli.arithmetic.expression import MOST_PARTS, Omitted, elided
from attncli.document import Block, MatrixBlock, SideBySide, Table, TextList, Word
from attncli.steps import Step
from attncli.telling.selection import Selection
from attncli.trace import Quantity, Trace
from attncli.trace.quantity import told_apart


def matrix_block(
    quantity: Quantity, selection: Selection, *, with_sums: bool = False
) -> MatrixBlock:
    """The table of a quantity."""
    rows = selection.rows(quantity)
    both = quantity.rows.role == "Q" and quantity.columns.role == "K"
    return MatrixBlock(
        quantity.name,
        quantity.matrix,
        quantity.rows.names,
        quantity.columns.names,
        rows,
        made_in=quantity.making.step if quantity.making else "",
        roles=(quantity.rows.role, quantity.columns.role) if both else ("", ""),
        with_sums=with_sums,
    )


def together_block(trace: Trace, step: Step, selection: Selection) -> SideBySide | None:
    """The rows of a step's quantities side by side, when more than the step's own are there."""
    present = [(heading, trace[name]) for name, heading in step.together if name in trace]
    if not any(quantity.name in step.makes and not quantity.given for _, quantity in present):
        return None
    if len({selection.rows(quantity) for _, quantity in present}) > 1:
        return None
    first = present[-1][1]
    columns = tuple((heading, matrix_block(quantity, selection)) for heading, quantity in present)
    return SideBySide("", first.rows.names, selection.rows(first), columns)


def token_blocks(trace: Trace) -> list[Block]:
    """The tokens of the sentence and their IDs: as a table, and as lists."""
    scenario = trace.scenario
    names = told_apart(scenario.tokens)
    lists: list[Block] = [TextList("tokens", names, scenario.tokens)]
    headings: tuple[str, ...] = ("Position", "Token")
    if scenario.ids:
        lists.append(TextList("ids", names, scenario.ids))
        headings = (*headings, "ID")
    rows: list[tuple[Word | str | Omitted, ...]] = []
    for place in elided(len(scenario.tokens), MOST_PARTS):
        if place is None:
            rows.append((Omitted(),) * len(headings))
            continue
        number = (str(scenario.ids[place]),) if scenario.ids else ()
        rows.append((str(place + 1), Word(scenario.tokens[place]), *number))
    return [Table(headings, tuple(rows)), *lists]
