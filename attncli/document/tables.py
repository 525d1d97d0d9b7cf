"""The rows of tables: of named quantities, of trees, and of numbers that were judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from attncli.maths.equations.signatures import Signature
from attncli.maths.equations.tree import Blank, Equation, Expression, Number, Sum, numbers_in
from attncli.maths.numbers import decimals
from attncli.names import TOP, Name, Word, WordedText

if TYPE_CHECKING:
    from attncli.document.blocks import ColumnSum, Derivation
    from attncli.maths.equations.matrix import Matrix


class TableNames(NamedTuple):
    """The names of a table's rows and columns."""

    rows: tuple[Word, ...]
    columns: tuple[Word, ...]
    """The names of its columns; a list such as `exp_sum` has none."""
    roles: tuple[str, str] = ("", "")
    """What is put before the names of rows and of columns (`Q: love`, `K: AI`)."""
    tokens: tuple[Word, ...] = ()
    """What the rows of a table by ID stand for."""


class TableDisplay(NamedTuple):
    """How a table is displayed: what is shown of its numbers, and where it stands."""

    with_sums: bool = False
    """Whether there is one more column, with the sum of each row as shown."""
    shares: bool = False
    """Whether the numbers of a row are parts of 1, and seen as such."""
    is_result: bool = False
    """Whether it is the result of the page."""
    turned: bool = False
    """Whether its one row is told as a column."""
    transposed: bool = False
    """Whether its rows stand as columns, and it is called its transpose, Kᵀ."""
    begins_row: bool = False
    """Whether it stands below the table before it, not beside."""
    paired: bool = False
    """Whether the table behind it belongs beside it."""
    after: MatrixBlock | None = None
    """The softmax of its rows, which stands to the right of them where products are laid out."""


class MatrixBlock(NamedTuple):
    """A quantity as a table with names for its rows and columns."""

    name: str
    """What the page calls it."""
    matrix: Matrix
    """Its numbers; a cell whose number is missing doesn't tell it."""
    names: TableNames
    """The names of its rows and columns."""
    rows: tuple[int, ...]
    """The places, from 0, of the rows that are shown."""
    made_in: str = ""
    """The step that made it; none where it was given, or has another `origin`."""
    origin: str = "given"
    display: TableDisplay = TableDisplay()
    """How it is displayed."""
    lists: tuple[MatrixBlock, ...] = ()
    """Lists of the same rows, a column each."""
    quantity: Name = TOP
    """Its full name."""
    blanks: Mapping[tuple[int, int], str] = MappingProxyType({})
    """The ids of the cells that are to be filled in, by their (row, column) from 0."""
    variant: str = ""
    """The name of the variant of the scenario that it is of, if it is of one."""
    data_rows: tuple[int, ...] = ()
    """The rows that data have where fewer are shown: of what an expert makes also those of tokens
    that don't go there."""

    @property
    def after(self) -> MatrixBlock | None:
        """Returns what is displayed to the right of it, if anything is."""
        return self.display.after

    @property
    def given(self) -> bool:
        return not self.made_in

    @property
    def as_data(self) -> MatrixBlock:
        """Returns the table with all rows that data have."""
        return self._replace(rows=self.data_rows) if self.data_rows and not self.blanks else self

    @property
    def alone(self) -> MatrixBlock:
        """Returns the table of its numbers and names, without tokens, sums and lists beside them,
        and not turned."""
        return self._replace(
            names=self.names._replace(tokens=()),
            display=self.display._replace(with_sums=False, turned=False, after=None),
            lists=(),
        )

    def entry(self, i: int, j: int) -> Number | Blank:
        """Returns what stands in a cell: its number, or a blank with or without its answer."""
        number = self.matrix.number(i, j) if self.matrix.has(i, j) else None
        if number is not None and (i, j) not in self.blanks:
            return number
        return Blank(self.blanks.get((i, j), ""), number)

    @property
    def has_dots(self) -> bool:
        """Tells whether numbers of it are missing that aren't asked for: they are carried over."""
        columns = range(self.matrix.shape[1])
        missing = ((i, j) for i in self.rows for j in columns if not self.matrix.has(i, j))
        return any(cell not in self.blanks for cell in missing)

    def tells_row(self, i: int) -> bool:
        """Tells whether no cell of a row is a blank."""
        from numpy import isnan  # which is there where a matrix is

        return not isnan(self.matrix.taken([i])).any() and all(row != i for row, _ in self.blanks)

    @property
    def blank_width(self) -> int:
        """Returns the millimetres to write one of its numbers in, as many as its decimals need."""
        most, places = self.matrix.decimals, self.matrix.places
        return min(24, 9 + 3 * (most if places is None else min(most, places)))

    @property
    def is_list(self) -> bool:
        return not self.names.columns

    @property
    def are_lists(self) -> bool:
        """Tells whether it is several lists, each of which is a column under its own name."""
        return self.is_list and bool(self.lists)

    def row_sum(self, i: int) -> tuple[str, Number]:
        """Adds the numbers of a row up, as they are shown.

        Returns the sum in full, with `=`; or where that has more digits than a number is ever told
        with, rounded, with `≈`.
        """
        row = self.matrix.row(i)
        total = decimals.total(number.shown for number in numbers_in(row))
        if len(total.as_tuple().digits) <= decimals.SIGNIFICANT:
            return "=", Number.inner(total, Sum(row.entries))
        return "≈", Number.written(decimals.round_to(total, self.matrix.decimals))


def in_groups(tables: Iterable[MatrixBlock]) -> Iterator[tuple[MatrixBlock, ...]]:
    """Yields tables in groups: those that are pairs together."""
    group: tuple[MatrixBlock, ...] = ()
    for table in tables:
        group = (*group, table)
        if not table.display.paired:
            yield group
            group = ()
    if group:
        yield group


class ProductBlock(NamedTuple):
    """A product of two matrices laid out as on paper, after Sigurd Falk (1951): a number of the
    result stands where its row of the left matrix and its column of the one above it cross."""

    left: MatrixBlock
    """The left operand."""
    above: MatrixBlock
    """The right operand, which stands above the result."""
    result: MatrixBlock
    """The product."""
    told: tuple[Derivation | ColumnSum | MatrixBlock, ...]
    """What tells it where products aren't laid out: its lines and tables, in their order."""
    after: MatrixBlock | None = None
    """What is made of each row of the result, which stands to the right of it: its softmax, or its
    activation."""
    added: MatrixBlock | None = None
    """What is added to each row of the result: its bias."""

    @property
    def working(self) -> tuple[Derivation | ColumnSum, ...]:
        """Returns its lines."""
        return tuple(block for block in self.told if not isinstance(block, MatrixBlock))

    @property
    def operands(self) -> tuple[MatrixBlock, ...]:
        """Returns the tables that its numbers are worked from."""
        return (self.left, self.above, *(() if self.added is None else (self.added,)))

    @property
    def tables(self) -> tuple[MatrixBlock, ...]:
        """Returns the tables that are laid out, in the order in which one meets them."""
        return (*self.operands, self.result, *(() if self.after is None else (self.after,)))


class Branch(NamedTuple):
    """A cell that names a row of a tree."""

    name: Name
    """The full name of the row."""
    text: str
    """What it is called there, below what it stands under."""
    above: Name | None
    """The name of what it stands under, if there is one."""
    guides: str
    """The guides before it, a character a column: `│`, `├`, `└` or a space. A column without a mark
    of its own continues what is above it."""

    def drawn(self, space: str = " ") -> str:
        """Draws the guides and the text: `│ ├─ W_K`."""
        return drawn_guides(self.guides).replace(" ", space) + self.text


def drawn_guides(guides: str) -> str:
    """Draws the guides before a row of a tree: `│  ├─ `"""
    return "".join(map(_GUIDES.__getitem__, guides))


_GUIDES = {"│": "│  ", "├": "├─ ", "└": "└─ ", " ": "   "}


class DataTable(NamedTuple):
    """A quantity whose numbers the page tells in another way, for formats that keep data."""

    table: MatrixBlock


class SideBySide(NamedTuple):
    """The rows of several quantities as vectors, side by side."""

    caption: str
    row_names: tuple[Word, ...]
    rows: tuple[int, ...]
    columns: tuple[tuple[str, MatrixBlock], ...]


class IndexedEquation(NamedTuple):
    """An equation with indices."""

    tree: Expression
    shapes: Signature
    """The shapes of its operands."""
    operands: tuple[str, ...]
    """The full names of its operands."""
    lost: Expression | None = None
    """What is 0 in each cell that can be worked from the digits of its operands."""


class WorkedTable(NamedTuple):
    """A quantity for formats that work it again."""

    table: MatrixBlock
    """Its table, with every row."""
    formulas: tuple[Equation, ...]
    decimals: int | None
    """The decimals that it is rounded to; None where it keeps its digits."""
    form: Callable[[int, int], Expression | None]
    """Returns what a cell is worked from, no term left out and every condition in it; None for a
    given one."""
    equation: IndexedEquation | None = None
    """The equation of all cells at once, where there is one."""
    told: Callable[[int, int], Expression | None] = lambda *_: None
    """Returns what the page says of a cell where that holds for these numbers only."""
    moved: bool = False
    """Whether its numbers are moved from elsewhere and keep their looks."""
    own: bool = False
    """Whether its decimals are its own, and not those of all."""
    constant: bool = False
    """Whether it is a setting, which equations have as a constant, and which is above 0."""


class WrongWorking(NamedTuple):
    """A quantity as a known mistake makes it."""

    says: WordedText
    """A sentence that tells who made the number of the mistake."""
    worked: WorkedTable
    """The quantity, worked so."""


SIGNS: Mapping[str, str] = MappingProxyType(
    {
        "correct": "✓",
        "worked otherwise": "≡",
        "carried forward": "→",
        "not worked": "∅",
        "rounding": "~",
        "known mistake": "✗",
        "slip": "!",
        "by hand": "#",
        "blank": "–",
        "unreadable": "?",
    }
)
"""What stands behind a number that was judged so."""

VERDICTS: Mapping[str, str] = MappingProxyType(
    {
        "correct": "right",
        "worked otherwise": "right",
        "carried forward": "carried",
        "not worked": "wrong",
        "rounding": "carried",
        "known mistake": "wrong",
        "slip": "wrong",
        "by hand": "aside",
        "blank": "aside",
        "unreadable": "wrong",
        "changed": "changed",
    }
)
"""The inks of numbers of which that is said. One that follows, or is rounded otherwise, is neither
right nor wrong; its sign tells which."""


CHANGED = "changed"
"""What is said of a number beside which another one stands, which it is elsewhere."""


class MarkedNumber(NamedTuple):
    """A number in a table that was judged, or that is another one elsewhere."""

    number: Word
    judgement: str
    """What is said of it: a key of `VERDICTS`."""
    right: str = ""
    """The right number where that is told, or the one that it is elsewhere."""

    @property
    def behind(self) -> str:
        """Writes what stands behind the number: its sign, and the right number in brackets; or an
        arrow and what it is elsewhere."""
        if self.judgement == CHANGED:
            return f" → {self.right}"
        right = f" ({self.right})" if self.right else ""
        return f"{' ' if self.number.raw else ''}{SIGNS[self.judgement]}{right}"
