"""What would lead to an answer: copies of it, and what is made of it number by number."""

from __future__ import annotations

from collections.abc import Collection, Set

from attncli.arithmetic.expression import Location
from attncli.telling.exercise.told import copied_cell
from attncli.trace import Definition, Trace


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
