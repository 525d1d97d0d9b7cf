"""In which styles the numbers of a table are."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import repeat

from attncli.arithmetic.expression import Number
from attncli.document import MatrixBlock
from attncli.render.colours import SHADES, ink_of, shade_of
from attncli.render.grid import Entry, Grid, GridColumn


def entry_styles(block: MatrixBlock, grid: Grid, column: GridColumn) -> Iterator[tuple[Entry, str]]:
    """The entries of a column, each with its style."""
    largest = grid.largest or repeat(None)
    for entry, most in zip(column.entries, largest, strict=False):
        if not isinstance(entry, Number):
            yield entry, ""
        elif block.shares:
            yield entry, _style_of_share(entry.shown, most)
        else:
            yield entry, style_of(block)


def style_of(block: MatrixBlock) -> str:
    """The style of a quantity's numbers: the result, given ones, queries, keys and values."""
    if block.is_result:
        return "result"
    return "given" if block.given else ink_of(block.quantity)


def _style_of_share(share: Decimal, largest: Decimal | None) -> str:
    """Shaded by its size; the largest of a row bold."""
    shade = shade_of(float(share), (None, *SHADES))
    styles = [f"shade{shade}"] if shade else []
    return " ".join([*styles, *(["most"] if share == largest else [])])
