"""About how long a page is, before any format has a hand in it, and how closely it is told where
nobody says: as closely as it stays readable.

`full` works every cell, `rows` one row of each table, `summary` shows each head's weights, what the
page comes to, and what was found. A page that would be long in full is told by `rows`; one that is
long all the same says at its top how to see less, or more, of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from attncli.document import (
    ONLY_DATA,
    Addition,
    Block,
    Bullets,
    Document,
    Facts,
    Graph,
    Line,
    Note,
    Prose,
    Section,
    Spans,
    Subheading,
    Table,
    Term,
    Tree,
    Working,
    each,
    rule_for,
)
from attncli.grid import BAR, BETWEEN_TABLES, GAP, grid_of
from attncli.notation import name_of, plain
from attncli.notation.columns import PartColumns, Room, bands
from attncli.pictures import PICTURES
from attncli.scenario.scenario import Scenario
from attncli.tables import MatrixBlock, SideBySide, in_groups
from attncli.word import Word

_CELLS = 78
"""The columns that a block has in a terminal of 80."""
_ROOM = Room(_CELLS, 3, 2, len)
_TITLE = 10


def length_of(document: Document) -> int:
    """About how many lines a page has in a terminal of 80 columns."""
    sections = sum(map(length_of_section, document.sections))
    return _TITLE + sections + _lines(document.opening) + _lines(document.closing)


def length_of_section(section: Section) -> int:
    """The same of a section, with its heading."""
    if section.is_data:
        return 0
    return 1 + _lines_of_heading(section) + _lines(section.blocks)


def _lines_of_heading(section: Section) -> int:
    text = _width_of(section.heading)
    formulas = sum(len(plain(formula)) + BAR for formula in section.formulas)
    return 1 if text + formulas <= _CELLS else 1 + len(section.formulas)


def _lines(blocks: Sequence[Block]) -> int:
    """Of blocks, each with the empty line behind it; small tables stand side by side."""
    shown = (block for block in each(blocks) if not isinstance(block, ONLY_DATA))
    heights = ([rule_for(one, _HEIGHTS, "a page")(one) for one in row] for row in _rows(shown))
    return sum(1 + max(row) for row in heights)


def _rows(blocks: Iterable[Block]) -> Iterator[Sequence[Block]]:
    """Blocks that stand side by side, tables that follow each other; every other one by itself."""
    for are_tables, group in groupby(blocks, lambda block: isinstance(block, MatrixBlock)):
        if are_tables:
            tables = [block for block in group if isinstance(block, MatrixBlock)]
            for row in bands([*in_groups(tables)], _width_of_group, _CELLS, BETWEEN_TABLES):
                yield [table for group in row for table in group]
        else:
            yield from ([block] for block in group)


def _wrapped(text: Spans) -> int:
    """The lines of running text, which are broken at spaces: not quite full."""
    return 1 + _width_of(text) // (_CELLS - BAR)


def _width_of(text: Spans) -> int:
    return sum(map(_width_of_span, text))


def _width_of_span(span: object) -> int:
    match span:
        case str():
            return len(span)
        case Word():
            return len(span.raw)
        case Term(name):
            return len(name_of(name))
        case _:
            return len(plain(span))  # type: ignore[arg-type]


def _height_of_lines(block: Working) -> int:
    """Of lines of working, whose parts stand in columns."""
    lines = block.lines
    told = [line for line in lines if isinstance(line, Line)]
    labels = [plain(line.label) for line in told]
    texts = [[plain(part) for _, part in line.parts] for line in told]
    columns = PartColumns.of(labels, texts, _ROOM)
    room = int(columns.room) - int(_ROOM.relation)
    omitted = len(lines) - len(told)
    return omitted + sum(_height_of_row(row, columns, room) for row in texts)


def _height_of_row(row: Sequence[str], columns: PartColumns, room: int) -> int:
    """The lines of a line of working: a last part that is too long goes on on the next."""
    breaks = columns.breaks[len(row)]
    ends = [k for k in range(len(row)) if k == len(row) - 1 or breaks[k + 1]]
    return columns.own_line + sum(1 + max(0, len(row[k]) - 1) // room for k in ends)


def _height_of_addition(block: Addition) -> int:
    """Of a column addition, whose products have lines of their own where they are wide."""
    lines = 2 if len(plain(block.total)) > _CELLS // 3 else 1
    return lines * len(block.addends) + 3


def _height_of_table(block: MatrixBlock | Table) -> int:
    return grid_of(block).height(_CELLS)


def _width_of_group(group: Sequence[MatrixBlock]) -> int:
    return sum(grid_of(table).width + GAP for table in group) - GAP


def _height_side_by_side(block: SideBySide) -> int:
    """Of vectors side by side in bands, or a table each where these are too wide."""
    caption, grid = 2 if block.caption else 0, grid_of(block)
    names, *vectors = (column.width for column in grid.columns)
    if names + BAR + max(vectors) <= _CELLS:
        return caption + grid.height(_CELLS)
    return caption + sum(_height_of_table(matrix) + 1 for _, matrix in block.columns) - 1


_HEIGHTS: Mapping[type, Callable[[Any], int]] = {
    Working: _height_of_lines,
    Addition: _height_of_addition,
    MatrixBlock: _height_of_table,
    SideBySide: _height_side_by_side,
    Graph: lambda block: len(block.edges) + len({edge.source for edge in block.edges}) - 1,
    Table: _height_of_table,
    Tree: lambda block: sum(_wrapped((*row.title, *row.made)) for row in block.rows),
    Facts: lambda block: sum(_wrapped((name, *text)) for name, text in block.rows),
    Bullets: lambda block: sum(map(_wrapped, block.items)),
    Prose: lambda block: _wrapped(block.text),
    Note: lambda block: _wrapped(block.text),
    Subheading: lambda block: _wrapped(block.text),
    **dict.fromkeys(PICTURES, lambda _: 0),
}
"""The lines of each kind of block."""


MOST_IN_FULL = 400
"""The lines of the longest page that is told in full without being asked for."""
LONG = 300
"""A page of more lines says how to see less of it; one of training, which has a way back and an
update for each step forth, is told in full only if it has no more."""
ONE_PAGE = 66
"""The lines of a printed page; one that ends with the way back is told in full only if it has no
more, and says nothing of how to see less."""


def most_in_full(scenario: Scenario) -> int:
    """The lines of the longest page of a scenario that is told in full without being asked for."""
    if scenario.training:
        return LONG
    return ONE_PAGE if scenario.goes_back else MOST_IN_FULL


def how_to_see_less(detail: str, length: int, asked: str = "") -> list[Block]:
    """A word at the top of a page of so many lines on what else could be told of it; and which
    token's row is worked, where it is that of one that is `asked` for."""
    less: Spans = (Term("--detail summary"), " shows the weights, the results and what was found.")
    if detail == "rows":
        whose: Spans = (", where it has one that of “", Word(asked), "”") if asked else ()
        told: Spans = ("One row of each table is worked", *whose, ": see ")
        return [Note((*told, Term("--detail full"), ", or ", Term("--detail summary"), "."))]
    if detail == "full" and length > LONG:
        rows = (Term("--detail rows"), " works one row of each table; ")
        return [Note(("This page is long: ", *rows, *less))]
    return []
