"""Candidates on their way through a plan: numbers drawn, quantities made, and a sieve of rules.

Each quantity is an array [n, m, b]. Equations, and what only moves numbers, are worked on these
arrays; what goes row by row on the rows of all candidates under each other; what is left one
candidate at a time. Rounding is that of plain floats, so a candidate that gets through is worked
again properly.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.random import RandomState

from attncli.classroom.nice_numbers.candidate_quantity import (
    CandidateQuantity,
    attempts,
    is_share,
    seen_of,
    shown_rows,
    units,
)
from attncli.classroom.nice_numbers.costs import Cells, FormCost, cost
from attncli.classroom.nice_numbers.plan import Plan, Stage
from attncli.classroom.nice_numbers.pools import Drawn
from attncli.classroom.nice_numbers.rules import ASKED_ONLY, CHECKS, GIVEN_CHECKS, halves, sparse
from attncli.maths.equations.matrix import Matrix
from attncli.maths.numbers.rounding import Array, Flags, Rounding, Unworkable
from attncli.maths.operations.equation import Indexed, ListOfEquations
from attncli.maths.operations.operation import Operation
from attncli.maths.operations.positions import Rotate
from attncli.maths.operations.prediction import Nucleus, TopK
from attncli.maths.operations.rearranging import Moved
from attncli.names import Name
from attncli.trace import Definition, Trace

if TYPE_CHECKING:
    from numpy.random import RandomState
    from numpy.typing import NDArray


class CandidateValues(NamedTuple):
    """The numbers of a quantity in many candidates [n, m, b], or those that all of them have, [n,
    m, 1]."""

    values: Array
    places: int | None
    decimals: int
    fixed: bool = False

    @classmethod
    def same(cls, matrix: Matrix) -> CandidateValues:
        """Makes the numbers that all candidates have."""
        return cls(matrix.values[:, :, np.newaxis], matrix.places, matrix.decimals, fixed=True)

    @property
    def digits(self) -> int:
        """Returns the decimals that its numbers are shown with."""
        return self.decimals if self.places is None else min(self.places, self.decimals)

    def taken(self, indices: NDArray[np.intp]) -> CandidateValues:
        """Returns the numbers of some of the candidates."""
        return (
            self
            if self.fixed
            else self._replace(values=np.take(self.values, indices, axis=2, mode="clip"))
        )

    def matrix(self, candidate: int) -> Matrix:
        return Matrix(np.array(self.alone(candidate)), self.places, self.decimals)

    def alone(self, candidate: int) -> Array:
        """Returns the numbers of one candidate, [n, m]."""
        return np.asarray(self.values[:, :, 0 if self.fixed else candidate])


_BY_ROW = (Nucleus, Rotate, TopK)
"""Operations that work on each row by itself, so that the rows of all candidates go through at
once."""


def _in_full(
    operation: Operation, count: int, operands: Sequence[CandidateValues], shape: tuple[int, int]
) -> Array:
    """Computes the result [n, m] of an operation in so many candidates, before it is rounded; nan
    where it can't be worked. [n, m, b]"""
    with np.errstate(all="ignore"):
        if isinstance(operation, Indexed | ListOfEquations):
            # without a memory its weights aren't used, and the result is the same for all
            return _of_each(_at_once(operation, operands), count)
        if isinstance(operation, Moved):
            return np.asarray(operation.arranged(*(_of_each(x.values, count) for x in operands)))
        if isinstance(operation, _BY_ROW):
            return _by_row(operation, count, operands)
        return _one_by_one(operation, count, operands, shape)


def _at_once(operation: Indexed | ListOfEquations, operands: Sequence[CandidateValues]) -> Array:
    """Computes an equation for all candidates at once."""
    values = operation.arrays([operand.values for operand in operands])
    infinite = np.isinf(values)
    # a mask's −∞ is copied
    return values if operation.copies or not infinite.any() else np.where(infinite, np.nan, values)


def _of_each(values: Array, count: int) -> Array:
    """Returns the numbers of each candidate, though all have the same."""
    return np.broadcast_to(values, (*values.shape[:2], count))


def _by_row(operation: Operation, count: int, operands: Sequence[CandidateValues]) -> Array:
    matrices = [Matrix(_rows(operand.values, count), operand.places, 0) for operand in operands]
    result = operation.values(*matrices)
    wide = result.T.reshape(result.shape[1], -1, count)
    return np.ascontiguousarray(wide.swapaxes(0, 1))


def _rows(values: Array, count: int) -> Array:
    """Returns the rows of all candidates under each other; a column of it is one run of memory,
    which is what makes it quick."""
    return _of_each(values, count).swapaxes(0, 1).reshape(values.shape[1], -1).T


def _one_by_one(
    operation: Operation, count: int, operands: Sequence[CandidateValues], shape: tuple[int, int]
) -> Array:
    results = [_alone(operation, [each.matrix(b) for each in operands]) for b in range(count)]
    return np.stack([np.full(shape, np.nan) if x is None else x for x in results], axis=2)


def _alone(operation: Operation, operands: Sequence[Matrix]) -> Array | None:
    try:
        return operation.values(*operands)
    except Unworkable:
        return None


def _settled(
    operation: Operation,
    values: Array,
    rounding: Rounding,
    step: str,
    operands: Sequence[CandidateValues],
) -> CandidateValues:
    """Returns the numbers as they are gone on with: copied, rounded, or in full."""
    if operation.only_moves:
        first = operation.make(rounding, step, *(operand.matrix(0) for operand in operands))
        return CandidateValues(values, first.places, first.decimals)
    places = _places_of(operation, operands)
    decimals = rounding.of(step)
    if not rounding.carries:
        return CandidateValues(values, places, decimals)
    if places == 0:
        return CandidateValues(values, 0, decimals)
    kept = decimals if places is None else min(places, decimals)
    if places is not None and places > decimals:
        values = np.rint(values * 10.0**places) / 10.0**places
    return CandidateValues(units(values, kept) / 10.0**kept + 0.0, kept, decimals)


def _places_of(operation: Operation, operands: Sequence[CandidateValues]) -> int | None:
    """Returns the decimals that hold the results of an operation in full; None where none need
    do."""
    return operation.places(*(operand.matrix(0) for operand in operands))


class Quantities:
    """The numbers of candidates by the names of quantities.

    Candidates that fall are taken out of a quantity when it is next asked for: most are seldom, and
    candidates fall at every stage.
    """

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
        """Returns where the candidates of now stood so many takes ago."""
        while len(self._back) < behind:
            self._back.append(self._takes[-1 - len(self._back)][self._back[-1]])
        return self._back[behind - 1]


@dataclass
class Batch:
    """Some candidates that are worked at once."""

    count: int
    made: Quantities
    """Their numbers, drawn and made."""
    origin: NDArray[np.intp]
    """From which of the first candidates each comes."""

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

    def firsts(self, liked: Flags) -> NDArray[np.intp]:
        """Returns the place of the first candidate of each origin that is liked, or else of the
        first."""
        order = np.argsort(~liked, kind="stable")
        return np.asarray(order[np.unique(self.origin[order], return_index=True)[1]])

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
    """A maker of the quantities of a plan for a batch, as the trace that the plan is of makes
    them."""

    trace: Trace
    plan: Plan

    def batch(self, count: int) -> Batch:
        """Makes so many candidates of which nothing is drawn yet."""
        return Batch(count, Quantities(self._fixed), np.arange(count))

    @cached_property
    def _fixed(self) -> Mapping[str, CandidateValues]:
        names = (name for name in self.trace if name in self.plan.fixed)
        return {name: CandidateValues.same(self.trace[name].matrix) for name in names}

    def make(self, batch: Batch, definition: Definition) -> CandidateQuantity:
        """Makes a quantity for all candidates of a batch."""
        full = self.full(batch, definition)
        batch.made[definition.name] = self._settled(batch, definition, full)
        return self.candidates_of(batch, definition, full)

    def numbers(self, batch: Batch, definition: Definition) -> CandidateValues:
        """Returns what a quantity would be if it were made so; the batch stays as it is. Raises
        ValueError where the shapes don't fit."""
        return self._settled(batch, definition, self.full(batch, definition))

    def wrong(self, batch: Batch, definition: Definition) -> Array | None:
        """Returns what a mistake makes of a quantity that was made; None where its shapes don't
        fit."""
        try:
            wrong = self.numbers(batch, definition).values
        except (ValueError, Unworkable):
            return None
        return wrong if wrong.shape[:2] == batch.made[definition.name].values.shape[:2] else None

    def full(self, batch: Batch, definition: Definition) -> Array:
        """Returns the numbers of a quantity before they are rounded."""
        operands = [batch.made[name] for name in definition.operands]
        shape = self.trace[definition.name].matrix.shape
        return _in_full(definition.operation, batch.count, operands, shape)

    def _settled(self, batch: Batch, definition: Definition, full: Array) -> CandidateValues:
        operands = [batch.made[name] for name in definition.operands]
        rounding = self.trace.rounding.of_quantity(definition.step, definition.name)
        return _settled(definition.operation, full, rounding, definition.step, operands)

    def candidates_of(
        self, batch: Batch, definition: Definition, full: Array | None = None
    ) -> CandidateQuantity:
        """Returns a quantity that was made, as the rules see it; `full` are its numbers before they
        were rounded, where that matters."""
        operands = [batch.made[name] for name in definition.operands]
        many = batch.made[definition.name]
        before = next(map(self.definitions.get, definition.operands), None)
        return CandidateQuantity(
            definition.operation,
            many.values,
            many.values if full is None else full,
            _places_of(definition.operation, operands),
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
        """Returns how each quantity is made."""
        return {definition.name: definition for definition in self.trace.plan}

    @cached_property
    def rows(self) -> Mapping[str, tuple[int, ...] | None]:
        """Returns the rows of each quantity that a page shows, None for all."""
        rows = shown_rows(self.trace)
        return {name: rows(quantity) for name, quantity in self.trace.quantities.items()}


# --------------------------------------------------------------------------------------------------
# A sieve: many candidates go through the stages of a plan, and those that break a rule fall out.
# Where new numbers are drawn, those that are left are copied, so that each gets several tries.
# What structure makes impossible (two tokens that are the same, a row of zeros that is given)
# breaks a rule whatever is drawn; that is found out with a few candidates first, and spared.

UNWORKABLE = "unworkable"
"""The name of what takes candidates whose numbers can't be worked with; no rule to allow."""

_STRUCTURAL = frozenset({"repeats", "ties", "trivial", "zeros"})
"""Rules that the structure of a scenario may break whatever its numbers are."""
_PROBES = 32
_ENOUGH = 7
"""A mistake that shows in fewer of these is one that numbers hardly can reveal."""
_BY_CHANCE = 12
"""With more halves of a unit than this hardly one candidate in thousands has none at an edge."""
_GROWTH = 4
"""How many times as many candidates there are each time that numbers are drawn: the later ones
decide whether the earlier ones are good."""
_COPIES = 24
"""How many tries of new numbers those of one origin get together once they are through the last
softmax."""


@dataclass
class Failures:
    """A count of the candidates that each rule took, and how hard it was to get past it."""

    took: Counter[str] = field(default_factory=Counter)
    hard: dict[str, float] = field(default_factory=dict)
    """The sum of minus the logarithms of the shares that were left."""

    def add(self, rule: str, taken: int, among: int) -> None:
        """Counts so many candidates that fell."""
        self.took[rule] += taken
        left = (among - taken + 1) / (among + 1)
        self.hard[rule] = self.hard.get(rule, 0.0) - math.log(left)


Likes = Callable[[Array, Array], Flags]
"""Which costs are those that are aimed for, beside the first of each origin. [4, b], [4, o] -> [b]
"""


class Survivor(NamedTuple):
    """A candidate that gets through all rules."""

    drawn: Mapping[Drawn, Array]
    """Its numbers as drawn."""
    made: Mapping[str, Array]
    """What was made of them."""
    cost: FormCost
    """What it costs."""


@dataclass(frozen=True)
class RuleFilter:
    """A sieve that candidates have to get through: all rules but for those allowed to be broken."""

    workshop: BatchMaker
    allow: frozenset[str] = frozenset()
    spare: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """In how many places a quantity may break a rule."""
    cells: Cells = field(default_factory=dict)
    """The cells asked for."""

    def sift(
        self, random: RandomState, count: int, failures: Failures, likes: Likes
    ) -> list[Survivor]:
        """Returns those of so many new candidates that get through, one of each origin, if there is
        one with costs that `likes` likes; `failures` counts how many each rule took."""
        size = max(count // _GROWTH**2, 1)
        batch = self.workshop.batch(size)
        for k, (stage, mistakes) in enumerate(zip(self._stages, self._mistakes, strict=True)):
            if stage.fresh and k:
                size = min(size * _GROWTH, count)
                batch.refill(size, 0 if k < self._decisive else _COPIES)
            batch.draw(stage, random)
            self._drop_weak(batch, stage, failures)
            batch.keep(self._good(stage, self.workshop.make(batch, stage.definition), failures))
            self._drop_blind(batch, mistakes, failures)
            if not batch.count:
                return []
        return self._survivors(batch, likes)

    @property
    def _stages(self) -> tuple[Stage, ...]:
        return self.workshop.plan.stages

    @cached_property
    def _decisive(self) -> int:
        """Finds where the last softmax is: what is hard is behind a candidate that gets so far."""
        made = enumerate(stage.definition for stage in self._stages)
        shares = (k for k, definition in made if is_share(definition.name, definition))
        return max(shares, default=0)

    def _good(self, stage: Stage, made: CandidateQuantity, failures: Failures) -> Flags:
        """Finds the candidates that break no rule in a quantity. -> [b]"""
        good = ~unfit(made.values)
        failures.add(UNWORKABLE, int((~good).sum()), len(good))
        for rule, broken in self._broken(stage, made):
            spared = self._spared.get((stage.definition.name, rule))
            bad = self._is_bad(rule, stage.definition.name, broken, spared)
            failures.add(rule, int((good & bad).sum()), int(good.sum()))
            good &= ~bad
        return good

    def _is_bad(self, rule: str, name: str, broken: Flags, spared: Flags | None = None) -> Flags:
        """Finds the candidates that break a rule more often than they may. -> [b]"""
        broken = broken if spared is None else broken & ~spared
        may = self.spare.get((name, rule), 0)
        if rule == "method" and may:
            return np.asarray(~broken.any(axis=(0, 1)))
        return np.asarray(broken.sum(axis=(0, 1)) > may if may else broken.any(axis=(0, 1)))

    def _drop_weak(self, batch: Batch, stage: Stage, failures: Failures) -> None:
        """Drops the candidates whose new matrices are weak."""
        for drawn, _ in stage.fresh:
            for rule in () if drawn.whole else GIVEN_CHECKS.keys() - self.allow:
                broken = GIVEN_CHECKS[rule](batch.made[drawn.names[0]].values)
                bad = self._is_bad(rule, drawn.names[0], broken)
                failures.add(rule, int(bad.sum()), len(bad))
                batch.keep(~bad)

    def _broken(self, stage: Stage, made: CandidateQuantity) -> Iterator[tuple[str, Flags]]:
        """Yields the rules that hold for a quantity, and where each is broken in the rows shown."""
        for rule, check in CHECKS.items():
            if rule not in self.allow and (stage.asked or rule not in ASKED_ONLY):
                broken = check(made)
                if broken is not None:
                    yield rule, broken if made.rows is None else broken[list(made.rows)]
        few = sparse(made) if stage.factor and "trivial" not in self.allow else None
        if few is not None:
            yield "trivial", few

    @cached_property
    def _probe(self) -> Batch:
        """Makes a few candidates that nobody picked."""
        batch, random = self.workshop.batch(_PROBES), RandomState(0)
        for stage in self._stages:
            batch.draw(stage, random)
            self.workshop.make(batch, stage.definition)
        return batch

    @cached_property
    def _spared(self) -> Mapping[tuple[str, str], Flags]:
        """Finds the cells that break a rule in each of a few candidates, or stand at an edge in
        every other one, which no numbers could help."""
        spared: dict[tuple[str, str], Flags] = {}
        for stage in self._stages:
            made = self.workshop.candidates_of(self._probe, stage.definition)
            for rule, broken in self._broken(stage, made):
                always = np.asarray((broken | unfit(made.values)).all(axis=2, keepdims=True))
                key = stage.definition.name, rule
                if rule in _STRUCTURAL and always.any():
                    spared[key] = spared.get(key, always) | always
        return {**spared, **self._at_edges()}

    def _at_edges(self) -> Mapping[tuple[str, str], Flags]:
        """Finds the cells that are whole or half units whatever is drawn, so that chance decides
        whether they are at an edge, where there are too many for it to keep all of them off."""
        found: dict[tuple[str, str], Flags] = {}
        for stage in self._stages:
            if not stage.asked:
                continue
            full = self.workshop.full(self._probe, stage.definition)
            cells = halves(self.workshop.candidates_of(self._probe, stage.definition, full))
            if cells is not None:
                found[stage.definition.name, "edges"] = cells
        return found if sum(int(cells.sum()) for cells in found.values()) > _BY_CHANCE else {}

    @cached_property
    def _mistakes(self) -> tuple[tuple[Definition, ...], ...]:
        """Returns for each stage the mistakes that can be looked for after it, in what is asked
        for, of those that some numbers would reveal."""
        asked = {stage.definition.name for stage in self._stages if stage.asked}
        if not asked or "mistakes" in self.allow:
            return tuple(() for _ in self._stages)
        there = self._probe.made.keys()
        definitions = [slip.definition for slip in attempts(self.workshop.trace, asked)]
        definitions = [
            definition for definition in definitions if there >= set(definition.operands)
        ]
        seen = [m for m in definitions if self._reveals(self._probe, m).sum() >= _ENOUGH]
        known, done = set(self.workshop.plan.fixed), set[Definition]()
        found: list[tuple[Definition, ...]] = []
        for stage in self._stages:
            known.update((stage.definition.name, *stage.definition.operands))
            ready = [m for m in seen if known.issuperset((m.name, *m.operands))]
            found.append(
                tuple(m for m in ready if m not in done or m.name == stage.definition.name)
            )
            done.update(ready)
        return tuple(found)

    def _drop_blind(
        self, batch: Batch, mistakes: tuple[Definition, ...], failures: Failures
    ) -> None:
        """Drops the candidates that couldn't reveal one of some mistakes."""
        for definition in mistakes:
            if batch.count:
                good = self._reveals(batch, definition)
                failures.add("mistakes", int((~good).sum()), len(good))
                batch.keep(good)

    def _reveals(self, batch: Batch, definition: Definition) -> Flags:
        """Finds the candidates in which a mistake shows. -> [b]"""
        right, wrong = batch.made[definition.name], self.workshop.wrong(batch, definition)
        if wrong is None:
            return np.zeros(batch.count, dtype=np.bool_)
        differs = units(wrong, right.decimals) != units(right.values, right.decimals)
        rows = self.workshop.rows[definition.name]
        shows = (differs if rows is None else differs[list(rows)]).any(axis=(0, 1))
        return np.asarray(shows & ~unfit(wrong))

    def _survivors(self, batch: Batch, likes: Likes) -> list[Survivor]:
        asked = {stage.definition.name: stage.definition for stage in self._stages if stage.asked}
        made = (self.workshop.candidates_of(batch, definition) for definition in asked.values())
        each = (cost(m, self.cells.get(name)) for name, m in zip(asked, made, strict=True))
        costs = sum(each, start=np.zeros((4, batch.count)))
        first = batch.firsts(np.ones(batch.count, dtype=np.bool_))
        kept = batch.firsts(likes(costs, costs[:, first]))
        batch.take(kept)
        costs = costs[:, kept]
        return [
            Survivor(
                {drawn: batch.made[drawn.names[0]].alone(b) for drawn in self.workshop.plan.drawn},
                {s.definition.name: batch.made[s.definition.name].alone(b) for s in self._stages},
                FormCost(*costs[:, b].tolist()),
            )
            for b in range(batch.count)
        ]


def unfit(values: Array) -> Flags:
    """Finds the candidates with numbers that can't be worked with. -> [b]"""
    fine = np.isfinite(values)
    if fine.all():
        return np.zeros(values.shape[2], dtype=np.bool_)
    return np.asarray((~fine & (values != -np.inf)).any(axis=(0, 1)))
