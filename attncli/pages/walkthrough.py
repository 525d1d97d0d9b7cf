"""The whole worked trace, or a part of it, as a document; its length, and its usual detail.

`full` works every cell, `rows` one row of each table, `summary` shows each head's weights, what the
page comes to, and what was found. A page that would be long in full is told by `rows`; one that is
long all the same says at its top how to see less, or more, of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from attncli.document.blocks import (
    ONLY_DATA,
    Block,
    Bullets,
    Callout,
    ColumnSum,
    DefinitionList,
    Derivation,
    Document,
    Graph,
    Line,
    Paragraph,
    Section,
    Spans,
    Subheading,
    Table,
    Term,
    Tree,
    each,
    rule_for,
    text_of_spans,
)
from attncli.document.grid import BAR, BETWEEN_TABLES, GAP, grid_of
from attncli.document.pictures import PICTURES
from attncli.document.retold import Followed, retold
from attncli.document.tables import MatrixBlock, SideBySide, in_groups
from attncli.maths.equations.tree import Equation
from attncli.maths.notation import plain
from attncli.maths.notation.columns import PartColumns, Room, bands
from attncli.names import Name, Word
from attncli.pages.parts.blocks import (
    given_block,
    given_blocks,
    matrix_block,
    short_tree,
    token_blocks,
    tree_block,
)
from attncli.pages.parts.closing import closing_of, ending_facts, ending_of
from attncli.pages.parts.findings import (
    findings_of,
    first_number,
    in_brief,
    in_one,
    is_again,
    is_in_brief,
    is_left_out,
    keys_and_values,
)
from attncli.pages.parts.published import differences_in
from attncli.pages.parts.sections import (
    ROUNDED_BY_ITSELF,
    arranged,
    as_result,
    cuts_of,
    example_of,
    happens_again,
    in_fewer_words,
    is_back_in_time,
    leads_on,
    learned_at,
    of_sums,
    only_data,
    opening_blocks,
    opening_of,
    section_of,
    table_together,
)
from attncli.pages.parts.selection import (
    Selection,
    copied_in,
    idle_before,
    is_structured,
    made_by,
    only_for_sizes,
    operands_of,
    row_asked_for,
    shown_parts,
    step_of,
    with_routing,
    without_asides,
)
from attncli.pages.parts.sentences import about_of, facts_of, rounding_facts
from attncli.pages.parts.working import Origins, Workings, with_inputs
from attncli.scenario.scenario import Scenario
from attncli.trace import BackwardPlace, PlannedStep, Quantity, Trace, UpdatePlace

if TYPE_CHECKING:
    from attncli.pages.parts.gradients import Alike


_CELLS = 78
"""The columns that a block has in a terminal of 80."""
_ROOM = Room(_CELLS, 3, 2, len)
_TITLE = 3


def length_of(document: Document) -> int:
    """Estimates how many lines a page has in a terminal of 80 columns."""
    sections = sum(map(length_of_section, document.sections))
    ends = (document.lead, document.opening, document.closing, document.foot)
    return _TITLE + sections + sum(map(_lines, ends))


def length_of_section(section: Section) -> int:
    """Estimates how many lines a section has, with its heading; none if it is only data."""
    if section.is_data:
        return 0
    return 1 + _lines_of_heading(section) + _lines(section.blocks)


def _lines_of_heading(section: Section) -> int:
    text = _width_of(section.heading)
    formulas = sum(len(plain(formula)) + BAR for formula in section.formulas)
    return 1 if text + formulas <= _CELLS else 1 + len(section.formulas)


def _lines(blocks: Sequence[Block]) -> int:
    """Counts the lines of blocks, each with the empty line behind it; small tables stand side by
    side."""
    shown = (block for block in each(blocks) if not isinstance(block, ONLY_DATA))
    return sum(1 + height for height in _heights(shown))


def _heights(blocks: Iterable[Block]) -> Iterator[int]:
    """Yields the heights of blocks: of tables that follow each other, of each row as they stand
    side by side; of every other block alone."""
    for are_tables, group in groupby(blocks, lambda block: isinstance(block, MatrixBlock)):
        if not are_tables:
            yield from (rule_for(block, _HEIGHTS, "a page")(block) for block in group)
            continue
        tables = [block for block in group if isinstance(block, MatrixBlock)]
        pairs = [[grid_of(table).size(_CELLS) for table in pair] for pair in in_groups(tables)]
        for row in bands(pairs, _width_of_pair, _CELLS, BETWEEN_TABLES):
            yield max(height for pair in row for _, height in pair)


def _width_of_pair(sizes: Sequence[tuple[int, int]]) -> int:
    return sum(width + GAP for width, _ in sizes) - GAP


def _wrapped(text: Spans) -> int:
    """Counts the lines of running text, which are broken at spaces: not quite full."""
    return 1 + _width_of(text) // (_CELLS - BAR)


def _width_of(text: Spans) -> int:
    return len(text_of_spans(text))


def _height_of_lines(block: Derivation) -> int:
    """Counts the lines of a working, whose parts stand in columns."""
    lines = block.lines
    worked = [line for line in lines if isinstance(line, Line)]
    labels = [plain(line.label) for line in worked]
    texts = [[plain(part) for _, part in line.parts] for line in worked]
    columns = PartColumns.of(labels, texts, _ROOM)
    room = int(columns.room) - int(_ROOM.relation)
    omitted = len(lines) - len(worked)
    return omitted + sum(_height_of_row(row, columns, room) for row in texts)


def _height_of_row(row: Sequence[str], columns: PartColumns, room: int) -> int:
    """Counts the lines that one line of working takes: a last part that is too long goes on on the
    next."""
    breaks = columns.breaks[len(row)]
    ends = [k for k in range(len(row)) if k == len(row) - 1 or breaks[k + 1]]
    return columns.own_line + sum(1 + max(0, len(row[k]) - 1) // room for k in ends)


def _height_of_addition(block: ColumnSum) -> int:
    """Counts the lines of a column addition, whose products have lines of their own where they are
    wide."""
    lines = 2 if len(plain(block.total)) > _CELLS // 3 else 1
    return lines * len(block.addends) + 3


def _height_of_table(block: MatrixBlock | Table) -> int:
    return grid_of(block).size(_CELLS)[1]


def _height_side_by_side(block: SideBySide) -> int:
    """Counts the lines of vectors side by side in bands, or of a table each where these are too
    wide."""
    caption, grid = 2 if block.caption else 0, grid_of(block)
    names, *vectors = (column.width for column in grid.columns)
    if names + BAR + max(vectors) <= _CELLS:
        return caption + grid.size(_CELLS)[1]
    return caption + sum(_height_of_table(matrix) + 1 for _, matrix in block.columns) - 1


_HEIGHTS: Mapping[type, Callable[[Any], int]] = {
    Derivation: _height_of_lines,
    ColumnSum: _height_of_addition,
    MatrixBlock: _height_of_table,
    SideBySide: _height_side_by_side,
    Graph: lambda block: len(block.edges) + len({edge.source for edge in block.edges}) - 1,
    Table: _height_of_table,
    Tree: lambda block: sum(_wrapped((*row.title, *row.made)) for row in block.rows),
    DefinitionList: lambda block: sum(_wrapped((name, *text)) for name, text in block.rows),
    Bullets: lambda block: sum(map(_wrapped, block.items)),
    Paragraph: lambda block: _wrapped(block.text),
    Callout: lambda block: _wrapped(block.text),
    Subheading: lambda block: _wrapped(block.text),
    **dict.fromkeys(PICTURES, lambda _: 0),
}
"""The lines of each kind of block."""


MOST_IN_FULL = 400
"""The lines of the longest page that is told in full without being asked for."""
LONG = 310
"""A page of more lines says how to see less of it; one of training, which has a way back and an
update for each step forth, is told in full only if it has no more."""
ONE_PAGE = 70
"""The lines of a sheet of A4, six an inch; a page that ends with the way back is told in full only
if it has no more, and says nothing of how to see less."""


def most_in_full(scenario: Scenario) -> int:
    """Returns the lines of the longest page of a scenario that is told in full without being asked
    for."""
    if scenario.training:
        return LONG
    return ONE_PAGE if scenario.goes_back else MOST_IN_FULL


def how_to_see_less(detail: str, length: int, asked: str = "") -> list[Block]:
    """Says at the top of a page of so many lines what else could be told of it; and which token's
    row is worked, where it is that of one that is `asked` for."""
    if detail == "rows":
        whose: Spans = (", that of “", Word(asked), "” where there is one") if asked else ()
        spans: Spans = ("One row of each table is worked", *whose, " (", Term("--detail full"))
        notes = (*spans, ": all, ", Term("--detail summary"), ": none).")
        return [Callout(retold(Followed(), *notes))]
    if detail == "full" and length > LONG:
        rows = ("This page is long. ", Term("--detail rows"), " works one row of each table. ")
        less = " shows the weights, the results and what was found."
        return [Callout(retold(Followed(), *rows, Term("--detail summary"), less))]
    return []


# --------------------------------------------------------------------------------------------------
# The whole worked trace, or a part of it, as a document, and those of the traces beside it: of
# variants, and of each token that is generated after the first.


class FurtherPages(Mapping[str, "Document"]):
    """A mapping of the further pages by what they are called; each is told when somebody asks for
    it."""

    def __init__(self, trace: Trace, tell: Callable[[Trace], Document]) -> None:
        self._title, self._tell = trace.scenario.title, tell
        self._traces = trace.further

    def __getitem__(self, name: str) -> Document:
        trace = self._traces[name]
        page = self._tell(trace)
        varied = Word("; ".join(trace.scenario.varied))
        other = (
            (Callout(("Otherwise than in the scenario itself: ", varied, ".")),)
            if varied.raw
            else ()
        )
        title = Word(f"{self._title}: {name}")
        return page._replace(title=title, opening=(*other, *page.opening), closing=())

    def __iter__(self) -> Iterator[str]:
        return iter(self._traces)

    def __len__(self) -> int:
        return len(self._traces)


def walkthrough(trace: Trace, selection: Selection) -> Document:
    """Returns the page of `attn run`: facts, a section a part, what is missing for going on."""
    selection = with_routing(trace, selection)
    return _noted(
        trace, _page(trace, selection, tuple(_sections_in_turn(trace, selection))), selection
    )


def as_it_fits(trace: Trace, selection: Selection) -> Document:
    """Returns the page in full; if that were long, by rows. Where a page gets long, telling it in
    full goes no further."""
    selection = with_routing(trace, selection)
    full, rows = (selection._replace(detail=detail, as_fits=True) for detail in ("full", "rows"))
    sections: list[Section] = []
    length, most = 0, most_in_full(trace.scenario)
    for section in _sections_in_turn(trace, full):
        sections.append(section)
        length += length_of_section(section)
        if length > most:
            return walkthrough(trace, rows)
    page = _page(trace, full, tuple(sections))
    length += length_of(page._replace(sections=()))
    return _noted(trace, page, full, length) if length <= most else walkthrough(trace, rows)


def _noted(
    trace: Trace, page: Document, selection: Selection, length: int | None = None
) -> Document:
    """Returns a page that says how to see less of it, where that is worth saying; `length` is its
    length where that is known."""
    if selection.partial or selection.detail == "summary":
        return page
    length = length_of(page) if length is None else length
    in_one_row = all(q.matrix.shape[0] == 1 for q in trace.quantities.values() if not q.given)
    has_contents = selection.pictured and selection.detail == "full"  # as HTML: one finds one's way
    if has_contents or (selection.as_fits and (length <= ONE_PAGE or in_one_row)):
        return page
    asked = None if selection.queries else row_asked_for(trace)
    whose = "" if asked is None else asked.tokens.names[asked.row]
    note = how_to_see_less(selection.detail, length, whose)
    return page._replace(opening=(*note, *page.opening))


def _sections_in_turn(trace: Trace, selection: Selection) -> Iterator[Section]:
    """Yields the sections of a page, told one by one."""
    steps = shown_parts(trace)
    if not selection.partial and selection.detail == "summary":
        return _summary(trace, steps, selection)
    shown = [part for part in steps if selection.includes(part)]
    return _since(_sections(trace, shown, steps, selection))


def _since(sections: Iterator[Section]) -> Iterator[Section]:
    """Yields the sections, each told for those of data behind it that end its place, and before
    it."""
    told: Section | None = None
    data: list[Section] = []
    for section in sections:
        if section.is_data:
            data.append(section)
            continue
        ends = [entry for entry in data if told and told.path == entry.path != section.path]
        if told and ends:
            told = told._replace(since=told.since or told.number, number=ends[-1].number)
        first = next((entry.number for entry in data if entry not in ends), None)
        yield from (*([told] if told else []), *data)
        told, data = section._replace(since=first), []
    yield from (*([told] if told else []), *data)


def _page(trace: Trace, selection: Selection, sections: tuple[Section, ...]) -> Document:
    """Returns the page: the sections with what stands before and behind them."""
    steps, whole = shown_parts(trace), not selection.partial
    return Document(
        Word(trace.scenario.title),
        sections,
        facts_of(trace, [selection.axis[k] for k in selection.queries]),
        _about(trace, selection) if whole and steps else (),
        given=tuple(given_block(trace, quantity, Selection()) for quantity in trace.given),
        opening=_opening(trace, steps, selection) if whole and steps else (),
        closing=closing_of(trace, selection) if whole else (),
        sources=trace.scenario.sources,
        rounding=rounding_facts(trace),
        ending=ending_facts(trace) if whole else MappingProxyType({}),
        origins=Origins(trace),
        workings=Workings(trace),
        further=FurtherPages(trace, _in_full) if whole else MappingProxyType({}),
    )


def _in_full(trace: Trace) -> Document:
    whole = with_routing(trace, Selection())
    return _page(trace, whole, tuple(_sections_in_turn(trace, whole)))


def _about(trace: Trace, selection: Selection) -> tuple[Block, ...]:
    """Returns what the page answers, and the number that answers it, worked."""
    return (*about_of(trace.scenario), *first_number(trace, selection))


def _opening(trace: Trace, steps: Sequence[PlannedStep], selection: Selection) -> tuple[Block, ...]:
    """Returns what ran, as a tree where there is more to it, and as a picture where these are asked
    for."""
    tree = (_tree(trace, steps, selection),) if is_structured(trace) else ()
    if not selection.pictured:
        return tree
    from attncli.pages.parts.diagrams import pipeline

    return (*tree, *pipeline(trace))


def _summary(trace: Trace, steps: Sequence[PlannedStep], selection: Selection) -> Iterator[Section]:
    """Yields in brief each head's weights, what the last part comes to, what was found and
    learned."""
    for number, part in enumerate(steps, start=1):
        if is_left_out(trace, part, selection):
            continue
        blocks = _in_brief(trace, part, selection, is_last=part is steps[-1])
        if blocks:
            section = section_of(trace, part, number, blocks)._replace(formulas=())
            yield with_pictures(trace, part, section, selection)


def _in_brief(
    trace: Trace, part: PlannedStep, selection: Selection, *, is_last: bool
) -> list[Block]:
    if part.step == "tokenize":
        cut = [*cuts_of(part, alone=True), *token_blocks(part.place)]
        return cut if part.place.text.tokenizing else []
    shares, made = step_of(part).results.adds_up_to_one, made_by(trace, part)
    results = [q for q in made if q.is_number or q is made[-1]] if is_last else []
    shown = [q for q in made if q.local in shares or q in results]
    tables = [matrix_block(q, selection, part.path) for q in shown]
    found = [Callout(spans) for spans in findings_of(trace, part, selection)]
    return [*tables, *learned_at(trace, part), *found]


def _tree(trace: Trace, steps: Sequence[PlannedStep], selection: Selection) -> Tree:
    return tree_block(trace, steps) if selection.detail == "full" else short_tree(steps)


def _sections(
    trace: Trace, shown: Sequence[PlannedStep], steps: Sequence[PlannedStep], selection: Selection
) -> Iterator[Section]:
    numbers = {id(part): number for number, part in enumerate(steps, start=1)}
    alike = _going_back_alike(trace, shown, selection)
    page = _Telling(trace, selection, set(), set(), set(), [])
    for k, part in enumerate(shown):
        yield from _made_for_nobody(trace, part, selection)
        number = numbers[id(part)]
        if is_left_out(trace, part, selection) or k in alike:
            yield _passed_over(trace, part, number, selection, alike.get(k))
            continue
        section = page.section(part, number, shown[:k], leads_on=leads_on(part, steps[number:]))
        section = as_result(section) if part is steps[-1] else section
        yield with_pictures(trace, part, section, selection)


class _Telling(NamedTuple):
    """A page while it is told."""

    trace: Trace
    """The trace that it tells."""
    selection: Selection
    """What it tells of the trace."""
    introduced: set[Name]
    """The given matrices that it has shown."""
    formulas: set[Equation]
    """The formulas that it has shown."""
    untold: set[Name]
    """What it told nothing of but the numbers, which only data has."""
    said: list[Block]
    """The blocks in words that it doesn't say twice."""

    def section(
        self, part: PlannedStep, number: int, before: Sequence[PlannedStep], *, leads_on: bool
    ) -> Section:
        """Returns the section of a part; what comes after one that `leads_on` tells it."""
        trace, selection = self.trace, self.selection
        givens = _givens(trace, part, self.introduced)
        self.introduced.update(quantity.name for quantity in givens)
        later = is_again(part, selection)
        again = (later or selection.detail == "rows") and happens_again(part, before)
        others = self._blocks(part, givens, again=again, leads_on=leads_on)
        spans = opening_of(trace, part, before)
        opening = [Paragraph(spans)] if spans else []
        section = section_of(trace, part, number, [*opening, *others])
        if (more := step_of(part).words.more) and all(step.step != part.step for step in before):
            section = section._replace(more=(more,))
        section = section if selection.whole else in_one(trace, part, section)
        section = without_asides(trace, part, section) if selection.detail == "rows" else section
        closer = in_fewer_words(section, others, self.formulas) if again else section
        if again and is_back_in_time(part.place):
            closer = closer._replace(formulas=of_sums(trace, part, section))
        if later and part.step == "update" and not is_in_brief(trace, part, selection):
            closer = closer._replace(formulas=section.formulas)
        self.formulas.update(section.formulas)
        if ROUNDED_BY_ITSELF in self.said:
            kept = tuple(block for block in closer.blocks if block != ROUNDED_BY_ITSELF)
            closer = closer._replace(blocks=kept)
        self.said.extend(block for block in closer.blocks if isinstance(block, Callout))
        return closer

    def _blocks(
        self, part: PlannedStep, givens: Sequence[Quantity], *, again: bool, leads_on: bool
    ) -> list[Block]:
        """Returns what is told of a part behind its opening words; in brief if it happens
        `again`."""
        trace, selection, later = self.trace, self.selection, is_again(part, self.selection)
        closely = selection._replace(detail="summary") if again and not later else selection
        blocks = part_blocks(trace, part, closely, givens, again=again)[1:]
        if is_in_brief(trace, part, selection):
            blocks = in_brief(trace, part, selection)
        elif again and not selection.steps and leads_on:
            tables = given_blocks(trace, givens, closely, part.path)
            ending = ending_of(trace, part, closely) if tables else []
            found = [block for block in ending if block not in self.said]
            blocks = [*tables, *found, *only_data(trace, part, closely)]
            self.untold.update(definition.name for definition in part.definitions)
        elif not again and not isinstance(part.place, BackwardPlace):
            blocks = with_inputs(trace, part, self.untold, blocks)
        if (
            not (later and part.updates)
            or _WORKED_AGAIN in self.said
            or isinstance(part.place, UpdatePlace)
        ):
            return blocks
        self.said.append(_WORKED_AGAIN)
        return [_WORKED_AGAIN, *blocks]


_AGAIN = (
    "After each update the model is worked again. Elsewhere the names of its numbers after update 1"
    " begin with "
)
_WORKED_AGAIN = Paragraph((_AGAIN, Term("train[1]"), "."))


def _made_for_nobody(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[Section]:
    """Yields as data what experts make that no token goes to, before the step that puts them
    together."""
    if part.step != "mix" or selection.partial or selection.queries:
        return
    for step in idle_before(trace, part):
        yield section_of(trace, step, None, only_data(trace, step, selection))


def _passed_over(
    trace: Trace, part: PlannedStep, number: int, selection: Selection, alike: Alike | None
) -> Section:
    """Returns the section of a part that a page in brief goes without, or says in a word."""
    if alike is None or is_left_out(trace, part, selection):
        return section_of(trace, part, number, only_data(trace, part, selection))
    from attncli.pages.parts.gradients import in_a_word

    return in_a_word(trace, alike, number, selection)


def _going_back_alike(
    trace: Trace, shown: Sequence[PlannedStep], selection: Selection
) -> Mapping[int, Alike]:
    """Finds the parts, by their places, that a page in brief says in a word, as they go back
    through another layer than the one it tells."""
    if not trace.scenario.goes_back:
        return {}
    from attncli.pages.parts.gradients import going_back_alike

    return going_back_alike(shown, selection)


def part_blocks(
    trace: Trace,
    part: PlannedStep,
    selection: Selection,
    givens: Sequence[Quantity],
    *,
    again: bool = False,
) -> list[Block]:
    """Returns all that is told of a part: how it is worked, and what its numbers come to."""
    blocks = [
        *opening_blocks(trace, part, selection, givens, alone=selection.partial),
        *keys_and_values(trace, part, selection),
        *arranged(trace, part, selection, again=again),
        *(example_of(trace, part) if selection.detail == "rows" else ()),
        *differences_in(trace, part, selection),
        *ending_of(trace, part, selection),
        *_copies(trace, part, selection, givens),
    ]
    if not isinstance(part.place, BackwardPlace):
        return blocks
    from attncli.pages.parts.gradients import with_forward

    return with_forward(trace, part, blocks)


def _copies(
    trace: Trace, part: PlannedStep, selection: Selection, givens: Sequence[Quantity]
) -> list[Block]:
    """Returns the table of what a step made; where that is only one matrix under other names, this
    one, unless its rows stand before on the page."""
    source = copied_in(trace, part)
    if source is None:
        return table_together(trace, part, selection)
    copies = only_data(trace, part, selection)
    explained = source in givens or not (selection.partial or selection.picks(source))
    return copies if explained else [matrix_block(source, Selection(), part.path), *copies]


def _givens(trace: Trace, part: PlannedStep, introduced: set[Name]) -> list[Quantity]:
    """Lists the given matrices whose numbers a part is the first to need."""
    operands = operands_of(trace, part)
    known = introduced | only_for_sizes(trace, part)
    return [operand for operand in operands if operand.given and operand.name not in known]


def with_pictures(
    trace: Trace, part: PlannedStep, section: Section, selection: Selection
) -> Section:
    """Returns the section with the pictures of its part behind it, where these are asked for."""
    if not selection.pictured:
        return section
    from attncli.pages.parts.pictures import pictures_of

    return section._replace(blocks=(*section.blocks, *pictures_of(trace, part, selection)))
