"""Which figures of a page can be asked for, and the page with blanks in their place.

A result is asked for where the page tells it first: at the end of its line of working, or, where
no line has it, in its table. A table that says only what lines have said is left out. A term is
a figure inside a line: another quantity's, or one that the line comes to on its way.

What is asked for is nowhere else on the page: where other lines use it, its name stands.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from attncli.arithmetic.expression import MOST_PARTS, Cell, elided
from attncli.document import Addition, Block, MatrixBlock, Note, Section, Span, Working
from attncli.telling.exercise.lines import Asked, LineAsker, Place
from attncli.telling.parts import told_parts
from attncli.trace import Making, Trace
from attncli.trace.scope import local_name


class Page(NamedTuple):
    """The sections of a page before anything is asked for. `terms` says whether those inside
    lines may be asked for; `inputs` are the given quantities that may."""

    trace: Trace
    sections: Sequence[Section]
    terms: bool
    inputs: Collection[str] = ()

    def places(self) -> list[list[Place]]:
        """What can be asked for in each section, in the order of the page."""
        return [places for _, places in self._gone_through(Asked())]

    def asking(self, asked: Asked) -> list[tuple[Section, list[Place]]]:
        """The sections with blanks for what is asked, and the places of the blanks."""
        return [
            (section, [place for place in places if place.id in asked.ids])
            for section, places in self._gone_through(asked)
        ]

    def _gone_through(self, asked: Asked) -> list[tuple[Section, list[Place]]]:
        made = {
            (part.step, part.path): frozenset(making.name for making in part.makings)
            for part in self.trace.story
        }
        return [
            _Asker(self, section, asked, made[section.step, section.path]).run()
            for section in self.sections
        ]

    def asked(self, places: Sequence[Place], known: Sequence[Place]) -> Asked:
        """What may not be told when some of the `known` places are asked for: their cells, the
        rest of a quantity all of whose shown cells are asked for, and what follows from them
        and is not told on the page."""
        cells = frozenset(place.cell for place in places if place.cell is not None)
        names = {cell.quantity for cell in cells}
        told = {p.quantity for p in known if p.cell is not None and p.cell not in cells}
        whole = {name for name in names - told if not self.trace[name].given}
        ids = frozenset(place.id for place in places)
        return Asked(ids, cells, frozenset(whole | self._following(names)))

    def _following(self, names: Collection[str]) -> set[str]:
        """What is made of quantities that are asked for, in no section of the page."""
        on_page = {(section.step, section.path) for section in self.sections}
        follows, off = set(names), set()
        for part in told_parts(self.trace):
            for making in part.makings:
                if not follows.isdisjoint(making.operands):
                    follows.add(making.name)
                    off |= set() if (part.step, part.path) in on_page else {making.name}
        return off

    def chain(self, name: str, hidden: Collection[str]) -> list[Making]:
        """How a hidden quantity that no section makes comes from those that sections make."""
        on_page = {(section.step, section.path) for section in self.sections}
        makings = [
            making
            for part in self.trace.story
            if (part.step, part.path) not in on_page
            for making in part.makings
        ]
        wanted, chain = {name}, []
        for making in reversed(makings):
            if making.name in wanted and making.name in hidden:
                chain.append(making)
                wanted.update(making.operands)
        return chain[::-1]


class _Asker:
    """Goes through one section; `made` are the quantities that its own part makes."""

    def __init__(self, page: Page, section: Section, asked: Asked, made: frozenset[str]) -> None:
        self.page, self.section, self.asked, self.made = page, section, asked, made
        self.lines = LineAsker(page.trace, section.path, asked, terms=page.terms)
        self.places: list[Place] = []

    def run(self) -> tuple[Section, list[Place]]:
        blocks = tuple(block for one in self.section.blocks for block in self.block(one))
        return self.section._replace(blocks=blocks), self.places

    def block(self, block: Block) -> Iterator[Block]:
        told: Block | None
        match block:
            case Working():
                told, places = self.lines.working(block)
            case Addition():
                told, places = self.lines.addition(block)
            case MatrixBlock():
                told, places = self.table(block)
            case _:
                told, places = block, []
        self.places += places
        if told is not None:
            yield told

    def table(self, block: MatrixBlock) -> tuple[Block | None, list[Place]]:
        name = block.quantity
        own = name in self.made
        if name in self.asked.quantities and not own:
            return self.follows(name), []
        if not own and name not in self.page.inputs:
            return block, []
        said = {place.cell for place in self.places}
        shown = [Cell(name, i, j) for i, j in shown_cells(block)]
        if own and said.issuperset(shown):
            return None, []
        quantity = self.page.trace[name]
        numbers = [quantity.number(cell.row, cell.column) for cell in shown if cell not in said]
        places = [self.lines.result_place(n, name) for n in numbers if n.shown.is_finite()]
        return self.with_blanks(block, places), places

    def with_blanks(self, block: MatrixBlock, places: Sequence[Place]) -> MatrixBlock:
        blanks = {
            (place.cell.row, place.cell.column): place.id
            for place in places
            if place.cell is not None and place.id in self.asked.ids
        }
        untold = self.untold(block) - blanks.keys()
        if not blanks and not untold:
            return block
        matrix = block.matrix.without(untold) if untold else block.matrix
        return block._replace(matrix=matrix, blanks=blanks, with_sums=False)

    def untold(self, block: MatrixBlock) -> set[tuple[int, int]]:
        """The cells that the table may not tell."""
        rows, columns = block.matrix.shape
        if block.quantity in self.asked.quantities:
            return {(i, j) for i in range(rows) for j in range(columns)}
        return {(c.row, c.column) for c in self.asked.cells if c.quantity == block.quantity}

    def follows(self, name: str) -> Note:
        """What stands in the place of a table that follows from what is asked: its formulas."""
        spans: list[Span] = []
        for making in self.page.chain(name, self.asked.quantities):
            names = (local_name(n, self.section.path) for n in (making.name, *making.operands))
            spans += [", " if spans else "", making.operation.formula(*names)]
        return Note(("It goes on from what you have worked out: ", *spans, "."))


def shown_cells(block: MatrixBlock) -> Iterator[tuple[int, int]]:
    """The cells of a table that a page shows, and doesn't elide."""
    rows = [block.rows[k] for k in elided(len(block.rows), MOST_PARTS) if k is not None]
    columns = [j for j in elided(block.matrix.shape[1], MOST_PARTS) if j is not None]
    return ((i, j) for i in rows for j in columns)
