"""Numbers as floats or decimals, their functions and roundings, and the book of quantities."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal, localcontext
from pathlib import Path
from typing import Any

import mpmath
import numpy as np

mpmath.mp.dps = 60
Arrays = dict[str, Any]

_NAMES = {
    "embed": "E scaled_E",
    "positions": "P S summed X",
    "project": "Q K V K_new V_new",
    "rotate": "Q_cosine Q_sine K_cosine K_sine rotated_Q rotated_K",
    "scores": "scores",
    "scale": "scaled",
    "softcap": "capped",
    "bias": "alibi biased added added2",
    "temperature": "tempered",
    "softmax": "exp exp_sum weights",
    "dropout": "dropped",
    "weighted_sum": "output",
    "merge": "attention",
    "residual": "residual1 residual2 residual3",
    "norm": "mean centered variance deviation mean_square rms normed",
    "ffn": "hidden activated up gated ffn",
    "unembed": "logits",
    "predict": "next.tempered next.exp next.exp_sum probabilities next.nucleus_sum "
    "next.renormalized",
    "loss": "plain.exp plain.exp_sum plain.probabilities loss cross_entropy perplexity",
}
STEPS = {name: step for step, names in _NAMES.items() for name in names.split()}


@dataclass(frozen=True)
class Book:
    """Where quantities are written, under a path; how numbers are held and rounded."""

    carry: bool
    decimals: int
    steps: Mapping[str, Any]
    quantities: Mapping[str, Any]
    folder: Path
    path: str = ""
    pages: Arrays = field(default_factory=dict)

    def at(self, segment: str) -> Book:
        """The same book at a longer path."""
        return replace(self, path=f"{self.path}{segment}.")

    def copy(self, name: str, values: Any) -> Any:
        """Writes down what needs no rounding."""
        self.pages[self.path + name] = values
        return values

    def keep(self, name: str, values: Any, step: str = "") -> Any:
        """Writes down a quantity, rounded under `carry`, and hands on what was written."""
        if self.carry:
            places = int(self.steps.get(step or STEPS[name], self.decimals))
            places = int(self.quantities.get(name.rpartition(".")[2], places))
            values = each(lambda x: round_half_away(x, places), values)
        return self.copy(name, values)

    def number(self, figure: Any) -> Any:
        """A figure as YAML or Python has it."""
        text = str(figure).replace(".inf", "inf")
        return Decimal(text) if self.carry else float(text)

    def numbers(self, rows: Any) -> Any:
        """An array of figures, of its shape."""
        if isinstance(rows, np.ndarray) and not self.carry:
            return rows.astype(float)
        figures = np.array(rows, dtype=object)
        return np.vectorize(self.number, otypes=[object if self.carry else float])(figures)

    def root(self, figure: Any) -> Any:
        """A square root of a whole number."""
        return Decimal(figure).sqrt() if self.carry else math.sqrt(figure)

    def apply(self, kind: str, values: Any) -> Any:
        """A function of each number: exp, log, sqrt or an activation."""
        plain: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
            "exp": (math.exp, Decimal.exp),
            "log": (math.log, Decimal.ln),
            "sqrt": (math.sqrt, Decimal.sqrt),
        }
        if kind in plain:
            return each(plain[kind][self.carry], values)
        return each(lambda x: activation(kind, x), values)

    def from_mpmath(self, value: Any) -> Any:
        """A number of mpmath's in the book's own kind."""
        return Decimal(mpmath.nstr(value, 50)) if self.carry else float(value)


def each(function: Callable[[Any], Any], values: Any) -> Any:
    """A function of each number of an array of floats or decimals."""
    return np.vectorize(function, otypes=[values.dtype])(values)


def activation(kind: str, x: Any) -> Any:
    """An activation by mpmath, to sixty digits."""
    z = mpmath.mpf(str(x)) if isinstance(x, Decimal) else mpmath.mpf(x)
    value = {
        "relu": lambda: max(z, mpmath.mpf(0)),
        "gelu": lambda: z * mpmath.ncdf(z),
        "gelu_tanh": lambda: z / 2 * (
            1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (z + mpmath.mpf("0.044715") * z**3))
        ),
        "silu": lambda: z / (1 + mpmath.exp(-z)),
        "tanh": lambda: mpmath.tanh(z),
        "sigmoid": lambda: 1 / (1 + mpmath.exp(-z)),
    }[kind]()  # fmt: skip
    return Decimal(mpmath.nstr(value, 50)) if isinstance(x, Decimal) else float(value)


def round_half_away(value: Decimal, places: int) -> Decimal:
    """Half goes away from zero; what is infinite stays so."""
    if not value.is_finite():
        return value
    with localcontext() as context:
        context.prec = 300
        rounded = Decimal(value).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
        return rounded + 0
