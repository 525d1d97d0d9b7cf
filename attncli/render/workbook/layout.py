"""Which sheets a workbook has, and where each number stands on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from attncli.arithmetic.expression import INNER, Apply, Expression, Location, Number, leaves
from attncli.document import Document, Section
from attncli.notation.spreadsheet import SheetCell
from attncli.refusals import Refusal
from attncli.render.sentences import text_of_spans
from attncli.render.workbook.items import (
    Item,
    NumberTable,
    TextRow,
    Workings,
    items_of,
    table_of,
    with_forms,
)
from attncli.render.workbook.names import SheetNames

_MOST_SHEETS = 40
"""Steps that have a sheet each; of more, those of one place share one."""
_LARGE = 10_000
"""Numbers of a given table past which only the rows are written that something is made of."""
_MOST_CELLS = 200_000
_HEADER = 1
"""Rows of a table above its numbers besides its name and its formulas: the names of columns."""


class TooLargeError(Refusal):
    """A page that has too many numbers for a workbook."""


class PlacedItem(NamedTuple):
    """An item, and the row that it begins in, from 0."""

    row: int
    item: Item

    @property
    def first_row(self) -> int:
        """The row that a table's numbers begin in."""
        assert isinstance(self.item, NumberTable)
        table = self.item
        return self.row + 1 + len(table.worked.formulas) + len(table.notes) + _HEADER

    @property
    def end(self) -> int:
        """The row below it."""
        if isinstance(self.item, NumberTable):
            return self.first_row + self.item.shape[0]
        return self.row + 1


class Sheet(NamedTuple):
    """A sheet by its name, with what stands on it."""

    name: str
    items: tuple[PlacedItem, ...]


class Group(NamedTuple):
    """A page of a workbook: what it is called, the scenario's own by nothing; and how many sections
    all of its pages have."""

    document: Document
    called: str
    sections: int


class WorkbookLayout(NamedTuple):
    """The sheets, and where the tables of quantities begin: the place of the first number, and for
    each row of the quantity which of the table's it is. `own` is the layout of the scenario's own
    page, where this is another, whose numbers it may be linked to."""

    sheets: tuple[Sheet, ...]
    tables: Mapping[str, tuple[SheetCell, Mapping[int, int]]]
    workings: Workings
    own: WorkbookLayout | None = None

    def place_of(self, cell: Location) -> SheetCell:
        """Where a number stands."""
        (sheet, row, column), rows = self.tables[cell.quantity]
        return SheetCell(sheet, row + rows[cell.row], column + cell.column)

    def gives(self, table: NumberTable) -> bool:
        """Whether the same numbers are given here under the same name."""
        known = table.quantity in self.tables and table.quantity in self.workings
        if not known or table.is_made:
            return False
        mine = self.workings[table.quantity]
        _, rows = self.tables[table.quantity]
        same = np.array_equal(mine.table.matrix.values, table.worked.table.matrix.values)
        return same and not mine.formulas and rows.keys() >= set(table.rows)


def layout_of(group: Group, taken: SheetNames, own: WorkbookLayout | None) -> WorkbookLayout:
    """The sheets of a document's sections, of what closes it, and of what these need besides.
    Raises TooLargeError."""
    document = group.document
    pages = [*_pages(document, is_long=group.sections > _MOST_SHEETS)]
    placed: set[str] = set()
    told = [(name, [*_headed(_once(items, placed))]) for name, items in pages]
    _check_size(one for _, items in told for one in items)
    told = [(name, [*map(with_forms, items)]) for name, items in told]
    told.append(("Needed from elsewhere", [*_needed(document, told, placed)]))
    tables = [one for _, items in told for one in items if isinstance(one, NumberTable)]
    used = _rows_used(tables)
    written = [(name, [*_written(items, used, own)]) for name, items in told]
    sheets = [
        Sheet(taken.new(name, group.called), tuple(_placed(items)))
        for name, items in written
        if items
    ]
    return WorkbookLayout(tuple(sheets), dict(_starts(sheets)), document.workings, own)


def _written(
    items: Iterable[Item], used: Mapping[str, set[int]], own: WorkbookLayout | None
) -> Iterator[Item]:
    """Items as they are written: large tables shortened, linked to the scenario's own numbers."""
    for item in (_shortened(one, used) for one in items):
        if isinstance(item, NumberTable) and own is not None and own.gives(item):
            yield item._replace(linked=True)
        else:
            yield item


def _pages(document: Document, *, is_long: bool) -> Iterator[tuple[str, Iterable[Item]]]:
    """The names of sheets and what they have; many steps share the sheet of their place."""

    def sheet_of(section: Section) -> str:
        return section.place if is_long else text_of_spans(section.heading)

    for name, sections in groupby(document.sections, sheet_of):
        yield name or "Steps", [x for one in sections for x in _of_section(document, one)]
    yield "Closing", items_of(document.closing, document.workings)


def _of_section(document: Document, section: Section) -> Iterator[Item]:
    yield TextRow((text_of_spans(section.heading),), "title")
    yield from items_of(section.blocks, document.workings)


def _once(items: Iterable[Item], placed: set[str]) -> Iterator[Item]:
    """The items, each quantity where it comes first."""
    for item in items:
        if isinstance(item, NumberTable) and item.quantity:
            if item.quantity in placed:
                continue
            placed.add(item.quantity)
        yield item


def _headed(items: Iterable[Item]) -> Iterator[Item]:
    """The items, but for subheadings that nothing is left below."""
    told = [*items]
    for k, item in enumerate(told):
        below = any(_look(one) not in ("subheading", "title") for one in told[k + 1 : k + 2])
        if below or _look(item) != "subheading":
            yield item


def _look(item: Item) -> str:
    return item.look if isinstance(item, TextRow) else ""


def _needed(
    document: Document, told: Sequence[tuple[str, Sequence[Item]]], placed: set[str]
) -> Iterator[Item]:
    """The quantities that others are made of and that the page doesn't tell."""
    waiting = [one for _, items in told for one in items if isinstance(one, NumberTable)]
    while waiting:
        for name in _operands(waiting.pop()):
            if name not in placed:
                placed.add(name)
                table = with_forms(table_of(document.workings[name]))
                assert isinstance(table, NumberTable)
                waiting.append(table)
                yield table


def _operands(table: NumberTable) -> Iterator[str]:
    return (cell.quantity for form in table.forms.values() if form for cell in cells_in(form))


def cells_in(form: Expression) -> Iterator[Location]:
    """The cells that something is worked from."""
    for leaf in leaves(form):
        if isinstance(leaf, Number) and leaf.cell is not None:
            if leaf.cell.quantity:
                yield leaf.cell
            elif leaf.cell == INNER and leaf.form is not None:
                yield from cells_in(leaf.form)


def is_rule(form: Expression) -> bool:
    """Whether something is 1 or 0 by a rule that asks no number of another quantity."""
    return isinstance(form, Apply) and form.function == "where" and not any(cells_in(form))


def _check_size(items: Iterable[Item]) -> None:
    tables = (one for one in items if isinstance(one, NumberTable) and one.is_made)
    cells = sum(one.worked.table.matrix.size for one in tables)
    if cells > _MOST_CELLS:
        wrong = f"{cells:,} numbers to work out are too many for a workbook"
        raise TooLargeError.of("--format xlsx", wrong, "ask for less, by --step or --head")


def _rows_used(tables: Sequence[NumberTable]) -> Mapping[str, set[int]]:
    """The rows of large given tables that something is made of."""
    large = {one.quantity for one in tables if _is_large(one)}
    used: dict[str, set[int]] = {name: set() for name in large}
    for form in (form for one in tables for form in one.forms.values() if large and form):
        for cell in cells_in(form):
            if cell.quantity in large:
                used[cell.quantity].add(cell.row)
    return used


def _is_large(table: NumberTable) -> bool:
    return table.worked.table.given and table.worked.table.matrix.size > _LARGE


def _shortened(item: Item, used: Mapping[str, set[int]]) -> Item:
    if not isinstance(item, NumberTable) or item.quantity not in used:
        return item
    rows, count = tuple(sorted(used[item.quantity])), len(item.rows)
    note = f"Of {count:,} rows only those that are used here: {len(rows):,}."
    return item._replace(rows=rows, notes=(*item.notes, note))


def _placed(items: Sequence[Item]) -> Iterator[PlacedItem]:
    """Items below each other, tables with a row of air around them."""
    row, before = 0, None
    for item in items:
        is_apart = any(isinstance(one, NumberTable) for one in (item, before))
        row += before is not None and (is_apart or _look(item) == "title")
        placed = PlacedItem(row, item)
        yield placed
        row = placed.end
        before = item


def _starts(sheets: Iterable[Sheet]) -> Iterator[tuple[str, tuple[SheetCell, Mapping[int, int]]]]:
    for sheet in sheets:
        for placed in sheet.items:
            if isinstance(placed.item, NumberTable) and placed.item.quantity:
                rows = {row: k for k, row in enumerate(placed.item.rows)}
                start = SheetCell(sheet.name, placed.first_row, 1)
                yield placed.item.quantity, (start, rows)
