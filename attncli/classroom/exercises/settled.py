"""Numbers that a mask settles: −∞, the zeros that follow from it, and the 1 of what is seen alone.

To write them down is no work: they stand on a sheet as given, unless the mask itself is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from attncli.classroom.exercises.line_blanks import copied_cell, keeps_each, moves
from attncli.maths.equations.tree import Location
from attncli.maths.numbers.rounding import Flags
from attncli.maths.operations.equation import is_a
from attncli.maths.operations.masking import Masked, Seen
from attncli.maths.operations.softmax import DivideByRow, RowSum
from attncli.names import Name
from attncli.trace import Definition, Trace


def is_mask(trace: Trace, definition: Definition) -> bool:
    """Tells whether a definition hides by a rule or a given table: what experts or tokens are kept
    is a choice that is worked."""
    if not isinstance(definition.operation, Masked):
        return False
    made = trace[definition.operands[1]].definition
    return made is None or isinstance(made.operation, Seen)


@dataclass(frozen=True, eq=False)
class SettledCells:
    """The cells of a trace that a mask settles, looked up quantity by quantity."""

    trace: Trace
    _hidden: dict[Name, Flags] = field(default_factory=dict)

    def of(self, name: Name) -> Iterator[Location]:
        """Yields the cells of a quantity that are settled."""
        for i, j in np.argwhere(self._settled(name)):
            yield Location(name, int(i), int(j))

    def _settled(self, name: Name) -> Flags:
        hidden, definition = self.hidden(name), self.trace[name].definition
        if definition is None or not hidden.any() or not is_a(definition.operation, DivideByRow):
            return hidden
        added = self.trace[definition.operands[1]].definition
        if (
            added is None
            or not is_a(added.operation, RowSum)
            or added.operands != (definition.operands[0],)
        ):  # a sink takes its share
            return hidden
        alone = (~hidden).sum(axis=1, keepdims=True) == 1
        return np.asarray(hidden | (alone & (self.trace[name].values == 1)))

    def hidden(self, name: Name) -> Flags:
        """Finds the cells of what is hidden, −∞, and of the zeros that follow from it. -> [n, m]"""
        if name not in self._hidden:
            self._hidden[name] = self._found(name)
        return self._hidden[name]

    def _found(self, name: Name) -> Flags:
        trace, quantity = self.trace, self.trace[name]
        definition, values = quantity.definition, quantity.values
        if definition is None:
            return np.isneginf(values)
        if isinstance(definition.operation, Masked):
            if not is_mask(trace, definition):
                return np.zeros(values.shape, dtype=np.bool_)
            return np.asarray(trace[definition.operands[1]].values == 0)
        nothing = (values == 0) | np.isneginf(values)
        if not nothing.any():
            return np.asarray(nothing)
        if moves(definition):
            return self._moved(definition, nothing)
        follows = self._follows(definition, values.shape)
        return np.asarray(np.isneginf(values) | (nothing & follows))

    def _follows(self, definition: Definition, shape: tuple[int, ...]) -> Flags:
        """Finds the cells that are made of a hidden one, number by number."""
        found = np.zeros(shape, dtype=np.bool_)
        signature = definition.operation.sides
        for operand, sides in zip(definition.operands, signature.operands, strict=False):
            if sides == signature.result and keeps_each(definition) and operand in self.trace:
                found |= self.hidden(operand)
        return found

    def _moved(self, definition: Definition, nothing: Flags) -> Flags:
        """Finds the cells, among those that are nothing, that are copies of hidden ones."""
        found = np.zeros(nothing.shape, dtype=np.bool_)
        for i, j in np.argwhere(nothing):
            cell = copied_cell(self.trace, definition, int(i), int(j))
            if cell is not None and cell.quantity in self.trace:
                found[i, j] = self.hidden(self.trace[cell.quantity].name)[cell.row, cell.column]
        return found
