"""The whole worked trace, or a part of it, as a document, and those of the traces beside it: of
variants, and of each token that is generated after the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from attncli.arithmetic.expression import Equation
from attncli.document import Block, Document, Note, Prose, Section, Tree
from attncli.telling.blocks import (
    given_block,
    given_blocks,
    matrix_block,
    short_tree,
    token_blocks,
    tree_block,
)
from attncli.telling.closing import closing_of, ending_facts, ending_of
from attncli.telling.findings import (
    findings_of,
    in_brief,
    in_one,
    is_again,
    is_in_brief,
    is_left_out,
    keys_and_values,
)
from attncli.telling.length import (
    ONE_PAGE,
    how_to_see_less,
    length_of,
    length_of_section,
    most_in_full,
)
from attncli.telling.parts import (
    copied_in,
    idle_before,
    is_structured,
    made_by,
    only_for_sizes,
    operands_of,
    step_of,
    told_parts,
    without_asides,
)
from attncli.telling.published import differences_in
from attncli.telling.sections import (
    arranged,
    as_result,
    happens_again,
    in_fewer_words,
    is_back_in_time,
    leads_on,
    of_sums,
    only_data,
    opening_blocks,
    opening_of,
    section_of,
    table_together,
)
from attncli.telling.selection import Selection, row_asked_for, with_routing
from attncli.telling.sentences import facts_of, rounding_facts
from attncli.telling.tokenizers import cuts_of, example_of, learned_at
from attncli.telling.working import Origins, Workings
from attncli.trace import BackwardPlace, PlannedStep, Quantity, Trace
from attncli.word import Word

if TYPE_CHECKING:
    from attncli.telling.way_back import Alike


class FurtherPages(Mapping[str, "Document"]):
    """The pages by what they are called; each is told when somebody asks for it."""

    def __init__(self, trace: Trace, tell: Callable[[Trace], Document]) -> None:
        generated = {f"token {k}": one for k, one in enumerate(trace.generated, start=2)}
        self._title, self._tell = trace.scenario.title, tell
        self._traces = {**trace.variants, **generated}

    def __getitem__(self, name: str) -> Document:
        trace = self._traces[name]
        page = self._tell(trace)
        varied = Word("; ".join(trace.scenario.varied))
        other = (
            (Note(("Otherwise than in the scenario itself: ", varied, ".")),) if varied.raw else ()
        )
        title = Word(f"{self._title}: {name}")
        return page._replace(title=title, opening=(*other, *page.opening), closing=())

    def __iter__(self) -> Iterator[str]:
        return iter(self._traces)

    def __len__(self) -> int:
        return len(self._traces)


def walkthrough(trace: Trace, selection: Selection) -> Document:
    """The page of `attn run`: facts, a section a part, what is missing for going on."""
    selection = with_routing(trace, selection)
    return _noted(trace, _page(trace, selection, tuple(_told(trace, selection))), selection)


def as_it_fits(trace: Trace, selection: Selection) -> Document:
    """The page in full; if that were long, by rows. Where a page gets long, telling it in full goes
    no further."""
    selection = with_routing(trace, selection)
    full, rows = (selection._replace(detail=detail, as_fits=True) for detail in ("full", "rows"))
    sections: list[Section] = []
    length, most = 0, most_in_full(trace.scenario)
    for section in _told(trace, full):
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
    """A page with a word on how to see less of it; its length where that is known."""
    if selection.partial or selection.detail == "summary":
        return page
    length = length_of(page) if length is None else length
    if selection.as_fits and length <= ONE_PAGE:
        return page
    asked = None if selection.queries else row_asked_for(trace)
    whose = "" if asked is None else asked[0].names[asked[1]]
    note = how_to_see_less(selection.detail, length, whose)
    return page._replace(opening=(*note, *page.opening))


def _told(trace: Trace, selection: Selection) -> Iterator[Section]:
    """The sections of a page, told one by one."""
    told = told_parts(trace)
    if not selection.partial and selection.detail == "summary":
        return _summary(trace, told, selection)
    shown = [part for part in told if selection.includes(part)]
    return _since(_sections(trace, shown, told, selection))


def _since(sections: Iterator[Section]) -> Iterator[Section]:
    """The sections, those with a number of their own told for what stands before them as data."""
    first: int | None = None
    for section in sections:
        if section.is_data:
            first = first or section.number
            yield section
        else:
            yield section._replace(since=first)
            first = None


def _page(trace: Trace, selection: Selection, sections: tuple[Section, ...]) -> Document:
    """The sections with what stands before and behind them."""
    told, whole = told_parts(trace), not selection.partial
    return Document(
        Word(trace.scenario.title),
        sections,
        facts_of(trace, [selection.axis[k] for k in selection.queries]),
        given=tuple(
            given_block(trace, quantity, Selection())
            for quantity in trace.quantities.values()
            if quantity.given
        ),
        opening=_opening(trace, told, selection) if whole and told else (),
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
    return _page(trace, whole, tuple(_told(trace, whole)))


def _opening(trace: Trace, told: Sequence[PlannedStep], selection: Selection) -> tuple[Block, ...]:
    """What ran, as a tree where there is more to it, and as a picture where these are asked for."""
    tree = (_tree(trace, told, selection),) if is_structured(trace) else ()
    if not selection.pictured:
        return tree
    from attncli.telling.pictures import pipeline

    return (*tree, *pipeline(trace))


def _summary(trace: Trace, told: Sequence[PlannedStep], selection: Selection) -> Iterator[Section]:
    """Each head's weights, what the last part comes to, what was found and learned."""
    for number, part in enumerate(told, start=1):
        if is_left_out(part, selection):
            continue
        blocks = _in_brief(trace, part, selection, is_last=part is told[-1])
        if blocks:
            section = section_of(trace, part, number, blocks)._replace(formulas=())
            yield with_pictures(trace, part, section, selection)


def _in_brief(
    trace: Trace, part: PlannedStep, selection: Selection, *, is_last: bool
) -> list[Block]:
    if part.step == "tokenize":
        cut = [*cuts_of(part, alone=True), *token_blocks(part.place)]
        return cut if part.place.text.tokenizing else []
    shares, made = step_of(part).adds_up_to_one, made_by(trace, part)
    results = [one for one in made if one.is_number or one is made[-1]] if is_last else []
    shown = [one for one in made if one.local in shares or one in results]
    tables = [matrix_block(one, selection, part.path) for one in shown]
    found = [Note(one) for one in findings_of(trace, part, selection)]
    return [*tables, *learned_at(trace, part), *found]


def _tree(trace: Trace, told: Sequence[PlannedStep], selection: Selection) -> Tree:
    return tree_block(trace, told) if selection.detail == "full" else short_tree(told)


def _sections(
    trace: Trace, shown: Sequence[PlannedStep], told: Sequence[PlannedStep], selection: Selection
) -> Iterator[Section]:
    numbers = {id(part): number for number, part in enumerate(told, start=1)}
    alike = _going_back_alike(trace, shown, selection)
    introduced, formulas = set[str](), set[Equation]()
    for k, part in enumerate(shown):
        yield from _made_for_nobody(trace, part, selection)
        number = numbers[id(part)]
        if is_left_out(part, selection) or k in alike:
            yield _passed_over(trace, part, number, selection, alike.get(k))
            continue
        givens = _givens(trace, part, introduced)
        introduced |= {quantity.name for quantity in givens}
        later = is_again(part, selection)
        again = (later or selection.detail == "rows") and happens_again(part, shown[:k])
        closely = selection._replace(detail="summary") if again and not later else selection
        others = part_blocks(trace, part, closely, givens, again=again)[1:]
        if is_in_brief(trace, part, selection):
            others = in_brief(trace, part, selection)
        elif again and not selection.steps and leads_on(part, told[number:]):
            tables = given_blocks(trace, givens, closely, part.path)
            others = [*tables, *only_data(trace, part, closely)]
        section = section_of(
            trace, part, number, [Prose(opening_of(trace, part, shown[:k])), *others]
        )
        section = section if selection.whole else in_one(trace, part, section)
        section = without_asides(trace, part, section) if selection.detail == "rows" else section
        closer = in_fewer_words(section, others, formulas) if again else section
        if again and is_back_in_time(part.place):
            closer = closer._replace(formulas=of_sums(trace, part, section))
        if later and part.step == "update" and not is_in_brief(trace, part, selection):
            closer = closer._replace(formulas=section.formulas)
        formulas.update(section.formulas)
        closer = as_result(closer) if part is told[-1] else closer
        yield with_pictures(trace, part, closer, selection)


def _made_for_nobody(trace: Trace, part: PlannedStep, selection: Selection) -> Iterator[Section]:
    """As data what experts make that no token goes to, before the step that puts them together."""
    if part.step != "mix" or selection.partial or selection.queries:
        return
    for one in idle_before(trace, part):
        yield section_of(trace, one, None, only_data(trace, one, selection))


def _passed_over(
    trace: Trace, part: PlannedStep, number: int, selection: Selection, alike: Alike | None
) -> Section:
    """The section of a part that a page in brief goes without, or says in a word."""
    if alike is None or is_left_out(part, selection):
        return section_of(trace, part, number, only_data(trace, part, selection))
    from attncli.telling.way_back import in_a_word

    return in_a_word(trace, alike, number, selection)


def _going_back_alike(
    trace: Trace, shown: Sequence[PlannedStep], selection: Selection
) -> Mapping[int, Alike]:
    """The parts, by their places, that a page in brief says in a word, as they go back through
    another layer than the one it tells."""
    if not trace.scenario.goes_back:
        return {}
    from attncli.telling.way_back import going_back_alike

    return going_back_alike(shown, selection)


def part_blocks(
    trace: Trace,
    part: PlannedStep,
    selection: Selection,
    givens: Sequence[Quantity],
    *,
    again: bool = False,
) -> list[Block]:
    """All that is told of a part: how it is worked, and what its numbers come to."""
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
    from attncli.telling.way_back import with_forward

    return with_forward(trace, part, blocks)


def _copies(
    trace: Trace, part: PlannedStep, selection: Selection, givens: Sequence[Quantity]
) -> list[Block]:
    """The table of what a step made; where that is only one matrix under other names, this one,
    unless its rows stand before on the page."""
    source = copied_in(trace, part)
    if source is None:
        return table_together(trace, part, selection)
    copies = only_data(trace, part, selection)
    told = source in givens or not (selection.partial or selection.picks(source))
    return copies if told else [matrix_block(source, Selection(), part.path), *copies]


def _givens(trace: Trace, part: PlannedStep, introduced: set[str]) -> list[Quantity]:
    """The given matrices whose numbers a part is the first to need."""
    operands = operands_of(trace, part)
    known = introduced | only_for_sizes(trace, part)
    return [operand for operand in operands if operand.given and operand.name not in known]


def with_pictures(
    trace: Trace, part: PlannedStep, section: Section, selection: Selection
) -> Section:
    """The section with the pictures of its part behind it, where these are asked for."""
    if not selection.pictured:
        return section
    from attncli.telling.pictures import pictures_of

    return section._replace(blocks=(*section.blocks, *pictures_of(trace, part, selection)))
