"""The working of a quantity: which lines, how each is laid out, and its `=` and `≈`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from attncli.arithmetic import evaluation
from attncli.arithmetic.elision import MOST_PARTS, MOST_ROWS_OF_A_LIST, elided, shortened
from attncli.arithmetic.expression import Expression, Number, Omitted, Product, Vector
from attncli.arithmetic.matrix import Matrix
from attncli.arithmetic.operations import Add, Layout, WeightedSum, scaled_vector
from attncli.arithmetic.operations import Working as Forms
from attncli.document import Addition, Block, Line, Working
from attncli.name import GRADIENTS, Name
from attncli.telling.selection import Selection
from attncli.trace import Quantity, Trace

_MOST_TERMS_ON_A_LINE = 8
"""A row whose working has more terms than this is told cell by cell."""

Rows = Sequence[int | None]


def working_of(
    trace: Trace, quantity: Quantity, selection: Selection, *, one_row: bool = False
) -> list[Block]:
    """The blocks of working of a quantity that was made; of `one_row`, the last, where no queries
    are asked for."""
    definition = quantity.definition
    if definition is None or definition.operation.copies:
        return []
    if selection.detail == "summary":
        return sum_of_uses(trace, quantity)
    rows = selection.worked_rows(quantity)
    if one_row and not selection.picks(quantity):
        rows = [*_that_tells(trace, quantity, rows)]
    if selection.detail == "rows":
        return _by_rows(trace, quantity, rows)
    return _LAYOUTS[definition.operation.layout](trace, quantity, rows)


def sum_of_uses(trace: Trace, quantity: Quantity) -> list[Block]:
    """A row of a gradient that adds up what comes of several uses; of others nothing."""
    if not adds_up_uses(quantity) or _only_puts_together(trace, quantity):
        return []
    return _by_rows(trace, quantity, _that_tells(trace, quantity, [*range(len(quantity.values))]))


def _only_puts_together(trace: Trace, quantity: Quantity) -> bool:
    """Whether the parts of a gradient are numbers put back to places of their own."""
    assert quantity.definition is not None
    parts = (trace[name].definition for name in quantity.definition.operands)
    return all(part is not None and part.operation.repeats for part in parts)


def adds_up_uses(quantity: Quantity) -> bool:
    """Whether a gradient is the sum of parts."""
    definition = quantity.definition
    adds = definition is not None and isinstance(definition.operation, Add)
    return adds and quantity.name.inside(GRADIENTS)


def _that_tells(trace: Trace, quantity: Quantity, rows: Rows) -> Rows:
    """The last row; on the way back and of an update the last one that has a gradient."""
    definition = quantity.definition
    back = quantity if quantity.name.inside(GRADIENTS) else None
    if definition is not None and definition.step == "update":
        gradients = (trace[one] for one in definition.operands if one.inside(GRADIENTS))
        back = next(gradients, None)
    if back is None or back.values.shape[0] != quantity.values.shape[0]:
        return rows[-1:]
    pushed = [i for i in rows if i is not None and back.values[i].any()]
    return pushed[-1:] or rows[-1:]


def cell_line(trace: Trace, quantity: Quantity, i: int, j: int, *, whole: bool = False) -> Line:
    """The working of one cell; `whole` leaves no term out."""
    definition = quantity.definition
    name = quantity.name if whole else here(trace, quantity, quantity.name)
    label = quantity.symbol(i, j, name)
    result = quantity.number(i, j)
    if definition is None:
        return Line(label, (("=", result),), quantity.name)
    operands = trace.operands(definition)
    forms = definition.operation.cell(i, j, *operands)
    shown = forms if whole else _short(forms, operands, quantity)
    return Line(label, _parts(forms, shown, result), quantity.name)


def last_form(
    trace: Trace, quantity: Quantity, cell: tuple[int, int], result: Number
) -> tuple[Expression, str] | None:
    """What the working of a cell comes to before its result, as short as on the page, and the sign
    before that; nothing of a number that isn't worked."""
    if quantity.definition is None:
        return None
    operands = trace.operands(quantity.definition)
    forms = quantity.definition.operation.cell(*cell, *operands)
    if result.is_same(forms[-1]) or isinstance(forms[-1], Number):
        return None
    return _short(forms, operands, quantity)[-1], evaluation.relation(forms[-1], result)


def here(trace: Trace, quantity: Quantity, name: Name) -> Name:
    """A full name as it is called where a quantity was made."""
    part = trace.part_of(quantity.name)
    return name if part is None else part.place.here(name)


def _short(forms: Forms, operands: Sequence[Matrix], quantity: Quantity) -> Forms:
    """The forms, elided where the operands are large enough for that, or where it has none the
    quantity itself."""
    operands = operands or (quantity.matrix,)
    longest = max(max(operand.shape) for operand in operands)
    if longest < MOST_PARTS:
        return forms
    of_lists = all(operand.shape[1] == 1 for operand in operands)
    most = MOST_ROWS_OF_A_LIST if of_lists else MOST_PARTS
    if longest < most:
        return forms
    return tuple(shortened(form, most) for form in forms)


def _parts(forms: Forms, shown: Forms, result: Number) -> tuple[tuple[str, Expression], ...]:
    """The forms as they are told, each with its sign, and the result."""
    relation = evaluation.relation(forms[-1], result)
    told = [form for k, form in enumerate(shown) if k == 0 or form != shown[k - 1]]  # as elided
    parts = [("=", form) for form in told if not result.is_same(form)]
    return (*parts, (relation, result))


def _row_line(trace: Trace, quantity: Quantity, i: int, *, with_cells: bool = False) -> Line:
    """The working of a row as vectors; `with_cells` shows the sums inside as well."""
    if quantity.is_list:
        return cell_line(trace, quantity, i, 0)
    assert quantity.definition is not None
    operation, operands = quantity.definition.operation, trace.operands(quantity.definition)
    names = tuple(here(trace, quantity, name) for name in quantity.definition.operands)
    forms = list(operation.row(i, names, *operands))
    places = elided(quantity.matrix.shape[1], MOST_PARTS)
    cells = {j: operation.cell(i, j, *operands) for j in places if j is not None}
    if with_cells:
        forms.append(_entries(places, lambda j: cells[j][0]))
    relation, result = _row_result(quantity, i, cells)
    told = (form for form in _short(tuple(forms), operands, quantity) if not _is_same(form, result))
    parts = [("=", form) for form in told]
    label = quantity.symbol(i, name=here(trace, quantity, quantity.name))
    return Line(label, (*parts, (relation, result)), quantity.name)


def _is_same(form: Expression, result: Vector) -> bool:
    """Whether a form of a row is its numbers as they are."""
    if not isinstance(form, Vector) or len(form.entries) != len(result.entries):
        return False
    pairs = zip(result.entries, form.entries, strict=True)
    return all(isinstance(one, Number) and one.is_same(other) for one, other in pairs)


def _row_result(quantity: Quantity, i: int, cells: Mapping[int, Forms]) -> tuple[str, Vector]:
    """The numbers of a row, and whether the last form of each of its `cells` gives them."""
    number = partial(quantity.number, i)
    true = all(evaluation.relation(forms[-1], number(j)) == "=" for j, forms in cells.items())
    result = _entries(elided(quantity.matrix.shape[1], MOST_PARTS), number)
    return "=" if true else "≈", result


def _entries(places: Sequence[int | None], entry: Callable[[int], Expression]) -> Vector:
    return Vector(tuple(Omitted() if j is None else entry(j) for j in places))


def _by_rows(
    trace: Trace, quantity: Quantity, rows: Rows, *, with_cells: bool = False
) -> list[Block]:
    lines = (
        Omitted() if i is None else _row_line(trace, quantity, i, with_cells=with_cells)
        for i in rows
    )
    return [Working(tuple(lines))] if rows else []


def _by_cells(trace: Trace, quantity: Quantity, rows: Rows) -> list[Block]:
    """A cell a line; of a wide table only the first row, which shows how, and the others whole."""
    columns = elided(quantity.matrix.shape[1], MOST_PARTS)
    wide = len(columns) < quantity.matrix.shape[1]
    lines: list[Line | Omitted] = []
    for i in rows[:1] if wide else rows:
        if i is None:
            lines.append(Omitted())
        else:
            lines += (Omitted() if j is None else cell_line(trace, quantity, i, j) for j in columns)
    first: list[Block] = [Working(tuple(lines))] if lines else []
    return first + (_by_rows(trace, quantity, rows[1:]) if wide else [])


def _by_rows_of_sums(trace: Trace, quantity: Quantity, rows: Rows) -> list[Block]:
    """A row a line with its sums inside, where they are short; else a cell a line."""
    assert quantity.definition is not None
    terms = trace.operands(quantity.definition)[0].shape[1] * quantity.matrix.shape[1]
    if terms > _MOST_TERMS_ON_A_LINE:
        return _by_cells(trace, quantity, rows)
    return _by_rows(trace, quantity, rows, with_cells=True)


def _by_additions(trace: Trace, quantity: Quantity, rows: Rows) -> list[Block]:
    return [_addition(trace, quantity, i) for i in rows if i is not None]


def _addition(trace: Trace, quantity: Quantity, i: int) -> Addition:
    assert quantity.definition is not None
    operation = quantity.definition.operation
    assert isinstance(operation, WeightedSum)
    weights, V = trace.operands(quantity.definition)
    places = elided(V.shape[0], MOST_PARTS)
    columns = elided(V.shape[1], MOST_PARTS)
    cells = {j: operation.cell(i, j, weights, V) for j in columns if j is not None}
    relation, total = _row_result(quantity, i, cells)

    def addend(k: int) -> tuple[Product, Vector]:
        weight, values = weights.number(i, k), _entries(columns, partial(V.number, k))
        return Product((weight, values)), scaled_vector(weight, values)

    addends = tuple(Omitted() if k is None else addend(k) for k in places)
    label = quantity.symbol(i, name=here(trace, quantity, quantity.name))
    return Addition(label, addends, relation, total, quantity.name)


_LAYOUTS: dict[Layout, Callable[[Trace, Quantity, Rows], list[Block]]] = {
    "cells": _by_cells,
    "rows": _by_rows,
    "sums": _by_rows_of_sums,
    "addition": _by_additions,
}
