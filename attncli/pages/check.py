"""The page of `attn check`: a sign a number, what went wrong by causes, the author's working."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from attncli.document.blocks import (
    Block,
    Bullets,
    Callout,
    DefinitionList,
    Derivation,
    Document,
    PageData,
    Paragraph,
    Section,
    Span,
    Spans,
    Subheading,
    Table,
    Term,
)
from attncli.document.languages import words_of
from attncli.document.questions import counted_points
from attncli.document.tables import SIGNS, MarkedNumber
from attncli.errors import agreed, counted
from attncli.judging.judging import Judge
from attncli.judging.publications import published_verdicts
from attncli.judging.verdicts import (
    FOLLOW,
    RIGHT,
    UNEARNED,
    UNWORKABLE,
    Cause,
    Verdict,
    all_follow,
)
from attncli.maths.equations.tree import Location
from attncli.maths.notation import plain
from attncli.maths.numbers import decimals
from attncli.names import Word, WordedText, raw_text
from attncli.pages.parts.cell_words import called, cells_called
from attncli.pages.parts.claims import judged_statements
from attncli.pages.parts.published import (
    MEANING,
    accepted_text,
    in_short,
    otherwise_printed,
)
from attncli.pages.parts.sentences import joined, rounding_facts
from attncli.pages.parts.working import cell_line
from attncli.steps.mistakes import IMPOSSIBLE, mistaken
from attncli.trace import Quantity, Trace
from attncli.trace.published import PublishedNumber, published_numbers


def workings_of(judge: Judge, verdict: Verdict, own: Trace | None) -> Iterator[Block]:
    """Yields the working of a wrong number, as it may have been, and as it is right from its
    author's earlier numbers, which the trace of their `own` has."""
    name, i, j = verdict.cell
    if verdict.judgement == "known mistake" and own is not None:
        wrong = made_wrongly_by(judge, own, verdict)
        if wrong is not None:
            yield Paragraph(("As it may have been worked:",))
            yield Derivation((cell_line(wrong, wrong[name], i, j),), _name(verdict))
    if own is not None and verdict.follows is not None:
        yield Paragraph(("From the earlier numbers given:",))
        yield Derivation((cell_line(own, own[name], i, j),))


def right_lines(trace: Trace, cells: Sequence[Location], *, whole: bool = False) -> Iterator[Block]:
    """Yields the lines of some cells as they should be. With `whole`, no term is left out."""
    worked = [cell for cell in cells if trace[cell.quantity].definition is not None]
    if worked:
        yield Paragraph(("Right:",))
        yield Derivation(tuple(cell_line(trace, trace[q], i, j, whole=whole) for q, i, j in worked))


def _name(verdict: Verdict) -> str:
    return verdict.cause.name if verdict.cause is not None else ""


def own_traces(trace: Trace, verdicts: Sequence[Verdict]) -> dict[str, Trace | None]:
    """Returns the trace by each quantity that an author has otherwise, to the last that is wrong,
    worked again from their own numbers before it, and None where these can't be worked on with."""
    others: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.judgement != "correct" and verdict.given.number is not None:
            others.setdefault(verdict.cell.quantity, []).append(verdict)
    names = [name for name in trace if name in others]
    while names and not any(verdict.judgement in _WRONG for verdict in others[names[-1]]):
        names.pop()  # what follows from the last finding isn't told
    found: dict[str, Trace | None] = dict.fromkeys(names[:1], trace)
    for before, name in pairwise(names):
        found[name] = _gone_on_with(found[before], before, others[before])
    return found


def _gone_on_with(trace: Trace | None, name: str, own: Sequence[Verdict]) -> Trace | None:
    try:
        return None if trace is None else trace.replay({name: _numbers(trace, name, own)})
    except IMPOSSIBLE:  # as −∞ for a weight
        return None


def _numbers(trace: Trace, name: str, own: Sequence[Verdict]) -> list[list[Decimal]]:
    """Returns the numbers of a quantity with the author's in place of ours [n, m]."""
    quantity = trace[name]
    n, m = quantity.matrix.shape
    rows = [[quantity.matrix.number(i, j).full for j in range(m)] for i in range(n)]
    for verdict in own:
        assert verdict.given.number is not None
        rows[verdict.cell.row][verdict.cell.column] = verdict.given.number
    return rows


def made_wrongly_by(
    judge: Judge, trace: Trace, verdict: Verdict, names: Collection[str] = ()
) -> Trace | None:
    """Returns the trace with the mistake made in it that a verdict names, as far as it leads to the
    number, and to what has some `names`. Returns None where the mistake can't be made."""
    cause, name = verdict.cause, verdict.cell.quantity
    if cause is None:
        return None
    made_in = cause.quantity or name
    ways = (entry for entry in judge.hypotheses.ways if entry.name == cause.name)
    way = next((entry for entry in ways if entry.definitions[0].name == made_in), None)
    return None if way is None else mistaken(trace, way.definitions, (name, *names))


_MOST_CELLS = 6


_WRONG = ("rounding", "known mistake", "slip")


Points = Mapping[Location, Decimal]


class FoundCause(NamedTuple):
    """A group of numbers that are wrong for the same reason."""

    verdicts: tuple[Verdict, ...]
    costs: Decimal | None = None
    """The points that they cost, if any are to be had."""

    @property
    def first(self) -> Verdict:
        return self.verdicts[0]


def findings(
    judge: Judge, verdicts: Sequence[Verdict], costs: Points | None = None
) -> Iterator[Block]:
    """Yields each cause, in the order of the working, then what was worked in another right way,
    and what is missing."""
    own = own_traces(judge.trace, verdicts)
    for number, finding in enumerate(_causes(verdicts, costs), start=1):
        before = own[finding.first.cell.quantity]
        yield from _finding_blocks(judge, finding, verdicts, before, number)
    yield from _worked_otherwise(judge.trace, verdicts)
    yield from _without_numbers_of_their_own(judge.trace, verdicts)
    unreadable = [v for v in verdicts if v.judgement == "unreadable"]
    if unreadable:
        yield Subheading(("Unreadable",))
        yield Bullets(tuple(_unread(judge.trace, v) for v in unreadable))
        yield from right_lines(judge.trace, [v.cell for v in unreadable])


def also(causes: Sequence[Cause]) -> Iterator[Paragraph]:
    if causes:
        others = list(dict.fromkeys(cause.worded for cause in causes))
        text = "These explain" if others[1:] else "This explains"
        yield Paragraph((f"{text} it as well: ", *joined(others, " ")))


def _causes(verdicts: Sequence[Verdict], costs: Points | None) -> list[FoundCause]:
    """Returns the wrong numbers, those of one cause together."""
    found: dict[tuple[object, ...], list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.judgement in _WRONG:
            found.setdefault(_reason(verdict), []).append(verdict)
    return [
        FoundCause(
            tuple(group),
            None if costs is None else sum((costs[v.cell] for v in group), Decimal(0)),
        )
        for group in found.values()
    ]


def _reason(verdict: Verdict) -> tuple[object, ...]:
    cause = verdict.cause
    if cause is None or (verdict.judgement == "slip" and cause != UNEARNED):
        return (verdict.cell,)
    if verdict.judgement == "rounding":
        return verdict.judgement, cause.name
    return verdict.judgement, cause.name, cause.quantity or verdict.cell.quantity


def _finding_blocks(
    judge: Judge, finding: FoundCause, verdicts: Sequence[Verdict], own: Trace | None, number: int
) -> Iterator[Block]:
    trace, first = judge.trace, finding.first
    yield Subheading((f"{number} · ", *cells_called(trace, [first.cell])))
    yield Paragraph(_number(trace, first))
    yield Paragraph((*_why(trace, finding), _cost(finding)))
    if len(finding.verdicts) > 1:
        cells = [v.cell for v in finding.verdicts[1:]]
        text = f"The same in {counted(len(cells), 'more number')}: "
        yield Paragraph((text, *_cells(trace, cells), "."))
    yield from also(
        [c for c in first.others if first.cause is None or c.worded != first.cause.worded]
    )
    yield from _following(trace, finding, verdicts)
    yield from workings_of(judge, first, own)
    yield from right_lines(trace, [v.cell for v in finding.verdicts])


def _number(trace: Trace, verdict: Verdict) -> Spans:
    """Writes a wrong number: `Given is 0.5; right is 0.422 (0.4215 to 0.4225 is accepted).`"""
    places = trace[verdict.cell.quantity].matrix.decimals
    spans: Spans = ("Given is ", Word(verdict.given.shown), "; right is ", verdict.expected)
    if verdict.follows is not None:
        own = accepted_text(verdict.follows, places)
        return (*spans, f", and from the earlier numbers given {own} would follow.")
    return (*spans, f" ({accepted_text(verdict.accepted, places)} is accepted).")


def _why(trace: Trace, finding: FoundCause) -> Spans:
    verdict = finding.first
    cause = verdict.cause
    if cause is None:
        return ("Slip: no rounding of the earlier numbers gives it, and no common mistake.",)
    made = cause.quantity
    where: tuple[Span, ...] = _made_in(trace, made) if made else ()
    if cause.name in (UNWORKABLE, UNEARNED.name):
        return cause.worded
    if verdict.judgement == "slip":
        return ("Slip. The nearest reason: ", *cause.worded, *where)
    return (f"{verdict.judgement.capitalize()}: ", *cause.worded, *where)


def _made_in(trace: Trace, name: str) -> tuple[Span, ...]:
    place, own = called(trace, name)
    return (f" It was made in {place}", Term(own), ".")


def _cost(finding: FoundCause) -> str:
    """Writes what a finding costs: ` It costs 4.5 points.`"""
    if finding.costs is None:
        return ""
    lost = counted_points(finding.costs, words_of("en")) if finding.costs else "nothing"
    return f" It costs {lost}."


def _cells(trace: Trace, cells: Sequence[Location]) -> Spans:
    spans = cells_called(trace, cells[:_MOST_CELLS])
    more = len(cells) - _MOST_CELLS
    return (*spans, f" and {more} more") if more > 0 else spans


def _following(trace: Trace, finding: FoundCause, verdicts: Sequence[Verdict]) -> Iterator[Block]:
    """Yields what follows from the wrong numbers, directly or by way of what follows."""
    from_them = {v.cell for v in finding.verdicts}
    later = []
    for verdict in verdicts:
        if not from_them.isdisjoint(verdict.follows_from):
            from_them.add(verdict.cell)
            later.append(verdict)
    if later:
        follow = agreed(len(later), "follows", "follow")
        text = f"{counted(len(later), 'number')} {follow} from this by the right working: "
        earns = all(v.judgement != "not worked" for v in later)
        end = "." if earns else ", but that isn't shown, and earns nothing."
        yield Paragraph((text, *_cells(trace, [v.cell for v in later]), end))


def _worked_otherwise(trace: Trace, verdicts: Sequence[Verdict]) -> Iterator[Block]:
    found: dict[tuple[str, WordedText], list[Location]] = {}
    for verdict in verdicts:
        if verdict.judgement == "worked otherwise" and verdict.cause is not None:
            why = verdict.cell.quantity, verdict.cause.worded
            found.setdefault(why, []).append(verdict.cell)
    if found:
        yield Subheading(("Worked otherwise",))
        lines = ((*_cells(trace, cells), ": ", *says) for (_, says), cells in found.items())
        yield Bullets(tuple(lines))


def _without_numbers_of_their_own(trace: Trace, verdicts: Sequence[Verdict]) -> Iterator[Block]:
    """Yields where nothing is given, or only what follows without working, with the lines as they
    should be."""
    for judgement, says in (("blank", "Nothing is given"), ("not worked", "No working is shown")):
        cells = [v.cell for v in verdicts if v.judgement == judgement]
        if cells:
            yield Subheading((judgement.capitalize(),))
            text = f"{says} for {counted(len(cells), 'number')}: "
            yield Paragraph((text, *_cells(trace, cells), "."))
            yield from right_lines(trace, cells)


def _unread(trace: Trace, verdict: Verdict) -> Spans:
    words = *cells_called(trace, [verdict.cell]), ": ", Word(verdict.given.shown)
    where = verdict.given.where
    return (*words, ", in ", Word(where)) if where else words


class Beside(NamedTuple):
    """Answers that are judged beside the numbers of a trace."""

    judged: tuple[str, ...] = ()
    """How each is judged."""
    tables: tuple[Table, ...] = ()
    """What was given."""
    findings: tuple[Block, ...] = ()
    """What is wrong about it."""
    data: tuple[Mapping[str, object], ...] = ()
    """What is said of each, as data."""
    called: str = "number"
    """What all of it together consists of."""


def tables(trace: Trace, verdicts: Sequence[Verdict]) -> Iterator[Table]:
    """Yields a table for each quantity of which numbers are judged."""
    for name in dict.fromkeys(v.cell.quantity for v in verdicts):
        own = {v.cell.indices: v for v in verdicts if v.cell.quantity == name}
        yield _table("".join(called(trace, name)), trace[name], own)


def _table(heading: str, quantity: Quantity, own: Mapping[tuple[int, int], Verdict]) -> Table:
    rows = sorted({i for i, _ in own})
    columns = sorted({j for _, j in own})
    headings = (Word(quantity.columns.names[j]) for j in columns)
    named = ("",) if quantity.is_list else tuple(headings)
    entries = (
        (Word(quantity.rows.names[i]), *(_entry(own.get((i, j))) for j in columns)) for i in rows
    )
    return Table((heading, *named), tuple(entries))


def _entry(verdict: Verdict | None) -> MarkedNumber | str:
    if verdict is None:
        return ""
    right = "" if verdict.judgement in FOLLOW else plain(verdict.expected)
    return MarkedNumber(Word(verdict.given.shown), verdict.judgement, right)


def legend(texts: Collection[str], right: str = "number") -> DefinitionList:
    """Returns what the signs mean that stand behind what is given."""
    signs = ((sign, name) for name, sign in SIGNS.items() if name in texts)
    return DefinitionList(tuple((f"{sign} {name}", (_means(name, right),)) for sign, name in signs))


def _means(name: str, right: str) -> str:
    after = "" if name in (*FOLLOW, "by hand") else f", with the right {right} in brackets"
    means = "another one is right" if (name, right) == ("slip", "answer") else MEANING[name]
    return f"{means}{after}"


def judged_numbers(
    trace: Trace,
    verdicts: Sequence[Verdict],
    points: Points | None,
    beside: Beside,
) -> dict[str, object]:
    """Returns what is said of each number as data, in the order of the working, then of what else
    is judged, and how many were judged how."""
    texts: list[str] = [*(verdict.judgement for verdict in verdicts), *beside.judged]
    numbers = (_number_as_data(trace, v, points) for v in verdicts)
    return {
        "verdicts": [*numbers, *beside.data],
        "counts": {judgement: texts.count(judgement) for judgement in SIGNS},
    }


def _address(trace: Trace, cell: Location) -> str:
    return trace[cell.quantity].address(cell.row, cell.column)


def _number_as_data(trace: Trace, verdict: Verdict, points: Points | None) -> dict[str, object]:
    others = [cause_as_data(other) for other in verdict.others]
    return {
        "cell": _address(trace, verdict.cell),
        "given": verdict.given.text,
        "expected": decimals.text(verdict.expected.shown),
        "accepted": [*map(bound, verdict.accepted)],
        "verdict": verdict.judgement,
        "cause": None if verdict.cause is None else cause_as_data(verdict.cause),
        "follows_from": [_address(trace, cell) for cell in verdict.follows_from],
        **({"others": others} if others else {}),
        **({} if points is None else {"points": float(points[verdict.cell])}),
    }


def bound(number: float) -> float | str:
    """Returns an end of what is accepted: 0.2825, where a sum of floats has 0.28250000000000003."""
    return float(f"{number:.15g}") + 0.0 if math.isfinite(number) else str(number)


def cause_as_data(cause: Cause) -> dict[str, str]:
    return {"name": cause.name, "says": raw_text(cause.worded)}


class Report(NamedTuple):
    """A report on an author's numbers, but for the verdicts."""

    title: Word
    facts: tuple[tuple[str, Spans], ...] = ()
    notes: tuple[Callout, ...] = ()
    data: Mapping[str, object] = MappingProxyType({})
    """Some of it as data."""
    points: Points | None = None
    """The points of each number."""
    costs: Points | None = None
    """The points that each number costs, if any are to be had."""
    beside: Beside = Beside()
    """What else is judged."""
    remarks: tuple[WordedText, ...] = ()
    """What doesn't fit about what was handed in."""


def to_look_at(remarks: Iterable[Spans]) -> Iterator[Section]:
    """Yields what doesn't fit about what was handed in, before anything else."""
    items = tuple(remarks)
    if items:
        yield Section("", None, ("To look at first",), (), (Bullets(items),))


def report(judge: Judge, verdicts: tuple[Verdict, ...], page: Report) -> Document:
    """Makes the page of an author's numbers, which a judge has judged."""
    trace = judge.trace
    judged: list[str] = [verdict.judgement for verdict in verdicts]
    judged += page.beside.judged
    short = in_short(judged, page.beside.called)
    facts = DefinitionList((*page.facts, ("In short", (short,))))
    numbers: tuple[Block, ...] = (
        *tables(trace, verdicts),
        *page.beside.tables,
        legend(judged),
    )
    found = [*findings(judge, verdicts, page.costs), *page.beside.findings]
    found = found or [_without_findings(judged)]
    sections = [Section("", None, ("Findings",), (), (*page.notes, *found))]
    if judged:
        sections.insert(0, Section("", None, ("Numbers",), (), numbers))
    sections[:0] = to_look_at(page.remarks)
    told = {**page.data, **judged_numbers(trace, verdicts, page.points, page.beside)}
    data = PageData(rounding=rounding_facts(trace), told=told)
    return Document(page.title, tuple(sections), facts, data=data)


def _without_findings(judged: Sequence[str]) -> Paragraph:
    if not judged:
        return Paragraph(("There is no number to judge.",))
    right = all(judgement in RIGHT for judgement in judged)
    return Paragraph(("Every number follows." if right else "The table says what isn't right.",))


def checked(trace: Trace) -> tuple[Document, bool]:
    """Checks the numbers of a scenario's source, then those for each variant. Returns what is said
    of them, and whether all of them follow."""
    pairs = (("", trace), *trace.variants.items())
    published = ((name, entry) for name, entry in pairs if _says_something(entry))
    found = {name: _checked(entry, name) for name, entry in published}
    pages = {name: page for name, (page, _) in found.items()}
    sections = [s for name, page in pages.items() for s in _sections(name, page)]
    page = pages.get("", _without_numbers(trace))
    more = {name: variant.data.told for name, variant in pages.items() if name}
    told = {**page.data.told, **({"variants": more} if more else {})}
    page = page._replace(sections=tuple(sections), data=page.data._replace(told=told))
    return page, all(follows for _, follows in found.values())


def _says_something(trace: Trace) -> bool:
    """Tells whether a source prints numbers of a trace, or says something of them."""
    return bool(trace.scenario.source.published or trace.scenario.source.claims)


def _without_numbers(trace: Trace) -> Document:
    """Makes the page of a scenario that has variants with numbers, and none itself."""
    facts = DefinitionList((_scenario(trace),))
    data = PageData(rounding=rounding_facts(trace))
    return Document(Word(trace.scenario.title), (), facts, data=data)


def _scenario(trace: Trace) -> tuple[str, Spans]:
    return "Scenario", (Word(trace.scenario.title),)


def _checked(trace: Trace, variant: str) -> tuple[Document, bool]:
    says = tuple(_in_bullets(judged_statements(trace)))
    said = (Section("", None, ("What the source says",), (), says),) if says else ()
    if not trace.scenario.source.published:
        page = _without_numbers(trace)
        return page._replace(sections=said, facts=None if variant else page.facts), True
    judge, verdicts = published_verdicts(trace)
    facts = () if variant else (_scenario(trace),)
    notes = tuple(_notes(published_numbers(trace), verdicts))
    page = report(judge, verdicts, Report(Word(trace.scenario.title), facts, notes))
    others = tuple(otherwise_printed(trace))
    table = (Section("", None, ("Printed otherwise",), (), others),) if others else ()
    return page._replace(sections=(*page.sections, *table, *said)), all_follow(verdicts)


def _in_bullets(items: Iterable[Spans]) -> Iterator[Block]:
    every = tuple(items)
    if every:
        yield Bullets(every)


def _sections(name: str, page: Document) -> Iterator[Section]:
    """Yields the sections of a page. Those of a variant say so, and the first of these what its
    facts say."""
    for k, section in enumerate(page.sections):
        if not name:
            yield section
            continue
        heading = ("Variant ", Word(name), ": ", *section.title)
        facts = (page.facts,) if k == 0 and page.facts is not None else ()
        yield section._replace(title=heading, blocks=(*facts, *section.blocks))


def _notes(printed: Sequence[PublishedNumber], verdicts: Sequence[Verdict]) -> Iterator[Callout]:
    assumed = sum(f.assumed for f in printed)
    if assumed:
        those = agreed(assumed, "It is", "They are")
        yield Callout((f"The source assumes {counted(assumed, 'number')}. {those} used next.",))
    differing = {f.key for f in printed if f.differs}
    otherwise = [v for v in verdicts if v.key in differing]
    follow = sum(v.judgement == "correct" for v in otherwise)
    if follow:
        count = counted(len(otherwise), "number")
        is_printed = agreed(len(otherwise), "is", "are")
        which = agreed(len(otherwise), "It", f"{follow} of them")
        verb = agreed(follow, "follows", "follow")
        how = "where one rounds otherwise on the way, or keeps full precision"
        says = f"{count} {is_printed} printed otherwise than here. {which} {verb} {how}."
        yield Callout((says,))
