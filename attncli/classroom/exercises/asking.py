"""The numbers of a page that are asked for, their points, and the page with blanks for them.

A result is asked for where the page tells it first: at the end of its line of working, or, where no
line has it, in its table. A table that says only what lines have said is left out. A term is a
number inside a line: another quantity's, or one that the line comes to on its way.

What is asked for is nowhere else on the page: where other lines use it, its name stands.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from attncli.classroom.exercises.line_blanks import (
    Asked,
    Blankable,
    LineAsker,
    ShownCells,
    Terms,
    is_distinctive,
    is_in_words,
    is_ruled,
    like,
    numbers_shown,
    revealing,
    with_copies,
    without_copies,
)
from attncli.classroom.exercises.on_the_sheet import sources_of, worked_from
from attncli.classroom.exercises.settled import SettledCells, is_mask
from attncli.classroom.exercises.workable_sections import StepSection, rows_needed
from attncli.classroom.files.exercise_file import (
    EACH,
    MOST_IN_ALL,
    MOST_POINTS,
    TOTAL,
    Blanking,
    Points,
)
from attncli.document.blocks import (
    Block,
    Callout,
    ColumnSum,
    Derivation,
    Spans,
    each,
    parts_of,
)
from attncli.document.languages import Words, words_of
from attncli.document.tables import MatrixBlock
from attncli.errors import Problem, quote
from attncli.maths.equations.elision import MOST_PARTS, elided, elided_rows
from attncli.maths.equations.tree import Location
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Flags
from attncli.option_values import LANGUAGES
from attncli.pages.parts.blocks import given_blocks
from attncli.pages.parts.selection import Selection, SelectionError
from attncli.pages.parts.sentences import joined, put_in
from attncli.trace import Definition, Trace

ENGLISH = words_of(LANGUAGES[0]).tasks


@dataclass(frozen=True, eq=False)
class WholePage:
    """The sections of a page before anything is asked for."""

    trace: Trace
    sections: Sequence[StepSection]
    terms: Terms
    """Which numbers inside lines may be asked for."""
    inputs: Collection[str] = ()
    """The given quantities that may be asked for."""
    again: bool = False
    """Whether copies of what the page tells may be asked for, too."""
    in_rows: bool = False
    """Whether only some rows of tables are asked for."""
    looked_up: bool = True
    """Whether what is looked up in a table is asked for."""
    masks: bool = True
    """Whether what a mask makes, and what follows from it alone, is asked for."""
    named: frozenset[Location] = frozenset()
    """The cells that are asked for by their names."""
    words: Words = ENGLISH
    """The words of the page's frame."""

    @property
    def is_partial(self) -> bool:
        """Tells whether only some cells or rows of what it asks for are asked for."""
        return self.again or self.in_rows

    @cached_property
    def makes(self) -> frozenset[str]:
        """Returns the quantities that are made on the page, but for those that it tells all the
        same."""
        names: set[str] = {d.name for d in self.worked}
        if not self.again:
            names = without_copies(self.worked, looked_up=self.looked_up) - self.masked
        return frozenset(name for name in names if not is_in_words(self.trace, name))

    @cached_property
    def worked(self) -> Sequence[Definition]:
        """Returns the definitions of what is made on the page."""
        whole = (s for s in self.sections if not s.only_asked)
        planned = (definition for s in whole for definition in s.works)
        return [definition for definition in planned if definition.name in self.trace]

    @cached_property
    def copied(self) -> frozenset[str]:
        """Returns what is looked up in a table, or seen through a mask, where it isn't asked
        for."""
        names = self.masked
        if not (self.again or self.looked_up):
            made = without_copies(self.worked, looked_up=False)
            names |= without_copies(self.worked) - made
        return names - {cell.quantity for cell in self.named}

    @cached_property
    def masked(self) -> frozenset[str]:
        """Returns what a mask makes of scores, where it isn't asked for: copies, and what it
        hides."""
        if self.masks:
            return frozenset()
        return frozenset(d.name for d in self.worked if is_mask(self.trace, d))

    @cached_property
    def settled(self) -> frozenset[Location]:
        """Returns the cells that are given since a mask settles them, where it isn't asked for."""
        if self.masks:
            return frozenset()
        cells = SettledCells(self.trace)
        found = (cell for d in self.worked for cell in cells.of(d.name))
        return frozenset(found) - self.named

    @cached_property
    def given_cells(self) -> frozenset[Location]:
        """Returns the cells in tables that sections start from."""
        tables = (
            table
            for s in self.sections
            for block in s.section.blocks
            for table in parts_of(block, MatrixBlock)
            if table.quantity not in {d.name for d in s.part.definitions}
        )
        return frozenset(Location(t.quantity, i, j) for t in tables for i, j in shown_cells(t))

    def places(self) -> list[Blankable]:
        """Returns what can be asked for, in the order of the page."""
        return [place for _, place in self.placed()]

    def placed(self) -> list[tuple[StepSection, Blankable]]:
        """Returns what can be asked for, each with its section."""
        return [
            (s, place)
            for s, places in self._gone_through(Asked())
            for place in places
            if place.quantity not in self.copied and not place.is_of(self.settled)
        ]

    def asking(self, asked: Asked) -> list[tuple[StepSection, list[Blankable]]]:
        """Returns the sections with blanks for what is asked, each with the places of its
        blanks."""
        return [
            (s, [place for place in places if asked.asks(place)])
            for s, places in self._gone_through(asked)
        ]

    def _gone_through(self, asked: Asked) -> list[tuple[StepSection, list[Blankable]]]:
        shown, cells = set[str](), ShownCells(self.trace, again=self.again)
        return [_Asker(self, s, asked, shown, cells).run() for s in self.sections]

    def asked(self, places: Sequence[Blankable], known: Sequence[Blankable]) -> Asked:
        """Returns what may not be told when some of the `known` places are asked for: their cells
        and copies of these, the rest of a quantity all of whose shown cells are asked for, and what
        tells them and is made in no section of the page."""
        cells = frozenset(place.cell for place in places if place.cell is not None)
        names = {cell.quantity for cell in cells}
        kept = {p.quantity for p in known if p.cell is not None and p.cell not in cells}
        kept |= {self.trace[cell.quantity].name for cell in self.given_cells - cells}
        whole = {name for name in names - kept if not self.trace[name].given}
        if self.is_partial:  # others of a quantity may be needed
            whole = {name for name in whole if are_all(self.trace, name, cells)}
        ids = frozenset(place.id for place in places)
        copies = with_copies(self.trace, cells, whole)
        hidden = revealing(self.trace, names) - self.makes - names
        if not self.is_partial:
            return Asked(ids, copies, frozenset(whole | hidden), settled=self.settled)
        hidden |= {cell.quantity for cell in copies} - self.makes - names
        told = self.telling(cells, hidden)
        needed = worked_from(self.trace, hidden, told & self.needed(cells)) & told
        by_formula = frozenset(cell.quantity for cell in needed) & hidden
        return Asked(
            ids, copies | told, frozenset(whole), settled=self.settled, by_formula=by_formula
        )

    def telling(self, cells: frozenset[Location], names: Collection[str]) -> set[Location]:
        """Finds the cells of some quantities from which some others can be read."""
        found = {*cells}
        for name in (n for n in self.trace if n in names):
            every = all_cells(self.trace, name)
            found |= {cell for cell in every if not found.isdisjoint(sources_of(self.trace, cell))}
        return found - cells

    def needed(self, cells: frozenset[Location]) -> set[Location]:
        """Finds the cells that sections start from on the way to some that they ask for."""
        works = ({d.name for d in section.works} for section in self.sections)
        return {
            source
            for own in works
            for source in worked_from(self.trace, own, (c for c in cells if c.quantity in own))
            if source.quantity not in own
        }

    def giving(self, places: Sequence[Blankable], known: Sequence[Blankable]) -> list[Blankable]:
        """Returns the places whose number, if it is not a common one, stands elsewhere on the page
        when they are asked for."""
        asking = self.asking(self.asked(places, known))
        shown = numbers_shown([block for s, _ in asking for block in s.section.blocks])
        return [
            place
            for place in places
            if is_distinctive(place.number) and like(place.number) in shown
        ]

    def everything(self) -> Asked:
        """Returns what may not be told when all that the page makes is asked for."""
        hidden = revealing(self.trace, self.makes)
        return Asked(None, frozenset(), frozenset(hidden), self.copied, self.settled)

    def chain(self, name: str, hidden: Collection[str]) -> list[Definition]:
        """Returns how a hidden quantity that no section makes comes from those that sections make,
        in the order of the working."""
        wanted, chain = {name}, []
        for definition in reversed(self.trace.plan):
            if (
                definition.name in wanted
                and definition.name in hidden
                and definition.name not in self.makes
            ):
                chain.append(definition)
                wanted.update(definition.operands)
        return chain[::-1]


@dataclass(frozen=True)
class _Asker:
    """A walk through one section that takes out what is asked for."""

    page: WholePage
    section: StepSection
    asked: Asked
    shown: set[str]
    """The quantities whose whole tables were shown before."""
    known: ShownCells
    """The cells that were shown before."""
    places: list[Blankable] = field(default_factory=list)
    """The places of the section that may be asked for, as they are found."""

    @cached_property
    def made(self) -> set[str]:
        return {definition.name for definition in self.section.part.definitions}

    @cached_property
    def lines(self) -> LineAsker:
        path = self.section.part.path
        return LineAsker(self.page.trace, path, self.asked, self.known, self.page.terms)

    def run(self) -> tuple[StepSection, list[Blankable]]:
        section = self.section.section
        blocks = tuple(block for entry in each(section.blocks) for block in self.block(entry))
        return self.section._replace(section=section._replace(blocks=blocks)), self.places

    def block(self, block: Block) -> Iterator[Block]:
        asking: Block | None
        match block:
            case Derivation():
                asking, places = self.lines.working(block)
            case ColumnSum():
                asking, places = self.lines.addition(block)
            case MatrixBlock() if self.gives_away(block):
                # a table would tell what is asked for: not one that the section makes itself
                yield from self.follows(block.quantity)
                return
            case MatrixBlock():
                asking, places = self.table(block)
            case _:
                asking, places = block, []
        self.places.extend(places)
        if asking is not None:
            yield asking

    def gives_away(self, block: MatrixBlock) -> bool:
        """Tells whether the table of what the section doesn't make itself has numbers of what is
        asked for, or from which that follows."""
        name, asked = block.quantity, self.asked
        if name in self.made:
            return False
        follows = name in asked.by_formula
        cells = (Location(name, i, j) for i, j in shown_cells(block)) if follows else ()
        return name in asked.quantities or any(map(asked.hides, cells))

    def table(self, block: MatrixBlock) -> tuple[Block | None, list[Blankable]]:
        name = block.quantity
        own = name in self.made
        if len(block.rows) == block.matrix.shape[0]:
            self.shown.add(name)
        shown = [Location(name, i, j) for i, j in shown_cells(block)]
        if not own and name not in self.page.inputs:
            self.known.add(cell for cell in shown if not self.asked.hides(cell))
            return self.with_blanks(block, []), []
        if own and (self.is_in_lines(shown) or self.is_ruled(name)):
            return None, []
        quantity = self.page.trace[name]
        numbers = [quantity.number(c.row, c.column) for c in shown if not self.known.has(c)]
        self.known.add(shown)
        places = [self.lines.result_place(number, name) for number in numbers]
        return self.with_blanks(block, places), places

    def is_ruled(self, name: str) -> bool:
        """Tells whether the formula says all that a table holds, which is then asked for in cells
        at most."""
        return not self.page.again and is_ruled(self.page.trace, name)

    def is_in_lines(self, cells: Sequence[Location]) -> bool:
        """Tells whether lines of the section have the cells, or all that they copy."""
        sources = {self.known.source(place.cell) for place in self.places if place.cell is not None}
        return sources.issuperset(map(self.known.source, cells))

    def with_blanks(self, block: MatrixBlock, places: Sequence[Blankable]) -> MatrixBlock:
        blanks = {
            (place.cell.row, place.cell.column): place.id
            for place in places
            if place.cell is not None and self.asked.asks(place)
        }
        untold = self.untold(block) & ~block.matrix.marked(blanks)
        if not blanks and not untold.any():
            return block
        matrix = block.matrix.without(untold) if untold.any() else block.matrix
        display = block.display._replace(with_sums=False)
        return block._replace(matrix=matrix, blanks=blanks, display=display)

    def untold(self, block: MatrixBlock) -> Flags:
        """Returns the cells that the table may not tell. -> [n, m]"""
        name, settled = block.quantity, self.asked.settled
        if name in self.asked.quantities:
            told = (c for c in settled if c.quantity == name)
            return ~block.matrix.marked((c.row, c.column) for c in told)
        own = (c for c in self.asked.cells - settled if c.quantity == name)
        return block.matrix.marked((c.row, c.column) for c in own)

    def follows(self, name: str) -> Iterator[Block]:
        """Yields what stands in place of a table that would tell what is asked for: its formulas,
        and the tables that these need besides."""
        trace, path = self.page.trace, self.section.part.path
        hidden = self.asked.quantities | self.asked.by_formula
        chain = self.page.chain(name, hidden)
        formulas: list[Spans] = []
        for definition in chain:
            names = (n.seen_from(path) for n in (definition.name, *definition.operands))
            formulas += ((formula,) for formula in definition.operation.formulas(*names))
        yield Callout(put_in(self.page.words.goes_on, formulas=joined(formulas)))
        rows = self.rows_needed(chain)
        needed = dict.fromkeys(operand for definition in chain for operand in definition.operands)
        for operand in needed:
            known = operand in self.shown or operand in self.page.makes - self.in_part
            if known or operand in hidden:
                continue
            for block in given_blocks(trace, [trace[operand]], Selection(), path):
                table = self.with_blanks(block, []) if isinstance(block, MatrixBlock) else block
                if operand in rows and isinstance(table, MatrixBlock):
                    table = table._replace(rows=tuple(sorted(rows[operand])))
                yield table
            if len(rows.get(operand, ())) in (0, trace[operand].matrix.shape[0]):
                self.shown.add(operand)

    def rows_needed(self, chain: Iterable[Definition]) -> Mapping[str, set[int]]:
        """Returns the rows of quantities that the section takes of them, where only some of its
        rows are asked for and some definitions lead to what it starts from."""
        selection, cells, _ = self.section.wanted
        if cells or not selection.queries:
            return {}
        own = self.made | {definition.name for definition in chain}
        return rows_needed(self.page.trace, self.section.part, own, selection)

    @cached_property
    def in_part(self) -> set[str]:
        """Returns the quantities of which the page asks for some cells, and doesn't tell the
        others."""
        names = (
            {cell.quantity for cell in self.asked.cells}
            if self.page.again or self.page.in_rows
            else set[str]()
        )
        trace, cells = self.page.trace, self.asked.cells
        return {name for name in names if not are_all(trace, name, cells)}


def are_all(trace: Trace, name: str, cells: Collection[Location]) -> bool:
    """Tells whether some cells are all that a quantity has, and maybe more."""
    return sum(cell.quantity == name for cell in cells) == trace[name].matrix.size


def all_cells(trace: Trace, name: str) -> set[Location]:
    """Returns the cells of a quantity."""
    rows, columns = trace[name].matrix.shape
    return {Location(name, i, j) for i in range(rows) for j in range(columns)}


def shown_cells(block: MatrixBlock) -> Iterator[tuple[int, int]]:
    """Yields the cells of a table that a page shows, and doesn't elide."""
    places = elided_rows(len(block.rows), of_list=block.is_list)
    rows = [block.rows[k] for k in places if k is not None]
    columns = [j for j in elided(block.matrix.shape[1], MOST_PARTS) if j is not None]
    return ((i, j) for i in rows for j in columns)


def parse_blanking(text: str) -> Blanking:
    """Reads what `--blank` says. Raises SelectionError."""
    try:
        return Blanking.of(text)
    except decimals.UnreadableError as error:
        raise SelectionError.of(f"--blank {text}", error.wrong, error.right) from None


def parse_points(texts: Sequence[str]) -> Points:
    """Reads what `--points` says: `2` for each blank, `softmax=2` for those of a step, `exp=0.5`
    for those of a quantity, `total=30` for all together. Raises SelectionError, naming all that is
    wrong."""
    found: dict[str, Decimal] = {}
    wrong: list[Problem] = []
    for text in texts:
        name, _, count = text.rpartition("=")
        option, most = f"--points {text}", MOST_IN_ALL if name == TOTAL else MOST_POINTS
        worth = _worth(count, most)
        if worth is None:
            right = f"give a number from 0 to {most}"
            wrong.append(Problem.of(option, f"{quote(count)} is no number of points", right))
        else:
            found[name or EACH] = worth
    if TOTAL in found and EACH in found:
        right = f"keep {TOTAL} or {EACH}"
        wrong.append(Problem.of("--points", "points of all together and of each", right))
    if wrong:
        raise SelectionError(wrong)
    return Points.of_names(found)


def _worth(text: str, most: int) -> Decimal | None:
    """Reads the points that a text says. Returns None for what is no number of points."""
    try:
        number = decimals.parse(text)
    except ValueError:
        return None
    return number if 0 <= number <= most else None


def terms_of(blankings: Sequence[Blanking]) -> Terms:
    """Returns which numbers inside lines may be asked for. Where results are asked for too, these
    are only those that nothing else on the sheet tells."""
    return Terms(
        any(b.terms for b in blankings),
        copied=all(b.kind == "working" for b in blankings),
        ruled=any(b.kind == "all" for b in blankings),
    )


def takes(blanking: Blanking, place: Blankable) -> bool:
    """Tells whether numbers such as this one are taken out."""
    return blanking.terms if place.cell is None else blanking.results


def chosen(
    places: Sequence[Blankable],
    blanking: Blanking,
    seed: str,
    function: Callable[[Sequence[Blankable]], Collection[Blankable]],
) -> list[Blankable]:
    """Chooses the places that are asked for, in their order: at least one, if there are any.

    Of a share, those that `function` finds to be told elsewhere when they are asked for make room
    for others. Where all are told, they stay.
    """
    from random import Random

    kept = [place for place in places if takes(blanking, place)]
    if blanking.kind != "random" or not kept:
        return kept
    count = max(1, round(len(kept) * blanking.share))
    waiting = Random(seed).sample(range(len(kept)), len(kept))
    while True:
        drawn = sorted(waiting[:count])
        bad = function([kept[k] for k in drawn])
        left = [k for k in waiting if kept[k] not in bad]
        if not bad or not left:
            return [kept[k] for k in drawn]
        waiting = left
