"""Batches of candidates on their way through a plan: drawing numbers, and making of them."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from attncli.arithmetic.rounding import Array
from attncli.design import candidates
from attncli.design.candidates import CandidateValues
from attncli.design.plan import Plan, Stage
from attncli.design.quantity import CandidateQuantity, Flags
from attncli.design.shares import seen_of, shown_rows
from attncli.name import Name
from attncli.trace import Definition, Trace

if TYPE_CHECKING:
    from numpy.random import RandomState
    from numpy.typing import NDArray


class Quantities:
    """The numbers of candidates by the names of quantities. Candidates that fall are taken out of
    a quantity when it is next asked for: most are seldom, and candidates fall at every stage."""

    def __init__(self, fixed: Mapping[str, CandidateValues]) -> None:
        self._stored = {name: (many, 0) for name, many in fixed.items()}
        self._takes: list[NDArray[np.intp]] = []
        self._back: list[NDArray[np.intp]] = []
        """Where the candidates of now stood before the last take, before the last two, …"""

    def __getitem__(self, name: str) -> CandidateValues:
        many, before = self._stored[name]
        behind = len(self._takes) - before
        if behind and not many.fixed:
            many = many.taken(self._places(behind))
            self[name] = many
        return many

    def __setitem__(self, name: str, many: CandidateValues) -> None:
        self._stored[name] = many, len(self._takes)

    def keys(self) -> Set[str]:
        return self._stored.keys()

    def take(self, indices: NDArray[np.intp]) -> None:
        """Keeps these candidates; some may come more than once."""
        self._takes.append(indices)
        self._back = [indices]

    def _places(self, behind: int) -> NDArray[np.intp]:
        """Where the candidates of now stood so many takes ago."""
        while len(self._back) < behind:
            self._back.append(self._takes[-1 - len(self._back)][self._back[-1]])
        return self._back[behind - 1]


@dataclass
class Batch:
    """So many candidates: their numbers, drawn and made, and from which of the first ones each
    comes."""

    count: int
    made: Quantities
    origin: NDArray[np.intp]

    def take(self, indices: NDArray[np.intp]) -> None:
        """Keeps these candidates; some may come more than once."""
        self.count = len(indices)
        self.origin = self.origin[indices]
        self.made.take(indices)

    def keep(self, good: Flags) -> None:
        """Keeps the candidates that are good."""
        if not good.all():
            self.take(np.flatnonzero(good))

    def refill(self, most: int, each: int = 0) -> None:
        """Copies the candidates that are left, up to so many, and of each origin up to so many if
        that is said."""
        wanted = min(most, len(np.unique(self.origin)) * each) if each else most
        if self.count < wanted:
            self.take(np.arange(wanted) % self.count)

    def thin(self) -> None:
        """Keeps the first candidate of each origin."""
        self.take(np.unique(self.origin, return_index=True)[1])

    def draw(self, stage: Stage, random: RandomState) -> None:
        """Draws the numbers that a stage asks for."""
        for drawn, columns in stage.fresh:
            numbers = drawn.draw(random, self.count)
            if columns is not None:
                new, numbers = numbers, self.made[drawn.names[0]].values.copy()
                numbers[:, columns] = new[:, columns]
            many = CandidateValues(numbers, drawn.places, drawn.places)
            for name in drawn.names:
                self.made[name] = many


@dataclass(frozen=True)
class BatchMaker:
    """Makes the quantities of a plan for a batch, as the trace that the plan is of makes them."""

    trace: Trace
    plan: Plan

    def batch(self, count: int) -> Batch:
        """So many candidates of which nothing is drawn yet."""
        return Batch(count, Quantities(self._fixed), np.arange(count))

    @cached_property
    def _fixed(self) -> Mapping[str, CandidateValues]:
        names = (name for name in self.trace if name in self.plan.fixed)
        return {name: CandidateValues.same(self.trace[name].matrix) for name in names}

    def make(self, batch: Batch, definition: Definition) -> CandidateQuantity:
        """Makes a quantity for all candidates of a batch."""
        full = self.full(batch, definition)
        batch.made[definition.name] = self._settled(batch, definition, full)
        return self.told(batch, definition, full)

    def numbers(self, batch: Batch, definition: Definition) -> CandidateValues:
        """What a quantity would be if it were made so; the batch stays as it is. Raises
        ValueError where the shapes don't fit."""
        return self._settled(batch, definition, self.full(batch, definition))

    def full(self, batch: Batch, definition: Definition) -> Array:
        """The numbers of a quantity before they are rounded."""
        operands = [batch.made[name] for name in definition.operands]
        shape = self.trace[definition.name].matrix.shape
        return candidates.full(definition.operation, batch.count, operands, shape)

    def _settled(self, batch: Batch, definition: Definition, full: Array) -> CandidateValues:
        operands = [batch.made[name] for name in definition.operands]
        rounding = self.trace.rounding.of_quantity(definition.step, definition.name)
        return candidates.settled(definition.operation, full, rounding, definition.step, operands)

    def told(
        self, batch: Batch, definition: Definition, full: Array | None = None
    ) -> CandidateQuantity:
        """A quantity that was made, as the rules see it; `full` are its numbers before they were
        rounded, where that matters."""
        operands = [batch.made[name] for name in definition.operands]
        many = batch.made[definition.name]
        before = next(map(self.definitions.get, definition.operands), None)
        return CandidateQuantity(
            definition.operation,
            many.values,
            many.values if full is None else full,
            candidates.places_of(definition.operation, operands),
            many.decimals,
            many.digits,
            many.digits != many.places,
            tuple(operand.values for operand in operands),
            tuple(operand.digits for operand in operands),
            None if before is None else before.operation,
            seen_of(definition.name, self.definitions, lambda name: batch.made[name].values),
            self.trace[definition.name].is_list,
            self.rows[definition.name],
        )

    @cached_property
    def definitions(self) -> Mapping[Name, Definition]:
        """How each quantity is made."""
        return {definition.name: definition for definition in self.trace.plan}

    @cached_property
    def rows(self) -> Mapping[str, tuple[int, ...] | None]:
        """The rows of each quantity that a page shows, None for all."""
        rows = shown_rows(self.trace)
        return {name: rows(quantity) for name, quantity in self.trace.quantities.items()}
