"""The sections of a page that can be worked by itself: each shows what its working starts from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from attncli.classroom.exercises.line_blanks import is_in_words, is_ruled
from attncli.classroom.exercises.on_the_sheet import worked_from
from attncli.document.blocks import (
    Block,
    ColumnSum,
    Derivation,
    Line,
    Paragraph,
    Section,
    each,
    parts_of,
)
from attncli.document.tables import MatrixBlock, SideBySide
from attncli.maths.equations.tree import Location, Symbol
from attncli.names import Name
from attncli.pages.parts.blocks import given_blocks
from attncli.pages.parts.sections import (
    ROUNDED_BY_ITSELF,
    as_met,
    formulas_before,
    one_by_one,
    opening_blocks,
    remarks_on,
    section_of,
    shown_quantities,
    table_together,
)
from attncli.pages.parts.selection import (
    Selection,
    made_by,
    only_for_sizes,
    only_joins,
    operands_of,
    shown_parts,
)
from attncli.pages.parts.working import cell_line, working_of
from attncli.scenario.file.address import Address
from attncli.steps.order import step_of
from attncli.trace import Definition, PlannedStep, Quantity, Trace

Cells = Sequence[tuple[Name, Address]]


class Wanted(NamedTuple):
    """Something that is wanted of a trace: a selection, or single cells."""

    selection: Selection
    cells: Cells = ()
    entry: int = 0
    """The number of the question that it is, if it is one by itself."""


class StepSection(NamedTuple):
    """A section for a part of the story, or for a question about it that stands by itself."""

    part: PlannedStep
    section: Section
    works: tuple[Definition, ...]
    """The definitions whose working it asks for."""
    only_asked: bool = False
    """Whether it is only asked in words, and has just what that starts from."""
    wanted: Wanted = Wanted(Selection())
    """How the part is told, and the cells that alone are told of it."""
    entries: frozenset[int] = frozenset((0,))
    """The numbers of the questions that it asks."""

    def asks(self, part: PlannedStep, entry: int) -> bool:
        """Tells whether it is where the question of a number about a part is asked."""
        return part == self.part and entry in self.entries


def sections_of(
    trace: Trace,
    asks: Sequence[Wanted],
    asked_in_words: Collection[tuple[PlannedStep, int]] = (),
) -> list[StepSection]:
    """Makes a section for each part that is asked about, and of each question that stands by
    itself, its tables one after the other. Where only cells are wanted of a part, its section has
    the lines of these alone. The first part that uses a given cell tells what it makes of it. A
    part that is only asked in words, each with its number, has the tables that it starts from."""
    orders = _orders(trace, asks, asked_in_words)
    shown = enumerate(shown_parts(trace), 1)
    parts = [
        (number, order, order.needed_of(part))
        for number, part in shown
        for order in _telling(orders, part)
    ]
    known = _known(trace, [(order, part) for _, order, part in parts])
    told = {number for number, order, part in parts if not order.only_asked(part)}
    sections: list[StepSection] = []
    for number, order, part in parts:
        if not part.definitions:
            continue
        works, only_asked = order.works(part), order.only_asked(part)
        needless = known | only_for_sizes(trace, works)
        again = only_asked and number in told  # where what it starts from stands
        operands = [] if again else operands_of(trace, works)
        context = [q for q in operands if q.name not in needless]
        blocks = tuple(b for b in order.blocks(part, context) if b != ROUNDED_BY_ITSELF)
        known |= {quantity.name for quantity in context} - _shown_in_part(blocks)
        section = section_of(trace, works, number, blocks)
        worked = () if again else works.definitions
        wanted = Wanted(*selection_of(part, order.asks)) if not only_asked else Wanted(Selection())
        sections.append(StepSection(part, section, worked, only_asked, wanted, order.entries))
    left = _left_out(trace, [s for s in sections if not s.only_asked])
    return [s if s.only_asked else _without(s, left) for s in sections]


def _shown_in_part(blocks: Iterable[Block]) -> set[Name]:
    """Finds the quantities of whose tables only some rows are shown."""
    tables = (table for block in blocks for table in parts_of(block, MatrixBlock))
    return {table.quantity for table in tables if len(table.rows) < table.matrix.shape[0]}


@dataclass(frozen=True)
class _Order:
    """A choice of what a page tells: selections of its parts, single cells, and what is asked in
    words."""

    trace: Trace
    asks: Sequence[Wanted]
    in_words: Collection[PlannedStep]
    entries: frozenset[int]
    """The numbers of the questions that this is."""

    @cached_property
    def wanted(self) -> set[Name]:
        """Returns the quantities of single cells, but for those that need no asking."""
        trace, names = self.trace, {name for ask in self.asks for name, _ in ask.cells}
        return {n for n in names if is_ruled(trace, n) or not is_in_words(trace, n)}

    @cached_property
    def users(self) -> list[PlannedStep | None]:
        """Returns the parts that tell what is made of given cells."""
        trace = self.trace
        return [_first_user(trace, name) for name in self.wanted if trace[name].given]

    def makes(self, part: PlannedStep) -> bool:
        """Tells whether a part makes a quantity of single cells."""
        return any(quantity.name in self.wanted for quantity in made_by(self.trace, part))

    def includes(self, part: PlannedStep) -> bool:
        return _whole(part, self.asks) != [] or self.makes(part) or part in self.users

    def tells(self, part: PlannedStep) -> bool:
        return self.includes(part) or part in self.in_words

    def only_asked(self, part: PlannedStep) -> bool:
        return part in self.in_words and not self.includes(part)

    def by_cells(self, part: PlannedStep) -> bool:
        """Tells whether a part is told in the lines of single cells."""
        if not self.makes(part):
            return False
        _, cells = selection_of(part, self.asks)
        return bool(cells)

    @cached_property
    def used(self) -> set[Name]:
        """Returns all that something is made of."""
        return {name for d in self.trace.plan for name in d.operands}

    def needed_of(self, part: PlannedStep) -> PlannedStep:
        """Returns a part without what a step of a scenario's own only puts together, and nothing is
        made of."""
        return part.only(self.used | self.wanted) if only_joins(part) else part

    def works(self, part: PlannedStep) -> PlannedStep:
        """Returns a part without what no wanted cell is made of."""
        return leading_to(part, self.wanted) if self.by_cells(part) else part

    def blocks(self, part: PlannedStep, context: Sequence[Quantity]) -> Iterable[Block]:
        if self.only_asked(part):
            remarks = remarks_on(self.trace, part) if part.place.called else []
            opening = opening_blocks(self.trace, part, Selection(), context, alone=True)
            return (*opening, *remarks)
        selection, cells = selection_of(part, self.asks)
        if self.by_cells(part):
            return _blocks_of_cells(self.trace, part, context, cells, selection)
        return _blocks(self.trace, part, context, selection if not cells else Selection())

    def asked(self, part: PlannedStep) -> set[Location]:
        """Returns the cells that may be asked for of what a part makes."""
        selection, cells = selection_of(part, self.asks)
        some = selection.queries if not cells else ()
        told = self.told(part).items()
        own = (at for name, at in told if not some or selection.tells(self.trace[name]))
        return {*chain.from_iterable(own)}

    def told(self, part: PlannedStep) -> dict[Name, Collection[Location]]:
        """Returns the cells that a part tells of each quantity that it makes: those that are
        wanted, or those in the rows of the queries, or all."""
        selection, cells = selection_of(part, self.asks)
        own = {definition.name for definition in part.definitions}
        if cells:
            places = [(n, Location(n, *self.trace[n].find(at))) for n, at in cells if n in own]
            wanted = own & self.wanted
            return {name: {at for n, at in places if n == name} for name in wanted}
        found: dict[Name, Collection[Location]] = dict.fromkeys(own, ())
        for quantity in made_by(self.trace, part):
            rows, columns = selection.rows(quantity), range(quantity.matrix.shape[1])
            found[quantity.name] = [Location(quantity.name, i, j) for i in rows for j in columns]
        return found


def _orders(
    trace: Trace, asks: Sequence[Wanted], in_words: Collection[tuple[PlannedStep, int]]
) -> list[_Order]:
    """Returns what a page tells, the questions that stand by themselves each alone."""
    entries = {ask.entry for ask in asks} | {entry for _, entry in in_words}
    return [
        _Order(
            trace,
            [ask for ask in asks if ask.entry == entry],
            [part for part, of in in_words if of == entry],
            frozenset((entry,)),
        )
        for entry in sorted(entries)
    ]


def _telling(orders: Sequence[_Order], part: PlannedStep) -> list[_Order]:
    """Returns the orders that tell a part, those that work something first. They are one where one
    would show what another asks for; and what is asked in words without standing by itself is
    asked with the last that works something."""
    working = [order for order in orders if order.includes(part)]
    asking = [order for order in orders if order.only_asked(part)]
    if len(working) > 1 and not _are_apart(working, part):
        working = [_as_one(working)]
    beside = [order for order in asking if 0 in order.entries]
    if working and beside:
        working[-1] = _as_one([working[-1], *beside])
        asking = [order for order in asking if 0 not in order.entries]
    return [*working, *asking]


def _are_apart(orders: Sequence[_Order], part: PlannedStep) -> bool:
    """Tells whether no order shows a cell of what a part makes that another asks for."""
    if any(part in order.users for order in orders):
        return False
    asked = [order.asked(part) for order in orders]
    shown = [{*chain.from_iterable(order.told(part).values())} for order in orders]
    return all(
        a is b or own.isdisjoint(others)
        for a, own in zip(orders, asked, strict=True)
        for b, others in zip(orders, shown, strict=True)
    )


def _as_one(orders: Sequence[_Order]) -> _Order:
    return _Order(
        orders[0].trace,
        [ask for order in orders for ask in order.asks],
        [part for order in orders for part in order.in_words],
        frozenset[int]().union(*(order.entries for order in orders)),
    )


def _known(trace: Trace, parts: Sequence[tuple[_Order, PlannedStep]]) -> set[Name]:
    """Returns what needn't be given, as the sheet asks for it: what parts make, but for quantities
    of which another cell is needed than those that are told."""
    working = [(own, own.works(part)) for own, part in parts if not own.only_asked(part)]
    told = [order.told(part) for order, part in working]
    made = {name for cells in told for name in cells}
    partly = {
        name
        for cells in told
        for name, own in cells.items()
        if own and len(own) < trace[name].matrix.size
    }
    if not partly:
        return made
    needed = set[Location]()
    for (order, part), cells in zip(working, told, strict=True):
        selection, some = selection_of(part, order.asks)
        if some or selection.queries:
            own = {d.name for d in part.definitions}
            needed |= worked_from(trace, own, chain(*cells.values()))
        else:
            needed |= _all_of(trace, part, partly)
    missing = needed.difference(*(own for cells in told for own in cells.values()))
    return made - {cell.quantity for cell in missing if cell.quantity in partly}


def leading_to(part: PlannedStep, names: Collection[str]) -> PlannedStep:
    """Returns a part with just the definitions of some quantities, and of what it makes them of."""
    wanted = set(names)
    for definition in reversed(part.definitions):
        if definition.name in wanted:
            wanted.update(definition.operands)
    return part.only(wanted)


def _all_of(trace: Trace, part: PlannedStep, names: Collection[str]) -> set[Location]:
    """Returns all cells of some quantities that a part starts from."""
    sizes = ((q.name, *q.matrix.shape) for q in operands_of(trace, part) if q.name in names)
    return {Location(name, i, j) for name, n, m in sizes for i in range(n) for j in range(m)}


def selection_of(part: PlannedStep, asks: Sequence[Wanted]) -> tuple[Selection, Cells]:
    """Returns how a part is told, and the cells that alone are told of it: none where a selection
    tells all of it, or of some queries."""
    if whole := _whole(part, asks):
        queries = dict.fromkeys(query for s in whole for query in s.queries)
        some = all(s.queries for s in whole)
        return whole[0]._replace(queries=tuple(queries) if some else ()), ()
    single = [ask for ask in asks if ask.cells]
    return single[0].selection, tuple(cell for ask in single for cell in ask.cells)


def _whole(part: PlannedStep, asks: Sequence[Wanted]) -> list[Selection]:
    """Returns the selections that tell a part."""
    return [ask.selection for ask in asks if not ask.cells and ask.selection.includes(part)]


def working_in(
    trace: Trace, part: PlannedStep, names: Collection[str], cells: Cells, selection: Selection
) -> list[Block]:
    """Returns the full working of some quantities that a part makes. Where single cells are asked
    for, it is that of these, and of what leads to them, in the order of the working."""
    made = [quantity for quantity in made_by(trace, part) if quantity.name in names]
    if not cells:
        return [block for quantity in made for block in working_of(trace, quantity, selection)]
    order: dict[str, int] = {q.name: k for k, q in enumerate(made_by(trace, part))}
    known = {quantity.name for quantity in made}
    asked = {
        Location(name, *trace[name].find(address)): (name, address)
        for name, address in cells
        if name in known
    }
    before = worked_from(trace, order, asked) - asked.keys()
    lines = {cell: _line(trace, part, *at, selection) for cell, at in asked.items()}
    lines |= {
        cell: cell_line(trace, trace[cell.quantity], cell.row, cell.column)
        for cell in before
        if cell.quantity in order
    }
    in_order = sorted(lines, key=lambda cell: (order[cell.quantity], *cell.indices))
    return [Derivation(tuple(lines[cell] for cell in in_order))] if lines else []


def _blocks(
    trace: Trace, part: PlannedStep, context: Sequence[Quantity], selection: Selection
) -> list[Block]:
    """Returns a part's working, and its tables one after the other."""
    tables = _separate(table_together(trace, part, selection), part)
    worked = one_by_one(shown_quantities(trace, part, selection))
    blocks = [*opening_blocks(trace, part, selection, context, alone=True), *worked, *tables]
    met = [as_met(part, block) for block in blocks]
    return _with_rows_needed(trace, part, met, selection) if selection.queries else met


def _with_rows_needed(
    trace: Trace, part: PlannedStep, blocks: Sequence[Block], selection: Selection
) -> list[Block]:
    """Returns the blocks of a part of which some rows are told, with those rows of the tables that
    it starts from which these are worked from."""
    own = {definition.name for definition in part.definitions}
    rows = rows_needed(trace, part, own, selection)

    def whole(block: Block) -> Block:
        if not isinstance(block, MatrixBlock) or block.quantity in own:
            return block
        needed = rows.get(block.quantity, set())
        return block if needed <= {*block.rows} else block._replace(rows=tuple(sorted(needed)))

    return [*map(whole, blocks)]


def rows_needed(
    trace: Trace, part: PlannedStep, own: Collection[str], selection: Selection
) -> dict[str, set[int]]:
    """Finds the rows of quantities that the rows of a selection of a part are worked from, up to
    the first that aren't of some `own` quantities."""
    told = (
        Location(quantity.name, i, j)
        for quantity in made_by(trace, part)
        for i in selection.rows(quantity)
        for j in range(quantity.matrix.shape[1])
    )
    rows: dict[str, set[int]] = {}
    for cell in worked_from(trace, own, told):
        rows.setdefault(cell.quantity, set()).add(cell.row)
    return rows


def _separate(blocks: Sequence[Block], part: PlannedStep) -> list[Block]:
    """Returns rows side by side as a table each, which is better to write in, for those that the
    part made."""
    made = {definition.name for definition in part.definitions}
    tables: list[Block] = []
    for block in each(blocks):
        columns = block.columns if isinstance(block, SideBySide) else ()
        tables += [table for _, table in columns if table.quantity in made] if columns else [block]
    return tables


def _left_out(trace: Trace, sections: Sequence[StepSection]) -> set[Name]:
    """Returns the quantities that aren't of the chosen queries' rows, and of which nothing is made
    that is."""
    selections = [(s.wanted, made_by(trace, s.part)) for s in sections]
    made = [quantity for _, own in selections for quantity in own]
    wanted = {
        quantity.name
        for (selection, cells, _), own in selections
        for quantity in own
        if cells or not selection.queries or selection.tells(quantity) or quantity.is_number
    }
    for quantity in reversed(made):
        if quantity.definition is not None and quantity.name in wanted:
            wanted.update(quantity.definition.operands)
    return {quantity.name for quantity in made} - wanted


def _without(section: StepSection, names: Collection[str]) -> StepSection:
    """Returns a section without the tables and lines of some quantities."""
    blocks = section.section.blocks
    kept = tuple(block for block in blocks if _tells_of(block).isdisjoint(names))
    return section._replace(section=section.section._replace(blocks=kept))


def _tells_of(block: Block) -> set[str]:
    kinds: tuple[type[Line | ColumnSum | MatrixBlock], ...] = (Line, ColumnSum, MatrixBlock)
    return {entry.quantity for entry in parts_of(block, kinds)}


def _first_user(trace: Trace, name: str) -> PlannedStep | None:
    parts = (p for p in shown_parts(trace) if name in {q.name for q in operands_of(trace, p)})
    return next(parts, None)


def _blocks_of_cells(
    trace: Trace, part: PlannedStep, context: Sequence[Quantity], cells: Cells, selection: Selection
) -> list[Block]:
    made = made_by(trace, part)
    lines = [
        _line(trace, part, name, address, selection)
        for name, address in cells
        if name in {quantity.name for quantity in made}
    ]
    wanted = {line.quantity for line in lines}
    ends = {q.name: q.shape[0] - 1 for q in made}
    last = any(trace[n].find(at)[0] == ends[n] for n, at in cells if n in ends)
    return [
        Paragraph(step_of(part).happens_at(part.place, with_last_row=last)),
        *given_blocks(trace, context, Selection(), part.path),
        *remarks_on(trace, part),
        *formulas_before(part, (quantity for quantity in made if quantity.name in wanted)),
        Derivation(tuple(lines)),
    ]


def _line(
    trace: Trace, part: PlannedStep, name: Name, address: Address, selection: Selection
) -> Line:
    """Returns the line of a cell, and in a summary only its result."""
    line = cell_line(trace, trace[name], *trace[name].find(address), whole=True)
    label = Symbol(part.place.here(name), line.label.indices)
    parts = line.parts[-1:] if selection.detail == "summary" else line.parts
    return line._replace(label=label, parts=parts)
