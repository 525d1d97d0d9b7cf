"""What a page tells or asks for, from its beginning on, so that no number is asked for twice, and
what would lead to an answer: copies of it, and what is made of it number by number."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Set
from decimal import Decimal

from attncli.arithmetic.expression import INNER, Location, Number
from attncli.arithmetic.operations.indexed import Indexed
from attncli.arithmetic.operations.masking import Seen
from attncli.arithmetic.operations.moved import Moved
from attncli.arithmetic.operations.norms import ColumnMean
from attncli.arithmetic.operations.recurrent import OfMemory, One, Zeros
from attncli.arithmetic.operations.texts import is_a
from attncli.document import Block, parts_of
from attncli.tables import MatrixBlock
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
            ruled = self.again and is_ruled(self.trace, name)
            said[name] = not ruled and is_said(self.trace, name)
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
    """The cell that a cell is a copy of, however often it was copied; else itself."""
    name = cell.quantity
    if name not in trace or not _is_moved(trace, name):
        return cell
    definition = trace[name].definition
    assert definition is not None
    known = copied_cell(trace, definition, cell.row, cell.column)
    return cell if known is None else source_of(trace, known)


def copied_cell(trace: Trace, definition: Definition, row: int, column: int) -> Location | None:
    """The cell whose number stands again in a cell that an operation makes, if one does."""
    if is_of_one(trace, definition):
        return Location(definition.operands[0], 0, 0)
    form = definition.operation.cell(row, column, *trace.operands(definition))[0]
    return form.cell if isinstance(form, Number) else None


def is_of_one(trace: Trace, definition: Definition) -> bool:
    """Whether a mean is that of a single number: that number again."""
    mean = is_a(definition.operation, ColumnMean)
    return mean and trace[definition.operands[0]].matrix.shape == (1, 1)


def _is_moved(trace: Trace, name: str) -> bool:
    """Whether a quantity's numbers are those of others, put elsewhere."""
    definition = trace[name].definition
    return definition is not None and (_moves(definition) or is_of_one(trace, definition))


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


def is_ruled(trace: Trace, name: str) -> bool:
    """Whether a quantity holds what its formula says without any number: which keys are seen, the 1
    with which the way back begins. To write that down is no work."""
    definition = trace[name].definition if name in trace else None
    return definition is not None and isinstance(definition.operation, Seen | One)


def is_said(trace: Trace, name: str) -> bool:
    """Whether a section says what a quantity is: an empty memory, or its product, in its words;
    what is ruled in its formula."""
    definition = trace[name].definition
    if definition is None or is_ruled(trace, name):
        return definition is not None
    match definition.operation:
        case Indexed() if is_a(definition.operation, Zeros):
            return True
        case OfMemory() as operation:
            return operation.is_nothing(*trace.operands(definition))
        case _:
            return False


def telling(trace: Trace, names: Collection[str]) -> set[str]:
    """The quantities of these names, and all that is made of them number by number, by a copy,
    a division, an addition: from those they can be read. What adds several numbers up, as a
    product of matrices does, keeps them to itself."""
    found = set(names)
    for definition in trace.plan:
        if (
            definition.name in trace
            and not found.isdisjoint(definition.operands)
            and _keeps(definition)
        ):
            found.add(definition.name)
    return found


def _keeps(definition: Definition) -> bool:
    """Whether each number that goes in can be told by one that comes out."""
    if definition.operation.copies:
        return True
    signature = definition.operation.sides
    left = {letter for side in signature.result for letter, _ in side.letters}
    return all(
        letter in left
        for sides in signature.operands
        for side in sides
        for letter, _ in side.letters
    )


def with_copies(trace: Trace, cells: Set[Location], whole: Collection[str]) -> frozenset[Location]:
    """Cells with all cells that only copy them; those of `whole` quantities are hidden anyway."""
    found = set(cells)
    names = {cell.quantity for cell in cells}
    for definition in trace.plan:
        if (
            definition.name not in trace
            or definition.name in whole
            or names.isdisjoint(definition.operands)
        ):
            continue
        copies = _copies(trace, definition, found)
        found |= copies
        names |= {definition.name} if copies else set()
    return frozenset(found)


def _copies(trace: Trace, definition: Definition, cells: Set[Location]) -> set[Location]:
    """The cells of a quantity that copy some of these."""
    rows, columns = trace[definition.name].matrix.shape
    if copied_cell(trace, definition, 0, 0) is None and not definition.operation.copies:
        return set()
    every = (Location(definition.name, i, j) for i in range(rows) for j in range(columns))
    return {cell for cell in every if copied_cell(trace, definition, *cell[1:]) in cells}


_TELLING = 3
"""A number of so many digits hardly comes about twice by chance; 0, 1 or 0.5 do."""


def is_telling(number: Number) -> bool:
    """Whether a number can be told from others by its digits."""
    return number.shown.is_finite() and len(number.shown.as_tuple().digits) >= _TELLING


def like(number: Number) -> Decimal:
    """What a number has in common with those that give it away: its size."""
    return abs(number.shown)


def numbers_shown(blocks: Iterable[Block]) -> set[Decimal]:
    """The sizes of all numbers in the tables and lines of some blocks."""
    return {like(number) for block in blocks for number in _of_block(block)}


def _of_block(block: Block) -> Iterator[Number]:
    yield from parts_of(block, Number)
    for table in parts_of(block, MatrixBlock):
        cells = (table.entry(i, j) for i in table.rows for j in range(table.matrix.shape[1]))
        yield from (cell for cell in cells if isinstance(cell, Number))
