"""The differences of two traces: pairs of quantities, cells that differ, the part that is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from attncli.maths.equations.tree import Number, Symbol
from attncli.maths.numbers.rounding import Array
from attncli.names import Name, below
from attncli.pages.parts.selection import Selection, SelectionError, select
from attncli.pages.parts.sentences import contrasted
from attncli.pipeline.trees import Difference
from attncli.tokenizers.merge_training import MergeTraining
from attncli.trace import Axis, PlannedStep, Quantity, Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray


_NOISE = 1e-12
"""What floats may be off by where the same sums are done in another order, of their size."""

SharedPlaces = tuple[tuple[int, int], ...]
"""Places along an axis, from 0, that have one name in both quantities."""


class PairedCell(NamedTuple):
    """A cell that two quantities have in common."""

    own: tuple[int, int]
    """Its row and column in the first one."""
    other: tuple[int, int]
    """Its row and column in the second one."""


@dataclass(frozen=True, eq=False)
class Pair:
    """A quantity of one trace beside that of another one."""

    own: Quantity
    """The quantity of the first trace."""
    other: Quantity
    """The quantity of the second trace."""
    rows: SharedPlaces
    """The rows of the same name, by their places in either."""
    columns: SharedPlaces
    """The columns of the same name, by their places in either."""

    @cached_property
    def common(self) -> tuple[Array, Array]:
        """Returns the numbers of the common cells of both, [rows, columns] each."""
        (own, other), (columns, others) = _sides(self.rows), _sides(self.columns)
        return self.own.values[np.ix_(own, columns)], self.other.values[np.ix_(other, others)]

    @cached_property
    def differs(self) -> NDArray[np.bool_]:
        """Marks the common cells that differ, [rows, columns]."""
        own, other = self.common
        size = np.maximum(1, np.where(np.isfinite(own), np.abs(own), 1))
        alike: NDArray[np.bool_] = (own == other) | (self._apart <= _NOISE * size)
        return ~alike

    @cached_property
    def _apart(self) -> Array:
        own, other = self.common
        same = own == other
        with np.errstate(invalid="ignore"):
            return np.where(same, 0.0, np.abs(own - other))

    @property
    def count(self) -> int:
        """Counts the common cells that differ."""
        return int(self.differs.sum())

    @property
    def size(self) -> int:
        """Counts the common cells."""
        return self.differs.size

    @property
    def name(self) -> str:
        """Returns what both are called."""
        names = dict.fromkeys((self.own.name, self.other.name))
        return " and ".join(names)

    @property
    def is_given(self) -> bool:
        return self.own.given and self.other.given

    def cell(self, k: int, m: int) -> PairedCell:
        """Returns a common cell by the places of its row and its column among the common ones."""
        rows, columns = self.rows[k], self.columns[m]
        return PairedCell((rows[0], columns[0]), (rows[1], columns[1]))

    def symbol(self, cell: PairedCell) -> Symbol:
        """Returns a cell as it is called in the first trace."""
        return self.own.symbol(*cell.own, self.own.name)

    def values(self, cell: PairedCell) -> tuple[float, float]:
        """Returns both numbers of a cell as floats."""
        return self.own.values[cell.own], self.other.values[cell.other]

    def numbers(self, cell: PairedCell) -> tuple[Number, Number]:
        """Returns both numbers of a cell, with as many decimals as tell them apart."""
        numbers = self.own.number(*cell.own), self.other.number(*cell.other)
        return contrasted(*numbers) or numbers

    def differing(self) -> Iterator[tuple[int, int]]:
        """Yields the places of the cells that differ, row by row."""
        for k in np.flatnonzero(self.differs.any(axis=1)):
            yield from ((int(k), int(m)) for m in np.flatnonzero(self.differs[k]))

    @property
    def most(self) -> tuple[int, int] | None:
        """Finds the place of the cell that differs most: one that is only infinite in one of both,
        or else the one whose numbers are furthest apart. None where none differs."""
        if not self.count:
            return None
        k, m = np.unravel_index(int(self._apart.argmax()), self._apart.shape)
        return int(k), int(m)

    @property
    def left_out(self) -> Iterator[tuple[int, str]]:
        """Yields the names of rows and columns that only one of both has, each after 0 for the
        first or 1 for the second."""
        for axis, two in ((self.own.rows, self.other.rows), (self.own.columns, self.other.columns)):
            yield from ((0, name) for name in axis.names if name not in two.names)
            yield from ((1, name) for name in two.names if name not in axis.names)


def _sides(places: SharedPlaces) -> tuple[list[int], list[int]]:
    return [index for index, _ in places], [other for _, other in places]


class Pairs(NamedTuple):
    """A matching of the quantities of two traces."""

    pairs: tuple[Pair, ...]
    """Those that are held against each other, in the order in which they are made."""
    apart: tuple[Name, ...]
    """The names of those that both have, without a row or a column of one name."""
    only_own: tuple[Name, ...]
    """The names of those that only the first trace has."""
    only_other: tuple[Name, ...]
    """The names of those that only the second trace has."""

    @classmethod
    def of(cls, own: Trace, other: Trace) -> Pairs:
        pairs = list(_pairs({n: own[n] for n in own}, {n: other[n] for n in other}))
        mine = {pair.own.name for pair in pairs}
        theirs = {pair.other.name for pair in pairs}
        names = [own[n].name for n in own if own[n].name not in mine]
        others = [other[n].name for n in other if other[n].name not in theirs]
        apart = {*names} & {*others}
        return cls(
            tuple(pairs),
            tuple(name for name in names if name in apart),
            tuple(name for name in names if name not in apart),
            tuple(name for name in others if name not in apart),
        )


def _pairs(own: Mapping[str, Quantity], other: Mapping[str, Quantity]) -> Iterator[Pair]:
    """Yields the pairs of quantities of one name. Where one model has heads that the other goes
    without, its quantity is paired with that of each head, if they have one shape."""
    heads = {q.name: _without_heads(q.name) for q in other.values() if q.name not in own}
    for quantity in own.values():
        if quantity.name in other:
            alike = [other[quantity.name]]
        else:
            plain = _without_heads(quantity.name)
            alike = [
                other[name]
                for name, without in heads.items()
                if without == plain and other[name].matrix.shape == quantity.matrix.shape
            ]
        for entry in alike:
            rows, columns = (
                _common(quantity.rows, entry.rows),
                _common(quantity.columns, entry.columns),
            )
            if rows and columns:
                yield Pair(quantity, entry, rows, columns)


def _without_heads(name: Name) -> Sequence[Name]:
    """Returns the places that a name leads through, without heads."""
    return [place.alone for place in name.places if place.local != "heads"]


def _common(own: Axis, other: Axis) -> SharedPlaces:
    """Finds the places that have one name in both; of a list's only column, which has no name,
    place 0."""
    if own.names == other.names:
        return tuple((k, k) for k in range(max(1, len(own.names))))
    return tuple(
        (k, other.names.index(name)) for k, name in enumerate(own.names) if name in other.names
    )


class WordLists(NamedTuple):
    """A list of one trace, its merges or its tokens, beside that of another trace."""

    name: Name
    """What both lists are called."""
    own: Sequence[str]
    """The words of the first trace, in their order."""
    other: Sequence[str]
    """The words of the second trace, in their order."""

    @property
    def differing(self) -> list[int]:
        """Lists the places, from 0, at which they have not the same word, or only one has any."""
        pairs = enumerate(zip_longest(self.own, self.other))
        return [k for k, (mine, theirs) in pairs if mine != theirs]

    @property
    def size(self) -> int:
        """Counts the places of the longer list."""
        return max(len(self.own), len(self.other))

    def words(self, k: int) -> tuple[str | None, str | None]:
        """Returns the words of both at a place; None where there is none."""
        own, other = ((*words[k : k + 1], None)[0] for words in (self.own, self.other))
        return own, other


def _words_of(trace: Trace) -> Mapping[Name, tuple[str, Sequence[str]]]:
    """Finds the lists of words of a trace by their names, each with the step that makes it."""
    found: dict[Name, tuple[str, Sequence[str]]] = {}
    for stack in trace.scenario.stacks:
        learned = stack.text.learned_as(MergeTraining)
        if learned is not None:
            merges = [" ".join(pair) for pair in learned.merges]
            found[below(stack.path, "merges")] = ("learn", merges)
        if stack.text.sentence is not None:
            found[below(stack.path, "tokens")] = ("tokenize", stack.text.tokens)
    return found


class Side(NamedTuple):
    """A trace that is compared with another one."""

    called: str
    """What it is called."""
    trace: Trace
    """The trace itself."""
    selection: Selection
    """Which part of it is told."""

    def tells(self, quantity: Quantity) -> bool:
        """Tells whether a quantity is told: of a part only what its steps make."""
        part = self.trace.part_of(quantity.name)
        return not self.selection.partial if part is None else self.selection.includes(part)

    def tells_of(self, step: str) -> bool:
        """Tells whether a step is told that the story has once."""
        return not self.selection.partial or step in self.selection.steps


@dataclass(frozen=True, eq=False)
class ComparedTraces:
    """A view of two traces side by side."""

    own: Side
    """The first trace."""
    other: Side
    """The second trace."""
    changed: Sequence[Difference]
    """What their files say otherwise."""

    @property
    def traces(self) -> tuple[Trace, Trace]:
        return self.own.trace, self.other.trace

    @property
    def detail(self) -> str:
        return self.own.selection.detail

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Returns the pairs that are told: of a made quantity those in either trace's part."""
        return tuple(pair for pair in self._all.pairs if self._tells(pair))

    @cached_property
    def _all(self) -> Pairs:
        return Pairs.of(*self.traces)

    @cached_property
    def given(self) -> tuple[Pair, ...]:
        """Returns the given matrices that differ in some numbers and not in shape, whatever part is
        told."""
        pairs = (pair for pair in self._all.pairs if pair.is_given and pair.count)
        return tuple(pair for pair in pairs if pair.own.shape == pair.other.shape)

    def _tells(self, pair: Pair) -> bool:
        made = [
            side.tells(quantity)
            for side, quantity in ((self.own, pair.own), (self.other, pair.other))
            if not quantity.given
        ]
        return any(made) if made else self.own.tells(pair.own) or self.other.tells(pair.other)

    @cached_property
    def only(self) -> tuple[tuple[Name, ...], tuple[Name, ...]]:
        """Returns the names of the quantities that only one has, those of the first and those of
        the second, of the part that is told."""
        own, other = self._all.only_own, self._all.only_other
        return _names_told(self.own, own), _names_told(self.other, other)

    @cached_property
    def apart(self) -> tuple[Name, ...]:
        """Returns the names of the quantities that both have, and that have no cell in common."""
        return _names_told(self.own, self._all.apart)

    @cached_property
    def lists(self) -> tuple[WordLists, ...]:
        """Returns the lists of merges and of tokens that both have, where they differ, of the part
        that is told."""
        mine, theirs = map(_words_of, self.traces)
        common = (
            WordLists(name, words, theirs[name][1])
            for name, (step, words) in mine.items()
            if name in theirs and (self.own.tells_of(step) or self.other.tells_of(step))
        )
        return tuple(words for words in common if words.differing)

    @property
    def without_numbers(self) -> bool:
        """Tells whether no number that is worked can be compared."""
        return all(pair.is_given for pair in self.pairs)

    def rows(self, pair: Pair) -> list[int]:
        """Lists the common rows of a pair that are told: those of some queries, or all."""
        wanted = set(self.own.selection.rows(pair.own))
        others = set(self.other.selection.rows(pair.other))
        return [k for k, (i, j) in enumerate(pair.rows) if i in wanted and j in others]

    def differing(self, pair: Pair) -> list[int]:
        """Lists the rows of a pair that are told and have a number that differs."""
        return [k for k in self.rows(pair) if pair.differs[k].any()]

    @cached_property
    def first(self) -> tuple[Pair, PairedCell] | None:
        """Finds the first number that differs, in the order of the story; one that is given only
        where nothing that is made of these differs. None where none does."""
        found = [(entry, rows[0]) for entry in self.pairs if (rows := self.differing(entry))]
        made = [(pair, row) for pair, row in found if not pair.is_given]
        for pair, row in made or found:
            return pair, pair.cell(row, int(pair.differs[row].argmax()))
        return None

    @property
    def same(self) -> bool:
        """Tells whether all that is told of both is the same."""
        return self.first is None and not any((*self.only, self.apart, self.lists))

    def part_of(self, pair: Pair) -> PlannedStep | None:
        """Finds the part of the story in which a pair is made; None where both are given."""
        own = self.own.trace.part_of(pair.own.name)
        return own if not pair.own.given else self.other.trace.part_of(pair.other.name)


def _names_told(side: Side, names: Iterable[Name]) -> tuple[Name, ...]:
    return tuple(name for name in names if side.tells(side.trace[name]))


def compared(
    sides: Sequence[tuple[str, Trace]],
    changed: Sequence[Difference],
    steps: Sequence[str] = (),
    detail: str = "rows",
    **within: str | None,
) -> ComparedTraces:
    """Compares two traces, by what they are called, in the part that options ask for. What only one
    of both has can be asked for, too. Raises SelectionError for what neither has."""
    chosen: Mapping[int, Selection] = {}
    refused: list[SelectionError] = []
    for k, (_, trace) in enumerate(sides):
        try:
            chosen = {**chosen, k: select(trace, steps, detail=detail, **within)}
        except SelectionError as error:
            refused.append(error)
    if not chosen:
        raise refused[0]
    known = next(iter(chosen.values()))
    usual = known._replace(queries=(), axis=())
    own, other = (
        Side(called, trace, chosen.get(k, usual)) for k, (called, trace) in enumerate(sides)
    )
    return ComparedTraces(own, other, changed)
