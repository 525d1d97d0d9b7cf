"""Axes: where their ticks stand, and what is written at them."""

from __future__ import annotations

from decimal import Decimal
from math import ceil, floor, log10
from typing import NamedTuple

from attncli.arithmetic.expression import Number
from attncli.render.numbers import text_of as number_text

_STEPS = (1.0, 2.0, 5.0, 10.0)


class DrawnAxis(NamedTuple):
    """From its least to its greatest number, with ticks; their logarithms if it is logarithmic."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    logarithmic: bool = False

    def share(self, number: float) -> float | None:
        """How far up a number stands, from 0 to 1; None of one that has no place on it."""
        if self.logarithmic:
            number = log10(number) if number > 0 else float("-inf")
        share = (number - self.low) / (self.high - self.low)
        return share if abs(share) < float("inf") else None


def axis_of(numbers: list[float], most: int = 6) -> DrawnAxis:
    """An axis for the numbers, with ticks at 1, 2 or 5 times a power of ten, 0 on it."""
    low, high = min([0.0, *numbers]), max([0.0, *numbers])
    if low == high:
        high = 1.0
    step = _step((high - low) / most)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    ticks = tuple((k * step, _text(k, step)) for k in range(first, last + 1))
    return DrawnAxis(ticks[0][0], ticks[-1][0], ticks)


def logarithmic_axis(numbers: list[float], most: int = 7) -> DrawnAxis:
    """An axis of powers of ten."""
    logs = [log10(one) for one in numbers if one > 0] or [0.0]
    first, last = floor(min(logs) + 1e-9), ceil(max(logs) - 1e-9)
    last = max(last, first + 1)
    step = ceil((last - first) / most)
    ticks = tuple((float(k), _power(k)) for k in range(first, last + 1, step))
    return DrawnAxis(first, last, tuple((10.0**k, text) for k, text in ticks), logarithmic=True)


def _step(least: float) -> float:
    """The smallest step of a usual kind that isn't less."""
    power = 10.0 ** floor(log10(least))
    return next(one * power for one in _STEPS if one * power >= least * (1 - 1e-9))


def _text(k: int, step: float) -> str:
    number = Decimal(k) * Decimal(f"{step:g}")
    return number_text(Number.written(number))


def _power(k: int) -> str:
    return number_text(Number.written(Decimal(10) ** k))


__all__ = ["DrawnAxis", "axis_of", "logarithmic_axis"]
