"""In which styles the numbers of a table are."""

from __future__ import annotations

from decimal import Decimal

from attncli.arithmetic.expression import Number
from attncli.render.colours import SHADES, ink_of, shade_of
from attncli.render.grid import Entry, Grid, GridColumn
from attncli.tables import MatrixBlock


def entry_styles(grid: Grid, column: GridColumn) -> list[str]:
    """The style of each entry of a column."""
    block = column.quantity
    if block is None:
        return [""] * len(column.entries)
    if not block.shares:
        return [style_of(block)] * len(column.entries)
    return [_style_of_share(*one) for one in zip(column.entries, grid.largest, strict=True)]


def style_of(block: MatrixBlock) -> str:
    """The style of a quantity's numbers: the result, given ones, queries, keys and values."""
    if block.is_result:
        return "result"
    return "given" if block.given else ink_of(block.quantity)


def _style_of_share(share: Entry, largest: Decimal | None) -> str:
    """Shaded by its size; the largest of a row bold."""
    if not isinstance(share, Number):
        return ""
    shade = shade_of(float(share.shown), (None, *SHADES))
    styles = [f"shade{shade}"] if shade else []
    return " ".join([*styles, *(["most"] if share.shown == largest else [])])
