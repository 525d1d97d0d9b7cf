"""Where a whole head stands on one sheet: each product below its right operand, beside its left
one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, pairwise
from typing import NamedTuple

from attncli.document.whole_head import HeadOperand, Made, WholeHead
from attncli.formats.workbook.layout import (
    NumberTable,
    TablePlace,
    WorkbookLayout,
    operands_of,
    table_of,
    with_forms,
)
from attncli.formats.workbook.writing import longest_numbers
from attncli.maths.notation import plain
from attncli.maths.notation.escaping import printed
from attncli.maths.notation.spreadsheet import SheetCell
from attncli.names import Word

SHEET = "All"
_COMFORTABLE, _READABLE = 0.75, 0.5
"""How large a page may be printed that is read with ease, or at all."""
_MOST_FOLDS = 2
_TOP = 5
"""Rows above the first band."""
_ABOVE_NUMBERS = 2
"""Rows of a table above its numbers: what it is called, and the names of its columns."""


_WIDTHS = (7, 12)
"""The least and the most characters of a column."""
_CHART_COLUMNS, _CHART_ROWS = 5, 5
"""The least columns that a chart takes, and its least rows besides those of its bars."""
_ROW_PIXELS, _PIXELS_A_CHARACTER, _PIXELS_BESIDE = (20, 32), 7, 5
"""How large cells are on a screen, as XlsxWriter reckons: the least and the most of a row, and what
a column takes."""
MARGIN = 0.4
"""The margins of the page, in inches."""
_PAGE = (297 - 2 * 25.4 * MARGIN, 210 - 2 * 25.4 * MARGIN)
"""How wide and how high a page is inside its margins, in millimetres."""
_PIXEL = 25.4 / 96
_LEAST_COLUMNS = 14
"""What its sentences run over."""


class PlacedTable(NamedTuple):
    """A table of a head's sheet."""

    table: NumberTable
    """Its quantity, linked where it isn't worked here."""
    called: tuple[str, ...]
    """What may stand above it, the longest first."""
    row: int
    """The row of its first number, from 0."""
    column: int
    """The column of its first number, from 0."""
    turned: bool = False
    """Whether its rows are written as columns."""
    is_operand: bool = False
    """Whether it stands at the left of a product or above it, with the names of its rows."""
    headed: bool = True
    """Whether its name and those of its columns stand above it."""

    @property
    def shape(self) -> tuple[int, int]:
        """Returns how many rows and columns it takes."""
        rows, columns = self.table.shape
        return (columns, rows) if self.turned else (rows, columns)

    @property
    def end(self) -> tuple[int, int]:
        """Returns the row below it and the column behind it."""
        return self.row + self.shape[0], self.column + self.shape[1]

    @property
    def start(self) -> int:
        """Returns its first column, of names or of numbers."""
        return self.column - self.is_operand

    @property
    def names(self) -> tuple[list[str], list[str]]:
        """Returns the names of its rows and of its columns, as they are written."""
        names = self.table.worked.table.names
        rows = [*map(printed, names.rows)]
        columns = [*map(printed, names.columns or (Word(""),))]
        return (columns, rows) if self.turned else (rows, columns)

    def cells(self) -> Iterator[tuple[int, int, tuple[int, int]]]:
        """Yields the row and the column of each number, and its place in the quantity."""
        for i in self.table.rows:
            for j in range(self.table.shape[1]):
                down, right = (j, i) if self.turned else (i, j)
                yield self.row + down, self.column + right, (i, j)

    def place(self, sheet: str) -> TablePlace:
        """Returns where its numbers stand."""
        rows = {i: i for i in self.table.rows}
        return TablePlace(SheetCell(sheet, self.row, self.column), rows, self.turned)


class Area(NamedTuple):
    """Some cells beside and below each other."""

    row: int
    column: int
    rows: int
    columns: int


class HeadPage(NamedTuple):
    """The printed page of a head, with the size of its cells."""

    rows: int
    columns: int
    chart: Area
    """Where its chart is."""
    width: int
    """The characters that a column has room for."""

    @property
    def column_pixels(self) -> int:
        return self.width * _PIXELS_A_CHARACTER + _PIXELS_BESIDE

    @property
    def row_pixels(self) -> int:
        """Returns how high a row is, so that the page is filled."""
        least, most = _ROW_PIXELS
        wide = self.columns * self.column_pixels / self.rows
        return min(most, max(least, int(wide * _PAGE[1] / _PAGE[0])))

    @property
    def scale(self) -> float:
        """Returns how large it is printed, 1 for what it is on a screen."""
        width, height = self.columns * self.column_pixels, self.rows * _ROW_PIXELS[0]
        return min(1.0, _PAGE[0] / (width * _PIXEL), _PAGE[1] / (height * _PIXEL))


class HeadLayout(NamedTuple):
    """A head's layout on a sheet."""

    name: str
    """The name of the sheet."""
    head: WholeHead
    """The head."""
    bands: tuple[tuple[PlacedTable, ...], ...]
    """The tables of each band, in the order in which they are worked."""
    elsewhere: WorkbookLayout
    """The layout of all other sheets."""

    @property
    def page(self) -> HeadPage:
        """Measures its page, with the room for its chart: where nothing stands, or else below."""
        rows, columns = self.end
        columns = max(columns + 1, _LEAST_COLUMNS)
        least = _CHART_ROWS + self.weights.shape[0]
        below = Area(rows + 1, 1, 2 * least, columns - 2)
        chart = _free(self, columns, least) or below
        return HeadPage(max(rows, chart.row + chart.rows), columns, chart, _width(self.tables))

    @property
    def tables(self) -> Iterator[PlacedTable]:
        return chain.from_iterable(self.bands)

    @property
    def band_of_weights(self) -> tuple[PlacedTable, ...]:
        """Returns the band that has the weights."""
        quantity = self.head.weights
        return next(b for b in self.bands if any(t.table.quantity == quantity for t in b))

    @property
    def weights(self) -> PlacedTable:
        """Returns the table of the weights."""
        quantity = self.head.weights
        return next(t for t in self.band_of_weights if t.table.quantity == quantity)

    @property
    def end(self) -> tuple[int, int]:
        """Returns the row below all tables and the column behind them."""
        rows, columns = zip(*(table.end for table in self.tables), strict=True)
        return max(rows), max(columns)


def head_layout(head: WholeHead, layout: WorkbookLayout) -> HeadLayout | None:
    """Lays a head out so that it is read on one page: in as few lines as may be, and without what
    is made on the way to its weights where it is too large with it; returns None where it is too
    large all the same."""
    if not all(_is_whole(quantity, layout) for quantity in _quantities(head)):
        return None
    best: HeadLayout | None = None
    for each in (head, _shortened(head)):
        for folds in range(_MOST_FOLDS + 1):
            lines = tuple(_folded([*_lines(each)], folds, layout))
            laid_out = HeadLayout(SHEET, each, tuple(_bands(lines, layout)), layout)
            if laid_out.page.scale >= _COMFORTABLE:
                return laid_out
            if best is None or laid_out.page.scale > best.page.scale:
                best = laid_out
        if best is not None and best.page.scale >= _READABLE:
            return best
    return None


def _quantities(head: WholeHead) -> Iterator[str]:
    for band in head.bands:
        yield band.left.quantity
        for crossing in band.crossings:
            yield from (operand.quantity for operand in crossing.above)
            yield from (made.quantity for made in (crossing.result, *crossing.after))


def _is_whole(quantity: str, layout: WorkbookLayout) -> bool:
    """Tells whether all rows of a quantity stand in the workbook."""
    if quantity not in layout.tables or quantity not in layout.workings:
        return False
    rows, _ = layout.workings[quantity].table.matrix.shape
    return len(layout.tables[quantity].rows) == rows


def _shortened(head: WholeHead) -> WholeHead:
    """Leaves out what is made between scores and what is multiplied next."""
    bands = (
        band._replace(crossings=tuple(c._replace(after=c.after[-1:]) for c in band.crossings))
        for band in head.bands
    )
    return head._replace(bands=tuple(bands))


class _Entry(NamedTuple):
    """A table of a line, with what stands above it."""

    above: tuple[HeadOperand, ...]
    made: Made


class _Line(NamedTuple):
    """Tables beside each other."""

    left: HeadOperand
    entries: tuple[_Entry, ...]

    def width(self, layout: WorkbookLayout) -> int:
        """Counts its columns, with one before each table."""
        names = (self.left.quantity, *(entry.made.quantity for entry in self.entries))
        return sum(1 + layout.workings[name].table.matrix.shape[1] for name in names)


def _lines(head: WholeHead) -> Iterator[_Line]:
    for band in head.bands:
        entries = (
            (_Entry(c.above, c.result), *(_Entry((), made) for made in c.after))
            for c in band.crossings
        )
        yield _Line(band.left, tuple(chain.from_iterable(entries)))


def _folded(lines: Sequence[_Line], folds: int, layout: WorkbookLayout) -> Iterator[_Line]:
    """Yields the lines, the last one folded so often that its parts are as narrow as can be; each
    part begins with what the one before it ends with."""
    *before, last = lines
    yield from before
    may_end = [k for k, e in enumerate(last.entries[:-1], start=1) if not _is_list(e, layout)]
    ways = (
        [last._replace(left=left, entries=last.entries[a:b]) for a, b, left in _parts(last, cuts)]
        for cuts in combinations(may_end, min(folds, len(may_end)))
    )
    yield from min(ways, key=lambda way: max(line.width(layout) for line in way))


def _is_list(entry: _Entry, layout: WorkbookLayout) -> bool:
    return layout.workings[entry.made.quantity].table.is_list


def _parts(line: _Line, cuts: Sequence[int]) -> Iterator[tuple[int, int, HeadOperand]]:
    """Yields where each part of a line begins and ends, and what is at its left."""
    for a, b in pairwise((0, *cuts, len(line.entries))):
        made = line.entries[a - 1].made
        yield a, b, line.left if a == 0 else HeadOperand(made.quantity, made.called)


def _bands(lines: Sequence[_Line], layout: WorkbookLayout) -> Iterator[tuple[PlacedTable, ...]]:
    """Yields the tables of each line, one below the other."""
    row, before = _TOP, set[str]()
    for line in lines:
        tables = tuple(_band(line, layout, row, before))
        before.update(placed.table.quantity for placed in tables)
        yield tables
        row = max(placed.end[0] for placed in tables) + 1


def _band(line: _Line, layout: WorkbookLayout, row: int, before: set[str]) -> Iterator[PlacedTable]:
    """Yields the tables of a line from a row on: its left operand, and what is made beside it, each
    with what is above it."""
    heights = [_height(entry, layout) for entry in line.entries]
    highest = max(heights)
    bottom = row + (_ABOVE_NUMBERS + highest if highest else 0)
    left = _operand(line.left, layout, before)._replace(row=bottom + _ABOVE_NUMBERS, column=1)
    yield left
    column = left.end[1] + 1
    for entry, height in zip(line.entries, heights, strict=True):
        at = bottom - height
        for k, operand in enumerate(entry.above):
            placed = _operand(operand, layout, before)
            yield placed._replace(row=at, column=column, headed=k == 0)
            at += placed.shape[0]
        table = with_forms(table_of(layout.workings[entry.made.quantity]))
        assert isinstance(table, NumberTable)
        called = (plain(entry.made.formula), entry.made.called)
        placed = PlacedTable(table, called, left.row, column)
        yield placed
        column = placed.end[1] + 1


def _height(entry: _Entry, layout: WorkbookLayout) -> int:
    """Counts the rows of numbers above a table."""
    return sum(_operand(operand, layout, set()).shape[0] for operand in entry.above)


def _operand(operand: HeadOperand, layout: WorkbookLayout, before: set[str]) -> PlacedTable:
    """Returns an operand, whose numbers stand elsewhere, or are those of quantities before it on
    this sheet, moved."""
    table = with_forms(table_of(layout.workings[operand.quantity]))
    assert isinstance(table, NumberTable)
    is_moved = table.worked.moved and {*operands_of(table)} <= before
    given = "" if table.is_made else " (given)"
    called = (f"{operand.called}{'ᵀ' * operand.turned}{given}",)
    return PlacedTable(table._replace(linked=not is_moved), called, 0, 0, operand.turned, True)


def _free(layout: HeadLayout, columns: int, least: int) -> Area | None:
    """Finds the largest area at the right, from the top, where nothing stands."""
    areas = []
    for column in range(1, columns - _CHART_COLUMNS):
        tables = [t for t in layout.tables if t.end[1] >= column]
        top = min((t.row - _ABOVE_NUMBERS * t.headed for t in tables), default=layout.end[0] + 1)
        areas.append(Area(_TOP, column, top - 1 - _TOP, columns - 1 - column))
    fitting = (area for area in areas if area.rows >= least)
    return max(fitting, key=lambda area: area.rows * area.columns, default=None)


def _width(tables: Iterable[PlacedTable]) -> int:
    """Counts the characters that each column has room for: the whole of each number, since a
    spreadsheet shows none in part, and as much of a name as is usual."""
    least, most = _WIDTHS
    each = [*tables]
    numbers = (len(text) + 1 for t in each for _, text in longest_numbers(t.table))
    names = (min(most, len(text) + 1) for t in each for text in chain(*t.names))
    return max(least, *numbers, *names)
