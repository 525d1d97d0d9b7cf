"""Sheets written with XlsxWriter, by the layout: texts, numbers, formulas, looks, printing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attncli.document.grid import ink_of
from attncli.formats.colours import INKS, LIGHT
from attncli.formats.numbers import text_of
from attncli.formats.workbook.layout import (
    Item,
    NumberTable,
    PlacedItem,
    RangeNames,
    Sheet,
    TextRow,
    WorkbookLayout,
    is_rule,
)
from attncli.maths.equations.tree import INNER, Blank, Expression, Location, Number
from attncli.maths.notation import plain
from attncli.maths.notation.escaping import printed
from attncli.maths.notation.spreadsheet import (
    IS_FINITE,
    MINUS_INFINITY,
    SheetCell,
    TooLongError,
    absolute,
    cells_across,
    formula,
    quoted,
)
from attncli.maths.numbers import decimals
from attncli.names import Word

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet


_USUAL, _WIDEST = 10, 30
_TEXT_COLUMNS = 9
"""Columns that a line of text runs over."""
_UPRIGHT_COLUMNS = 10
"""The most that go on an upright page."""
A4 = 9
_LONGEST_HEADER = 80


def set_up(page: Worksheet, sheet: Sheet, title: str) -> None:
    """Sets widths, what stays in sight, and the printed page: as wide as the sheet, on each the
    title, the heading of what is on it if that is one step, and below the sheet's name."""
    widths = _widths([p.item for p in sheet.items])
    for column in range(max([*widths, _TEXT_COLUMNS]) + 1):
        page.set_column(column, column, min(widths.get(column, _USUAL), _WIDEST))
    page.freeze_panes(1, 1)
    page.hide_gridlines(2)
    width = max([_TEXT_COLUMNS, *(_columns(p.item) for p in sheet.items)])
    page.print_area(0, 0, max(p.end for p in sheet.items) - 1, width - 1)
    page.set_paper(A4)
    page.fit_to_pages(1, 0)
    if sum(isinstance(p.item, TextRow) and p.item.look == "title" for p in sheet.items) == 1:
        page.repeat_rows(0)
    if width > _UPRIGHT_COLUMNS:
        page.set_landscape()
    page.set_header(f"&L{title[:_LONGEST_HEADER].replace('&', '&&')}")
    page.set_footer("&L&A&R&P / &N")


def in_role(role: str, name: Word) -> Word:
    """Returns a name with its role before it: `Q: love`."""
    return Word(f"{role}: {name.raw}") if role else name


def longest_numbers(table: NumberTable) -> Iterator[tuple[int, str]]:
    """Yields the lowest, the highest and the smallest number of each column, one of which has the
    most digits; LibreOffice shows none of a number that is wider than its column."""
    matrix = table.worked.table.matrix
    values = matrix.taken([*table.rows])
    known = np.isfinite(values)
    sizes = np.where(known & (values != 0), abs(values), np.inf)
    for ends in (np.where(known, values, np.inf), np.where(known, -values, np.inf), sizes):
        for j, k in enumerate(ends.argmin(axis=0).tolist()):
            if known[k, j]:
                yield j + 1, text_of(matrix.number(table.rows[k], j))


def _columns(item: Item) -> int:
    """Counts how many columns an item has; shares have two more."""
    if isinstance(item, NumberTable):
        return 1 + item.shape[1] + 2 * item.worked.table.display.shares
    return len(item.cells)


def _widths(items: Sequence[Item]) -> dict[int, int]:
    """Measures how wide each column has to be for what stands in it."""
    widths: dict[int, int] = {}
    for column, text in (pair for item in items for pair in _texts(item)):
        widths[column] = max(widths.get(column, _USUAL), len(text) + 2)
    return widths


def _texts(item: Item) -> Iterator[tuple[int, str]]:
    """Yields the names beside and above numbers and the longest of these, and the cells of tables
    of texts but for the last ones, which may run on."""
    if isinstance(item, NumberTable):
        names = item.worked.table.names
        for i in item.rows:
            yield 0, printed(in_role(names.roles[0], names.rows[i]))
        for j, name in enumerate(names.columns, start=1):
            yield j, printed(in_role(names.roles[1], name))
        yield from longest_numbers(item)
        return
    for column, cell in enumerate(item.cells[:-1]):
        yield column, printed(cell) if isinstance(cell, Word) else str(cell)


Look = Mapping[str, object]

GIVEN: Look = {"font_color": INKS["given"], "bg_color": "#fdf3ec", "locked": False}
"""What can be changed: a number that was given."""
CHOSEN: Look = {**GIVEN, "font_color": INKS["aside"], "italic": True}
"""What the program put there, by a rule that is no formula."""
RESULT: Look = {"bold": True}
_LINE: Look = {"border": 1, "border_color": "#d0d7de"}
_HEADING: Look = {"bold": True, "bg_color": LIGHT.shades[1].background, **_LINE}

LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "text": {},
        "title": {"bold": True, "font_size": 14, "font_color": LIGHT.line},
        "subheading": {"bold": True},
        "note": {"italic": True, "font_color": LIGHT.aside},
        "formula": {"italic": True, "font_color": LIGHT.aside},
        "name": {"bold": True, "font_size": 12},
        "heading": _HEADING,
        "link": {"font_color": LIGHT.line, "underline": 1},
        "column": {**_HEADING, "align": "right"},
        "narrow": {**_HEADING, "align": "right", "shrink": True},
        "whose": {**_LINE, "align": "right"},
        "fact": _LINE,
        "list": _LINE,
        "blank": {**_LINE, "locked": False, "bg_color": GIVEN["bg_color"]},
    }
)

SHARES = MappingProxyType(
    {
        "type": "2_color_scale",
        "min_type": "num",
        "max_type": "num",
        "min_value": 0,
        "max_value": 1,
        "min_color": LIGHT.shades[0].background,
        "max_color": LIGHT.shades[4].background,
    }
)
"""Shades of shares from nothing to all of it; black text can be read upon each."""


def ink_look(ink: str) -> Look:
    """Returns the look that queries, keys and values have by their ink; nothing for none."""
    return {"font_color": INKS[ink]} if ink else {}


def format_of(number: Number | None) -> str:
    """Returns the number format with the decimals that a number is shown with, −∞ as such. What is
    below zero has a section of its own: LibreOffice writes the second of two without the sign."""
    places = decimals.places(number.shown) if number is not None and number.shown.is_finite() else 0
    digits = f"0.{'0' * places}" if places else "0"
    return f'[<{IS_FINITE}]"−∞";[<0]-{digits};{digits}'


class Formats:
    """A workbook's formats, each made once."""

    def __init__(self, workbook: Workbook) -> None:
        self._workbook = workbook
        self._made: dict[tuple[tuple[str, object], ...], Format] = {}

    def named(self, look: str) -> Format:
        return self.of(LOOKS[look])

    def number(self, look: Look, number: Number | None, pattern: str = "") -> Format:
        return self.of({**_LINE, **look, "num_format": pattern or format_of(number)})

    def of(self, look: Look) -> Format:
        key = tuple(sorted(look.items()))
        if key not in self._made:
            self._made[key] = self._workbook.add_format(dict(look))
        return self._made[key]


_SEVERAL = "several"
"""Whose the largest share is, if it is not one alone."""
_LONGEST_TEXT = 32_767
"""Characters of a cell; Excel takes no more."""
_READ_AS_FORMULAS = ("=", "+", "-", "@")
MAY = {"format_columns": True, "format_rows": True, "format_cells": True}
"""What a protected sheet lets a reader do besides changing its inputs."""


class CellWriter(NamedTuple):
    """A writer of cells, one by one."""

    formats: Formats
    """The formats of its workbook."""
    layout: WorkbookLayout
    """Where the numbers stand that formulas ask for."""

    def word(
        self, page: Worksheet, row: int, column: int, cell: Word | str | int, look: str
    ) -> None:
        """Writes a text, never read as a formula; of a list of IDs a number."""
        if isinstance(cell, int):
            page.write_number(row, column, cell, self.formats.of(LOOKS[look]))
            return
        text = printed(cell)
        quote = {"quote_prefix": True} if text.startswith(_READ_AS_FORMULAS) else {}
        cut = text[:_LONGEST_TEXT]
        page.write_string(row, column, cut, self.formats.of({**LOOKS[look], **quote}))

    def number(
        self, page: Worksheet, place: SheetCell, table: NumberTable, cell: tuple[int, int]
    ) -> None:
        """Writes a number that was given, or the formula that works it out."""
        entry, form = table.worked.table.entry(*cell), table.forms.get(cell)
        if isinstance(entry, Blank):
            number = entry.answer
            if number is None:
                page.write_blank(*place.indices, None, self.formats.named("blank"))
                return
        else:
            number = entry
        written = self._formula_of(form, place, table, cell)
        if written is None:
            look, pattern = _look_of_value(table, number)
            page.write_number(
                *place.indices, _value(number), self.formats.number(look, number, pattern)
            )
            return
        is_given = table.linked and not table.is_made
        pattern = "General" if is_given and number.full.is_finite() else ""
        style = self.formats.number(_look_of_formula(table, form), number, pattern)
        if "MMULT(" in written:
            page.write_array_formula(
                *place.indices, *place.indices, f"{{{written}}}", style, _value(number)
            )
        else:
            page.write_formula(*place.indices, written, style, _value(number))

    def _formula_of(
        self, form: Expression | None, place: SheetCell, table: NumberTable, cell: tuple[int, int]
    ) -> str | None:
        """Returns the formula of a cell; None where its number is written."""
        if table.linked:
            return self._link(Location(table.quantity, *cell))
        return None if form is None or _is_constant(form) else self._formula(form, place, table)

    def _link(self, cell: Location) -> str:
        """Returns the formula of a number that stands elsewhere."""
        assert self.layout.own is not None
        place = self.layout.own.place_of(cell)
        return f"={quoted(place.sheet)}!{absolute(place)}"

    def _formula(self, form: Expression, place: SheetCell, table: NumberTable) -> str | None:
        """Returns the formula of a cell; None where it is longer than a spreadsheet takes."""
        try:
            return formula(form, place.sheet, self.layout.place_of, table.worked.decimals)
        except TooLongError:
            return None


class Writer:
    """A writer of the sheets of one workbook."""

    def __init__(self, workbook: Workbook, title: str) -> None:
        self._workbook, self._title = workbook, title
        self._formats = Formats(workbook)
        self._names = RangeNames()

    @property
    def formats(self) -> Formats:
        return self._formats

    def group(self, called: str, layout: WorkbookLayout) -> None:
        """Sets what comes next: the sheets of a group."""
        self._called, self._layout = called, layout
        self._cells = CellWriter(self._formats, layout)

    def first_sheet(self, name: str, items: Sequence[Item], sheets: Iterable[str]) -> None:
        """Writes what is said before all else, and below it where to find each sheet."""
        links = (TextRow((sheet,), "link") for sheet in sheets)
        rows = [*items, TextRow(("Sheets",), "subheading"), *links]
        self.sheet(Sheet(name, tuple(PlacedItem(row, item) for row, item in enumerate(rows))))

    def sheet(self, sheet: Sheet) -> None:
        """Writes a sheet; what was given may be changed, formulas are protected without a
        password."""
        page = self._workbook.add_worksheet(sheet.name)
        page.protect("", MAY)
        for placed in sheet.items:
            if isinstance(placed.item, TextRow):
                self._text(page, placed.row, placed.item)
            else:
                self._table(page, sheet.name, placed)
        set_up(page, sheet, self._title)

    def _text(self, page: Worksheet, row: int, item: TextRow) -> None:
        if item.look == "link":
            (name,) = map(str, item.cells)
            style = self._formats.named("link")
            page.write_url(row, 0, f"internal:{quoted(name)}!A1", style, name)
            return
        for column, cell in enumerate(item.cells):
            self._cells.word(page, row, column, cell, item.look)

    def _table(self, page: Worksheet, sheet: str, placed: PlacedItem) -> None:
        """Writes the name of a quantity, its formulas, the names of its columns, then its rows."""
        table = placed.item
        assert isinstance(table, NumberTable)
        names, top = table.worked.table.names, placed.first_row
        self._cells.word(page, placed.row, 0, Word(_called(table)), "name")
        for k, equation in enumerate(table.worked.formulas):
            self._cells.word(page, placed.row + 1 + k, 0, plain(equation), "formula")
        for k, note in enumerate(table.notes):
            self._cells.word(page, top - 1 - len(table.notes) + k, 0, note, "note")
        for j, name in enumerate(names.columns if table.rows else ()):
            self._cells.word(page, top - 1, 1 + j, in_role(names.roles[1], name), "column")
        for k, i in enumerate(table.rows):
            self._cells.word(page, top + k, 0, in_role(names.roles[0], names.rows[i]), "heading")
            for j in range(table.shape[1]):
                self._cells.number(page, SheetCell(sheet, top + k, 1 + j), table, (i, j))
        if table.rows:
            self._finish(page, SheetCell(sheet, top, 1), table)

    def _finish(self, page: Worksheet, first: SheetCell, table: NumberTable) -> None:
        """Adds the sums and shades of shares, and the name of the range."""
        rows, columns = table.shape
        last = SheetCell(first.sheet, first.row + rows - 1, first.column + columns - 1)
        if table.worked.table.display.shares:
            page.conditional_format(*first[1:], *last[1:], dict(SHARES))
            self._shares_summary(page, first, table)
        if table.quantity in self._layout.tables:
            cells = f"{absolute(first)}:{absolute(last)}"
            name = self._names.new(".".join(filter(None, (self._called, table.quantity))))
            self._workbook.define_name(name, f"={quoted(first.sheet)}!{cells}")

    def _shares_summary(self, page: Worksheet, first: SheetCell, table: NumberTable) -> None:
        """Writes beside shares what each row adds up to, and whose the largest is."""
        block, (_, width) = table.worked.table, table.shape
        names, sums = first._replace(row=first.row - 1), first.column + width
        self._cells.word(page, names.row, sums, "sum", "column")
        self._cells.word(page, names.row, sums + 1, "largest", "column")
        heads = cells_across(names, width, fixed=True)
        for k, i in enumerate(table.rows):
            row, shares = first.row + k, block.matrix.values[i]
            cells = cells_across(first._replace(row=row), width)
            style = self._formats.number({}, block.matrix.number(i, 0))
            page.write_formula(row, sums, f"=SUM({cells})", style, float(shares.sum()))
            top = f"MAX({cells})"
            of_one = f"INDEX({heads},MATCH({top},{cells},0))"
            formula = f'=IF(COUNTIF({cells},{top})>1,"{_SEVERAL}",{of_one})'
            name = in_role(block.names.roles[1], block.names.columns[int(shares.argmax())])
            text = _SEVERAL if (shares == shares.max()).sum() > 1 else printed(name)
            page.write_formula(row, sums + 1, formula, self._formats.named("whose"), text)


def _called(table: NumberTable) -> str:
    block = table.worked.table
    if table.linked:
        return f"{block.name} (as in the scenario itself)"
    return f"{block.name} ({block.origin})" if block.given and block.origin else block.name


def _is_constant(form: Expression) -> bool:
    return isinstance(form, Number) and (form.cell is None or form.cell == INNER) and not form.form


def _value(number: Number) -> float:
    return float(number.full) if number.full.is_finite() else float(MINUS_INFINITY)


def _look_of_value(table: NumberTable, number: Number) -> tuple[Look, str]:
    """Returns how a number looks that is no formula: one that was given with all of its digits."""
    if table.is_made:
        return CHOSEN, ""
    return GIVEN, "" if not number.full.is_finite() else "General"


def _look_of_formula(table: NumberTable, form: Expression | None) -> Look:
    block = table.worked.table
    if form is not None and is_rule(form):
        return CHOSEN
    ink = "given" if table.linked and not table.is_made else ink_of(block.quantity)
    return RESULT if block.display.is_result else ink_look(ink)
