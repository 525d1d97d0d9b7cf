"""How closely a page is told where nobody says: as closely as it stays readable.

`full` works every cell, `rows` one row of each table, `summary` shows each head's weights, what the
page comes to, and what was found. A page that would be long in full is told by `rows`; one that is
long all the same says at its top how to see less, or more, of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from attncli.arithmetic.elision import MOST_PARTS, MOST_ROWS_OF_A_LIST
from attncli.arithmetic.expression import Omitted
from attncli.document import (
    Addition,
    Block,
    Bullets,
    Document,
    Facts,
    Line,
    Note,
    Section,
    Spans,
    Table,
    Term,
    TextList,
    Tree,
    Working,
)
from attncli.notation import plain
from attncli.tables import Data, MatrixBlock, SideBySide

MOST_IN_FULL = 400
"""The lines of the longest page that is told in full without being asked for."""
LONG = 300
"""A page of more lines says how to see less of it."""
_ROOM = 74
"""The columns that a line of working has in a terminal of 80."""


def length_of(document: Document) -> int:
    """About how many lines a page has in a terminal of 80 columns."""
    sections = sum(2 + _lines_of_section(section) for section in document.sections)
    return 10 + sections + _lines((*document.opening, *document.closing))


def _lines_of_section(section: Section) -> int:
    formulas = len(section.formulas) if len(section.formulas) > 1 else 0
    return formulas + _lines(section.blocks)


def _lines(blocks: Iterable[Block]) -> int:
    """Of blocks, each with the empty line behind it."""
    return sum(_height(block) + 1 for block in blocks if not isinstance(block, Data | TextList))


def _height(block: Block) -> int:
    match block:
        case Working(lines):
            return sum(_height_of_line(line) for line in lines)
        case Addition(_, addends):
            return len(addends) + 3
        case MatrixBlock(rows=rows):
            most = MOST_ROWS_OF_A_LIST if block.is_list else MOST_PARTS
            return 2 + (len(rows) if len(rows) <= most else 5)
        case SideBySide(rows=rows):
            return 2 + 2 * min(len(rows), MOST_PARTS)
        case Table(rows=rows) | Tree(rows=rows) | Facts(rows=rows) | Bullets(rows):
            return 2 + len(rows)
        case _:
            return 2


def _height_of_line(line: Line | Omitted) -> int:
    if isinstance(line, Omitted):
        return 1
    parts = (len(plain(part)) + 3 for _, part in line.parts)
    return 1 + (len(plain(line.label)) + sum(parts)) // _ROOM


def how_to_see_less(detail: str, length: int) -> list[Block]:
    """A word at the top of a page on what else could be told of it."""
    less: Spans = (Term("--detail summary"), " shows the weights, the results and what was found.")
    if detail == "rows":
        told = "One row of each table is worked: see "
        return [Note((told, Term("--detail full"), ", or ", Term("--detail summary"), "."))]
    if detail == "full" and length > LONG:
        rows = (Term("--detail rows"), " works one row of each table; ")
        return [Note(("This page is long: ", *rows, *less))]
    return []
