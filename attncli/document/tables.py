"""What tables are made of: quantities with names for their rows and columns, rows of trees, and
numbers that were judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from attncli.equations.tree import (
    Blank,
    Equation,
    Expression,
    Number,
    Signature,
    Sum,
    numbers_in,
)
from attncli.names import TOP, Name, Word
from attncli.numbers import decimals

if TYPE_CHECKING:
    from attncli.equations.matrix import Matrix


class MatrixBlock(NamedTuple):
    """A quantity as a table with names for its rows and columns.

    `rows` are the places, from 0, of the rows that are shown; `made_in` names the step that
    made it, none where it was given (or has another `origin`). A list such as `exp_sum` has no
    column names. `roles` are put before the names (`Q: love`, `K: AI`). `with_sums` asks for one
    more column, of what each row adds up to as shown; `shares` says that a row's numbers are parts
    of 1, `is_result` that it is what the page comes to. `lists` are those of the same rows, a
    column each; `begins_row` says that it stands below the table before it, not beside; `paired`,
    that the one behind it belongs beside it. `tokens` are what the rows of a table by ID stand for.
    `quantity` is the full name, `name` what the page calls it. `blanks` are the ids of the cells,
    (row, column) from 0, that are to be filled in; a matrix that lacks a cell's number doesn't tell
    it.
    A table of one row that is `turned` is told as a column. `variant` names the variant of the
    scenario that it is of, if it is of one. `data_rows` are those that data have where fewer are
    shown: of what an expert makes also those of tokens that don't go there.
    """

    name: str
    matrix: Matrix
    row_names: tuple[Word, ...]
    column_names: tuple[Word, ...]
    rows: tuple[int, ...]
    made_in: str = ""
    origin: str = "given"
    roles: tuple[str, str] = ("", "")
    with_sums: bool = False
    shares: bool = False
    is_result: bool = False
    lists: tuple[MatrixBlock, ...] = ()
    begins_row: bool = False
    paired: bool = False
    quantity: Name = TOP
    blanks: Mapping[tuple[int, int], str] = MappingProxyType({})
    tokens: tuple[Word, ...] = ()
    turned: bool = False
    variant: str = ""
    data_rows: tuple[int, ...] = ()

    @property
    def given(self) -> bool:
        return not self.made_in

    @property
    def as_data(self) -> MatrixBlock:
        """The table with all rows that data have."""
        return self._replace(rows=self.data_rows) if self.data_rows and not self.blanks else self

    def entry(self, i: int, j: int) -> Number | Blank:
        """What stands in a cell: its number, or a blank with or without its answer."""
        number = self.matrix.number(i, j) if self.matrix.has(i, j) else None
        if number is not None and (i, j) not in self.blanks:
            return number
        return Blank(self.blanks.get((i, j), ""), number)

    def tells_row(self, i: int) -> bool:
        """Whether no cell of a row is a blank."""
        from numpy import isnan  # which is there where a matrix is

        return not isnan(self.matrix.taken([i])).any() and all(row != i for row, _ in self.blanks)

    @property
    def blank_width(self) -> int:
        """Millimetres to write one of its numbers in, as many as its decimals need."""
        most, places = self.matrix.decimals, self.matrix.places
        return min(24, 9 + 3 * (most if places is None else min(most, places)))

    @property
    def is_list(self) -> bool:
        return not self.column_names

    @property
    def are_lists(self) -> bool:
        """Whether it is several lists, each of which is a column under its own name."""
        return self.is_list and bool(self.lists)

    def row_sum(self, i: int) -> tuple[str, Number]:
        """What the numbers of a row add up to, as they are shown: in full, with `=`, or where that
        has more digits than a number is ever told with, rounded, with `≈`."""
        row = self.matrix.row(i)
        total = decimals.total(number.shown for number in numbers_in(row))
        if len(total.as_tuple().digits) <= decimals.SIGNIFICANT:
            return "=", Number.inner(total, Sum(row.entries))
        return "≈", Number.written(decimals.round_to(total, self.matrix.decimals))


def in_groups(tables: Iterable[MatrixBlock]) -> Iterator[tuple[MatrixBlock, ...]]:
    """Tables, those that are pairs together."""
    group: tuple[MatrixBlock, ...] = ()
    for table in tables:
        group = (*group, table)
        if not table.paired:
            yield group
            group = ()
    if group:
        yield group


class Branch(NamedTuple):
    """A cell that names a row of a tree, by its full `name`; `told` is what it is called there,
    where what it stands below is told, `above` the name of that, if there is one. The `guides`
    before it are a character a column: `│`, `├`, `└` or a space; one without a mark of its own
    goes on from what is above it in its column."""

    name: Name
    text: str
    above: Name | None
    guides: str

    def drawn(self, space: str = " ") -> str:
        """`│  ├─ W_K`."""
        return "".join(_GUIDES[guide] for guide in self.guides).replace(" ", space) + self.text


_GUIDES = {"│": "│  ", "├": "├─ ", "└": "└─ ", " ": "   "}


class Data(NamedTuple):
    """A quantity whose numbers the page tells in another way, for formats that keep data."""

    table: MatrixBlock


class SideBySide(NamedTuple):
    """The rows of several quantities as vectors, side by side."""

    caption: str
    row_names: tuple[Word, ...]
    rows: tuple[int, ...]
    columns: tuple[tuple[str, MatrixBlock], ...]


class IndexedEquation(NamedTuple):
    """An equation with indices, the shapes of its operands, and these by their full names."""

    tree: Expression
    shapes: Signature
    operands: tuple[str, ...]


class WorkedTable(NamedTuple):
    """A quantity for formats that work it again: its table with every row, its formulas, and the
    decimals that it is rounded to, None where it keeps its digits. `form` gives what a cell is
    worked from, no term left out and every condition in it; None of a given one. `equation` says
    it for all cells at once, where one does; `told` is what the page says of a cell where that
    holds for these numbers only. What is `moved` keeps its looks; some have their `own` decimals,
    others those of all."""

    table: MatrixBlock
    formulas: tuple[Equation, ...]
    decimals: int | None
    form: Callable[[int, int], Expression | None]
    equation: IndexedEquation | None = None
    told: Callable[[int, int], Expression | None] = lambda *_: None
    moved: bool = False
    own: bool = False


# --------------------------------------------------------------------------------------------------
# Numbers that were judged, as tables tell them.

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
        "correct": "V",
        "worked otherwise": "V",
        "carried forward": "Q",
        "not worked": "K",
        "rounding": "given",
        "known mistake": "K",
        "slip": "K",
        "by hand": "aside",
        "blank": "aside",
        "unreadable": "K",
        "changed": "K",
    }
)
"""The inks of numbers of which that is said: green, blue and red ones of those that there are."""


CHANGED = "changed"
"""What is said of a number beside which another one stands, which it is elsewhere."""


class MarkedNumber(NamedTuple):
    """A number in a table with what is said of it, and the right one where that is told; of one
    that is another one elsewhere, that one."""

    number: Word
    judgement: str
    right: str = ""

    @property
    def behind(self) -> str:
        """What stands behind the number: its sign, and the right number in brackets; or an arrow
        and what it is elsewhere."""
        if self.judgement == CHANGED:
            return f" → {self.right}"
        right = f" ({self.right})" if self.right else ""
        return f"{' ' if self.number.raw else ''}{SIGNS[self.judgement]}{right}"
