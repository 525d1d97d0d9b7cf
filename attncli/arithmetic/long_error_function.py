"""erf and erfc of arrays of the machine's longest floats, each within 4 ε.

Near 0 it is the series of positive terms (Abramowitz and Stegun, 7.1.6),

    erf x = 2 / √π · e^(−x²) · (x + 2 x³ / 3 + 4 x⁵ / (3·5) + …)

and farther off the trapezoidal rule of step h (Chiarella and Reichel 1968, Math. Comp. 22; Hunter
and Regan 1972, Math. Comp. 26), which is relatively off by about e^(−(π/h)²):

    erfc x = h x / π · e^(−x²) · (1 / x² + 2 Σ e^(−(kh)²) / (x² + (kh)²)) − 2 / (e^(2πx/h) − 1)

in which the last term counts below π / h only.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from attncli.arithmetic.evaluation import pi
from attncli.arithmetic.rounding import Long

_NEAR = 0.5
"""Below this the series takes few terms; above it the last term of the rule is little."""
_VANISHED = 150.0
"""erfc of this and beyond is less than the smallest of these floats."""
_SPARE = 6.0
"""The logarithm of how much less than ε is left out."""


def erf(x: Long) -> Long:
    """2/√π ∫₀ˣ e^(−t²) dt of each number."""
    size = np.abs(x)
    return np.where(size < _NEAR, _near_zero(x), np.copysign(1 - _tail(size), x))


def erfc(x: Long) -> Long:
    """1 − erf x of each number, which loses no digits where erf x is nearly 1."""
    tail = _tail(np.abs(x))
    far = np.where(x < 0, 2 - tail, tail)
    return np.where(np.abs(x) < _NEAR, 1 - _near_zero(x), far)


class _Rule(NamedTuple):
    """π, how many terms the series takes, the step of the trapezoidal rule and its points: k h
    and e^(−(kh)²)."""

    pi: np.longdouble
    terms: int
    step: np.longdouble
    points: tuple[tuple[np.longdouble, np.longdouble], ...]


@cache
def _rule() -> _Rule:
    digits = -math.log(float(np.finfo(np.longdouble).eps)) + _SPARE
    step = np.longdouble(math.pi / math.sqrt(digits))
    count = math.ceil(math.sqrt(digits) / float(step))
    points = [k * step for k in range(1, count + 1)]
    term, terms = 1.0, 0
    while term > math.exp(-digits):
        terms += 1
        term *= 2 * _NEAR**2 / (2 * terms + 1)
    known = np.longdouble(str(pi(50)))
    return _Rule(known, terms, step, tuple((one, np.exp(-one * one)) for one in points))


def _near_zero(x: Long) -> Long:
    """erf x of sizes below _NEAR; of others any number."""
    rule, x = _rule(), np.clip(x, -_NEAR, _NEAR)
    double = 2 * x * x
    total = np.ones_like(x)
    for n in range(rule.terms, 0, -1):
        total *= double / (2 * n + 1)
        total += 1
    return np.asarray(2 / np.sqrt(rule.pi) * np.exp(-x * x) * x * total)


def _tail(size: Long) -> Long:
    """erfc x of sizes from _NEAR on; of others any number."""
    rule = _rule()
    x = np.clip(size, _NEAR, _VANISHED)
    square = x * x
    total = 1 / square
    for point, weight in rule.points:
        total += 2 * weight / (square + point * point)
    short = x.astype(np.float32).astype(np.longdouble)  # whose square they hold
    power = np.exp(-short * short) * np.exp((short - x) * (short + x))
    counts = np.minimum(x, rule.pi / rule.step)
    last = np.where(counts < x, 0, 2 / np.expm1(2 * rule.pi / rule.step * counts))
    return np.asarray(rule.step / rule.pi * x * power * total - last)
