"""Numbers as somebody has them who rounds now so and now so: a calculator remembers a number in
full, the sheet beside it says it rounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from random import Random
from typing import Any

import numpy as np

_USES = "neg pos abs add radd sub rsub mul rmul truediv rtruediv pow rpow"
"""The sums that numbers go into."""


def taken(number: Any) -> Any:
    """A number as one use has it."""
    return number.rng.choice(number.ways) if isinstance(number, Remembered) else number


def _in_every_use(kind: type) -> type:
    def drawing(act: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *numbers: act(*map(taken, numbers))

    for name in _USES.split():
        setattr(kind, f"__{name}__", drawing(getattr(Decimal, f"__{name}__")))
    return kind


@_in_every_use
class Remembered(Decimal):
    """A number in full, which each use takes in one of several `ways`, drawn at random."""

    ways: Sequence[Decimal]
    rng: Random

    @classmethod
    def of(cls, ways: Sequence[Decimal], rng: Random) -> Remembered:
        """The first of the ways is the number itself."""
        made = cls(ways[0])
        made.ways, made.rng = ways, rng
        return made


class Uses(np.ndarray):
    """An array of remembered numbers: each sum that it goes into takes each of them in one way."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **data: Any) -> Any:
        return getattr(ufunc, method)(*map(drawn, inputs), **data)


def drawn(values: Any) -> Any:
    """An array as one sum has it."""
    if not isinstance(values, Uses) or values.dtype != object:
        return values.view(np.ndarray) if isinstance(values, Uses) else values
    return np.array([*map(taken, values.flat)], dtype=object).reshape(values.shape)
