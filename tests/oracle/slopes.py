"""How gradients go back through what is done often, each by its own equation.

G is the gradient of the loss with respect to what was made, of its shape; each way back has that of
what it was made of, of its shape (Goodfellow et al. 2016, "Deep Learning", 6.5).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.oracle.numerals import (
    DIGITS,
    Number,
    Numbers,
    UnknownError,
    activation,
    each,
    of_mpmath,
    taken_at_once,
    zeros,
)
from tests.oracle.tape import Back, Backs

if TYPE_CHECKING:
    import mpmath


def same(G: Numbers) -> Numbers:
    """Of what was only added, or taken over: ∂x = G."""
    return G


def negative(G: Numbers) -> Numbers:
    """Of what was subtracted: ∂x = −G."""
    return -G


def added(*terms: Numbers) -> Backs:
    """x + y + …: each gets G."""
    return [(term, same) for term in terms]


def product(X: Numbers, W: Numbers) -> Backs:
    """Y = X W: ∂X = G Wᵀ, ∂W = Xᵀ G. [n, d], [d, k] -> [n, k]"""
    return [(X, lambda G: G @ W.T), (W, lambda G: X.T @ G)]


def over_tokens(G: Numbers) -> Numbers:
    """Of a row that is added to each: ∂b = Σ_i G[i]. [n, k] -> [1, k]"""
    summed: Numbers = G.sum(axis=0, keepdims=True)
    return summed


def over_columns(G: Numbers) -> Numbers:
    """Of a column that goes to each: Σ_j G[·, j]. [n, k] -> [n, 1]"""
    summed: Numbers = G.sum(axis=1, keepdims=True)
    return summed


def divided(by: Number) -> Back:
    """x / c: ∂x = G / c."""
    return lambda G: G / by


def multiplied(by: Any) -> Back:
    """x ⊙ y, for x: ∂x = G ⊙ y."""
    return lambda G: G * by


def taken_rows(x: Numbers, rows: Iterable[int]) -> Back:
    """Rows of x, in whichever order and however often: what goes to each is added up."""
    shape = x.shape

    def back(G: Numbers) -> Numbers:
        made = zeros(G, shape)
        for k, row in enumerate(rows):
            made[row] += G[k]
        return made

    return back


def taken_columns(x: Numbers, start: int, end: int) -> Back:
    """The columns of x from `start` to before `end`: the others get 0."""
    shape = x.shape

    def back(G: Numbers) -> Numbers:
        made = zeros(G, shape)
        made[:, start:end] = G
        return made

    return back


def side_by_side(parts: Sequence[Numbers]) -> Backs:
    """[x, y, …] side by side: each gets its columns of G."""
    ends = np.cumsum([part.shape[1] for part in parts]).tolist()
    runs = [slice(end - part.shape[1], end) for part, end in zip(parts, ends, strict=True)]
    return [(part, _columns(run)) for part, run in zip(parts, runs, strict=True)]


def one_above_the_other(parts: Sequence[Numbers]) -> Backs:
    """x above y above …: each gets its rows of G."""
    ends = np.cumsum([len(part) for part in parts]).tolist()
    runs = [slice(end - len(part), end) for part, end in zip(parts, ends, strict=True)]
    return [(part, _rows(run)) for part, run in zip(parts, runs, strict=True)]


def _columns(run: slice) -> Back:
    return lambda G: G[:, run]


def _rows(run: slice) -> Back:
    return lambda G: G[run]


def softmax(p: Numbers) -> Back:
    """p = softmax(x): ∂x = p ⊙ (G − Σ_k G[·, k] p[·, k]) (Bridle 1990)."""
    return lambda G: p * (G - over_columns(G * p))


def capped(x: Numbers, cap: Number) -> Back:
    """c tanh(x / c): ∂x = G (1 − tanh²(x / c)); 0 where x is −∞."""

    def slope_of(z: Number) -> Number:
        return 1 - activation("tanh", z) ** 2 if math.isfinite(z) else type(z)(0)

    return lambda G: G * each(slope_of, taken_at_once(x / cap))


def activated(kind: str, z: Numbers, a: Numbers) -> Back:
    """a = g(z): ∂z = G ⊙ g′(z), where g′ is known by a, by that."""
    return lambda G: G * _slopes(kind, z, a)


def surprise(p: Numbers, targets: Sequence[int]) -> Back:
    """loss[i] = −ln p[i, target]: ∂p = −G / p there, else 0."""

    def back(G: Numbers) -> Numbers:
        made = zeros(G, p.shape)
        for i, j in enumerate(targets):
            made[i, j] = -G[i, 0] / p[i, j]
        return made

    return back


def surprise_of_logits(p: Numbers, targets: Sequence[tuple[int, int]]) -> Back:
    """The same by the logits that p is the softmax of, for the rows and columns of targets:
    ∂logits[i] = G (p[i] − y[i]), y being 1 for the target; 0 in rows without one (Bridle 1990)."""

    def back(G: Numbers) -> Numbers:
        made = zeros(G, p.shape)
        for k, (i, target) in enumerate(targets):
            y = np.array([int(j == target) for j in range(p.shape[1])])
            made[i] = G[k] * (p[i] - y)
        return made

    return back


def _slopes(kind: str, z: Numbers, a: Numbers) -> Numbers:
    pairs = zip(taken_at_once(z).flat, taken_at_once(a).flat, strict=True)
    return np.array([slope(kind, *pair) for pair in pairs], dtype=z.dtype).reshape(z.shape)


_PLAIN: dict[str, Callable[[Any, Any], Number]] = {
    "relu": lambda z, _: z * 0 + int(z > 0),
    "leaky_relu": lambda z, _: (z * 0 + 1) / (1 if z > 0 else 100),
    "relu2": lambda z, _: 2 * max(z, z * 0),
    "tanh": lambda _, a: 1 - a * a,
    "sigmoid": lambda _, a: a * (1 - a),
}


def slope(kind: str, z: Number, a: Number) -> Number:
    """g′(z) of an activation, to fifty digits; a is g(z) as it was written down."""
    if kind in _PLAIN:
        return _PLAIN[kind](z, a)
    import mpmath

    with mpmath.workdps(DIGITS):
        made = _smooth_slope(kind, mpmath.mpf(str(z)), mpmath.mpf(str(a)))
        return of_mpmath(made, decimal=isinstance(z, Decimal))


def _smooth_slope(kind: str, z: mpmath.mpf, a: mpmath.mpf) -> mpmath.mpf:
    import mpmath

    def sigmoid(x: mpmath.mpf) -> mpmath.mpf:
        return 1 / (1 + mpmath.exp(-x))

    faster, c = mpmath.mpf("1.702"), mpmath.mpf("0.044715")
    made = {
        "gelu": lambda: mpmath.ncdf(z) + z * mpmath.npdf(z),
        "gelu_tanh": lambda: _tanh_gelu(z, mpmath.sqrt(2 / mpmath.pi), c),
        "mish": lambda: _mish(z, mpmath.tanh(mpmath.log1p(mpmath.exp(z))), sigmoid(z)),
        "elu": lambda: mpmath.mpf(1) if z > 0 else mpmath.exp(z),
        "quick_gelu": lambda: sigmoid(faster * z) + faster * a * (1 - sigmoid(faster * z)),
        "silu": lambda: sigmoid(z) + a * (1 - sigmoid(z)),
    }
    if kind not in made:
        raise UnknownError(f"the slope of the activation {kind}")
    return made[kind]()


def _tanh_gelu(z: mpmath.mpf, root: mpmath.mpf, c: mpmath.mpf) -> mpmath.mpf:
    """½ (1 + t) + ½ z (1 − t²) √(2/π) (1 + 3 c z²), t being the tanh of GELU's approximation."""
    import mpmath

    t = mpmath.tanh(root * (z + c * z**3))
    return ((1 + t) + z * (1 - t**2) * root * (1 + 3 * c * z**2)) / 2


def _mish(z: mpmath.mpf, t: mpmath.mpf, sigmoid: mpmath.mpf) -> mpmath.mpf:
    """t + z (1 − t²) σ(z), t being tanh ln(1 + e^z)."""
    return t + z * (1 - t**2) * sigmoid
