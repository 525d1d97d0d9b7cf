"""What would lead to an answer: copies of it, and what is made of it figure by figure."""

from __future__ import annotations

from collections.abc import Collection, Set

from attncli.arithmetic.expression import Cell, Number
from attncli.trace import Making, Trace
from attncli.trace.signature import parse


def telling(trace: Trace, names: Collection[str]) -> set[str]:
    """The quantities of these names, and all that is made of them figure by figure, by a copy,
    a division, an addition: from those they can be read. What adds several figures up, as a
    product of matrices does, keeps them to itself."""
    found = set(names)
    for making in trace.plan:
        if making.name in trace and not found.isdisjoint(making.operands) and _keeps(making):
            found.add(making.name)
    return found


def _keeps(making: Making) -> bool:
    """Whether each figure that goes in can be told by one that comes out."""
    if making.operation.copies:
        return True
    signature = parse(making.operation.signature())
    left = {letter for side in signature.result for letter, _ in side.letters}
    return all(
        letter in left
        for sides in signature.operands
        for side in sides
        for letter, _ in side.letters
    )


def with_copies(trace: Trace, cells: Set[Cell], whole: Collection[str]) -> frozenset[Cell]:
    """Cells with all cells that only copy them; those of `whole` quantities are hidden anyway."""
    found = set(cells)
    names = {cell.quantity for cell in cells}
    for making in trace.plan:
        if making.name not in trace or making.name in whole or names.isdisjoint(making.operands):
            continue
        copies = _copies(trace, making, found)
        found |= copies
        names |= {making.name} if copies else set()
    return frozenset(found)


def _copies(trace: Trace, making: Making, cells: Set[Cell]) -> set[Cell]:
    """The cells of a quantity that copy some of these."""
    operands = trace.operands(making)
    rows, columns = trace[making.name].matrix.shape
    if not _is_copy(making.operation.cell(0, 0, *operands)[0]) and not making.operation.copies:
        return set()
    sources = {
        Cell(making.name, i, j): making.operation.cell(i, j, *operands)[0]
        for i in range(rows)
        for j in range(columns)
    }
    return {
        cell
        for cell, form in sources.items()
        if isinstance(form, Number) and form.cell is not None and form.cell in cells
    }


def _is_copy(form: object) -> bool:
    return isinstance(form, Number) and form.cell is not None
