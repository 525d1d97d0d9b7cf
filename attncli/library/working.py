"""Lines of working as plain text, and tables."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent

from attncli.document import Block, Document, Working
from attncli.file.address import Address
from attncli.name import Name
from attncli.scenario.budget import MOST_LINES
from attncli.telling.blocks import matrix_block
from attncli.telling.cells import address_of, line_of
from attncli.telling.selection import Selection
from attncli.trace import Quantity, Trace
from attncli.word import Word


def lines_of(trace: Trace, cells: Sequence[tuple[Name, Address]], width: int) -> str:
    """The working of cells, a line each, no term left out."""
    return text_of([Working(tuple(line_of(trace, *cell) for cell in cells))], width)


def cells_of(trace: Trace, name: Name, address: Address) -> Sequence[tuple[Name, Address]]:
    """The cells that an address means, be it of one, of a row or of a whole quantity. Raises
    ValueError."""
    quantity = trace.quantities.get(name)
    sides = 0 if quantity is None or quantity.is_number else 2 - quantity.is_list
    sides -= quantity is not None and quantity.is_vector
    if quantity is None or len(address.indices) >= sides:
        return [(name, address)]
    n, m = quantity.matrix.shape
    rows = [quantity.rows.find(index, name) for index in address.indices] or range(n)
    if len(rows) * m > MOST_LINES and not trace.scenario.large:
        raise ValueError(f"{len(rows) * m:,} cells of {name} are too many; name a row or a cell")
    return [(name, address_of(quantity, i, j)) for i in rows for j in range(m)]


def table_of(quantity: Quantity) -> str:
    """The table of a quantity."""
    return text_of([matrix_block(quantity, Selection())])


def text_of(blocks: Sequence[Block], width: int = 80) -> str:
    """Blocks as text, with nothing around them."""
    from attncli.render import Page, render

    page = render(Document(Word(""), (), closing=tuple(blocks)), "terminal", Page(width))
    return dedent(page).strip("\n")
