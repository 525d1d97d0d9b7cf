"""Training: each parameter moved against its gradient, and everything worked again with it.

SGD with momentum as PyTorch has it (Polyak 1964), also with that of Nesterov (Sutskever et al. 2013);
RMSprop: Hinton 2012, lecture 6e; AMSGrad: Reddi et al. 2018, arXiv:1904.09237; Adam: Kingma and Ba 2015, arXiv:1412.6980,
algorithm 1; Adafactor: Shazeer and Stern 2018, arXiv:1804.04235, algorithm 4, with PyTorch's ε; AdamW: Loshchilov and Hutter 2019, arXiv:1711.05101, algorithm 2; clipping by the norm
of all gradients: Pascanu et al. 2013, arXiv:1211.5063.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tests.oracle.book import Book, Record
from tests.oracle.numerals import Numbers, apply, of_mpmath
from tests.oracle.tape import Tape

_FROM_OUTSIDE = {
    *("X", "queries", "keys", "values", "memory", "patches", "Q", "K", "V", "output", "scores"),
    *("scaled", "bias", "mask", "allowed", "blocked", "add", "weights", "dropout", "logits"),
    *("probabilities", "initial_state", "initial_cell", "cache"),
}
"""What is no parameter, unless it is named as one."""
_ON_THE_WAY = ("exp", "exp_sum", "chosen", "y_exp", "y_sum", "squared_error")
"""What goes with the quantity that it was worked for, and has no gradient."""
_GONE_PAST = {
    "cross_entropy": ("probabilities", "with_target", "readouts"),
    "binary_cross_entropy": ("readouts",),
    **dict.fromkeys(("mse", "sse", "half_sse"), ()),
}
"""What each loss is worked of, and gradients go past on their way back from it."""

Parameters = dict[str, Numbers]


def trained(record: Record, given: Iterable[str]) -> set[str]:
    """The names of the parameters: those that `of` names, by their full or their last names, or all
    but what comes from outside."""
    if "of" in record:
        wanted = {str(name) for name in record["of"]}
        return {name for name in given if name in wanted or _last(name) in wanted}
    places = {name: {part.partition("[")[0] for part in name.split(".")} for name in given}
    return {name for name, parts in places.items() if parts.isdisjoint(_FROM_OUTSIDE)}


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def train(book: Book, record: Record, loss: str, work: Callable[[Book], None]) -> None:
    """Writes down each update, and what `work` makes of a book with the parameters after it."""
    names = [name for name in _names(book) if f"grad.{name}" in book.pages]
    known = dict(book.tape.names.values())
    training = _Training(record, loss, {name: known[name] for name in names})
    steps = int(record.get("steps", 1))
    for k in range(1, steps + 1):
        before, latest = training.latest, training.update(book, k)
        tape = Tape(places=book.tape.places, latest=latest, under=f"train[{k}].")
        own = replace(book, path=f"train[{k}].", tape=tape, pages={})
        work(own)
        tape.given.intersection_update(names)
        kept = [f"train[{k}].{name}" for name in _leading_to(loss, own, last=k == steps)]
        if k < steps:
            tape.go_back(loss, own.numbers([[1]]), own.gradient)
            kept += [name for name in own.pages if name.startswith(f"train[{k}].grad.")]
            kept.remove(f"train[{k}].grad.{loss}")  # 1 again
        _promise(book, own, training, before)
        kept += [name for name in own.pages if _is_progress(name.removeprefix(own.path))]
        book.pages.update({name: own.pages[name] for name in kept})
        book = replace(own, pages=book.pages)
        training.latest = latest


def _names(book: Book) -> list[str]:
    return [name for name, _ in book.tape.names.values() if name in book.tape.given]


def _is_progress(name: str) -> bool:
    return name == "change" or name.partition(".")[0] == "predicted"


def _leading_to(loss: str, book: Book, *, last: bool) -> Iterator[str]:
    """The quantities that the loss hangs on and that hang on a parameter themselves; of a softmax
    all goes with its result. Logits of read-outs are for the way back alone."""
    names = [page.removeprefix(book.path) for page in book.pages]
    names = [name for name in names if not (last and _last(name) == "readout_logits")]
    past = {name for name in names if _last(name) in _GONE_PAST[loss]}
    if "plain.probabilities" in past:
        past.remove("probabilities")
    used = past | {use.made for use in book.tape.leading_to(loss, *past)}
    goes_with = ""
    for name in reversed(names):
        goes_with = goes_with if _last(name).partition("[")[0] in _ON_THE_WAY else name
        if goes_with in used:
            yield name


def _promise(book: Book, own: Book, training: _Training, before: Parameters) -> None:
    """By how much the gradients said that the loss would change, and by how much it did."""
    parts = []
    for name, old in before.items():
        gradient, new = book.pages[f"{book.path}grad.{name}"], training.updated[name]
        if training.is_plain:
            predicted = -training.number(book, "learning_rate") * (gradient * gradient).sum()
        else:
            predicted = (gradient * (new - old)).sum()
        parts.append(own.keep(f"predicted.{name}", np.array([[predicted]]), step="progress"))
    own.keep("predicted", sum(parts[1:], parts[0]), step="progress")
    change = own.pages[f"{own.path}{training.loss}"] - book.pages[f"{book.path}{training.loss}"]
    own.keep("change", change, step="progress")


@dataclass
class _Training:
    """The parameters as they are now, which make a loss smaller, and what their optimizer remembers
    of each."""

    said: Record
    loss: str
    latest: Parameters
    updated: Parameters = field(default_factory=dict)
    memory: dict[tuple[str, str], Numbers] = field(default_factory=dict)

    @property
    def optimizer(self) -> str:
        return str(self.said.get("optimizer", "sgd"))

    @property
    def is_plain(self) -> bool:
        return (
            self.optimizer == "sgd"
            and float(self.said.get("weight_decay", 0)) == 0
            and "clip" not in self.said
            and not self.is_scheduled
        )

    @property
    def is_scheduled(self) -> bool:
        return int(self.said.get("warmup", 0)) > 0 or self.said.get("schedule") in _FALLS

    def rate(self, book: Book, count: int) -> Any:
        """The learning rate of an update, from 1: rising by equal parts, then falling."""
        rate, warm = self.number(book, "learning_rate"), int(self.said.get("warmup", 0))
        if not self.is_scheduled:
            return rate
        if count > warm:
            most = int(self.said.get("steps", 1)) - warm
            done = min(count - warm - 1, most)
            least = book.number(self.said.get("least_rate", 0))
            fall = _FALLS.get(self.said.get("schedule"))
            made = rate if fall is None else least + (rate - least) * fall(book, done, most)
        else:
            made = rate * book.number(count) / book.number(warm)
        return book.keep("learning_rate", book.numbers([[1]]) * made, step="update")

    def number(self, book: Book, name: str) -> Any:
        """A setting, with PyTorch's defaults."""
        return book.number(self.said.get(name, _DEFAULTS[self.optimizer].get(name, 0)))

    def update(self, book: Book, count: int) -> Parameters:
        """The parameters after an update, which is written down."""
        gradients = {name: book.pages[f"{book.path}grad.{name}"] for name in self.latest}
        if "clip" in self.said:
            gradients = self._clipped(book, gradients)
        rate = self.rate(book, count)
        self.updated = {
            name: self._updated(book, name, gradient, count, rate)
            for name, gradient in gradients.items()
        }
        return self.updated

    def _clipped(self, book: Book, gradients: Parameters) -> Parameters:
        """All gradients times min(1, c / (norm + 10⁻⁶)), as `clip_grad_norm_` has it."""
        norms = []
        for name, gradient in gradients.items():
            norm = apply("sqrt", np.array([[(gradient * gradient).sum()]]))
            norms.append(book.keep(f"grad_norm.{name}", norm, step="update"))
        squares = [norm * norm for norm in norms]
        whole = apply("sqrt", sum(squares[1:], squares[0]))
        whole = book.keep("grad_norm", whole, step="update")
        share = self.number(book, "clip") / (whole + book.number("0.000001"))
        array = book.numbers([[1]])
        factor = book.keep("clip_factor", np.minimum(array, share), step="update")
        return {
            name: book.keep(f"clipped.{name}", factor * gradient, step="update")
            for name, gradient in gradients.items()
        }

    def _updated(self, book: Book, name: str, gradient: Numbers, count: int, rate: Any) -> Numbers:
        decay = self.number(book, "weight_decay")
        x = self.latest[name]
        shrinks = self.optimizer in ("adamw", "adafactor")
        if decay and not shrinks:
            gradient = book.keep(f"decayed.{name}", gradient + decay * x, step="update")
        step = self._step(book, name, gradient, count)
        if self.optimizer == "adafactor":
            own = self._step_size(book, name, count, rate)
        if decay and shrinks:
            x = book.keep(f"shrunk.{name}", (1 - rate * decay) * x, step="update")
        rate = own if self.optimizer == "adafactor" else rate
        return book.keep(f"update.{name}", x - rate * step, step="update")

    def _step(self, book: Book, name: str, gradient: Numbers, count: int) -> Numbers:
        """What is multiplied by the learning rate."""
        if self.optimizer == "sgd":
            return gradient
        if self.optimizer in ("momentum", "nesterov"):
            velocity = self._velocity(book, name, gradient, count)
            if self.optimizer == "momentum":
                return velocity
            ahead = gradient + self.number(book, "momentum") * velocity
            return book.keep(f"ahead.{name}", ahead, step="update")
        if self.optimizer == "rmsprop":
            v = self._average(book, name, gradient * gradient, count, "v", "alpha")
            quotient = gradient / (apply("sqrt", v) + self.number(book, "epsilon"))
            return book.keep(f"quotient.{name}", quotient, step="update")
        if self.optimizer == "adafactor":
            return self._factored(book, name, gradient, count)
        m = self._average(book, name, gradient, count, "m", "beta1")
        v = self._average(book, name, gradient * gradient, count, "v", "beta2")
        quotient = m / (apply("sqrt", v) + self.number(book, "epsilon"))
        return book.keep(f"quotient.{name}", quotient, step="update")

    def _step_size(self, book: Book, name: str, count: int, rate: Any) -> Numbers:
        """max(ε₂, RMS(x)) · min(η, 1/√t)"""
        x = self.latest[name]
        rms = apply("sqrt", np.array([[(x * x).sum() / x.size]]))
        rms = book.keep(f"parameter_rms.{name}", rms, step="update")
        root = apply("sqrt", book.numbers([[count]]))
        step = np.maximum(self.number(book, "epsilon2"), rms) * np.minimum(rate, 1 / root)
        return book.keep(f"step_size.{name}", step, step="update")

    def _factored(self, book: Book, name: str, g: Numbers, count: int) -> Numbers:
        """g / √(R C / mean of R), and no more than a root mean square."""
        new = _power(book, count, self.said.get("beta2_decay", "-0.8"))
        means = []
        for what, axis in (("v_row", 1), ("v_column", 0)):
            mean = (g * g).sum(axis=axis, keepdims=True) / g.shape[axis]
            if count > 1:
                mean = (1 - new) * self.memory[name, what] + new * mean
            self.memory[name, what] = book.keep(f"{what}.{name}", mean, step="update")
            means.append(self.memory[name, what])
        row, column = means
        least = self.number(book, "epsilon")
        v = row * column / np.maximum(row.sum() / len(row), least)
        v = book.keep(f"v_hat.{name}", v, step="update")
        u = book.keep(f"quotient.{name}", g / np.maximum(apply("sqrt", v), least), step="update")
        rms = apply("sqrt", np.array([[(u * u).sum() / u.size]]))
        rms = book.keep(f"quotient_rms.{name}", rms, step="update")
        most = self.number(book, "clip_threshold")
        u = u / np.maximum(book.numbers([[1]]), rms / most)
        return book.keep(f"clipped_quotient.{name}", u, step="update")

    def _velocity(self, book: Book, name: str, gradient: Numbers, count: int) -> Numbers:
        if count == 1:
            made = book.copy(f"velocity.{name}", gradient, step="update")
        else:
            kept = self.number(book, "momentum") * self.memory[name, "velocity"]
            made = book.keep(f"velocity.{name}", kept + gradient, step="update")
        self.memory[name, "velocity"] = made
        return made

    def _average(
        self, book: Book, name: str, new: Numbers, count: int, what: str, setting: str
    ) -> Numbers:
        """β of the average so far, which begins at 0, and 1 − β of what is new; over 1 − βᵗ."""
        beta = self.number(book, setting)
        average = (1 - beta) * new
        if count > 1:
            average = beta * self.memory[name, what] + average
        average = book.keep(f"{what}.{name}", average, step="update")
        self.memory[name, what] = average
        if self.optimizer == "rmsprop":
            return average
        if self.optimizer == "amsgrad" and what == "v":
            most = np.maximum(self.memory[name, "v_max"], average) if count > 1 else average
            kept = book.keep if count > 1 else book.copy
            average = self.memory[name, "v_max"] = kept(f"v_max.{name}", most, step="update")
        return book.keep(f"{what}_hat.{name}", average / (1 - beta**count), step="update")


def _power(book: Book, base: int, exponent: Any) -> Any:
    import mpmath

    with mpmath.workdps(80):
        return of_mpmath(mpmath.mpf(base) ** mpmath.mpf(str(exponent)), decimal=book.decimal)


def _share(book: Book, part: int, whole: int) -> Any:
    number: Any = book.number(part)
    return number / book.number(whole)


def _half_a_wave(book: Book, done: int, most: int) -> Any:
    """(1 + cos(π k / n)) / 2, Loshchilov and Hutter 2017, arXiv:1608.03983, equation 5."""
    import mpmath

    with mpmath.workdps(80):
        wave = (1 + mpmath.cos(mpmath.pi * done / most)) / 2
        return of_mpmath(wave, decimal=book.decimal)


_FALLS: Mapping[Any, Callable[[Book, int, int], Any]] = {
    "linear": lambda book, done, most: 1 - _share(book, done, most),
    "cosine": _half_a_wave,
}
_ADAM = {"beta1": "0.9", "beta2": "0.999", "epsilon": "0.00000001"}
_DEFAULTS: Mapping[str, Record] = {
    "sgd": {},
    "momentum": {"momentum": "0.9"},
    "nesterov": {"momentum": "0.9"},
    "rmsprop": {"alpha": "0.99", "epsilon": "0.00000001"},
    "adafactor": {"epsilon": "0.00000001", "epsilon2": "0.001", "clip_threshold": "1"},
    "amsgrad": _ADAM,
    "adam": _ADAM,
    "adamw": {**_ADAM, "weight_decay": "0.01"},
}
"""Those of PyTorch."""
