"""Cells and columns of tables, their inks and shades."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from attncli.arithmetic.expression import Blank, Number, Symbol, Vector
from attncli.notation import plain
from attncli.notation.typst import literal
from attncli.render.colours import LIGHT, ink_of, shade_of
from attncli.render.grid import Entry, Grid, GridColumn, Label, Omission, SumEntry
from attncli.render.typst.mathematics import WORKING, filled, mathematics
from attncli.render.typst.setting import TypstSetting
from attncli.render.typst.text import listed, word
from attncli.word import Word

OMITTED = {
    Omission.ROWS: "$⋮$",
    Omission.COLUMNS: "$…$",
    Omission.BOTH: "$…$",
    Omission.UNTOLD: "none",
}


class Column(NamedTuple):
    """A heading with the cells below it, each a piece of code; numbers stand at the right, words
    may be broken."""

    heading: str
    cells: tuple[str, ...]
    numbers: bool = True

    def __str__(self) -> str:
        kind = "right" if self.numbers else "left"
        return f"(heading: {self.heading}, cells: {listed(self.cells)}, side: {kind})"


def named(name: Label, setting: TypstSetting) -> str:
    """What names a row or a column."""
    if isinstance(name, Symbol):
        return mathematics(name, setting.notation)
    return OMITTED[name] if isinstance(name, Omission) else word(name)


def in_ink(cell: str, ink: str) -> str:
    return f"inked({literal(ink)}, {cell})" if ink else cell


def looking_cells(grid: Grid, column: GridColumn, setting: TypstSetting) -> tuple[str, ...]:
    """A column's entries in their inks and shades."""
    cells = _entry_cells(column.entries, setting)
    return tuple(_looking(cells, grid, column) if setting.coloured else cells)


def _looking(cells: Iterator[str], grid: Grid, column: GridColumn) -> Iterator[str]:
    """Shares are shaded by their size, the largest of a row is bold; the result is, too; given
    numbers, queries, keys and values have their inks."""
    block = column.quantity
    if block is None:
        yield from cells
    elif block.shares:
        shares = zip(cells, column.entries, grid.largest, strict=True)
        yield from (_share(*one) for one in shares)
    elif block.is_result:
        yield from (f"most({cell})" for cell in cells)
    else:
        ink = "given" if block.given else ink_of(block.quantity)
        yield from (in_ink(cell, ink) for cell in cells)


def _share(cell: str, share: Entry, largest: Decimal | None) -> str:
    if not isinstance(share, Number):
        return cell
    bold = f"most({cell})" if share.shown == largest else cell
    return f"shaded({shade_of(float(share.shown), LIGHT.shades)}, {bold})"


def _entry_cells(entries: Sequence[Entry], setting: TypstSetting) -> Iterator[str]:
    """A column's entries, each number filled up behind its point to the length of the longest."""
    numbers = (one.total if isinstance(one, SumEntry) else one for one in entries)
    texts = iter(filled([plain(one) for one in numbers if isinstance(one, Number)]))
    for entry in entries:
        if isinstance(entry, Omission):
            yield OMITTED[entry]
        elif isinstance(entry, Word):
            yield word(entry)
        elif isinstance(entry, Blank):
            yield setting.entry(entry)
        elif isinstance(entry, Vector):
            yield mathematics(entry, WORKING.but(coloured=False))  # a column is in one ink
        else:
            about = "≈" if isinstance(entry, SumEntry) and entry.sign != "=" else ""
            yield f"${about}{next(texts)}$"
