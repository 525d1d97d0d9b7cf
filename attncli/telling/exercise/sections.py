"""The sections of a page that can be worked by itself: each shows what its working starts from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from attncli.document import (
    Block,
    Line,
    Prose,
    Section,
    SideBySide,
    Subheading,
    Working,
)
from attncli.scenario.address import Address
from attncli.telling.blocks import given_blocks
from attncli.telling.parts import made_by, operands_of, step_of, told_parts
from attncli.telling.selection import Selection
from attncli.telling.walkthrough import remarks_on, section_of, table_together, worked_blocks
from attncli.telling.working import cell_line, working_of
from attncli.trace import Part, Quantity, Trace

Cells = Sequence[tuple[str, Address]]


def sections_of(trace: Trace, selection: Selection) -> list[Section]:
    """A section for each part that is told, its tables one after the other."""
    return _sections(
        trace,
        selection.includes,
        lambda part, context: [
            *worked_blocks(trace, part, selection, context),
            *_separate(table_together(trace, part, selection), part),
        ],
    )


def sections_of_cells(trace: Trace, cells: Cells, selection: Selection) -> list[Section]:
    """A section for each part that makes one of the cells, with the lines of these alone; and
    one for the first part that uses a given one."""
    wanted = {name for name, _ in cells}
    made = {name for name in wanted if not trace[name].given}
    users = {_first_user(trace, name) for name in wanted - made}
    whole = [section for section in sections_of(trace, Selection()) if _place(section) in users]
    asked = _sections(
        trace,
        lambda part: any(making.name in made for making in part.makings),
        lambda part, context: _blocks_of_cells(trace, part, context, cells, selection),
    )
    return sorted([*whole, *asked], key=lambda section: section.number or 0)


def working_in(
    trace: Trace, part: Part, names: Collection[str], cells: Cells, selection: Selection
) -> list[Block]:
    """The full working of some quantities that a part makes; of some cells only, if these are
    given."""
    made = [quantity for quantity in made_by(trace, part) if quantity.name in names]
    if not cells:
        return [block for quantity in made for block in working_of(trace, quantity, selection)]
    known = {quantity.name for quantity in made}
    return [Working(tuple(_line(trace, part, *c, selection) for c in cells if c[0] in known))]


def _sections(
    trace: Trace,
    told: Callable[[Part], bool],
    blocks: Callable[[Part, Sequence[Quantity]], Iterable[Block]],
) -> list[Section]:
    numbered = [(k, part) for k, part in enumerate(told_parts(trace), start=1) if told(part)]
    known = {making.name for _, part in numbered for making in part.makings}
    sections = []
    for number, part in numbered:
        context = [q for q in operands_of(trace, part) if q.name not in known]
        known |= {quantity.name for quantity in context}
        sections.append(section_of(trace, part, number, tuple(blocks(part, context))))
    return sections


def _separate(blocks: Sequence[Block], part: Part) -> list[Block]:
    """Rows side by side as a table each, which is better to write in: those that the part made."""
    made = {making.name for making in part.makings}
    tables: list[Block] = []
    for block in blocks:
        columns = block.columns if isinstance(block, SideBySide) else ()
        tables += [table for _, table in columns if table.quantity in made] if columns else [block]
    return tables


def _first_user(trace: Trace, name: str) -> tuple[str, str]:
    parts = (p for p in told_parts(trace) if name in {q.name for q in operands_of(trace, p)})
    return next(((part.step, part.path) for part in parts), ("", ""))


def _place(section: Section) -> tuple[str, str]:
    return section.step, section.path


def _blocks_of_cells(
    trace: Trace, part: Part, context: Sequence[Quantity], cells: Cells, selection: Selection
) -> list[Block]:
    lines = [
        _line(trace, part, name, address, selection)
        for name, address in cells
        if name in {quantity.name for quantity in made_by(trace, part)}
    ]
    return [
        Prose((step_of(part).happens(part.scope),)),
        *given_blocks(trace, context, Selection(), part.path),
        *remarks_on(trace, part),
        Working(tuple(lines)),
    ]


def _line(trace: Trace, part: Part, name: str, address: Address, selection: Selection) -> Line:
    """The line of a cell; in a summary only its result."""
    line = cell_line(trace, trace[name], *trace[name].find(address), whole=True)
    label = line.label._replace(name=part.scope.here(name))
    parts = line.parts[-1:] if selection.detail == "summary" else line.parts
    return line._replace(label=label, parts=parts)


def without_heading(section: Section) -> list[Block]:
    """A section that asks for nothing, as blocks of another."""
    return [Subheading(section.heading), *section.blocks]
