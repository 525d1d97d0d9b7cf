"""Writing sheets with XlsxWriter: texts, numbers and formulas where the layout has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attncli.arithmetic.expression import INNER, Blank, Expression, Location, Number
from attncli.notation import plain
from attncli.notation.spreadsheet import (
    MINUS_INFINITY,
    SheetCell,
    TooLongError,
    absolute,
    cells_across,
    formula,
    quoted,
)
from attncli.notation.words import printed
from attncli.render.colours import ink_of
from attncli.render.workbook.items import Item, NumberTable, TextRow
from attncli.render.workbook.layout import PlacedItem, Sheet, WorkbookLayout, is_rule
from attncli.render.workbook.names import RangeNames
from attncli.render.workbook.paper import in_role, set_up
from attncli.render.workbook.styles import (
    CHOSEN,
    GIVEN,
    LOOKS,
    RESULT,
    SHARES,
    Formats,
    Look,
    ink_look,
)
from attncli.word import Word

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

_SEVERAL = "several"
"""Whose the largest share is, if it is not one alone."""
_LONGEST_TEXT = 32_767
"""Characters of a cell; Excel takes no more."""
_READ_AS_FORMULAS = ("=", "+", "-", "@")
_MAY = {"format_columns": True, "format_rows": True, "format_cells": True}
"""What a protected sheet lets a reader do besides changing its inputs."""


class Writer:
    """Writes the sheets of one workbook."""

    def __init__(self, workbook: Workbook, title: str) -> None:
        self._workbook, self._title = workbook, title
        self._formats = Formats(workbook)
        self._names = RangeNames()

    def group(self, called: str, layout: WorkbookLayout) -> None:
        """What comes next: the sheets of a group."""
        self._called, self._layout = called, layout

    def first_sheet(self, name: str, items: Sequence[Item]) -> None:
        """What is said before all else, and below it where to find each sheet."""
        links = (TextRow((sheet.name,), "link") for sheet in self._layout.sheets)
        rows = [*items, TextRow(("Sheets",), "subheading"), *links]
        self.sheet(Sheet(name, tuple(PlacedItem(row, item) for row, item in enumerate(rows))))

    def sheet(self, sheet: Sheet) -> None:
        """A sheet; what was given may be changed, formulas are protected without a password."""
        page = self._workbook.add_worksheet(sheet.name)
        page.protect("", _MAY)
        for placed in sheet.items:
            if isinstance(placed.item, TextRow):
                self._text(page, placed.row, placed.item)
            else:
                self._table(page, sheet.name, placed)
        set_up(page, sheet, self._title)

    # -- texts ---------------------------------------------------------------------------------

    def _text(self, page: Worksheet, row: int, item: TextRow) -> None:
        if item.look == "link":
            (name,) = map(str, item.cells)
            style = self._formats.named("link")
            page.write_url(row, 0, f"internal:{quoted(name)}!A1", style, name)
            return
        for column, cell in enumerate(item.cells):
            self._word(page, row, column, cell, item.look)

    def _word(
        self, page: Worksheet, row: int, column: int, cell: Word | str | int, look: str
    ) -> None:
        """A text, never read as a formula; of a list of IDs a number."""
        if isinstance(cell, int):
            page.write_number(row, column, cell, self._formats.of(LOOKS[look]))
            return
        text = printed(cell) if isinstance(cell, Word) else cell
        quote = {"quote_prefix": True} if text.startswith(_READ_AS_FORMULAS) else {}
        cut = text[:_LONGEST_TEXT]
        page.write_string(row, column, cut, self._formats.of({**LOOKS[look], **quote}))

    # -- tables --------------------------------------------------------------------------------

    def _table(self, page: Worksheet, sheet: str, placed: PlacedItem) -> None:
        """The name of a quantity, its formulas, the names of its columns, then its rows."""
        table = placed.item
        assert isinstance(table, NumberTable)
        block, top = table.worked.table, placed.first_row
        self._word(page, placed.row, 0, Word(_called(table)), "name")
        for k, equation in enumerate(table.worked.formulas):
            self._word(page, placed.row + 1 + k, 0, plain(equation), "formula")
        for k, note in enumerate(table.notes):
            self._word(page, top - 1 - len(table.notes) + k, 0, note, "note")
        for j, name in enumerate(block.column_names if table.rows else ()):
            self._word(page, top - 1, 1 + j, in_role(block.roles[1], name), "column")
        for k, i in enumerate(table.rows):
            self._word(page, top + k, 0, in_role(block.roles[0], block.row_names[i]), "heading")
            for j in range(table.shape[1]):
                self._cell(page, SheetCell(sheet, top + k, 1 + j), table, (i, j))
        if table.rows:
            self._finish(page, SheetCell(sheet, top, 1), table)

    def _finish(self, page: Worksheet, first: SheetCell, table: NumberTable) -> None:
        """The sums and shades of shares, and the name of the range."""
        rows, columns = table.shape
        last = SheetCell(first.sheet, first.row + rows - 1, first.column + columns - 1)
        if table.worked.table.shares:
            page.conditional_format(*first[1:], *last[1:], dict(SHARES))
            self._told_of_shares(page, first, table)
        if table.quantity in self._layout.tables:
            cells = f"{absolute(first)}:{absolute(last)}"
            name = self._names.new(".".join(filter(None, (self._called, table.quantity))))
            self._workbook.define_name(name, f"={quoted(first.sheet)}!{cells}")

    def _told_of_shares(self, page: Worksheet, first: SheetCell, table: NumberTable) -> None:
        """Beside shares what each row adds up to, and whose the largest is."""
        block, (_, width) = table.worked.table, table.shape
        names, sums = first._replace(row=first.row - 1), first.column + width
        self._word(page, names.row, sums, "sum", "column")
        self._word(page, names.row, sums + 1, "largest", "column")
        heads = cells_across(names, width, fixed=True)
        for k, i in enumerate(table.rows):
            row, shares = first.row + k, block.matrix.values[i]
            cells = cells_across(first._replace(row=row), width)
            style = self._formats.number({}, block.matrix.number(i, 0))
            page.write_formula(row, sums, f"=SUM({cells})", style, float(shares.sum()))
            top = f"MAX({cells})"
            of_one = f"INDEX({heads},MATCH({top},{cells},0))"
            formula = f'=IF(COUNTIF({cells},{top})>1,"{_SEVERAL}",{of_one})'
            name = in_role(block.roles[1], block.column_names[int(shares.argmax())])
            told = _SEVERAL if (shares == shares.max()).sum() > 1 else printed(name)
            page.write_formula(row, sums + 1, formula, self._formats.named("whose"), told)

    def _cell(
        self, page: Worksheet, place: SheetCell, table: NumberTable, cell: tuple[int, int]
    ) -> None:
        """A number that was given, or the formula that works it out."""
        entry, form = table.worked.table.entry(*cell), table.forms.get(cell)
        if isinstance(entry, Blank):
            number = entry.answer
            if number is None:
                page.write_blank(*place[1:], None, self._formats.named("blank"))
                return
        else:
            number = entry
        written = self._written(form, place, table, cell)
        if written is None:
            look, pattern = _look_of_value(table, number)
            page.write_number(
                *place[1:], _value(number), self._formats.number(look, number, pattern)
            )
            return
        pattern = "General" if table.linked and number.full.is_finite() else ""
        style = self._formats.number(_look_of_formula(table, form), number, pattern)
        if "MMULT(" in written:
            page.write_array_formula(
                *place[1:], *place[1:], f"{{{written}}}", style, _value(number)
            )
        else:
            page.write_formula(*place[1:], written, style, _value(number))

    def _written(
        self, form: Expression | None, place: SheetCell, table: NumberTable, cell: tuple[int, int]
    ) -> str | None:
        """The formula of a cell; None where its number is written."""
        if table.linked:
            return self._link(Location(table.quantity, *cell))
        return None if form is None or _is_constant(form) else self._formula(form, place, table)

    def _link(self, cell: Location) -> str:
        """The formula of a number of the scenario's own page."""
        assert self._layout.own is not None
        place = self._layout.own.place_of(cell)
        return f"={quoted(place.sheet)}!{absolute(place)}"

    def _formula(self, form: Expression, place: SheetCell, table: NumberTable) -> str | None:
        """The formula of a cell; None where it is longer than a spreadsheet takes."""
        try:
            return formula(form, place.sheet, self._layout.place_of, table.worked.decimals)
        except TooLongError:
            return None


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
    """How a number looks that is no formula: one that was given with all of its digits."""
    if table.is_made:
        return CHOSEN, ""
    return GIVEN, "" if not number.full.is_finite() else "General"


def _look_of_formula(table: NumberTable, form: Expression | None) -> Look:
    block = table.worked.table
    if form is not None and is_rule(form):
        return CHOSEN
    ink = ink_of(block.quantity)
    return RESULT if block.is_result else ink_look(ink)
