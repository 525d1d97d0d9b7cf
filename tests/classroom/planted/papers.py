"""Papers on scenarios drawn at random, each with what was planted in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import count
from typing import NamedTuple

import numpy as np

from attncli.judging.judging import Judge
from attncli.judging.verdicts import Given
from attncli.maths.equations.tree import Location
from attncli.scenario.file.problems import ScenarioError
from tests.classroom.planted import models, recurrent, slips, stacked, updating
from tests.classroom.planted.mistakes import MISTAKES
from tests.classroom.planted.models import Model
from tests.classroom.planted.recurrent import Cell
from tests.classroom.planted.sheet import (
    NONE,
    UNIT,
    WAYS,
    Array,
    Sheet,
    Slip,
    rounded,
    sheet,
    truncated,
)
from tests.classroom.planted.stacked import Layers
from tests.classroom.planted.updating import Trained
from tests.helpers.pages import trace_of
from tests.helpers.plain import read

_SPREADS = 4
"""Honest paths that are tried to see how far they lead apart."""
_A_SCENARIO = 8
"""Papers on one scenario."""
Tables = Mapping[str, Array]


class Paper(NamedTuple):
    """What somebody gives; `first` is the cause of what is wrong first, "" where nothing is; `tells`
    whether the numbers tell it from all other causes."""

    number: int
    answers: Mapping[Location, Given]
    causes: tuple[str, ...]
    first: str
    tells: bool
    scenario: Scenario


class Scenario:
    """A scenario drawn at random, and what all papers on it share."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        drawn = rng.random()
        kinds = ((0.1, stacked), (0.3, recurrent), (0.4, updating))
        kind = next((kind for below, kind in kinds if drawn < below), models)
        self.model: Model | Cell | Layers | Trained = kind.draw(rng)
        self.text = self.model.scenario()
        self.data = read(self.text)
        self.mistakes = sorted(self.model.mistakes())

    @cached_property
    def is_workable(self) -> bool:
        """Whether no row of exponentials rounds to nothing but zeros."""
        try:
            return bool(self.judge)
        except ScenarioError:
            return False

    @cached_property
    def judge(self) -> Judge:
        return Judge(trace_of(self.text))

    def work(
        self, mistake: str = "", *, seed: int | None = None, slip: Slip | None = None, way: str = ""
    ) -> Sheet:
        """What somebody writes down on it."""
        made = MISTAKES[mistake] if mistake else NONE
        return sheet(self.data, made, seed=seed, slip=slip, way=way)

    def seed(self) -> int:
        """For one author's paper."""
        return int(self.rng.integers(0, 2**31))

    @cached_property
    def exact(self) -> Mapping[str, Tables]:
        """What each mistake gives in full, and the right working under ""."""
        return {value: self.work(value).full for value in ("", *self.mistakes)}

    @cached_property
    def spread(self) -> Tables:
        """How far honest paths, or what is gone on with, may lead from that, with a margin."""
        tried = [self.work(seed=self.seed()).full for _ in range(_SPREADS)]
        right = self.exact[""]
        with np.errstate(invalid="ignore"):
            return {
                name: 4 * UNIT
                + 6 * np.nan_to_num(np.max([abs(b[name] - right[name]) for b in tried], axis=0))
                for name in right
            }

    def asked(self) -> list[str]:
        """All that is made, or some of it."""
        if self.rng.random() < 0.6:
            return self.made
        some = [name for name in self.made if self.rng.random() < 0.4]
        return some or self.made[-1:]

    @cached_property
    def made(self) -> list[str]:
        trace = self.judge.trace
        return [name for name in trace if name in self.exact[""] and not trace[name].given]

    def differ(self, tables: Tables, other: Tables, names: Sequence[str]) -> list[str]:
        """In which quantities two workings surely give others."""
        return [name for name in names if self._apart(tables[name], other[name], name)]

    def _apart(self, a: Array, b: Array, name: str) -> bool:
        if a.shape != b.shape:
            return True
        with np.errstate(invalid="ignore"):
            off = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
            return bool((np.nan_to_num(off, nan=np.inf) > self.spread[name]).any())

    def tells(self, mistake: str, names: Sequence[str]) -> bool:
        """Whether the numbers tell a mistake from the right working and all other mistakes."""
        own = self.exact[mistake]
        others = (self.exact[value] for value in ("", *self.mistakes) if value != mistake)
        return all(self.differ(own, other, names) for other in others)


def papers(number: int, seed: int, causes: int = 1) -> Iterator[Paper]:
    """So many papers, each with so many causes planted."""
    made = 0
    while made < number:
        scenario = Scenario(np.random.default_rng([seed, made, causes]))
        for _ in range(_A_SCENARIO):
            made += 1
            paper = _paper(scenario, made, causes) if scenario.is_workable else None
            if paper is not None:
                yield paper


def paper_with(cause: str, seed: int) -> Paper:
    """The first paper, on one random scenario after the other, that tells a mistake or a way of
    rounding from all others."""
    for number in count(1):
        scenario = Scenario(np.random.default_rng([seed, number]))
        if cause not in (*scenario.mistakes, *WAYS) or not scenario.is_workable:
            continue
        if cause in WAYS:
            done = scenario.work(way=cause)
        else:
            done = scenario.work(cause, seed=scenario.seed())
        names = scenario.made if cause in WAYS else scenario.asked()
        tells = _shows(scenario, done, cause) if cause in WAYS else scenario.tells(cause, names)
        if tells:
            answers = _answers(done, names)
            return Paper(number, answers, (cause,), cause, tells=tells, scenario=scenario)
    raise AssertionError


def _shows(scenario: Scenario, done: Sheet, way: str) -> bool:
    return way == "truncated" or _shows_halves(scenario, done)


def _paper(scenario: Scenario, number: int, causes: int) -> Paper | None:
    rng, names = scenario.rng, scenario.asked()
    seed = scenario.seed()
    mistake = str(rng.choice(scenario.mistakes)) if rng.random() < (0, 0.65, 1)[causes] else ""
    if causes < 2 and (mistake or not causes):
        tells = not mistake or scenario.tells(mistake, names)
        answers = _answers(scenario.work(mistake, seed=seed), names)
        alone = (mistake,) if mistake else ()
        return Paper(number, answers, alone, mistake, tells=tells, scenario=scenario)
    kind = str(rng.choice([*slips.CELLS, *slips.TABLES, *[*WAYS] * (causes == 1)]))
    if kind in WAYS:
        done = scenario.work(way=kind)
        tells = _shows(scenario, done, kind)
        answers = _answers(done, scenario.made)
        return Paper(number, answers, (kind,), kind, tells=tells, scenario=scenario)
    before = scenario.work(mistake, seed=seed)
    slip = slips.draw(kind, before, names, rng)
    if slip is None:
        return None
    done = scenario.work(mistake, seed=seed, slip=slip)
    pairs = _first_of_two(scenario, mistake, slip, names) if mistake else (kind, True)
    if pairs is None:
        return None
    first, tells = pairs
    tells = tells and (first != kind or _slip_tells(scenario, before, done, slip))
    planted = tuple(filter(None, (mistake, kind)))
    answers = _answers(done, names, slip)
    return Paper(number, answers, planted, first, tells=tells, scenario=scenario)


def _shows_halves(scenario: Scenario, done: Sheet) -> bool:
    """Whether the first table that rounding halves otherwise changes is made of numbers that need
    no rounding, and has one that cutting off what is behind would give otherwise. (What is turned
    by a sine of 0 may be off by what is behind its last decimals.)"""
    if isinstance(scenario.model, Model) and scenario.model.positions != "none":
        return False
    for name in scenario.made:
        full, exact, written = done.full[name], scenario.exact[""][name], done.written[name]
        changed = np.abs(written - rounded(full)) > UNIT / 2
        if changed.any():
            is_cut = (np.abs(written - truncated(full)) < UNIT / 2).all()
            is_exact = (np.abs(full - exact)[changed] < UNIT / 1e6).all()
            is_sure = (scenario.spread[name][changed] < 4 * UNIT + UNIT / 1e6).all()
            return bool(is_exact and is_sure) and not is_cut
    return False


def _first_of_two(
    scenario: Scenario, mistake: str, slip: Slip, names: Sequence[str]
) -> tuple[str, bool] | None:
    """Which of a mistake and a slip shows first, and whether the numbers before the other one tell
    the mistake; None where they are in one table."""
    shows = scenario.differ(scenario.exact[mistake], scenario.exact[""], names)
    if not shows or slip.name == shows[0]:
        return None
    k = names.index(slip.name)
    if names.index(shows[0]) > k:
        return slip.kind, True
    return mistake, scenario.tells(mistake, names[:k])


def _slip_tells(scenario: Scenario, before: Sheet, done: Sheet, slip: Slip) -> bool:
    """Whether a slip's number is far from the right one and from what anything else would give."""
    name, i, j = slip.name, slip.row, slip.column
    spread = scenario.spread[name]
    off = np.abs(done.written[name] - before.written[name])
    if slip.kind == "other_decimals":
        return bool((off > spread).any())
    if slip.kind in slips.TABLES:
        numbers = done.written[name]
        tables = [t[name] for key, t in scenario.exact.items() if key]
        alike = [array for array in tables if array.shape == numbers.shape]
        if slip.kind in slips.FACTORS:
            tells = slips.factor_tells(slip, before.full[name], numbers, spread)
            if not tells:
                return False
        return int((off > spread).sum()) > 1 and all(
            (np.abs(array - numbers) > spread).any() for array in alike
        )
    number = float(done.written[name][i, j])
    others = [value for kind, value in slips.likenesses(before, slip) if kind != slip.kind]
    gives = [
        float(t[name][i, j])
        for t in scenario.exact.values()
        if t[name].shape == before.full[name].shape
    ]
    return bool(off[i, j] > spread[i, j]) and all(
        abs(number - other) > spread[i, j] for other in (*others, *gives)
    )


def _answers(sheet: Sheet, names: Sequence[str], slip: Slip | None = None) -> dict[Location, Given]:
    answers: dict[Location, Given] = {}
    for name in names:
        fewer = slip is not None and slip.name == name and slip.kind == "other_decimals"
        for (i, j), value in np.ndenumerate(sheet.written[name]):
            answers[Location(name, i, j)] = _given(float(value), 2 if fewer else 3)
    return answers


def _given(value: float, places: int) -> Given:
    if not np.isfinite(value):
        return Given(str(value), Decimal(str(value)), None)
    number = Decimal(f"{value:.{places}f}")
    if abs(float(number) - value) > UNIT / 1000:  # a decimal point that was moved
        number = Decimal(f"{value:.{places + 1}f}")
        places += 1
    return Given(str(number), number, places)
