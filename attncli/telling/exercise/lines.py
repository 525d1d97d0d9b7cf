"""Asking for numbers in lines of working."""

from __future__ import annotations

from collections.abc import Sequence

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
from attncli.records import NamedTuple
from attncli.trace import Trace
from attncli.word import raw


class Blankable(NamedTuple):
    """A number that can be asked for. `cell` is that of a result, None for a term; `quantity` is
    what the line or table tells, and `inside` which cell or row of it; `term` counts those of a
    line, from 1."""

    quantity: Name
    inside: str
    number: Number
    cell: Location | None
    term: int = 0

    @property
    def line(self) -> str:
        """What its line or table works out."""
        return self.quantity + self.inside

    @property
    def id(self) -> str:
        return f"{self.line}.working[{self.term}]" if self.term else self.line

    def seen_from(self, path: Name) -> str:
        """Its id, as it is called at a path."""
        return self._replace(quantity=self.quantity.seen_from(path)).id


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


class LineAsker(NamedTuple):
    """Asks in the lines of a section that stands at a path; of terms too where `terms` says so."""

    trace: Trace
    path: Name
    asked: Asked
    terms: bool

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
        asks = any(self.asked.hides(place.cell) for place in results)
        told, places = self.forms([f for _, f in forms], line, asks=asks)
        kept = [f for f in told if f is not None and not (asks and isinstance(f, Number))]
        parts = (*(("=", form) for form in kept), (relation, self.blanked(result, line.quantity)))
        return line._replace(parts=parts), [*places, *results]

    def addition(self, block: Addition) -> tuple[Block, list[Blankable]]:
        """A column addition; as one line where what is hidden leaves no columns to write."""
        results = self.result_places(block.total, block.quantity)
        total = self.blanked(block.total, block.quantity)
        asks = any(self.asked.hides(place.cell) for place in results)
        known = [addend for addend in block.addends if not isinstance(addend, Omitted)]
        forms = [form for addend in known for form in addend]
        told, places = self.forms(forms, block, asks=asks)
        pairs = iter(zip(told[::2], told[1::2], strict=True))
        addends = [a if isinstance(a, Omitted) else next(pairs) for a in block.addends]
        return _added(block, addends, total), [*places, *results]

    def result_places(self, result: Expression, quantity: str) -> list[Blankable]:
        """The numbers of a result, which are cells of a quantity."""
        numbers = (number for number in numbers_in(result) if number.cell is not None)
        return [self.result_place(number, quantity) for number in numbers]

    def result_place(self, number: Number, quantity: str) -> Blankable:
        cell = number.cell
        assert cell is not None
        whole = self.trace[quantity]
        return Blankable(whole.name, whole.inside(cell.row, cell.column), number, cell)

    def blanked(self, result: Expression, quantity: str) -> Expression:
        """A result with blanks in the place of what is asked, rules for copies of that."""

        def change(number: Number) -> Expression | None:
            if number.cell is None:
                return None
            place = self.result_place(number, quantity)
            if self.asked.asks(place):
                return Blank(place.id, number)
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
            if self.terms and _repeats(form, forms[k + 1 :]):
                told.append(None)
                continue
            new = self.form(form, places, line)
            told.append(_without_inner(new) if hidden or asks else new)
        return told, places

    def form(self, form: Expression, places: list[Blankable], line: Line | Addition) -> Expression:
        """A form of a line with blanks and names in place of numbers; its terms go to `places`."""
        name, inside = self.trace[line.quantity].name, inside_of(line)

        def change(node: Expression) -> Expression | None:
            if isinstance(node, Vector) and not self.terms:
                return self.row_by_name(node)
            if not isinstance(node, Number) or node.cell is None:
                return None
            if self.terms:
                place = Blankable(name, inside, node, None, len(places) + 1)
                places.append(place)
                if self.asked.asks(place):
                    return Blank(place.id, node)
            return self.by_name(node.cell) if self.asked.hides(node.cell) else node

        return rewritten(form, change)

    def by_name(self, cell: Location) -> Symbol:
        """A hidden number by its name: `exp[love, AI]`."""
        quantity = self.trace[cell.quantity]
        indices = quantity.indices(cell.row, cell.column)
        if quantity.rows.names == ("",):  # a vector, whose only row has no name
            indices = indices[1:]
        return Symbol(quantity.name.seen_from(self.path), indices)

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
