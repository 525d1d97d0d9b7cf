"""Small classifiers at random, and how two updates change them: what they say, and which mistakes can be
made in the updates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tests.classroom.planted.models import some
from tests.classroom.planted.sheet import Array

STEPS = 2
RATE, CLIP = 0.5, 0.2
MOMENTUM, BETA1, BETA2, EPSILON, DECAY = 0.5, 0.8, 0.5, 0.1, 0.4
_ADAM = f"beta1: {BETA1}, beta2: {BETA2}, epsilon: {EPSILON}"
SETTINGS = {
    "sgd": "",
    "momentum": f", momentum: {MOMENTUM}",
    "nesterov": f", momentum: {MOMENTUM}",
    "rmsprop": f", alpha: {BETA2}, epsilon: {EPSILON}",
    "adafactor": f", epsilon: {EPSILON}",
    "amsgrad": f", {_ADAM}",
    "adam": f", {_ADAM}",
    "adamw": f", {_ADAM}, weight_decay: {DECAY}",
}
_OF_ADAM = ("bias_not_corrected", "epsilon_inside_the_root")
MISTAKES = {
    "sgd": (),
    "momentum": ("velocity_forgotten",),
    "nesterov": ("velocity_forgotten", "not_looked_ahead"),
    "rmsprop": ("epsilon_inside_the_root",),
    "adafactor": ("quotient_not_clipped", "step_not_relative"),
    "amsgrad": (*_OF_ADAM, "largest_forgotten"),
    "adam": _OF_ADAM,
    "adamw": (*_OF_ADAM, "not_shrunk", "decay_in_the_gradient"),
}
PARAMETERS = ("unembedding", "b_U")


class Trained(NamedTuple):
    """What a drawn model says, and how its parameters are updated."""

    given: dict[str, Array]
    targets: list[int]
    optimizer: str
    clipped: bool

    def scenario(self) -> str:
        """The model as YAML."""
        X, U, b = (self.given[name] for name in ("X", *PARAMETERS))
        names = "abcd"[: U.shape[1]]
        clip = f", clip: {CLIP}" if self.clipped else ""
        text = f"optimizer: {self.optimizer}{SETTINGS[self.optimizer]}{clip}"
        return "\n".join([
            f"tokens: [{', '.join('pqrs'[: len(X)])}]",
            f"X: {X.tolist()}", f"unembedding: {U.tolist()}", f"b_U: {b[0].tolist()}",
            f"labels: [{', '.join(names)}]",
            f"targets: [{', '.join(names[k] for k in self.targets)}]",
            f"train: {{learning_rate: {RATE}, steps: {STEPS}, {text}}}",
            "rounding: {policy: carry, decimals: 3}",
        ]) + "\n"  # fmt: skip

    def mistakes(self) -> Iterator[str]:
        """Those that can be made here."""
        yield from ("gradient_added", "learning_rate_left_out", *MISTAKES[self.optimizer])
        yield "other_factor"
        if self.clipped:
            yield "not_clipped"


def draw(rng: np.random.Generator) -> Trained:
    """A small model at random."""
    n, d, v = (int(rng.integers(low, 5)) for low in (2, 2, 2))
    given = {"X": some(rng, n, d), "unembedding": some(rng, d, v), "b_U": some(rng, 1, v)}
    targets = [int(k) for k in rng.integers(0, v, n)]
    return Trained(given, targets, str(rng.choice([*MISTAKES])), bool(rng.random() < 0.4))
