"""How each number of a trace came about: a line of working, made when somebody asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from attncli.arithmetic.expression import Location, Number
from attncli.document import Line
from attncli.telling.working import cell_line
from attncli.trace import Trace


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
            forms = definition.operation.cell(i, j, *self._trace.operands(definition))
            if len(forms) == 1 and isinstance(forms[0], Number):  # whose number it still is
                return Line(label, (("=", forms[0]),), quantity.name)
        return cell_line(self._trace, quantity, i, j)._replace(label=label)

    def __contains__(self, cell: object) -> bool:
        return isinstance(cell, Location) and cell.quantity in self._trace.quantities

    def __iter__(self) -> Iterator[Location]:
        for name, quantity in self._trace.quantities.items():
            yield from (Location(name, i, j) for i, j in np.ndindex(*quantity.matrix.shape))

    def __len__(self) -> int:
        return sum(quantity.matrix.values.size for quantity in self._trace.quantities.values())
