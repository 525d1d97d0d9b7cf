"""Gradients beside what they are the gradients of, on the pages of the way back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from attncli.document import Block, each
from attncli.name import Name
from attncli.tables import Data, MatrixBlock
from attncli.telling.blocks import given_block
from attncli.telling.parts import told_parts
from attncli.telling.selection import Selection
from attncli.trace import BackwardPlace, PlannedStep, Quantity, Trace


def with_forward(trace: Trace, part: PlannedStep, blocks: Sequence[Block]) -> list[Block]:
    """The blocks of a step back, the table of each gradient behind that of what it belongs to;
    unless the blocks have that already. What a page comes to is a table in any case."""
    if not isinstance(part.place, BackwardPlace):
        return [*blocks]
    shown = _with_result(blocks) if part is told_parts(trace)[-1] else blocks
    there = {one.quantity for one in each(blocks) if isinstance(one, MatrixBlock)}
    return [told for block in shown for told in _told(trace, part, block, there)]


def _with_result(blocks: Sequence[Block]) -> Sequence[Block]:
    """Blocks of which the last one is a table; of what its lines have told, told again."""
    if any(isinstance(one, MatrixBlock) for one in blocks):
        return blocks
    told = [one.table for one in blocks if isinstance(one, Data)]
    return (
        [*(one for one in blocks if getattr(one, "table", None) is not told[-1]), told[-1]]
        if told
        else blocks
    )


def _told(
    trace: Trace, part: PlannedStep, block: Block, there: Collection[Name]
) -> Iterator[Block]:
    if not isinstance(block, MatrixBlock):
        yield block
    elif block.is_list:
        yield _lists(trace, part, block, there)
    else:
        before = _forward(trace, part, block)
        if before is not None and before.quantity not in there:
            yield before._replace(paired=True)
        yield _called(part, block)


def _called(part: PlannedStep, table: MatrixBlock) -> MatrixBlock:
    """A table called as the lines and formulas of its section call it: `grad.W_Q`."""
    return table._replace(name=part.place.here(table.quantity))


def _lists(
    trace: Trace, part: PlannedStep, block: MatrixBlock, there: Collection[Name]
) -> MatrixBlock:
    """Lists as columns of one table, that of each gradient behind that of what it belongs to."""
    columns: list[MatrixBlock] = []
    for one in (block._replace(beside=()), *block.beside):
        before = _forward(trace, part, one)
        if before is not None and before.quantity not in there:
            columns += [before] if before.row_names == one.row_names else []
        columns.append(_called(part, one))
    first, *others = columns
    return first._replace(beside=tuple(others))


def _forward(trace: Trace, part: PlannedStep, table: MatrixBlock) -> MatrixBlock | None:
    """The table of what a gradient is of, the same rows of it; none of what is no gradient, or one
    by one use of several."""
    quantity = _found(trace, part, table.quantity)
    if quantity is None or quantity.matrix.shape != table.matrix.shape:
        return None
    block = given_block(trace, quantity, Selection(), part.path)
    plainly = block._replace(with_sums=False, shares=False)  # which a glance at it is enough for
    return plainly._replace(rows=table.rows, origin="", turned=table.turned)


def _found(trace: Trace, part: PlannedStep, gradient: Name) -> Quantity | None:
    """What a gradient is of; a parameter that was updated stands in the update before."""
    place = part.place
    assert isinstance(place, BackwardPlace)
    if not gradient.inside(place.gradients):
        return None
    of = gradient.seen_from(place.gradients).under(place.update)
    return trace.quantities.get(of)
