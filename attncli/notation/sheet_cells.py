"""Cells of a spreadsheet: their addresses, and which of them stand next to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from attncli.arithmetic import expression as ex
from attncli.arithmetic.expression import Expression, Location, Node, Number


class SheetCell(NamedTuple):
    """Where a number stands: its sheet, its row and its column from 0."""

    sheet: str
    row: int
    column: int


PlaceOf = Callable[[Location], SheetCell]


class CellRange(ex.Leaf):
    """Cells next to each other, in the place of one of them in each term of a sum."""

    first: Location
    last: Location


def absolute(place: SheetCell) -> str:
    """A cell's address that stays as it is where it is copied: `$B$3`."""
    return f"${letters(place.column)}${place.row + 1}"


def cells_across(first: SheetCell, count: int, *, fixed: bool = False) -> str:
    """Cells beside each other on one sheet: `B3:D3`, or where they are fixed `$B$3:$D$3`."""
    last = first._replace(column=first.column + count - 1)
    cells = f"{absolute(first)}:{absolute(last)}"
    return cells if fixed else cells.replace("$", "")


def quoted(sheet: str) -> str:
    """A sheet's name as it stands in a formula."""
    return "'{}'".format(sheet.replace("'", "''"))


def letters(column: int) -> str:
    """The name of a column."""
    text = ""
    while column >= 0:
        text, column = chr(ord("A") + column % 26) + text, column // 26 - 1
    return text


@dataclass(frozen=True)
class CellRanges:
    """Expressions that are alike but for cells next to each other."""

    place_of: PlaceOf

    def runs(self, terms: Sequence[Expression]) -> Iterator[list[Expression]]:
        """Terms that follow each other alike, each of cells next to the last one's."""
        run: list[Expression] = []
        for term in terms:
            if run and self.template([*run[-1:], term]) is None:
                yield run
                run = []
            run.append(term)
        yield run

    def template(self, nodes: Sequence[Any]) -> Any:  # noqa: ANN401
        """What some nodes have in common, with a range where each has its own cell; None where they
        are not alike."""
        first = nodes[0]
        if isinstance(first, Number):
            return self._common_number(nodes)
        if any(type(node) is not type(first) for node in nodes):
            return None
        if type(first) is tuple:
            if len({len(node) for node in nodes}) > 1:
                return None
            parts = [self.template(each) for each in zip(*nodes, strict=True)]
            return None if None in parts else tuple(parts)
        if not isinstance(first, Node) or isinstance(first, ex.Leaf):
            return first if all(node == first for node in nodes) else None
        parts = [self.template(each) for each in zip(*(n.parts for n in nodes), strict=True)]
        return None if any(part is None for part in parts) else type(first)(*parts)

    def is_row(self, cells: CellRange) -> bool:
        """Whether they stand beside each other, not below."""
        return self.place_of(cells.first).row == self.place_of(cells.last).row

    def _common_number(self, nodes: Sequence[Any]) -> Expression | None:
        first, last = nodes[0], nodes[-1]
        if not all(isinstance(node, Number) for node in nodes):
            return None
        if all(node.cell == first.cell and node.full == first.full for node in nodes):
            return first if first.cell != ex.INNER else None
        cells = [node.cell for node in nodes]
        if any(cell is None or not cell.quantity for cell in cells):
            return None
        places = [self.place_of(cell) for cell in cells]
        steps = {(b.row - a.row, b.column - a.column) for a, b in pairwise(places)}
        on_one_sheet = len({place.sheet for place in places}) == 1
        return CellRange(first.cell, last.cell) if on_one_sheet and steps in _STEPS else None


_STEPS = ({(0, 1)}, {(1, 0)})
