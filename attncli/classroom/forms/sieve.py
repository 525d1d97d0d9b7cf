"""A sieve: candidates go through the stages of a plan, and those that break a rule fall out.

Where new numbers are drawn, those that are left are copied, so that each gets several tries. What
structure makes impossible (two tokens that are the same, a row of zeros that is given) breaks a
rule whatever is drawn; that is found out with a few candidates first, and spared.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.random import RandomState

from attncli.classroom.forms.candidate_quantity import (
    CandidateQuantity,
    attempts,
    is_share,
    units,
)
from attncli.classroom.forms.candidates import Batch, BatchMaker
from attncli.classroom.forms.costs import Cells, FormCost, cost
from attncli.classroom.forms.plan import Stage
from attncli.classroom.forms.pools import Drawn
from attncli.classroom.forms.rules import ASKED_ONLY, GIVEN_CHECKS, NEW_CHECKS, halves, sparse
from attncli.maths.numbers.rounding import Array, Flags
from attncli.trace import Definition

if TYPE_CHECKING:
    from numpy.random import RandomState


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
        for rule, check in NEW_CHECKS.items():
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
