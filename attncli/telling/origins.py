"""How each number of a trace came about: a line of working, made when somebody asks for it; and the
quantities as they are worked again somewhere else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from attncli.arithmetic.expression import Expression, Location, Number
from attncli.arithmetic.operations.moved import Moved
from attncli.document import Line
from attncli.tables import WorkedTable
from attncli.telling.blocks import matrix_block
from attncli.telling.selection import Selection
from attncli.telling.working import cell_line
from attncli.trace import Quantity, Trace


class Origins(Mapping[Location, Line]):
    """The line that works out a number, by where the number stands; of a given one only its value,
    of a copied one the number that it was copied from."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def __getitem__(self, cell: Location) -> Line:
        name, i, j = cell
        quantity = self._trace.quantities[name]
        label = quantity.symbol(i, j, quantity.name)
        definition = quantity.definition
        if definition is not None:
            forms = definition.operation.brief(i, j, *self._trace.operands(definition))
            if len(forms) == 1 and isinstance(forms[0], Number):  # whose number it still is
                return Line(label, (("=", forms[0]),), quantity.name)
        return cell_line(self._trace, quantity, i, j)._replace(label=label)

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


class Workings(Mapping[str, WorkedTable]):
    """The quantities of a trace as they are worked again, by their full names."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def __getitem__(self, name: str) -> WorkedTable:
        quantity = self._trace.quantities[name]
        definition = quantity.definition
        table = matrix_block(quantity, Selection())
        if definition is None:
            return WorkedTable(table, (), None, lambda *_: None)
        formulas = definition.operation.formulas(name, *definition.operands)
        return WorkedTable(table, formulas, self._decimals(quantity), partial(self._form, quantity))

    def __contains__(self, name: object) -> bool:
        return name in self._trace.quantities

    def _decimals(self, quantity: Quantity) -> int | None:
        definition = quantity.definition
        if definition is None or not self._trace.rounding.carries:
            return None
        if definition.operation.copies or isinstance(definition.operation, Moved):
            return None
        return self._trace.rounding.decimals_of(definition.step, quantity.name)

    def _form(self, quantity: Quantity, i: int, j: int) -> Expression | None:
        assert quantity.definition is not None
        operands = self._trace.operands(quantity.definition)
        return quantity.definition.operation.whole_form(i, j, *operands)

    def __iter__(self) -> Iterator[str]:
        return iter(self._trace.quantities)

    def __len__(self) -> int:
        return len(self._trace.quantities)
