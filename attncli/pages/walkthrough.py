"""The whole worked trace, or a part of it, as a document.

`full` works every cell, `rows` one row of each table, `summary` shows each head's weights, what the
page comes to, and what was found. A page that would be long in full is told by `rows`; one that is
long all the same says at its top how to see less, or more, of it.

Beside it are those of variants, and of each token that is generated after the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from attncli.document.blocks import (
    Answer,
    Block,
    Callout,
    ColumnSum,
    Derivation,
    Document,
    Folded,
    Interactive,
    PageData,
    Paragraph,
    Section,
    Term,
    Tree,
)
from attncli.document.pictures import Diagram
from attncli.maths.equations.tree import Equation
from attncli.names import Name, Word
from attncli.pages.parts.answer import answer_of
from attncli.pages.parts.asked_first import AcceptedRanges, WrongWorkings
from attncli.pages.parts.blocks import (
    given_block,
    given_blocks,
    matrix_block,
    short_tree,
    token_blocks,
    tree_block,
)
from attncli.pages.parts.closing import closing_of
from attncli.pages.parts.findings import ending_of, finding_of, keys_and_values
from attncli.pages.parts.lengths import (
    ONE_PAGE,
    how_to_see_less,
    length_of,
    length_of_section,
    most_in_full,
)
from attncli.pages.parts.products import with_products
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
    is_told_before,
    leads_on,
    learned_at,
    of_sums,
    only_data,
    opening_blocks,
    opening_of,
    section_of,
    table_together,
    told_by_next,
    without_tables,
    without_twins,
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
    with_routing,
    without_asides,
)
from attncli.pages.parts.sentences import (
    about_of,
    facts_at_the_end,
    facts_in_short,
    rounding_facts,
)
from attncli.pages.parts.unused import ending_facts
from attncli.pages.parts.updates import in_brief, in_one, is_again, is_in_brief, is_left_out
from attncli.pages.parts.working import Origins, Workings, with_inputs
from attncli.steps.order import step_of
from attncli.trace import (
    BackwardPlace,
    CellPlace,
    HeadPlace,
    PlannedStep,
    Quantity,
    Trace,
    UpdatePlace,
)
from attncli.trace.answer import said_answer

if TYPE_CHECKING:
    from attncli.document.whole_head import WholeHead
    from attncli.pages.parts.way_back import Alike


class FurtherPages(Mapping[str, "Document"]):
    """A mapping of the further pages by what they are called; each is told when somebody asks for
    it."""

    def __init__(self, trace: Trace, tell: Callable[[Trace], Document]) -> None:
        self._title, self._tell = trace.scenario.title, tell
        self._traces = trace.further

    def __getitem__(self, name: str) -> Document:
        trace = self._traces[name]
        page = self._tell(trace)
        varied = Word("; ".join(trace.scenario.file.varied))
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
    manner = selection.manner._replace(as_fits=True)
    full, rows = (selection._replace(detail=detail, manner=manner) for detail in ("full", "rows"))
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
    # as HTML: one finds one's way
    has_contents = selection.has_place_for_pictures and selection.detail == "full"
    if has_contents or (selection.manner.as_fits and (length <= ONE_PAGE or in_one_row)):
        return page
    asked = None if selection.queries else row_asked_for(trace)
    whose = "" if asked is None else asked.tokens.names[asked.row]
    on_paper = selection.manner.on_paper
    note = how_to_see_less(selection.detail, length, whose, on_paper=on_paper)
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
    answer = answer_of(trace, selection, sections)
    return Document(
        Word(trace.scenario.title),
        sections,
        facts_at_the_end(trace, [selection.axis[k] for k in selection.queries]),
        answer,
        facts_in_short(trace),
        about_of(trace.scenario) if whole and steps else (),
        opening=_opening(trace, steps, selection) if whole and steps else (),
        closing=closing_of(trace, selection, answer) if whole else (),
        data=PageData(
            given=tuple(given_block(trace, quantity, Selection()) for quantity in trace.given),
            sources=trace.scenario.given.sources,
            rounding=rounding_facts(trace),
            ending=ending_facts(trace) if whole else MappingProxyType({}),
        ),
        interactive=Interactive(
            Origins(trace),
            Workings(trace),
            FurtherPages(trace, _in_full) if whole else MappingProxyType({}),
            mistakes=WrongWorkings(trace),
            accepted=AcceptedRanges(trace),
            head=partial(_head, trace, answer) if whole else lambda: None,
            chart=partial(_chart, trace) if whole and selection.pictured else lambda: None,
        ),
    )


def _head(trace: Trace, answer: Answer | None) -> WholeHead | None:
    from attncli.pages.parts.heads import whole_head  # which most formats do without

    return whole_head(trace, None if answer is None else answer.cell)


def _chart(trace: Trace) -> Diagram | None:
    from attncli.pages.parts.diagrams import chart

    return chart(trace)


def _in_full(trace: Trace) -> Document:
    whole = with_routing(trace, Selection())
    return _page(trace, whole, tuple(_sections_in_turn(trace, whole)))


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
    return [*tables, *learned_at(trace, part), *finding_of(trace, part, selection)]


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
        section = page.section(part, number, shown[:k], steps[number:])
        section = as_result(section, part) if part is steps[-1] else section
        blocks = with_products(trace, part, section.blocks, selection)
        yield with_pictures(trace, part, section._replace(blocks=tuple(blocks)), selection)


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
        self,
        part: PlannedStep,
        number: int,
        before: Sequence[PlannedStep],
        after: Sequence[PlannedStep],
    ) -> Section:
        """Returns the section of a part, between those before and after it."""
        trace, selection = self.trace, self.selection
        givens = _givens(trace, part, self.introduced)
        self.introduced.update(quantity.name for quantity in givens)
        later = is_again(part, selection)
        again = (later or selection.detail == "rows") and happens_again(part, before)
        again = again and not _makes_answer(trace, part)
        others = self._blocks(part, givens, again=again, leads_on=leads_on(part, after))
        if selection.only_one_row and told_by_next(part, after):
            told = is_told_before(part, before)
            others = only_data(trace, part, selection) if told else without_tables(others)
        spans = opening_of(trace, part, before)
        opening = [Paragraph(spans)] if spans else []
        section = section_of(trace, part, number, [*opening, *others])
        if (more := step_of(part).words.more) and all(step.step != part.step for step in before):
            section = section._replace(folded=Folded((more,)))
        section = section if selection.whole else in_one(trace, part, section)
        if selection.detail == "rows":
            section = without_asides(trace, part, without_twins(section))
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
        blocks: list[Block] = []
        closely = selection._replace(detail="summary") if again and not later else selection
        if selection.tells_less and closely.detail == "summary":
            givens = ()  # as no row that they are needed for is worked
        if again and not later and _of_head(part, selection):
            told = part_blocks(trace, part, selection, givens)
            blocks += (block for block in told if not isinstance(block, Derivation | ColumnSum))
        else:
            blocks += part_blocks(trace, part, closely, givens, again=again)
        if any(step_of(part).happens_at(part.place)):
            blocks = blocks[1:]  # the section opens with it
        if is_in_brief(trace, part, selection):
            blocks = in_brief(trace, part, selection)
        elif again and not selection.steps and leads_on and not _of_head(part, selection):
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


def _of_head(part: PlannedStep, selection: Selection) -> bool:
    """Tells whether a part is one of a head, of which a printed page has all tables."""
    return selection.manner.on_paper and isinstance(part.place, HeadPlace)


def _makes_answer(trace: Trace, part: PlannedStep) -> bool:
    """Tells whether a part works out the number that the scenario says is its answer, so that it is
    told as if for the first time."""
    said = said_answer(trace)
    return said is not None and any(d.name == said.quantity for d in part.definitions)


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
    from attncli.pages.parts.way_back import in_a_word

    return in_a_word(trace, alike, number, selection)


def _going_back_alike(
    trace: Trace, shown: Sequence[PlannedStep], selection: Selection
) -> Mapping[int, Alike]:
    """Finds the parts, by their places, that a page in brief says in a word, as they go back
    through another layer than the one it tells."""
    if not trace.scenario.goes_back:
        return {}
    from attncli.pages.parts.way_back import going_back_alike

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
    if isinstance(part.place, CellPlace):
        from attncli.pages.parts.recurrent import gate_after_gate, put_together

        blocks = gate_after_gate(part, blocks)
        blocks += [] if again else put_together(trace, part)
    if not isinstance(part.place, BackwardPlace):
        return blocks
    from attncli.pages.parts.way_back import with_forward

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
