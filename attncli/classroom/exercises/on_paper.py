"""Products on a sheet as on paper: what is asked for in boxes, and beside these, to be carried over
into their places, the numbers that were asked for before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from attncli.document.blocks import Block, Section, each, parts_of
from attncli.document.tables import MatrixBlock
from attncli.maths.numbers.rounding import Flags
from attncli.pages.parts.blocks import matrix_block
from attncli.pages.parts.products import product_of
from attncli.pages.parts.selection import Selection
from attncli.trace import Quantity, Trace


def with_products(trace: Trace, sections: Sequence[Section]) -> list[Section]:
    """Returns the sections of a sheet, the tables in which a product of matrices is asked for with
    their operands."""
    laid_out = _OnPaper(trace, _shown(trace, sections))
    return [s._replace(blocks=tuple(map(laid_out.block, each(s.blocks)))) for s in sections]


def _shown(trace: Trace, sections: Iterable[Section]) -> Mapping[str, Flags]:
    """Finds which numbers of each quantity tables of a sheet tell, [n, m] each."""
    told: dict[str, Flags] = {}
    blocks = (block for section in sections for block in section.blocks)
    for table in (table for block in blocks for table in parts_of(block, MatrixBlock)):
        if table.quantity in trace.quantities:
            cells = told.setdefault(table.quantity, np.zeros(table.matrix.shape, dtype=np.bool_))
            its = np.zeros_like(cells)
            its[[*table.rows]] = True
            kept = ~np.isnan(table.matrix.values)  # numbers that are carried over are kept nowhere
            cells |= its & kept & ~table.matrix.marked(table.blanks)
    return told


class _OnPaper(NamedTuple):
    """A sheet whose products are laid out."""

    trace: Trace
    shown: Mapping[str, Flags]
    """Which numbers of each quantity it tells."""

    def block(self, block: Block) -> Block:
        """Returns a table of which something is asked for as a product, where it is one that there
        is room for, and any other block as it is."""
        if not isinstance(block, MatrixBlock) or not block.blanks or block.lists:
            return block
        quantity = self.trace.quantities.get(block.quantity)
        if quantity is None:
            return block
        product = product_of(
            self.trace, quantity, lambda q: block if q is quantity else self.operand(q), (block,)
        )
        return block if product is None else product

    def operand(self, quantity: Quantity) -> MatrixBlock:
        """Returns the table of an operand, without numbers that the sheet doesn't tell."""
        table = matrix_block(quantity, Selection())
        told = self.shown.get(quantity.name)
        hidden = np.ones(quantity.shape, dtype=np.bool_) if told is None else ~told
        return table._replace(matrix=table.matrix.without(hidden)) if hidden.any() else table
