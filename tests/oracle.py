"""The sums of attention again, from the literature and without any of the package's code.

The scenario is read with PyYAML alone. `exact` is plain NumPy in float64; `carry` is the same
in decimal arithmetic, each quantity rounded half away from zero before it is used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

import mpmath
import numpy as np
import yaml

mpmath.mp.dps = 60
Arrays = dict[str, Any]

_STEPS = {
    "Q": "project", "K": "project", "V": "project", "scores": "scores", "scaled": "scale",
    "exp": "softmax", "exp_sum": "softmax", "weights": "softmax", "output": "weighted_sum",
    "hidden": "ffn", "activated": "ffn", "ffn": "ffn",
}  # fmt: skip


def read(text: str) -> dict[str, Any]:
    """A scenario's text as PyYAML reads it, every scalar a string."""
    data = yaml.load(text, Loader=yaml.BaseLoader)
    assert isinstance(data, dict)
    return data


def work(data: Mapping[str, Any]) -> Arrays:
    """Every quantity of a scenario that gives embeddings (or X) and all the weights."""
    rounding = data.get("rounding", {})
    carry = rounding.get("policy", "carry") == "carry"
    number = Decimal if carry else float

    def keep(name: str, values: Any) -> Any:
        if not carry:
            return values
        places = int(rounding.get("steps", {}).get(_STEPS[name], rounding.get("decimals", 3)))
        return np.vectorize(lambda v: round_half_away(v, places), otypes=[object])(values)

    def matrix(name: str) -> Any:
        rows = data[name] if isinstance(data[name][0], list) else [data[name]]
        return np.array([[number(x) for x in row] for row in rows])

    with localcontext() as context:
        context.prec = 300
        return _attention(data, matrix, keep, carry=carry)


def _attention(
    data: Mapping[str, Any], matrix: Callable[[str], Any], keep: Callable[..., Any], *, carry: bool
) -> Arrays:
    a: Arrays = {}
    a["X"] = _embedded(data, matrix, carry=carry)
    for name in "QKV":
        a[name] = keep(name, a["X"] @ matrix(f"W_{name}"))
    a["scores"] = keep("scores", a["Q"] @ a["K"].T)
    a["scaled"] = a["scores"]
    scale = data.get("scale", "sqrt_d_k")
    if scale != "none":
        d_k = a["K"].shape[1]
        exact = Decimal(d_k).sqrt() if carry else math.sqrt(d_k)
        divisor = exact if scale == "sqrt_d_k" else (Decimal(scale) if carry else float(scale))
        a["scaled"] = keep("scaled", a["scores"] / divisor)
    exp = np.vectorize(
        lambda x: x.exp() if carry else math.exp(x), otypes=[object if carry else float]
    )
    a["exp"] = keep("exp", exp(a["scaled"]))
    a["exp_sum"] = keep("exp_sum", a["exp"].sum(axis=1, keepdims=True))
    a["weights"] = keep("weights", a["exp"] / a["exp_sum"])
    a["output"] = keep("output", a["weights"] @ a["V"])
    if "W1" in data:
        _feed_forward(data, a, matrix, keep, carry=carry)
    return a


def _feed_forward(
    data: Mapping[str, Any], a: Arrays, matrix: Callable[[str], Any], keep: Callable[..., Any],
    *, carry: bool,
) -> None:  # fmt: skip
    b1 = matrix("b1") if "b1" in data else 0
    b2 = matrix("b2") if "b2" in data else 0
    a["hidden"] = keep("hidden", a["output"] @ matrix("W1") + b1)
    kind = data.get("activation", "relu")
    a["activated"] = a["hidden"]
    if kind != "none":
        function = np.vectorize(lambda x: activation(kind, x), otypes=[object])
        activated = function(a["hidden"])
        a["activated"] = keep("activated", activated if carry else activated.astype(float))
    a["ffn"] = keep("ffn", a["activated"] @ matrix("W2") + b2)


def _embedded(data: Mapping[str, Any], matrix: Callable[[str], Any], *, carry: bool) -> Any:
    if "X" in data:
        return matrix("X")
    number = Decimal if carry else float
    tokens, table = data["sentence"].split(), data["embeddings"]
    if isinstance(table, dict):
        rows = [table[token] for token in tokens]
    else:
        rows = [table[int(data["vocabulary"][token])] for token in tokens]
    return np.array([[number(x) for x in row] for row in rows])


def activation(kind: str, x: Any) -> Any:
    """An activation by mpmath, to sixty digits."""
    z = mpmath.mpf(str(x)) if isinstance(x, Decimal) else mpmath.mpf(x)
    value = {
        "relu": lambda: max(z, mpmath.mpf(0)),
        "gelu": lambda: z * mpmath.ncdf(z),
        "gelu_tanh": lambda: z / 2 * (
            1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (z + mpmath.mpf("0.044715") * z**3))
        ),
        "tanh": lambda: mpmath.tanh(z),
        "sigmoid": lambda: 1 / (1 + mpmath.exp(-z)),
    }[kind]()  # fmt: skip
    return Decimal(mpmath.nstr(value, 50)) if isinstance(x, Decimal) else float(value)


def round_half_away(value: Decimal, places: int) -> Decimal:
    with localcontext() as context:
        context.prec = 300
        rounded = Decimal(value).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
        return rounded + 0
