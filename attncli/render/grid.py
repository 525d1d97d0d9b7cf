"""A table before it is drawn: what stands in its cells, whatever the format."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from enum import Enum, auto
from typing import NamedTuple

from attncli.arithmetic.elision import MOST_PARTS, elided, elided_rows
from attncli.arithmetic.expression import Blank, Number, Omitted, Symbol, Vector
from attncli.document import TableCell
from attncli.marked import MarkedNumber
from attncli.notation import plain
from attncli.notation.words import printed, shown
from attncli.tables import Branch, MatrixBlock, SideBySide
from attncli.word import Word


class Omission(Enum):
    """What isn't told: rows of a long table, columns of a wide one, where these cross, and sums
    that would tell what is to be filled in."""

    ROWS = auto()
    COLUMNS = auto()
    BOTH = auto()
    UNTOLD = auto()


class SumEntry(NamedTuple):
    """What the numbers of a row add up to, with `=`, or `≈` where it is rounded."""

    sign: str
    total: Number


Entry = Number | Blank | SumEntry | Vector | Word | Omission
Label = Word | str | Symbol | Omission
"""What names a row or a column; a symbol where that is a quantity of its own."""


class GridColumn(NamedTuple):
    """A column of a table: its heading, an entry for each row, the quantity that these are numbers
    of, and the role that is told before its name."""

    heading: Label
    entries: tuple[Entry, ...]
    quantity: MatrixBlock | None = None
    role: str = ""

    @property
    def has_words(self) -> bool:
        """Whether there are words in it, no numbers."""
        return any(isinstance(entry, Word) for entry in self.entries)


class Grid(NamedTuple):
    """The names of a table's rows, and its columns; of shares also the largest number of each row,
    of which there may be several."""

    names: tuple[Label, ...]
    columns: tuple[GridColumn, ...]
    largest: tuple[Decimal | None, ...] = ()

    @property
    def headings(self) -> list[Label]:
        return [column.heading for column in self.columns]

    def rows(self) -> Iterator[tuple[Label, Sequence[Entry]]]:
        """Each row's name, and its entries."""
        for k, name in enumerate(self.names):
            yield name, [column.entries[k] for column in self.columns]


def grid_of(block: MatrixBlock) -> Grid:
    """A quantity with names for its rows and columns, and last the sums of its rows."""
    if block.turned:
        return _turned(_grid_in_rows(block._replace(turned=False)), block)
    return _grid_in_rows(block)


def _turned(grid: Grid, block: MatrixBlock) -> Grid:
    """The grid of one row as a column, what it adds up to and other lists below it."""
    entries = tuple(
        Omission.ROWS if isinstance(column.entries[0], Omission) else column.entries[0]
        for column in grid.columns
    )
    names = tuple(Omission.ROWS if isinstance(one, Omission) else one for one in grid.headings)
    column = GridColumn(grid.names[0], entries, block, block.roles[0])
    return Grid(names, (column,), grid.largest * len(names))


def _grid_in_rows(block: MatrixBlock) -> Grid:
    rows = _shown_rows(block)
    columns = [_column(block, j, rows) for j in elided(block.matrix.shape[1], MOST_PARTS)]
    if block.with_sums:
        sums = tuple(_row_sum(block, i) for i in rows)
        columns.append(GridColumn(_heading_of_sums(columns), sums))
    if block.tokens:
        tokens = tuple(Omission.ROWS if i is None else block.tokens[i] for i in rows)
        columns.insert(0, GridColumn("Token", tokens))
    columns += (_list_column(one, rows) for one in block.beside)
    largest = tuple(_largest(block, i) for i in rows) if block.shares else ()
    return Grid(_row_names(block, rows), tuple(columns), largest)


def _largest(block: MatrixBlock, i: int | None) -> Decimal | None:
    """The largest number of a row as it is shown; None where some are asked for."""
    if i is None or any(row == i for row, _ in block.blanks):
        return None
    most = int(block.matrix.values[i].argmax())  # or the first that isn't there
    return block.matrix.number(i, most).shown if block.matrix.has(i, most) else None


def grid_of_vectors(block: SideBySide) -> Grid:
    """Rows of several quantities as vectors, side by side."""
    first = block.columns[0][1]
    rows = _shown_rows(first)
    columns = (
        GridColumn(heading, tuple(_vector(matrix, i) for i in rows), matrix)
        for heading, matrix in block.columns
    )
    return Grid(_row_names(first, rows), tuple(columns))


def entry_text(entry: Entry) -> str:
    """An entry as it is printed; what is to be filled in as a rule."""
    if isinstance(entry, Omission):
        return _OMITTED[entry]
    if isinstance(entry, SumEntry):
        total = plain(entry.total)
        return total if entry.sign == "=" else f"{entry.sign} {total}"
    return printed(entry) if isinstance(entry, Word) else plain(entry)


_OMITTED = {
    Omission.ROWS: "⋮",
    Omission.COLUMNS: "…",
    Omission.BOTH: "⋮",
    Omission.UNTOLD: "",
}


def label_of(name: Label | TableCell) -> Word | str:
    """What names a row or a column, or stands in a table of words."""
    if isinstance(name, MarkedNumber):
        return Word(f"{name.number.raw}{name.behind}")
    if isinstance(name, Branch):
        return name.drawn()
    if isinstance(name, Omitted):
        return _OMITTED[Omission.ROWS]
    if isinstance(name, Symbol):
        return Word(name.name)
    return _OMITTED[name] if isinstance(name, Omission) else name


def _shown_rows(block: MatrixBlock) -> list[int | None]:
    """The rows that are printed; None for those left out of a long table."""
    places = elided_rows(len(block.rows), of_list=block.is_list)
    return [None if place is None else block.rows[place] for place in places]


def _row_names(block: MatrixBlock, rows: Sequence[int | None]) -> tuple[Label, ...]:
    role, names = block.roles[0], block.row_names
    return tuple(Omission.ROWS if i is None else _in_role(role, names[i]) for i in rows)


def _column(block: MatrixBlock, j: int | None, rows: Sequence[int | None]) -> GridColumn:
    if j is None:
        left = (Omission.BOTH if i is None else Omission.COLUMNS for i in rows)
        return GridColumn(Omission.COLUMNS, tuple(left), block)
    if block.are_lists:
        return _list_column(block, rows)
    # a list's column has no name
    heading = "" if block.is_list else _in_role(block.roles[1], block.column_names[j])
    entries = tuple(Omission.ROWS if i is None else block.entry(i, j) for i in rows)
    return GridColumn(heading, entries, block, block.roles[1])


def _list_column(block: MatrixBlock, rows: Sequence[int | None]) -> GridColumn:
    """A list as a column under its own name."""
    entries = (Omission.ROWS if i is None else block.entry(i, 0) for i in rows)
    return GridColumn(Symbol(block.name), tuple(entries), block)


def _in_role(role: str, name: Word) -> Word:
    return Word(f"{role}: {name.raw}") if role else name


def _heading_of_sums(columns: Sequence[GridColumn]) -> str:
    """What the column of the rows' sums is called, unlike any of the others."""
    others = {shown(label_of(column.heading)).strip() for column in columns}
    heading = "sum"
    while heading in others:
        heading = f"row {heading}"
    return heading


def _row_sum(block: MatrixBlock, i: int | None) -> SumEntry | Omission:
    if i is None:
        return Omission.ROWS
    return SumEntry(*block.row_sum(i)) if block.tells_row(i) else Omission.UNTOLD


def _vector(block: MatrixBlock, i: int | None) -> Vector | Omission:
    """A row as a vector, elided where it is long."""
    if i is None:
        return Omission.ROWS
    places = elided(block.matrix.shape[1], MOST_PARTS)
    return Vector(tuple(Omitted() if j is None else block.entry(i, j) for j in places))
