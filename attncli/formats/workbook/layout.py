"""The sheets of a workbook from top to bottom, and the place and name of each number on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from textwrap import wrap
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from attncli.document import blocks as doc
from attncli.document.blocks import Document, Section, text_of_spans
from attncli.document.grid import grid_of
from attncli.document.pictures import PICTURES, Picture
from attncli.document.tables import DataTable, MatrixBlock, SideBySide, WorkedTable, drawn_guides
from attncli.errors import UserError
from attncli.formats.pictures_in_tables import in_tables
from attncli.maths.equations.tree import INNER, Apply, Expression, Location, Number, Omitted, leaves
from attncli.maths.notation import plain
from attncli.maths.notation.escaping import printed
from attncli.maths.notation.spreadsheet import SheetCell
from attncli.names import Word

_LONGEST_LINE = 90
_MOST_TERMS = 200_000
"""Numbers in the formulas of one table."""

Forms = Mapping[tuple[int, int], Expression | None]


class TextRow(NamedTuple):
    """A row of texts; of somebody's words, nothing is ever read as a formula."""

    cells: tuple[Word | str | int, ...]
    look: str = "text"


class NumberTable(NamedTuple):
    """A quantity whose cells are numbers or formulas."""

    worked: WorkedTable
    """The quantity, and what it is worked from."""
    rows: tuple[int, ...]
    """The rows that are written."""
    forms: Forms = MappingProxyType({})
    """What each cell is worked from, by its row and column."""
    notes: tuple[str, ...] = ()
    """What is not as in other tables."""
    linked: bool = False
    """Whether it has the numbers of the scenario's own pages, where these can be changed."""

    @property
    def quantity(self) -> str:
        return self.worked.table.quantity

    @property
    def is_made(self) -> bool:
        """Tells whether it is worked from others."""
        return bool(self.worked.formulas)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), self.worked.table.matrix.shape[1]


Item = TextRow | NumberTable
Workings = Mapping[str, WorkedTable]


def items_of(blocks: Iterable[doc.Block], workings: Workings) -> Iterator[Item]:
    """Yields what blocks come to. Raises TypeError for one of a kind that has no place in a
    workbook."""
    for block in doc.in_lines(blocks):
        yield from doc.rule_for(block, _WRITERS, "a workbook")(block, workings)


def table_of(worked: WorkedTable) -> NumberTable:
    """Returns a quantity with all its rows."""
    return NumberTable(worked, tuple(range(worked.table.matrix.shape[0])))


def with_forms(item: Item) -> Item:
    """Returns a table with what each of its cells is worked from, where that is not too much."""
    if not isinstance(item, NumberTable) or not item.is_made:
        return item
    first = item.worked.form(0, 0)
    terms = sum(1 for _ in leaves(first)) if first else 0
    count = item.worked.table.matrix.size
    if count * terms > _MOST_TERMS:
        note = (
            f"Worked by the program: {count:,} sums of {terms:,} numbers are too many for a sheet."
        )
        return item._replace(notes=(note,))
    cells = ((i, j) for i in item.rows for j in range(item.shape[1]))
    return item._replace(forms={cell: item.worked.form(*cell) for cell in cells})


def _worked_tables(quantities: Iterable[str], workings: Workings) -> Iterator[Item]:
    """Yields the quantities that are worked in the workbook."""
    return (table_of(workings[name]) for name in quantities if name in workings)


def _matrix(block: MatrixBlock, workings: Workings) -> Iterator[Item]:
    for table in (block, *block.lists):
        if table.quantity in workings:
            yield from _worked_tables([table.quantity], workings)
        else:
            display = table.display._replace(turned=False)
            whole = table._replace(lists=(), display=display)
            yield NumberTable(WorkedTable(whole, (), None, lambda *_: None), table.rows)


def _data(block: DataTable, workings: Workings) -> Iterator[Item]:
    """Yields what is told otherwise; that of a variant stands on sheets of its own."""
    return iter(()) if block.table.variant else _matrix(block.table, workings)


def _side_by_side(block: SideBySide, workings: Workings) -> Iterator[Item]:
    if block.caption:
        yield TextRow((block.caption,), "subheading")
    for _, table in block.columns:
        yield from _matrix(table, workings)


def _working(block: doc.Derivation, workings: Workings) -> Iterator[Item]:
    """Yields what lines work out; as texts, where that is worked by nobody else."""
    for line in block.lines:
        if isinstance(line, Omitted):
            continue
        if line.quantity in workings and not block.mistake:
            yield from _worked_tables([line.quantity], workings)
        else:
            text = " ".join(f"{relation} {plain(part)}" for relation, part in line.parts)
            yield TextRow((f"{plain(line.label)} {text}",))


def _addition(block: doc.ColumnSum, workings: Workings) -> Iterator[Item]:
    if block.quantity in workings:
        yield from _worked_tables([block.quantity], workings)
        return
    parts = (a if isinstance(a, Omitted) else a[0] for a in block.addends)
    text = " + ".join(map(plain, parts))
    yield TextRow((f"{plain(block.label)} = {text} {block.relation} {plain(block.total)}",))


def _text(
    look: str, block: doc.Paragraph | doc.Callout | doc.Subheading, _: Workings
) -> Iterator[Item]:
    return paragraph(text_of_spans(block.text), look)


def paragraph(text: str, look: str = "text") -> Iterator[Item]:
    """Yields a text on as many rows as it takes."""
    return (TextRow((line,), look) for line in wrap(text, _LONGEST_LINE))


def _bullets(block: doc.Bullets, _: Workings) -> Iterator[Item]:
    for spans in block.items:
        yield from paragraph(f"• {text_of_spans(spans)}")


def facts(block: doc.DefinitionList, _: Workings) -> Iterator[Item]:
    """Yields the name of each, and what it stands for on as many rows as it takes."""
    for name, spans in block.rows:
        for k, line in enumerate(wrap(text_of_spans(spans), _LONGEST_LINE) or [""]):
            yield TextRow((name if k == 0 else "", line), "fact")


def _table(block: doc.Table, _: Workings) -> Iterator[Item]:
    grid = grid_of(block)
    yield TextRow(tuple(column.heading.label for column in grid.columns), "heading")
    yield from (TextRow(tuple(cell.label for cell in row), "fact") for row in grid.rows())


def _list(block: doc.TextList, _: Workings) -> Iterator[Item]:
    yield TextRow((plain_name(block.name), *block.values), "list")


def plain_name(name: str) -> Word:
    """Returns the name of a quantity, as it is written."""
    return Word(name)


def _tree(block: doc.Tree, _: Workings) -> Iterator[Item]:
    for row, guides in zip(block.rows, block.guides, strict=True):
        text = f"{row.numbers} {text_of_spans(row.title)}".strip()
        made = text_of_spans(row.made)
        yield TextRow((drawn_guides(guides) + text + (f": {made}" if made else ""),))


def _graph(block: doc.Graph, workings: Workings) -> Iterator[Item]:
    """Yields who attends to whom, unless the workbook is worked, in whose weights that is."""
    if not workings:
        for edge in block.edges:
            yield TextRow((edge.source, edge.target, plain(edge.weight)), "fact")


def _picture(block: Picture, workings: Workings) -> Iterator[Item]:
    """Yields the numbers of a picture, which in a live workbook stand on its sheets."""
    return iter(()) if workings else items_of(in_tables(block), workings)


def _fields(block: doc.Fields, _: Workings) -> Iterator[Item]:
    return (TextRow((name, ""), "fact") for name in block.names)


def _word_blank(block: doc.WordBlank, _: Workings) -> Iterator[Item]:
    yield from paragraph(text_of_spans(block.text))
    options = zip(block.labels or [""] * len(block.options), block.options, strict=True)
    yield from (TextRow((f"{label} {printed(word)}".strip(),)) for label, word in options)
    if block.answer is not None:
        yield TextRow((block.heading, block.answer), "fact")


_WRITERS: Mapping[type, Callable[[Any, Workings], Iterator[Item]]] = MappingProxyType(
    {
        doc.DefinitionList: facts,
        doc.Paragraph: partial(_text, "text"),
        doc.Callout: partial(_text, "note"),
        doc.Subheading: partial(_text, "subheading"),
        doc.Bullets: _bullets,
        doc.Derivation: _working,
        doc.ColumnSum: _addition,
        doc.Table: _table,
        MatrixBlock: _matrix,
        DataTable: _data,
        SideBySide: _side_by_side,
        doc.TextList: _list,
        doc.Tree: _tree,
        doc.Graph: _graph,
        **dict.fromkeys(PICTURES, _picture),
        doc.Fields: _fields,
        doc.WordBlank: _word_blank,
        doc.Figure: lambda block, _: paragraph(block.instead),
        doc.AnswerSpace: lambda *_: iter(()),
    }
)


_LONGEST_SHEET, _LONGEST_NAME, _LONGEST_GROUP = 31, 200, 14
_NOT_IN_SHEETS = r"[\[\]:*?/\\\x00-\x1f\x7f]+"
_ADDRESS = r"[A-Za-z]{1,3}\d+|[RrCc]\d*|[Rr]\d*[Cc]\d*"
"""What is read as an address, in one of two styles."""


class SheetNames:
    """A workbook's names of sheets, each other than all before it."""

    def __init__(self) -> None:
        self._taken = {"history"}  # which Excel keeps for itself

    def new(self, wanted: str, group: str = "") -> str:
        """Returns a name as near to the wanted one as a sheet may have, behind that of its
        group."""
        wanted = f"{group[:_LONGEST_GROUP].rstrip()} · {wanted}" if group else wanted
        plain = re.sub(_NOT_IN_SHEETS, " ", wanted.replace("'", "’")).strip() or "Sheet"
        return _untaken(plain, self._taken, " ({})", _LONGEST_SHEET)


class RangeNames:
    """A workbook's names of ranges."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def new(self, quantity: str) -> str:
        """Returns a new name, `heads_1_weights`; with a `_` before it where it would be read as an
        address."""
        plain = re.sub(r"[^A-Za-z0-9_]+", "_", quantity).strip("_") or "_"
        if re.fullmatch(_ADDRESS, plain) or not re.match("[A-Za-z_]", plain):
            plain = f"_{plain}"
        return _untaken(plain, self._taken, "_{}", _LONGEST_NAME)


def _untaken(wanted: str, taken: set[str], behind: str, longest: int) -> str:
    """Finds a name that is not taken, whether in large letters or small."""
    name, k = wanted[:longest].rstrip(), 2
    while name.lower() in taken:
        end = behind.format(k)
        name, k = f"{wanted[: longest - len(end)].rstrip()}{end}", k + 1
    taken.add(name.lower())
    return name


_MOST_SHEETS = 40
"""Steps that have a sheet each; of more, those of one place share one."""
_LARGE = 10_000
"""Numbers of a given table past which only the rows are written that something is made of."""
_MOST_CELLS = 200_000
_HEADER = 1
"""Rows of a table above its numbers besides its name and its formulas: the names of columns."""


class TooLargeError(UserError):
    """A fault: a page has too many numbers for a workbook."""


class PlacedItem(NamedTuple):
    """An item that has a place on its sheet."""

    row: int
    """The row that it begins in, from 0."""
    item: Item
    """The item."""

    @property
    def first_row(self) -> int:
        """Returns the row that a table's numbers begin in."""
        assert isinstance(self.item, NumberTable)
        table = self.item
        return self.row + 1 + len(table.worked.formulas) + len(table.notes) + _HEADER

    @property
    def end(self) -> int:
        """Returns the row below it."""
        if isinstance(self.item, NumberTable):
            return self.first_row + self.item.shape[0]
        return self.row + 1


class Sheet(NamedTuple):
    """A sheet by its name, with what stands on it."""

    name: str
    items: tuple[PlacedItem, ...]


class Group(NamedTuple):
    """A page of a workbook."""

    document: Document
    """What is on it."""
    called: str
    """What it is called; the scenario's own by nothing."""
    sections: int
    """How many sections there are, with those of the pages before it."""


class TablePlace(NamedTuple):
    """The place of a table's numbers."""

    first: SheetCell
    """The place of the first."""
    rows: Mapping[int, int]
    """For each row of the quantity which of the table's it is."""
    turned: bool = False
    """Whether its rows are written as columns."""

    def of(self, i: int, j: int) -> SheetCell:
        """Finds where a number stands by its row and column."""
        down, right = (j, self.rows[i]) if self.turned else (self.rows[i], j)
        return self.first._replace(row=self.first.row + down, column=self.first.column + right)


class WorkbookLayout(NamedTuple):
    """A page's layout in a workbook: its sheets, and where its numbers stand."""

    sheets: tuple[Sheet, ...]
    """The sheets."""
    tables: Mapping[str, TablePlace]
    """Where the tables of quantities stand."""
    workings: Workings
    """The quantities, with what they are worked from."""
    own: WorkbookLayout | None = None
    """The layout of the scenario's own page, where this is another, whose numbers it may be linked
    to."""

    def place_of(self, cell: Location) -> SheetCell:
        """Finds where a number stands."""
        return self.tables[cell.quantity].of(cell.row, cell.column)

    def gives(self, table: NumberTable) -> bool:
        """Tells whether the same numbers are given here under the same name."""
        known = table.quantity in self.tables and table.quantity in self.workings
        if not known or table.is_made:
            return False
        mine = self.workings[table.quantity]
        rows = self.tables[table.quantity].rows
        same = np.array_equal(mine.table.matrix.values, table.worked.table.matrix.values)
        return same and not mine.formulas and rows.keys() >= set(table.rows)


def layout_of(group: Group, taken: SheetNames, own: WorkbookLayout | None) -> WorkbookLayout:
    """Lays out the sheets of a document's sections, of what closes it, and of what these need
    besides. Raises TooLargeError."""
    document = group.document
    pages = [*_pages(document, is_long=group.sections > _MOST_SHEETS)]
    placed: set[str] = set()
    pairs = [(name, [*_headed(_once(items, placed))]) for name, items in pages]
    _check_size(row for _, items in pairs for row in items)
    pairs = [(name, [*map(with_forms, items)]) for name, items in pairs]
    pairs.append(("Needed from elsewhere", [*_needed(document, pairs, placed)]))
    tables = [row for _, items in pairs for row in items if isinstance(row, NumberTable)]
    used = _rows_used(tables)
    written = [(name, [*_linked_items(items, used, own)]) for name, items in pairs]
    sheets = [
        Sheet(taken.new(name, group.called), tuple(_placed(items)))
        for name, items in written
        if items
    ]
    return WorkbookLayout(tuple(sheets), dict(_starts(sheets)), document.interactive.workings, own)


def _linked_items(
    items: Iterable[Item], used: Mapping[str, set[int]], own: WorkbookLayout | None
) -> Iterator[Item]:
    """Yields items as they are written: large tables shortened, linked to the scenario's own
    numbers."""
    for item in (_shortened(entry, used) for entry in items):
        if isinstance(item, NumberTable) and own is not None and own.gives(item):
            yield item._replace(linked=True)
        else:
            yield item


def _pages(document: Document, *, is_long: bool) -> Iterator[tuple[str, Iterable[Item]]]:
    """Yields the names of sheets and what they have; many steps share the sheet of their place."""

    def sheet_of(section: Section) -> str:
        return section.place if is_long else text_of_spans(section.heading)

    for name, sections in groupby(document.sections, sheet_of):
        yield name or "Steps", [x for s in sections for x in _of_section(document, s)]
    yield "Closing", items_of((*document.closing, *document.foot), document.interactive.workings)


def _of_section(document: Document, section: Section) -> Iterator[Item]:
    yield TextRow((text_of_spans(section.heading),), "title")
    yield from items_of(section.blocks, document.interactive.workings)


def _once(items: Iterable[Item], placed: set[str]) -> Iterator[Item]:
    """Yields the items, each quantity where it comes first."""
    for item in items:
        if isinstance(item, NumberTable) and item.quantity:
            if item.quantity in placed:
                continue
            placed.add(item.quantity)
        yield item


def _headed(items: Iterable[Item]) -> Iterator[Item]:
    """Yields the items, but for subheadings that nothing is left below."""
    entries = [*items]
    for k, item in enumerate(entries):
        below = any(_look(row) not in ("subheading", "title") for row in entries[k + 1 : k + 2])
        if below or _look(item) != "subheading":
            yield item


def _look(item: Item) -> str:
    return item.look if isinstance(item, TextRow) else ""


def _needed(
    document: Document, pairs: Sequence[tuple[str, Sequence[Item]]], placed: set[str]
) -> Iterator[Item]:
    """Yields the quantities that others are made of and that the page doesn't tell."""
    waiting = [item for _, items in pairs for item in items if isinstance(item, NumberTable)]
    while waiting:
        for name in operands_of(waiting.pop()):
            if name not in placed:
                placed.add(name)
                table = with_forms(table_of(document.interactive.workings[name]))
                assert isinstance(table, NumberTable)
                waiting.append(table)
                yield table


def operands_of(table: NumberTable) -> Iterator[str]:
    return (cell.quantity for form in table.forms.values() if form for cell in cells_in(form))


def cells_in(form: Expression) -> Iterator[Location]:
    """Yields the cells that something is worked from."""
    for leaf in leaves(form):
        if isinstance(leaf, Number) and leaf.cell is not None:
            if leaf.cell.quantity:
                yield leaf.cell
            elif leaf.cell == INNER and leaf.form is not None:
                yield from cells_in(leaf.form)


def is_rule(form: Expression) -> bool:
    """Tells whether something is 1 or 0 by a rule that asks no number of another quantity."""
    return isinstance(form, Apply) and form.function == "where" and not any(cells_in(form))


def _check_size(items: Iterable[Item]) -> None:
    tables = (item for item in items if isinstance(item, NumberTable) and item.is_made)
    cells = sum(table.worked.table.matrix.size for table in tables)
    if cells > _MOST_CELLS:
        wrong = f"{cells:,} numbers to work out are too many for a workbook"
        raise TooLargeError.of("--format xlsx", wrong, "ask for less, by --step or --head")


def _rows_used(tables: Sequence[NumberTable]) -> Mapping[str, set[int]]:
    """Finds the rows of large given tables that something is made of."""
    large = {table.quantity for table in tables if _is_large(table)}
    used: dict[str, set[int]] = {name: set() for name in large}
    for form in (form for table in tables for form in table.forms.values() if large and form):
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
    """Yields items below each other, tables with a row of air around them."""
    row, before = 0, None
    for item in items:
        is_apart = any(isinstance(entry, NumberTable) for entry in (item, before))
        row += before is not None and (is_apart or _look(item) == "title")
        placed = PlacedItem(row, item)
        yield placed
        row = placed.end
        before = item


def _starts(sheets: Iterable[Sheet]) -> Iterator[tuple[str, TablePlace]]:
    for sheet in sheets:
        for placed in sheet.items:
            if isinstance(placed.item, NumberTable) and placed.item.quantity:
                rows = {row: k for k, row in enumerate(placed.item.rows)}
                start = SheetCell(sheet.name, placed.first_row, 1)
                yield placed.item.quantity, TablePlace(start, rows)
