"""The working of a quantity: its lines, their layout, `=` and `≈`; made when it is asked for."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from attncli.document.blocks import Block, ColumnSum, Derivation, Line
from attncli.document.tables import IndexedEquation, WorkedTable
from attncli.maths.equations import deciding
from attncli.maths.equations.elision import MOST_PARTS, MOST_ROWS_OF_A_LIST, elided, shortened
from attncli.maths.equations.matrix import Matrix
from attncli.maths.equations.tree import (
    INNER,
    Expression,
    Location,
    Number,
    Omitted,
    Product,
    Vector,
    rounded,
    with_each,
)
from attncli.maths.operations.activations import Add
from attncli.maths.operations.attention import scaled_vector
from attncli.maths.operations.equation import Indexed
from attncli.maths.operations.operation import Layout, Operation
from attncli.maths.operations.operation import Working as Forms
from attncli.maths.operations.rearranging import Moved, TakeRows
from attncli.names import GRADIENTS, Name
from attncli.pages.parts.blocks import matrix_block
from attncli.pages.parts.selection import Selection, row_asked_for
from attncli.trace import CellPlace, Definition, PlannedStep, Quantity, Trace

_MOST_TERMS_ON_A_LINE = 8
"""A row whose working has more terms than this is told cell by cell."""

ToldRows = Sequence[int | None]
"""The rows whose working is told, from 0."""


def working_of(
    trace: Trace, quantity: Quantity, selection: Selection, *, one_row: bool = False
) -> list[Block]:
    """Returns the blocks of working of a quantity that was made; of `one_row`, the last, where no
    queries are asked for."""
    definition = quantity.definition
    if definition is None or definition.operation.copies:
        return []
    if selection.detail == "summary":
        return sum_of_uses(trace, quantity)
    rows = selection.worked_rows(quantity)
    if one_row and not selection.picks(quantity):
        rows = [*_that_tells(trace, quantity, rows)]
    its = _lines_of(trace, quantity)
    if selection.detail == "rows":
        return _by_rows(its, rows)
    return _LAYOUTS[definition.operation.layout](its, rows)


def with_inputs(
    trace: Trace, part: PlannedStep, untold: Collection[Name], blocks: list[Block]
) -> list[Block]:
    """Returns the blocks of a part, its first lines led by the rows that they work with, where
    these are of quantities that the page has not told."""
    at = next((k for k, block in enumerate(blocks) if isinstance(block, Derivation)), None)
    if at is None:
        return blocks
    made = (d for d in part.definitions if not isinstance(d.operation, TakeRows))
    names = dict.fromkeys(name for definition in made for name in definition.operands)
    lines = [
        line for name in names if name in untold for line in _rows_as_they_are(trace, part, name)
    ]
    working = blocks[at]
    assert isinstance(working, Derivation)
    return [*blocks[:at], Derivation((*lines, *working.lines)), *blocks[at + 1 :]]


def _rows_as_they_are(trace: Trace, part: PlannedStep, name: Name) -> Iterator[Line]:
    """Yields the rows that are told as they are: `norm2.normed[go] = [−0.579, −1.206, 1.452,
    0.333]`"""
    quantity = trace[name]
    columns = elided(quantity.matrix.shape[1], MOST_PARTS)
    for i in _that_tells(trace, quantity, [*range(len(quantity.values))]):
        if i is not None:
            numbers = _entries(columns, partial(quantity.number, i))
            yield Line(quantity.symbol(i, name=part.place.here(name)), (("=", numbers),), name)


def sum_of_uses(trace: Trace, quantity: Quantity) -> list[Block]:
    """Returns a row of a gradient that adds up what comes of several uses; of others nothing."""
    if not adds_up_uses(quantity) or _only_puts_together(trace, quantity):
        return []
    rows = _that_tells(trace, quantity, [*range(len(quantity.values))])
    return _by_rows(_lines_of(trace, quantity), rows)


def _only_puts_together(trace: Trace, quantity: Quantity) -> bool:
    """Tells whether the parts of a gradient are numbers put back to places of their own."""
    assert quantity.definition is not None
    parts = (trace[name].definition for name in quantity.definition.operands)
    return all(part is not None and part.operation.repeats for part in parts)


def adds_up_uses(quantity: Quantity) -> bool:
    """Tells whether a gradient is the sum of parts."""
    definition = quantity.definition
    adds = definition is not None and isinstance(definition.operation, Add)
    return adds and quantity.name.inside(GRADIENTS)


def _that_tells(trace: Trace, quantity: Quantity, rows: ToldRows) -> ToldRows:
    """Finds the row of the token that is asked for, that of a cell's largest number in the end, or
    else the last; on the way back and of an update one that has a gradient."""
    definition = quantity.definition
    back = quantity if quantity.name.inside(GRADIENTS) else None
    if definition is not None and definition.step == "update":
        gradients = (trace[o] for o in definition.operands if o.inside(GRADIENTS))
        back = next(gradients, None)
    asked = _asked_for(trace, quantity) or _remembered(trace, quantity) or rows[-1:]
    if back is None or back.values.shape[0] != quantity.values.shape[0]:
        return asked
    pushed = [i for i in (*rows, *asked) if i is not None and back.values[i].any()]
    return pushed[-1:] or asked


def _asked_for(trace: Trace, quantity: Quantity) -> ToldRows:
    """Finds the row of a quantity that is of the token which is asked for, if one is."""
    asked = row_asked_for(trace)
    if asked is None or quantity.rows.names != asked.tokens.names:
        return ()
    return (asked.row,)


def _remembered(trace: Trace, quantity: Quantity) -> ToldRows:
    """Finds the row of what a cell remembers most of in the end, in what has as many at a time."""
    part = trace.part_of(quantity.name)
    place = part.place if part is not None and isinstance(part.place, CellPlace) else None
    memory = None if place is None else trace.quantities.get(place.memory)
    if memory is None or not quantity.is_list or quantity.matrix.shape != memory.matrix.shape:
        return ()
    return (int(np.abs(memory.values).argmax()),)


def cell_line(trace: Trace, quantity: Quantity, i: int, j: int, *, whole: bool = False) -> Line:
    """Returns the working of one cell; `whole` leaves no term out."""
    if quantity.definition is None:
        label = quantity.symbol(i, j, quantity.name if whole else here(trace, quantity))
        return Line(label, (("=", quantity.number(i, j)),), quantity.name)
    return _lines_of(trace, quantity).cell(i, j, whole=whole)


def last_form(
    trace: Trace, quantity: Quantity, cell: tuple[int, int], result: Number
) -> tuple[Expression, str] | None:
    """Returns what the working of a cell comes to before its result, as short as on the page, and
    the sign before that; None for a number that isn't worked."""
    if quantity.definition is None:
        return None
    operands = trace.operands(quantity.definition)
    forms = quantity.definition.operation.brief(*cell, *operands)
    if result.is_same(forms[-1]) or isinstance(forms[-1], Number):
        return None
    return _short(forms, _most_parts(operands, quantity))[-1], deciding.relation(forms[-1], result)


def here(trace: Trace, quantity: Quantity) -> Name:
    """Returns the name of a quantity as it is called where it was made."""
    part = trace.part_of(quantity.name)
    return quantity.name if part is None else part.place.here(quantity.name)


class _QuantityLines(NamedTuple):
    """A quantity by what its lines are told from."""

    quantity: Quantity
    """The quantity itself."""
    operation: Operation
    """How it was made."""
    operands: tuple[Matrix, ...]
    """The matrices that it was made of."""
    name: Name
    """What it is called where it was made."""
    names: tuple[Name, ...]
    """What its operands are called there."""
    most: int | None
    """How many parts of a form are told; None for all there are."""
    true: bool
    """Whether each line is known to give its number."""

    def cell(self, i: int, j: int, *, whole: bool = False) -> Line:
        """Returns the working of a cell; `whole` leaves no term out, and names it in full."""
        forms = (self.operation.cell if whole else self.operation.brief)(i, j, *self.operands)
        name = self.quantity.name if whole else self.name
        return self._line(i, j, name, forms if whole else _short(forms, self.most), forms[-1])

    def origin(self, i: int, j: int) -> Line:
        """Returns the working of a cell by its full name; of a copied cell the number whose it
        still is."""
        forms, name = self.operation.brief(i, j, *self.operands), self.quantity.name
        if len(forms) == 1 and isinstance(forms[0], Number):
            return Line(self.quantity.symbol(i, j, name), (("=", forms[0]),), name)
        return self._line(i, j, name, _short(forms, self.most), forms[-1])

    def _line(self, i: int, j: int, name: Name, shown: Forms, last: Expression) -> Line:
        quantity, result = self.quantity, self.quantity.number(i, j)
        parts = _parts(shown, result, self.relation(last, result))
        return Line(quantity.symbol(i, j, name), parts, quantity.name)

    def row(self, i: int, *, with_cells: bool = False) -> Line:
        """Returns the working of a row as vectors; `with_cells` shows the sums inside as well."""
        if self.quantity.is_list:
            return self.cell(i, 0)
        forms = list(self.operation.row(i, self.names, *self.operands))
        cells = {} if self.true and not with_cells else self.cells(i)
        if with_cells:
            forms.append(_entries(self.columns, cells.__getitem__))
        relation, result = self.result(i, cells)
        nodes = (form for form in _short(tuple(forms), self.most) if not _is_same(form, result))
        parts = [("=", form) for form in nodes]
        label = self.quantity.symbol(i, name=self.name)
        return Line(label, (*parts, (relation, result)), self.quantity.name)

    def addition(self, i: int) -> ColumnSum:
        """Returns the working of a row as vectors that are added up."""
        weights, V = self.operands
        relation, total = self.result(i, {} if self.true else self.cells(i))

        def addend(k: int) -> tuple[Product, Vector]:
            weight, values = weights.number(i, k), _entries(self.columns, partial(V.number, k))
            return Product((weight, values)), scaled_vector(weight, values)

        places = elided(V.shape[0], MOST_PARTS)
        addends = tuple(Omitted() if k is None else addend(k) for k in places)
        label = self.quantity.symbol(i, name=self.name)
        return ColumnSum(label, addends, relation, total, self.quantity.name)

    @property
    def columns(self) -> Sequence[int | None]:
        """Returns the columns that are told; None for those left out."""
        return elided(self.quantity.matrix.shape[1], MOST_PARTS)

    def cells(self, i: int) -> dict[int, Expression]:
        """Returns what the cells of a row are worked from, by their columns."""
        brief = self.operation.brief
        return {j: brief(i, j, *self.operands)[0] for j in self.columns if j is not None}

    def result(self, i: int, cells: Mapping[int, Expression]) -> tuple[str, Vector]:
        """Returns the numbers of a row behind `=`, or behind `≈` where what its `cells` are worked
        from doesn't give them."""
        number = partial(self.quantity.number, i)
        true = all(self.relation(form, number(j)) == "=" for j, form in cells.items())
        return "=" if true else "≈", _entries(self.columns, number)

    def relation(self, form: Expression, result: Number) -> str:
        """Returns the sign between a number and what it is worked from."""
        return "=" if self.true else deciding.relation(form, result)


def _lines_of(trace: Trace, quantity: Quantity) -> _QuantityLines:
    definition, part = quantity.definition, trace.part_of(quantity.name)
    assert definition is not None
    called = (definition.name, *definition.operands)
    name, *names = called if part is None else map(part.place.here, called)
    operands = trace.operands(definition)
    most = _most_parts(operands, quantity)
    true = _is_true(trace, quantity, definition)
    return _QuantityLines(quantity, definition.operation, operands, name, tuple(names), most, true)


def _is_true(trace: Trace, quantity: Quantity, definition: Definition) -> bool:
    """Tells whether no working of a quantity need be done again to know that it gives the numbers:
    they were rounded where they were made (`Rounding.carries`), of numbers that are shown in
    full."""
    if not trace.rounding.carries or quantity.matrix.written is not None:
        return False
    matrices = (quantity.matrix, *(trace[name].matrix for name in definition.operands))
    return all(matrix.is_shown_in_full for matrix in matrices)


def _most_parts(operands: Sequence[Matrix], quantity: Quantity) -> int | None:
    """Returns how many parts of a form are told, where there may be more: the operands are large
    enough for that, or where it has none the quantity itself. Else returns None."""
    operands = operands or (quantity.matrix,)
    longest = max(max(operand.shape) for operand in operands)
    if longest < MOST_PARTS:
        return None
    of_lists = all(operand.shape[1] == 1 for operand in operands)
    most = MOST_ROWS_OF_A_LIST if of_lists else MOST_PARTS
    return None if longest < most else most


def _short(forms: Forms, most: int | None) -> Forms:
    """Elides the forms where they may have more than so many parts."""
    return forms if most is None else tuple(shortened(form, most) for form in forms)


def _parts(shown: Forms, result: Number, relation: str) -> tuple[tuple[str, Expression], ...]:
    """Returns the forms as they are told, each with its sign, and the result with the last one."""
    nodes = [form for k, form in enumerate(shown) if k == 0 or form != shown[k - 1]]  # as elided
    parts = [("=", form) for form in nodes if not result.is_same(form)]
    return (*parts, (relation, result))


def _is_same(form: Expression, result: Vector) -> bool:
    """Tells whether a form of a row is its numbers as they are."""
    if not isinstance(form, Vector) or len(form.entries) != len(result.entries):
        return False
    pairs = zip(result.entries, form.entries, strict=True)
    return all(isinstance(node, Number) and node.is_same(other) for node, other in pairs)


def _entries(places: Sequence[int | None], entry: Callable[[int], Expression]) -> Vector:
    return Vector(tuple(Omitted() if j is None else entry(j) for j in places))


def _by_rows(its: _QuantityLines, rows: ToldRows, *, with_cells: bool = False) -> list[Block]:
    lines = (Omitted() if i is None else its.row(i, with_cells=with_cells) for i in rows)
    return [Derivation(tuple(lines))] if rows else []


def _by_cells(its: _QuantityLines, rows: ToldRows) -> list[Block]:
    """Writes a cell a line; of a wide table only the first row, which shows how, and the others
    whole."""
    columns = its.columns
    wide = len(columns) < its.quantity.matrix.shape[1]
    lines: list[Line | Omitted] = []
    for i in rows[:1] if wide else rows:
        if i is None:
            lines.append(Omitted())
        else:
            lines += (Omitted() if j is None else its.cell(i, j) for j in columns)
    first: list[Block] = [Derivation(tuple(lines))] if lines else []
    return first + (_by_rows(its, rows[1:]) if wide else [])


def _by_rows_of_sums(its: _QuantityLines, rows: ToldRows) -> list[Block]:
    """Writes a row a line with its sums inside, where they are short; else a cell a line."""
    terms = its.operands[0].shape[1] * its.quantity.matrix.shape[1]
    if terms > _MOST_TERMS_ON_A_LINE:
        return _by_cells(its, rows)
    return _by_rows(its, rows, with_cells=True)


_LAYOUTS: dict[Layout, Callable[[_QuantityLines, ToldRows], list[Block]]] = {
    "cells": _by_cells,
    "rows": _by_rows,
    "sums": _by_rows_of_sums,
    "addition": lambda its, rows: [its.addition(i) for i in rows if i is not None],
}


class Origins(Mapping[Location, Line]):
    """A mapping from where a number stands to the line that works it out; of a given number only
    its value, of a copied one the number that it was copied from."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def __getitem__(self, cell: Location) -> Line:
        name, i, j = cell
        quantity = self._trace.quantities[name]
        if quantity.definition is None:
            return cell_line(self._trace, quantity, i, j, whole=True)
        return _lines_of(self._trace, quantity).origin(i, j)

    def __contains__(self, cell: object) -> bool:
        if not isinstance(cell, Location) or cell.quantity not in self._trace.quantities:
            return False
        n, m = self._trace[cell.quantity].matrix.shape
        return cell.row < n and cell.column < m  # a variant may have more

    def __iter__(self) -> Iterator[Location]:
        for name, quantity in self._trace.quantities.items():
            yield from (Location(name, i, j) for i, j in np.ndindex(*quantity.matrix.shape))

    def __len__(self) -> int:
        return sum(quantity.matrix.size for quantity in self._trace.quantities.values())


_MOST_FOLLOWED_IN_A_ROW = 64


def number_among(others: Mapping[str, Quantity], trace: Trace, cell: Location) -> Number:
    """Returns a number of quantities that were worked otherwise than a trace's. It knows how it is
    made of the numbers of the trace, unless these are very many."""
    i, j, its = cell.row, cell.column, others[cell.quantity]
    if its.matrix.shape[1] > _MOST_FOLLOWED_IN_A_ROW:
        return its.matrix.number(i, j)
    if its is trace.quantities.get(its.name):
        return its.number(i, j)
    definition = its.definition
    assert definition is not None

    def made(number: Number) -> Expression | None:
        cell = number.cell
        return None if cell is None or cell == INNER else number_among(others, trace, cell)

    operands = (others[operand].numbers for operand in definition.operands)
    form = with_each(definition.operation.whole_form(i, j, *operands), Number, made)
    if not definition.operation.copies:
        step, rounding = definition.step, trace.rounding
        is_own = rounding.is_own(step, its.name)
        form = rounded(form, rounding.decimals_of(step, its.name) if is_own else None)
    number = its.number(i, j)
    return Number(number.full, number.shown, INNER, form)


class Workings(Mapping[str, WorkedTable]):
    """A mapping of the quantities of a trace as they are worked again, by their full names."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def __getitem__(self, name: str) -> WorkedTable:
        quantity = self._trace.quantities[name]
        definition = quantity.definition
        table = matrix_block(quantity, Selection())
        if definition is None:
            return WorkedTable(table, (), None, lambda *_: None)
        formulas = definition.operation.formulas(name, *definition.operands)
        operation, step = definition.operation, definition.step
        equation = None
        by_tree = isinstance(operation, Indexed) and operation.is_told_by_its_tree
        if by_tree and self._trace.untold.isdisjoint(definition.operands):
            assert isinstance(operation, Indexed)
            equation = IndexedEquation(
                operation.tree, operation.sides, definition.operands, operation.lost
            )
        is_met = operation.is_condition
        moved = (operation.copies and not is_met) or isinstance(operation, Moved)
        rounding = self._trace.rounding
        return WorkedTable(
            table,
            formulas,
            rounding.decimals_of(step, quantity.name) if rounding.carries and not moved else None,
            partial(self._form, quantity),
            equation,
            partial(self._first_form, quantity),
            moved,
            is_met or rounding.is_own(step, quantity.name),
        )

    def __contains__(self, name: object) -> bool:
        return name in self._trace.quantities and name not in self._trace.untold

    def _form(self, quantity: Quantity, i: int, j: int) -> Expression | None:
        assert quantity.definition is not None
        operands = self._trace.operands(quantity.definition)
        return self._with_shown_numbers(quantity.definition.operation.whole_form(i, j, *operands))

    def _first_form(self, quantity: Quantity, i: int, j: int) -> Expression | None:
        assert quantity.definition is not None
        operands = self._trace.operands(quantity.definition)
        told = self._with_shown_numbers(quantity.definition.operation.first_form(i, j, *operands))
        return None if told == self._form(quantity, i, j) else told

    def _with_shown_numbers(self, form: Expression) -> Expression:
        """Returns a form with numbers of no quantity in the place of those that no page tells."""
        untold = self._trace.untold
        if not untold:
            return form

        def plain_number(number: Number) -> Expression | None:
            cell = number.cell
            return number if cell is None or cell.quantity not in untold else Number(*number[:2])

        return with_each(form, Number, plain_number)

    def __iter__(self) -> Iterator[str]:
        return iter(self._trace)

    def __len__(self) -> int:
        return len(self._trace.quantities) - len(self._trace.untold)
