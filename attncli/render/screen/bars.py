"""Small bars beside the rows of a table of shares, for whoever sees no shades: `▃█▁`."""

from __future__ import annotations

from collections.abc import Sequence

from attncli.arithmetic.expression import Number
from attncli.render.grid import Entry, Grid, GridColumn, Omission, SumEntry
from attncli.tables import MatrixBlock

ROOM_FOR_BARS = 76
"""A table has bars where it has as much room as on a page of 80 columns."""
_BARS = " ▁▂▃▄▅▆▇█"


def bars_of(block: MatrixBlock, grid: Grid) -> list[str] | None:
    """A bar for each share of each row, in the order of the columns, the largest of the table as
    high as can be. None where there are no shares, where only one can be, or where some are asked
    for: bars would tell them."""
    columns = [column for column in grid.columns if block.turned or not _is_sums(column)]
    if not block.shares or block.matrix.shape[1] == 1 or None in _largest(grid):
        return None
    most = max((float(number) for number in grid.largest if number is not None), default=0.0)
    rows = [[column.entries[k] for column in columns] for k in range(len(grid.names))]
    numbers = [entry for row in rows for entry in row if isinstance(entry, Number)]
    if most <= 0 or any(number.shown < 0 for number in numbers):
        return None
    return ["".join(_bar(entry, most) for entry in row).rstrip() for row in rows]


def _largest(grid: Grid) -> Sequence[object]:
    """The largest number of each row that isn't left out."""
    named = zip(grid.names, grid.largest, strict=True)
    return [most for name, most in named if not isinstance(name, Omission)]


def _is_sums(column: GridColumn) -> bool:
    return any(isinstance(entry, SumEntry) for entry in column.entries)


def _bar(entry: Entry, most: float) -> str:
    """A bar in eighths of the largest; what is there at all has one, and what is left out `…`."""
    if not isinstance(entry, Number):
        return "⋮" if entry is Omission.ROWS else "…" if isinstance(entry, Omission) else ""
    eighths = round(8 * float(entry.shown) / most)
    return _BARS[max(1, eighths) if entry.full else 0]
