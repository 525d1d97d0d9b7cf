"""The way forward and back in bare NumPy, as one would write it, every result and gradient kept:
what a trace with `backward: true` is measured against."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Arrays = dict[str, Array]
"""By the names that the trace has for them."""


_erf = np.vectorize(math.erf, otypes=[np.float64])
"""NumPy has none of its own."""


def _relu(x: Array) -> Array:
    return np.maximum(x, 0)


def _gelu(x: Array) -> Array:
    return np.asarray(x * (1 + _erf(x / 2**0.5)) / 2)


def _relu_slope(x: Array) -> Array:
    return (x > 0).astype(np.float64)


def _gelu_slope(x: Array) -> Array:
    """Φ(x) + x φ(x)"""
    density: Array = np.exp(-(x**2) / 2) / (2 * np.pi) ** 0.5
    return np.asarray((1 + _erf(x / 2**0.5)) / 2 + x * density)


ACTIVATED: Mapping[str, Callable[[Array], Array]] = {"relu": _relu, "gelu": _gelu}
SLOPES: Mapping[str, Callable[[Array], Array]] = {"relu": _relu_slope, "gelu": _gelu_slope}


def attention(k: Arrays, x: str, at: str, m: Mapping[str, Array]) -> Array:
    """[n, d] -> [n, d_v]"""
    k[f"{at}Q"], k[f"{at}K"], k[f"{at}V"] = (k[x] @ m[name] for name in ("W_Q", "W_K", "W_V"))
    k[f"{at}scores"] = k[f"{at}Q"] @ k[f"{at}K"].T
    k[f"{at}scaled"] = k[f"{at}scores"] / k[f"{at}Q"].shape[1] ** 0.5
    k[f"{at}exp"] = np.exp(k[f"{at}scaled"])
    k[f"{at}exp_sum"] = k[f"{at}exp"].sum(axis=1, keepdims=True)
    k[f"{at}weights"] = k[f"{at}exp"] / k[f"{at}exp_sum"]
    k[f"{at}output"] = k[f"{at}weights"] @ k[f"{at}V"]
    return k[f"{at}output"]


def attention_back(k: Arrays, x: str, at: str, m: Mapping[str, Array]) -> None:
    """From ∂output to ∂x, by way of Q, K and V."""
    G, weights = k[f"grad.{at}output"], k[f"{at}weights"]
    slope = k[f"grad.{at}weights"] = G @ k[f"{at}V"].T
    k[f"grad.{at}V"] = weights.T @ G
    k[f"grad.{at}scaled"] = weights * (slope - (slope * weights).sum(axis=1, keepdims=True))
    scores = k[f"grad.{at}scores"] = k[f"grad.{at}scaled"] / k[f"{at}Q"].shape[1] ** 0.5
    k[f"grad.{at}Q"] = scores @ k[f"{at}K"]
    k[f"grad.{at}K"] = scores.T @ k[f"{at}Q"]
    for name in "VKQ":
        k[f"grad.{x}.{at}{name}"] = k[f"grad.{at}{name}"] @ m[f"W_{name}"].T
        k[f"grad.{at}W_{name}"] = k[x].T @ k[f"grad.{at}{name}"]
    k[f"grad.{x}"] = reduce(np.add, [k[f"grad.{x}.{at}{name}"] for name in "VKQ"])


def feed_forward(k: Arrays, x: str, at: str, m: Mapping[str, Array], activation: str) -> Array:
    """[n, d] -> [n, d]"""
    k[f"{at}hidden"] = k[x] @ m["W1"]
    k[f"{at}activated"] = ACTIVATED[activation](k[f"{at}hidden"])
    k[f"{at}ffn"] = k[f"{at}activated"] @ m["W2"]
    return k[f"{at}ffn"]


def feed_forward_back(k: Arrays, x: str, at: str, m: Mapping[str, Array], activation: str) -> None:
    """From ∂ffn to ∂x."""
    G = k[f"grad.{at}ffn"]
    k[f"grad.{at}activated"] = G @ m["W2"].T
    k[f"grad.{at}W2"] = k[f"{at}activated"].T @ G
    k[f"grad.{at}hidden"] = k[f"grad.{at}activated"] * SLOPES[activation](k[f"{at}hidden"])
    k[f"grad.{x}"] = k[f"grad.{at}hidden"] @ m["W1"].T
    k[f"grad.{at}W1"] = k[x].T @ k[f"grad.{at}hidden"]


def norm(k: Arrays, x: str, at: str) -> None:
    """(x − mean) / √(variance + ε)"""
    k[f"{at}mean"] = k[x].mean(axis=1, keepdims=True)
    k[f"{at}centered"] = k[x] - k[f"{at}mean"]
    k[f"{at}variance"] = (k[f"{at}centered"] ** 2).mean(axis=1, keepdims=True)
    k[f"{at}deviation"] = np.sqrt(k[f"{at}variance"] + 1e-5)
    k[f"{at}normed"] = k[f"{at}centered"] / k[f"{at}deviation"]


def norm_back(k: Arrays, x: str, at: str, *others: str) -> None:
    """From ∂normed to ∂x, where x has come another way too."""
    G, deviation = k[f"grad.{at}normed"], k[f"{at}deviation"]
    centered, width = f"grad.{at}centered.{at}", k[x].shape[1]
    k[f"{centered}normed"] = G / deviation
    slope = -(G * k[f"{at}normed"]).sum(axis=1, keepdims=True) / deviation
    k[f"grad.{at}deviation"] = slope
    k[f"grad.{at}variance"] = slope / (2 * deviation)
    k[f"{centered}variance"] = k[f"{at}centered"] * (2 / width * k[f"grad.{at}variance"])
    both = k[f"grad.{at}centered"] = k[f"{centered}normed"] + k[f"{centered}variance"]
    k[f"grad.{at}mean"] = -both.sum(axis=1, keepdims=True)
    k[f"grad.{x}.{at}centered"] = both
    k[f"grad.{x}.{at}mean"] = np.repeat(k[f"grad.{at}mean"] / width, width, axis=1)
    parts = [*others, f"grad.{x}.{at}centered", f"grad.{x}.{at}mean"]
    k[f"grad.{x}"] = reduce(np.add, [k[part] for part in parts])


def loss(k: Arrays, last: str, targets: Array) -> None:
    """The mean squared error, and where the way back begins."""
    k["squared_error"] = (k[last] - targets) ** 2
    k["mse"] = k["squared_error"].mean(keepdims=True)
    k["grad.mse"] = np.ones((1, 1))
    k[f"grad.{last}"] = 2 * (k[last] - targets) / targets.size


def one_block(m: Mapping[str, Array]) -> Arrays:
    """Attention and a feed-forward part without residuals."""
    k: Arrays = {"X": m["X"]}
    attention(k, "X", "", m)
    feed_forward(k, "output", "", m, "relu")
    loss(k, "ffn", m["targets"])
    feed_forward_back(k, "output", "", m, "relu")
    attention_back(k, "X", "", m)
    return k


def stack(source: Mapping[str, Any], activation: str) -> Arrays:
    """Layers with norms before and residuals, and back through them."""
    x, k = "X", {"X": source["X"]}
    for number, m in enumerate(source["layers"], 1):
        at = f"layers[{number}]."
        norm(k, x, f"{at}norm1.")
        k[f"{at}attention"] = attention(k, f"{at}norm1.normed", at, m) @ m["W_O"]
        k[f"{at}residual1"] = k[x] + k[f"{at}attention"]
        norm(k, f"{at}residual1", f"{at}norm2.")
        k[f"{at}residual2"] = k[f"{at}residual1"] + feed_forward(
            k, f"{at}norm2.normed", at, m, activation
        )
        x = f"{at}residual2"
    loss(k, x, source["targets"])
    for number, m in reversed([*enumerate(source["layers"], 1)]):
        before = f"layers[{number - 1}].residual2" if number > 1 else "X"
        _layer_back(k, before, f"layers[{number}].", m, activation)
    return k


def _layer_back(k: Arrays, x: str, at: str, m: Mapping[str, Array], activation: str) -> None:
    """From ∂ of the layer's result to ∂x. What a sum hands on to each of its terms is one array."""
    first, second = f"{at}residual1", f"{at}residual2"
    k[f"grad.{first}.{second}"] = k[f"grad.{at}ffn"] = k[f"grad.{second}"]
    feed_forward_back(k, f"{at}norm2.normed", at, m, activation)
    norm_back(k, first, f"{at}norm2.", f"grad.{first}.{second}")
    k[f"grad.{x}.{first}"] = k[f"grad.{at}attention"] = k[f"grad.{first}"]
    k[f"grad.{at}output"] = k[f"grad.{at}attention"] @ m["W_O"].T
    k[f"grad.{at}W_O"] = k[f"{at}output"].T @ k[f"grad.{at}attention"]
    attention_back(k, f"{at}norm1.normed", at, m)
    norm_back(k, x, f"{at}norm1.", f"grad.{x}.{first}")
