"""The page of two scenarios side by side: pairs of quantities as tables, how far two ways of
rounding drift apart, and the same as data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from attncli.document.blocks import (
    Block,
    Bullets,
    Callout,
    DefinitionList,
    Derivation,
    Document,
    Paragraph,
    Section,
    Spans,
    Table,
    TableCell,
    Term,
)
from attncli.document.tables import CHANGED, MarkedNumber
from attncli.equations.elision import MOST_PARTS, elided, elided_rows
from attncli.equations.tree import Number, Omitted, Symbol
from attncli.errors import listed
from attncli.names import Name, Word
from attncli.notation import plain
from attncli.notation.plain import MINUS
from attncli.numbers import decimals
from attncli.numbers.rounding import Array
from attncli.pages.parts.blocks import table
from attncli.pages.parts.differences import ComparedTraces, Pair, PairedCell
from attncli.pages.parts.findings import findings_anew, last_finding
from attncli.pages.parts.selection import place_in_words, title_of
from attncli.pages.parts.sentences import counted, joined
from attncli.pages.parts.working import cell_line
from attncli.trace import PlannedStep, Quantity, Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray


ORDINALS = ("first", "second")


def pair_blocks(pair: Pair, places: Sequence[int]) -> Iterator[Block]:
    """The table of a pair, some of its common rows in it; and which rows and columns only one of
    both has."""
    rows = [None if k is None else places[k] for k in
            elided_rows(len(places), of_list=pair.own.is_list)]  # fmt: skip
    columns = elided(len(pair.columns), MOST_PARTS)
    yield Table(
        (Word(pair.name), *(_heading(pair, m) for m in columns)),
        tuple(
            (Omitted(),) * (1 + len(columns))
            if k is None
            else (pair.own.rows.words[pair.rows[k][0]], *(_entry(pair, k, m) for m in columns))
            for k in rows
        ),
    )
    if only := list(pair.left_out):
        yield Paragraph(_only_in_one(only))


def _only_in_one(only: Sequence[tuple[int, str]]) -> Spans:
    """`Only the first has tennis; only the second has Tennis.`"""
    told = [
        f"only the {which} has {listed(dict.fromkeys(name for at, name in only if at == place))}"
        for place, which in enumerate(ORDINALS)
        if any(at == place for at, _ in only)
    ]
    text = "; ".join(told)
    return (Word(f"{text[:1].upper()}{text[1:]}."),)


def _heading(pair: Pair, m: int | None) -> Word | str:
    if m is None:
        return "…"
    return "" if pair.own.is_list else pair.own.columns.words[pair.columns[m][0]]


def _entry(pair: Pair, k: int, m: int | None) -> TableCell:
    if m is None:
        return "…"
    cell = pair.cell(k, m)
    if not pair.differs[k, m]:
        return plain(pair.own.number(*cell.own))
    own, other = map(plain, pair.numbers(cell))
    return MarkedNumber(Word(own), CHANGED, other)


def changed_in_words(pair: Pair, cell: PairedCell) -> str:
    """`weights[love, AI]: 0.422 → 0.331`."""
    own, other = map(plain, pair.numbers(cell))
    return f"{pair.own.address(*cell.own)}: {own} → {other}"


def both_workings(traces: Sequence[Trace], pair: Pair, cell: PairedCell) -> Iterator[Block]:
    """How a cell was worked in either trace."""
    for which, trace, quantity, place in (
        (ORDINALS[0], traces[0], pair.own, cell.own),
        (ORDINALS[1], traces[1], pair.other, cell.other),
    ):
        yield Paragraph((f"In the {which}", *_made_of(quantity, pair), ":"))
        yield Derivation((cell_line(trace, quantity, *place),))


def _made_of(quantity: Quantity, pair: Pair) -> Spans:
    """What a quantity is made of, where the other one of its pair is made of something else."""
    made = [() if one.definition is None else one.definition.operands
            for one in (pair.own, pair.other)]  # fmt: skip
    if quantity.definition is None:
        return (", where it is given",)
    if made[0] == made[1]:
        return ()
    return (", where it is made of ", *joined((Term(name),) for name in
            quantity.definition.operands))  # fmt: skip


def first_in_words(pair: Pair, cell: PairedCell) -> Spans:
    """Which cell differs first, and how many of its quantity."""
    return (
        Term(pair.own.name), " is the first that differs: ",
        f"{pair.count} of {counted(pair.size, 'number')}, of which ", Term(pair.symbol(cell)),
        " comes first.",
    )  # fmt: skip


_HALF = 0.5
"""Units of the last place that rounding a number once may move it."""
_MORE = 2
"""Decimals behind the last place that show how far a number is off."""


class DriftedCell(NamedTuple):
    """A cell with both numbers, told finely enough to see what lies between them, and that in
    units of the last place."""

    pair: Pair
    cell: PairedCell
    own: Number
    other: Number
    units: Decimal

    @property
    def symbol(self) -> Symbol:
        return self.pair.symbol(self.cell)

    @property
    def address(self) -> str:
        return self.pair.own.address(*self.cell.own)

    @property
    def told_units(self) -> str:
        """`+0.31`, `−1.20`."""
        if not self.units:
            return "0"
        size = decimals.shown(abs(self.units), _MORE)
        return f"{MINUS if self.units < 0 else '+'}{plain(Number.written(size))}"


@dataclass(frozen=True, eq=False)
class DriftedPair:
    """A quantity with how far each common number is off, in units of the last place: `units`
    [rows, columns], 0 where one is infinite or whose row isn't told."""

    pair: Pair
    places: int
    units: Array

    @classmethod
    def of(cls, pair: Pair, rows: Sequence[int]) -> DriftedPair:
        places = min(pair.own.matrix.decimals, pair.other.matrix.decimals)
        own, other = pair.common
        with np.errstate(invalid="ignore"):
            units = np.round((own - other) * 10.0**places, _MORE)
        told = np.isin(np.arange(len(pair.rows)), rows)[:, np.newaxis]
        return cls(pair, places, np.where(told & np.isfinite(units), units + 0.0, 0.0))

    @cached_property
    def off(self) -> NDArray[np.bool_]:
        """The numbers that rounding once doesn't explain."""
        return np.asarray(np.abs(self.units) > _HALF, np.bool_)

    @property
    def worst(self) -> tuple[int, int]:
        """The place of the number that is furthest off."""
        k, m = np.unravel_index(int(np.abs(self.units).argmax()), self.units.shape)
        return int(k), int(m)

    def told(self, *, every: bool) -> list[tuple[int, int]]:
        """The places of the numbers that are off, or of every one."""
        return [(int(k), int(m)) for k, m in np.argwhere(self.off | every)]

    def cell(self, k: int, m: int) -> DriftedCell:
        """A number by the places of its row and column among the common ones."""
        cell = self.pair.cell(k, m)
        own = _finely(self.pair.own, cell.own, self.places + _MORE)
        other = _finely(self.pair.other, cell.other, self.places + _MORE)
        both = own.shown.is_finite() and other.shown.is_finite()
        units = decimals.difference(own.shown, other.shown) if both else Decimal(0)
        return DriftedCell(self.pair, cell, own, other, units.scaleb(self.places))


def _finely(quantity: Quantity, cell: tuple[int, int], places: int) -> Number:
    """A number with some more decimals than it is shown with, if there is anything behind them."""
    number = quantity.number(*cell)
    known = quantity.matrix.places
    few = known is not None and known <= places
    return Number.written(number.full if few else decimals.shown(number.full, places))


@dataclass(frozen=True, eq=False)
class Drift:
    """Two traces that differ only in how they round."""

    told: ComparedTraces

    @classmethod
    def of(cls, told: ComparedTraces) -> Drift | None:
        """The drift of two traces; None where more than the rounding was changed."""
        if not told.changed or not all(one.is_of_rounding for one in told.changed):
            return None
        return cls(told)

    @cached_property
    def pairs(self) -> list[DriftedPair]:
        """The quantities that are made, in the order of the story."""
        made = (pair for pair in self.told.pairs if not pair.is_given)
        return [DriftedPair.of(pair, self.told.rows(pair)) for pair in made]

    @cached_property
    def first(self) -> DriftedCell | None:
        """The first cell that is off by more than rounding it once explains."""
        found = (one.cell(*one.told(every=False)[0]) for one in self.pairs if one.off.any())
        return next(found, None)

    @cached_property
    def worst(self) -> DriftedCell | None:
        """The cell that is furthest off; None where none is."""
        off = [float(np.abs(one.units).max()) for one in self.pairs]
        if not any(off):
            return None
        worst = self.pairs[off.index(max(off))]
        return worst.cell(*worst.worst)

    @property
    def headings(self) -> tuple[str, str]:
        """What the two ways of rounding are called."""
        own, other = (trace.rounding for trace in self.told.traces)
        if own.policy != other.policy:
            return own.policy, other.policy
        if own.decimals != other.decimals:
            return f"{own.decimals} decimals", f"{other.decimals} decimals"
        return "First", "Second"

    def in_short(self) -> Spans:
        worst = self.worst
        if worst is None:
            return ("Rounding makes no difference to any number.",)
        off = sum(int(one.off.sum()) for one in self.pairs)
        count = sum(one.units.size for one in self.pairs)
        return (
            f"{off} of {count} numbers are off by more than half a unit of the last place, the "
            "most that rounding a number once explains. The worst is ", Term(worst.symbol),
            f", by {worst.told_units.lstrip('+' + MINUS)} units: ", worst.own, " and ", worst.other,
            ".",
        )  # fmt: skip


def drift_sections(drift: Drift) -> list[Section]:
    if not drift.pairs:
        says = Paragraph(("Nothing is rounded here: all numbers are given.",))
        return [Section("", None, ("Every quantity",), (), (says,))]
    first, second = drift.headings
    says = Paragraph(
        (
            f"How far the numbers of {first.lower()} are from those of {second.lower()}, in units "
            "of the last place. Rounding a number once explains half a unit.",
        )
    )
    sections = [Section("", None, ("Every quantity",), (), (says, _overview_of_drift(drift)))]
    sections += _begins(drift)
    if drift.told.detail != "summary":
        sections += _by_step(drift)
    return sections


def _overview_of_drift(drift: Drift) -> Table:
    rows: list[tuple[TableCell, ...]] = []
    for one in drift.pairs:
        worst = one.cell(*one.worst)
        sign = "→" if one.off.any() else "✓"
        where = Word(worst.address) if worst.units else ""
        count = f"{int(one.off.sum())} of {one.units.size}"
        rows.append((sign, Word(one.pair.name), count, where, worst.told_units))
    headings = ("", "Quantity", "Over half a unit", "Most in", "Units")
    return Table(headings, tuple(rows))


def _begins(drift: Drift) -> Iterator[Section]:
    first = drift.first
    title = "Where the drift begins"
    if first is None:
        says = "Nowhere: each number is off by half a unit of the last place at the most."
        yield Section("", None, (title,), (), (Paragraph((says,)),))
        return
    says_where: Spans = (
        Term(first.symbol), " is the first number that is off by more than rounding it alone "
        "explains: the numbers that it is worked from are rounded, too.",
    )  # fmt: skip
    workings = both_workings(drift.told.traces, first.pair, first.cell)
    yield Section("", None, (title,), (), (Paragraph(says_where), *workings))


def _by_step(drift: Drift) -> Iterator[Section]:
    """The cells, a section for each step that made them: by rows those that are off, else all."""
    told = drift.told
    for _, group in groupby(drift.pairs, key=lambda one: id(told.part_of(one.pair))):
        pairs = list(group)
        part = told.part_of(pairs[0].pair)
        cells = [(one, *at) for one in pairs for at in one.told(every=told.detail == "full")]
        if part is not None and cells:
            place = place_in_words(part.path)
            blocks = (_table(drift, cells),)
            yield Section(part.step, None, title_of(part), (), blocks, part.path, place)


def _table(drift: Drift, cells: Sequence[tuple[DriftedPair, int, int]]) -> Table:
    headings = ("Cell", *drift.headings, "Units")
    rows: list[tuple[TableCell, ...]] = []
    for place in elided_rows(len(cells), of_list=True):
        if place is None:
            rows.append((Omitted(),) * len(headings))
            continue
        pair, k, m = cells[place]
        one = pair.cell(k, m)
        rows.append((Word(one.address), plain(one.own), plain(one.other), one.told_units))
    return Table(headings, tuple(rows))


MOST = 1000
"""Cells of a quantity that are kept as data."""


def data_of(told: ComparedTraces, drift: Drift | None) -> dict[str, Any]:
    first = told.first
    return {
        "first": told.own.called,
        "second": told.other.called,
        "changed": [
            {"key": one.key, "first": one.own or None, "second": one.other or None}
            for one in told.changed
        ],
        "first_difference": None if first is None else _cell(*first),
        "quantities": [_pair(told, pair) for pair in told.pairs],
        "only": {"first": [*told.only[0]], "second": [*told.only[1]]},
        "nothing_in_common": [*told.apart],
        **({} if drift is None else {"drift": _drift(drift)}),
    }


def _pair(told: ComparedTraces, pair: Pair) -> dict[str, Any]:
    names = {"first": pair.own.name, "second": pair.other.name}
    shown = {*told.rows(pair)}
    differing = ((k, m) for k, m in pair.differing() if k in shown)
    return {
        **names,
        "compared": len(shown) * len(pair.columns),
        "differ": int(pair.differs[[*shown]].sum()),
        "cells": [_cell(pair, pair.cell(k, m)) for k, m in islice(differing, MOST)],
    }


def _cell(pair: Pair, cell: PairedCell) -> dict[str, Any]:
    own, other = (float(value) for value in pair.values(cell))
    address = pair.own.address(*cell.own)
    elsewhere = pair.other.address(*cell.other)
    other_cell = {} if elsewhere == address else {"second_cell": elsewhere}
    return {"cell": address, **other_cell, "first": _finite(own), "second": _finite(other)}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _drift(drift: Drift) -> dict[str, Any]:
    first, worst = drift.first, drift.worst
    return {
        "begins": None if first is None else first.address,
        "worst": None if worst is None else worst.address,
        "cells": [
            {**_cell(one.pair, cell), "units": float(one.units[k, m])}
            for one in drift.pairs
            for k, m in one.told(every=drift.told.detail == "full")[:MOST]
            for cell in (one.pair.cell(k, m),)
        ],
    }


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
        DefinitionList(tuple(facts)),
        closing=(Callout(_in_short(told) if drift is None else drift.in_short()),),
        data=data_of(told, drift),
    )


def _section(title: str, *blocks: Block) -> Section:
    return Section("", None, (title,), (), blocks)


def _input(told: ComparedTraces) -> Section:
    """What the files say otherwise."""
    title = "What changed in the input"
    if not told.changed:
        return _section(title, Paragraph(("Nothing that the numbers depend on.",)))
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
        blocks.append(Paragraph((f"And {counted(len(rows) - _MOST, 'more')}.",)))
    if not rows:
        blocks.append(Paragraph(("They have no quantity in common that is worked.",)))
    return _section("Every quantity", *blocks)


def _first(told: ComparedTraces) -> Iterator[Section]:
    if told.first is not None and not told.first[0].is_given:
        pair, cell = told.first
        blocks = both_workings(told.traces, pair, cell)
        yield _section("Where they differ first", Paragraph(first_in_words(pair, cell)), *blocks)


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
        yield _section(title, Paragraph(("Both: ", *found[0])))
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
