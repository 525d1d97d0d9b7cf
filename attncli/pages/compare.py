"""The page of two scenarios side by side: pairs of quantities, the drift of two roundings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attncli.document.blocks import (
    Block,
    Bullets,
    DefinitionList,
    Derivation,
    Document,
    PageData,
    Paragraph,
    Section,
    Spans,
    Table,
    TableCell,
    Term,
)
from attncli.document.tables import CHANGED, MarkedNumber
from attncli.errors import agreed, counted, listed
from attncli.maths.equations.elision import MOST_PARTS, elided, elided_rows
from attncli.maths.equations.tree import Number, Omitted, Symbol
from attncli.maths.notation import plain
from attncli.maths.notation.plain import MINUS
from attncli.maths.numbers import decimals
from attncli.maths.numbers.rounding import Array
from attncli.names import Name, Word
from attncli.pages.parts.answer import ToldTrace, findings_beside
from attncli.pages.parts.blocks import Row, table
from attncli.pages.parts.differences import ComparedTraces, Pair, PairedCell, WordLists
from attncli.pages.parts.selection import place_in_words, title_of
from attncli.pages.parts.sentences import joined, quoted
from attncli.pages.parts.working import cell_line
from attncli.trace import PlannedStep, Quantity, Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray


ORDINALS = ("first", "second")


def pair_blocks(pair: Pair, places: Sequence[int]) -> Iterator[Block]:
    """Yields the table of a pair with its rows at these places, and a sentence on the rows and
    columns that only one of both has."""
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
    """Says what only one of both has: `Only the first has tennis; only the second has Tennis.`"""
    texts = [
        f"only the {which} has {listed(dict.fromkeys(name for at, name in only if at == place))}"
        for place, which in enumerate(ORDINALS)
        if any(at == place for at, _ in only)
    ]
    text = "; ".join(texts)
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
    """Says how a cell differs: `weights[love, AI]: 0.422 → 0.331`."""
    own, other = map(plain, pair.numbers(cell))
    return f"{pair.own.address(*cell.own)}: {own} → {other}"


def both_workings(traces: Sequence[Trace], pair: Pair, cell: PairedCell) -> Iterator[Block]:
    """Yields how a cell was worked in either trace."""
    for which, trace, quantity, place in (
        (ORDINALS[0], traces[0], pair.own, cell.own),
        (ORDINALS[1], traces[1], pair.other, cell.other),
    ):
        yield Paragraph((f"In the {which}", *_made_of(quantity, pair), ":"))
        yield Derivation((cell_line(trace, quantity, *place),))


def _made_of(quantity: Quantity, pair: Pair) -> Spans:
    """Says what a quantity is made of, where the other one of its pair is made of something else;
    else nothing."""
    own, other = (
        () if q.definition is None else q.definition.operands for q in (pair.own, pair.other)
    )
    if quantity.definition is None:
        return (", where it is given",)
    if own == other:
        return ()
    return (", where it is computed from ", *joined((Term(name),) for name in
            quantity.definition.operands))  # fmt: skip


def first_in_words(pair: Pair, cell: PairedCell) -> Spans:
    """Says which cell differs first, and how many of its quantity do."""
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
    """A cell of two traces, told finely enough to see what lies between both numbers."""

    pair: Pair
    """The quantities that it is of."""
    cell: PairedCell
    """Where it stands in either of them."""
    own: Number
    """The number of the first trace."""
    other: Number
    """The number of the second trace."""
    units: Decimal
    """What lies between them, in units of the last place."""

    @property
    def symbol(self) -> Symbol:
        return self.pair.symbol(self.cell)

    @property
    def address(self) -> str:
        return self.pair.own.address(*self.cell.own)

    @property
    def units_text(self) -> str:
        """Returns the units with their sign: `+0.31`, `−1.20`."""
        if not self.units:
            return "0"
        size = decimals.shown(abs(self.units), _MORE)
        return f"{MINUS if self.units < 0 else '+'}{plain(Number.written(size))}"


@dataclass(frozen=True, eq=False)
class DriftedPair:
    """A quantity of two traces, with how far each common number is off."""

    pair: Pair
    """The quantity in either trace."""
    places: int
    """The decimals of the last place: the fewer that one of both is shown with."""
    units: Array
    """How far each number is off, in units of the last place, [rows, columns]; 0 where one is
    infinite or whose row isn't told."""

    @classmethod
    def of(cls, pair: Pair, rows: Sequence[int]) -> DriftedPair:
        places = min(pair.own.matrix.decimals, pair.other.matrix.decimals)
        own, other = pair.common
        with np.errstate(invalid="ignore"):
            units = np.round((own - other) * 10.0**places, _MORE)
        array = np.isin(np.arange(len(pair.rows)), rows)[:, np.newaxis]
        return cls(pair, places, np.where(array & np.isfinite(units), units + 0.0, 0.0))

    @cached_property
    def off(self) -> NDArray[np.bool_]:
        """Marks the numbers that rounding once doesn't explain."""
        return np.asarray(np.abs(self.units) > _HALF, np.bool_)

    @property
    def worst(self) -> tuple[int, int]:
        """Finds the row and column of the number that is furthest off."""
        k, m = np.unravel_index(int(np.abs(self.units).argmax()), self.units.shape)
        return int(k), int(m)

    def shown(self, *, every: bool) -> list[tuple[int, int]]:
        """Lists the places of the numbers that are off, or of every one."""
        return [(int(k), int(m)) for k, m in np.argwhere(self.off | every)]

    def cell(self, k: int, m: int) -> DriftedCell:
        """Returns a number by the places of its row and column among the common ones."""
        cell = self.pair.cell(k, m)
        own = _finely(self.pair.own, cell.own, self.places + _MORE)
        other = _finely(self.pair.other, cell.other, self.places + _MORE)
        both = own.shown.is_finite() and other.shown.is_finite()
        units = decimals.difference(own.shown, other.shown) if both else Decimal(0)
        return DriftedCell(self.pair, cell, own, other, units.scaleb(self.places))


def _finely(quantity: Quantity, cell: tuple[int, int], places: int) -> Number:
    """Returns a number with some more decimals than `places`, if there is anything behind them."""
    number = quantity.number(*cell)
    known = quantity.matrix.places
    few = known is not None and known <= places
    return Number.written(number.full if few else decimals.shown(number.full, places))


@dataclass(frozen=True, eq=False)
class Drift:
    """A comparison of two traces that differ only in how they round."""

    comparison: ComparedTraces

    @classmethod
    def of(cls, comparison: ComparedTraces) -> Drift | None:
        """Returns the drift of two traces; None where more than the rounding was changed."""
        if not comparison.changed or not all(d.is_of_rounding for d in comparison.changed):
            return None
        return cls(comparison)

    @cached_property
    def pairs(self) -> list[DriftedPair]:
        """Lists the pairs of quantities that are made, in the order of the story."""
        made = (pair for pair in self.comparison.pairs if not pair.is_given)
        return [DriftedPair.of(pair, self.comparison.rows(pair)) for pair in made]

    @cached_property
    def first(self) -> DriftedCell | None:
        """Finds the first cell that is off by more than rounding it once explains; None where there
        is none."""
        found = (pair.cell(*pair.shown(every=False)[0]) for pair in self.pairs if pair.off.any())
        return next(found, None)

    @cached_property
    def worst(self) -> DriftedCell | None:
        """Finds the cell that is furthest off; None where none is."""
        off = [float(np.abs(pair.units).max()) for pair in self.pairs]
        if not any(off):
            return None
        worst = self.pairs[off.index(max(off))]
        return worst.cell(*worst.worst)

    @property
    def headings(self) -> tuple[str, str]:
        """Returns what the two ways of rounding are called in a table's head."""
        own, other = (trace.rounding for trace in self.comparison.traces)
        if own.policy != other.policy:
            return own.policy, other.policy
        if own.decimals != other.decimals:
            return f"{own.decimals} decimals", f"{other.decimals} decimals"
        return "First", "Second"

    def in_short(self) -> Spans:
        worst = self.worst
        if worst is None:
            return ("Rounding makes no difference to any number.",)
        off = sum(int(pair.off.sum()) for pair in self.pairs)
        count = sum(pair.units.size for pair in self.pairs)
        return (
            f"{off} of {count} numbers are off by more than half a unit of the last place, the "
            "most that rounding a number once explains. The worst is ", Term(worst.symbol),
            f", by {worst.units_text.lstrip('+' + MINUS)} units: ", worst.own, " and ", worst.other,
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
    if drift.comparison.detail != "summary":
        sections += _by_step(drift)
    return sections


def _overview_of_drift(drift: Drift) -> Table:
    rows: list[tuple[TableCell, ...]] = []
    for pair in drift.pairs:
        worst = pair.cell(*pair.worst)
        sign = "→" if pair.off.any() else "✓"
        where = Word(worst.address) if worst.units else ""
        count = f"{int(pair.off.sum())} of {pair.units.size}"
        rows.append((sign, Word(pair.pair.name), count, where, worst.units_text))
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
    workings = both_workings(drift.comparison.traces, first.pair, first.cell)
    yield Section("", None, (title,), (), (Paragraph(says_where), *workings))


def _by_step(drift: Drift) -> Iterator[Section]:
    """Yields a section for each step, with its cells that are off; in full with all of its
    cells."""
    comparison = drift.comparison
    for _, group in groupby(drift.pairs, key=lambda pair: id(comparison.part_of(pair.pair))):
        pairs = list(group)
        part = comparison.part_of(pairs[0].pair)
        cells = [
            (pair, *at) for pair in pairs for at in pair.shown(every=comparison.detail == "full")
        ]
        if part is not None and cells:
            place = place_in_words(part.path)
            blocks = (_table(drift, cells),)
            yield Section(
                part.step, None, title_of(part), (), blocks, part.path, place, own=part.place.called
            )


def _table(drift: Drift, cells: Sequence[tuple[DriftedPair, int, int]]) -> Table:
    headings = ("Cell", *drift.headings, "Units")
    rows: list[tuple[TableCell, ...]] = []
    for place in elided_rows(len(cells), of_list=True):
        if place is None:
            rows.append((Omitted(),) * len(headings))
            continue
        pair, k, m = cells[place]
        cell = pair.cell(k, m)
        rows.append((Word(cell.address), plain(cell.own), plain(cell.other), cell.units_text))
    return Table(headings, tuple(rows))


MOST = 1000
"""Cells of a quantity that are kept as data."""


def data_of(comparison: ComparedTraces, drift: Drift | None) -> dict[str, object]:
    first = comparison.first
    return {
        "first": comparison.own.called,
        "second": comparison.other.called,
        "changed": [
            {"key": d.key, "first": d.own or None, "second": d.other or None}
            for d in comparison.changed
        ],
        "lists": [_words(words) for words in comparison.lists],
        "first_difference": None if first is None else _cell(*first),
        "quantities": [_pair(comparison, pair) for pair in comparison.pairs],
        "only": {"first": [*comparison.only[0]], "second": [*comparison.only[1]]},
        "nothing_in_common": [*comparison.apart],
        **({} if drift is None else {"drift": _drift(drift)}),
    }


def _words(words: WordLists) -> dict[str, object]:
    return {
        "name": words.name,
        "compared": words.size,
        "differ": len(words.differing),
        "first": [*words.own],
        "second": [*words.other],
    }


def _pair(comparison: ComparedTraces, pair: Pair) -> dict[str, object]:
    names = {"first": pair.own.name, "second": pair.other.name}
    shown = {*comparison.rows(pair)}
    differing = ((k, m) for k, m in pair.differing() if k in shown)
    return {
        **names,
        "compared": len(shown) * len(pair.columns),
        "differ": int(pair.differs[[*shown]].sum()),
        "cells": [_cell(pair, pair.cell(k, m)) for k, m in islice(differing, MOST)],
    }


def _cell(pair: Pair, cell: PairedCell) -> dict[str, object]:
    own, other = (float(value) for value in pair.values(cell))
    address = pair.own.address(*cell.own)
    elsewhere = pair.other.address(*cell.other)
    other_cell = {} if elsewhere == address else {"second_cell": elsewhere}
    return {"cell": address, **other_cell, "first": _finite(own), "second": _finite(other)}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _drift(drift: Drift) -> dict[str, object]:
    first, worst = drift.first, drift.worst
    return {
        "begins": None if first is None else first.address,
        "worst": None if worst is None else worst.address,
        "cells": [
            {**_cell(pair.pair, cell), "units": float(pair.units[k, m])}
            for pair in drift.pairs
            for k, m in pair.shown(every=drift.comparison.detail == "full")[:MOST]
            for cell in (pair.pair.cell(k, m),)
        ],
    }


_MOST, _MOST_NAMES, _MOST_CELLS = 500, 24, 12
"""Quantities in one table, names in one sentence, changed cells of one matrix."""


def comparison(traces: ComparedTraces) -> Document:
    """Returns the page that compares two traces: in short how they differ and what both find, then
    what changed in the input, and each quantity with the cells that differ."""
    drift = Drift.of(traces)
    sections = [_input(traces)]
    if drift is not None:
        sections += drift_sections(drift)
    else:
        sections += [*_lists(traces), _overview(traces), *_first(traces), *_tables(traces)]
    sections += _only(traces)
    titles = dict.fromkeys(trace.scenario.title for trace in traces.traces)
    facts: list[tuple[str, Spans]] = [
        (which.capitalize(), (Word(side.called),))
        for which, side in zip(ORDINALS, (traces.own, traces.other), strict=True)
    ]
    in_short = _in_short(traces) if drift is None else drift.in_short()
    return Document(
        Word(" · ".join(titles)),
        tuple(sections),
        DefinitionList(tuple(facts)),
        opening=(Paragraph(in_short), *_findings(traces)),
        data=PageData(told=data_of(traces, drift)),
    )


def _section(title: str, *blocks: Block) -> Section:
    return Section("", None, (title,), (), blocks)


def _input(comparison: ComparedTraces) -> Section:
    """Returns the section of what the files say otherwise."""
    title = "What changed in the input"
    if not comparison.changed:
        return _section(title, Paragraph(("Nothing that the numbers depend on.",)))
    return _section(title, table(("Key", "First", "Second"), _changes(comparison), _MOST))


def _changes(comparison: ComparedTraces) -> Iterator[Row]:
    """Yields a row for each cell of a given matrix that differs, the first ones of many, and for
    each key that says something else."""
    given = {str(pair.own.name): pair for pair in comparison.given}
    for difference in comparison.changed:
        name = next((n for n in given if _is_of(difference.key, n)), None)
        pair = None if name is None else given.pop(name)
        if pair is not None:
            yield from _changed_cells(pair)
        elif not any(_is_of(difference.key, str(pair.own.name)) for pair in comparison.given):
            own, other = difference.own, difference.other
            yield Word(difference.key), *(Word(text) if text else "–" for text in (own, other))


def _is_of(key: str, name: str) -> bool:
    """Tells whether a key is a matrix, or a row of it that is written by its name."""
    return key == name or key.startswith(f"{name}.")


def _changed_cells(pair: Pair) -> Iterator[Row]:
    """Yields a row for each number of a matrix that differs: `W_Q[1, 1] │ 1 │ 3`."""
    for k, m in islice(pair.differing(), _MOST_CELLS):
        cell = pair.cell(k, m)
        yield Word(pair.own.address(*cell.own)), *map(plain, pair.numbers(cell))
    more = pair.count - _MOST_CELLS
    if more > 0:
        yield Word(pair.own.name), f"{more} more", ""


def _lists(comparison: ComparedTraces) -> Iterator[Section]:
    """Yields the section of the merges and the tokens that differ, place by place, if any do."""
    if comparison.lists:
        whole = comparison.detail == "full"
        tables = (_table_of_words(words, whole=whole) for words in comparison.lists)
        title = " and ".join(dict.fromkeys(words.name.local for words in comparison.lists))
        yield _section(title.capitalize(), *tables)


def _table_of_words(words: WordLists, *, whole: bool) -> Table:
    """Returns the table of the places that differ, or of all of them where `whole`."""
    places = range(words.size) if whole else words.differing
    rows: list[tuple[TableCell, ...]] = []
    for k in elided_rows(len(places), of_list=True):
        own, other = (None, None) if k is None else words.words(places[k])
        rows.append(
            (Omitted(),) * 3
            if k is None
            else (str(places[k] + 1), *("–" if w is None else Word(w) for w in (own, other)))
        )
    return Table((Word(words.name), *map(str.capitalize, ORDINALS)), tuple(rows))


def _overview(comparison: ComparedTraces) -> Section:
    """Returns the section of every quantity, with how many of its cells differ, and where most."""
    rows = []
    for pair in comparison.pairs:
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
        blocks.append(Paragraph(("They have no worked quantity in common.",)))
    return _section("Every quantity", *blocks)


def _first(comparison: ComparedTraces) -> Iterator[Section]:
    if comparison.first is None:
        return
    pair, cell = comparison.first
    if not pair.is_given:
        blocks = both_workings(comparison.traces, pair, cell)
        yield _section("Where they differ first", Paragraph(first_in_words(pair, cell)), *blocks)


def _tables(comparison: ComparedTraces) -> Iterator[Section]:
    """Yields a section for each step that made something else, with the tables of what it made;
    none where only a summary is asked for."""
    if comparison.detail == "summary":
        return
    by_part: dict[int, tuple[PlannedStep | None, list[Pair]]] = {}
    for pair in comparison.pairs:
        if comparison.differing(pair):
            part = comparison.part_of(pair)
            by_part.setdefault(id(part), (part, []))[1].append(pair)
    for part, pairs in by_part.values():
        whole = comparison.detail == "full"
        blocks = [
            block
            for pair in pairs
            for block in pair_blocks(
                pair, comparison.rows(pair) if whole else comparison.differing(pair)
            )
        ]
        if part is None:
            yield _section("Given", *blocks)
            continue
        place = place_in_words(part.path)
        yield Section(
            part.step,
            None,
            title_of(part),
            (),
            tuple(blocks),
            part.path,
            place,
            own=part.place.called,
        )


def _only(comparison: ComparedTraces) -> Iterator[Section]:
    """Yields the section of the quantities that can't be compared, if there are any."""
    groups = (
        *(
            (f"Only the {which} has ", names)
            for which, names in zip(ORDINALS, comparison.only, strict=True)
        ),
        ("Without a row or a column of the same name in both: ", comparison.apart),
    )
    items = tuple(
        (says, *joined(_named(names, comparison.detail)), ".") for says, names in groups if names
    )
    if items:
        yield _section("What can't be compared", Bullets(items))


def _named(names: Sequence[Name], detail: str) -> Iterator[Spans]:
    """Returns names as terms; of many only some, unless all are asked for."""
    places = elided(len(names), len(names) if detail == "full" else _MOST_NAMES, _MOST_NAMES - 2)
    return (("…",) if k is None else (Term(names[k]),) for k in places)


def _findings(comparison: ComparedTraces) -> Iterator[Block]:
    """Yields what the numbers of both come to, of the same token; nothing where nothing that one
    comes to is found in both."""
    own, other = (ToldTrace(s.trace, s.selection) for s in (comparison.own, comparison.other))
    found = findings_beside(own, other)
    if found is None:
        return
    if _as_printed(found[0]) == _as_printed(found[1]):
        yield Paragraph(("Both: ", *found[0]))
        return
    items: list[Spans] = [
        (f"The {which}: ", *spans) for which, spans in zip(ORDINALS, found, strict=True)
    ]
    yield Bullets(tuple(items))


def _as_printed(spans: Spans) -> list[str]:
    """Returns spans as they are read, whatever digits are behind their numbers; without terms."""
    return [
        span if isinstance(span, str) else plain(span)
        for span in spans
        if not isinstance(span, Term)
    ]


def _in_short(comparison: ComparedTraces) -> Spans:
    """Sums the comparison up: how many quantities differ, and the first number that does."""
    made = [pair for pair in comparison.pairs if not pair.is_given]
    differing = [pair for pair in made if comparison.differing(pair)]
    if comparison.first is None:
        return _without_a_number(comparison)
    pair, cell = comparison.first
    own, other = map(plain, pair.numbers(cell))
    return (
        f"{_counted(len(differing), len(made))}The first number that differs is ",
        Term(pair.symbol(cell)), f": {own} → {other}.",
    )  # fmt: skip


def _without_a_number(comparison: ComparedTraces) -> Spans:
    """Says of two traces without a differing number that there is none, or which word differs
    first."""
    none = "No worked number can be compared" if comparison.without_numbers else ""
    if comparison.lists:
        words = comparison.lists[0]
        k = words.differing[0]
        first, second = (("none",) if w is None else quoted(w) for w in words.words(k))
        begins = f"{none}. " if none else ""
        at = Term(f"{words.name}[{k + 1}]")
        return (begins, at, " is the first that differs: ", *first, " and ", *second, ".")
    same = "All numbers are the same" if comparison.same else "What can be compared is the same"
    return (f"{none or same}.",)


def _counted(differing: int, of: int) -> str:
    """Says how many quantities differ: `7 of the 12 quantities that both have differ. `; nothing
    where there is at most one."""
    if of < 2:  # noqa: PLR2004
        return ""
    verb = agreed(differing, "differs", "differ")
    return f"{differing} of the {of} quantities that both have {verb}. "
