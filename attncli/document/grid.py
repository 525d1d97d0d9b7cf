"""A table laid out for any format: texts of cells, looks, columns of numbers, widths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from enum import Enum, auto
from typing import NamedTuple

from attncli.document.blocks import Table, TableCell
from attncli.document.tables import (
    VERDICTS,
    Branch,
    MarkedNumber,
    MatrixBlock,
    ProductBlock,
    SideBySide,
)
from attncli.maths.equations.elision import MOST_PARTS, elided, elided_rows
from attncli.maths.equations.tree import Blank, Number, Omitted, Symbol, Transposed, Vector
from attncli.maths.notation import plain
from attncli.maths.notation.columns import at_point, bands, filled_vectors
from attncli.maths.notation.escaping import printed
from attncli.maths.notation.plain import MINUS
from attncli.names import Name, Word, raw

_OF_A_ROLE = re.compile(r"(?:[Wb]_|normed_|rotated_)?([QKV])(?:_new)?")


def ink_of(quantity: str) -> str:
    """Returns the name of the ink of queries, keys and values, of what makes them and of the
    gradients of these, by their name, which may be a full one; none for other quantities."""
    local = quantity.local if isinstance(quantity, Name) else quantity
    found = _OF_A_ROLE.fullmatch(local)
    return found[1] if found else ""


class Omission(Enum):
    """What is left out: rows of a long table, columns of a wide one, where these cross, and sums
    that would tell what is to be filled in."""

    ROWS = auto()
    COLUMNS = auto()
    BOTH = auto()
    UNTOLD = auto()


_OMITTED = {
    Omission.ROWS: "⋮",
    Omission.COLUMNS: "…",
    Omission.BOTH: "⋮",
    Omission.UNTOLD: "",
}


GAP, BAR, BETWEEN_TABLES = 2, 3, 4
"""Cells between columns, of the rule behind the names of the rows, and between tables; pairs of
these are as close as columns."""


class Look(NamedTuple):
    """The look of a cell, where there are colours."""

    ink: str = ""
    """The name of its ink."""
    share: float | None = None
    """How large a share it is."""
    most: bool = False
    """Whether it is the largest of its row."""
    result: bool = False
    """Whether it is the result of the page."""


CellContent = Number | Blank | Vector | Symbol | Transposed | Word | str | Branch | Omission


class GridCell(NamedTuple):
    """A cell of a table."""

    content: CellContent
    """What stands in it; a symbol is the name of a quantity, and may be transposed."""
    look: Look = Look()
    """How it looks."""
    before: str = ""
    """The sign before a number that was rounded."""
    behind: str = ""
    """What is said behind it."""

    @property
    def label(self) -> Word | str:
        """Returns all of it as a word, or as a text of ours."""
        match self.content:
            case Word(raw):
                return Word(f"{raw}{self.behind}")
            case Symbol(name, indices):
                return called(name, indices, self.behind)
            case Branch():
                return self.content.drawn()
            case Omission():
                return _OMITTED[self.content]
            case str():
                return self.content
            case _:
                return f"{self.before} {plain(self.content)}".lstrip()

    @property
    def text(self) -> str:
        """Returns the label as it is printed, with a rule for what is to be filled in."""
        return printed(self.label)


def called(name: str, indices: Sequence[str | Word], behind: str = "") -> Word | str:
    """Writes the name of a quantity, or of one of its cells, which has words of an author."""
    if not indices:
        return f"{name}{behind}"
    return Word(f"{name}[{', '.join(map(raw, indices))}]{behind}")


class GridColumn(NamedTuple):
    """A heading with the cells below it."""

    heading: GridCell
    cells: tuple[GridCell, ...]
    at_point: bool = False
    """Whether these are numbers, whose points stand below each other."""

    @property
    def numbers(self) -> list[Number]:
        return [cell.content for cell in self.cells if isinstance(cell.content, Number)]

    @property
    def texts(self) -> list[str]:
        """Writes its cells as plain text, padded to stand below each other."""
        blocks = [cell.content for cell in self.cells]
        vectors = iter(filled_vectors([block for block in blocks if isinstance(block, Vector)]))
        texts = [
            next(vectors) if isinstance(cell.content, Vector)
            else "…" if cell.content is Omission.BOTH
            else cell.text
            for cell in self.cells
        ]  # fmt: skip
        return at_point(texts) if self.at_point else texts

    @property
    def width(self) -> int:
        """Counts the characters of the widest of its cells, or of the heading."""
        return max(map(len, (self.heading.text, *self.texts)))


class Grid(NamedTuple):
    """A table laid out in columns."""

    columns: tuple[GridColumn, ...]
    """The columns, first that of the names of its rows."""
    largest: tuple[Decimal | None, ...] = ()
    """Of shares the largest of each row, of which there may be several."""

    def size(self, room: int) -> tuple[int, int]:
        """Counts the characters of a line of plain text, and the lines of as many bands of this
        width as the columns need."""
        widths = [column.width for column in self.columns]
        names, *columns = widths
        found = bands(columns, lambda width: width, room - names - BAR, GAP)
        width = BAR - GAP + sum(width + GAP for width in widths) - GAP
        return width, len(found) * (3 + len(self.columns[0].cells)) - 1

    def rows(self) -> Iterator[tuple[GridCell, ...]]:
        return zip(*(column.cells for column in self.columns), strict=True)


def grid_of(block: MatrixBlock | SideBySide | Table) -> Grid:
    """Lays a table out.

    A quantity has names for its rows and columns, and last the sums of its rows; rows of several
    quantities are vectors; any other table is one of words and numbers.
    """
    match block:
        case Table():
            entries = ([row[j] for row in block.rows] for j in range(len(block.headings)))
            return Grid(tuple(map(_column_of_words, block.headings, entries)))
        case SideBySide():
            return _grid_of_vectors(block)
    rows = elided_rows(len(block.rows), of_list=block.is_list)
    grid = grid_of_places(block, rows, elided(block.matrix.shape[1], MOST_PARTS))
    return _turned(grid) if block.display.turned or block.display.transposed else grid


def grid_of_product(block: ProductBlock) -> Grid:
    """Lays out the result of a product; its columns are called what those above them are."""
    names, *columns = grid_of(block.result).columns
    _, *above = grid_of(block.above).columns
    headed = (
        own._replace(heading=upper.heading._replace(look=own.heading.look))
        for own, upper in zip(columns, above, strict=True)
    )
    return Grid((names, *headed))


def grid_of_places(
    block: MatrixBlock, shown: Sequence[int | None], columns: Sequence[int | None]
) -> Grid:
    """Lays out some rows of a quantity, by their places, and some columns; None stands for those
    that are left out."""
    rows = [None if place is None else block.rows[place] for place in shown]
    largest = tuple(_largest(block, i) for i in rows)
    found = [_column(block, j, _heading(block, j), rows, largest) for j in columns]
    if block.display.with_sums:
        sums = tuple(_row_sum(block, i) for i in rows)
        found.append(GridColumn(GridCell(_heading_of_sums(found)), sums, at_point=True))
    if block.names.tokens:
        tokens = (GridCell(Omission.ROWS if i is None else block.names.tokens[i]) for i in rows)
        found.insert(0, GridColumn(GridCell("Token"), tuple(tokens)))
    lists = (
        _column(entry, 0, GridCell(Symbol(entry.name)), rows, largest) for entry in block.lists
    )
    return Grid((GridColumn(_corner(block), _row_names(block, rows)), *found, *lists), largest)


def _corner(block: MatrixBlock) -> GridCell:
    """Makes the cell with the name of a quantity, and where it comes from; several lists have their
    names above their columns."""
    if block.are_lists:
        return GridCell(Omission.UNTOLD)
    origin = f" ({block.origin})" if block.given and block.origin else ""
    name = Symbol(block.name)
    return GridCell(Transposed(name) if block.display.transposed else name, behind=origin)


def _turned(grid: Grid) -> Grid:
    """Lays the rows of a grid out as columns, with their sums and other lists below them."""
    names, *columns = grid.columns
    headings = tuple(_below(column.heading) for column in columns)
    turned = (
        GridColumn(name, tuple(_below(column.cells[i]) for column in columns), at_point=True)
        for i, name in enumerate(names.cells)
    )
    largest = grid.largest * len(columns) if len(names.cells) == 1 else (None,) * len(columns)
    return Grid((GridColumn(names.heading, headings), *turned), largest)


def _below(cell: GridCell) -> GridCell:
    return GridCell(Omission.ROWS, cell.look) if isinstance(cell.content, Omission) else cell


def _largest(block: MatrixBlock, i: int | None) -> Decimal | None:
    """Finds the largest share of a row as it is shown; returns None where some are asked for."""
    if i is None or not block.display.shares or any(row == i for row, _ in block.blanks):
        return None
    most = int(block.matrix.values[i].argmax())  # or the first that isn't there
    return block.matrix.number(i, most).shown if block.matrix.has(i, most) else None


def _row_names(block: MatrixBlock, rows: Iterable[int | None]) -> tuple[GridCell, ...]:
    role, look = block.names.roles[0], Look(block.names.roles[0])
    entries = (Omission.ROWS if i is None else _in_role(role, block.names.rows[i]) for i in rows)
    return tuple(GridCell(entry, look) for entry in entries)


def _heading(block: MatrixBlock, j: int | None) -> GridCell:
    """Makes the heading of a column; several lists have their names there, one has it in the
    corner."""
    if j is None:
        return GridCell(Omission.COLUMNS)
    if block.are_lists:
        return GridCell(Symbol(block.name))
    role = block.names.roles[1]
    return GridCell("" if block.is_list else _in_role(role, block.names.columns[j]), Look(role))


def _column(
    block: MatrixBlock,
    j: int | None,
    heading: GridCell,
    rows: Iterable[int | None],
    largest: Iterable[Decimal | None],
) -> GridColumn:
    entries = [_entry(block, i, j) for i in rows]
    looks = (_look(block, *pairs) for pairs in zip(entries, largest, strict=True))
    return GridColumn(heading, tuple(map(GridCell, entries, looks)), at_point=True)


def _entry(block: MatrixBlock, i: int | None, j: int | None) -> Number | Blank | Omission:
    if i is None:
        return Omission.BOTH if j is None else Omission.ROWS
    return Omission.COLUMNS if j is None else block.entry(i, j)


def _look(block: MatrixBlock, output: CellContent, largest: Decimal | None = None) -> Look:
    """Decides how a cell looks.

    Shares are shaded by their size, and the largest of a row stands out; so does the result; given
    numbers, queries, keys and values have their inks.
    """
    if not block.display.shares:
        ink = "given" if block.given else ink_of(block.quantity)
        return Look(result=True) if block.display.is_result else Look(ink)
    if not isinstance(output, Number):
        return Look()
    return Look(share=float(output.shown), most=output.shown == largest)


def _in_role(role: str, name: Word) -> Word:
    return Word(f"{role}: {name.raw}") if role else name


def _heading_of_sums(columns: Iterable[GridColumn]) -> str:
    """Names the column of the rows' sums, unlike any of the others."""
    others = {column.heading.text.strip() for column in columns}
    heading = "sum"
    while heading in others:
        heading = f"row {heading}"
    return heading


def _row_sum(block: MatrixBlock, i: int | None) -> GridCell:
    """Makes the cell with the sum of a row, with `≈` before it where that is rounded."""
    if i is None or not block.tells_row(i):
        return GridCell(Omission.ROWS if i is None else Omission.UNTOLD)
    sign, total = block.row_sum(i)
    return GridCell(total, before="" if sign == "=" else sign)


def _grid_of_vectors(block: SideBySide) -> Grid:
    first = block.columns[0][1]
    places = elided_rows(len(first.rows), of_list=first.is_list)
    rows = [None if place is None else first.rows[place] for place in places]
    names = GridColumn(GridCell("Token"), _row_names(first, rows))
    return Grid((names, *(_column_of_vectors(*c, rows) for c in block.columns)))


def _column_of_vectors(heading: str, block: MatrixBlock, rows: Iterable[int | None]) -> GridColumn:
    entries = (Omission.ROWS if i is None else _vector(block, i) for i in rows)
    cells = tuple(GridCell(entry, _look(block, entry)) for entry in entries)
    return GridColumn(GridCell(heading, Look(ink_of(block.quantity))), cells)


def _vector(block: MatrixBlock, i: int) -> Vector:
    """Makes a vector of a row, elided where it is long."""
    places = elided(block.matrix.shape[1], MOST_PARTS)
    return Vector(tuple(Omitted() if j is None else block.entry(i, j) for j in places))


_NUMBER = re.compile(rf"{MINUS}?\d+(?:\.\d+)?")


def _column_of_words(heading: Word | str, cells: Sequence[TableCell]) -> GridColumn:
    """Lays out a column of a table of words; of numbers, if it contains nothing else."""
    some = [cell for cell in cells if cell != "" and not isinstance(cell, Omitted)]
    numbers = bool(some) and all(
        isinstance(entry, str) and _NUMBER.fullmatch(entry) for entry in some
    )
    return GridColumn(GridCell(heading), tuple(_of_words(cell, numbers) for cell in cells), numbers)


def _of_words(cell: TableCell, numbers: bool) -> GridCell:
    """Makes a cell of a table of words; a number that was judged is in the ink of its verdict."""
    match cell:
        case Omitted():
            return GridCell(Omission.ROWS)
        case MarkedNumber():
            return GridCell(cell.number, Look(VERDICTS[cell.judgement]), behind=cell.behind)
        case str() if cell and numbers:
            return GridCell(Number.written(Decimal(cell.replace(MINUS, "-"))))
    return GridCell(cell)
