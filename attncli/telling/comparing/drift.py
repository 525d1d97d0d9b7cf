"""How far two ways of rounding drift apart: each number with the difference in units of the last
place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attncli.arithmetic import decimals
from attncli.arithmetic.elision import elided_rows
from attncli.arithmetic.expression import Number, Omitted, Symbol
from attncli.arithmetic.rounding import Array
from attncli.document import Prose, Section, Spans, Table, TableCell, Term
from attncli.notation import plain
from attncli.notation.plain import MINUS
from attncli.telling.comparing.blocks import both_workings
from attncli.telling.comparing.compared import ComparedTraces
from attncli.telling.comparing.pairs import Pair, PairedCell
from attncli.telling.parts import place_in_words, title_of
from attncli.trace import Quantity
from attncli.word import Word

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    first, second = drift.headings
    says = Prose(
        (
            f"How far the numbers of {first.lower()} are from those of {second.lower()}, in units "
            "of the last place. Rounding a number once explains half a unit.",
        )
    )
    sections = [Section("", None, ("Every quantity",), (), (says, _overview(drift)))]
    sections += _begins(drift)
    if drift.told.detail != "summary":
        sections += _by_step(drift)
    return sections


def _overview(drift: Drift) -> Table:
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
        yield Section("", None, (title,), (), (Prose((says,)),))
        return
    says_where: Spans = (
        Term(first.symbol), " is the first number that is off by more than rounding it alone "
        "explains: the numbers that it is worked from are rounded, too.",
    )  # fmt: skip
    workings = both_workings(drift.told.traces, first.pair, first.cell)
    yield Section("", None, (title,), (), (Prose(says_where), *workings))


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
