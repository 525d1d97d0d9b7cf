"""Blanks in lines of working, none for a number that is asked for or given away elsewhere.

What a page tells or asks for is known from its beginning on, and so is what would lead to an
answer: copies of it, and what is made of it number by number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from decimal import Decimal
from typing import NamedTuple

from attncli.document.blocks import Block, ColumnSum, Derivation, Line, parts_of
from attncli.document.tables import MatrixBlock
from attncli.maths.equations.tree import (
    INNER,
    Blank,
    Expression,
    Location,
    Number,
    Omitted,
    Product,
    Sum,
    Symbol,
    Vector,
    blanks_in,
    numbers_in,
    rewritten,
    with_each,
)
from attncli.maths.operations.equation import Indexed, is_a
from attncli.maths.operations.masking import Masked, Seen
from attncli.maths.operations.norms import ColumnMean
from attncli.maths.operations.operation import One
from attncli.maths.operations.rearranging import Moved, TakeRows
from attncli.maths.operations.recurrent import OfMemory, ZeroRow, Zeros
from attncli.maths.operations.written import Condition
from attncli.names import Name, raw
from attncli.trace import Definition, Trace


class ShownCells:
    """A record of the cells that a page has told or asked for so far. A copy counts as what it
    copies."""

    def __init__(self, trace: Trace, *, again: bool = False) -> None:
        """Begins with no cells. With `again`, copies may be asked for all the same."""
        self.trace, self.again = trace, again
        self._cells: set[Location] = set()
        self._said: dict[str, bool] = {}
        self._moved: dict[str, bool] = {}
        self._terms: dict[Location, str] = {}

    def add(self, cells: Iterable[Location]) -> None:
        self._cells.update(map(self.source, cells))

    def source(self, cell: Location) -> Location:
        """Finds the cell that a cell is a copy of, however often it was copied. Returns a cell that
        is no copy itself."""
        name, moved = cell.quantity, self._moved
        if name not in moved:
            moved[name] = name in self.trace and _is_moved(self.trace, name)
        return source_of(self.trace, cell) if moved[name] else cell

    def has(self, cell: Location) -> bool:
        """Tells whether a cell needs no asking: it is told, asked for before, or goes without
        saying."""
        name, by_name = cell.quantity, self._said
        if name not in by_name:
            ruled = self.again and is_ruled(self.trace, name)
            by_name[name] = not ruled and is_in_words(self.trace, name)
        return by_name[name] or (not self.again and self.source(cell) in self._cells)

    def term(self, cell: Location) -> str:
        """Returns what lines before did with a cell as one of their terms: `told` or `asked`, and
        an empty text for what no line had, or for a number that a line comes to on its way."""
        if cell is INNER:
            return ""
        source = self.source(cell)
        before = self._terms.get(source, "")
        self._terms.setdefault(source, "told")
        return before

    def ask_for_term(self, cell: Location) -> None:
        self._terms[self.source(cell)] = "asked"


def source_of(trace: Trace, cell: Location) -> Location:
    """Finds the cell that a cell is a copy of, however often it was copied. Returns a cell that is
    no copy itself."""
    name = cell.quantity
    if name not in trace or not _is_moved(trace, name):
        return cell
    definition = trace[name].definition
    assert definition is not None
    known = copied_cell(trace, definition, cell.row, cell.column)
    return cell if known is None else source_of(trace, known)


def copied_cell(trace: Trace, definition: Definition, row: int, column: int) -> Location | None:
    """Finds the cell whose number stands again in a cell that an operation makes. Returns None
    where none does."""
    if is_of_one(trace, definition):
        return Location(definition.operands[0], 0, 0)
    form = definition.operation.cell(row, column, *trace.operands(definition))[0]
    return form.cell if isinstance(form, Number) else None


def is_of_one(trace: Trace, definition: Definition) -> bool:
    """Tells whether a mean is that of a single number: that number again."""
    mean = is_a(definition.operation, ColumnMean)
    return mean and trace[definition.operands[0]].matrix.shape == (1, 1)


def _is_moved(trace: Trace, name: str) -> bool:
    """Tells whether a quantity's numbers are those of others, put elsewhere."""
    definition = trace[name].definition
    return definition is not None and (moves(definition) or is_of_one(trace, definition))


def moves(definition: Definition) -> bool:
    """Tells whether numbers are only put elsewhere, without any choice among them."""
    return definition.operation.copies and isinstance(definition.operation, Moved)


def without_copies(definitions: Iterable[Definition], *, looked_up: bool = True) -> set[str]:
    """Returns the names of what is made, but for copies of what isn't made here; with what is
    `looked_up` in a table, which is written down again too, or without it."""
    made: set[str] = set()
    for definition in definitions:
        is_looked_up = isinstance(definition.operation, TakeRows) and not looked_up
        if not (moves(definition) or is_looked_up) or not made.isdisjoint(definition.operands):
            made.add(definition.name)
    return made


def is_ruled(trace: Trace, name: str) -> bool:
    """Tells whether a quantity holds what its formula says without any number: which keys are seen,
    what is left of a scenario's own where a condition is met, or the 1 with which the backward pass
    begins. To write that down is no work."""
    definition = trace[name].definition if name in trace else None
    if definition is None:
        return False
    part = trace.part_of(name) if isinstance(definition.operation, Masked) else None
    own = part is not None and bool(part.place.called)
    return own or isinstance(definition.operation, Seen | One | Condition)


def is_in_words(trace: Trace, name: str) -> bool:
    """Tells whether a section says in its words what a quantity is, an empty memory or its product,
    or the formula rules it."""
    definition = trace[name].definition
    if definition is None or is_ruled(trace, name):
        return definition is not None
    match definition.operation:
        case Indexed() if is_a(definition.operation, Zeros, ZeroRow):
            return True
        case OfMemory() as operation:
            return operation.is_nothing(*trace.operands(definition))
        case _:
            return False


def revealing(trace: Trace, names: Collection[str]) -> set[str]:
    """Returns the quantities of these names, and all that is made of them number by number, by a
    copy, a division or an addition, from which they can be read. What adds several numbers up, as a
    product of matrices does, keeps them to itself."""
    found = set(names)
    for definition in trace.plan:
        if (
            definition.name in trace
            and not found.isdisjoint(definition.operands)
            and keeps_each(definition)
        ):
            found.add(definition.name)
    return found


def keeps_each(definition: Definition) -> bool:
    """Tells whether each number that goes in can be told by one that comes out."""
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
    """Returns cells with all cells that only copy them. Those of `whole` quantities are hidden
    anyway."""
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
    """Returns the cells of a quantity that copy some of these."""
    rows, columns = trace[definition.name].matrix.shape
    if copied_cell(trace, definition, 0, 0) is None and not definition.operation.copies:
        return set()
    every = (Location(definition.name, i, j) for i in range(rows) for j in range(columns))
    return {cell for cell in every if copied_cell(trace, definition, *cell.indices) in cells}


_TELLING = 3
"""A number of so many digits hardly comes about twice by chance; 0, 1 or 0.5 do."""


def is_distinctive(number: Number) -> bool:
    """Tells whether a number can be told from others by its digits."""
    return number.shown.is_finite() and len(number.shown.as_tuple().digits) >= _TELLING


def like(number: Number) -> Decimal:
    """Returns what a number has in common with those that give it away: its size."""
    return abs(number.shown)


def numbers_shown(blocks: Iterable[Block]) -> set[Decimal]:
    """Returns the sizes of all numbers in the tables and lines of some blocks."""
    return {like(number) for block in blocks for number in _of_block(block)}


def _of_block(block: Block) -> Iterator[Number]:
    yield from parts_of(block, Number)
    for table in parts_of(block, MatrixBlock):
        cells = (table.entry(i, j) for i in table.rows for j in range(table.matrix.shape[1]))
        yield from (cell for cell in cells if isinstance(cell, Number))


class Blankable(NamedTuple):
    """A number that can be asked for."""

    id: str
    quantity: Name
    """The quantity that the line or table tells."""
    inside: str
    """The cell or row of it that is told."""
    number: Number
    cell: Location | None
    """The cell of a result, and None for a term of a line."""
    term: int = 0
    """The number of a term in its line, from 1."""
    again: str = ""
    """What the page does with the term elsewhere: `told` or `asked`."""

    @property
    def line(self) -> str:
        """Returns what its line or table works out."""
        return self.quantity + self.inside

    def is_of(self, cells: Set[Location]) -> bool:
        """Tells whether it is one of some cells, or a term of a line that is one of them."""
        return (self.number.cell if self.cell is None else self.cell) in cells

    def seen_from(self, path: Name) -> str:
        """Returns its id, as it is called at a path."""
        return self.quantity.seen_from(path) + self.id[len(self.quantity) :]


class Asked(NamedTuple):
    """A choice of what is asked for, and what may therefore not be told."""

    ids: frozenset[str] | None = frozenset()
    """The ids that are asked for, and None where all that can be asked for is."""
    cells: frozenset[Location] = frozenset()
    """Single cells that may not be told."""
    quantities: frozenset[str] = frozenset()
    """Whole quantities that may not be told."""
    copied: frozenset[str] = frozenset()
    """Those that are only written down again, which aren't asked for with all others."""
    settled: frozenset[Location] = frozenset()
    """Single cells that are given, whatever is asked of their quantities."""
    by_formula: frozenset[str] = frozenset()
    """Quantities some cells of which follow from what is asked, and are told by formulas."""

    def asks(self, place: Blankable) -> bool:
        """Tells whether a place is asked for."""
        if self.ids is None:
            return place.quantity not in self.copied and not place.is_of(self.settled)
        return place.id in self.ids

    def hides(self, cell: Location | None) -> bool:
        """Tells whether a cell may not be told."""
        if cell is None or cell in self.settled:
            return False
        return cell in self.cells or cell.quantity in self.quantities


class Terms(NamedTuple):
    """A choice of numbers inside lines that may be asked for, each once."""

    inner: bool = False
    """Whether these are what a line comes to on its way."""
    copied: bool = False
    """Whether these are what a line has from elsewhere."""
    ruled: bool = False
    """Whether those from elsewhere are to be filled in, for no points, in a line that asks for its
    result."""


class LineAsker(NamedTuple):
    """An asker for the lines of a section."""

    trace: Trace
    path: Name
    """The path at which the section stands."""
    asked: Asked
    known: ShownCells
    """What the page tells or asks for so far."""
    terms: Terms = Terms()

    def working(self, block: Derivation) -> tuple[Derivation, list[Blankable]]:
        lines: list[Line | Omitted] = []
        places: list[Blankable] = []
        for line in block.lines:
            blanked, new = (line, []) if isinstance(line, Omitted) else self.line(line)
            lines.append(blanked)
            places += new
        return Derivation(tuple(lines)), places

    def line(self, line: Line) -> tuple[Line, list[Blankable]]:
        *forms, (relation, result) = line.parts
        results = self.result_places(result, line.quantity)
        asks = self.hides(result)
        expressions, places = self.forms([f for _, f in forms], line, asks=asks)
        kept = [f for f in expressions if f is not None and not (asks and isinstance(f, Number))]
        parts = (*(("=", form) for form in kept), (relation, self.blanked(result, results)))
        return line._replace(parts=parts), [*places, *results]

    def addition(self, block: ColumnSum) -> tuple[Block, list[Blankable]]:
        """Asks in a column addition. Returns it as one line where what is hidden leaves no columns
        to write."""
        results = self.result_places(block.total, block.quantity)
        total = self.blanked(block.total, results)
        asks = self.hides(block.total)
        known = [addend for addend in block.addends if not isinstance(addend, Omitted)]
        forms = [form for addend in known for form in addend]
        expressions, places = self.forms(forms, block, asks=asks)
        pairs = iter(zip(expressions[::2], expressions[1::2], strict=True))
        addends = [a if isinstance(a, Omitted) else next(pairs) for a in block.addends]
        return _added(block, addends, total), [*places, *results]

    def result_places(self, result: Expression, quantity: str) -> list[Blankable]:
        """Returns the numbers of a result that may be asked for: cells of a quantity, not told
        before."""
        cells = [(n, n.cell) for n in numbers_in(result) if n.cell is not None]
        new = [number for number, cell in cells if not self.known.has(cell)]
        self.known.add(cell for _, cell in cells)
        return [self.result_place(number, quantity) for number in new]

    def hides(self, result: Expression) -> bool:
        """Tells whether some number of a result may not be told."""
        return any(self.asked.hides(number.cell) for number in numbers_in(result))

    def result_place(self, number: Number, quantity: str) -> Blankable:
        cell = number.cell
        assert cell is not None
        whole = self.trace[quantity]
        inside = whole.inside(cell.row, cell.column)
        return Blankable(whole.name + inside, whole.name, inside, number, cell)

    def blanked(self, result: Expression, places: Sequence[Blankable]) -> Expression:
        """Returns a result with blanks in place of the numbers that are asked for, and rules in
        place of copies of these."""
        asked = {place.cell: place.id for place in places if self.asked.asks(place)}

        def change(number: Number) -> Expression | None:
            if number.cell in asked:
                return Blank(asked[number.cell], number)
            return Blank("") if self.asked.hides(number.cell) else None

        return with_each(result, Number, change)

    def forms(
        self, forms: Sequence[Expression], line: Line | ColumnSum, *, asks: bool
    ) -> tuple[list[Expression | None], list[Blankable]]:
        """Returns the forms of a line as they may be told, and the places of their terms.

        None stands for a form that is left out: where terms can be asked for, one that only repeats
        those of a later form; and what a line comes to on its way where that would give away what
        is hidden, or what the line itself `asks` for.
        """
        hidden = any(self.asked.hides(n.cell) for form in forms for n in numbers_in(form))
        places: list[Blankable] = []
        expressions: list[Expression | None] = []
        for k, form in enumerate(forms):
            if self.terms.inner and _repeats(form, forms[k + 1 :]):
                expressions.append(None)
                continue
            new = self.form(form, places, line, asks=asks)
            expressions.append(_without_inner(new) if hidden or asks else new)
        return expressions, [place for place in places if self.may_ask(place)]

    def may_ask(self, place: Blankable) -> bool:
        """Tells whether a term may be asked for."""
        return place.number.cell is INNER or (self.terms.copied and not place.again)

    def form(
        self, form: Expression, places: list[Blankable], line: Line | ColumnSum, *, asks: bool
    ) -> Expression:
        """Forms a part of a line with blanks and names in place of numbers. Adds its terms to
        `places`."""
        name, inside = self.trace[line.quantity].name, inside_of(line)

        def change(node: Expression) -> Expression | None:
            if isinstance(node, Vector) and not self.terms.inner:
                return self.row_by_name(node)
            if not isinstance(node, Number) or node.cell is None:
                return None
            if self.is_counted(node.cell):
                return node
            if self.terms.inner:
                again, k = self.known.term(node.cell), len(places) + 1
                id_ = f"{name}{inside}.working[{k}]"
                place = Blankable(id_, name, inside, node, None, k, again)
                places.append(place)
                if self.may_ask(place) and self.asked.asks(place):
                    self.known.ask_for_term(node.cell)
                    return Blank(place.id, node)
                if again == "asked" or (self.terms.ruled and asks):
                    return Blank("")
            return self.by_name(node.cell) if self.asked.hides(node.cell) else node

        return rewritten(form, change)

    def is_counted(self, cell: Location) -> bool:
        """Tells whether a number only counts the places along a side."""
        quantity = self.trace.quantities.get(cell.quantity)
        made = None if quantity is None else quantity.definition
        return made is not None and made.operation.untold

    def by_name(self, cell: Location) -> Symbol:
        """Returns a hidden number by its name: `exp[love, AI]`."""
        quantity = self.trace[cell.quantity]
        return quantity.symbol(cell.row, cell.column, quantity.name.seen_from(self.path))

    def row_by_name(self, vector: Vector) -> Symbol | None:
        """Returns a vector that is a row of a hidden quantity by its name, `Q[love]`, and None for
        any other."""
        cells = [entry.cell for entry in vector.entries if isinstance(entry, Number)]
        known = [cell for cell in cells if cell is not None and self.asked.hides(cell)]
        if not known or len(known) < len(cells) or len({cell[:2] for cell in known}) > 1:
            return None
        quantity = self.trace[known[0].quantity]
        name = quantity.name.seen_from(self.path)
        return Symbol(name, quantity.indices(known[0].row))


def inside_of(line: Line | ColumnSum) -> str:
    """Returns which cell or row of its quantity a line works out: `[love, AI]`."""
    return f"[{', '.join(map(raw, line.label.indices))}]" if line.label.indices else ""


Pair = tuple[Expression | None, Expression | None]


def _added(block: ColumnSum, addends: Sequence[Pair | Omitted], total: Expression) -> Block:
    """Returns the addition in columns, where each addend still is a product and its vector, and as
    one line otherwise. Beside vectors with blanks, others that are left out become rules."""
    values = [a[1] for a in addends if not isinstance(a, Omitted) and a[1] is not None]
    rules = _rules(block.total) if any(any(blanks_in(value)) for value in values) else None
    columns: list[tuple[Product, Vector] | Omitted] = []
    for addend in addends:
        if isinstance(addend, Omitted):
            columns.append(addend)
            continue
        product, value = addend[0], addend[1] or rules
        if isinstance(product, Product) and isinstance(value, Vector):
            columns.append((product, value))
    if isinstance(total, Vector) and len(columns) == len(addends):
        return block._replace(addends=tuple(columns), total=total)
    terms = [a if isinstance(a, Omitted) else a[0] for a in addends]
    added = Sum(tuple(term for term in terms if term is not None))
    return Derivation((Line(block.label, (("=", added), (block.relation, total)), block.quantity),))


def _rules(vector: Vector) -> Vector:
    """Returns a vector of rules that nobody asks for."""
    return Vector(tuple(x if isinstance(x, Omitted) else Blank("") for x in vector.entries))


def _without_inner(form: Expression) -> Expression | None:
    """Returns a form without the numbers that its line comes to on its way. Beside blanks, rules
    stand for them that nobody asks for. Returns None for a form without any blank, where nothing is
    left to show."""
    if not any(number.cell is INNER for number in numbers_in(form)):
        return form
    if not any(blanks_in(form)):
        return None
    return with_each(form, Number, lambda n: Blank("") if n.cell is INNER else None)


def _repeats(form: Expression, later: Sequence[Expression]) -> bool:
    """Tells whether all numbers of a form come again in one later form."""
    cells = {number.cell for number in numbers_in(form)} - {None}
    if not cells or INNER in cells:
        return False
    return any(cells <= {number.cell for number in numbers_in(other)} for other in later)
