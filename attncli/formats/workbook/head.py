"""The sheet that has a whole head as on paper, on one page, with a chart of its weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from attncli.document.whole_head import Band, Crossing, Operand, WholeHead
from attncli.formats.colours import LIGHT, Shade
from attncli.formats.workbook.layout import (
    NumberTable,
    TablePlace,
    WorkbookLayout,
    operands_of,
    table_of,
    with_forms,
)
from attncli.formats.workbook.writing import (
    A4,
    MAY,
    SHARES,
    CellWriter,
    Formats,
    in_role,
    longest_numbers,
)
from attncli.maths.notation import plain
from attncli.maths.notation.escaping import printed
from attncli.maths.notation.spreadsheet import SheetCell
from attncli.names import Word

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

SHEET = "All"
_MOST_COLUMNS, _MOST_ROWS = 40, 60
"""What can be read on one landscape page; of a wider head there are only products and weights."""
_TOP = 4
"""Rows above the first band."""
_ABOVE_NUMBERS = 2
"""Rows of a table above its numbers: what it is called, and the names of its columns."""


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
        rows = [printed(in_role(names.roles[0], name)) for name in names.rows]
        columns = [printed(in_role(names.roles[1], name)) for name in names.columns or (Word(""),)]
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
    """Lays a head out, without what is made on the way to its weights where it is too wide with
    it; returns None where it is too large to be read on one page."""
    if not all(_is_whole(quantity, layout) for quantity in _quantities(head)):
        return None
    for each in (head, _shortened(head)):
        laid_out = HeadLayout(SHEET, each, tuple(_bands(each, layout)), layout)
        rows, columns = laid_out.end
        if rows <= _MOST_ROWS and columns <= _MOST_COLUMNS:
            return laid_out
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


def _bands(head: WholeHead, layout: WorkbookLayout) -> Iterator[tuple[PlacedTable, ...]]:
    """Yields the tables of each band, one below the other."""
    row, before = _TOP, set[str]()
    for band in head.bands:
        tables = tuple(_band(band, layout, row, before))
        before.update(placed.table.quantity for placed in tables)
        yield tables
        row = max(placed.end[0] for placed in tables) + 1


def _band(band: Band, layout: WorkbookLayout, row: int, before: set[str]) -> Iterator[PlacedTable]:
    """Yields the tables of a band from a row on: its left operand, and for each product what is
    above it, its result, and what is made of that."""
    heights = [_height(crossing, layout) for crossing in band.crossings]
    bottom = row + _ABOVE_NUMBERS + max(heights)
    left = _operand(band.left, layout, before)._replace(row=bottom + _ABOVE_NUMBERS, column=1)
    yield left
    column = left.end[1] + 1
    for crossing, height in zip(band.crossings, heights, strict=True):
        at = bottom - height
        for k, operand in enumerate(crossing.above):
            placed = _operand(operand, layout, before)
            yield placed._replace(row=at, column=column, headed=k == 0)
            at += placed.shape[0]
        for made in (crossing.result, *crossing.after):
            table = with_forms(table_of(layout.workings[made.quantity]))
            assert isinstance(table, NumberTable)
            placed = PlacedTable(table, (plain(made.formula), made.called), left.row, column)
            yield placed
            column = placed.end[1] + 1


def _height(crossing: Crossing, layout: WorkbookLayout) -> int:
    """Counts the rows of numbers above a product."""
    return sum(_operand(operand, layout, set()).shape[0] for operand in crossing.above)


def _operand(operand: Operand, layout: WorkbookLayout, before: set[str]) -> PlacedTable:
    """Returns an operand, whose numbers stand elsewhere, or are those of quantities before it on
    this sheet, moved."""
    table = with_forms(table_of(layout.workings[operand.quantity]))
    assert isinstance(table, NumberTable)
    is_moved = table.worked.moved and {*operands_of(table)} <= before
    given = "" if table.is_made else " (given)"
    called = (f"{operand.called}{'ᵀ' * operand.turned}{given}",)
    return PlacedTable(table._replace(linked=not is_moved), called, 0, 0, operand.turned, True)


_WIDTHS = (7, 12)
"""The least and the most characters of a column."""
_MARGIN = 0.4
_CHART_COLUMNS, _CHART_ROWS = 5, 5
"""The least columns that a chart takes, and its least rows besides those of its bars."""
_CHART = "The weights of each query"
_LABELS = '[<0.08]"";0.00'
"""What is written into a bar that has room for it."""
_ROW_PIXELS, _PIXELS_A_CHARACTER, _PIXELS_BESIDE = (20, 32), 7, 5
"""How large cells are on a screen, as XlsxWriter reckons: the least and the most of a row, and what
a column takes."""
_PAGE = (297 - 2 * 25.4 * _MARGIN) / (210 - 2 * 25.4 * _MARGIN)
"""How many times as wide as high a page is inside its margins."""
_HOW_TO = (
    "Each product stands below its right operand and to the right of its left one; what is made of"
    " a row stands behind it."
)
_SAID = (
    (_HOW_TO, "text"),
    (
        "Given numbers come from the sheets of their steps: change them there, and look here.",
        "text",
    ),
)
_LEAST_COLUMNS = 14
"""What these sentences run over."""
_POINTS_A_PIXEL = 0.75


class _Area(NamedTuple):
    """Cells in which nothing stands."""

    row: int
    column: int
    rows: int
    columns: int


class _Page(NamedTuple):
    """The printed page of a head, with the size of its cells."""

    rows: int
    columns: int
    chart: _Area
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
        return min(most, max(least, int(self.columns * self.column_pixels / _PAGE / self.rows)))


def _page_of(layout: HeadLayout) -> _Page:
    """Measures a page, with the room for its chart: where nothing stands, or else below."""
    rows, columns = layout.end
    columns = max(columns + 1, _LEAST_COLUMNS)
    least = _CHART_ROWS + layout.weights.shape[0]
    below = _Area(rows + 1, 1, 2 * least, columns - 2)
    chart = _free(layout, columns, least) or below
    return _Page(max(rows, chart.row + chart.rows), columns, chart, _width(layout))


def _free(layout: HeadLayout, columns: int, least: int) -> _Area | None:
    """Finds the largest area at the right, from the top, where nothing stands."""
    areas = []
    for column in range(1, columns - _CHART_COLUMNS):
        tables = [t for t in layout.tables if t.end[1] >= column]
        top = min((t.row - _ABOVE_NUMBERS * t.headed for t in tables), default=layout.end[0] + 1)
        areas.append(_Area(_TOP, column, top - 1 - _TOP, columns - 1 - column))
    fitting = (area for area in areas if area.rows >= least)
    return max(fitting, key=lambda area: area.rows * area.columns, default=None)


def _width(layout: HeadLayout) -> int:
    """Counts the characters that each column has room for."""
    least, most = _WIDTHS
    numbers = (text for t in layout.tables for _, text in longest_numbers(t.table))
    names = (text for t in layout.tables for text in chain(*t.names))
    return min(most, max(least, *(len(text) + 1 for text in chain(numbers, names))))


class HeadWriter(NamedTuple):
    """A writer of a head's sheet."""

    workbook: Workbook
    """The workbook that it is in."""
    formats: Formats
    """The workbook's formats."""
    layout: HeadLayout
    """What stands where."""

    def write(self, title: str) -> None:
        """Writes the sheet, on one landscape page."""
        sheet, page = self.workbook.add_worksheet(self.layout.name), _page_of(self.layout)
        sheet.protect("", MAY)
        place = f" · {self.layout.head.place}" if self.layout.head.place else ""
        words = CellWriter(self.formats, self.layout.elsewhere)
        for row, (text, look) in enumerate(((title + place, "title"), *_SAID)):
            words.word(sheet, row, 0, text, look)
        for band, cells in zip(self.layout.bands, self._cells(), strict=True):
            self._band(sheet, band, page, cells)
        _draw_weights(self.workbook, sheet, self.layout, page)
        sheet.set_column(0, page.columns - 1, page.width)
        sheet.set_default_row(page.row_pixels * _POINTS_A_PIXEL)
        sheet.hide_gridlines(2)
        sheet.print_area(0, 0, page.rows - 1, page.columns - 1)
        sheet.set_paper(A4)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 1)
        sheet.set_margins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)

    def _cells(self) -> Iterator[CellWriter]:
        """Yields what writes the cells of each band: links to what stands before it, formulas of
        what stands in it."""
        elsewhere = self.layout.elsewhere
        for band in self.layout.bands:
            places = {placed.table.quantity: placed.place(self.layout.name) for placed in band}
            here = elsewhere._replace(tables={**elsewhere.tables, **places}, own=elsewhere)
            yield CellWriter(self.formats, here)
            elsewhere = here

    def _band(
        self, sheet: Worksheet, band: Sequence[PlacedTable], page: _Page, cells: CellWriter
    ) -> None:
        for placed in band:
            starts = (t.start for t in band if t.row == placed.row and t.start > placed.start)
            room = (min(starts, default=page.columns) - placed.start) * page.width - 1
            name = next((text for text in placed.called if len(text) <= room), placed.called[-1])
            rows, columns = placed.names
            if placed.headed:
                cells.word(sheet, placed.row - 2, placed.start, name, "name")
                for j, column in enumerate(columns):
                    cells.word(sheet, placed.row - 1, placed.column + j, column, "narrow")
            if placed.is_operand:
                for i, row in enumerate(rows if placed.headed else [name]):
                    cells.word(sheet, placed.row + i, placed.start, row, "narrow")
            for down, right, cell in placed.cells():
                cells.number(sheet, SheetCell(self.layout.name, down, right), placed.table, cell)
            if placed.table.worked.table.display.shares:
                below, behind = placed.end
                area = (placed.row, placed.column, below - 1, behind - 1)
                sheet.conditional_format(*area, dict(SHARES))


def _draw_weights(workbook: Workbook, sheet: Worksheet, layout: HeadLayout, page: _Page) -> None:
    """Draws the weights where the page has room for them: a bar for each query, a part for each
    key."""
    weights, (names, *_) = layout.weights, layout.band_of_weights
    (below, behind), name = weights.end, layout.name
    chart = workbook.add_chart({"type": "bar", "subtype": "stacked"})
    for j in range(weights.column, behind):
        shade = _shade(j - weights.column, weights.shape[1])
        label = {"value": True, "num_format": _LABELS, "font": {"color": shade.text}}
        chart.add_series(
            {
                "name": [name, weights.row - 1, j],
                "categories": [name, names.row, names.start, below - 1, names.start],
                "values": [name, weights.row, j, below - 1, j],
                "fill": {"color": shade.background},
                "border": {"color": LIGHT.aside},
                "gap": 30,
                "data_labels": label,
            }
        )
    chart.set_title({"name": _CHART, "name_font": {"size": 11}})
    chart.set_y_axis({"reverse": True})
    whole = {"max": 1} if weights.table.is_made else {}
    chart.set_x_axis({"min": 0, **whole, "visible": False, "major_gridlines": {"visible": False}})
    chart.set_legend({"position": "bottom"})
    area = page.chart
    size = {"width": area.columns * page.column_pixels, "height": area.rows * page.row_pixels}
    chart.set_size(size)
    sheet.insert_chart(area.row, area.column, chart, {"object_position": 1})


def _shade(place: int, count: int) -> Shade:
    """Returns the shade of one of several parts: each as far from its neighbours' as can be."""
    shades = LIGHT.shades[1:]
    return shades[place * len(shades) // count if count <= len(shades) else place % len(shades)]
