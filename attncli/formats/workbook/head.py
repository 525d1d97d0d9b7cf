"""The sheet that has a whole head as on paper, on one page, with a chart of its weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from attncli.document.blocks import Callout, Document, Paragraph, text_of_spans
from attncli.formats.colours import LIGHT, Shade
from attncli.formats.workbook.head_layout import MARGIN, HeadLayout, HeadPage, PlacedTable
from attncli.formats.workbook.writing import A4, MAY, SHARES, CellWriter, Formats
from attncli.maths.notation.escaping import visible
from attncli.maths.notation.spreadsheet import SheetCell

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

_CHART = "The weights of each query"
_LABELS = '[<0.08]"";0.00'
"""What is written into a bar that has room for it."""
_SAID = (
    "Each product stands below its right operand and to the right of its left one. What is computed"
    " from a row stands behind it.",
    "Given numbers come from the sheets of their steps: change them there, and look here.",
)
_POINTS_A_PIXEL = 0.75


class HeadWriter(NamedTuple):
    """A writer of a head's sheet."""

    workbook: Workbook
    """The workbook that it is in."""
    formats: Formats
    """The workbook's formats."""
    layout: HeadLayout
    """What stands where."""

    def write(self, document: Document) -> None:
        """Writes the sheet of a document's head, on one landscape page, with the page's answer."""
        sheet, page = self.workbook.add_worksheet(self.layout.name), self.layout.page
        sheet.protect("", MAY)
        place = f" · {self.layout.head.place}" if self.layout.head.place else ""
        words = CellWriter(self.formats, self.layout.elsewhere)
        words.word(sheet, 0, 0, visible(document.title) + place, "title")
        answer = () if document.answer is None else document.lead[:1]
        says = (text_of_spans(b.text) for b in answer if isinstance(b, Paragraph | Callout))
        for row, text in enumerate((*says, *_SAID), start=1):
            words.word(sheet, row, 0, text, "text")
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
        sheet.set_margins(MARGIN, MARGIN, MARGIN, MARGIN)

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
        self, sheet: Worksheet, band: Sequence[PlacedTable], page: HeadPage, cells: CellWriter
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


def _draw_weights(workbook: Workbook, sheet: Worksheet, layout: HeadLayout, page: HeadPage) -> None:
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
