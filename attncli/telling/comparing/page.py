"""The page of two scenarios side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncli.arithmetic.elision import elided
from attncli.document import (
    Block,
    Bullets,
    Document,
    Facts,
    Note,
    Prose,
    Section,
    Spans,
    Table,
    Term,
)
from attncli.name import Name
from attncli.notation import plain
from attncli.telling.comparing.blocks import (
    ORDINALS,
    both_workings,
    changed_in_words,
    first_in_words,
    pair_blocks,
)
from attncli.telling.comparing.compared import ComparedTraces
from attncli.telling.comparing.data import data_of
from attncli.telling.comparing.drift import Drift, drift_sections
from attncli.telling.comparing.pairs import Pair
from attncli.telling.findings import findings_anew, last_finding
from attncli.telling.parts import place_in_words, title_of
from attncli.telling.sentences import counted, joined
from attncli.telling.tables import table
from attncli.trace import PlannedStep
from attncli.word import Word

_MOST, _MOST_NAMES = 500, 24
"""Quantities in one table, and names in one sentence."""


def comparison(told: ComparedTraces) -> Document:
    """What changed in the input, each quantity with the cells that differ, and what both find."""
    drift = Drift.of(told)
    sections = [_input(told)]
    if drift is not None:
        sections += drift_sections(drift)
    else:
        sections += [_overview(told), *_first(told), *_tables(told)]
    sections += [*_only(told), *_findings(told)]
    titles = dict.fromkeys(trace.scenario.title for trace in told.traces)
    facts: list[tuple[str, Spans]] = [
        (which.capitalize(), (Word(side.called),))
        for which, side in zip(ORDINALS, (told.own, told.other), strict=True)
    ]
    return Document(
        Word(" · ".join(titles)),
        tuple(sections),
        Facts(tuple(facts)),
        closing=(Note(_in_short(told) if drift is None else drift.in_short()),),
        data=data_of(told, drift),
    )


def _section(title: str, *blocks: Block) -> Section:
    return Section("", None, (title,), (), blocks)


def _input(told: ComparedTraces) -> Section:
    """What the files say otherwise."""
    title = "What changed in the input"
    if not told.changed:
        return _section(title, Prose(("Nothing that the numbers depend on.",)))
    rows = (
        (Word(one.key), Word(one.own) if one.own else "–", Word(one.other) if one.other else "–")
        for one in told.changed
    )
    return _section(title, table(("Key", "First", "Second"), rows, _MOST))


def _overview(told: ComparedTraces) -> Section:
    """Every quantity with how many of its cells differ, and where most."""
    rows = []
    for pair in told.pairs:
        most = pair.most
        if pair.is_given and most is None:
            continue
        sign = "✓" if most is None else "→"
        what = "" if most is None else Word(changed_in_words(pair, pair.cell(*most)))
        rows.append((sign, Word(pair.name), f"{pair.count} of {pair.size}", what))
    headings = ("", "Quantity", "Differ", "Most")
    blocks: list[Block] = [Table(headings, tuple(rows[:_MOST]))] if rows else []
    if len(rows) > _MOST:
        blocks.append(Prose((f"And {counted(len(rows) - _MOST, 'more')}.",)))
    if not rows:
        blocks.append(Prose(("They have no quantity in common that is worked.",)))
    return _section("Every quantity", *blocks)


def _first(told: ComparedTraces) -> Iterator[Section]:
    if told.first is not None and not told.first[0].is_given:
        pair, cell = told.first
        blocks = both_workings(told.traces, pair, cell)
        yield _section("Where they differ first", Prose(first_in_words(pair, cell)), *blocks)


def _tables(told: ComparedTraces) -> Iterator[Section]:
    """A section for each step that made something else, with the tables of what it made; by
    summary none."""
    if told.detail == "summary":
        return
    by_part: dict[int, tuple[PlannedStep | None, list[Pair]]] = {}
    for pair in told.pairs:
        if told.differing(pair):
            part = told.part_of(pair)
            by_part.setdefault(id(part), (part, []))[1].append(pair)
    for part, pairs in by_part.values():
        whole = told.detail == "full"
        blocks = [
            block
            for pair in pairs
            for block in pair_blocks(pair, told.rows(pair) if whole else told.differing(pair))
        ]
        if part is None:
            yield _section("Given", *blocks)
            continue
        place = place_in_words(part.path)
        yield Section(part.step, None, title_of(part), (), tuple(blocks), part.path, place)


def _only(told: ComparedTraces) -> Iterator[Section]:
    """The quantities that can't be compared."""
    groups = (
        *(
            (f"Only the {which} has ", names)
            for which, names in zip(ORDINALS, told.only, strict=True)
        ),
        ("Without a row or a column of the same name in both: ", told.apart),
    )
    items = tuple(
        (says, *joined(_named(names, told.detail)), ".") for says, names in groups if names
    )
    if items:
        yield _section("What can't be compared", Bullets(items))


def _named(names: Sequence[Name], detail: str) -> Iterator[Spans]:
    """Names; of many only some, unless all are asked for."""
    places = elided(len(names), len(names) if detail == "full" else _MOST_NAMES, _MOST_NAMES - 2)
    return (("…",) if k is None else (Term(names[k]),) for k in places)


def _findings(told: ComparedTraces) -> Iterator[Section]:
    """What the numbers of both come to; of heads side by side each, where they find something
    else."""
    title = "What they find"
    sides = (told.own, told.other)
    found = [last_finding(side.trace, side.selection)[1] for side in sides]
    if not any(found):
        return
    if _as_printed(found[0]) == _as_printed(found[1]):
        yield _section(title, Prose(("Both: ", *found[0])))
        return
    anew = [
        findings_anew(one.trace, other.trace, one.selection) or [last]
        for one, other, last in zip(sides, sides[::-1], found, strict=True)
    ]
    items: list[Spans] = [
        (f"The {which}: ", *(said or ("nothing that is told here.",)))
        for which, some in zip(ORDINALS, anew, strict=True)
        for said in some
    ]
    yield _section(title, Bullets(tuple(items)))


def _as_printed(spans: Spans) -> list[str]:
    """What is read of spans, whatever digits are behind their numbers."""
    return [
        span if isinstance(span, str) else plain(span)
        for span in spans
        if not isinstance(span, Term)
    ]


def _in_short(told: ComparedTraces) -> Spans:
    """What a reader remembers."""
    made = [pair for pair in told.pairs if not pair.is_given]
    differing = [pair for pair in made if told.differing(pair)]
    if told.first is None:
        same = "All numbers are the same" if told.same else "What can be compared is the same"
        return (f"{same}.",)
    pair, cell = told.first
    own, other = map(plain, pair.numbers(cell))
    return (
        f"{_counted(len(differing), len(made))}The first number that differs is ",
        Term(pair.symbol(cell)), f": {own} → {other}.",
    )  # fmt: skip


def _counted(differing: int, of: int) -> str:
    """`7 of the 12 quantities that both have differ. `"""
    if of < 2:  # noqa: PLR2004
        return ""
    verb = "differs" if differing == 1 else "differ"
    return f"{differing} of the {of} quantities that both have {verb}. "
