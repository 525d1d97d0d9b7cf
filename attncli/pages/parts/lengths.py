"""The length of a page in lines of a terminal, and how to see less of one that is long."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from attncli.document.blocks import (
    ONLY_DATA,
    Block,
    Bullets,
    Callout,
    ColumnSum,
    DefinitionList,
    Derivation,
    Document,
    Graph,
    Line,
    Paragraph,
    Section,
    Spans,
    Subheading,
    Table,
    Term,
    Tree,
    in_lines,
    rule_for,
    text_of_spans,
)
from attncli.document.grid import BAR, BETWEEN_TABLES, GAP, grid_of
from attncli.document.pictures import PICTURES
from attncli.document.retold import Followed, retold
from attncli.document.tables import MatrixBlock, SideBySide, in_groups
from attncli.maths.notation import plain
from attncli.maths.notation.columns import PartColumns, Room, bands
from attncli.names import Word
from attncli.scenario.scenario import Scenario

_CELLS = 78
"""The columns that a block has in a terminal of 80."""
_ROOM = Room(_CELLS, 3, 2, len)
_TITLE = 3


def length_of(document: Document) -> int:
    """Estimates how many lines a page has in a terminal of 80 columns."""
    sections = sum(map(length_of_section, document.sections))
    ends = (document.lead, document.opening, document.closing, document.foot)
    return _TITLE + sections + sum(map(_lines, ends))


def length_of_section(section: Section) -> int:
    """Estimates how many lines a section has, with its heading; none if it is only data."""
    if section.is_data:
        return 0
    return 1 + _lines_of_heading(section) + _lines(section.blocks)


def _lines_of_heading(section: Section) -> int:
    text = _width_of(section.heading)
    formulas = sum(len(plain(formula)) + BAR for formula in section.formulas)
    return 1 if text + formulas <= _CELLS else 1 + len(section.formulas)


def _lines(blocks: Sequence[Block]) -> int:
    """Counts the lines of blocks, each with the empty line behind it; small tables stand side by
    side."""
    shown = (block for block in in_lines(blocks) if not isinstance(block, ONLY_DATA))
    return sum(1 + height for height in _heights(shown))


def _heights(blocks: Iterable[Block]) -> Iterator[int]:
    """Yields the heights of blocks: of tables that follow each other, of each row as they stand
    side by side; of every other block alone."""
    for are_tables, group in groupby(blocks, lambda block: isinstance(block, MatrixBlock)):
        if not are_tables:
            yield from (rule_for(block, _HEIGHTS, "a page")(block) for block in group)
            continue
        tables = [block for block in group if isinstance(block, MatrixBlock)]
        pairs = [[grid_of(table).size(_CELLS) for table in pair] for pair in in_groups(tables)]
        for row in bands(pairs, _width_of_pair, _CELLS, BETWEEN_TABLES):
            yield max(height for pair in row for _, height in pair)


def _width_of_pair(sizes: Sequence[tuple[int, int]]) -> int:
    return sum(width + GAP for width, _ in sizes) - GAP


def _wrapped(text: Spans) -> int:
    """Counts the lines of running text, which are broken at spaces: not quite full."""
    return 1 + _width_of(text) // (_CELLS - BAR)


def _width_of(text: Spans) -> int:
    return len(text_of_spans(text))


def _height_of_lines(block: Derivation) -> int:
    """Counts the lines of a working, whose parts stand in columns."""
    lines = block.lines
    worked = [line for line in lines if isinstance(line, Line)]
    labels = [plain(line.label) for line in worked]
    texts = [[plain(part) for _, part in line.parts] for line in worked]
    columns = PartColumns.of(labels, texts, _ROOM)
    room = int(columns.room) - int(_ROOM.relation)
    omitted = len(lines) - len(worked)
    return omitted + sum(_height_of_row(row, columns, room) for row in texts)


def _height_of_row(row: Sequence[str], columns: PartColumns, room: int) -> int:
    """Counts the lines that one line of working takes: a last part that is too long goes on on the
    next."""
    breaks = columns.breaks[len(row)]
    ends = [k for k in range(len(row)) if k == len(row) - 1 or breaks[k + 1]]
    return columns.own_line + sum(1 + max(0, len(row[k]) - 1) // room for k in ends)


def _height_of_addition(block: ColumnSum) -> int:
    """Counts the lines of a column addition, whose products have lines of their own where they are
    wide."""
    lines = 2 if len(plain(block.total)) > _CELLS // 3 else 1
    return lines * len(block.addends) + 3


def _height_of_table(block: MatrixBlock | Table) -> int:
    _, height = grid_of(block).size(_CELLS)
    return height


def _height_side_by_side(block: SideBySide) -> int:
    """Counts the lines of vectors side by side in bands, or of a table each where these are too
    wide."""
    caption, grid = 2 if block.caption else 0, grid_of(block)
    names, *vectors = (column.width for column in grid.columns)
    if names + BAR + max(vectors) <= _CELLS:
        _, height = grid.size(_CELLS)
        return caption + height
    return caption + sum(_height_of_table(matrix) + 1 for _, matrix in block.columns) - 1


_HEIGHTS: Mapping[type, Callable[[Any], int]] = {
    Derivation: _height_of_lines,
    ColumnSum: _height_of_addition,
    MatrixBlock: _height_of_table,
    SideBySide: _height_side_by_side,
    Graph: lambda block: len(block.edges) + len({edge.source for edge in block.edges}) - 1,
    Table: _height_of_table,
    Tree: lambda block: sum(_wrapped((*row.title, *row.made)) for row in block.rows),
    DefinitionList: lambda block: sum(_wrapped((name, *text)) for name, text in block.rows),
    Bullets: lambda block: sum(map(_wrapped, block.items)),
    Paragraph: lambda block: _wrapped(block.text),
    Callout: lambda block: _wrapped(block.text),
    Subheading: lambda block: _wrapped(block.text),
    **dict.fromkeys(PICTURES, lambda _: 0),
}
"""The lines of each kind of block."""


MOST_IN_FULL = 400
"""The lines of the longest page that is told in full without being asked for."""
LONG = 310
"""A page of more lines says how to see less of it; one of training, which has a way back and an
update for each step forth, is told in full only if it has no more."""
ONE_PAGE = 70
"""The lines of a sheet of A4, six an inch; a page that ends with the way back is told in full only
if it has no more, and says nothing of how to see less."""


def most_in_full(scenario: Scenario) -> int:
    """Returns the lines of the longest page of a scenario that is told in full without being asked
    for."""
    if scenario.training:
        return LONG
    return ONE_PAGE if scenario.goes_back else MOST_IN_FULL


def how_to_see_less(
    detail: str, length: int, asked: str = "", *, on_paper: bool = False
) -> list[Block]:
    """Says at the top of a page of so many lines what else could be told of it; and which token's
    row is worked, where it is that of one that is `asked` for. What is `on_paper` can't be told
    otherwise, and says only that."""
    if detail == "rows":
        whose: Spans = (", that of “", Word(asked), "” where there is one") if asked else ()
        spans: Spans = ("One row of each table is worked", *whose)
        if on_paper:
            return [Callout((*spans, "." if asked else ", the last."))]
        notes = (*spans, " (", Term("--detail full"), ": all, ", Term("--detail summary"))
        return [Callout(retold(Followed(), *notes, ": none)."))]
    if on_paper:
        return []
    if detail == "full" and length > LONG:
        rows = ("This page is long. ", Term("--detail rows"), " works one row of each table. ")
        less = " shows the weights, the results and what was found."
        return [Callout(retold(Followed(), *rows, Term("--detail summary"), less))]
    return []
