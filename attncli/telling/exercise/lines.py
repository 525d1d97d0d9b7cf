"""Asking for numbers in lines of working."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from attncli.arithmetic.expression import (
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
from attncli.document import Addition, Block, Line, Working
from attncli.name import Name
from attncli.telling.exercise.told import ToldCells
from attncli.trace import Trace
from attncli.word import raw


class Blankable(NamedTuple):
    """A number that can be asked for, by its `id`. `cell` is that of a result, None for a term;
    `quantity` is what the line or table tells, and `inside` which cell or row of it; `term` counts
    those of a line, from 1, and `again` says of one that the page has it elsewhere: `told` or
    `asked`."""

    id: str
    quantity: Name
    inside: str
    number: Number
    cell: Location | None
    term: int = 0
    again: str = ""

    @classmethod
    def term_of(
        cls, quantity: Name, inside: str, number: Number, term: int, again: str
    ) -> Blankable:
        """A number inside a line."""
        id_ = f"{quantity}{inside}.working[{term}]"
        return cls(id_, quantity, inside, number, None, term, again)

    @property
    def line(self) -> str:
        """What its line or table works out."""
        return self.quantity + self.inside

    def seen_from(self, path: Name) -> str:
        """Its id, as it is called at a path."""
        return self.quantity.seen_from(path) + self.id[len(self.quantity) :]


class Asked(NamedTuple):
    """What is asked for, by ids, and what may therefore not be told: single cells, and whole
    quantities. Without ids, all that can be asked for is."""

    ids: frozenset[str] | None = frozenset()
    cells: frozenset[Location] = frozenset()
    quantities: frozenset[str] = frozenset()

    def asks(self, place: Blankable) -> bool:
        """Whether a place is asked for."""
        return self.ids is None or place.id in self.ids

    def hides(self, cell: Location | None) -> bool:
        return cell is not None and (cell in self.cells or cell.quantity in self.quantities)


class Terms(NamedTuple):
    """Which numbers inside lines may be asked for: what a line comes to on its way (`inner`), what
    it has from elsewhere (`copied`), each once. `ruled` are those from elsewhere in a line that
    asks for its result: they are to be filled in, for no points."""

    inner: bool = False
    copied: bool = False
    ruled: bool = False


class LineAsker(NamedTuple):
    """Asks in the lines of a section that stands at a path; `told` is what the page tells or asks
    for so far."""

    trace: Trace
    path: Name
    asked: Asked
    told: ToldCells
    terms: Terms = Terms()

    def working(self, block: Working) -> tuple[Working, list[Blankable]]:
        lines: list[Line | Omitted] = []
        places: list[Blankable] = []
        for line in block.lines:
            told, new = (line, []) if isinstance(line, Omitted) else self.line(line)
            lines.append(told)
            places += new
        return Working(tuple(lines)), places

    def line(self, line: Line) -> tuple[Line, list[Blankable]]:
        *forms, (relation, result) = line.parts
        results = self.result_places(result, line.quantity)
        asks = self.hides(result)
        told, places = self.forms([f for _, f in forms], line, asks=asks)
        kept = [f for f in told if f is not None and not (asks and isinstance(f, Number))]
        parts = (*(("=", form) for form in kept), (relation, self.blanked(result, results)))
        return line._replace(parts=parts), [*places, *results]

    def addition(self, block: Addition) -> tuple[Block, list[Blankable]]:
        """A column addition; as one line where what is hidden leaves no columns to write."""
        results = self.result_places(block.total, block.quantity)
        total = self.blanked(block.total, results)
        asks = self.hides(block.total)
        known = [addend for addend in block.addends if not isinstance(addend, Omitted)]
        forms = [form for addend in known for form in addend]
        told, places = self.forms(forms, block, asks=asks)
        pairs = iter(zip(told[::2], told[1::2], strict=True))
        addends = [a if isinstance(a, Omitted) else next(pairs) for a in block.addends]
        return _added(block, addends, total), [*places, *results]

    def result_places(self, result: Expression, quantity: str) -> list[Blankable]:
        """The numbers of a result that may be asked for: cells of a quantity, not told before."""
        cells = [(n, n.cell) for n in numbers_in(result) if n.cell is not None]
        new = [number for number, cell in cells if not self.told.has(cell)]
        self.told.add(cell for _, cell in cells)
        return [self.result_place(number, quantity) for number in new]

    def hides(self, result: Expression) -> bool:
        """Whether some number of a result may not be told."""
        return any(self.asked.hides(number.cell) for number in numbers_in(result))

    def result_place(self, number: Number, quantity: str) -> Blankable:
        cell = number.cell
        assert cell is not None
        whole = self.trace[quantity]
        inside = whole.inside(cell.row, cell.column)
        return Blankable(whole.name + inside, whole.name, inside, number, cell)

    def blanked(self, result: Expression, places: Sequence[Blankable]) -> Expression:
        """A result with blanks in those of its places that are asked for, rules for copies of
        what is."""
        asked = {place.cell: place.id for place in places if self.asked.asks(place)}

        def change(number: Number) -> Expression | None:
            if number.cell in asked:
                return Blank(asked[number.cell], number)
            return Blank("") if self.asked.hides(number.cell) else None

        return with_each(result, Number, change)

    def forms(
        self, forms: Sequence[Expression], line: Line | Addition, *, asks: bool
    ) -> tuple[list[Expression | None], list[Blankable]]:
        """The forms of a line as they may be told, and the places of their terms.

        None stands for a form that is left out: where terms can be asked for, one that only
        repeats those of a later form; and what a line comes to on its way where that would
        give away what is hidden, or what the line itself `asks` for.
        """
        hidden = any(self.asked.hides(n.cell) for form in forms for n in numbers_in(form))
        places: list[Blankable] = []
        told: list[Expression | None] = []
        for k, form in enumerate(forms):
            if self.terms.inner and _repeats(form, forms[k + 1 :]):
                told.append(None)
                continue
            new = self.form(form, places, line, asks=asks)
            told.append(_without_inner(new) if hidden or asks else new)
        return told, [place for place in places if self.may_ask(place)]

    def may_ask(self, place: Blankable) -> bool:
        """Whether a term may be asked for."""
        return place.number.cell is INNER or (self.terms.copied and not place.again)

    def form(
        self, form: Expression, places: list[Blankable], line: Line | Addition, *, asks: bool
    ) -> Expression:
        """A form of a line with blanks and names in place of numbers; its terms go to `places`."""
        name, inside = self.trace[line.quantity].name, inside_of(line)

        def change(node: Expression) -> Expression | None:
            if isinstance(node, Vector) and not self.terms.inner:
                return self.row_by_name(node)
            if not isinstance(node, Number) or node.cell is None:
                return None
            if self.terms.inner:
                again = self.told.term(node.cell)
                place = Blankable.term_of(name, inside, node, len(places) + 1, again)
                places.append(place)
                if self.may_ask(place) and self.asked.asks(place):
                    self.told.ask_for_term(node.cell)
                    return Blank(place.id, node)
                if again == "asked" or (self.terms.ruled and asks):
                    return Blank("")
            return self.by_name(node.cell) if self.asked.hides(node.cell) else node

        return rewritten(form, change)

    def by_name(self, cell: Location) -> Symbol:
        """A hidden number by its name: `exp[love, AI]`."""
        quantity = self.trace[cell.quantity]
        return quantity.symbol(cell.row, cell.column, quantity.name.seen_from(self.path))

    def row_by_name(self, vector: Vector) -> Symbol | None:
        """A vector that is a row of a hidden quantity, by its name: `Q[love]`."""
        cells = [entry.cell for entry in vector.entries if isinstance(entry, Number)]
        known = [cell for cell in cells if cell is not None and self.asked.hides(cell)]
        if not known or len(known) < len(cells) or len({cell[:2] for cell in known}) > 1:
            return None
        quantity = self.trace[known[0].quantity]
        name = quantity.name.seen_from(self.path)
        return Symbol(name, quantity.indices(known[0].row))


def inside_of(line: Line | Addition) -> str:
    """Which cell or row of its quantity a line works out: `[love, AI]`."""
    return f"[{', '.join(map(raw, line.label.indices))}]" if line.label.indices else ""


Pair = tuple[Expression | None, Expression | None]


def _added(block: Addition, addends: Sequence[Pair | Omitted], total: Expression) -> Block:
    """The addition in columns, where each addend still is a product and its vector. Beside vectors
    with blanks, others that are left out become rules."""
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
    return Working((Line(block.label, (("=", added), (block.relation, total)), block.quantity),))


def _rules(vector: Vector) -> Vector:
    """A vector of rules that nobody asks for."""
    return Vector(tuple(x if isinstance(x, Omitted) else Blank("") for x in vector.entries))


def _without_inner(form: Expression) -> Expression | None:
    """A form without the numbers that its line comes to on its way: beside blanks, rules stand
    for them that nobody asks for; without any blank there is nothing left to show."""
    if not any(number.cell is INNER for number in numbers_in(form)):
        return form
    if not any(blanks_in(form)):
        return None
    return with_each(form, Number, lambda one: Blank("") if one.cell is INNER else None)


def _repeats(form: Expression, later: Sequence[Expression]) -> bool:
    """Whether all numbers of a form come again in one later form."""
    cells = {number.cell for number in numbers_in(form)} - {None}
    if not cells or INNER in cells:
        return False
    return any(cells <= {number.cell for number in numbers_in(other)} for other in later)
