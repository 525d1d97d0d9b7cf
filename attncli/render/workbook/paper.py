"""How wide the columns of a sheet are, and how it goes on paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from attncli.notation.words import printed
from attncli.render.numbers import text_of
from attncli.render.workbook.items import Item, NumberTable, TextRow
from attncli.render.workbook.layout import Sheet
from attncli.word import Word

if TYPE_CHECKING:
    from xlsxwriter.worksheet import Worksheet

_USUAL, _WIDEST = 10, 30
_TEXT_COLUMNS = 9
"""Columns that a line of text runs over."""
_UPRIGHT_COLUMNS = 10
"""The most that go on an upright page."""
_A4 = 9
_LONGEST_HEADER = 80


def set_up(page: Worksheet, sheet: Sheet, title: str) -> None:
    """Widths, what stays in sight, and the printed page: as wide as the sheet, on each the title,
    the heading of what is on it if that is one step, and below the sheet's name."""
    widths = _widths([one.item for one in sheet.items])
    for column in range(max([*widths, _TEXT_COLUMNS]) + 1):
        page.set_column(column, column, min(widths.get(column, _USUAL), _WIDEST))
    page.freeze_panes(1, 1)
    page.hide_gridlines(2)
    width = max([_TEXT_COLUMNS, *(_columns(one.item) for one in sheet.items)])
    page.print_area(0, 0, max(one.end for one in sheet.items) - 1, width - 1)
    page.set_paper(_A4)
    page.fit_to_pages(1, 0)
    if sum(isinstance(one.item, TextRow) and one.item.look == "title" for one in sheet.items) == 1:
        page.repeat_rows(0)
    if width > _UPRIGHT_COLUMNS:
        page.set_landscape()
    page.set_header(f"&L{title[:_LONGEST_HEADER].replace('&', '&&')}")
    page.set_footer("&L&A&R&P / &N")


def in_role(role: str, name: Word) -> Word:
    """A name with its role before it: `Q: love`."""
    return Word(f"{role}: {name.raw}") if role else name


def _longest_numbers(table: NumberTable) -> Iterator[tuple[int, str]]:
    """The lowest, the highest and the smallest number of each column, one of which has the most
    digits; LibreOffice shows none of a number that is wider than its column."""
    matrix = table.worked.table.matrix
    values = matrix.taken([*table.rows])
    known = np.isfinite(values)
    sizes = np.where(known & (values != 0), abs(values), np.inf)
    for ends in (np.where(known, values, np.inf), np.where(known, -values, np.inf), sizes):
        for j, k in enumerate(ends.argmin(axis=0).tolist()):
            if known[k, j]:
                yield j + 1, text_of(matrix.number(table.rows[k], j))


def _columns(item: Item) -> int:
    """How many columns an item has; shares have two more."""
    if isinstance(item, NumberTable):
        return 1 + item.shape[1] + 2 * item.worked.table.shares
    return len(item.cells)


def _widths(items: Sequence[Item]) -> dict[int, int]:
    """How wide each column has to be for what stands in it."""
    widths: dict[int, int] = {}
    for column, text in (pair for item in items for pair in _texts(item)):
        widths[column] = max(widths.get(column, _USUAL), len(text) + 2)
    return widths


def _texts(item: Item) -> Iterator[tuple[int, str]]:
    """The names beside and above numbers and the longest of these, and the cells of tables of texts
    but for the last ones, which may run on."""
    if isinstance(item, NumberTable):
        block = item.worked.table
        for i in item.rows:
            yield 0, printed(in_role(block.roles[0], block.row_names[i]))
        for j, name in enumerate(block.column_names, start=1):
            yield j, printed(in_role(block.roles[1], name))
        yield from _longest_numbers(item)
        return
    for column, cell in enumerate(item.cells[:-1]):
        yield column, printed(cell) if isinstance(cell, Word) else str(cell)
