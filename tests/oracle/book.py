"""The book that quantities are written in: how numbers are held, and which are rounded to what."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.oracle.memory import Remembered, Uses
from tests.oracle.numerals import (
    DIGITS,
    LONGEST,
    Number,
    Numbers,
    each,
    padded,
    places_written,
    round_half_away,
    rounded,
    taken_at_once,
)
from tests.oracle.tape import Tape, WaysBack

Record = Mapping[str, Any]

_NAMES = {
    "dictionary": "totals coverage",
    "learn": "rounds.counts rounds.symbols rounds.scores",
    "estimate": "rounds.total rounds.log_p",
    "prune": "rounds.cut_scores rounds.loss rounds.growth",
    "viterbi": "words.unknown words.totals words.best",
    "quantize": "scale scales whole restored error",
    "embed": "E scaled_E",
    "project_in": "project_in.projected",
    "positions": "P S summed X",
    "project": "Q K V K_new V_new",
    "qk_norm": "Q_mean Q_centered Q_variance Q_deviation Q_mean_square Q_rms normed_Q"
    " K_mean K_centered K_variance K_deviation K_mean_square K_rms normed_K",
    "rotate": "frequencies ramp scaled_frequencies"
    " Q_cosine Q_sine K_cosine K_sine rotated_Q rotated_K",
    "scores": "scores",
    "scale": "scaled",
    "softcap": "capped",
    "relative": "bucket position_bias positioned",
    "bias": "alibi biased added",
    "temperature": "tempered",
    "mask": "mask masked",
    "sinks": "sink with_sink key_weights",
    "average": "mean_weights",
    "softmax": "exp exp_sum weights",
    "dropout": "dropped",
    "weighted_sum": "output",
    "online": "m factor l o online_output difference",
    "merge": "concat attention",
    "residual": "residual",
    "norm": "mean centered variance deviation mean_square rms normed",
    "route": "router.affinity router.chosen router.chosen_affinity router.exp router.exp_sum"
    " router.probabilities router.chosen_sum routing share",
    "mix": "gate_logit gate mixture",
    "ffn": "hidden clamped activated up clamped_up gated ffn",
    "unstack": "W_ax W_aa b_ax b_aa W_fx W_fa b_fx b_fa W_ux W_ua b_ux b_ua W_cx W_ca b_cx b_ca"
    " W_ox W_oa b_ox b_oa W_rx W_ra b_rx b_ra",
    "input": "x ax",
    "memory": "aa",
    "gates": "gates.z_forget gates.forget gates.z_update gates.update gates.z_candidate"
    " gates.candidate gates.z_output gates.output gates.z_reset gates.reset gates.reset_a"
    " gates.candidate_a",
    "state": "z a c tanh_c",
    "states": "states",
    "readout": "s ya z_y y_exp y_sum y",
    "gradient": "slope step_factor factor factor_norm factor_norms",
    "patch": "patch_embeddings",
    "project_out": "project_out.projected",
    "head": "head.hidden head.activated",
    "unembed": "last first logits scaled_logits capped_logits",
    "classify": "classes.exp classes.exp_sum",
    "predict": "next.new next.penalized next.tempered next.kept next.filtered next.exp"
    " next.exp_sum probabilities next.nucleus next.largest next.threshold next.likely"
    " next.nucleus_sum next.likely_sum next.renormalized next.cumulative next.drawn",
    "loss": "plain.exp plain.exp_sum plain.probabilities with_target loss cross_entropy perplexity",
}
_STEPS = {name: step for step, names in _NAMES.items() for name in names.split()}
_COUNTED = "0123456789"
"""What the second and third of a kind end with: `residual2`, `added2`."""
_TIME = re.compile(r"\[\d+\]")
"""What tells the quantities of a kind apart in time: `a[2]`, `gates[2].forget`."""


_MORE = range(3)
"""To so many decimals beyond the stated ones somebody may round."""
_OFTEN = 0.5


@dataclass(frozen=True)
class Hand:
    """Who writes a book: somebody who works as the literature says. Whoever does something otherwise is
    another `Hand`.

    `rounding` is one of the ways of `decimal`. With an `rng`, each use of a quantity takes it in full,
    rounded or rounded to more decimals, as it happens, and one of the `roots` as it is printed.
    """

    rounding: str = ROUND_HALF_UP
    rng: Random | None = None
    roots: Collection[int] = ()

    def makes(self, _book: Book, _name: str, values: Numbers, /) -> Numbers:
        """What is written down as a quantity, of the numbers that the literature makes it."""
        return values

    def holds(self, values: Numbers) -> Numbers:
        """What is written down, as it is gone on with."""
        return values if self.rng is None else values.view(Uses)


BY_THE_BOOK = Hand()


@dataclass(frozen=True)
class Book:
    """Where quantities are written, under a path.

    `rounds` says that each is rounded before it is used, `decimal` that numbers are decimals
    rather than floats. `start` has numbers that stand in the place of what would be worked, by
    full names. `pages` holds the quantities by their full names, `places` the decimals that each
    is rounded to, now or on a page; `held` has them as they are gone on with. What is put in and what
    is copied isn't rounded: `copies` names it.
    """

    rounds: bool
    decimal: bool
    decimals: int
    steps: Record
    quantities: Record
    folder: Path
    start: Record = field(default_factory=dict)
    path: str = ""
    pages: dict[str, Numbers] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    copies: set[str] = field(default_factory=set)
    held: dict[str, Numbers] = field(default_factory=dict)
    hand: Hand = BY_THE_BOOK
    tape: Tape = field(default_factory=Tape)

    @classmethod
    def of(
        cls,
        data: Record,
        folder: Path,
        start: Record,
        *,
        decimal: bool,
        hand: Hand = BY_THE_BOOK,
    ) -> Book:
        """An empty book for a scenario."""
        rounding = data.get("rounding") or {}
        rounds = rounding.get("policy", "carry") == "carry"
        return cls(
            rounds=rounds,
            decimal=rounds or decimal,
            decimals=int(rounding.get("decimals", 3)),
            steps=rounding.get("steps") or {},
            quantities=rounding.get("quantities") or {},
            folder=folder,
            start=start,
            hand=hand,
        )

    @property
    def precision(self) -> int:
        """The digits that decimals are worked with."""
        return LONGEST if self.rounds else DIGITS

    def at(self, segment: str) -> Book:
        """The same book at a longer path."""
        return replace(self, path=f"{self.path}{segment}.")

    def has(self, name: str) -> bool:
        """Whether a quantity is written down already."""
        return self.path + name in self.pages

    def copy(self, name: str, values: Numbers, backs: WaysBack = (), *, step: str = "") -> Numbers:
        """Writes down numbers that are taken over as they are, unrounded, or those that stand in
        their place; hands on what was written."""
        self.copies.add(self.path + name)
        written = self._write(name, self.hand.makes(self, name, values), step)
        return self._held(name, written, backs, step)

    def _held(self, name: str, values: Numbers, backs: WaysBack, step: str) -> Numbers:
        held, full = self.hand.holds(values), self.path + name
        self.held[full] = self.tape.writes(full, step or _step_of(name), held, backs)
        return self.held[full]

    def _write(self, name: str, values: Numbers, step: str) -> Numbers:
        if self.path + name in self.start:
            values = _no_shorter(self.numbers(self.start[self.path + name]), values)
        self.pages[self.path + name] = values
        self.places[self.path + name] = self.places_of(name, step)
        return values

    def keep(self, name: str, values: Numbers, backs: WaysBack = (), *, step: str = "") -> Numbers:
        """Writes down a quantity, rounded under `carry`, and hands on what was written. `backs` say
        how a gradient goes back to what it is made of."""
        values = self.hand.makes(self, name, values)
        if self.rounds:
            places = self.places_of(name, step)
            values = each(lambda x: rounded(x, places, self.hand.rounding), values)
        if self.hand.rng is None or self.path + name in self.start:
            written = self._write(name, values, step)
        else:
            written = self._remembered(self._write(name, taken_at_once(values), step), name, step)
        return self._held(name, written, backs, step)

    def gradient(self, name: str, values: Numbers, step: str) -> Numbers:
        """Writes down the gradient with respect to a quantity, rounded under `carry`."""
        return self.keep(f"grad.{name}", values, step=step)

    def _remembered(self, values: Numbers, name: str, step: str) -> Numbers:
        """Numbers that each use takes in a way of its own."""
        places, rng = self.places_of(name, step), self.hand.rng
        assert rng is not None
        ways = ([x, *(round_half_away(x, places + k) for k in _MORE)] for x in values.flat)
        made = [Remembered.of(each_way, rng) for each_way in ways]
        return np.array(made, dtype=object).reshape(values.shape)

    def places_of(self, name: str, step: str = "") -> int:
        """The decimals of a quantity: what is said of it by its full or its last name, without a
        time, or else of its step."""
        full = self.path + name
        local = _TIME.sub("", name.rpartition(".")[2])
        step = step or _step_of(name)
        value = self.steps.get(step, self.decimals)
        return int(self.quantities.get(full, self.quantities.get(local, value)))

    def number(self, number: object) -> Number:
        """A number as YAML or Python has it; a decimal has all the decimals of the scenario, by
        which a copy of it is known from one of a coarser number."""
        text = str(number).replace(".inf", "inf")
        return padded(Decimal(text), self.decimals) if self.decimal else float(text)

    def numbers(self, rows: object) -> Numbers:
        """An array of numbers, of its shape."""
        if isinstance(rows, np.ndarray) and not self.decimal:
            return rows.astype(float)
        numbers = np.array(rows, dtype=object)
        made = [self.number(number) for number in numbers.flat]
        return np.array(made, dtype=object if self.decimal else float).reshape(numbers.shape)

    def root(self, count: int) -> Number:
        """A square root of a whole number."""
        return Decimal(count).sqrt() if self.decimal else math.sqrt(count)

    def printed_root(self, count: int) -> Number:
        """The same, which somebody may take as it is printed."""
        rng, roots = self.hand.rng, self.hand.roots
        if count in roots and rng is not None and rng.random() < _OFTEN:
            return round_half_away(Decimal(count).sqrt(), max(3, self.decimals))
        return self.root(count)


def _no_shorter(numbers: Numbers, others: Numbers) -> Numbers:
    """Decimals with zeros behind them where those that they replace have more."""
    if numbers.dtype != object:
        return numbers
    pairs = zip(numbers.flat, others.flat, strict=True)
    made = [padded(x, places_written(other)) for x, other in pairs]
    return np.array(made, dtype=object).reshape(numbers.shape)


def _step_of(name: str) -> str:
    """The step that makes a quantity, by as much of the end of its name as the steps tell."""
    parts = _TIME.sub("", name).rstrip(_COUNTED).split(".")
    ends = (".".join(parts[start:]) for start in range(len(parts)))
    return _STEPS[next((end for end in ends if end in _STEPS), name)]
