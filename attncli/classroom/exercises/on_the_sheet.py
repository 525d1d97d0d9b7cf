"""The numbers that a sheet gives to work with, and the mistakes that can be made of these."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from attncli.document.blocks import Block, parts_of
from attncli.document.tables import MatrixBlock
from attncli.maths.equations.tree import INNER, Location, Number, numbers_in
from attncli.trace import PlannedStep, Trace


def cells_on(blocks: Iterable[Block]) -> Iterator[Location]:
    """Yields the cells that stand in the tables and lines of some blocks, shown or asked for."""
    for block in blocks:
        for table in parts_of(block, MatrixBlock):
            columns = range(table.matrix.shape[1])
            yield from (Location(table.quantity, i, j) for i in table.rows for j in columns)
        for number in parts_of(block, Number):
            if number.cell is not None and number.cell is not INNER:
                yield number.cell


def sources_of(trace: Trace, cell: Location) -> list[Location]:
    """Returns the cells that a cell is worked from, and none for a given one."""
    definition = trace[cell.quantity].definition
    if definition is None:
        return []
    form = definition.operation.first_form(cell.row, cell.column, *trace.operands(definition))
    cells = (number.cell for number in numbers_in(form))
    return [c for c in cells if c is not None and c is not INNER and c.quantity in trace]


def worked_from(trace: Trace, own: Collection[str], cells: Iterable[Location]) -> set[Location]:
    """Returns some cells with those that they are worked from, up to the first that aren't of a
    part's own quantities."""
    waiting, found = [*cells], set[Location]()
    while waiting:
        cell = waiting.pop()
        if cell not in found:
            found.add(cell)
            waiting += sources_of(trace, cell) if cell.quantity in own else ()
    return found


@dataclass(frozen=True, eq=False)
class SheetCells:
    """The cells that whoever works a sheet has: those that stand on it, and those that the right
    working of what is asked comes to on its way."""

    trace: Trace
    cells: frozenset[Location]
    _whole: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, trace: Trace, blocks: Iterable[Block], asked: Iterable[Location]) -> SheetCells:
        """Finds the cells of a sheet with some blocks, on which some cells are asked for."""
        there, waiting = set(cells_on(blocks)), [*asked]
        shown = there - {*waiting}
        while waiting:
            cell = waiting.pop()
            there.add(cell)
            waiting += (c for c in sources_of(trace, cell) if c not in there and c not in shown)
        return cls(trace, frozenset(there))

    def has_all(self, name: str) -> bool:
        """Tells whether a whole quantity is there."""
        if name not in self._whole:
            rows, columns = self.trace[name].matrix.shape
            every = (Location(name, i, j) for i in range(rows) for j in range(columns))
            self._whole[name] = all(cell in self.cells for cell in every)
        return self._whole[name]

    def allows(self, wrong: Trace, part: PlannedStep, cell: Location) -> bool:
        """Tells whether what a mistake gives for a cell of a part can be worked: from what is
        there, from what the mistake makes, and from what else the part makes."""
        return self._allows(wrong, {d.name for d in part.definitions}, cell, {})

    def _allows(
        self, wrong: Trace, made: set[str], cell: Location, known: dict[Location, bool]
    ) -> bool:
        if cell not in known:
            name = cell.quantity
            if wrong[name] is self.trace[name] and (cell in self.cells or name not in made):
                known[cell] = cell in self.cells
            else:
                known[cell] = self._has_operands(wrong, name) or all(
                    self._allows(wrong, made, source, known) for source in sources_of(wrong, cell)
                )
        return known[cell]

    def _has_operands(self, wrong: Trace, name: str) -> bool:
        """Tells whether all operands of a quantity are there, and as they should be. To look at
        tables is faster than at each cell."""
        definition = wrong[name].definition
        operands = () if definition is None else definition.operands
        return all(wrong[o] is self.trace[o] and self.has_all(o) for o in operands)
