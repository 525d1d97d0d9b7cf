"""A sieve: many candidates go through the stages of a plan, and those that break a rule fall out.

Where new numbers are drawn, those that are left are copied, so that each gets several tries.
What structure makes impossible (two tokens that are the same, a row of zeros that is given)
breaks a rule whatever is drawn; that is found out with a few candidates first, and spared.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.random import RandomState

from attncli.arithmetic.rounding import Array
from attncli.nice_numbers.batch import Batch, BatchMaker
from attncli.nice_numbers.mistakes import attempts
from attncli.nice_numbers.plan import Stage
from attncli.nice_numbers.pools import Drawn
from attncli.nice_numbers.quantity import CandidateQuantity, Flags, is_share, units
from attncli.nice_numbers.rules import ASKED_ONLY, CHECKS, GIVEN_CHECKS, cost, halves, sparse
from attncli.trace import Definition

UNWORKABLE = "unworkable"
"""What candidates fall by whose numbers can't be worked with; no rule to allow."""

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
    """How many candidates each rule took, and how hard it was to get past it: the sum of the
    logarithms of the shares that were left."""

    took: Counter[str] = field(default_factory=Counter)
    hard: dict[str, float] = field(default_factory=dict)

    def add(self, rule: str, taken: int, among: int) -> None:
        """Takes note of so many candidates that fell."""
        self.took[rule] += taken
        left = (among - taken + 1) / (among + 1)
        self.hard[rule] = self.hard.get(rule, 0.0) - math.log(left)


class Survivor(NamedTuple):
    """What gets through: its numbers as drawn, what was made of them, how hard it is."""

    drawn: Mapping[Drawn, Array]
    made: Mapping[str, Array]
    difficulty: int


@dataclass(frozen=True)
class RuleFilter:
    """What candidates have to get through: all rules but for those allowed to be broken; `spare`
    says of a quantity and a rule in how many places it may be."""

    workshop: BatchMaker
    allow: frozenset[str] = frozenset()
    spare: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def sift(self, random: RandomState, count: int, failures: Failures) -> list[Survivor]:
        """Those of so many new candidates that get through, one of each origin; `failures`
        counts how many each rule took."""
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
        batch.thin()
        return self._survivors(batch)

    @property
    def _stages(self) -> tuple[Stage, ...]:
        return self.workshop.plan.stages

    @cached_property
    def _decisive(self) -> int:
        """Where the last softmax is: what is hard is behind a candidate that gets so far."""
        made = enumerate(stage.definition for stage in self._stages)
        shares = (k for k, definition in made if is_share(definition.name, definition))
        return max(shares, default=0)

    def _good(self, stage: Stage, made: CandidateQuantity, failures: Failures) -> Flags:
        """The candidates that break no rule in a quantity."""
        good = ~_unfit(made.values)
        failures.add(UNWORKABLE, int((~good).sum()), len(good))
        for rule, broken in self._broken(stage, made):
            spared = self._spared.get((stage.definition.name, rule))
            bad = self._is_bad(rule, stage.definition.name, broken, spared)
            failures.add(rule, int((good & bad).sum()), int(good.sum()))
            good &= ~bad
        return good

    def _is_bad(self, rule: str, name: str, broken: Flags, spared: Flags | None = None) -> Flags:
        """The candidates that break a rule more often than they may. -> [b]"""
        broken = broken if spared is None else broken & ~spared
        may = self.spare.get((name, rule), 0)
        if rule == "method" and may:
            return np.asarray(~broken.any(axis=(0, 1)))
        return np.asarray(broken.sum(axis=(0, 1)) > may if may else broken.any(axis=(0, 1)))

    def _drop_weak(self, batch: Batch, stage: Stage, failures: Failures) -> None:
        """Lets those candidates fall whose new matrices are weak."""
        for drawn, _ in stage.fresh:
            for rule in () if drawn.whole else GIVEN_CHECKS.keys() - self.allow:
                broken = GIVEN_CHECKS[rule](batch.made[drawn.names[0]].values)
                bad = self._is_bad(rule, drawn.names[0], broken)
                failures.add(rule, int(bad.sum()), len(bad))
                batch.keep(~bad)

    def _broken(self, stage: Stage, made: CandidateQuantity) -> Iterator[tuple[str, Flags]]:
        """The rules that hold for a quantity, and where each is broken in the rows shown."""
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
        """A few candidates that nobody picked."""
        batch, random = self.workshop.batch(_PROBES), RandomState(0)
        for stage in self._stages:
            batch.draw(stage, random)
            self.workshop.make(batch, stage.definition)
        return batch

    @cached_property
    def _spared(self) -> Mapping[tuple[str, str], Flags]:
        """The cells that break a rule in each of a few candidates, or stand at an edge in every
        other one, which no numbers could help."""
        spared: dict[tuple[str, str], Flags] = {}
        for stage in self._stages:
            made = self.workshop.told(self._probe, stage.definition)
            for rule, broken in self._broken(stage, made):
                always = np.asarray((broken | _unfit(made.values)).all(axis=2, keepdims=True))
                key = stage.definition.name, rule
                if rule in _STRUCTURAL and always.any():
                    spared[key] = spared.get(key, always) | always
        return {**spared, **self._at_edges()}

    def _at_edges(self) -> Mapping[tuple[str, str], Flags]:
        """The cells that are whole or half units whatever is drawn, so that chance decides whether
        they are at an edge, where there are too many for it to keep all of them off."""
        found: dict[tuple[str, str], Flags] = {}
        for stage in self._stages:
            if not stage.asked:
                continue
            full = self.workshop.full(self._probe, stage.definition)
            cells = halves(self.workshop.told(self._probe, stage.definition, full))
            if cells is not None:
                found[stage.definition.name, "edges"] = cells
        return found if sum(int(cells.sum()) for cells in found.values()) > _BY_CHANCE else {}

    @cached_property
    def _mistakes(self) -> tuple[tuple[Definition, ...], ...]:
        """For each stage the mistakes that can be looked for after it, in what is asked for, of
        those that some numbers would reveal."""
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
        """Lets those candidates fall that couldn't reveal one of some mistakes."""
        for definition in mistakes:
            if batch.count:
                good = self._reveals(batch, definition)
                failures.add("mistakes", int((~good).sum()), len(good))
                batch.keep(good)

    def _reveals(self, batch: Batch, definition: Definition) -> Flags:
        """The candidates in which a mistake shows. -> [b]"""
        right = batch.made[definition.name]
        try:
            wrong = self.workshop.numbers(batch, definition)
        except ValueError:  # it doesn't go with these shapes
            return np.zeros(batch.count, dtype=np.bool_)
        if wrong.values.shape != right.values.shape:
            return np.zeros(batch.count, dtype=np.bool_)
        differs = units(wrong.values, right.decimals) != units(right.values, right.decimals)
        rows = self.workshop.rows[definition.name]
        shows = (differs if rows is None else differs[list(rows)]).any(axis=(0, 1))
        return np.asarray(shows & ~_unfit(wrong.values))

    def _survivors(self, batch: Batch) -> list[Survivor]:
        asked = {stage.definition.name: stage.definition for stage in self._stages if stage.asked}
        costs = sum(
            (cost(self.workshop.told(batch, definition)) for definition in asked.values()),
            start=np.zeros(batch.count),
        )
        return [
            Survivor(
                {one: batch.made[one.names[0]].alone(b) for one in self.workshop.plan.drawn},
                {s.definition.name: batch.made[s.definition.name].alone(b) for s in self._stages},
                int(costs[b]),
            )
            for b in range(batch.count)
        ]


def _unfit(values: Array) -> Flags:
    """The candidates with numbers that can't be worked with. -> [b]"""
    fine = np.isfinite(values)
    if fine.all():
        return np.zeros(values.shape[2], dtype=np.bool_)
    return np.asarray((~fine & (values != -np.inf)).any(axis=(0, 1)))
