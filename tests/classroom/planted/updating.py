"""Logits, their loss and two updates in plain NumPy, right or with one mistake made in the updates.

Momentum: Polyak 1964, as PyTorch has it; Adam: Kingma & Ba 2015, algorithm 1; AdamW: Loshchilov &
Hutter 2019, algorithm 2; Adafactor: Shazeer & Stern 2018, algorithm 4, as PyTorch has it; clipping: Pascanu et al. 2013, as PyTorch has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tests.classroom.planted.models import some
from tests.classroom.planted.sheet import Array, Sheet

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


def work(model: Trained, sheet: Sheet, mistake: str = "") -> None:
    """The loss, and the gradients and the updates that make it smaller."""
    now = dict(zip(PARAMETERS, PARAMETERS, strict=True))
    for name in PARAMETERS:
        sheet.copy(name, model.given[name])
    for k in range(STEPS + 1):
        place = f"train[{k}]." if k else ""
        _forth(model, sheet, place, now)
        if k < STEPS:
            _back(model, sheet, place, factor=_FACTOR if mistake == "other_factor" else 1)
            now = _Update(model, sheet, mistake, place, k + 1).made(now)


def _forth(model: Trained, sheet: Sheet, place: str, now: dict[str, str]) -> None:
    U, b = (sheet.read(now[name]) for name in PARAMETERS)
    sheet.product(f"{place}logits", model.given["X"], U, b)
    sheet.write(f"{place}classes.exp", np.exp(sheet.read(f"{place}logits")))
    e = sheet.read(f"{place}classes.exp")
    sheet.write(f"{place}classes.exp_sum", e.sum(axis=1, keepdims=True))
    e, total = (sheet.read(f"{place}classes.{entry}") for entry in ("exp", "exp_sum"))
    sheet.write(f"{place}probabilities", e / total)
    p = sheet.read(f"{place}probabilities")
    rows = np.arange(len(p))
    sheet.write(f"{place}loss", -np.log(p[rows, model.targets])[:, None])
    sheet.write(f"{place}cross_entropy", sheet.read(f"{place}loss").mean(keepdims=True))


_FACTOR = 7


def _back(model: Trained, sheet: Sheet, place: str, factor: int) -> None:
    p = sheet.read(f"{place}probabilities")
    y = np.eye(p.shape[1])[model.targets]
    sheet.write(f"{place}grad.loss", np.full((len(p), 1), factor / len(p)))
    sheet.write(f"{place}grad.logits", sheet.read(f"{place}grad.loss") * (p - y))
    G = sheet.read(f"{place}grad.logits")
    sheet.product(f"{place}grad.unembedding", model.given["X"].T, G)
    sheet.write(f"{place}grad.b_U", G.sum(axis=0, keepdims=True))


class _Update(NamedTuple):
    """One update of all parameters, from 1."""

    model: Trained
    sheet: Sheet
    mistake: str
    place: str
    number: int

    def made(self, now: dict[str, str]) -> dict[str, str]:
        """What the parameters are called after it."""
        gradients = {name: f"{self.place}grad.{name}" for name in PARAMETERS}
        if self.model.clipped:
            gradients = self._clipped(gradients)
        return {name: self._updated(name, now[name], gradients[name]) for name in PARAMETERS}

    def write(self, name: str, values: Any) -> str:
        self.sheet.write(f"{self.place}{name}", values)
        return f"{self.place}{name}"

    def _clipped(self, gradients: dict[str, str]) -> dict[str, str]:
        read = self.sheet.read
        norms = [
            self.write(f"grad_norm.{name}", [[np.sqrt((read(gradient) ** 2).sum())]])
            for name, gradient in gradients.items()
        ]
        norm = self.write("grad_norm", np.sqrt(sum(read(entry) ** 2 for entry in norms)))
        factor = self.write("clip_factor", np.minimum(1, CLIP / (read(norm) + 1e-6)))
        return {
            name: self.write(
                f"clipped.{name}",
                read(gradient) * (1 if self.mistake == "not_clipped" else read(factor)),
            )
            for name, gradient in gradients.items()
        }

    def _updated(self, name: str, before: str, gradient: str) -> str:
        read = self.sheet.read
        rate: Array | float = 1 if self.mistake == "learning_rate_left_out" else RATE
        step = self._step(name, before, gradient)
        start = before
        if self.model.optimizer == "adafactor":
            rate = self._step_size(name, before)
        if self.model.optimizer == "adamw":
            kept = 1 if self.mistake == "decay_in_the_gradient" else 1 - RATE * DECAY
            start = self.write(f"shrunk.{name}", kept * read(before))
            start = before if self.mistake == "not_shrunk" else start
        sign = -1 if self.mistake == "gradient_added" else 1
        return self.write(f"update.{name}", read(start) - sign * rate * read(step))

    def _step(self, name: str, before: str, gradient: str) -> str:
        read, optimizer = self.sheet.read, self.model.optimizer
        if optimizer == "sgd":
            return gradient
        if optimizer in ("momentum", "nesterov"):
            kept = self._kept("velocity", name) * (self.mistake != "velocity_forgotten")
            velocity = self.write(f"velocity.{name}", MOMENTUM * kept + read(gradient))
            if optimizer == "momentum":
                return velocity
            ahead = read(gradient) + MOMENTUM * read(velocity)
            not_ahead = self.mistake == "not_looked_ahead"
            return self.write(f"ahead.{name}", read(velocity) if not_ahead else ahead)
        if optimizer == "adafactor":
            return self._factored(name, gradient)
        m = gradient
        if optimizer != "rmsprop":
            m = self._average("m", name, BETA1, self._of_loss(before, gradient))
        v = self._average("v", name, BETA2, self._of_loss(before, gradient) ** 2)
        if self.mistake == "epsilon_inside_the_root":
            return self.write(f"quotient.{name}", read(m) / np.sqrt(read(v) + EPSILON))
        return self.write(f"quotient.{name}", read(m) / (np.sqrt(read(v)) + EPSILON))

    def _step_size(self, name: str, before: str) -> Array | int:
        read = self.sheet.read
        rms = self.write(f"parameter_rms.{name}", _rms(read(before)))
        scale = 1 if self.mistake == "step_not_relative" else np.maximum(0.001, read(rms))
        made = self.write(
            f"step_size.{name}", scale * np.full((1, 1), min(RATE, self.number**-0.5))
        )
        return 1 if self.mistake == "learning_rate_left_out" else read(made)

    def _factored(self, name: str, gradient: str) -> str:
        read, new = self.sheet.read, self.number**-0.8
        row, column = (
            self.write(
                f"{what}.{name}",
                (1 - new) * self._kept(what, name).mean(axis, keepdims=True)
                + new * (read(gradient) ** 2).mean(axis, keepdims=True),
            )
            for axis, what in ((1, "v_row"), (0, "v_column"))
        )
        v = read(row) * read(column) / max(read(row).mean(), EPSILON)
        v_hat = self.write(f"v_hat.{name}", v)
        divisor = np.maximum(np.sqrt(read(v_hat)), EPSILON)
        quotient = self.write(f"quotient.{name}", read(gradient) / divisor)
        rms = self.write(f"quotient_rms.{name}", _rms(read(quotient)))
        clipped = 1 if self.mistake == "quotient_not_clipped" else np.maximum(1, read(rms))
        return self.write(f"clipped_quotient.{name}", read(quotient) / clipped)

    def _of_loss(self, before: str, gradient: str) -> Array:
        decayed = self.mistake == "decay_in_the_gradient"
        x = self.sheet.read(before)
        return self.sheet.read(gradient) + (DECAY * x if decayed else 0.0)

    def _average(self, what: str, name: str, beta: float, new: Array) -> str:
        average = self.write(f"{what}.{name}", beta * self._kept(what, name) + (1 - beta) * new)
        if self.model.optimizer == "rmsprop":
            return average
        if self.model.optimizer == "amsgrad" and what == "v":
            latest = self.sheet.read(average)
            most = np.maximum(self._kept("v_max", name), latest)
            wrong = self.mistake == "largest_forgotten"
            average = self.write(f"v_max.{name}", latest if wrong else most)
        corrected = 1 if self.mistake == "bias_not_corrected" else 1 - beta**self.number
        return self.write(f"{what}_hat.{name}", self.sheet.read(average) / corrected)

    def _kept(self, what: str, name: str) -> Array:
        """What it was after the update before; 0 at first."""
        if self.number == 1:
            return np.zeros(self.model.given[name].shape)
        place = f"train[{self.number - 2}]." if self.number > 2 else ""
        return self.sheet.read(f"{place}{what}.{name}")


def _rms(x: Array) -> Array:
    return np.full((1, 1), np.sqrt((x**2).mean()))
