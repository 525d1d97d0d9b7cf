"""Two traces that are compared, and the part of them that is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from attncli.building.trees import Difference
from attncli.name import Name
from attncli.telling.comparing.pairs import Pair, PairedCell, Pairs
from attncli.telling.selection import Selection, SelectionError, select
from attncli.trace import PlannedStep, Quantity, Trace


class Side(NamedTuple):
    """A trace, what it is called, and which part of it is told."""

    called: str
    trace: Trace
    selection: Selection

    def tells(self, quantity: Quantity) -> bool:
        """Whether a quantity is told: of a part only what its steps make."""
        part = self.trace.part_of(quantity.name)
        return not self.selection.partial if part is None else self.selection.includes(part)


@dataclass(frozen=True, eq=False)
class ComparedTraces:
    """Two traces side by side; `changed` is what their files say otherwise."""

    own: Side
    other: Side
    changed: Sequence[Difference]

    @property
    def traces(self) -> tuple[Trace, Trace]:
        return self.own.trace, self.other.trace

    @property
    def detail(self) -> str:
        return self.own.selection.detail

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs that are told: of a made quantity those in either trace's part."""
        return tuple(one for one in self._all.pairs if self._tells(one))

    @cached_property
    def _all(self) -> Pairs:
        return Pairs.of(*self.traces)

    def _tells(self, pair: Pair) -> bool:
        made = [
            side.tells(quantity)
            for side, quantity in ((self.own, pair.own), (self.other, pair.other))
            if not quantity.given
        ]
        return any(made) if made else self.own.tells(pair.own) or self.other.tells(pair.other)

    @cached_property
    def only(self) -> tuple[tuple[Name, ...], tuple[Name, ...]]:
        """The quantities that only one has, of the part that is told."""
        own, other = self._all.only_own, self._all.only_other
        return _told(self.own, own), _told(self.other, other)

    @cached_property
    def apart(self) -> tuple[Name, ...]:
        """Those that both have, and that have no cell in common."""
        return _told(self.own, self._all.apart)

    def rows(self, pair: Pair) -> list[int]:
        """The common rows of a pair that are told: those of some queries, or all."""
        wanted = set(self.own.selection.rows(pair.own))
        others = set(self.other.selection.rows(pair.other))
        return [k for k, (i, j) in enumerate(pair.rows) if i in wanted and j in others]

    def differing(self, pair: Pair) -> list[int]:
        """The rows of a pair that are told and have a number that differs."""
        return [k for k in self.rows(pair) if pair.differs[k].any()]

    @cached_property
    def first(self) -> tuple[Pair, PairedCell] | None:
        """The first number that differs, in the order of the story; one that is given only where
        nothing that is made of these differs."""
        found = [(one, rows[0]) for one in self.pairs if (rows := self.differing(one))]
        made = [(pair, row) for pair, row in found if not pair.is_given]
        for pair, row in made or found:
            return pair, pair.cell(row, int(pair.differs[row].argmax()))
        return None

    @property
    def same(self) -> bool:
        """Whether all that is told of both is the same."""
        return self.first is None and not any((*self.only, self.apart))

    def part_of(self, pair: Pair) -> PlannedStep | None:
        """The part of the story in which a pair is made; None where both are given."""
        own = self.own.trace.part_of(pair.own.name)
        return own if not pair.own.given else self.other.trace.part_of(pair.other.name)


def _told(side: Side, names: Iterable[Name]) -> tuple[Name, ...]:
    return tuple(name for name in names if side.tells(side.trace[name]))


def compared(
    sides: Sequence[tuple[str, Trace]],
    changed: Sequence[Difference],
    steps: Sequence[str] = (),
    detail: str = "rows",
    **within: Any,  # noqa: ANN401
) -> ComparedTraces:
    """Two traces, by what they are called, and the part that options ask for. What only one of
    both has can be asked for, too. Raises SelectionError for what neither has."""
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
