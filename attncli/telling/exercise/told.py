"""What a page tells or asks for, from its beginning on, so that no number is asked for twice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from attncli.arithmetic.expression import INNER, Location, Number
from attncli.arithmetic.operations.columns import Zeros
from attncli.arithmetic.operations.moved import Moved
from attncli.arithmetic.operations.recurrent import OfMemory

if TYPE_CHECKING:
    from attncli.trace import Definition, Trace


class ToldCells:
    """The cells that a page has told or asked for so far, a copy as what it copies. `again` says
    that copies may be asked for all the same."""

    def __init__(self, trace: Trace, *, again: bool = False) -> None:
        self.trace, self.again = trace, again
        self._cells: set[Location] = set()
        self._said: dict[str, bool] = {}
        self._moved: dict[str, bool] = {}
        self._terms: dict[Location, str] = {}

    def add(self, cells: Iterable[Location]) -> None:
        self._cells.update(map(self.source, cells))

    def source(self, cell: Location) -> Location:
        """The cell that a cell is a copy of, however often it was copied; else itself."""
        name, moved = cell.quantity, self._moved
        if name not in moved:
            moved[name] = name in self.trace and _is_moved(self.trace, name)
        return source_of(self.trace, cell) if moved[name] else cell

    def has(self, cell: Location) -> bool:
        """Whether a cell needs no asking: it is told, asked for before, or goes without saying."""
        name, said = cell.quantity, self._said
        if name not in said:
            said[name] = is_said(self.trace, name)
        return said[name] or (not self.again and self.source(cell) in self._cells)

    def term(self, cell: Location) -> str:
        """What lines before did with a cell for a term of theirs: `told` or `asked`; nothing for
        what no line had, and for what lines come to on their way."""
        if cell is INNER:
            return ""
        source = self.source(cell)
        before = self._terms.get(source, "")
        self._terms.setdefault(source, "told")
        return before

    def ask_for_term(self, cell: Location) -> None:
        self._terms[self.source(cell)] = "asked"


def source_of(trace: Trace, cell: Location) -> Location:
    definition = trace[cell.quantity].definition if cell.quantity in trace else None
    if definition is None or not _moves(definition):
        return cell
    operands = trace.operands(definition)
    copied = definition.operation.cell(cell.row, cell.column, *operands)[0]
    known = copied.cell if isinstance(copied, Number) else None
    return cell if known is None else source_of(trace, known)


def _is_moved(trace: Trace, name: str) -> bool:
    """Whether a quantity's numbers are those of others, put elsewhere."""
    definition = trace[name].definition
    return definition is not None and _moves(definition)


def _moves(definition: Definition) -> bool:
    """Whether numbers are only put elsewhere, without any choice among them."""
    return definition.operation.copies and isinstance(definition.operation, Moved)


def without_copies(definitions: Iterable[Definition]) -> set[str]:
    """The names of what is made, but for copies of what isn't made here."""
    made: set[str] = set()
    for definition in definitions:
        if not _moves(definition) or not made.isdisjoint(definition.operands):
            made.add(definition.name)
    return made


def is_said(trace: Trace, name: str) -> bool:
    """Whether the words of a section say what a quantity is: an empty memory, or its product."""
    definition = trace[name].definition
    if definition is None:
        return False
    match definition.operation:
        case Zeros():
            return True
        case OfMemory() as operation:
            return operation.is_nothing(*trace.operands(definition))
        case _:
            return False
